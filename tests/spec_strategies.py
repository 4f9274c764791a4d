"""Hypothesis strategies: scene specs of every kind, with values that files get wrong."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st

from mjscene import (
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
)
from mjscene.spec.physics import COUNTS, FLAGS, VECTORS, WORDS

__all__ = ["names", "scenes", "sources", "xml_texts"]

# Words that one version of YAML or the other takes for something else than text.
TRAPS = (
    "yes no on off y n null ~ true False 1 010 0o17 0x1F 1_000 1e-3 1e3 .5 .inf .nan 1:30"
    " 2026-11-30 12:30:45 = << - -- --- ..."
    " ? : a: :a #a a#b &a *a !a |a >a %a @a `a [a] {a} 'a' \"a\" a,b"
    " a\\b it's 左 é 😀 world ~/a $HOME ${HOME}"
).split()
TRAPS += ["a b", "a: b", "a #b", "- a", "? a", "a, b", "a  b"]
PIECES = ["<a/>", "  ", "\t", "\n", "\n\n", " \n", "#", ": ", "- ", "'", '"', "é"]
BREAKS = ["\r\n", "\r", "\x85", "\u2028", "\x7f"]  # no block scalar holds these

names = st.one_of(
    st.sampled_from(TRAPS),
    st.text("abcdefgh_", min_size=1, max_size=6),
    st.text(min_size=1, max_size=8).filter(lambda s: s.isprintable() and s == s.strip()),
)
finite = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([-0.0, 1e-5, 1e16, 5e-324])
)
positive = st.floats(1e-300, 1e300)
unit = st.floats(0, 1)
xml_texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.lists(st.sampled_from(PIECES + BREAKS), max_size=4),
).map(lambda parts: "\n<mujoco>" + "".join(parts) + "</mujoco>\n")
sources = st.one_of(
    st.sampled_from(
        ["mjscene:panda", "menagerie:franka_fr3/hand", "a.xml", "../b c/a.urdf", "/x/y.mjz"]
    ),
    names,
    xml_texts,
    xml_texts.map(str.strip),
)
quats = st.sampled_from(
    [(0, 0, 0, 1), (0, 0, 0, -1), (-0.0, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), (0.6, 0, 0, 0.8)]
)
homes = st.one_of(
    st.none(), names, st.lists(finite, max_size=4), st.dictionaries(names, finite, max_size=3)
)
controllers = st.builds(
    BodyController, linear=st.tuples(positive, positive), angular=st.tuples(positive, unit)
)
places = st.builds(
    AttachTarget,
    st.sampled_from([AttachKind.BODY, AttachKind.SITE, AttachKind.FRAME]),
    name=names,
)


def vectors(size: int, item: st.SearchStrategy[float] = finite) -> st.SearchStrategy[Any]:
    return st.lists(item, min_size=size, max_size=size)


def some(cls: type[Any], required: dict[str, Any], optional: dict[str, Any]) -> Any:
    """Instances with a random choice of optional fields."""
    fields = st.fixed_dictionaries(required, optional=optional)
    return fields.map(lambda values: cls(**values))


@st.composite
def modes(draw: Any) -> CtrlModeSpec:
    mode = draw(st.sampled_from(CtrlMode))
    joints = draw(st.lists(names, max_size=2, unique=True))
    gain = st.one_of(positive, vectors(len(joints), positive)) if joints else positive
    gains = {
        CtrlMode.TORQUE: (),
        CtrlMode.POSITION: ("kp", "kd", "ki"),
        CtrlMode.VELOCITY: ("kv",),
    }[mode]
    values = {name: draw(gain) for name in gains if name in ("kp", "kv") or draw(st.booleans())}
    if draw(st.booleans()):
        values["force_limit"] = draw(gain)
    return CtrlModeSpec(mode, joints=joints, **values)


@st.composite
def limits(draw: Any) -> JointLimits:
    joints = draw(st.lists(names, max_size=2, unique=True))
    number = st.one_of(positive, st.just(math.inf))
    value = st.one_of(number, vectors(len(joints), number)) if joints else number
    kinds = ("velocity", "acceleration", "jerk", "contact_threshold", "collision_threshold")
    values = {kind: draw(value) for kind in kinds if draw(st.booleans())}
    signal = draw(st.sampled_from([None, "effort", "external_effort"]))
    return JointLimits(joints, signal=signal, **values)


common = {
    "limits": st.lists(limits(), max_size=2),
    "pos": vectors(3),
    "quat": quats,
    "modes": st.lists(modes(), max_size=2),
    "home": homes,
    "contact_exclusions": st.lists(
        st.lists(names, min_size=2, max_size=2, unique=True), max_size=2
    ),
    "regroup": st.booleans(),
    "drop_world": st.booleans(),
    "initial_mode": st.one_of(st.none(), st.sampled_from(CtrlMode)),
}


@st.composite
def robots(draw: Any, index: int) -> RobotSpec:
    attachments = [
        draw(
            some(
                AttachmentSpec,
                {"path": sources, "attach_to": places, "prefix": st.just(f"/{index}/{k}/")}
                | {"name": st.just(f"a{k}")},
                common,
            )
        )
        for k in range(draw(st.integers(0, 2)))
    ]
    target = st.just(AttachTarget(AttachKind.WORLD))
    if index:
        target |= st.builds(AttachTarget, st.just(AttachKind.SITE), name=st.just("p0/top"))
    required = {
        "path": sources,
        "prefix": st.just(f"p{index}/"),
        "name": names.map(lambda n: f"{n}-{index}"),
        "attachments": st.just(attachments),
        "attach_to": target,
    }
    more = {
        "controller": st.one_of(st.none(), controllers),
        "watchdog": positive,
        "reflex": st.booleans(),
    }
    robot: RobotSpec = draw(some(RobotSpec, required, common | more))
    return robot


@st.composite
def objects(draw: Any, index: int) -> SceneObject:
    name = f"{draw(names)}+{index}"
    size, values = draw(st.sampled_from([("box", 3), ("sphere", 1), ("capsule", 2), ("mesh", 1)]))
    required = {"name": st.just(name), "shape": st.just(size), "size": vectors(values, positive)}
    if size == "mesh":
        required["path"] = sources
    optional = {
        "pos": vectors(3),
        "quat": quats,
        "mass": positive,
        "rgba": vectors(4, unit),
        "fixed": st.just(True),
        "friction": st.one_of(unit, vectors(2, unit)),
        "condim": st.sampled_from([1, 3, 4, 6]),
        "watchdog": positive,
    }
    thing: SceneObject = draw(some(SceneObject, required, optional))
    return thing


options = some(
    PhysicsOptions,
    {},
    {name: st.sampled_from(words) for name, words in WORDS.items()}
    | {name: vectors(size) for name, size in VECTORS.items()}
    | {name: st.integers(0, 2**31 - 1) for name in COUNTS}
    | {"timestep": positive, "density": positive, "o_margin": positive}
    | {"flags": st.dictionaries(st.sampled_from(FLAGS), st.booleans(), max_size=4)},
)
cameras = some(
    CameraSpec,
    {"name": names, "attach_to": places},
    {"pos": vectors(3), "quat": quats, "fovy": st.floats(1, 179)}
    | {"resolution": st.tuples(st.integers(1, 4096), st.integers(1, 4096))},
)
sites = some(SiteSpec, {"name": names}, {"attach_to": places, "pos": vectors(3), "size": positive})
lights = some(LightSpec, {}, {"name": names, "pos": vectors(3), "castshadow": st.booleans()})
floors = some(FloorSpec, {}, {"height": finite, "rgb1": vectors(3, unit)})
skies = some(SkySpec, {}, {"zenith": vectors(3, unit)})


def by_name(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=2, unique_by=lambda item: item.name)


@st.composite
def scenes(draw: Any) -> SceneSpec:
    """Scene specs with something of everything."""
    robot_count, object_count = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    return SceneSpec(
        [draw(robots(i)) for i in range(robot_count)],
        objects=[draw(objects(i)) for i in range(object_count)],
        sites=draw(by_name(sites)),
        cameras=draw(by_name(cameras)),
        options=draw(options),
        floor=draw(st.one_of(st.booleans(), floors)),
        sky=draw(st.one_of(st.booleans(), skies)),
        light=draw(st.one_of(st.booleans(), by_name(lights))),
        name=draw(names),
    )
