"""The sources of a scene, each loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mjscene.resolve import resolve
from mjscene.sources import Source, load_source, source_key
from mjscene.spec import AttachmentSpec, RobotSpec, SceneSpec
from mjscene.spec.robots import prefix_label

__all__ = ["given", "load_sources", "uses"]


def uses(spec: SceneSpec) -> Iterator[tuple[str, str, Any]]:
    """Label, field and source of everything in the scene that has one."""
    for i, robot in enumerate(spec.robots):
        yield robot.label, _told(f"robots[{i}].path", robot), robot.path
        for k, attachment in enumerate(robot.attachments):
            label = f"{robot.label}.{attachment.label}"
            where = _told(f"robots[{i}].attachments[{k}].path", robot, attachment)
            yield label, where, attachment.path
    for i, thing in enumerate(spec.objects):
        if thing.shape == "mjcf":
            yield thing.name, f"objects[{i}].path ({thing.name})", thing.path


def _told(where: str, *named: RobotSpec | AttachmentSpec) -> str:
    """A field with the name of whom it belongs to, as far as the spec gives one."""
    labels = [n.label for n in named if n.name or prefix_label(n.prefix)]
    return f"{where} ({'.'.join(labels)})" if labels else where


def given(path: Any) -> Any:
    """What stands for a path as the spec gives it; two spellings of one file are two."""
    return path if isinstance(path, str) else id(path)


def load_sources(spec: SceneSpec) -> dict[Any, Source]:
    """The source of every path by ``given``; spellings of one file share theirs."""
    sources: dict[Any, Source] = {}
    by_key: dict[Any, Source] = {}
    for _, where, path in uses(spec):
        if given(path) in sources:
            continue
        key = source_key(path)
        if key not in by_key:
            by_key[key] = load_source(path, where)
            resolve(by_key[key], where)
        sources[given(path)] = by_key[key]
    return sources
