"""What comes before the run: the scene is built, and every name is looked up in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mjscene.build import build_scene
from mjscene.errors import MjsceneError
from mjscene.fields import locate
from mjscene.library import load_scene
from mjscene.scenario.actions import AddObject
from mjscene.scenario.base import Action, Expectation
from mjscene.scenario.changes import changed, first_added, scene_with
from mjscene.scenario.judge import span_of
from mjscene.scenario.presence import Moment
from mjscene.scenario.spec import Scenario
from mjscene.scenario.stage import Stage
from mjscene.scene import Scene
from mjscene.spec import SceneObject, SceneSpec

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A scenario that can run.

    Attributes:
        scene: Its scene, at the start.
        stage: What its names were looked up in.
        bodies: The bodies to record, those that come later too.
    """

    scene: Scene
    stage: Stage
    bodies: tuple[str, ...]


def prepare(scenario: Scenario) -> Prepared:
    """Build a scenario's scene and look every name up.

    Raises:
        MjsceneError: Something is wrong; with file, line and column, for one from a file.
    """
    spec = _scene_spec(scenario)
    scene = _build(scenario, spec)
    there = {thing.name for thing in spec.objects}
    added = first_added(scenario)
    whole = scene
    if new := [thing for name, thing in added.items() if name not in there]:
        # With all that it ever has: what is added may not fit, and brings names.
        whole = _build_all(scenario, spec, new)
    with _located(scenario, ""):
        stage = Stage(whole, scenario.duration, there, added)
    _check_timeline(scenario, stage, _build_changed(scenario, spec))
    _check_expectations(scenario, stage)
    bodies = [b for e in scenario.expect for b in e.bodies()]
    for i, name in enumerate(scenario.bodies):
        with _located(scenario, ""):
            stage.any_body(name, f"bodies[{i}]")
    for i, name in enumerate(scenario.sensors):
        with _located(scenario, ""):
            stage.any_sensor(name, f"sensors[{i}]")
    known = [b for b in (*scenario.bodies, *bodies) if stage.is_body(b)]
    return Prepared(scene=scene, stage=stage, bodies=tuple(dict.fromkeys(known)))


@contextmanager
def _located(
    scenario: Scenario, path: str, part: Action | Expectation | None = None
) -> Iterator[None]:
    """Give errors inside the field's path, and its place in the scenario's file."""
    try:
        yield
    except MjsceneError as error:
        raise _placed(scenario, path, part, error) from None


def _placed(
    scenario: Scenario, path: str, part: Action | Expectation | None, error: MjsceneError
) -> MjsceneError:
    field = error.where or ""
    head = field.partition(".")[0].partition("[")[0]
    if part is not None and head not in part.timing:
        path = f"{path}.{part.word}"
        if part.whole is not None and head == part.whole == "object":
            field = field.removeprefix("object").removeprefix(".")
    where = ".".join(p for p in (path, field) if p)
    document = scenario.document
    if document is None:
        return error.at(where=where)
    node = locate(document.root, where)
    return error.at(where=where, file=document.file, line=node.line, column=node.column)


def _scene_spec(scenario: Scenario) -> SceneSpec:
    if isinstance(scenario.scene, SceneSpec):
        return scenario.scene
    try:
        return load_scene(scenario.scene)
    except MjsceneError as error:
        if error.file is not None:
            raise
        raise _placed(scenario, "scene", None, error.at(where=None)) from None


def _build(scenario: Scenario, spec: SceneSpec) -> Scene:
    try:
        return build_scene(spec)
    except MjsceneError as error:
        if error.file is not None or error.where is None:
            raise
        if isinstance(scenario.scene, SceneSpec):
            raise _placed(scenario, "scene", None, error) from None
        if scenario.scene.lower().endswith((".yaml", ".yml")):
            from mjscene.scenefile import check_scene_file

            check_scene_file(scenario.scene)  # raises it with its line in that file
        raise


def _build_all(scenario: Scenario, spec: SceneSpec, new: list[SceneObject]) -> Scene:
    """The scene with every object that is ever added."""
    first = new[0].name
    try:
        return build_scene(replace(spec, objects=(*spec.objects, *new)))
    except MjsceneError as error:
        at = next(
            i
            for i, a in enumerate(scenario.timeline)
            if isinstance(a, AddObject) and (a.object.name == first or a.object.name in str(error))
        )
        field = (error.where or "").partition("].")[2]
        raise _placed(
            scenario, f"timeline[{at}]", scenario.timeline[at], error.at(where=f"object.{field}")
        ) from None


def _build_changed(scenario: Scenario, spec: SceneSpec) -> dict[int, Scene]:
    """The scenes after those actions that give an object's name another meaning."""
    scenes = {}
    for i, there, others in changed(scenario, spec):
        try:
            scenes[i] = scene_with(spec, there, others)
        except MjsceneError as error:
            field = (error.where or "").partition("].")[2]
            raise _placed(
                scenario,
                f"timeline[{i}]",
                scenario.timeline[i],
                error.at(where=f"object.{field}"),
            ) from None
    return scenes


def _check_timeline(scenario: Scenario, stage: Stage, scenes: Mapping[int, Scene]) -> None:
    order = sorted(range(len(scenario.timeline)), key=lambda i: scenario.timeline[i].at)
    for number, i in enumerate(order):
        action = scenario.timeline[i]
        with _located(scenario, f"timeline[{i}]", action):
            moment: Moment = (stage.step_of(action.at, "at"), number)
            stage.now = (moment, moment)
            action.check(stage)
            if i in scenes:
                stage.becomes(scenes[i])
            if action.switches:
                stage.switches.append((moment[0], action.switched(stage)))


def _check_expectations(scenario: Scenario, stage: Stage) -> None:
    for i, expectation in enumerate(scenario.expect):
        with _located(scenario, f"expect[{i}]", expectation):
            first, last = span_of(expectation, stage)
            with stage.within(first, last):
                expectation.check(stage)
                expectation.said(stage)
