"""Kinds of video file, and what they say when their package is missing."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mjscene import RenderError
from mjscene.videofiles import WRITERS


@pytest.mark.parametrize(("suffix", "package"), [(".mp4", "av"), (".gif", "PIL")])
def test_a_missing_package_is_named_with_what_to_install(
    suffix: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RenderError, match=r"pip install 'mjscene\[video\]'"):
        WRITERS[suffix]()


@pytest.mark.parametrize("rate", [Fraction(50), Fraction(30), Fraction(12), Fraction(24000, 1001)])
def test_frames_of_a_gif_last_as_long_as_the_rate_says(tmp_path: Path, rate: Fraction) -> None:
    taken = [np.full((4, 6, 3), 10 * k, dtype=np.uint8) for k in range(20)]
    WRITERS[".gif"]()(tmp_path / "x.gif", iter(taken), rate)
    with Image.open(tmp_path / "x.gif") as image:
        ends, total = [], 0
        for k in range(image.n_frames):
            image.seek(k)
            total += image.info["duration"]
            ends.append(total)
    assert ends == [10 * round(100 * (k + 1) / rate) for k in range(20)]
