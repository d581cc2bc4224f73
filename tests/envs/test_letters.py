"""Text put together from letters is, pixel for pixel, what Pillow draws of the whole line."""

import random
import string
from itertools import groupby

import numpy as np
import pytest
from PIL import Image, ImageDraw

from shopsim.data import DataSet
from shopsim.envs.screens import fonts
from shopsim.envs.screens.letters import PEN, Letters

LATIN = string.printable[:95] + "…·’‘“”€£¥₽₹°×–™éüñØß"
CHINESE = "的一是商品女男士纯棉短袖夏季新款，。！（）《》１２"


def letters(size: float, wide: bool = False) -> Letters:
    """Letters that know nothing yet."""
    return Letters(fonts._letters(size, fonts.REGULAR, wide)._font, wide)


def whole(font: Letters, text: str, pen: int = 0) -> Image.Image:
    """The line as Pillow draws it."""
    image = Image.new("L", (1400, 100))
    ImageDraw.Draw(image).text((20 + pen / PEN, 70), text, 255, font._font, anchor="ls", features=font._features)
    return image


def together(font: Letters, text: str, pen: int = 0) -> Image.Image:
    image = Image.new("L", (1400, 100))
    for mask, x, y in font.place(text, pen)[0]:
        image.im.paste(255, (20 + x, 70 + y, 20 + x + mask.size[0], 70 + y + mask.size[1]), mask)
    return image


def words(chance: random.Random, alphabet: str) -> str:
    return " ".join("".join(chance.choices(alphabet, k=chance.randint(1, 9))) for _ in range(chance.randint(1, 5)))


@pytest.mark.parametrize("size", [40.0, 43.52, 60.0])
def test_lines_of_latin_letters(size: float) -> None:
    font, chance = letters(size), random.Random(0)
    for _ in range(150):
        text = words(chance, string.ascii_lowercase * 4 + LATIN)
        pen = chance.choice([0, 0, chance.randrange(500)])
        assert font.place(text, pen)[1] == pen + round(font._font.getlength(text, features=font._features) * PEN)
        assert together(font, text, pen) == whole(font, text, pen), text


def test_lines_of_chinese_letters() -> None:
    font, chance = letters(48.0, wide=True), random.Random(0)
    for _ in range(40):
        text = "".join(chance.choices(CHINESE, k=chance.randint(1, 14)))
        assert together(font, text) == whole(font, text), text


def test_titles_of_the_shipped_set_are_known_letter_by_letter_before_long() -> None:
    font = letters(48.0)
    titles = DataSet.bundled().titles(range(120))
    for title in titles * 2:
        font.place(title, 0)
    simple = [title for title in titles if len(font.place(title, 0)[0]) == len(title)]
    assert len(simple) > 0.9 * len(titles)
    for title in simple[:40]:
        assert together(font, title) == whole(font, title), title


@pytest.mark.parametrize("text", ["3x4 cm", "12 x 30 × 2", "A-B", "12+", "(ABC)", "10:30", "a -> b", "Ünïcode", "a@B"])
def test_signs_stay_as_they_are_whatever_is_beside_them(text: str) -> None:
    font = letters(48.0)
    for _ in range(40):  # enough to learn all letters and kernings
        placed, _ = font.place(text, 0)
    assert len(placed) == len(text)
    assert together(font, text) == whole(font, text)


@pytest.mark.parametrize("text", ["U\u0308ni", "a\u0301", "א"])
def test_letters_that_change_with_their_neighbours_are_left_to_pillow(text: str) -> None:
    font = letters(48.0)
    for _ in range(40):  # enough to learn all letters and kernings
        placed, _ = font.place(text, 0)
    assert len(placed) == 1
    assert together(font, text) == whole(font, text)


def test_touching_letters_cover_together() -> None:
    font = letters(60.0)
    for _ in range(40):
        placed, _ = font.place("soft fly", 0)
    assert len(placed) == 8
    assert together(font, "soft fly") == whole(font, "soft fly")


def test_mixed_lines_are_as_wide_as_their_parts_and_darker_than_nothing() -> None:
    drawn = fonts.text_mask("男士 T恤 cotton", 12.0, fonts.REGULAR)
    runs = ["".join(run) for _, run in groupby("男士 T恤 cotton", fonts._is_wide)]
    assert drawn.width == pytest.approx(sum(fonts.text_mask(run, 12.0, fonts.REGULAR).width for run in runs))
    assert np.array(drawn.mask).max() > 200
