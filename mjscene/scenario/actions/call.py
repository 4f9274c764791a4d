"""Call a function; only in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mjscene.errors import SpecError, shown
from mjscene.scenario.base import Action
from mjscene.scenario.stage import UNKNOWN
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Call"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Call(Action):
    """Call a function with the scene; a file cannot hold it.

    The function may do anything but add or remove objects. What it raises ends the run: mjscene's
    own errors are a failure of the scenario, others are raised by ``run``.

    Args:
        function: The function.
    """

    function: Callable[[Any], Any]

    switches: ClassVar[bool] = True

    def _check_fields(self) -> None:
        if not callable(self.function):
            raise SpecError(
                f"expected a function, got {shown(self.function)}", where="Call.function"
            )

    def check(self, stage: Stage) -> None:
        """Nothing is known before it is called, nor of modes after it."""
        stage.modes[:] = UNKNOWN

    def act(self, run: Run) -> None:
        """Call it."""
        self.function(run.scene)
