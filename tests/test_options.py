"""Options of a scene: MuJoCo's own merge is the oracle, and the report says who set what."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, alone, build, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from mjscene import ComposeError, PhysicsOptions, RobotSpec, SceneObject, SceneSpec
from mjscene.compose import compose
from mjscene.messages import Captured
from mjscene.options import FIELDS
from mjscene.spec.physics import FLAGS, WORDS

# Values that a file may write, MuJoCo's default among them.
VALUES = {
    "timestep": ("0.002", "0.001", "0.004"),
    "impratio": ("1", "10"),
    "tolerance": ("1e-8", "1e-10", "1e-6"),
    "ls_tolerance": ("0.01", "0.001", "0.1"),
    "noslip_tolerance": ("1e-6", "1e-7", "1e-5"),
    "ccd_tolerance": ("1e-6", "1e-7", "1e-5"),
    "sleep_tolerance": ("0.001", "0.01"),
    "gravity": ("0 0 -9.81", "0 0 0"),
    "wind": ("0 0 0", "1 2 3"),
    "magnetic": ("0 -0.5 0", "0 0 1"),
    "density": ("0", "1.2"),
    "viscosity": ("0", "1e-5"),
    "o_margin": ("0", "0.01"),
    "o_solref": ("0.02 1", "0.01 1"),
    "o_solimp": ("0.9 0.95 0.001 0.5 2", "0.8 0.9 0.001 0.5 2"),
    "o_friction": ("1 1 0.005 0.0001 0.0001", "2 2 0.005 0.0001 0.0001"),
    "integrator": ("Euler", "implicitfast", "RK4"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("auto", "dense"),
    "solver": ("Newton", "CG"),
    "iterations": ("100", "50", "200"),
    "ls_iterations": ("50", "20", "90"),
    "noslip_iterations": ("0", "5"),
    "ccd_iterations": ("35", "20", "60"),
    "sdf_initpoints": ("40", "20", "60"),
    "sdf_iterations": ("10", "5", "20"),
}
OPTIONS = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in VALUES.items()})
SETTINGS = settings(max_examples=60, deadline=None)


def optioned(values: dict[str, str], flags: dict[str, str] | None = None, extra: str = "") -> str:
    """ARM with options in its file."""
    written = " ".join(f'{k}="{v}"' for k, v in values.items())
    raised = " ".join(f'{k}="{v}"' for k, v in (flags or {}).items())
    option = f"<option {written}><flag {raised}/></option>{extra}"
    return ARM.replace("<worldbody>", f"{option}<worldbody>", 1)


def attached_by_mujoco(*files: str) -> Any:
    """The MjSpec that MuJoCo's own merge gives."""
    parent = mujoco.MjSpec()
    parent.compiler.conflict = mujoco.mjtConflict.mjCONFLICT_MERGE
    with Captured():
        for i, file in enumerate(files):
            child = mujoco.MjSpec.from_string(file)
            parent.attach(child, prefix=f"{i}/", frame=parent.worldbody.add_frame())
    return parent


def merged_by_mujoco(*files: str) -> Any:
    """The model that MuJoCo's own merge gives, or None if it refuses."""
    with Captured():
        try:
            return attached_by_mujoco(*files).compile()
        except ValueError:
            return None


def assert_same_options(found: Any, expected: Any) -> None:
    """Two models have the same ``opt``, but for actuator groups, which belong to the modes."""
    for name, rule in FIELDS:
        if rule == "groups":
            continue
        np.testing.assert_array_equal(
            getattr(found.opt, name), getattr(expected.opt, name), err_msg=name
        )


def assert_report_says_the_options(scene: Any) -> None:
    """Each row of the report has the value that the model has."""
    physics = {name for name, rule in FIELDS if rule in ("min", "max", "error")}
    for row in scene.report.options:
        if row.name in physics:
            value = getattr(scene.model.opt, row.name)
            value = WORDS[row.name][value] if row.name in WORDS else value
            np.testing.assert_array_equal(row.value, value, err_msg=row.name)


def test_the_table_of_fields_is_in_the_order_of_mujocos_bits() -> None:
    assert [n for n, _ in FIELDS if n not in VALUES] == [
        *("disableflags", "enableflags", "disableactuator"),
    ]
    for bit, (name, _) in enumerate(FIELDS):
        if name in VALUES:
            for value in VALUES[name]:
                spec = mujoco.MjSpec.from_string(optioned({name: value}))
                assert spec.authored.option == 1 << bit, name


@given(OPTIONS)
@SETTINGS
def test_one_robots_options_are_those_of_its_file(values: dict[str, str]) -> None:
    scene = build(RobotSpec(optioned(values), prefix="a/"))
    assert_same_options(scene.model, alone(optioned(values)))
    assert {row.name for row in scene.report.options} == set(values)
    assert all(row.origin == "a" for row in scene.report.options)
    assert_report_says_the_options(scene)


@given(OPTIONS, OPTIONS)
@SETTINGS
def test_two_robots_are_merged_or_refused_as_mujoco_does(
    one: dict[str, str], other: dict[str, str]
) -> None:
    files = (optioned(one), optioned(other))
    expected = merged_by_mujoco(*files)
    robots = [RobotSpec(f, prefix=p) for f, p in zip(files, ("a/", "b/"), strict=True)]
    if expected is None:
        error = refusal(*robots)
        assert isinstance(error, ComposeError)
        name = str(error.element)
        assert dict(FIELDS)[name] == "error"
        assert one[name] != other[name]
        return
    scene = build(*robots)
    assert_same_options(scene.model, expected)
    rows = {row.name: row for row in scene.report.options}
    assert set(rows) == {*one, *other}
    assert_report_says_the_options(scene)


@pytest.mark.parametrize("name", list(VALUES))
def test_every_rule_of_mujocos_table(name: str) -> None:
    rule = dict(FIELDS)[name]
    low, high = sorted(
        VALUES[name][:2], key=lambda v: [*map(float, v.split())] if v[0] in "0123456789" else v
    )
    robots = [RobotSpec(optioned({name: v}), prefix=p) for v, p in ((low, "a/"), (high, "b/"))]
    if rule == "error":
        error = refusal(*robots)
        assert (error.where, error.element) == (f"options.{name}", name)
        assert "a (arm)" in str(error)
        assert "b (arm)" in str(error)
        assert f"PhysicsOptions({name}=" in (error.hint or "")
    else:
        scene = build(*robots)
        chosen = low if rule == "min" else high
        assert getattr(scene.model.opt, name) == float(chosen)
        (row,) = scene.report.options
        assert row.origin == ("a" if chosen == low else "b")
        assert "has" in row.note


@given(OPTIONS, OPTIONS, st.sampled_from(sorted(VALUES)))
@SETTINGS
def test_what_the_spec_sets_wins_and_is_reported(
    one: dict[str, str], other: dict[str, str], extra: str
) -> None:
    conflicts = {n for n in one.keys() & other.keys() if one[n] != other[n]} | {extra}
    chosen = {n: VALUES[n][-1] for n in conflicts}
    wanted: dict[str, Any] = {}
    for name, text in chosen.items():
        numbers = text.split()
        if name in WORDS:
            wanted[name] = text
        elif len(numbers) > 1:
            wanted[name] = tuple(map(float, numbers))
        else:
            wanted[name] = int(text) if "iter" in name or "points" in name else float(text)
    scene = build(
        RobotSpec(optioned(one), prefix="a/"),
        RobotSpec(optioned(other), prefix="b/"),
        options=PhysicsOptions(**wanted),
    )
    assert_same_options(scene.model, alone(optioned({**one, **other, **chosen})))
    rows = {row.name: row for row in scene.report.options}
    assert all(rows[n].origin == "spec" for n in chosen)
    assert_report_says_the_options(scene)


# Flags

DISCRETE = {"integrator": "discrete"}  # which the flag ipc asks for


def flag_rows(scene: Any) -> list[Any]:
    """The report's rows of flags."""
    return [row for row in scene.report.options if row.name.startswith("flag ")]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("word", ["enable", "disable"])
def test_a_flag_of_a_file_is_a_flag_of_the_scene(flag: str, word: str) -> None:
    file = optioned(DISCRETE, {flag: word})
    scene = build(RobotSpec(file, prefix="a/"), RobotSpec(ARM, prefix="b/"))
    assert_same_options(scene.model, alone(file))
    (row,) = flag_rows(scene)
    assert (row.name, row.value, row.origin) == (f"flag {flag}", word, "a")


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("word", [True, False])
def test_a_flag_of_the_spec_wins_over_both_words_of_files(flag: str, *, word: bool) -> None:
    expected = alone(optioned(DISCRETE, {flag: "enable" if word else "disable"}))
    scene = build(
        RobotSpec(optioned(DISCRETE, {flag: "enable"}), prefix="a/"),
        RobotSpec(optioned(DISCRETE, {flag: "disable"}), prefix="b/"),
        options=PhysicsOptions(flags={flag: word}),
    )
    assert_same_options(scene.model, expected)
    (row,) = flag_rows(scene)
    assert (row.value, row.origin) == ("enable" if word else "disable", "spec")


FLAG_WORDS = st.dictionaries(st.sampled_from(FLAGS), st.sampled_from(["enable", "disable"]))


@given(FLAG_WORDS, FLAG_WORDS)
@SETTINGS
def test_flags_of_two_robots_are_the_union_as_mujoco_has_it(
    one: dict[str, str], other: dict[str, str]
) -> None:
    files = (optioned({}, one), optioned({}, other))
    robots = [RobotSpec(f, prefix=p) for f, p in zip(files, ("a/", "b/"), strict=True)]
    # Composed only: the engine refuses some flags together.
    scene = compose(SceneSpec(robots))
    expected = attached_by_mujoco(*files).option
    assert scene.mjspec.option.disableflags == expected.disableflags
    assert scene.mjspec.option.enableflags == expected.enableflags
    assert {row.name for row in scene.options} == {f"flag {f}" for f in {*one, *other}}


def test_flags_that_the_engine_refuses_together_are_an_error_of_ours() -> None:
    file = optioned(DISCRETE, {"sleep": "enable", "island": "disable"})
    assert isinstance(refusal(RobotSpec(file, prefix="a/")), ComposeError)


# Others


def test_an_object_and_the_callers_spec_author_options_too() -> None:
    spec = mujoco.MjSpec.from_string(ARM)
    spec.option.timestep = 0.001
    crate = optioned({"cone": "elliptic"}).split("<actuator>")[0] + "</mujoco>"
    scene = build(
        RobotSpec(spec, prefix="a/"),
        objects=[SceneObject("crate", path=crate, fixed=True, pos=(5, 0, 0))],
    )
    assert scene.model.opt.timestep == 0.001
    assert scene.model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert {r.name: r.origin for r in scene.report.options} == {"timestep": "a", "cone": "crate"}
    assert spec.option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL


def test_a_source_that_several_robots_use_is_one_author_and_says_all_of_them() -> None:
    file = optioned({"timestep": "0.001"})
    scene = build(*(RobotSpec(file, prefix=f"{i}/") for i in range(3)))
    assert [row.origin for row in scene.report.options] == ["0, 1, 2"]
