"""The command line: ``mjscene COMMAND``, or ``python -m mjscene COMMAND``.

One file per command (``base.py`` says what it has), imported when it is the one asked for: help
must not wait for MuJoCo. Exit codes: 0 fine, 1 the check, comparison, test or simulation failed, 2
wrong usage or input. An error is one line; ``--traceback`` shows where it came from.
"""

from __future__ import annotations

import argparse
import os
import sys

TYPE_CHECKING = False  # importing typing would double the time that --help takes
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from mjscene.cli.base import Command

__all__ = ["main"]

FINE, FAILED, WRONG = 0, 1, 2
_INTERRUPTED, _NO_READER = 130, 141  # 128 + the signal's number, as shells say it

COMMANDS = {
    "build": "compose a scene, say what became of it, save it",
    "check": "look for what is wrong with a scene or a robot's file",
    "run": "run a scene or a scenario, and say how it went",
    "test": "run scenarios as tests, several at once",
    "record": "run a scene or a scenario and record it to a file",
    "compare": "compare a recording with a golden one",
    "render": "draw a picture or a video of a scene",
    "view": "look at a scene in MuJoCo's viewer",
    "list": "list the robots, scenes and scenarios that ship",
    "schema": "print the JSON Schema of scene or scenario files",
}
EPILOG = """\
SCENE is the name of a scene that ships (mjscene list), a YAML file, a Python file with a `spec`,
or a robot's own file (.xml, .urdf, .mjz, mjscene:NAME, menagerie:NAME), which then stands alone.
run, check and record take a scenario (its name or *.scenario.yaml) too.

examples:
  mjscene list
  mjscene check my_robot.urdf
  mjscene run dual_arm --seconds 2
  mjscene render dual_arm -o picture.png
  mjscene COMMAND --help

exit codes: 0 fine, 1 the check, comparison, test or simulation failed, 2 wrong usage or input
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser() -> _Parser:
    """The parser of what comes before the command."""
    parser = _Parser(
        prog="mjscene",
        description="Build, check, run, test and draw scenes of many robots in MuJoCo.",
        epilog=_commands() + EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="mjscene COMMAND [options]",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    return parser


def _commands() -> str:
    lines = [f"  {name:9}{summary}" for name, summary in COMMANDS.items()]
    return "\n".join(["commands:", *lines, "", ""])


def _command_parser(name: str, command: Command) -> _Parser:
    parser = _Parser(
        prog=f"mjscene {name}",
        description=command.__doc__,
        epilog=f"examples:\n{command.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    parser.add_argument("--traceback", action="store_true", help="show where an error came from")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: Its words; those of the process by default.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `mjscene list >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a file's encoding may lack a letter or a line
    try:
        if not words or words[0].startswith("-"):
            return _without_command(words)
        return _run(words[0], words[1:])
    except SystemExit as done:  # argparse ends so
        return done.code if isinstance(done.code, int) else WRONG
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # as of `mjscene list | head -1`
        _give_up_output()
        return _NO_READER
    except OSError as error:  # as of `mjscene --version >/dev/full`
        _give_up_output()
        print(f"mjscene: error: the output cannot be written: {error.strerror}", file=sys.stderr)
        return WRONG


def _give_up_output() -> None:
    """What is still to be written goes nowhere: Python, when it ends, would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _without_command(words: list[str]) -> int:
    parser = _parser()
    if parser.parse_args(words).version:
        from mjscene import __version__

        print(f"mjscene {__version__}", flush=True)
        return FINE
    parser.print_help(sys.stderr)
    return WRONG


def _run(name: str, words: list[str]) -> int:
    import importlib

    if name not in COMMANDS:
        from mjscene.errors import close_matches

        near = " or ".join(repr(n) for n in close_matches(name, COMMANDS))
        said = f"did you mean {near}?" if near else f"there are {', '.join(COMMANDS)}"
        print(f"mjscene: error: there is no command {name!r}; {said}", file=sys.stderr)
        return WRONG
    # A module `list` would hide Python's own here.
    module = "shipped" if name == "list" else name
    command: Command = importlib.import_module(f"mjscene.cli.{module}")  # type: ignore[assignment]
    options = _command_parser(name, command).parse_args(words)
    try:
        from mjscene.cli.base import said_shortly

        with said_shortly():
            code = command.run(options)
            sys.stdout.flush()
            return code
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a line and no trace
        return _failed(name, error, options)


def _failed(name: str, error: Exception, options: argparse.Namespace) -> int:
    """Say what went wrong, on the standard output too for one who reads JSON; the exit code."""
    from mjscene.errors import MjsceneError, SimulationError

    with_traceback = options.traceback
    if with_traceback:
        import traceback

        traceback.print_exception(error)
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif not isinstance(error, MjsceneError):
        text = f"{type(error).__name__}: {text}"
        if _while_importing_mujoco(error):
            chosen = os.environ.get("MUJOCO_GL", "")
            text = f"MuJoCo cannot be imported (MUJOCO_GL={chosen!r}): {text}"
        text += "" if with_traceback else " (--traceback shows where)"
    print(f"mjscene {name}: error: {text}", file=sys.stderr)
    try:
        if getattr(options, "json", False):
            from mjscene.cli.base import print_json

            print_json({"error": text})
        sys.stdout.flush()
    except OSError:  # which may be the error itself
        _give_up_output()
    return FAILED if isinstance(error, SimulationError) else WRONG


def _while_importing_mujoco(error: Exception) -> bool:
    """Whether MuJoCo's own import failed, as it does without the GL library it is told to use."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "mujoco":
            return "mujoco" not in sys.modules
        trace = trace.tb_next
    return False
