"""Spec to YAML to spec: nothing is lost, whatever the spec."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from spec_strategies import scenes

from mjscene import SceneSpec, scene_from_yaml, scene_schema, scene_to_yaml
from mjscene.yamlfile import parse_yaml

VALIDATOR = jsonschema.Draft202012Validator(scene_schema())
SIGNS = {"attachments:", "home:", "path: |", "flags:", '"', "{site:", "kv:", "-0.0", "\\u"}
# A fixed seed: a run is the same everywhere. No database: nothing is left behind.
common: dict[str, Any] = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


def check(spec: SceneSpec) -> None:
    text = scene_to_yaml(spec)
    back = scene_from_yaml(text)
    assert back == spec
    assert repr(back) == repr(spec)  # to the last bit and the sign of zero
    assert scene_to_yaml(back) == text
    data = parse_yaml(text).root.plain
    assert yaml.safe_load(text) == data  # YAML 1.1 reads the same
    VALIDATOR.validate(data)


def run(examples: int, missing: int) -> None:
    """Check so many specs, and that what is hard to write was among them, but for so many signs.

    Which few a short run misses depends on hypothesis's version and on how fast the machine is.
    """
    reached: set[str] = set()

    @settings(max_examples=examples, **common)
    @given(spec=scenes())
    def each(spec: SceneSpec) -> None:
        text = scene_to_yaml(spec)
        reached.update(sign for sign in SIGNS if sign in text)
        check(spec)

    each()
    assert len(SIGNS - reached) <= missing, SIGNS - reached


def test_spec_survives_yaml() -> None:
    run(80, missing=len(SIGNS) // 3)


@pytest.mark.slow
def test_500_specs_survive_yaml() -> None:
    run(500, missing=0)


def test_text_is_the_same_in_every_process(tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    code = "import mjscene; print(mjscene.scene_to_yaml(mjscene.load_scene('dual_arm')))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "mjscene:panda" in texts.pop()
