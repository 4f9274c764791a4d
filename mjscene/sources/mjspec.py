"""Sources that are a program's own ``mujoco.MjSpec``."""

from __future__ import annotations

from typing import Any

from mjscene.sources.base import Source

__all__ = ["load_mjspec"]


def load_mjspec(spec: Any, where: str | None) -> Source:
    """A source from a copy of the caller's MjSpec, which is never changed."""
    copy = spec.copy()
    assets = dict(copy.assets)
    copy.assets.clear()
    label = f"MjSpec {spec.modelname!r}" if spec.modelname else "MjSpec"
    source = Source(label=label, spec=copy, assets=assets)
    source.check_whole(spec, where)
    return source
