"""Field cases F12 and F60: how a path is spelled, and errors that a user can act on."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import mujoco
import pytest
from field_models import ARM, build, refusal

import mjscene
from mjscene import AttachmentSpec, MjsceneWarning, RobotSpec, SceneObject, SceneSpec, site

OBJ_FILE = "".join(
    f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)
) + "".join(
    f"f {face}\n"
    for face in (
        *("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2"),
        *("3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"),
    )
)
MESHED = """<mujoco model="r">{compiler}<asset><mesh name="part" file="{file}"/></asset>
 <worldbody><body name="l"><joint name="j"/><geom type="mesh" mesh="part" mass="1"/></body>
 </worldbody></mujoco>"""


def tree(folder: Path, *, file: str, compiler: str = "", mesh: str = "parts/assets") -> Path:
    """inc/scene2.xml, which includes parts/robot2.xml, which has a mesh."""
    inc = folder / "inc"
    (inc / "parts").mkdir(parents=True)
    (inc / mesh).mkdir(parents=True, exist_ok=True)
    (inc / mesh / "part.obj").write_text(OBJ_FILE)
    (inc / "parts" / "robot2.xml").write_text(MESHED.format(file=file, compiler=compiler))
    top = inc / "scene2.xml"
    top.write_text('<mujoco model="scene2"><include file="parts/robot2.xml"/></mujoco>')
    return top


def outcome(path: str | Path) -> tuple[str, object]:
    """What comes of a robot at a path: its number of meshes, or the error."""
    try:
        scene = build(RobotSpec(path, prefix="a/"))
    except mjscene.MjsceneError as error:
        return ("error", error.message)
    return ("model", scene.model.nmesh)


LAYOUTS = {
    "asset folder beside the included file": ({"file": "assets/part.obj"}, True),
    "asset folder beside the top file": ({"file": "assets/part.obj", "mesh": "assets"}, True),
    "meshdir in the included file": (
        {"file": "part.obj", "compiler": '<compiler meshdir="assets"/>', "mesh": "assets"},
        True,
    ),
    "meshdir and assets beside the included file": (
        {"file": "part.obj", "compiler": '<compiler meshdir="assets"/>'},
        None,
    ),
    "nowhere": ({"file": "assets/other.obj"}, False),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_f12_a_path_means_the_same_however_it_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    fields, loads = LAYOUTS[layout]
    top = tree(tmp_path, **fields)
    found = [outcome(top), outcome(str(top))]
    for cwd, spelling in (
        (tmp_path, "inc/scene2.xml"),
        (tmp_path, "./inc/../inc/scene2.xml"),
        (tmp_path / "inc", "scene2.xml"),
        (tmp_path / "inc" / "parts", "../scene2.xml"),
    ):
        monkeypatch.chdir(cwd)
        found.append(outcome(spelling))
        found.append(outcome(Path(spelling)))
    assert len(set(found)) == 1
    if loads is not None:
        assert found[0][0] == ("model" if loads else "error")


def test_f12_the_included_robot_is_the_same_alone_and_through_its_scene(tmp_path: Path) -> None:
    top = tree(tmp_path, file="assets/part.obj")
    scene = build(
        RobotSpec(top, prefix="a/"), RobotSpec(top.parent / "parts" / "robot2.xml", prefix="b/")
    )
    assert scene.model.nmesh == 1  # one file, one mesh
    assert scene.model.body("a/l").mass[0] == scene.model.body("b/l").mass[0] == 1


def test_f12_two_spellings_of_a_file_are_one_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tree(tmp_path, file="assets/part.obj")
    monkeypatch.chdir(tmp_path)
    scene = build(RobotSpec("inc/scene2.xml", prefix="a/"), RobotSpec(str(top), prefix="b/"))
    assert scene.model.nmesh == 1
    assert scene._owners()[0].source is scene._owners()[1].source


def test_f12_a_scene_built_from_a_relative_path_outlives_a_change_of_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, file="assets/part.obj")
    monkeypatch.chdir(tmp_path)
    scene = build(RobotSpec("inc/scene2.xml", prefix="a/"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    scene.add_object(SceneObject("cube", shape="box", size=[0.1] * 3, pos=(3, 0, 0)))
    saved = scene.save(tmp_path / "saved")
    assert mujoco.MjModel.from_xml_path(str(saved)).nmesh == 1
    assert scene.model.nmesh == 1


# F60: errors that a user can act on


def broken(folder: Path) -> dict[str, tuple[RobotSpec, tuple[str, ...]]]:
    """Robots that cannot be, and what the message must have beside the robot."""

    def file(name: str, text: str) -> str:
        (folder / name).write_text(text)
        return str(folder / name)

    massless = (
        '<mujoco model="m"><worldbody><body name="l"><joint name="j"/></body></worldbody></mujoco>'
    )
    unmounted = AttachmentSpec(ARM, attach_to=site("tap"), prefix="t_")
    robots = {
        "missing file": (str(folder / "nope.xml"), ("nope.xml",)),
        "broken XML": (file("broken.xml", "<mujoco>\n<worldbody></mujoco>"), ("broken.xml:2",)),
        "unknown attribute": (
            file("wrong.xml", ARM.replace('name="g"', 'nme="g"')),
            ("wrong.xml:2", "'nme'", "geom"),
        ),
        "missing mesh": (
            file("mesh.xml", MESHED.format(file="zz.stl", compiler="")),
            ("mesh.xml:1", "zz.stl", "mesh"),
        ),
        "massless link": (file("massless.xml", massless), ("massless.xml", "'b/l'", "mass")),
        "unknown joint": (
            file("joint.xml", ARM.replace('joint="j"', 'joint="i"')),
            ("joint.xml", "'i'", "servo"),
        ),
    }
    found = {k: (RobotSpec(path, prefix="b/"), words) for k, (path, words) in robots.items()}
    mount = RobotSpec(file("arm.xml", ARM), prefix="b/", attachments=(unmounted,))
    found["unknown mount"] = (mount, ("'tap'", "'tip'", "attachments[0].attach_to"))
    return found


CASES = (
    *("missing file", "broken XML", "unknown attribute", "missing mesh", "massless link"),
    *("unknown joint", "unknown mount"),
)


@pytest.mark.parametrize("case", CASES)
def test_f60_a_bad_robot_is_one_line_with_the_robot_its_file_and_the_element(
    tmp_path: Path, case: str
) -> None:
    cases = broken(tmp_path)
    assert set(cases) == set(CASES)
    robot, words = cases[case]
    error = refusal(RobotSpec(ARM, prefix="a/"), robot)
    text = str(error)
    assert "\n" not in text
    assert "robots[1]" in text
    for word in words:
        assert word in text or word == error.element


def test_f60_the_line_of_an_xml_string_is_said_too() -> None:
    error = refusal(RobotSpec(ARM.replace('name="g"', 'nme="g"'), prefix="a/"))
    assert error.line == 2
    assert re.search(r"\bline 2\b", str(error))


RUN = """
import sys, warnings, mjscene
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    xml = sys.stdin.read()
    floor = xml.replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1"/>', 1)
    scene = mjscene.build_scene(mjscene.SceneSpec([
        mjscene.RobotSpec(floor, prefix="a/"),
        mjscene.RobotSpec(floor, prefix="b/", pos=(0, 1, 0)),
        mjscene.RobotSpec(xml)]))
    scene.data.qvel[:] = 1e12
    try:
        scene.step(10)
    except mjscene.MjsceneError:
        scene.reset()
    scene.add_object(mjscene.SceneObject("cube", shape="box", size=[.1, .1, .1], pos=(9, 0, 0)))
    assert any(issubclass(w.category, mjscene.MjsceneWarning) for w in caught), caught
"""


def test_f60_a_run_that_only_warns_writes_nothing_and_says_it_through_python(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            input=ARM,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert list(tmp_path.iterdir()) == []
    finally:
        tmp_path.chmod(0o755)


def test_f60_warnings_of_a_build_are_in_the_report_and_are_pythons() -> None:
    plane = """<mujoco model="p"><worldbody><geom name="ground" type="plane" size="1 1 1"/>
     <body name="l" pos="0 0 1"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene = mjscene.build_scene(SceneSpec([RobotSpec(plane, prefix="a/")], floor=True))
    said = [str(w.message) for w in caught if w.category is MjsceneWarning]
    assert said == list(scene.report.warnings)
    assert "a/ground" in said[0]
    assert said[0] in str(scene.report)
    assert caught[0].filename == __file__
