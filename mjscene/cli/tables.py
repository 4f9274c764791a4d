"""Tables and progress bars, drawn by rich (extra ``cli``), which is imported when one is drawn."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["print_table", "require_rich", "with_progress"]

_WIDE = 240  # characters of a line that no terminal limits


def require_rich() -> None:
    """Say what is missing before any work is done.

    Raises:
        MjsceneError: rich is not installed.
    """
    import importlib.util

    if importlib.util.find_spec("rich") is None:
        from mjscene.errors import MjsceneError

        raise MjsceneError(
            "tables are drawn with rich, which is not installed",
            hint="pip install 'mjscene[cli]', or ask for --json",
        )


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; columns whose heading ends in a unit are numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in head:
        table.add_column(Text(name), justify="right" if name.endswith("]") else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # plain text: names may have brackets
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
        return
    # For a file or a program a line is as long as it must be, and ends with its last word.
    console = Console(width=_WIDE, highlight=False)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def with_progress(title: str, steps: int, advance: Callable[[int], None]) -> None:
    """Call ``advance`` with numbers of steps that add up, and show a bar on a terminal."""
    if not sys.stderr.isatty():
        advance(steps)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=steps)
        each = max(1, steps // 100)
        for start in range(0, steps, each):
            now = min(each, steps - start)
            advance(now)
            progress.advance(task, now)
