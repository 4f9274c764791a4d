"""Spans of time in steps, for ``scene.run``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mjscene.errors import SpecError, shown

__all__ = ["run_for", "whole_steps"]

_MOST = 2**53  # steps that a double can count


def run_for(
    scene: Any,
    duration: float,
    policy: Callable[[Any], Any] | None,
    period: float | None,
    *,
    progress: bool,
) -> None:
    """Step a scene for a while, with a policy called once a period; see ``Scene.run``."""
    if policy is not None and not callable(policy):
        raise SpecError(
            f"expected a function of the scene, got {shown(policy)}",
            where="run.policy",
            given=policy,
            hint="the control period is run(..., period=...)",
        )
    step = float(scene.model.opt.timestep)
    each = 1 if period is None else whole_steps(period, step, "run.period")
    total = whole_steps(duration, step, "run.duration")
    starts: Any = range(0, total, each)
    if progress:
        starts = with_bar(starts)
    for start in starts:
        if policy is not None:
            commands = policy(scene)
            if commands is not None:
                scene.apply(commands)
        scene.step(min(each, total - start))


def whole_steps(span: float, step: float, where: str) -> int:
    """How many steps a span of time has."""
    if (
        isinstance(span, bool | np.bool_)
        or not isinstance(span, int | float | np.integer | np.floating)
        or not 0 < span < _MOST * step
    ):
        raise SpecError(
            f"expected a finite time > 0 [s], got {shown(span)}", where=where, given=span
        )
    count = round(float(span) / step)
    if count < 1 or abs(count * step - span) > 1e-6 * step * max(1, count):
        raise SpecError(
            f"expected a multiple of the timestep {step:g} s, got {span:g} s",
            where=where,
            given=span,
        )
    return count


def with_bar(starts: Any) -> Any:
    """The same, with a progress bar."""
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise SpecError(
            "a progress bar needs tqdm",
            where="run.progress",
            hint="pip install 'mjscene[progress]'",
        ) from error
    return tqdm(starts, unit="period")
