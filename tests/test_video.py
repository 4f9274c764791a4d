"""Moving pictures: which frames, of which times, and what is in the files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from small_scene import SIZE, draws, red_spot, small_scene

from mjscene import (
    FreeCamera,
    ObjectCmd,
    RenderError,
    Scene,
    SceneObject,
    SimulationError,
    SpecError,
)
from mjscene.video import frames, record_video, write_video

pytestmark = draws


def decoded(path: Path) -> tuple[list[np.ndarray], Fraction, float]:
    """Frames, rate and duration [s] of a video, as FFmpeg reads it."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        return pictures, stream.average_rate, float(stream.duration * stream.time_base)


@pytest.mark.parametrize(
    ("timestep", "fps", "duration"),
    [(0.002, 30, 0.2), (0.002, 50, 0.1), (0.003, 30, 0.3), (0.01, 60, 0.1), (0.002, 23.976, 0.25)],
)
def test_frame_k_is_of_time_k_over_fps_to_the_nearest_step(
    timestep: float, fps: float, duration: float
) -> None:
    scene = small_scene(timestep=timestep)
    times = [scene.time for _ in frames(scene, duration, camera="side", fps=fps, size=(8, 8))]
    assert len(times) == round(duration * fps)
    for k, time in enumerate(times):
        assert abs(time - k / fps) <= timestep / 2 + 1e-4 * k / fps  # 23.976 is 24000 / 1001
    assert scene.time == pytest.approx(duration)


def test_frames_are_what_render_draws_and_the_run_is_that_of_steps() -> None:
    scene, other = small_scene(), small_scene()
    for k, picture in enumerate(frames(scene, 0.08, camera="side", fps=50)):
        np.testing.assert_array_equal(picture, other.render("side"))
        assert k < 4
        other.step(10)
    np.testing.assert_array_equal(scene.data.qpos, other.data.qpos)


@pytest.mark.parametrize("period", [None, 0.01, 0.006])
def test_a_policy_is_called_as_by_run(period: float | None) -> None:
    def policy(calls: list[float]):
        def call(scene: Scene) -> dict[str, ObjectCmd] | None:
            calls.append(scene.time)
            return {"arm": ObjectCmd(joint_cmds=[math.sin(9 * scene.time)])} if calls else None

        return call

    scene, other = small_scene(), small_scene()
    calls: list[float] = []
    expected: list[float] = []
    for _ in frames(scene, 0.1, policy(calls), period=period, fps=30, size=(8, 8)):
        pass
    other.run(0.1, policy(expected), period=period)
    assert calls == expected
    np.testing.assert_array_equal(scene.data.qpos, other.data.qpos)


def test_an_mp4_has_the_frames_the_rate_and_the_size(tmp_path: Path) -> None:
    scene, other = small_scene(), small_scene()
    path = scene.record_video(
        tmp_path / "new" / "fall.MP4", 0.4, camera="side", fps=25, size=(96, 64)
    )
    pictures, rate, duration = decoded(path)
    assert (len(pictures), rate, duration) == (10, 25, pytest.approx(0.4))
    for k, picture in enumerate(pictures):
        drawn = other.render("side", 96, 64)
        assert picture.shape == drawn.shape
        # H.264 at this quality: a few of 255 off on the average; the spot stays where it is.
        assert np.abs(picture.astype(int) - drawn).mean() < 4
        assert red_spot(picture) == pytest.approx(red_spot(drawn), abs=0.5), k
        other.step(20)
    assert red_spot(pictures[-1])[1] > red_spot(pictures[0])[1] + 5


def test_a_gif_has_the_frames_and_plays_at_the_right_speed(tmp_path: Path) -> None:
    scene = small_scene()
    path = record_video(
        scene, tmp_path / "fall.gif", 0.4, camera=FreeCamera((0, 0, 1), 3, 90, 0), fps=30, size=SIZE
    )
    with Image.open(path) as image:
        assert (image.n_frames, image.size, image.info["loop"]) == (12, SIZE, 0)
        total, spots = 0, []
        for k in range(image.n_frames):
            image.seek(k)
            total += image.info["duration"]
            spots.append(red_spot(np.asarray(image.convert("RGB")))[1])
    assert total == 400  # ms, though 1/30 s is no whole number of hundredths
    assert spots[-1] > spots[0] + 5


def test_the_size_of_a_camera_is_made_even_for_an_mp4(tmp_path: Path) -> None:
    from mjscene import CameraSpec

    scene = small_scene(CameraSpec("odd", pos=(0, -3, 1), look_at=(0, 0, 1), resolution=(33, 17)))
    pictures, _, _ = decoded(scene.record_video(tmp_path / "x.mp4", 0.04, camera="odd"))
    assert pictures[0].shape == (16, 32, 3)


def test_a_run_that_fails_leaves_the_video_up_to_there(tmp_path: Path) -> None:
    def policy(scene: Scene) -> None:
        if scene.time > 0.2:
            raise SimulationError("as a test", time=scene.time)

    for ending in (".mp4", ".gif"):
        path = tmp_path / f"x{ending}"
        with pytest.raises(SimulationError, match="as a test"):
            small_scene().record_video(path, 1.0, policy, camera="side", fps=20)
        if ending == ".mp4":
            assert len(decoded(path)[0]) == 5  # 0, 0.05 … 0.2 s
        else:
            with Image.open(path) as image:
                assert image.n_frames == 5


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_an_error_leaves_what_was_there(tmp_path: Path, ending: str) -> None:
    def policy(scene: Scene) -> None:
        if scene.time > 0.2:
            raise LookupError("as a test")

    path = tmp_path / f"x{ending}"
    path.write_bytes(b"an older video")
    with pytest.raises(LookupError):
        small_scene().record_video(path, 1.0, policy, camera="side", fps=20)
    assert path.read_bytes() == b"an older video"
    link = tmp_path / f"link{ending}"
    link.symlink_to(path)
    small_scene().record_video(link, 0.1, camera="side", fps=20)
    assert link.is_symlink()
    assert len(path.read_bytes()) > 100
    assert sorted(tmp_path.iterdir()) == [link, path], "nothing else is left"


def test_a_simulation_that_blows_up_at_once_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(b"an older video")

    def taken(shape: tuple[int, int]) -> Iterator[np.ndarray]:
        raise SimulationError("as a test")
        yield

    with pytest.raises(SimulationError):
        write_video(path, taken, SIZE, fps=20, is_exact=True)
    assert path.read_bytes() == b"an older video"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
@pytest.mark.parametrize("name", ["file:c", "a:b", "http:x", "pipe:1", "a%03d?b=c#d"])
def test_a_path_is_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = small_scene().record_video(name + ending, 0.1, camera="side", fps=20)
    assert path == Path(name + ending)
    assert list(tmp_path.iterdir()) == [tmp_path / path]
    assert path.stat().st_size > 100


def test_a_camera_that_vanishes_is_told_with_its_time(tmp_path: Path) -> None:
    scene = small_scene()
    lamp = tmp_path / "lamp.xml"
    lamp.write_text('<mujoco><worldbody><body><geom size="0.1"/><camera name="eye"/></body>'
                    "</worldbody></mujoco>")  # fmt: skip
    scene.add_object(SceneObject("lamp", path=str(lamp), fixed=True, pos=(0, 0, 3)))

    def cameras() -> range:
        return range(scene.model.ncam)

    (name,) = (n for n in (scene.model.camera(k).name for k in cameras()) if "eye" in n)

    def policy(scene: Scene) -> None:
        if scene.time > 0.099 and name in {scene.model.camera(k).name for k in cameras()}:
            scene.remove_object("lamp")

    path = tmp_path / "x.mp4"
    path.write_bytes(b"an older video")
    with pytest.raises(RenderError, match=r"there is no camera .*removed before t = 0\.15 s"):
        scene.record_video(path, 0.5, policy, camera=name, fps=20)
    assert path.read_bytes() == b"an older video"


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"path": "a\0b.mp4"}, RenderError, "no name of a file"),
        ({"path": "x.avi"}, RenderError, "record_video.path"),
        ({"path": 3}, RenderError, "expected a path"),
        ({"duration": -1}, SpecError, "duration"),
        ({"duration": 0.001}, SpecError, "multiple of the timestep"),
        ({"period": 0.003}, SpecError, "period"),
        ({"camera": "sid"}, RenderError, "did you mean 'side'"),
        ({"camera": 0}, RenderError, "expected the name of a camera"),
        ({"fps": 0}, RenderError, "record_video.fps"),
        ({"fps": math.nan}, RenderError, "frames per second"),
        ({"fps": "30"}, RenderError, "frames per second"),
        ({"path": "x.gif", "fps": 60}, RenderError, "at most 50"),
        ({"size": (63, 48)}, RenderError, "use 64 x 48"),
        ({"size": 64}, RenderError, r"expected \(width, height\)"),
        ({"size": (0, 4)}, RenderError, "render.width"),
    ],
)
def test_what_cannot_be_recorded_is_refused_before_anything_runs(
    tmp_path: Path, change: dict, kind: type[Exception], text: str
) -> None:
    scene = small_scene()
    asked = {"path": "x.mp4", "duration": 0.1, "camera": "side"} | change
    if isinstance(asked["path"], str):
        asked["path"] = tmp_path / "new" / asked["path"]
    with pytest.raises(kind, match=text):
        scene.record_video(**asked)
    assert scene.time == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RenderError, match="its folder is a file"):
        small_scene().record_video(tmp_path / "file" / "x.mp4", 0.1)
