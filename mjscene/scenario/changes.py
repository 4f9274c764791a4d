"""Objects that come again under their name as something else: the scene of every such time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from mjscene.build import build_scene
from mjscene.errors import MjsceneError
from mjscene.scenario.actions import AddObject, RemoveObject
from mjscene.scenario.spec import Scenario
from mjscene.scene import Scene
from mjscene.spec import SceneObject, SceneSpec

__all__ = ["changed", "first_added", "scene_with"]


def _in_order(scenario: Scenario) -> Iterator[tuple[int, Any]]:
    order = sorted(range(len(scenario.timeline)), key=lambda i: scenario.timeline[i].at)
    return ((i, scenario.timeline[i]) for i in order)


def first_added(scenario: Scenario) -> dict[str, SceneObject]:
    """What each name that an object is added under means first."""
    found: dict[str, SceneObject] = {}
    for _, action in _in_order(scenario):
        if isinstance(action, AddObject):
            found.setdefault(action.object.name, action.object)
    return found


def changed(
    scenario: Scenario, spec: SceneSpec
) -> Iterator[tuple[int, list[SceneObject], list[SceneObject]]]:
    """Where an object comes again whose elements may have other names than before.

    Yields:
        The index of the action, the objects that are there after it, and those that have been or
        will be, as what they were last or will be next.
    """
    there = {thing.name: thing for thing in spec.objects}
    meant = first_added(scenario) | there
    again = [(i, a) for i, a in _in_order(scenario) if isinstance(a, AddObject | RemoveObject)]
    for i, action in again:
        if isinstance(action, RemoveObject):
            there.pop(action.name, None)
            continue
        thing = action.object
        before, meant[thing.name] = meant[thing.name], thing
        there[thing.name] = thing
        if _form(before) != _form(thing):
            yield i, list(there.values()), [o for n, o in meant.items() if n not in there]


def _form(thing: SceneObject) -> tuple[Any, ...]:
    """What names, kinds and freedom of an object's elements follow from."""
    return thing.shape, thing.path, thing.fixed, thing.mocap, thing.controller, thing.attach_to


def scene_with(
    spec: SceneSpec, there: Iterable[SceneObject], others: Iterable[SceneObject]
) -> Scene:
    """A scene of objects, and of those others that fit in with them.

    Raises:
        MjsceneError: The first ones do not fit.
    """
    objects = tuple(there)
    scene = build_scene(replace(spec, objects=objects))
    for thing in others:
        try:  # one that has gone may have been attached to what is no more
            scene = build_scene(replace(spec, objects=(*objects, thing)))
        except MjsceneError:
            continue
        objects = (*objects, thing)
    return scene
