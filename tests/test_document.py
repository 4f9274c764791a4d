"""What an XML file says, and in which line of which file it says it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_cases import MESH, write
from bad_rules import BY_CLASS, GROUPED, LAUGHS

from mjscene import ComposeError
from mjscene.sources import Document

TOP = """\
<mujoco model="top">
  <!-- a comment
       of two lines -->
  <compiler meshdir="meshes" texturedir="textures"/>
  <asset>
    <mesh name="hull" file="hull.obj"/>
    <texture name="sky" type="skybox" fileright="r.png" fileleft="l.png"/>
    <hfield name="hill" file="hill.png" size="1 1 1 1"/>
    <material name="paint"/>
  </asset>

  <include file="{include}"/>
  <worldbody>
    <body name="top_body"/>
  </worldbody>
</mujoco>
"""
PART = """\
<mujoco>
  <asset>
    <mesh name="part" file="part.obj"/>
  </asset>
  <worldbody>
    <body name="part_body"/>
  </worldbody>
</mujoco>
"""


def read(path: str) -> Document:
    """The document of a file."""
    return Document.read(Path(path), "robots[0].path")


def places(found: Iterator[tuple[Path | None, object]]) -> list[tuple[str, int]]:
    """File name and line of each element."""
    return [(Path(str(file)).name, element.sourceline) for file, element in found]  # type: ignore[attr-defined]


@pytest.fixture
def top(tmp_path: Path) -> Document:
    """A document with an included file in a folder below; no mesh or texture is there."""
    write(tmp_path, "parts/part.xml", PART)
    return read(write(tmp_path, "top.xml", TOP.format(include="parts/part.xml")))


def test_elements_have_their_own_line_and_file_included_ones_too(top: Document) -> None:
    assert places(top.elements("body")) == [("top.xml", 14), ("part.xml", 6)]
    assert places(top.elements("mesh", "material")) == [
        ("top.xml", 6),
        ("top.xml", 9),
        ("part.xml", 3),
    ]
    assert list(top.elements("joint")) == []


def test_included_files_are_found_beside_their_own_file_too(tmp_path: Path) -> None:
    write(tmp_path, "parts/deep.xml", PART.replace("part_body", "deep_body"))
    write(tmp_path, "parts/part.xml", '<mujoco><include file="deep.xml"/></mujoco>')
    document = read(write(tmp_path, "top.xml", TOP.format(include="parts/part.xml")))
    assert places(document.elements("body")) == [("top.xml", 14), ("deep.xml", 6)]


def test_file_included_twice_or_by_itself_is_read_once(tmp_path: Path) -> None:
    text = '<mujoco>\n<include file="top.xml"/>\n<include file="part.xml"/>\n</mujoco>'
    write(tmp_path, "part.xml", PART.replace("<asset>", '<include file="top.xml"/><asset>'))
    document = read(write(tmp_path, "top.xml", text))
    assert len(places(document.elements("body"))) == 1


def test_missing_include_is_the_first_with_file_and_line(tmp_path: Path, top: Document) -> None:
    assert top.missing_include() is None
    write(tmp_path, "parts/part.xml", '<mujoco>\n\n<include file="gone.xml"/></mujoco>')
    document = read(str(tmp_path / "top.xml"))
    found = document.missing_include()
    assert found is not None
    assert places(iter([found])) == [("part.xml", 3)]


def test_missing_assets_have_element_line_and_the_place_they_were_looked_for(
    tmp_path: Path, top: Document
) -> None:
    found = {
        (e.tag, e.sourceline, str(p.relative_to(tmp_path))) for _, e, p in top.missing_assets()
    }
    assert found == {
        ("mesh", 6, "meshes/hull.obj"),
        ("texture", 7, "textures/r.png"),
        ("texture", 7, "textures/l.png"),
        ("hfield", 8, "meshes/hill.png"),
        ("mesh", 3, "meshes/part.obj"),
    }


@pytest.mark.parametrize("place", ["meshes/hull.obj", "hull.obj"])
def test_asset_that_is_there_is_not_missing(tmp_path: Path, top: Document, place: str) -> None:
    write(tmp_path, place, MESH)
    assert "hull" not in {e.get("name") for _, e, _ in top.missing_assets()}


def test_assetdir_is_the_folder_of_both(tmp_path: Path) -> None:
    text = TOP.format(include="part.xml").replace(
        'meshdir="meshes" texturedir="textures"', 'assetdir="a"'
    )
    write(tmp_path, "part.xml", PART)
    found = {
        str(p.relative_to(tmp_path))
        for _, _, p in read(write(tmp_path, "top.xml", text)).missing_assets()
    }
    assert found == {"a/hull.obj", "a/r.png", "a/l.png", "a/hill.png", "a/part.obj"}


def test_grouped_actuators_are_those_of_the_actuator_and_default_sections() -> None:
    document = Document.parse(GROUPED.encode(), None, None)
    assert [(e.tag, e.get("name"), e.sourceline) for _, e in document.grouped_actuators()] == [
        ("velocity", "second", 5)
    ]
    document = Document.parse(BY_CLASS.encode(), None, None)
    # The geom of group 3 is a visibility group and none of an actuator.
    assert [(e.tag, e.sourceline) for _, e in document.grouped_actuators()] == [("position", 4)]


@pytest.mark.parametrize("group", ["0", " 0 ", ""])
def test_group_0_is_no_group(group: str) -> None:
    text = GROUPED.replace('group="7"', f'group="{group}"')
    assert list(Document.parse(text.encode(), None, None).grouped_actuators()) == []


def test_line_of_an_attributes_value_is_found_in_any_file(top: Document) -> None:
    for name, place in {"paint": ("top.xml", 9), "part_body": ("part.xml", 6)}.items():
        found = top.line_of("name", name)
        assert found is not None
        assert places(iter([found])) == [place]
    assert top.line_of("name", "nobody") is None


def test_broken_xml_is_kept_with_its_problem_and_line() -> None:
    document = Document.parse(b"<mujoco>\n<worldbody>\n</mujoco>", None, None)
    assert document.root is None
    assert document.line == 3
    assert "worldbody" in (document.problem or "")
    assert list(document.elements("body")) == list(document.missing_assets()) == []


def test_file_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ComposeError, match=r"gone\.xml"):
        read(str(tmp_path / "gone.xml"))


class TestEntities:
    """Nothing is expanded, nothing is fetched, and it takes no time."""

    def test_declared_entities_are_refused_with_their_line(self) -> None:
        began = time.perf_counter()
        with pytest.raises(ComposeError, match="entities") as caught:
            Document.parse(b"<?xml version='1.0'?>\n" + LAUGHS.encode(), None, None)
        assert time.perf_counter() - began < 1
        assert caught.value.line == 3
        assert caught.value.element == "!ENTITY"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
    def test_entities_in_another_encoding_are_not_expanded(self, encoding: str) -> None:
        raw = f'<?xml version="1.0" encoding="{encoding}"?>\n{LAUGHS}'.encode(encoding)
        began = time.perf_counter()
        try:
            root = Document.parse(raw, None, None).root
        except ComposeError:
            root = None
        assert root is None
        assert time.perf_counter() - began < 1

    @pytest.mark.parametrize("keyword", ["<!ENTITY", "<!entity", "<!ENTITY %"])
    def test_parameter_entities_and_small_letters_are_refused(self, keyword: str) -> None:
        raw = f'<!DOCTYPE m [\n{keyword} x SYSTEM "f">\n]><mujoco/>'.encode()
        with pytest.raises(ComposeError, match="entities"):
            Document.parse(raw, None, None)

    def test_local_file_is_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "secret.txt", "s3cret")
        text = '<!DOCTYPE m [<!ENTITY s SYSTEM "secret.txt">]>\n<mujoco model="m">&s;</mujoco>'
        with pytest.raises(ComposeError) as caught:
            read(write(tmp_path, "top.xml", text))
        assert "s3cret" not in str(caught.value)

    @pytest.mark.parametrize(
        "head",
        [
            '<!DOCTYPE mujoco SYSTEM "http://127.0.0.1:{port}/m.dtd">',
            '<!DOCTYPE mujoco PUBLIC "-//m" "http://127.0.0.1:{port}/m.dtd">',
            '<!DOCTYPE mujoco SYSTEM "broken.dtd">',
        ],
    )
    def test_dtd_is_not_looked_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        # A parser that looked would say that the address has no file, or that the file is broken.
        write(tmp_path, "broken.dtd", "<!ELEMENT mujoco\n")
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0.2)
            text = head.format(port=server.getsockname()[1]) + "\n<mujoco/>"
            refused, problem = False, None
            try:
                problem = read(write(tmp_path, "top.xml", text)).problem
            except ComposeError:
                refused = True
            with pytest.raises(TimeoutError):
                server.accept()
        assert refused or problem is None

    def test_included_file_is_refused_as_well(self, tmp_path: Path) -> None:
        write(tmp_path, "part.xml", LAUGHS)
        document = read(write(tmp_path, "top.xml", TOP.format(include="part.xml")))
        with pytest.raises(ComposeError, match=r"part\.xml:2"):
            list(document.elements("body"))
