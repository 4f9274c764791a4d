"""Every Python snippet of the README runs, in order, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def can_render() -> bool:
    from mjscene import SceneSpec, build_scene
    from mjscene.pictures import RenderError, render

    try:
        render(build_scene(SceneSpec()), width=8, height=8)
    except RenderError:
        return False
    return True


def test_readme_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(SNIPPETS) >= 5
    if not can_render():
        pytest.skip("no off-screen rendering here")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for snippet in SNIPPETS:
        exec(compile(snippet, str(README), "exec"), namespace)
    made = {p.name for p in tmp_path.iterdir()}
    assert made == {"first.png", "my_scene", "my_scene.yaml", "side.png", "turn.mp4"}


def test_yaml_of_the_readme_is_a_scene() -> None:
    from mjscene import build_scene, scene_from_yaml

    found = re.findall(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    # The walk with a robot of one's own is made by test_newcomer.
    found = [text for text in found if "my_arm.xml" not in text and "expect:" not in text]
    assert found
    for text in found:
        scene = build_scene(scene_from_yaml(text))
        assert list(scene.robots) == ["left", "right"]


def test_readme_scenarios_pass() -> None:
    from mjscene.scenario import scenario_from_yaml

    text = README.read_text(encoding="utf-8")
    shown = [t for t in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "expect:" in t]
    assert shown
    for snippet in shown:
        result = scenario_from_yaml(snippet).run()
        assert result.passed, result.text


def test_readme_opens_with_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.index("make run") < text.index("make test") < text.index("## A first scene")


def test_first_scene_is_at_most_fifteen_lines_of_code() -> None:
    lines = [line for line in SNIPPETS[0].splitlines() if line.strip()]
    assert len(lines) <= 15


def test_readme_links_lead_somewhere() -> None:
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (README.parent / target).exists(), target
