"""The first pieces that a process paints are kept on disk for the next, and are what would be painted."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.data.records import Picture
from shopsim.envs.layout import Box
from shopsim.envs.screens import paint_cache
from shopsim.envs.screens.pages import Element
from shopsim.envs.screens.paint_cache import PaintCache, user_folder
from shopsim.envs.screens.pieces import Piece
from shopsim.envs.screens.renderer import Pixels, Renderer
from tests.envs.window_shopping import Shelf, tour

START = """
import hashlib, json, sys
from shopsim.envs.env import ShopSimEnv
env = ShopSimEnv(split=None)
seen = [env.reset(seed=seed)[0]["screenshot"] for seed in (0, 1)]
print(json.dumps([[hashlib.sha256(pixels).hexdigest() for pixels in seen], "PIL.Image" in sys.modules]))
"""


def start(folder: Path | str) -> tuple[list[str], bool]:
    """The first screens of a process, by hash, and whether it loaded Pillow."""
    done = subprocess.run(
        [sys.executable, "-c", START],
        env=os.environ | {"SHOPSIM_CACHE": str(folder)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    screens, loaded = json.loads(done.stdout)
    return screens, loaded


def piece(text: str = "Home", **picture: Any) -> Piece:
    shown = Picture("mug", **picture) if picture else None
    return Piece((Element(Box("title", 0, 0, 20, 10), (text,), 12, picture=shown),), 20, 10, (255, 255, 255))


class Painter:
    """Paints a piece in one shade, and counts."""

    def __init__(self) -> None:
        self.painted = 0

    def __call__(self, wanted: Piece) -> Pixels:
        self.painted += 1
        return np.full((10, 20, 3), len(wanted.elements[0].lines[0]), np.uint8)


def test_the_next_process_shows_the_same_screens_without_pillow(tmp_path: Path) -> None:
    fresh, loaded = start("")
    assert loaded
    assert start(tmp_path / "not/yet") == (fresh, True)
    assert start(tmp_path / "not/yet") == (fresh, False)


def test_the_same_pixels_with_and_without(tmp_path: Path) -> None:
    shelf = Shelf()
    plain, first, second = Renderer(shelf), Renderer(shelf, cache=tmp_path), Renderer(shelf, cache=tmp_path)
    for shop in tour(shelf):
        expected = plain.screen(shop)
        assert np.array_equal(first.screen(shop), expected)
        assert np.array_equal(second.screen(shop), expected)


def test_other_content_theme_scale_or_programs_are_painted_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paint = Painter()
    PaintCache(tmp_path, "light", 1.0).painted(piece(), (10, 20), paint)
    PaintCache(tmp_path, "light", 1.0).painted(piece(), (10, 20), paint)
    assert paint.painted == 1
    PaintCache(tmp_path, "light", 1.0).painted(piece("Deals"), (10, 20), paint)
    PaintCache(tmp_path, "dark", 1.0).painted(piece(), (10, 20), paint)
    PaintCache(tmp_path, "light", 2.0).painted(piece(), (10, 20), paint)
    PaintCache(tmp_path, "light", 1.0).painted(piece(color="#112233"), (10, 20), paint)
    assert paint.painted == 5
    monkeypatch.setattr(paint_cache, "_tools", lambda: (("painter.py", 1, 1),))
    PaintCache(tmp_path, "light", 1.0).painted(piece(), (10, 20), paint)
    assert paint.painted == 6


@pytest.mark.parametrize("spoil", [lambda raw: raw[:-1], lambda raw: b"\0" * len(raw), lambda raw: b""])
def test_a_spoilt_file_is_painted_over(tmp_path: Path, spoil: Any) -> None:
    paint = Painter()
    expected = PaintCache(tmp_path).painted(piece(), (10, 20), paint)
    (file,) = tmp_path.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert np.array_equal(PaintCache(tmp_path).painted(piece(), (10, 20), paint), expected)
    assert np.array_equal(PaintCache(tmp_path).painted(piece(), (10, 20), paint), expected)
    assert paint.painted == 2


def test_photos_and_a_folder_that_cannot_be_are_no_error(tmp_path: Path) -> None:
    paint = Painter()
    PaintCache(tmp_path).painted(piece(file="cup.png"), (10, 20), paint)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_bytes(b"")
    PaintCache(tmp_path / "file").painted(piece(), (10, 20), paint)
    assert paint.painted == 2


def test_a_pillow_on_the_systems_freetype_gets_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paint_cache, "_tools", lambda: ())
    PaintCache(tmp_path).painted(piece(), (10, 20), Painter())
    assert not list(tmp_path.iterdir())


def test_only_the_first_pieces_are_kept_and_the_folder_stays_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = PaintCache(tmp_path)
    for number in range(paint_cache._FIRST + 5):
        cache.painted(piece(str(number)), (10, 20), Painter())
    assert len(list(tmp_path.iterdir())) == paint_cache._FIRST
    for age, file in enumerate(sorted(tmp_path.iterdir())):
        os.utime(file, (age, age))
    newest = max(tmp_path.iterdir())
    one = newest.stat().st_size
    monkeypatch.setattr(paint_cache, "_MOST_BYTES", 10 * one)
    PaintCache(tmp_path).painted(piece("more"), (10, 20), Painter())
    left = list(tmp_path.iterdir())
    assert len(left) == 6
    assert newest in left


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert user_folder() is None, "switched off for tests"
    monkeypatch.setenv(paint_cache.VARIABLE, str(tmp_path))
    assert user_folder() == str(tmp_path)
    monkeypatch.delenv(paint_cache.VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_folder() == str(tmp_path / "shopsim" / "painted")
