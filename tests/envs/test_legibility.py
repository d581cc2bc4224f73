"""Nothing written on a screen runs into something else or off the screen, whatever an item holds."""

from itertools import combinations
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from shopsim.data.records import ASPECTS, Item, Picture, Review
from shopsim.data.vocabulary import Action
from shopsim.envs import layout
from shopsim.envs.screens.canvas import Canvas, Scale
from shopsim.envs.screens.fonts import REGULAR, text_mask
from shopsim.envs.screens.pages import page_model
from shopsim.envs.screens.painter import Painter
from shopsim.envs.screens.theme import Color, theme_of
from tests.envs.window_shopping import Shelf, enter

DOWN, _, CLICK, ENTER, *_ = Action
LATIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=200)
CHINESE = st.text("男士纯棉圆领短袖恤夏季新款宽松百搭，上衣潮流 A1", min_size=1, max_size=120)
WORDS = LATIN | CHINESE


class Ink(NamedTuple):
    """Where a text stands, in pixels."""

    text: str
    left: int
    top: int
    right: int
    bottom: int


class Noting(Canvas):
    """A canvas that notes where texts stand."""

    def __init__(self, scale: Scale) -> None:
        super().__init__(layout.WIDTH, layout.HEIGHT, scale, (255, 255, 255))
        self.texts: list[Ink] = []

    def text(
        self,
        text: str,
        x: float,
        baseline: float,
        size: float,
        color: Color,
        weight: int = REGULAR,
        align: float = 0.0,
    ) -> float:
        drawn = text_mask(text, size * self.scale.unit, weight)
        ink = Image.frombytes("L", drawn.mask.size, drawn.mask.tobytes()).getbbox()
        if ink is not None:
            left = round(x * self.scale.sx - align * drawn.width)
            top = self.scale.y(baseline) - drawn.ascent
            self.texts.append(Ink(text, left + ink[0], top + ink[1], left + ink[2], top + ink[3]))
        return super().text(text, x, baseline, size, color, weight, align)


@st.composite
def items(draw: st.DrawFn) -> Item:
    """Anything a data set may hold."""
    optional = st.none() | WORDS
    return Item(
        item_id="i",
        title=draw(WORDS),
        price=draw(st.sampled_from([0.0, 0.5, 9.99, 1299.0, 48_999.5, 7e6, 1e15]) | st.floats(0, 1e7)),
        l1=None,
        l2=None,
        l3=None,
        picture=Picture("mug", draw(st.sampled_from(ASPECTS)), seed=draw(st.integers(0, 2**31))),
        brand=draw(optional),
        shop=draw(optional),
        rating=draw(st.none() | st.floats(1, 5)),
        sales=draw(st.none() | st.integers(0, 2**63 - 1)),
        attributes=draw(st.dictionaries(WORDS, WORDS, max_size=14)),
        reviews=tuple(draw(st.lists(st.builds(Review, st.integers(1, 5), WORDS), max_size=12))),
        description=draw(st.just("") | WORDS),
    )


@pytest.mark.parametrize("size", [(320, 608), (160, 320)])
@settings(max_examples=60, deadline=None)
@given(
    shown=st.lists(items(), min_size=4, max_size=4),
    locale=st.sampled_from(["en", "zh"]),
    currency=st.sampled_from(["USD", "CNY", "CHF", "JPY"]),
    in_cart=st.sampled_from([0, 3, 42, 120]),
    page=st.sampled_from([None, CLICK, ENTER]),
    scrolls=st.integers(0, 3),
)
def test_no_two_texts_overlap_and_none_leaves_the_screen(
    size: tuple[int, int],
    shown: list[Item],
    locale: str,
    currency: str,
    in_cart: int,
    page: Action | None,
    scrolls: int,
) -> None:
    shelf = Shelf(shown, locale, currency)
    shop = enter(shelf, *([] if page is None else [(page, 0)]))
    for _ in range(scrolls):
        shop.step(DOWN)
    shop.cart = dict.fromkeys(range(in_cart))
    theme, scale = theme_of("light"), Scale(size[0] / layout.WIDTH, size[1] / layout.HEIGHT)
    painter = Painter(theme, lambda picture, width, height: Image.new("RGB", (width, height)))
    elements = page_model(shelf, shop)
    bars = {"status", "search", "heading", "cart_icon", "back"}
    layers = [[e for e in elements if (e.kind in bars or e.box.y >= layout.BOTTOM) == fixed] for fixed in (True, False)]
    for layer in layers:  # what scrolls goes under the bars
        canvas = Noting(scale)
        for element in layer:
            painter.paint(canvas, element)
        for text in canvas.texts:
            assert text.left >= 0, text
            assert text.right <= size[0], text
        for a, b in combinations(canvas.texts, 2):
            beside = a.right <= b.left + 1 or b.right <= a.left + 1
            assert beside or a.bottom <= b.top + 1 or b.bottom <= a.top + 1, (a, b)
