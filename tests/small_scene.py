"""A small scene that is drawn fast: a red ball that falls, one arm, no shadows."""

from __future__ import annotations

import pytest

from mjscene import (
    CameraSpec,
    PhysicsOptions,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    build_scene,
)
from mjscene.errors import RenderError

ARM = """\
<mujoco model="arm">
  <option timestep="0.002"/>
  <worldbody>
    <body name="link" pos="3 0 0">
      <joint name="hinge" axis="0 1 0"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
</mujoco>
"""
BALL = SceneObject("ball", shape="sphere", size=[0.2], pos=(0, 0, 1), mass=1, rgba=(1, 0, 0, 1))
SIZE = (64, 48)


def small_scene(*cameras: CameraSpec, timestep: float = 0.002) -> Scene:
    """The scene, with a camera ``side`` and more."""
    side = CameraSpec("side", pos=(0, -3, 1), look_at=(0, 0, 1), resolution=SIZE)
    options = PhysicsOptions(timestep=timestep)
    robots = [RobotSpec(ARM, prefix="arm/")]
    return build_scene(SceneSpec(robots, objects=[BALL], cameras=[side, *cameras], options=options))


def red_spot(picture) -> tuple[float, float]:
    """The middle of what is red in a picture: column and row [pixels]."""
    values = picture.astype(int)
    rows, columns = (values[..., 0] > values[..., 1] + values[..., 2] + 30).nonzero()
    assert len(rows), "nothing in the picture is red"
    return float(columns.mean()), float(rows.mean())


def can_render() -> bool:
    """Whether this machine can draw."""
    try:
        build_scene(SceneSpec()).render(width=8, height=8)
    except RenderError:
        return False
    return True


draws = pytest.mark.skipif(not can_render(), reason="no off-screen rendering here")
