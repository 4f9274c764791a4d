"""MuJoCo's warning hook: taken while scenes exist, and given back."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from textwrap import dedent

import mujoco
import numpy as np
import pytest
from field_models import FLOAT, build

from mjscene import MjsceneWarning, RobotSpec, SimulationError

PREAMBLE = """
import gc, sys, warnings, mujoco, numpy as np, mjscene
MODEL = '''<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody>
</mujoco>'''
def scene():
    return mjscene.build_scene(mjscene.SceneSpec([mjscene.RobotSpec(MODEL)]))
def hook():
    return mujoco.get_mju_user_warning()
"""

STORIES = {
    "the hook is taken by a scene, not by the import, and given back after the last": """
        assert hook() is None
        first, second = scene(), scene()
        mine = hook()
        assert mine is not None
        del first; gc.collect()
        assert hook() is mine
        del second; gc.collect()
        assert hook() is None
        third = scene()
        assert hook() is not None
        """,
    "a hook that was there before is given back": """
        said = []
        mine = said.append
        mujoco.set_mju_user_warning(mine)
        one = scene()
        assert hook() is not mine
        del one; gc.collect()
        assert hook() is mine
        """,
    "a hook that another program takes meanwhile is left alone": """
        one = scene()
        mine = lambda message: None
        mujoco.set_mju_user_warning(mine)
        del one; gc.collect()
        assert hook() is mine
        """,
    "a scene that dies while another is built does not leave the hook behind": """
        one = scene()
        from mjscene.messages import Captured
        with Captured():
            del one; gc.collect()
        assert hook() is None
        """,
    "a build that fails takes no hook": """
        try:
            mjscene.build_scene(mjscene.SceneSpec([mjscene.RobotSpec("<mujoco><worldbo")]))
        except mjscene.MjsceneError:
            pass
        gc.collect()
        assert hook() is None
        """,
    "a scene whose objects change takes the hook once": """
        one = scene()
        one.add_object(mjscene.SceneObject("x", shape="sphere", size=[.1], pos=[5, 5, 5]))
        one.remove_object("x")
        del one; gc.collect()
        assert hook() is None
        """,
}


@pytest.mark.parametrize("story", STORIES)
def test_in_a_process_of_its_own(story: str, tmp_path: Path) -> None:
    code = PREAMBLE + dedent(STORIES[story])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == [], "no log"


def stumble(text: str = FLOAT) -> None:
    """Other code that makes MuJoCo warn."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[0] = np.nan
    mujoco.mj_step(model, data)


def test_what_other_code_makes_mujoco_say_is_a_warning_of_the_next_step_and_no_error() -> None:
    scene = build(RobotSpec(FLOAT, prefix="f/"))
    scene.step(2)
    stumble()
    with pytest.warns(MjsceneWarning, match="QVEL") as caught:
        scene.step()
    assert len(caught) == 1
    assert scene.steps == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.step(20)


def test_a_warning_said_often_is_passed_on_once() -> None:
    scene = build(RobotSpec(FLOAT, prefix="f/"))
    for _ in range(3):
        stumble()
    with pytest.warns(MjsceneWarning, match="QVEL") as caught:
        scene.step()
    assert len(caught) == 1


def test_a_scenes_own_blow_up_after_anothers_warning_is_its_own() -> None:
    scene = build(RobotSpec(FLOAT, prefix="f/"))
    stumble()
    scene.data.qpos[0] = np.nan
    with pytest.warns(MjsceneWarning, match="QVEL"), pytest.raises(SimulationError) as caught:
        scene.step()
    assert "QPOS" in str(caught.value)
    assert "QVEL" not in str(caught.value)
