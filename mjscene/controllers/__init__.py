"""Controllers and what they are made of."""

from mjscene.controllers.filters import SecondOrderFilter

__all__ = ["SecondOrderFilter"]
