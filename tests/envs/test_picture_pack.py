"""A folder of images in the place of drawn pictures."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shopsim.data import DataSet
from shopsim.envs import ShopSimEnv
from shopsim.envs.screens.pictures.pack import PicturePack
from shopsim.envs.screens.recording import record_screens
from shopsim.errors import DataError, InputError
from tests.data import factory
from tests.envs.window_shopping import Shelf, item

RED, GREEN, BLUE = (200, 0, 0), (0, 200, 0), (0, 0, 200)


def image(path: Path, color: tuple[int, int, int]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (20, 20), color).save(path)
    return str(path)


def test_an_items_own_images_go_before_those_of_its_categories(tmp_path: Path) -> None:
    own, leaf = image(tmp_path / "secret-1.png", RED), image(tmp_path / "hidden-leaf.jpg", GREEN)
    root = image(tmp_path / "hidden-root.webp", BLUE)
    pack = PicturePack(Shelf(), tmp_path)
    assert pack.item(1).picture.file == own
    assert pack.item(2).picture.file == leaf
    (tmp_path / "hidden-leaf.jpg").unlink()
    assert PicturePack(Shelf(), tmp_path).item(2).picture.file == root
    (tmp_path / "hidden-root.webp").rename(tmp_path / "other.webp")
    assert PicturePack(Shelf(), tmp_path).item(2) == item(2)


def test_a_folder_gives_each_item_one_of_its_images_always_the_same(tmp_path: Path) -> None:
    files = {image(tmp_path / "hidden-leaf" / f"{i}.png", (i, i, i)) for i in range(5)}
    (tmp_path / "hidden-leaf" / "notes.txt").write_text("no image")
    pack = PicturePack(Shelf(), tmp_path)
    given = [pack.item(row).picture.file for row in range(40)]
    assert set(given) == files
    assert given == [PicturePack(Shelf(), tmp_path).item(row).picture.file for row in range(40)]
    changed = {name: getattr(pack.item(3), name) for name in ("title", "price", "attributes")}
    assert changed == {name: getattr(item(3), name) for name in changed}
    assert pack.item(3).picture.aspect == item(3).picture.aspect


def test_environments_and_recorded_screens_show_them(tmp_path: Path, tiny: DataSet) -> None:
    pack = tmp_path / "pack"
    for row in range(tiny.n_items):
        image(pack / f"{tiny.item_id(row)}.png", RED)
    (seen, info), (drawn, same) = (ShopSimEnv(tiny, pictures=p).reset(seed=0) for p in (pack, None))
    red = (seen["screenshot"] == RED).all(axis=2)
    assert red.mean() > 0.2
    assert not (drawn["screenshot"] == RED).all(axis=2).any()
    assert (info["text"], info["items"]) == (same["text"], same["items"])
    path = factory.write_tiny(tmp_path / "set")
    record_screens(path, pictures=pack)
    shown, info = ShopSimEnv(path).reset(seed=0)
    assert info["screen_source"] == "recorded"
    assert np.array_equal(shown["screenshot"], seen["screenshot"])


def test_what_is_no_pack_is_named(tmp_path: Path, tiny: DataSet) -> None:
    with pytest.raises(InputError, match="nowhere is no folder of pictures"):
        ShopSimEnv(tiny, pictures=tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no pictures.*\.jpg"):
        ShopSimEnv(tiny, pictures=tmp_path)
    (tmp_path / f"{tiny.item_id(int(tiny.feed(0)[0]))}.png").write_text("no image")
    env = ShopSimEnv(tiny, split=None, pictures=tmp_path)
    with pytest.raises(DataError, match=r"\.png cannot be read"):
        env.reset(options={"session_id": tiny.session_id(0)})
