"""Many pictures through one context."""

from __future__ import annotations

import numpy as np
import pytest
from small_scene import SIZE, draws, red_spot, small_scene

from mjscene import FreeCamera, Renderer, RenderError, SceneObject
from mjscene import renderer as renderer_module
from mjscene.pictures import render

pytestmark = draws


def test_a_kept_renderer_draws_what_a_new_one_draws() -> None:
    scene = small_scene()
    with Renderer(scene, "side") as renderer:
        pictures = []
        for _ in range(3):
            pictures.append(renderer.render())
            np.testing.assert_array_equal(pictures[-1], render(scene, "side"))
            scene.step(100)
    assert pictures[0].shape == (SIZE[1], SIZE[0], 3)
    assert pictures[0].dtype == np.uint8
    heights = [red_spot(p)[1] for p in pictures]  # rows count from above, and the ball falls
    assert heights[0] < heights[1] < heights[2]
    assert heights[0] == pytest.approx((SIZE[1] - 1) / 2, abs=1)
    assert not np.shares_memory(pictures[0], pictures[1])


def test_several_renderers_are_open_at_once() -> None:
    scene = small_scene()
    with Renderer(scene, "side") as one, Renderer(scene, FreeCamera(), width=20, height=10) as two:
        first = one.render()
        assert two.render().shape == (10, 20, 3)
        np.testing.assert_array_equal(one.render(), first)


def test_a_renderer_follows_objects_that_come_and_go() -> None:
    scene = small_scene()
    with Renderer(scene, "side") as renderer:
        before = renderer.render()
        scene.add_object(SceneObject("wall", shape="box", size=[1, 0.01, 1], pos=(0, -1, 1)))
        behind = renderer.render()
        scene.remove_object("wall")
        after = renderer.render()
    assert np.abs(behind.astype(int) - before).max() > 30
    np.testing.assert_array_equal(before, after)


def test_rendering_changes_nothing_of_the_scene() -> None:
    scene, other = small_scene(), small_scene()
    sizes = scene.model.vis.global_.offwidth, scene.model.vis.global_.offheight
    for _ in range(5):
        scene.step(10)
        scene.render("side", 2000, 20)  # beyond the model's own buffer of 640 x 480
        other.step(10)
    np.testing.assert_array_equal(scene.data.qpos, other.data.qpos)
    assert (scene.model.vis.global_.offwidth, scene.model.vis.global_.offheight) == sizes


def test_a_closed_renderer_says_so_and_closes_twice() -> None:
    renderer = Renderer(small_scene(), "side")
    renderer.close()
    renderer.close()
    with pytest.raises(RenderError, match="closed"):
        renderer.render()


def test_a_camera_that_is_not_there_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*size: int) -> None:
        raise AssertionError("a context was opened")

    monkeypatch.setattr("mjscene.renderer._gl_context", opened)
    for call in (lambda s: s.render("sid"), lambda s: s.render(0), lambda s: s.render(width=0)):
        with pytest.raises(RenderError):
            call(small_scene())


def test_what_opengl_raises_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    freed = []

    class Broken:
        def make_current(self) -> None:
            raise RuntimeError("no device\nat all")

        def free(self) -> None:
            freed.append(self)

    monkeypatch.setattr("mjscene.renderer._gl_context", lambda width, height: Broken())
    with pytest.raises(RenderError, match=r"no device at all; install EGL"):
        small_scene().render("side")
    assert len(freed) == 1


def test_a_picture_that_is_too_large_for_opengl_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A driver that refuses large buffers, and draws small ones."""
    make = renderer_module._gl_context

    def limited(width: int, height: int) -> object:
        if width > 500:
            raise RuntimeError("no such buffer")
        return make(width, height)

    monkeypatch.setattr(renderer_module, "_gl_context", limited)
    monkeypatch.setenv("MUJOCO_GL", "egl")
    with pytest.raises(RenderError, match="600 x 400 pixels is more than OpenGL can draw"):
        render(small_scene(), "side", width=600, height=400)
    monkeypatch.setenv("MUJOCO_GL", "glfw")  # it cannot be asked a second time
    with pytest.raises(RenderError, match="cannot render here"):
        render(small_scene(), "side", width=600, height=400)
