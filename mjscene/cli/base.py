"""What a command is, and what several of them need. Nothing here imports MuJoCo before it must."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol, TextIO

    from mjscene.scene import Scene
    from mjscene.spec import SceneSpec

    class Command(Protocol):
        """A module of this package: its docstring is the description, ``EXAMPLES`` follows."""

        __doc__: str | None
        EXAMPLES: str

        @staticmethod
        def add_arguments(parser: argparse.ArgumentParser) -> None:
            """Add what the command takes."""

        @staticmethod
        def run(options: argparse.Namespace) -> int:
            """Do it; the exit code."""


__all__ = [
    "add_scene",
    "build",
    "count",
    "is_scenario",
    "plot_file",
    "positive",
    "print_json",
    "read_spec",
    "said_shortly",
    "scenario_file",
    "span",
    "steps_in",
    "tolerance",
]

_SCENARIO = (".scenario.yaml", ".scenario.yml")
_ROBOT_FILES = (".xml", ".urdf", ".mjz")
_ROBOT_NAMES = ("mjscene:", "menagerie:")


def add_scene(parser: argparse.ArgumentParser) -> None:
    """Add the scene as the first argument."""
    parser.add_argument("scene", metavar="SCENE", help="a scene's name or file, or a robot's file")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from error


def _not_negative(text: str, what: str) -> float:
    value = _number(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected {what}, got {text!r}")
    return value


def positive(text: str) -> float:
    """A finite number > 0."""
    value = _number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number > 0, got {text!r}")
    return value


def span(text: str) -> float:
    """A finite time >= 0 [s]."""
    return _not_negative(text, "a time >= 0 [s]")


def tolerance(text: str) -> float:
    """A finite number >= 0."""
    return _not_negative(text, "a number >= 0")


def count(text: str) -> int:
    """A whole number > 0."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number > 0, got {text!r}")
    return value


def plot_file(text: str) -> str:
    """A plot's file; looked at before anything runs."""
    if not text.endswith((".png", ".svg", ".pdf")):
        raise argparse.ArgumentTypeError(f"expected a file .png, .svg or .pdf, got {text!r}")
    return text


def is_scenario(path: str) -> bool:
    """Whether a file is a scenario by its name."""
    return path.lower().endswith(_SCENARIO)


def scenario_file(what: str) -> str | None:
    """The file of a scenario, given by its name or as a file; None for anything else."""
    if is_scenario(what):
        return what
    from mjscene.library import scenario_names, scenario_path

    return str(scenario_path(what)) if what in scenario_names() else None


def read_spec(what: str) -> SceneSpec:
    """The spec of a scene's name or file; a robot's own file becomes a scene of its own.

    Raises:
        ComposeError: There is none.
        SpecError: What the file says is no scene.
    """
    from mjscene.errors import ComposeError, close_matches

    if what.lower().endswith(".mjb"):
        raise ComposeError(
            "is a compiled model, which MuJoCo runs and nothing composes any more",
            file=what,
            hint="save it as .mjz or .xml instead",
        )
    if os.path.isdir(what):
        raise ComposeError("is a folder, not a file", file=what, hint="name a file in it")
    if scenario_file(what) is not None:
        raise ComposeError(
            f"{what!r} is a scenario, and this command takes a scene",
            given=what,
            hint=f"mjscene run {what}, check, record and render take it",
        )
    if what.startswith(_ROBOT_NAMES) or os.path.splitext(what)[1].lower() in _ROBOT_FILES:
        from mjscene.spec import RobotSpec, SceneSpec

        name = os.path.splitext(os.path.basename(what.partition(":")[2] or what))[0]
        # As its file says and no more. A scene that mjscene saved comes with actuator groups.
        return SceneSpec([RobotSpec(what, name=name or None, modes=(), regroup=True)], name=name)
    from mjscene.library import load_scene, scenario_names, scene_names

    try:
        return load_scene(what)
    except ComposeError as error:
        if error.file is not None or error.allowed != scene_names():
            raise
    known = (*scene_names(), *scenario_names())
    raise ComposeError(
        f"no scene or scenario {what!r} ships with mjscene",
        given=what,
        close=close_matches(what, known),
        allowed=known,
        hint="mjscene list shows all; a path of a file ends in .yaml, .yml or .py",
    )


def build(what: str | SceneSpec) -> Scene:
    """The scene of a name, file or spec; what there is to warn of is in its report alone.

    Raises:
        ComposeError: It cannot be built.
        SpecError: What the file says is no scene.
    """
    import warnings

    from mjscene.build import build_scene
    from mjscene.errors import MjsceneError, MjsceneWarning

    spec = read_spec(what) if isinstance(what, str) else what
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjsceneWarning)
        try:
            return build_scene(spec)
        except MjsceneError as error:
            file = what if isinstance(what, str) else ""
            if file.lower().endswith((".yaml", ".yml")) and error.file is None:
                from mjscene.scenefile import check_scene_file

                check_scene_file(file)  # raises it with the line of the file that it is about
            raise


def steps_in(scene: Scene, seconds: float) -> int:
    """The whole number of steps, at least one, that is nearest to a time [s]."""
    return max(1, round(seconds / float(scene.model.opt.timestep)))


@contextlib.contextmanager
def said_shortly() -> Iterator[None]:
    """Show a warning as one line, without the place in the code that it came from."""
    import warnings

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if category.__name__ == "GLFWError":  # the error that follows says it
            return
        print(f"mjscene: warning: {' '.join(str(message).split())}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def print_json(value: object) -> None:
    """Print data for programs: no NaN, and NumPy's numbers as numbers."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False, default=_plain, allow_nan=False))


def _plain(value: Any) -> Any:
    convert: Callable[[], Any] | None = getattr(value, "tolist", None)
    return str(value) if convert is None else convert()
