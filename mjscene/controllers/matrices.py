"""Parameters of controllers, checked: gains as numbers, vectors or matrices, and targets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import ControllerError, shown
from mjscene.geometry import as_numbers

__all__ = ["as_matrix", "checked_target", "checked_vector", "gain_matrix", "is_diagonal"]

Array = NDArray[np.float64]
_FLOAT = np.dtype(float)
# Symmetric to the rounding of a product such as R D R^T of well-conditioned factors.
_SYMMETRY = 1e-9


def _numbers(value: Any, where: str) -> Array:
    array = as_numbers(value, where, ControllerError).copy()
    if not np.isfinite(array).all():
        raise ControllerError(
            f"expected finite numbers, got {shown(value)}", where=where, given=value
        )
    return array


def checked_vector(value: Any, where: str) -> Array:
    """A number or a vector of numbers >= 0.

    Raises:
        ControllerError: It is none.
    """
    array = _numbers(value, where)
    if array.ndim > 1 or (array < 0).any():
        raise ControllerError(
            f"expected a number >= 0 or one per joint, got {shown(value)}", where=where, given=value
        )
    return array


def gain_matrix(value: Any, where: str) -> Array:
    """A number >= 0, a vector of them, or a symmetric positive semidefinite matrix.

    Raises:
        ControllerError: It is none of these.
    """
    array = _numbers(value, where)
    if array.ndim < 2:
        return checked_vector(value, where)
    square = array.ndim == 2 and array.shape[0] == array.shape[1] and array.size > 0
    scale = np.abs(array).max(initial=0.0)
    if not square or np.abs(array - array.T).max() > _SYMMETRY * scale:
        raise ControllerError(
            f"expected a symmetric matrix, got {shown(value)}", where=where, given=value
        )
    if np.linalg.eigvalsh(array).min() < -_SYMMETRY * scale:
        raise ControllerError(
            "the matrix has a negative eigenvalue: it would push away", where=where, given=value
        )
    return array


def as_matrix(gain: Array, count: int, where: str) -> Array:
    """A gain as a matrix (k, k).

    Raises:
        ControllerError: It is for another number of joints.
    """
    if gain.ndim == 2:
        if gain.shape != (count, count):
            raise ControllerError(
                f"expected a matrix ({count}, {count}), got {gain.shape}", where=where, given=gain
            )
        return gain
    if gain.ndim == 1 and gain.shape != (count,):
        raise ControllerError(
            f"expected one number or one per joint ({count}), got {gain.size}",
            where=where,
            given=gain,
        )
    return np.diag(np.broadcast_to(gain, count)).astype(float)


def is_diagonal(matrix: Array) -> bool:
    """Whether a matrix has nothing beside its diagonal."""
    return not (matrix - np.diag(np.diag(matrix))).any()


def checked_target(value: Any, count: int, where: str) -> Array:
    """A target of joints (k,).

    Raises:
        ControllerError: A wrong count, or numbers that are none or not finite.
    """
    plain = type(value) is np.ndarray and value.dtype is _FLOAT and value.shape == (count,)
    if plain and math.isfinite(sum(value.tolist())):  # as every step: half as long as NumPy's way
        return np.array(value)
    array = _numbers(value, where)
    if array.shape != (count,):
        raise ControllerError(
            f"expected one number per joint ({count}), got shape {array.shape}",
            where=where,
            given=value,
        )
    return array
