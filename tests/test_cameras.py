"""Cameras: free ones, named ones, and the size of what they take."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from small_scene import SIZE, draws, red_spot, small_scene

from mjscene import CameraSpec, FreeCamera, RenderError, SpecError
from mjscene.cameras import picture_size, view_of


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lookat", (0, 0)),
        ("lookat", (0, 0, math.nan)),
        ("lookat", "abc"),
        ("lookat", None),
        ("distance", 0),
        ("distance", -1.0),
        ("distance", math.inf),
        ("distance", True),
        ("azimuth", "90"),
        ("elevation", math.nan),
    ],
)
def test_a_free_camera_that_cannot_be_is_refused(field: str, value: object) -> None:
    with pytest.raises(SpecError, match=f"FreeCamera.{field}") as caught:
        FreeCamera(**{field: value})  # type: ignore[arg-type]
    assert caught.value.given is value


def test_a_free_camera_keeps_plain_numbers() -> None:
    camera = FreeCamera(np.array([1, 2, 3]), np.float32(2), 90, -10)  # type: ignore[arg-type]
    assert camera == FreeCamera((1.0, 2.0, 3.0), 2.0, 90.0, -10.0)
    assert type(camera.distance) is float


@pytest.mark.parametrize("camera", [0, True, object(), b"side"])
def test_what_is_no_camera_is_refused_with_the_names(camera: object) -> None:
    with pytest.raises(RenderError, match="expected the name of a camera") as caught:
        view_of(small_scene().model, camera)  # type: ignore[arg-type]
    assert caught.value.allowed == ("side",)


def test_a_wrong_name_gets_the_closest() -> None:
    with pytest.raises(RenderError, match="did you mean 'side'") as caught:
        view_of(small_scene().model, "sid")
    assert (caught.value.where, caught.value.given) == ("render.camera", "sid")


def test_a_scene_without_cameras_says_so() -> None:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(RenderError, match="the scene has none"):
        view_of(model, "front")


def test_sizes_are_the_cameras_own_unless_given() -> None:
    model = small_scene(CameraSpec("plain", resolution=(1, 1))).model
    assert picture_size(model, view_of(model, "side")) == SIZE
    assert picture_size(model, view_of(model, "side"), 10) == (10, SIZE[1])
    assert picture_size(model, view_of(model, "plain")) == (960, 640)
    assert picture_size(model, view_of(model, None), np.int64(7), 9) == (7, 9)


@pytest.mark.parametrize("size", [0, -1, 1.5, "64", True, 16385, math.nan])
@pytest.mark.parametrize("side", ["width", "height"])
def test_a_size_that_cannot_be_is_refused(side: str, size: object) -> None:
    model = small_scene().model
    with pytest.raises(RenderError, match=rf"render\.{side}: expected a whole number") as caught:
        picture_size(model, view_of(model, None), **{side: size})  # type: ignore[arg-type]
    assert caught.value.given is size


@draws
@pytest.mark.parametrize(("azimuth", "elevation"), [(90, -20), (30, -50), (200, 5)])
def test_a_free_camera_is_where_its_angles_say(azimuth: float, elevation: float) -> None:
    """Against a camera of the scene at the point that trigonometry gives."""
    a, e, distance = math.radians(azimuth), math.radians(elevation), 2.5
    heading = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
    at = np.array([0.3, -0.1, 0.9])
    pos = tuple((at - distance * heading).tolist())
    scene = small_scene(CameraSpec("same", pos=pos, look_at=tuple(at.tolist()), fovy=45))
    assert scene.model.vis.global_.fovy == 45
    free = scene.render(FreeCamera(tuple(at.tolist()), distance, azimuth, elevation), *SIZE)
    fixed = scene.render("same", *SIZE)
    # The poses differ by rounding: a pixel at an edge may change, the spot stays.
    assert np.abs(free.astype(int) - fixed).mean() < 0.05
    spot = np.array(red_spot(fixed))
    assert np.abs(np.array(red_spot(free)) - spot).max() < 0.2
    for camera in (
        FreeCamera(tuple(at.tolist()), distance, azimuth + 40, elevation),
        FreeCamera(tuple(at.tolist()), distance, azimuth, elevation + 40),
        FreeCamera((0.0, 0.0, 1.0), distance, azimuth, elevation),
    ):
        assert np.abs(np.array(red_spot(scene.render(camera, *SIZE))) - spot).max() > 1


def test_a_wrong_field_of_a_free_camera_is_named() -> None:
    with pytest.raises(SpecError, match="did you mean 'lookat'"):
        FreeCamera(look_at=(0, 0, 0))  # type: ignore[call-arg]
