"""The spec's dataclasses as data: frozen, keyword-only, one normal form, equal, copied, pickled.

What they refuse is in ``bad_specs``; what holds for a range of values in ``test_spec_properties``.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjscene
from mjscene import spec as spec_package
from mjscene.spec import (
    WORLD,
    AttachKind,
    AttachmentSpec,
    AttachTarget,
    BodyController,
    CameraSpec,
    CtrlMode,
    CtrlModeSpec,
    FloorSpec,
    JointLimits,
    LightSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SkySpec,
    body,
    frame,
    site,
    world,
)

# One legal example of each dataclass, and a field with another legal value.
EXAMPLES: list[tuple[Any, dict[str, Any]]] = [
    (AttachTarget(AttachKind.BODY, name="hand"), {"name": "foot"}),
    (CtrlModeSpec("position", joints=["a", "b"], kp=[1, 2]), {"kd": 3.0}),
    (BodyController(linear=[1, 2], angular=[3, 4]), {"linear": (5.0, 6.0)}),
    (AttachmentSpec("tool.xml", attach_to=site("tip"), prefix="t/"), {"pos": (1.0, 2.0, 3.0)}),
    (RobotSpec("arm.xml", prefix="left/", home={"j": 0.5}), {"regroup": True}),
    (SceneObject("cube", shape="box", size=[1, 2, 3], mass=1), {"mass": 2.0}),
    (SiteSpec("mark", attach_to=body("hand"), size=0.1), {"group": 5}),
    (CameraSpec("eye", look_at=[1, 0, 0], pos=[0, 0, 1]), {"fovy": 60.0}),
    (FloorSpec(size=[1, 2]), {"height": -1.0}),
    (SkySpec(zenith=[0, 0, 1]), {"horizon": (1.0, 1.0, 1.0)}),
    (JointLimits(["elbow"], velocity=[2]), {"jerk": 100.0}),
    (LightSpec("sun", pos=[1, 2, 3]), {"castshadow": False}),
    (PhysicsOptions(timestep=0.001, flags={"gravity": False}), {"cone": "elliptic"}),
    (SceneSpec([RobotSpec("arm.xml")], floor=True, light=True), {"name": "other"}),
]
each = pytest.mark.parametrize(
    ("example", "change"), EXAMPLES, ids=[type(e).__name__ for e, _ in EXAMPLES]
)


def test_examples_are_all_dataclasses_of_the_package() -> None:
    public = [getattr(spec_package, n) for n in spec_package.__all__]
    classes = {c for c in public if isinstance(c, type) and dataclasses.is_dataclass(c)}
    assert classes == {type(e) for e, _ in EXAMPLES}


@each
def test_frozen(example: Any, change: dict[str, Any]) -> None:
    before = repr(example)
    for name, value in change.items():
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(example, name, value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        example.note = "new"
    assert repr(example) == before


@each
def test_keyword_only_but_for_the_first_field(example: Any, change: dict[str, Any]) -> None:
    kinds = [p.kind for p in inspect.signature(type(example)).parameters.values()]
    positional = [k for k in kinds if k is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert len(positional) <= 1
    assert kinds[0] in (*positional, inspect.Parameter.KEYWORD_ONLY)
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


@each
def test_equal_and_hashed_by_value(example: Any, change: dict[str, Any]) -> None:
    again = type(example)(**{f.name: getattr(example, f.name) for f in dataclasses.fields(example)})
    assert again == example
    assert again is not example
    assert hash(again) == hash(example)
    other = dataclasses.replace(example, **change)
    assert other != example
    assert {example: "a", other: "b"}[again] == "a"


@each
def test_replace_changes_that_field_alone(example: Any, change: dict[str, Any]) -> None:
    other = dataclasses.replace(example, **change)
    for f in dataclasses.fields(example):
        wanted = change.get(f.name, getattr(example, f.name))
        assert getattr(other, f.name) == wanted


@each
def test_replace_checks_the_new_value(example: Any, change: dict[str, Any]) -> None:
    with pytest.raises(mjscene.SpecError):
        dataclasses.replace(example, **dict.fromkeys(change, object()))


@each
def test_pickled_and_copied_ones_are_equal(example: Any, change: dict[str, Any]) -> None:
    assert pickle.loads(pickle.dumps(example)) == example
    assert copy.deepcopy(example) == example
    assert repr(copy.copy(example)) == repr(example)


@each
def test_every_field_is_described_in_the_docstring(example: Any, change: dict[str, Any]) -> None:
    doc = type(example).__doc__ or ""
    assert [f.name for f in dataclasses.fields(example) if f"{f.name}:" not in doc] == []


@each
def test_no_list_dict_or_array_is_kept(example: Any, change: dict[str, Any]) -> None:
    values = [getattr(example, f.name) for f in dataclasses.fields(example)]
    assert [v for v in values if isinstance(v, list | dict | set | np.ndarray)] == []


def test_changing_a_list_afterwards_changes_no_spec() -> None:
    pos, joints = [1.0, 2.0, 3.0], ["a"]
    robot = RobotSpec("arm.xml", pos=pos, modes=[CtrlModeSpec(joints=joints)])
    pos[0], joints[0] = 9.0, "b"
    assert robot.pos == (1.0, 2.0, 3.0)
    assert robot.modes[0].joints == ("a",)


class TestDefaults:
    def test_robot_stands_in_the_world_at_the_origin_with_torque(self) -> None:
        robot = RobotSpec("arm.xml")
        assert robot.attach_to == WORLD == world()
        assert robot.pos == (0, 0, 0)
        assert robot.quat == (0, 0, 0, 1)
        assert [m.mode for m in robot.modes] == [CtrlMode.TORQUE]
        assert robot.attachments == robot.contact_exclusions == ()
        assert robot.home is robot.initial_mode is robot.controller is robot.watchdog is None
        assert (robot.regroup, robot.drop_world, robot.prefix) == (False, False, "")

    def test_attachment_is_where_it_is_attached_and_has_no_modes_of_its_own(self) -> None:
        tool = AttachmentSpec("tool.xml", attach_to=site("tip"))
        assert tool.modes == tool.contact_exclusions == ()
        assert (tool.pos, tool.quat) == ((0, 0, 0), (0, 0, 0, 1))
        assert tool.home is tool.initial_mode is tool.name is None
        assert (tool.regroup, tool.drop_world, tool.prefix) == (False, False, "")

    def test_mode_is_torque_for_all_joints(self) -> None:
        mode = CtrlModeSpec()
        assert (mode.mode, mode.joints) == (CtrlMode.TORQUE, ())
        assert {mode.kp, mode.kd, mode.ki, mode.kv, mode.force_limit} == {None}

    def test_object_is_free_and_leaves_matter_to_mujoco(self) -> None:
        thing = SceneObject("cube", shape="box", size=(1, 1, 1))
        assert (thing.fixed, thing.mocap, thing.attach_to) == (False, False, WORLD)
        left_open = (thing.mass, thing.density, thing.rgba, thing.friction, thing.condim)
        assert left_open == (None,) * 5

    def test_options_leave_everything_open(self) -> None:
        options = PhysicsOptions()
        values = {f.name: getattr(options, f.name) for f in dataclasses.fields(options)}
        assert values.pop("flags") == ()
        assert set(values.values()) == {None}

    def test_scene_is_empty_with_options_of_the_files(self) -> None:
        scene = SceneSpec()
        assert scene.robots == scene.objects == scene.sites == scene.cameras == scene.light == ()
        assert scene.options == PhysicsOptions()
        assert scene.floor is scene.sky is None

    def test_modes_are_the_places_in_a_slot_of_groups(self) -> None:
        # DESIGN 5: POSITION 0, TORQUE 1, VELOCITY 2.
        assert {m.name: m.value for m in CtrlMode} == {"POSITION": 0, "TORQUE": 1, "VELOCITY": 2}


@pytest.mark.parametrize(
    ("target", "kind", "name", "shown"),
    [
        (world(), AttachKind.WORLD, "", "world"),
        (body("x"), AttachKind.BODY, "x", "body 'x'"),
        (site("x"), AttachKind.SITE, "x", "site 'x'"),
        (frame("x"), AttachKind.FRAME, "x", "frame 'x'"),
    ],
)
def test_short_forms_are_attach_targets(
    target: AttachTarget, kind: AttachKind, name: str, shown: str
) -> None:
    assert (target.kind, target.name, str(target)) == (kind, name, shown)
    assert target == AttachTarget(kind.value, name=name) == AttachTarget(kind, name=name)


def test_names_of_the_package_all_resolve() -> None:
    assert [n for n in spec_package.__all__ if not hasattr(spec_package, n)] == []
    assert sorted(spec_package.__all__) == sorted(set(spec_package.__all__))


def spec_files() -> list[Path]:
    """The spec's modules, and what they import of the package itself."""
    folder = Path(typing.cast(str, spec_package.__file__)).parent
    return [*sorted(folder.glob("*.py")), folder.parent / "errors.py"]


def test_spec_files_import_nothing_but_the_standard_library_and_themselves() -> None:
    files = spec_files()
    assert len(files) >= 8
    allowed = set(sys.stdlib_module_names)
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            for module in modules:
                own = module.startswith(("mjscene.spec", "mjscene.errors"))
                assert own or module.split(".")[0] in allowed, f"{file.name} imports {module}"


def test_spec_runs_where_mujoco_cannot_be_imported() -> None:
    # The package itself imports MuJoCo; the spec is loaded from its folder without it.
    code = f"""
import importlib.util, sys, types
for name in ("mujoco", "numpy", "lxml"):
    sys.modules[name] = None
package = types.ModuleType("mjscene")
package.__path__ = [{str(spec_files()[-1].parent)!r}]
sys.modules["mjscene"] = package
from mjscene.spec import RobotSpec, SceneSpec
print(SceneSpec([RobotSpec("arm.xml", prefix="left/")]).robots[0].label)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "left", done.stderr
