"""How force/torque sensors are found and called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mjscene import RobotSpec, SceneSpec, UnknownNameError, build_scene, load_scene
from mjscene.ft_sensors import FtSensors


@pytest.fixture(scope="module")
def sensors() -> FtSensors:
    return build_scene(load_scene("ft_chain")).robots["arm"].ft_sensors


def test_attachments_sensors_are_reached_both_ways() -> None:
    scene = build_scene(load_scene("ft_chain"))
    arm = scene.robots["arm"]
    assert list(arm.ft_sensors) == ["ft/ft_site"]
    sensor, same = arm.ft_sensors["ft/ft_site"], arm.attachments["ft"].ft_sensors["ft_site"]
    assert sensor == same
    assert len({sensor, same}) == 1
    assert sensor.site == same.site == "arm/ft/ft_site"
    assert (sensor.name, same.name) == ("ft/ft_site", "ft_site")
    sensor.tare()
    assert not same.wrench.any()
    assert dict(arm.attachments["gripper"].ft_sensors) == {}
    assert len(arm.ft_sensors) == 1
    assert "ft/ft_site" in repr(arm.ft_sensors)
    assert "'ft/ft_site'" in repr(sensor)
    assert "none" in repr(arm.attachments["gripper"].ft_sensors)


def test_robots_have_their_own_sensors_in_the_order_of_the_model() -> None:
    two = """<mujoco model="m"><worldbody><body name="b"><geom size=".1"/><site name="y"/>
     <site name="x"/><site name="lone_f"/><site name="lone_t"/><site name="z"/></body></worldbody>
     <sensor><torque name="tx" site="x"/><force site="y"/><force name="fx" site="x"/>
     <torque name="ty" site="y"/><force name="lone" site="lone_f"/>
     <torque name="lone_tq" site="lone_t"/><force name="fx2" site="x" cutoff="1e-3"/></sensor>
     </mujoco>"""
    scene = build_scene(SceneSpec([RobotSpec(two, name="a"), RobotSpec(two, prefix="b/")]))
    for name, prefix in (("a", ""), ("b", "b/")):
        sensors = scene.robots[name].ft_sensors
        assert list(sensors) == ["y", "x"]
        assert [s.site for s in sensors.values()] == [f"{prefix}y", f"{prefix}x"]
        # The first force at x counts, not the one with a cutoff.
        force = scene.data.sensor(f"{prefix}fx").data
        np.testing.assert_array_equal(sensors["x"].force, -force)
        assert np.abs(force).max() > 1
    for lone, tag in (("lone", "<force>"), ("lone_t", "<torque>"), ("lone_tq", "<torque>")):
        with pytest.raises(UnknownNameError, match=rf"'b/lone_[ft]' has a {tag} alone"):
            scene.robots["b"].ft_sensors[lone]


@pytest.mark.parametrize(
    ("name", "close", "hint"),
    [
        ("ft/ft_sit", ("ft/ft_site",), None),
        ("ft_site", ("ft/ft_site",), None),
        ("arm/ft/ft_site", ("ft/ft_site",), None),
        ("ft/force", (), "a sensor is called by its site: ft_sensors['ft/ft_site']"),
        ("ft/torque", (), "a sensor is called by its site: ft_sensors['ft/ft_site']"),
        ("nothing like it", (), None),
        (3, (), None),
    ],
)
def test_a_wrong_name_gets_the_closest(
    sensors: FtSensors, name: Any, close: tuple[str, ...], hint: Any
) -> None:
    with pytest.raises(
        UnknownNameError, match=r"robot 'arm' .* has no force/torque sensor"
    ) as caught:
        sensors[name]
    assert caught.value.close == close
    assert caught.value.hint == hint
    assert caught.value.given == name
    assert caught.value.allowed == ("ft/ft_site",)
    assert name not in sensors
