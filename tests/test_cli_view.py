"""``mjscene view`` with a viewer that is none: when it steps, and when it ends."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from command_line import only_line
from small_scene import ARM

from mjscene.cli import main


class Viewer:
    """What `mjscene view` uses of MuJoCo's passive viewer; closed by the user after some frames."""

    def __init__(self, model: Any, data: Any, frames: int) -> None:
        self.data, self.left = data, frames
        self.times: list[float] = []
        self.was_closed = False

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.was_closed = True

    def is_running(self) -> bool:
        self.left -= 1
        return self.left >= 0

    def lock(self) -> nullcontext[None]:
        return nullcontext()

    def sync(self) -> None:
        self.times.append(float(self.data.time))


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Viewer]:
    """The viewers that were opened, on a display that seems to be there."""
    import glfw
    import mujoco.viewer

    viewers: list[Viewer] = []

    def launch(model: Any, data: Any) -> Viewer:
        viewers.append(Viewer(model, data, 12))
        return viewers[-1]

    monkeypatch.setattr(mujoco.viewer, "launch_passive", launch)
    monkeypatch.setattr(glfw, "init", lambda: True)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    return viewers


def test_the_scene_runs_in_real_time_until_the_viewer_is_closed(opened: list[Viewer]) -> None:
    clock = [0.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mjscene.cli.view.time.perf_counter", lambda: clock[0])
        patch.setattr("mjscene.cli.view.time.sleep", lambda s: clock.__setitem__(0, clock[0] + s))
        assert main(["view", "arm.xml"]) == 0
    (viewer,) = opened
    assert viewer.was_closed
    assert len(viewer.times) == 12
    for k, time in enumerate(viewer.times):  # a step behind the clock at most
        assert -1e-9 <= k / 60 - time <= 0.002


def test_after_a_long_pause_it_does_not_rush(opened: list[Viewer]) -> None:
    clock = [0.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds if len(opened[0].times) != 5 else 100.0  # the machine slept

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mjscene.cli.view.time.perf_counter", lambda: clock[0])
        patch.setattr("mjscene.cli.view.time.sleep", sleep)
        assert main(["view", "arm.xml"]) == 0
    assert opened[0].times[-1] < 0.3


def test_a_paused_scene_stays_at_its_start(opened: list[Viewer]) -> None:
    assert main(["view", "arm.xml", "--paused"]) == 0
    assert opened[0].times == [0.0] * 12


def test_a_viewer_that_does_not_start_is_one_line(
    opened: list[Viewer], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def launch(model: Any, data: Any) -> None:
        raise RuntimeError("`launch_passive` requires that the script be run under `mjpython`")

    monkeypatch.setattr("mujoco.viewer.launch_passive", launch)
    assert main(["view", "arm.xml"]) == 2
    assert "mjpython -m mjscene view" in only_line(capsys.readouterr().err)
