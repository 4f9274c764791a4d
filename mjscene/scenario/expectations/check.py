"""What a function says; only in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mjscene.errors import SpecError, shown
from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Check"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Check(Expectation):
    """A function of the scene gives true; a file cannot hold it.

    Args:
        function: The function. True or None means that all is well; False or a text, which says
            what was seen, means it is not.
        what: What is expected, in words; by default the function's name.
    """

    function: Callable[[Any], bool | str | None]
    what: str = ""

    word: ClassVar[str] = "check"

    def _check_fields(self) -> None:
        if not callable(self.function):
            raise SpecError(
                f"expected a function, got {shown(self.function)}", where="Check.function"
            )

    def check(self, stage: Stage) -> None:
        """Nothing is known before it is called."""
        return

    def said(self, stage: Stage) -> str:
        """What is expected."""
        return self.what or str(getattr(self.function, "__name__", self.function))

    def bind(self, run: Run) -> Probe:
        """Call it."""

        def look() -> Miss | None:
            said = self.function(run.scene)
            if isinstance(said, str):
                return Miss(said)
            return None if said is None or bool(said) else Miss("it says no")

        return look
