"""One table of all real model files at the end of a test run: a pytest hook.

Tests record a row with ``record_property(ROW, {...})``; pytest and pytest-xdist carry it in the
test's report to the process that writes the summary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["COLUMNS", "ROW", "pytest_terminal_summary", "table_lines"]

ROW = "real_model_row"
COLUMNS = ("file", "loads alone", "composed", "twice", "refused, and why")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the rows that the run's tests recorded."""
    rows = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == ROW
    ]
    if rows:
        terminalreporter.section("real models")
        for line in table_lines(rows):
            terminalreporter.write_line(line)


def table_lines(rows: Iterable[dict[str, str]]) -> list[str]:
    """The rows sorted by file, under a head, and their sums."""
    ordered = sorted(rows, key=lambda row: row["file"])
    cells = [COLUMNS, *(tuple(row.get(c, "") for c in COLUMNS) for row in ordered)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(COLUMNS))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    loading = [row for row in ordered if row.get(COLUMNS[1], "").startswith("yes")]
    composed, twice = (sum(r.get(c, "").startswith("yes") for r in loading) for c in COLUMNS[2:4])
    refused = sum(bool(row.get(COLUMNS[4])) for row in loading)
    lines.append(
        f"{len(ordered)} files: {len(loading)} load alone; of these {composed} composed, {twice} "
        f"twice in one scene, {refused} refused as they are"
    )
    return lines
