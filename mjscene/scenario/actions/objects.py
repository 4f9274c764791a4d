"""Add and remove objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.scenario.base import Action
from mjscene.spec import SceneObject, checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["AddObject", "RemoveObject"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class AddObject(Action):
    """Add an object to the running scene.

    Args:
        object: The object, as in a scene's ``objects``.
    """

    object: SceneObject

    word: ClassVar[str] = "add_object"
    whole: ClassVar[str | None] = "object"

    def _check_fields(self) -> None:
        self._put("object", checks.instance, SceneObject)

    def check(self, stage: Stage) -> None:
        """See that its name is free."""
        stage.add(self.object, "object.name")

    def act(self, run: Run) -> None:
        """Add it."""
        with run.another_recording():
            run.scene.add_object(self.object)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class RemoveObject(Action):
    """Remove an object from the running scene.

    Args:
        name: The object's name.
    """

    name: str

    word: ClassVar[str] = "remove_object"
    whole: ClassVar[str | None] = "name"

    def _check_fields(self) -> None:
        self._put("name", checks.name)

    def check(self, stage: Stage) -> None:
        """See that it is there."""
        stage.remove(self.name, "name")

    def act(self, run: Run) -> None:
        """Remove it, and end what is done to its parts."""
        with run.another_recording():
            run.scene.remove_object(self.name)
        run.cancel_gone()
