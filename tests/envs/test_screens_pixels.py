"""The renderer, the pictures and the phone around the screen."""

import hashlib
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from shopsim.data.records import ASPECTS, Picture
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.screens import font_files, fonts, renderer
from shopsim.envs.screens.canvas import Canvas
from shopsim.envs.screens.overlay import decorate
from shopsim.envs.screens.pages import page_model, screen_key
from shopsim.envs.screens.painter import Painter
from shopsim.envs.screens.pictures.gallery import DRAWINGS, draw_picture
from shopsim.envs.screens.pictures.sketch import parse_color
from shopsim.envs.screens.renderer import Renderer
from shopsim.envs.screens.scale import Scale
from shopsim.envs.screens.theme import theme_of
from shopsim.envs.shop import Shop
from shopsim.errors import DataError, InputError
from tests.envs.window_shopping import Shelf, enter, item, tour

DOWN, UP, CLICK, ENTER, BACK, CART, BUY, LEAVE = Action
SIZES = [(320, 608), (160, 320), (640, 1216), (333, 601), (97, 180)]


@pytest.fixture(scope="module")
def paint() -> Renderer:
    return Renderer(Shelf())


def digest(pixels: NDArray[np.uint8]) -> str:
    return hashlib.sha256(pixels.tobytes()).hexdigest()


# Screens


@pytest.mark.parametrize("size", SIZES)
def test_screens_have_the_size_asked_for(size: tuple[int, int]) -> None:
    paint = Renderer(Shelf(), *size)
    for shop in tour(Shelf()):
        screen = paint.screen(shop)
        assert (screen.shape, screen.dtype) == ((size[1], size[0], 3), np.uint8)


@pytest.mark.parametrize("size", SIZES)
def test_a_feed_leaves_no_pixel_unpainted(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the fresh array held before, the screen is the same: every pixel is written."""
    paint, shelf = Renderer(Shelf(), *size), Shelf()
    for shop in (*tour(shelf), enter(shelf, *[(DOWN, -1)] * 12)):
        screens = []
        for garbage in (0, 255):
            monkeypatch.setattr(renderer.np, "empty", lambda *a, g=garbage: np.full(*a[:1], g, *a[1:]))
            screens.append(paint.screen(shop))
            monkeypatch.undo()
        assert np.array_equal(*screens)


def test_the_end_of_a_feed_is_blank_below_its_last_cards(paint: Renderer) -> None:
    shop = enter(Shelf(), *[(DOWN, -1)] * 12)
    last = max(box.y + box.h for box in shop.whole_cards() if box.x > 100)
    column = paint.screen(shop)[last + layout.MARGIN : layout.BOTTOM, 164:312]
    assert len(np.unique(column.reshape(-1, 3), axis=0)) <= 1


def test_same_state_same_pixels_fresh_arrays(paint: Renderer) -> None:
    other = Renderer(Shelf())
    for a, b in zip(tour(Shelf()), tour(Shelf()), strict=True):
        first, second, third = paint.screen(a), paint.screen(b), other.screen(b)
        assert np.array_equal(first, second)
        assert np.array_equal(first, third)
        assert not np.shares_memory(first, second)
        first[:] = 0
        assert np.array_equal(paint.screen(a), second)


def test_different_states_look_different(paint: Renderer) -> None:
    assert len({digest(paint.screen(shop)) for shop in tour(Shelf())}) == 7


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([DOWN, UP, CLICK, ENTER, BACK, CART, BUY]), st.floats(0, 1), st.floats(0, 1)),
        max_size=15,
    )
)
def test_one_key_one_screen(paint: Renderer, walk: list[tuple[Action, float, float]]) -> None:
    shop = enter(Shelf())
    seen: dict[object, str] = {}
    for action, x, y in walk:
        shop.step(action, (x, y))
        assert seen.setdefault(screen_key(shop), digest(paint.screen(shop))) == digest(paint.screen(shop))


@pytest.mark.parametrize("size", [(320, 608), (160, 320), (333, 601)])
@pytest.mark.parametrize("scrolls", [0, 2])
def test_a_changed_item_changes_its_box_and_nothing_else(size: tuple[int, int], scrolls: int) -> None:
    shelf = Shelf()
    shop = enter(shelf, *[(DOWN, -1)] * scrolls)
    for box in (card for card in shop.cards() if card.h > 60):
        changed = shelf.with_item(
            box.item,
            title="Something else",
            price=1.0,
            picture=item(box.item).picture._replace(color="#20c040", accent="#000000"),
        )
        differs = (Renderer(shelf, *size).screen(shop) != Renderer(changed, *size).screen(shop)).any(axis=2)
        rows, columns = np.nonzero(differs)
        sx, sy = size[0] / layout.WIDTH, size[1] / layout.HEIGHT
        assert len(rows)
        assert columns.min() >= round(box.x * sx)
        assert columns.max() < round((box.x + box.w) * sx) + 1
        assert rows.min() >= round(box.y * sy)
        assert rows.max() < round((box.y + box.h) * sy) + 1


@pytest.mark.parametrize("place", range(7))
def test_pieces_put_together_are_the_page_painted_whole(paint: Renderer, place: int) -> None:
    shop = tour(Shelf())[place]
    theme = theme_of("light")
    canvas = Canvas(320, 608, Scale(1, 1), theme.page if shop.page is Page.FEED else theme.surface)
    painter = Painter(theme, draw_picture)
    elements = page_model(Shelf(), shop)
    bars = [e for e in elements if e.box.y + e.box.h <= layout.TOP or e.box.y >= layout.BOTTOM]
    for element in (e for e in elements if e not in bars):
        painter.paint(canvas, element)
    canvas.rect(0, 0, 320, layout.TOP, theme.bar)
    canvas.rect(0, layout.TOP - 1, 320, 1, theme.hairline)
    canvas.rect(0, layout.BOTTOM, 320, 44, theme.bar)
    canvas.rect(0, layout.BOTTOM, 320, 1, theme.hairline)
    for element in bars:
        painter.paint(canvas, element)
    assert np.array_equal(canvas.array(), paint.screen(shop))


def test_scrolling_moves_the_cards_by_the_scroll(paint: Renderer) -> None:
    a, b = enter(Shelf()), enter(Shelf(), (DOWN, -1))
    first, second = paint.screen(a), paint.screen(b)
    moved = b.scroll
    assert np.array_equal(first[layout.TOP + moved : layout.BOTTOM], second[layout.TOP : layout.BOTTOM - moved])


@pytest.mark.parametrize("size", [(64, 128), (80, 152), (97, 180), (160, 320), (333, 601)])
def test_every_offset_of_a_detail_page_can_be_shown(size: tuple[int, int]) -> None:
    # Pages of all heights end at offsets of all roundings.
    base = item(0)
    for n in range(12):
        shelf = Shelf([base._replace(attributes={str(i): "x" for i in range(n)}, reviews=base.reviews[: n % 3])])
        shop = enter(shelf, (ENTER, 0))
        shown = Renderer(shelf, *size)
        while shop.step(DOWN).invalid is None:
            assert shown.screen(shop).shape == (size[1], size[0], 3)


def test_a_card_is_not_taken_for_a_page() -> None:
    # A lane of the feed is 156 wide at the usual size. Item 156's pages and the cards of items 1 and 2 (the numbers of
    # the preview and the detail page) must not meet in the cache.
    shelf = Shelf([item(i) for i in range(160)])
    for row in (1, 2):
        used = Renderer(shelf)
        used.screen(Shop(shelf, "s", [row, 156]))
        for action in (Action.CLICK, Action.ENTER_DETAIL):
            shop = Shop(shelf, "s", [row, 156])
            assert shop.follow(action, 156).effect is action
            assert np.array_equal(used.screen(shop), Renderer(shelf).screen(shop))


def test_a_small_cache_draws_the_same(paint: Renderer) -> None:
    poor = Renderer(Shelf(), cache_mb=0)
    for shop in tour(Shelf()):
        assert np.array_equal(poor.screen(shop), paint.screen(shop))
    assert len(poor._kept._kept) == 1


def test_the_cart_shows_on_every_page(paint: Renderer) -> None:
    empty, full = enter(Shelf()), enter(Shelf(), (CLICK, 1), (CART, 1), (BACK, -1))
    differs = (paint.screen(empty) != paint.screen(full)).any(axis=2)
    rows, columns = np.nonzero(differs)
    assert rows.min() >= layout.BOTTOM
    assert (columns.min() >= 160, columns.max() < 240) == (True, True)


def test_themes_differ_in_colour_only() -> None:
    light, dark = Renderer(Shelf()), Renderer(Shelf(), theme="dark")
    shop = enter(Shelf(), (CLICK, 1))
    picture = np.s_[layout.TOP + 2 : layout.TOP + 318, :]
    assert np.array_equal(light.screen(shop)[picture], dark.screen(shop)[picture])
    assert light.screen(shop)[layout.TOP + 330 :].mean() > dark.screen(shop)[layout.TOP + 330 :].mean() + 80


def test_chinese_letters_are_drawn() -> None:
    masks = [fonts.text_mask(letter, 16, fonts.REGULAR).mask.tobytes() for letter in "男裙购"]
    assert len(set(masks)) == 3  # boxes for missing letters would all be one


def test_chinese_screens_differ_from_english_ones() -> None:
    english, chinese = Renderer(Shelf()), Renderer(Shelf(locale="zh"))
    for a, b in zip(tour(Shelf()), tour(Shelf(locale="zh")), strict=True):
        assert not np.array_equal(english.screen(a), chinese.screen(b))


def test_without_the_chinese_font_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(font_files, "has_chinese", lambda: False)
    with pytest.raises(InputError, match=r"shopsim\[zh\]"):
        Renderer(Shelf(locale="zh"))


@pytest.mark.parametrize(("arguments", "word"), [({"width": 40}, "40x608"), ({"theme": "pink"}, "light, dark")])
def test_a_screen_that_cannot_be(arguments: dict[str, object], word: str) -> None:
    with pytest.raises(InputError, match=word):
        Renderer(Shelf(), **arguments)  # type: ignore[arg-type]


def test_pixels_do_not_depend_on_the_process() -> None:
    script = (
        "import hashlib; from tests.envs.window_shopping import *; from shopsim.envs.screens.renderer import Renderer\n"
        "r = Renderer(Shelf()); seen = b''.join(r.screen(s).tobytes() for s in tour(Shelf()))\n"
        "print(hashlib.sha256(seen).hexdigest())"
    )
    found = set()
    for seed in ("1", "2"):
        env = os.environ | {"PYTHONHASHSEED": seed, "TZ": f"UTC{seed}"}
        root = Path(__file__).parents[2]
        found.add(
            subprocess.run(
                [sys.executable, "-c", script], env=env, cwd=root, capture_output=True, text=True, check=True
            ).stdout
        )
    assert len(found) == 1


# Pictures


def picture(archetype: str = "mug", **changes: object) -> Picture:
    plain = Picture(archetype, "1:1", "#c02040", "#305080", "plain", "", "#f0f0f0", "soft", 3)
    return plain._replace(**changes)  # type: ignore[arg-type]


def pixels(p: Picture, size: tuple[int, int] = (74, 74)) -> NDArray[np.int16]:
    return np.array(draw_picture(p, *size)).astype(np.int16)


@pytest.mark.parametrize("archetype", sorted(DRAWINGS))
def test_every_archetype_shows_the_product_in_its_colour(archetype: str) -> None:
    red = pixels(picture(archetype, color="#d81818"))
    blue = pixels(picture(archetype, color="#1848d8"))
    parcel = pixels(picture("no such thing", color="#d81818"))
    assert red.shape == (74, 74, 3)
    assert np.array_equal(red, pixels(picture(archetype, color="#d81818")))
    assert (np.abs(red - blue).sum(axis=2) > 60).mean() > 0.01, "the colour hardly shows"
    assert (np.abs(red - parcel).sum(axis=2) > 30).mean() > 0.05, "it looks like the fallback"
    border = np.concatenate([red[0], red[-1]])
    assert np.abs(border - 240).max() < 160, "the drawing leaves the picture"


def test_archetypes_look_different_from_each_other() -> None:
    names = sorted(DRAWINGS)
    same = {("plush", "teddy"), ("sock", "socks"), ("glasses", "sunglasses")}
    drawn = {name: pixels(picture(name)).tobytes() for name in names}
    twins = {(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if drawn[a] == drawn[b]}
    assert twins == same


@pytest.mark.parametrize("pattern", ["stripes", "dots", "checks", "floral", "geometric", "animal", "camo"])
def test_patterns_show(pattern: str) -> None:
    plain, patterned = pixels(picture("tshirt")), pixels(picture("tshirt", pattern=pattern))
    assert (np.abs(plain - patterned).sum(axis=2) > 60).mean() > 0.05


@pytest.mark.parametrize("field", ["color", "accent", "background"])
@pytest.mark.parametrize("archetype", ["dress", "mug", "sofa", "phone"])
def test_each_colour_shows(archetype: str, field: str) -> None:
    a, b = pixels(picture(archetype)), pixels(picture(archetype, **{field: "#30a050"}))
    assert (np.abs(a - b).sum(axis=2) > 45).mean() > 0.004


def test_the_main_colour_is_close_to_what_was_asked() -> None:
    for color in ("#d0342c", "#1f2f5c", "#e0a526", "#f5f3ee", "#26262b"):
        middle = np.median(pixels(picture("tshirt", color=color))[30:60, 27:47].reshape(-1, 3), axis=0)
        assert np.abs(middle - parse_color(color)).max() < 45


def test_light_and_seed_and_material_make_a_difference() -> None:
    base = pixels(picture("tshirt", pattern="floral"))
    for change in (
        {"lighting": "warm"},
        {"lighting": "cool"},
        {"lighting": "studio"},
        {"seed": 4},
        {"material": "denim"},
    ):
        assert not np.array_equal(base, pixels(picture("tshirt", pattern="floral", **change)))


@pytest.mark.parametrize("size", [(148, 148), (148, 197), (148, 111), (5, 3), (640, 640)])
def test_pictures_of_any_size(size: tuple[int, int]) -> None:
    assert draw_picture(picture("bicycle"), *size).size == size


@pytest.mark.parametrize("text", ["", "red", "#12345", "#1234567", "#ggg000"])
def test_a_colour_that_is_none_is_grey(text: str) -> None:
    assert parse_color(text) == (136, 136, 136)


def test_words_nobody_knows_still_draw() -> None:
    odd = picture("flux capacitor", pattern="plaid", material="unobtainium", lighting="moon")
    assert len(np.unique(pixels(odd).reshape(-1, 3), axis=0)) > 50


def test_a_file_is_shown_fitted(tmp_path: Path) -> None:
    Image.new("RGB", (30, 10), (0, 200, 0)).save(tmp_path / "green.png")
    shelf = Shelf().with_item(1, picture=picture(file="green.png", background="#ff00ff"))
    shelf.path = tmp_path
    shown = Renderer(shelf).screen(enter(shelf, (CLICK, 1)))[layout.TOP : layout.TOP + 320]
    assert tuple(shown[160, 160]) == (0, 200, 0)
    assert tuple(shown[20, 160]) == (255, 0, 255)
    assert abs(int((shown[:, 160] == (0, 200, 0)).all(axis=1).sum()) - 107) <= 1


@pytest.mark.parametrize("content", [None, b"not an image"])
def test_a_file_that_is_no_picture_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "p.png").write_bytes(content)
    shelf = Shelf().with_item(1, picture=picture(file="p.png"))
    shelf.path = tmp_path
    with pytest.raises(DataError, match=r"p\.png"):
        Renderer(shelf).screen(enter(shelf, (CLICK, 1)))


# The phone


def test_the_phone_holds_the_screen() -> None:
    screen = Renderer(Shelf()).screen(enter(Shelf()))
    before = screen.copy()
    framed = decorate(screen)
    height, width = framed.shape[:2]
    left = (width - 320) // 2
    assert np.array_equal(framed[left + 30 : left + 570, left : left + 320], screen[30:570])
    assert (height > 608, framed.dtype) == (True, np.uint8)
    assert np.array_equal(screen, before)


def test_touch_and_caption_show_and_sizes_stay() -> None:
    screen = Renderer(Shelf()).screen(enter(Shelf()))
    bare, touched, said = decorate(screen), decorate(screen, (0.25, 0.75)), decorate(screen, caption="click")
    assert bare.shape == touched.shape == said.shape
    rows, columns = np.nonzero((bare != touched).any(axis=2))
    left = (bare.shape[1] - 320) // 2
    assert abs(rows.mean() - (left + 0.75 * 608)) < 2
    assert abs(columns.mean() - (left + 0.25 * 320)) < 2
    assert np.nonzero((bare != said).any(axis=2))[0].min() > left + 608


@pytest.mark.parametrize("point", [(1.5, 0.5), (float("nan"), 0.5), (0.5, -0.1)])
def test_a_point_off_the_screen_is_not_drawn(point: tuple[float, float]) -> None:
    screen = Renderer(Shelf()).screen(enter(Shelf()))
    assert np.array_equal(decorate(screen, point), decorate(screen))


def test_screens_of_a_data_set(tiny) -> None:  # type: ignore[no-untyped-def]
    """The real reader has all that the renderer asks for."""
    from shopsim.envs.shop import Shop

    shop, paint = Shop(tiny, "s", tiny.feed(0)), Renderer(tiny)
    screens = [paint.screen(shop)]
    while shop.step(DOWN).effect is DOWN:
        screens.append(paint.screen(shop))
    assert not any(np.array_equal(a, b) for a, b in pairwise(screens))
    assert {aspect for aspect in map(tiny.aspect, range(tiny.n_items))} == set(range(len(ASPECTS)))
