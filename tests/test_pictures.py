"""Pictures in files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_scene import draws, red_spot, small_scene

from mjscene import RenderError, write_png
from mjscene.pictures import picture_file, render

PICTURE = np.random.default_rng(3).integers(0, 256, (5, 7, 3), dtype=np.uint8)


def test_another_reader_reads_the_same_pixels(tmp_path: Path) -> None:
    path = write_png(tmp_path / "new" / "folder" / "x.PNG", PICTURE)
    assert path == tmp_path / "new" / "folder" / "x.PNG"
    with Image.open(path) as image:
        assert image.mode == "RGB"
        np.testing.assert_array_equal(np.asarray(image), PICTURE)


@draws
def test_a_picture_shows_the_scene_upright(tmp_path: Path) -> None:
    scene = small_scene()
    scene.data.joint("ball_joint0").qpos[:3] = (0.5, 0, 1.5)  # right and up, as the camera sees it
    scene.forward()
    column, row = red_spot(render(scene, "side"))
    assert column > 40
    assert row < 20
    with Image.open(write_png(tmp_path / "x.png", scene.render("side"))) as image:
        assert image.size == (64, 48)


@pytest.mark.parametrize(
    "picture",
    [
        PICTURE[..., 0],
        PICTURE.astype(float),
        PICTURE[:, :0],
        np.zeros((2, 2, 4), np.uint8),
        "no picture",
        None,
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, picture: object) -> None:
    with pytest.raises(RenderError, match=r"write_png\.picture"):
        write_png(tmp_path / "x.png", picture)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["x.jpg", "x", "", "a/x.gif", 3, None])
def test_a_path_that_is_none_of_a_png_is_refused(path: object) -> None:
    with pytest.raises(RenderError, match=r"write_png\.path"):
        write_png(path, PICTURE)  # type: ignore[arg-type]


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    with pytest.raises(RenderError, match="is a folder"):
        write_png(tmp_path / "x.png", PICTURE)


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in ("file/x.png", "file/more/x.png"):
        with pytest.raises(RenderError) as caught:
            write_png(tmp_path / path, PICTURE)
        assert caught.value.file == str(tmp_path / path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RenderError, match="permission denied"):
        write_png(tmp_path / "x.png", PICTURE)


def test_a_disk_that_fails_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RenderError, match="cannot be written: No space left"):
        write_png(tmp_path / "x.png", PICTURE)


def test_looking_at_a_path_makes_nothing(tmp_path: Path) -> None:
    assert picture_file(tmp_path / "a/b/x.mp4", (".mp4",), "here") == tmp_path / "a/b/x.mp4"
    assert list(tmp_path.iterdir()) == []
