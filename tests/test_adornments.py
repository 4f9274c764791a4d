"""Floor, sky, lights, sites and cameras that a scene adds."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, OBJ, build, ids, matrix, refusal, world_matrix

from mjscene import (
    CameraSpec,
    FloorSpec,
    LightSpec,
    RobotSpec,
    SceneObject,
    SiteSpec,
    SkySpec,
    body,
    frame,
    site,
)

TURN = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
BALL = SceneObject("ball", shape="sphere", size=[0.1], pos=(0.3, 0.2, 1), mass=1)
FRAMED = ARM.replace(
    '<site name="tip"', '<frame name="f" pos="0 .1 0" euler="10 20 30"/><site name="tip"'
)


# Floor


@pytest.mark.parametrize("height", [0.0, -0.4, 0.25])
def test_things_rest_on_the_floor_at_its_height(height: float) -> None:
    scene = build(objects=[BALL], floor=FloorSpec(height=height))
    scene.step(1500)
    resting = scene.data.joint("ball_joint0").qpos[2] - height
    # Soft contact: the static penetration of one kilogram is below a millimetre.
    assert 0.099 < resting <= 0.1


def test_a_floor_of_a_size_is_drawn_with_it_and_collides_without_end() -> None:
    ball = SceneObject("ball", shape="sphere", size=[0.1], pos=(50, 50, 0.09))
    scene = build(objects=[ball], floor=FloorSpec(size=(2, 3), friction=(0.4, 0.02)))
    floor = scene.model.geom("floor")
    np.testing.assert_array_equal(floor.size[:2], (2, 3))
    np.testing.assert_array_equal(floor.friction, (0.4, 0.02, 0.0001))
    assert scene.data.ncon == 1


def test_the_floor_has_the_colours_it_is_given() -> None:
    scene = build(floor=FloorSpec(rgb1=(1, 0, 0), rgb2=(0, 0, 1)))
    model = scene.model
    (texture,) = ids(model, OBJ.mjOBJ_TEXTURE, "floor")
    start = model.tex_adr[texture]
    size = model.tex_height[texture] * model.tex_width[texture] * model.tex_nchannel[texture]
    pixels = model.tex_data[start : start + size].reshape(-1, model.tex_nchannel[texture])
    assert {tuple(p) for p in np.unique(pixels, axis=0)} == {(255, 0, 0), (0, 0, 255)}
    (material,) = ids(model, OBJ.mjOBJ_MATERIAL, "floor")
    assert model.geom("floor").matid[0] == material
    assert texture in model.mat_texid[material]


@pytest.mark.parametrize(("given", "count"), [(None, 0), (False, 0), (True, 1), (FloorSpec(), 1)])
def test_a_floor_is_there_when_it_is_asked_for(given: Any, count: int) -> None:
    assert build(RobotSpec(ARM), floor=given).model.ngeom == 1 + count


def test_a_robot_that_has_something_called_floor_is_refused_without_a_prefix() -> None:
    robot = ARM.replace('"g"', '"floor"')
    error = refusal(RobotSpec(robot), floor=True)
    assert "'floor' is used twice" in str(error)
    assert build(RobotSpec(robot, prefix="a/"), floor=True).model.ngeom == 2


# Sky and light


def test_the_sky_goes_from_its_horizon_to_its_zenith() -> None:
    model = build(sky=SkySpec(zenith=(0, 0, 1), horizon=(1, 0, 0))).model
    (texture,) = ids(model, OBJ.mjOBJ_TEXTURE, "sky")
    assert model.tex_type[texture] == mujoco.mjtTexture.mjTEXTURE_SKYBOX
    start, width = model.tex_adr[texture], model.tex_width[texture]
    channels = model.tex_nchannel[texture]
    faces = model.tex_data[start : start + 6 * width * width * channels].reshape(6, -1, channels)
    # MuJoCo's cube faces: right, left, up, down, front, back.
    assert faces[2].mean(axis=0)[2] > 200 > 60 > faces[2].mean(axis=0)[0]
    assert faces[3].mean(axis=0)[0] > 200 > 60 > faces[3].mean(axis=0)[2]


def test_lights_shine_as_they_are_told() -> None:
    lamp = LightSpec(
        "lamp",
        pos=(1, 2, 3),
        direction=(0, 3, -4),
        directional=False,
        diffuse=(0.1, 0.2, 0.3),
        castshadow=False,
    )
    scene = build(RobotSpec(ARM), light=[LightSpec("sun"), lamp])
    found, kind = scene.model.light("lamp"), mujoco.mjtLightType
    np.testing.assert_allclose(scene.data.light("lamp").xdir, (0, 0.6, -0.8), atol=1e-15)
    np.testing.assert_array_equal(scene.data.light("lamp").xpos, (1, 2, 3))
    np.testing.assert_array_equal(found.diffuse, np.float32([0.1, 0.2, 0.3]))
    assert (found.type[0], found.castshadow[0]) == (kind.mjLIGHT_SPOT, 0)
    sun = scene.model.light("sun")
    assert (sun.type[0], sun.castshadow[0]) == (kind.mjLIGHT_DIRECTIONAL, 1)
    assert build(light=True).model.nlight == 1


# Sites


@pytest.mark.parametrize(
    ("target", "kind"),
    [(None, "body"), (body("a/link"), "body"), (site("a/tip"), "site"), (body("ball"), "body")],
)
def test_a_site_is_at_its_pose_in_what_it_is_attached_to(target: Any, kind: str) -> None:
    where = {} if target is None else {"attach_to": target}
    spot = SiteSpec("spot", pos=(0.1, 0.2, 0.3), quat=TURN, size=0.02, group=3, **where)
    scene = build(RobotSpec(ARM, prefix="a/", pos=(1, 0, 0)), objects=[BALL], sites=[spot])
    scene.data.joint("a/j").qpos[:] = 0.8
    scene.forward()
    name = "world" if target is None else target.name
    expected = world_matrix(scene, kind, name) @ matrix((0.1, 0.2, 0.3), TURN)
    np.testing.assert_allclose(world_matrix(scene, "site", "spot"), expected, atol=1e-15)
    assert scene.model.site("spot").group[0] == 3
    assert scene.model.site("spot").size[0] == 0.02


def test_a_site_can_be_on_a_frame_and_a_sensor_of_a_robot_is_not_touched() -> None:
    scene = build(RobotSpec(FRAMED, prefix="a/"), sites=[SiteSpec("s", attach_to=frame("a/f"))])
    np.testing.assert_allclose(scene.data.site("s").xpos, (0, 0.1, 0), atol=1e-15)
    assert scene.model.nsite == 2


# Cameras


def projected(scene: Any, camera: str, point: Any) -> tuple[float, float, float]:
    """A world point in a camera's image: x and y in half image heights at the fovy, and depth."""
    eye = world_matrix(scene, "camera", camera)
    x, y, z = np.linalg.inv(eye)[:3] @ (*point, 1)
    half = np.tan(np.radians(scene.model.camera(camera).fovy[0]) / 2)
    return float(x / (-z * half)), float(y / (-z * half)), float(-z)


VIEWS = [
    ((2, 0, 1), (0, 0, 0)),
    ((-1, 3, 0.5), (0.2, -0.4, 2)),
    ((0, 0, 3), (0, 0, 0)),  # straight down
    ((0, 0, -3), (0, 0, 1)),  # straight up
    ((1, 1, 1), (1, 1 + 1e-6, 5)),
]


@pytest.mark.parametrize(("pos", "target"), VIEWS)
@pytest.mark.parametrize("place", [None, body("a/link"), site("a/tip")])
def test_a_camera_sees_what_it_looks_at_in_the_middle_and_upright(
    pos: Any, target: Any, place: Any
) -> None:
    where = {} if place is None else {"attach_to": place}
    scene = build(
        RobotSpec(ARM, prefix="a/", pos=(0.5, 0.1, 0.2), quat=TURN),
        cameras=[CameraSpec("eye", pos=pos, look_at=target, fovy=60, **where)],
    )
    scene.data.joint("a/j").qpos[:] = 0.7
    scene.forward()
    base = np.eye(4) if place is None else world_matrix(scene, place.kind.value, place.name)
    in_world = base @ (*target, 1)
    x, y, depth = projected(scene, "eye", in_world[:3])
    assert (x, y) == pytest.approx((0, 0), abs=1e-12)
    assert depth == pytest.approx(np.linalg.norm(np.subtract(target, pos)), rel=1e-12)
    above = base @ (*np.add(target, (0, 0, 0.1)), 1)
    right = projected(scene, "eye", above[:3])
    if abs(pos[0] - target[0]) + abs(pos[1] - target[1]) > 1e-3:
        assert right[0] == pytest.approx(0, abs=1e-9)
        assert right[1] > 0  # the frame's z is up in the image
    eye = world_matrix(scene, "camera", "eye")[:3, :3]
    np.testing.assert_allclose(eye.T @ eye, np.eye(3), atol=1e-12)
    assert np.linalg.det(eye) == pytest.approx(1)


def test_a_camera_by_quaternion_looks_along_its_minus_z() -> None:
    quat = (0.5, 0.5, 0.5, 0.5)  # x to y, y to z, z to x: it looks along -x with z up
    scene = build(cameras=[CameraSpec("eye", pos=(3, 0, 1), quat=quat, fovy=90)])
    assert projected(scene, "eye", (0, 0, 1)) == pytest.approx((0, 0, 3), abs=1e-12)
    assert projected(scene, "eye", (0, 3, 1)) == pytest.approx((1, 0, 3), abs=1e-12)
    assert projected(scene, "eye", (0, 0, 4)) == pytest.approx((0, 1, 3), abs=1e-12)


def test_a_camera_has_its_field_of_view_and_resolution_and_follows_its_body() -> None:
    eye = CameraSpec(
        "eye", attach_to=body("a/link"), pos=(0, 0, 0.2), fovy=37, resolution=(320, 200)
    )
    scene = build(RobotSpec(ARM, prefix="a/"), cameras=[eye])
    camera = scene.model.camera("eye")
    assert camera.fovy[0] == 37
    assert scene.model.cam_resolution[camera.id].tolist() == [320, 200]
    for q in (0.0, 1.1):
        scene.data.joint("a/j").qpos[:] = q
        scene.forward()
        expected = world_matrix(scene, "body", "a/link") @ matrix((0, 0, 0.2))
        np.testing.assert_allclose(world_matrix(scene, "camera", "eye"), expected, atol=1e-15)


@pytest.mark.parametrize("field", ["sites", "cameras"])
def test_a_wrong_target_names_the_field_and_near_ones(field: str) -> None:
    made = {"sites": SiteSpec, "cameras": CameraSpec}[field]
    error = refusal(RobotSpec(ARM, prefix="a/"), **{field: [made("new", attach_to=site("a/tap"))]})
    assert error.where == f"{field}[0].attach_to"
    assert error.close == ("a/tip",)
