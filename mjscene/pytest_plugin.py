"""The pytest plugin: scenes, golden trajectories, and scenarios as tests.

pytest finds it by itself where mjscene is installed. It costs next to nothing until a test uses it:
nothing here imports MuJoCo before that.

Fixtures: ``scene`` and ``trajectory_regression``. Options: ``--mjscene-record`` records goldens
instead of comparing with them, ``--mjscene-output`` says where evidence of differences goes. Files
named ``*.scenario.yaml`` are tests.
"""

from __future__ import annotations

import importlib
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mjscene.recorder import Recorder
    from mjscene.recording import Recording
    from mjscene.scene import Scene
    from mjscene.spec import SceneSpec

__all__ = ["ScenarioError", "ScenarioFile", "ScenarioItem", "TrajectoryRegression"]

_RECORDED = "mjscene_recorded"
_GOLDENS = "goldens"  # mjscene.goldens.FOLDER, which would import NumPy
_WRITERS = pytest.StashKey[dict[str, str]]()  # golden -> the test of this session that wrote it
_SUFFIX = ".scenario.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("mjscene", "simulations (mjscene)")
    group.addoption(
        "--mjscene-record",
        action="store_true",
        help="record golden trajectories instead of comparing with them",
    )
    group.addoption(
        "--mjscene-output",
        metavar="FOLDER",
        help="where plots and texts of trajectories that differ go"
        " (default: mjscene-output in the root folder)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a folder for evidence that is one of goldens.

    Raises:
        pytest.UsageError: It is.
    """
    config.stash[_WRITERS] = {}
    chosen: str | None = config.getoption("--mjscene-output")
    if chosen is None:
        return
    given = config.invocation_params.dir / chosen
    pairs = (
        (Path(os.path.abspath(given)), config.rootpath),
        (Path(os.path.realpath(given)), Path(os.path.realpath(config.rootpath))),
    )
    for path, root in pairs:
        below = path.relative_to(root).parts if path.is_relative_to(root) else ()
        if _GOLDENS in (path.name, *below):
            raise pytest.UsageError(
                f"--mjscene-output {chosen}: evidence of differences would overwrite goldens there;"
                f" name a folder that is not called {_GOLDENS!r} and is in none of that name"
            )


@pytest.fixture
def scene(request: pytest.FixtureRequest) -> Callable[[str | os.PathLike[str] | SceneSpec], Scene]:
    """Builds scenes: ``scene("arm_gripper")``, ``scene("files/cell.yaml")``, ``scene(spec)``.

    A path is relative to the test's file.
    """

    def make(given: str | os.PathLike[str] | SceneSpec) -> Scene:
        from mjscene import build_scene, load_scene

        if not isinstance(given, str | os.PathLike):
            return build_scene(given)
        path = Path(given)
        is_path = not isinstance(given, str) or path.suffix or len(path.parts) > 1
        return build_scene(load_scene(str(request.path.parent / path) if is_path else str(given)))

    return make


class TrajectoryRegression:
    """Compares a run with the golden one of its test; the fixture ``trajectory_regression``.

    Attributes:
        folder: Where the goldens of the test's file are: ``goldens/<test module>`` beside it.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node, self._config = request.node, request.config
        self.folder: Path = request.path.parent / _GOLDENS / request.path.stem
        cls = getattr(request.node, "cls", None)
        self._test: str = (
            request.node.name if cls is None else f"{cls.__qualname__}.{self._node.name}"
        )
        self._done: set[str] = set()

    def __call__(
        self,
        run: Recording | Recorder | Any,
        name: str | None = None,
        *,
        tolerance: float | Mapping[str, float] = 1e-6,
        relative: float = 1e-6,
    ) -> None:
        """Compare a run with its golden, or record it with ``--mjscene-record``.

        Args:
            run: A recording, or what has one: a recorder, the result of a scenario.
            name: The golden's name, by default the test's; a second golden of a test needs one.
                Tests may compare with one golden, but only one of them can record it.
            tolerance: See ``mjscene.comparison.compare``.
            relative: See ``mjscene.comparison.compare``.

        Raises:
            RecordingError: The golden is damaged, nothing can be judged by it, or another test has
                recorded it in this session.
        """
        from mjscene import goldens
        from mjscene.recording import Recording
        from mjscene.recordingfile import RecordingError

        recording = run if isinstance(run, Recording) else getattr(run, "recording", None)
        if not isinstance(recording, Recording):
            raise RecordingError(
                f"expected a recording, got a {type(run).__name__}",
                where="trajectory_regression",
                hint="record with `with scene.record() as recorder:` and pass the recorder",
            )
        stem = goldens.file_stem(self._test if name is None else name)
        if stem in self._done:
            raise RecordingError(
                f"the test has used the golden {stem!r} already",
                where="trajectory_regression.name",
                given=name,
                hint="give each run of a test a name",
            )
        self._done.add(stem)
        golden = self.folder / f"{stem}.npz"
        if self._config.getoption("--mjscene-record"):
            self._refuse_written(golden, name)
            goldens.record_golden(golden, recording)
            self._config.stash[_WRITERS][os.path.realpath(golden)] = self._node.nodeid
            self._node.user_properties.append((_RECORDED, self._shown(golden)))
            return
        if not golden.exists():
            pytest.fail(self._how_to_record(golden), pytrace=False)
        # By the test's name too: tests that share a golden leave each their own.
        own = self._test if name is None else f"{self._test}.{name}"
        evidence = goldens.Evidence(self._output() / goldens.file_stem(own))
        text = goldens.check_golden(
            golden, recording, evidence, tolerance=tolerance, relative=relative
        )
        if text is not None:
            hint = f"if this is right: {self._command()}"
            pytest.fail(f"{text}\n{hint}", pytrace=False)

    def _refuse_written(self, golden: Path, name: str | None) -> None:
        """Refuse to overwrite what another test recorded just now."""
        from mjscene.recordingfile import RecordingError

        writer = self._config.stash[_WRITERS].get(os.path.realpath(golden), self._node.nodeid)
        if writer != self._node.nodeid:
            raise RecordingError(
                f"{writer} has recorded {self._shown(golden)} in this session",
                where="trajectory_regression.name",
                given=name,
                hint="give the run of each test a name of its own",
            )

    def _output(self) -> Path:
        """The folder for evidence about the tests of this file, whatever its name elsewhere."""
        root: Path = self._config.rootpath
        chosen: str | None = self._config.getoption("--mjscene-output")
        started: Path = self._config.invocation_params.dir
        folder = root / "mjscene-output" if chosen is None else started / chosen
        module: Path = self._node.path.with_suffix("")
        return folder / (module.relative_to(root) if module.is_relative_to(root) else module.name)

    def _how_to_record(self, golden: Path) -> str:
        return f"there is no golden {self._shown(golden)}; record it: {self._command()}"

    def _command(self) -> str:
        return f"python -m pytest --mjscene-record {shlex.quote(self._node.nodeid)}"

    def _shown(self, path: Path) -> str:
        root = self._config.rootpath
        return str(path.relative_to(root) if path.is_relative_to(root) else path)


@pytest.fixture
def trajectory_regression(request: pytest.FixtureRequest) -> TrajectoryRegression:
    """Compares a run with the golden trajectory of the test.

    ``goldens/<test module>/<test>.npz`` beside the test's file; ``--mjscene-record`` writes it.
    """
    return TrajectoryRegression(request)


def _recorded(terminalreporter: Any) -> dict[str, set[str]]:
    """The goldens recorded, in whatever process, and the tests that did."""
    recorded: dict[str, set[str]] = {}
    for report in (r for several in terminalreporter.stats.values() for r in several):
        if getattr(report, "when", None) == "call":
            for key, value in getattr(report, "user_properties", ()):
                if key == _RECORDED:
                    recorded.setdefault(value, set()).add(report.nodeid)
    return recorded


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where tests in several processes (pytest-xdist) recorded one golden."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and any(len(tests) > 1 for tests in _recorded(reporter).values()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which goldens were recorded: a run that compared nothing must not look like one."""
    recorded = _recorded(terminalreporter)
    if recorded:
        terminalreporter.section("mjscene: goldens recorded, nothing compared")
        for path, tests in sorted(recorded.items()):
            terminalreporter.write_line(path)
            if len(tests) > 1:
                several = ", ".join(sorted(tests))
                terminalreporter.write_line(f"ERROR: written by several tests: {several}")


class ScenarioError(Exception):
    """A scenario that did not pass; its text says why."""


class ScenarioItem(pytest.Item):
    """One scenario file as a test."""

    def runtest(self) -> None:
        """Run it.

        Expected of ``mjscene.scenario``: ``read_scenario(path)`` gives an object whose ``run()``
        gives a result with ``passed``, ``text`` and ``recording``.
        """
        scenario = importlib.import_module("mjscene.scenario")
        result = scenario.read_scenario(self.path).run()
        if not result.passed:
            raise ScenarioError(result.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Mjscene's own errors say enough without a traceback."""
        from mjscene.errors import MjsceneError

        if isinstance(excinfo.value, ScenarioError | MjsceneError):
            return f"{self.path.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is, for reports."""
        return self.path, None, f"scenario {self.name}"


class ScenarioFile(pytest.File):
    """A scenario file."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Its one test, named after the file."""
        yield ScenarioItem.from_parent(self, name=self.path.name.removesuffix(_SUFFIX))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect ``*.scenario.yaml``."""
    if not file_path.name.endswith(_SUFFIX):
        return None
    file: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return file
