"""What a scene file writes in a way of its own: targets, sources, degrees."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from mjscene import (
    WORLD,
    AttachTarget,
    SceneObject,
    SceneSpec,
    SpecError,
    body,
    frame,
    scene_from_yaml,
    scene_to_yaml,
    site,
)

TARGETS = [
    ("world", WORLD),
    ("WORLD", WORLD),
    ("{site: a/b}", site("a/b")),
    ("{body: 'yes'}", body("yes")),
    ("{frame: f}", frame("f")),
    ("{kind: world}", WORLD),
    ("{kind: Site, name: s}", site("s")),
]


@pytest.mark.parametrize(("text", "target"), TARGETS)
def test_targets(text: str, target: AttachTarget) -> None:
    spec = scene_from_yaml(f"sites: [{{name: x, attach_to: {text}}}]")
    assert spec.sites[0].attach_to == target
    assert scene_from_yaml(scene_to_yaml(spec)) == spec


@pytest.mark.parametrize(
    ("text", "column", "where", "says"),
    [
        ("wrld", 32, "", "did you mean 'world'"),
        ("tool", 32, "", "write {site: 'tool'} or {body: 'tool'}"),
        ("[a]", 32, "", "got a list"),
        ("{}", 32, "", "expected one place, got 0"),
        ("{site: 3}", 39, ".site", "expected a string, got 3"),
        ("{site: ''}", 39, ".site", "non-empty string"),
        ("{world: x}", 33, ".world", "allowed: 'body', 'site', 'frame'"),
        ("{kind: sit, name: s}", 39, ".kind", "did you mean 'SITE'"),
        ("{kind: site}", 32, ".name", "non-empty string"),
        ("{kind: world, name: s}", 52, ".name", "the world has no name"),
    ],
)
def test_wrong_targets(text: str, column: int, where: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        scene_from_yaml(f"sites: [{{name: x, attach_to:   {text}}}]")
    error = caught.value
    assert says in str(error)
    assert (error.line, error.column) == (1, column)
    assert error.where == f"sites[0].attach_to{where}"


@pytest.mark.parametrize(("text", "degrees"), [("60", 60.0), ("{deg: 60}", 60.0)])
def test_field_of_view_is_in_degrees_both_ways(text: str, degrees: float) -> None:
    assert scene_from_yaml(f"cameras: [{{name: c, fovy: {text}}}]").cameras[0].fovy == degrees


def test_degrees_stand_for_radians_wherever_a_number_does() -> None:
    spec = scene_from_yaml(
        "robots:\n  - path: a.xml\n    home: {elbow: {deg: 90}, wrist: {deg: -4.5e1}}\n"
        "    quat: [0, 0, 0, {deg: 57.29577951308232}]\n"
    )
    assert spec.robots[0].home == (("elbow", math.pi / 2), ("wrist", -math.pi / 4))
    assert spec.robots[0].quat == (0, 0, 0, 1)


def source_of(text: str, folder: Path) -> Any:
    return scene_from_yaml(f"robots: [{{path: {text}}}]", folder=folder).robots[0].path


def test_names_and_xml_are_no_paths(tmp_path: Path) -> None:
    assert source_of("mjscene:nothing", tmp_path) == "mjscene:nothing"  # the build tells
    assert source_of("menagerie:a/b", tmp_path) == "menagerie:a/b"
    assert source_of('" <mujoco/>"', tmp_path) == " <mujoco/>"


def test_path_may_lead_out_to_a_model_that_is_there_and_nowhere_else(tmp_path: Path) -> None:
    inside = tmp_path / "scenes"
    inside.mkdir()
    for name in ("arm.xml", "arm.urdf", "secret.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (inside / "link.xml").symlink_to(tmp_path / "arm.xml")
    (inside / "dangling.xml").symlink_to(tmp_path / "gone.xml")
    assert source_of("../arm.xml", inside) == str(tmp_path / "arm.xml")
    assert source_of("../scenes/../arm.urdf", inside) == str(tmp_path / "arm.urdf")
    assert source_of(str(tmp_path / "arm.xml"), inside) == str(tmp_path / "arm.xml")
    assert source_of("link.xml", inside) == str(inside / "link.xml")
    for path in ("../secret.txt", "../gone.xml", str(tmp_path / "gone.xml"), "dangling.xml"):
        with pytest.raises(SpecError) as caught:
            source_of(path, inside)
        assert (caught.value.line, caught.value.column) == (1, 17)
        assert caught.value.where == "robots[0].path"


def test_object_without_a_path_may_say_so() -> None:
    spec = scene_from_yaml("objects: [{name: a, shape: sphere, size: [1], path: null}]")
    assert spec == SceneSpec(objects=[SceneObject("a", shape="sphere", size=(1,))])
