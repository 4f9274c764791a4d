"""Rows of bad input that no model is needed for: the spec itself cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bad_cases import BLOCK, BadCase, arm

from mjscene import (
    WORLD,
    AttachmentSpec,
    AttachTarget,
    BodyController,
    CameraSpec,
    CtrlModeSpec,
    FloorSpec,
    LightSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SkySpec,
    SpecError,
    body,
    build_scene,
    site,
)

__all__ = ["BAD_SPECS"]


def row(id_: str, make: Callable[[], Any], *says: str) -> BadCase:
    """A row whose spec raises SpecError when it is made."""
    return BadCase(id_, lambda _: make(), SpecError, says)


def tool(prefix: str = "tool/", **fields: Any) -> AttachmentSpec:
    """An attachment on the arm's tip."""
    return AttachmentSpec(BLOCK, attach_to=site("tip"), prefix=prefix, **fields)


ROBOTS = [
    row("pos-nan", lambda: arm(pos=(0, 0, math.nan)), "RobotSpec", "left", "pos[2]", "finite"),
    row("pos-too-big", lambda: arm(pos=(10**400, 0, 0)), "RobotSpec", "pos[0]", "finite"),
    row("pos-text", lambda: arm(pos="0 0 1"), "RobotSpec", "pos", "3 numbers", "'0 0 1'"),
    row("pos-two-numbers", lambda: arm(pos=(1, 2)), "RobotSpec", "pos", "3 numbers", "got 2"),
    row("pos-of-words", lambda: arm(pos=(0, "up", 0)), "RobotSpec", "pos[1]", "'up'"),
    row("quat-zero", lambda: arm(quat=(0, 0, 0, 0)), "quat", "zero", "(0, 0, 0, 1)", "x, y, z, w"),
    row("quat-not-unit", lambda: arm(quat=(0, 0, 1, 1)), "quat", "norm 1.414", "0.707107"),
    row("quat-nan", lambda: arm(quat=(0, 0, 0, math.nan)), "quat[3]", "finite"),
    row("path-none", lambda: RobotSpec(None), "RobotSpec", "path", "None", "menagerie:NAME"),
    row("path-bytes", lambda: RobotSpec(b"arm.xml"), "RobotSpec", "path", "b'arm.xml'"),
    row("path-empty", lambda: RobotSpec(""), "RobotSpec", "path", "non-empty"),
    row("prefix-number", lambda: arm(prefix=3), "RobotSpec", "prefix", "string", "3"),
    row("prefix-newline", lambda: arm(prefix="a\n"), "RobotSpec", "prefix", "legal", "printable"),
    row("name-empty", lambda: arm(name=""), "RobotSpec", "name", "non-empty"),
    row(
        "attach-to-text", lambda: arm(attach_to="hand"), "attach_to", "site('hand')", "body('hand')"
    ),
    row("attach-to-kind", lambda: AttachTarget("sit", name="a"), "kind", "'sit'", "SITE"),
    row("attach-to-number", lambda: body(7), "AttachTarget", "name", "7"),
    row("attach-to-nothing", lambda: site(""), "AttachTarget", "name", "non-empty"),
    row(
        "attachment-in-world",
        lambda: AttachmentSpec(BLOCK, attach_to=WORLD),
        *("AttachmentSpec", "attach_to", "body, site or frame", "robot of its own"),
    ),
    row("attachment-alone", lambda: arm(attachments=tool()), "attachments", "list"),
    row(
        "attachment-a-robot",
        lambda: arm(attachments=[tool(), arm()]),
        "attachments[1]",
        "RobotSpec",
    ),
    row(
        "attachment-prefix-twice",
        lambda: arm(attachments=[tool(name="a"), tool(name="b")]),
        *("left", "attachments", "prefix", "'tool/'", "[0]", "[1]"),
    ),
    row(
        "attachment-name-twice",
        lambda: arm(attachments=[tool("a/", name="t"), tool("b/", name="t")]),
        *("left", "attachments", "name", "'t'", "[0]", "[1]"),
    ),
    row("mode-typo", lambda: CtrlModeSpec("postion"), "CtrlModeSpec", "mode", "mean 'POSITION'"),
    row("mode-without-gain", lambda: CtrlModeSpec("position"), "kp", "POSITION needs kp"),
    row("mode-gain-unused", lambda: CtrlModeSpec("torque", kv=1), "kv", "TORQUE", "force_limit"),
    row("gain-negative", lambda: CtrlModeSpec("velocity", kv=-1), "CtrlModeSpec", "kv", ">= 0"),
    row(
        "gain-count",
        lambda: CtrlModeSpec("velocity", joints=("a", "b"), kv=(1, 2, 3)),
        *("CtrlModeSpec", "kv", "per joint (2)", "got 3"),
    ),
    row("mode-joints-text", lambda: CtrlModeSpec(joints="elbow"), "joints", "['elbow']"),
    row("modes-words", lambda: arm(modes=["torque"]), "RobotSpec", "modes[0]", "CtrlModeSpec"),
    row("initial-mode", lambda: arm(initial_mode="velocty"), "initial_mode", "mean 'VELOCITY'"),
    row("home-number", lambda: arm(home=0.3), "RobotSpec", "home", "keyframe", "0.3"),
    row("home-nan", lambda: arm(home={"j": math.nan}), "RobotSpec", "home['j']", "finite"),
    row("home-twice", lambda: arm(home=[("j", 0), ("j", 1)]), "RobotSpec", "home", "'j'", "twice"),
    row(
        "exclusion-of-three",
        lambda: arm(contact_exclusions=[("a", "b", "c")]),
        "exclusions[0]",
        "two",
    ),
    row("exclusion-flat", lambda: arm(contact_exclusions=("a", "b")), "contact_exclusions", "pair"),
    row("regroup-word", lambda: arm(regroup="no"), "RobotSpec", "regroup", "True or False", "'no'"),
    row("watchdog-zero", lambda: arm(watchdog=0), "RobotSpec", "watchdog", "> 0"),
    row("controller-tuple", lambda: arm(controller=(1, 2)), "controller", "BodyController"),
    row(
        "controller-gains",
        lambda: BodyController(linear=(1, 2), angular=(1, math.inf)),
        *("BodyController", "angular[1]", "finite"),
    ),
]

OBJECTS = [
    row(
        "object-nothing", lambda: SceneObject("cube"), "SceneObject('cube')", "shape", "box", "path"
    ),
    row("object-shape", lambda: SceneObject("cube", shape="bx"), "cube", "shape", "mean 'box'"),
    row(
        "object-box-size",
        lambda: SceneObject("c", shape="box", size=[1]),
        "'c'",
        "size",
        "3",
        "got 1",
    ),
    row("object-size-zero", lambda: SceneObject("c", shape="sphere", size=[0]), "size[0]", "> 0"),
    row("object-box-path", lambda: SceneObject("c", shape="box", path="c.obj"), "path", "box"),
    row("object-mesh-path", lambda: SceneObject("c", shape="mesh"), "'c'", "path", "mesh"),
    row("object-mass", lambda: ball(mass=0), "'ball'", "mass", "> 0"),
    row("object-mass-density", lambda: ball(mass=1, density=1), "'ball'", "mass or density"),
    row("object-colour", lambda: ball(rgba=(255, 0, 0, 1)), "'ball'", "rgba[0]", "<= 1", "255"),
    row("object-friction", lambda: ball(friction=(1, -1)), "'ball'", "friction[1]", ">= 0"),
    row("object-condim", lambda: ball(condim=2), "'ball'", "condim", "2", "1, 3, 4, 6"),
    row("object-condim-float", lambda: ball(condim=3.5), "'ball'", "condim", "3.5", "1, 3, 4, 6"),
    row("object-fixed-mocap", lambda: ball(fixed=True, mocap=True), "'ball'", "fixed or mocap"),
    row(
        "object-free-on-body",
        lambda: ball(attach_to=body("hand")),
        "'ball'",
        "attach_to",
        "fixed=True",
    ),
    row(
        "object-mocap-on-site", lambda: ball(mocap=True, attach_to=site("s")), "'ball'", "site 's'"
    ),
    row(
        "object-controller-fixed",
        lambda: ball(fixed=True, controller=BodyController(linear=(1, 1), angular=(1, 1))),
        *("'ball'", "controller", "free"),
    ),
    row("object-asset-mass", lambda: SceneObject("c", path=BLOCK, mass=1), "'c'", "mass", "file"),
    row("object-name", lambda: SceneObject(" c", shape="box"), "SceneObject", "name", "spaces"),
]

SCENES = [
    row("robots-alone", lambda: SceneSpec(arm()), "robots", "RobotSpec", "list"),
    row("robots-paths", lambda: SceneSpec([arm(), "b.xml"]), "robots[1]", "RobotSpec", "'b.xml'"),
    row(
        "prefix-twice",
        lambda: SceneSpec([arm(name="a"), arm(name="b")]),
        "robots[1].prefix",
        "'left/'",
    ),
    row(
        "label-twice",
        lambda: SceneSpec([arm("a/", name="arm"), arm("b/", name="arm")]),
        *("robots[1].name", "'arm'", "robots[0]", "another name"),
    ),
    row(
        "object-named-as-robot",
        lambda: SceneSpec([arm()], objects=[SceneObject("left", shape="sphere", size=[1])]),
        *("objects[0].name", "'left'", "robots[0]"),
    ),
    row(
        "sites-twice",
        lambda: SceneSpec(sites=[SiteSpec("s"), SiteSpec("s")]),
        "sites",
        "'s'",
        "twice",
    ),
    row("options-dict", lambda: SceneSpec(options={"timestep": 1}), "options", "PhysicsOptions"),
    row("floor-word", lambda: SceneSpec(floor="yes"), "floor", "FloorSpec", "True"),
    row("light-number", lambda: SceneSpec(light=3), "light", "LightSpec", "3"),
    row("scene-a-robot", lambda: build_scene(arm()), "SceneSpec", "RobotSpec"),  # type: ignore[arg-type]
    row("timestep-zero", lambda: PhysicsOptions(timestep=0), "PhysicsOptions", "timestep", "> 0"),
    row(
        "timestep-true", lambda: PhysicsOptions(timestep=True), "PhysicsOptions", "timestep", "True"
    ),
    row("gravity-inf", lambda: PhysicsOptions(gravity=(0, 0, -math.inf)), "gravity[2]", "finite"),
    row(
        "integrator-typo", lambda: PhysicsOptions(integrator="euler"), "integrator", "mean 'Euler'"
    ),
    row("iterations-half", lambda: PhysicsOptions(iterations=1.5), "iterations", "whole", "1.5"),
    row("iterations-huge", lambda: PhysicsOptions(iterations=2**40), "iterations", str(2**40)),
    row("flag-typo", lambda: PhysicsOptions(flags={"gravty": True}), "flags", "mean 'gravity'"),
    row(
        "flag-number",
        lambda: PhysicsOptions(flags={"gravity": 1}),
        "flags['gravity']",
        "True or False",
    ),
    row("flags-word", lambda: PhysicsOptions(flags="gravity"), "flags", "mapping"),
    row(
        "camera-at-target",
        lambda: CameraSpec("eye", pos=(1, 2, 3), look_at=(1, 2, 3)),
        "'eye'",
        "look_at",
    ),
    row(
        "camera-quat-and-target",
        lambda: CameraSpec("eye", quat=(1, 0, 0, 0), look_at=(1, 2, 3)),
        *("'eye'", "look_at", "quat or look_at"),
    ),
    row("camera-fovy", lambda: CameraSpec("eye", fovy=180), "'eye'", "fovy", "less than 180"),
    row(
        "camera-no-pixels",
        lambda: CameraSpec("eye", resolution=(0, 1)),
        "'eye'",
        "resolution[0]",
        ">= 1",
    ),
    row("site-size", lambda: SiteSpec("s", size=0), "SiteSpec('s')", "size", "> 0"),
    row("site-group", lambda: SiteSpec("s", group=6), "SiteSpec('s')", "group", "6"),
    row(
        "light-nowhere", lambda: LightSpec("sun", direction=(0, 0, 0)), "'sun'", "direction", "zero"
    ),
    row(
        "floor-friction", lambda: FloorSpec(friction=(1, 1, 1, 1)), "FloorSpec", "friction", "got 4"
    ),
    row("sky-colour", lambda: SkySpec(zenith=(0, 0, 2)), "SkySpec", "zenith[2]", "<= 1"),
]


def ball(**fields: Any) -> SceneObject:
    """A free sphere."""
    return SceneObject("ball", shape="sphere", size=[0.1], **fields)


BAD_SPECS = [*ROBOTS, *OBJECTS, *SCENES]
