"""The exceptions: what a message is made of, the facts as attributes, near matches, pickling."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import mjscene
from mjscene.errors import (
    CommandError,
    ComposeError,
    MjsceneError,
    MjsceneWarning,
    ModeError,
    SpecError,
    close_matches,
)
from mjscene.spec.fields import CommandFieldError, SpecFieldError

CLASSES = [MjsceneError, SpecError, ComposeError, ModeError, CommandError]
FACTS = {
    "where": "robots[1].attach_to",
    "given": "lnk",
    "allowed": ("link", "base"),
    "close": ("link",),
    "hint": "look it up",
    "file": "arm.xml",
    "line": 7,
    "element": "lnk",
}


def test_every_error_is_one_of_the_base_and_spec_errors_are_value_errors() -> None:
    assert all(issubclass(c, MjsceneError) for c in CLASSES)
    assert [c for c in CLASSES if issubclass(c, ValueError)] == [SpecError]
    # None is a kind of another, so that an except clause catches what it names.
    leaves = CLASSES[1:]
    assert not any(issubclass(a, b) for a in leaves for b in leaves if a is not b)


def test_warning_is_a_user_warning_and_no_error() -> None:
    assert issubclass(MjsceneWarning, UserWarning)
    assert not issubclass(MjsceneWarning, MjsceneError)


@pytest.mark.parametrize("name", ["CommandError", "ComposeError", "ModeError", "SpecError"])
def test_errors_are_found_at_the_top_of_the_package(name: str) -> None:
    assert issubclass(getattr(mjscene, name), mjscene.MjsceneError)


@pytest.mark.parametrize("cls", CLASSES)
def test_facts_are_kept_as_attributes(cls: type[MjsceneError]) -> None:
    error = cls("no body", **FACTS)
    assert {fact: getattr(error, fact) for fact in FACTS} == FACTS
    assert error.message == "no body"


def test_a_wrong_field_is_an_error_of_its_kind_and_a_type_error_that_crosses_a_process() -> None:
    for cls, base in ((SpecFieldError, SpecError), (CommandFieldError, CommandError)):
        assert set(cls.__bases__) == {base, TypeError}
        error = pickle.loads(pickle.dumps(cls("there is no such field", **FACTS)))
        assert type(error) is cls
        assert {fact: getattr(error, fact) for fact in FACTS} == FACTS


def test_facts_that_are_not_given_are_none_or_empty() -> None:
    error = MjsceneError("wrong")
    empty = {**dict.fromkeys(FACTS), "allowed": (), "close": ()}
    assert {fact: getattr(error, fact) for fact in FACTS} == empty
    assert str(error) == "wrong"


def test_message_has_place_file_line_what_near_matches_allowed_and_hint_in_this_order() -> None:
    assert str(MjsceneError("no body 'lnk'", **FACTS)) == (
        "robots[1].attach_to: arm.xml:7: no body 'lnk'; did you mean 'link'? "
        "allowed: 'link', 'base'; look it up"
    )


def test_file_without_line_has_no_number() -> None:
    assert str(MjsceneError("gone", file="arm.xml")) == "arm.xml: gone"


def test_path_objects_are_kept_as_text() -> None:
    file = Path("robots") / "arm.xml"
    assert MjsceneError("gone", file=file).file == str(file)


def test_iterables_of_names_become_tuples() -> None:
    error = MjsceneError("no", allowed=(n for n in "ab"), close=iter(["c"]))
    assert (error.allowed, error.close) == (("a", "b"), ("c",))


def test_several_near_matches_are_joined_with_or() -> None:
    assert "did you mean 'a' or 'b'?" in str(MjsceneError("no", close=("a", "b")))


@pytest.mark.parametrize(("count", "shown", "rest"), [(12, 12, ""), (13, 12, "1 more")])
def test_long_lists_of_the_allowed_are_cut_in_the_message_alone(
    count: int, shown: int, rest: str
) -> None:
    names = [f"name{i:02}" for i in range(count)]
    error = MjsceneError("no", allowed=names)
    assert str(error).count("name") == shown
    assert ("more" in str(error)) == bool(rest)
    assert rest in str(error)
    assert error.allowed == tuple(names)


def test_numbers_are_listed_without_quotation_marks() -> None:
    assert "allowed: 1, 3, 'mesh'" in str(MjsceneError("no", allowed=(1, 3, "mesh")))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_cross_a_process_with_all_their_facts(
    cls: type[MjsceneError], protocol: int
) -> None:
    error = cls("no body", **FACTS)
    found = pickle.loads(pickle.dumps(error, protocol))
    assert type(found) is cls
    assert str(found) == str(error)
    assert found.args == error.args
    assert vars(found) == vars(error)


def test_copied_error_is_equal_in_all_facts() -> None:
    error = ComposeError("no body", **FACTS)
    assert vars(copy.deepcopy(error)) == vars(error)


class TestCloseMatches:
    NAMES = ("left/elbow", "left/wrist", "right/elbow", "shoulder_pan", "Shoulder_lift")

    def test_typing_error_finds_the_name(self) -> None:
        assert close_matches("left/elbw", self.NAMES)[0] == "left/elbow"

    def test_case_does_not_matter_and_the_true_spelling_is_given(self) -> None:
        assert close_matches("SHOULDER_LIFT", self.NAMES)[0] == "Shoulder_lift"

    def test_name_without_its_prefix_finds_every_owner(self) -> None:
        assert close_matches("elbow", self.NAMES)[:2] == ("left/elbow", "right/elbow")

    def test_nothing_near_gives_nothing(self) -> None:
        assert close_matches("gripper", self.NAMES) == ()

    def test_at_most_three_are_given_each_once(self) -> None:
        found = close_matches("joint", [f"joint{i}" for i in range(9)] + ["a/joint", "b/joint"])
        assert len(found) == len(set(found)) == 3

    @pytest.mark.parametrize("name", ["", "x"])
    def test_short_names_are_no_fault(self, name: str) -> None:
        assert set(close_matches(name, ["", "x", "y"])) <= {"x", "y"}

    def test_no_candidates_give_nothing(self) -> None:
        assert close_matches("elbow", []) == ()

    def test_answer_does_not_depend_on_the_order_of_candidates(self) -> None:
        assert close_matches("elbo", self.NAMES) == close_matches("elbo", self.NAMES[::-1])

    def test_names_that_differ_in_case_alone_are_both_found(self) -> None:
        assert set(close_matches("amr", ["arm", "Arm"])) == {"arm", "Arm"}


def test_place_is_added_to_an_error_of_the_same_class() -> None:
    first = SpecError("is wrong", where="pos", given=3, hint="do right")
    second = first.at(where="robots[0].pos", file=Path("s.yaml"), line=4, column=9)
    assert type(second) is SpecError
    assert str(second) == "robots[0].pos: s.yaml:4:9: is wrong; do right"
    assert (second.file, second.line, second.column, second.given) == ("s.yaml", 4, 9, 3)
    assert first.where == "pos"
    assert first.line is None
