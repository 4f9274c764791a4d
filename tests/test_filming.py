"""Pictures and videos of a scenario: of which times, and that the run is the one without them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image
from scenario_scene import scenario
from small_scene import draws

from mjscene import FreeCamera, RenderError
from mjscene.cli import main
from mjscene.scenario import AddObject, Call, JointValue, NoWarnings, Scenario
from mjscene.scenario.filming import photograph
from mjscene.spec import SceneObject

pytestmark = draws
VIEW = FreeCamera(lookat=(0.3, 0, 0.8), distance=3.0, azimuth=90, elevation=-10)
SIZE = (64, 48)


def moving(**fields: Any) -> Scenario:
    """A fall in which a thing is added: another model from then on."""
    thing = SceneObject("thing", shape="box", size=[0.2] * 3, pos=(0.3, -0.5, 1.2), mass=1.0)
    timeline = [AddObject(at=0.1, object=thing)]
    usual = {"duration": 0.2, "timeline": timeline, "expect": [NoWarnings()]}
    return replace(scenario(), **(usual | fields))


def pictures(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize("fps", [30, 50, 750])
def test_a_video_has_a_frame_for_each_time_and_the_run_is_as_without(
    fps: int, tmp_path: Path
) -> None:
    seen: list[float] = []
    watch = [Call(at=0.002 * k, function=lambda scene: seen.append(scene.time)) for k in range(50)]
    duration = 0.2 if fps < 500 else 0.12
    quiet = moving(duration=duration).run()
    timeline = [*moving().timeline, *watch]
    result = moving(duration=duration, timeline=timeline).record_video(
        tmp_path / "fall.mp4", camera=VIEW, fps=fps, size=SIZE
    )
    frames = pictures(tmp_path / "fall.mp4")
    assert len(frames) == round(duration * fps)
    assert len(seen) == 50
    assert result.passed
    assert result.checked == quiet.checked
    assert len(result.recordings) == len(quiet.recordings) == 2
    for with_it, without in zip(result.recordings, quiet.recordings, strict=True):
        np.testing.assert_array_equal(with_it.qpos, without.qpos)
    first, last = frames[0].astype(float), frames[-1].astype(float)
    assert np.abs(first - last).max() > 60  # the thing is there


def test_a_video_ends_where_the_run_does(tmp_path: Path) -> None:
    def fail(scene: Any) -> None:
        scene.robots["none"].stop()

    result = moving(timeline=[Call(at=0.1, function=fail)]).record_video(
        tmp_path / "short.gif", camera=VIEW, fps=50, size=SIZE
    )
    assert not result.passed
    with Image.open(tmp_path / "short.gif") as image:
        assert image.n_frames <= 7
        assert image.n_frames >= 2


@pytest.mark.parametrize("seconds", [None, 0.0, 0.06, 0.2])
def test_a_picture_is_of_the_time_and_the_run_goes_on(
    seconds: float | None, tmp_path: Path
) -> None:
    taken: list[np.ndarray] = []
    at = 0.2 if seconds is None else seconds
    result = photograph(moving(), tmp_path / "x.png", lambda _: VIEW, seconds=seconds, size=SIZE)
    assert result.passed
    assert result.duration == pytest.approx(0.2)
    with Image.open(tmp_path / "x.png") as image:
        picture = np.asarray(image)
    if at < 0.2:
        take = Call(at=at, function=lambda scene: taken.append(scene.render(VIEW, *SIZE)))
        moving(timeline=[take, *moving().timeline]).run()
        np.testing.assert_array_equal(picture, taken[0])


def test_what_cannot_be_filmed_is_refused_before_anything_runs(tmp_path: Path) -> None:
    ran: list[float] = []
    look = [Call(at=0.0, function=lambda scene: ran.append(scene.time))]
    for bad in ({"path": "x.avi"}, {"camera": "none"}, {"fps": 0}, {"size": (3, 3)}):
        words: dict[str, Any] = {"path": "x.mp4", "camera": VIEW, "size": SIZE} | bad
        path = tmp_path / words.pop("path")
        with pytest.raises(RenderError):
            moving(timeline=look).record_video(path, **words)
        assert not path.exists()
    assert not ran


def test_the_command_line_draws_scenarios(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--size", "64x48"]
    assert main(["render", "free_fall", "-o", "fall.png", "--seconds", "0.3", *words]) == 0
    assert main(["render", "free_fall", "-o", "fall.gif", "--fps", "10", *words]) == 0
    assert capsys.readouterr().out == "fall.png\nfall.gif\n"
    assert main(["render", "free_fall", "-o", "late.png", "--seconds", "99", *words]) == 2
    assert "--seconds: 99 s is after the end" in capsys.readouterr().err
    assert main(["render", "free_fall", "-o", "x.gif", "--seconds", "1", *words]) == 2
    assert "its own duration" in capsys.readouterr().err
    failing = moving(expect=[JointValue(joint="arm/hinge", position=9.0, tolerance=0.1, at=0.1)])
    assert not photograph(failing, "bad.png", lambda _: VIEW, size=SIZE).passed
