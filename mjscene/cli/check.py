"""Look for what is wrong with a scene or a robot's file.

It is composed and compiled, which finds missing files, broken XML, unknown names, options that
conflict and bodies without mass: these are errors. What can run but was most likely not meant is a
problem: a robot that touches itself or what it is mounted on at the start, anything that is more
than 1 mm inside a robot then, a robot with joints and no actuator, servo gains that the integrator
cannot follow, a second floor, and whatever MuJoCo warns of. Of a scenario, every name in its
timeline and expectations is looked up.
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, print_json, scenario_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mjscene.report import SceneReport
    from mjscene.scene import Scene

__all__ = ["EXAMPLES", "OVERLAP", "add_arguments", "problems", "run"]

EXAMPLES = """\
  mjscene check my_robot.urdf
  mjscene check my_scene.yaml --strict
  mjscene check menagerie:franka_fr3 --json
  mjscene check my.scenario.yaml
"""

# What was placed to touch (a wheel on the floor, a cube in the fingers) overlaps by what its author
# rounded off, less than a millimetre; what overlaps by more was placed wrong.
OVERLAP = 1e-3  # [m]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there is a problem")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def problems(report: SceneReport) -> Iterator[tuple[str, str]]:
    """Kind (``contact``, ``overlap``, ``warning``) and text of each problem."""
    for contact in report.contacts:
        geoms = f"{contact.geoms[0]!r} and {contact.geoms[1]!r}"
        if contact.internal:
            yield "contact", f"{geoms} touch at the start: parts of one robot, or it and its mount"
        elif contact.distance < -OVERLAP:
            depth = -contact.distance * 1e3
            yield "overlap", f"{geoms} are {depth:.3g} mm inside each other at the start"
    for text in report.warnings:
        yield "warning", text


def undriven(scene: Scene) -> Iterator[tuple[str, str]]:
    """A problem of each robot with joints that nothing in the scene can move."""
    for name, robot in scene.robots.items():
        mine = [robot, *robot.attachments.values()]
        moved = [joint for handle in mine for joint in handle.all_joint_names]
        driven = robot.joint_names or any(handle.names("actuator") for handle in mine)
        if moved and not driven:
            count = f"{len(moved)} joint{'s' if len(moved) > 1 else ''}"
            yield (
                "actuators",
                f"robot {name!r} has {count} and no actuator: name them in its modes, as in "
                f"CtrlModeSpec(CtrlMode.TORQUE, joints=[...])",
            )


def run(options: argparse.Namespace) -> int:
    """Build, look, say."""
    scene = options.scene
    file = scenario_file(scene)
    if file is not None:
        from mjscene.scenario import read_scenario

        scenario = read_scenario(file)
        scenario.check()
        scene = scenario.scene
    built = build(scene)
    report = built.report
    found = [*problems(report), *undriven(built)]
    if options.json:
        robots = [row.name for row in report.owners if row.kind == "robot"]
        listed = [{"kind": kind, "text": text} for kind, text in found]
        print_json({"scene": report.name, "ok": not found, "robots": robots, "problems": listed})
    else:
        sizes = ", ".join(f"{name} {size}" for name, size in report.sizes.items())
        for kind, text in found:
            print(f"{kind}: {' '.join(text.split())}")
        said = f"{len(found)} problem{'s' if len(found) > 1 else ''}" if found else "ok"
        print(f"{options.scene}: {said} ({sizes})")
    return 1 if found and options.strict else 0
