"""The page layout: the waterfall, the scroll grid, the boxes."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.data.records import ASPECTS
from shopsim.envs import layout
from shopsim.envs.layout import BOTTOM, HEIGHT, TOP, VIEWPORT, WIDTH, Box, Waterfall, scrolled

aspects = st.lists(st.integers(0, len(ASPECTS) - 1), max_size=60)
heights = st.integers(0, 20_000)
steps = st.integers(1, VIEWPORT)


def waterfall(codes: list[int]) -> Waterfall:
    made = Waterfall()
    for item, aspect in enumerate(codes):
        made.append(item, aspect)
    return made


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


@given(aspects)
def test_cards_stand_apart_inside_the_screen(codes: list[int]) -> None:
    boxes = waterfall(codes).boxes
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    assert all(box.x >= 0 and box.x + box.w <= WIDTH and box.y >= 0 for box in boxes)


@given(aspects)
def test_cards_keep_feed_order_and_go_to_the_shorter_column(codes: list[int]) -> None:
    boxes = waterfall(codes).boxes
    assert [(box.item, box.slot) for box in boxes] == [(i, i) for i in range(len(codes))]
    tops = [box.y for box in boxes]
    assert tops == sorted(tops)
    ends = {layout.MARGIN: layout.MARGIN, layout.MARGIN + layout.CARD_WIDTH + layout.MARGIN: layout.MARGIN}
    for box, code in zip(boxes, codes, strict=True):
        assert box.y == ends[box.x] == min(ends.values())
        assert box.h == layout.PICTURE_HEIGHTS[code] + layout.CARD_TEXT
        ends[box.x] += box.h + layout.MARGIN


@given(aspects)
def test_height_and_fill_are_the_longer_and_the_shorter_column(codes: list[int]) -> None:
    made = waterfall(codes)
    ends = [max((b.y + b.h + layout.MARGIN for b in made.boxes if b.x == x), default=layout.MARGIN) for x in (8, 164)]
    assert (made.filled, made.height) == (min(ends), max(ends))


@given(aspects, st.integers(0, 9_000))
def test_between_finds_every_card_that_shows(codes: list[int], scroll: int) -> None:
    made = waterfall(codes)
    moved = [box._replace(y=box.y - scroll + TOP) for box in made.boxes]
    assert list(made.between(scroll)) == [box for box in moved if box.clipped().h > 0]


@given(heights, steps, st.lists(st.sampled_from((1, -1)), max_size=40))
def test_scrolling_stays_on_the_grid(content: int, step: int, directions: list[int]) -> None:
    end, scroll = max(0, content - VIEWPORT), 0
    for direction in directions:
        before, scroll = scroll, scrolled(scroll, direction, content, step)
        assert 0 <= scroll <= end
        assert scroll % step == 0 or scroll == end
        assert (scroll - before) * direction >= 0
        assert abs(scroll - before) <= step
        assert (scroll == before) == (before == (end if direction > 0 else 0))


@given(heights, steps, st.integers(0, 60))
def test_there_and_back_is_the_same_screen(content: int, step: int, times: int) -> None:
    scroll, path = 0, [0]
    for _ in range(times):
        scroll = scrolled(scroll, +1, content, step)
        path.append(scroll)
    for before in reversed(list(dict.fromkeys(path))[:-1]):
        scroll = scrolled(scroll, -1, content, step)
        assert scroll == before


def test_a_page_that_fits_does_not_move() -> None:
    assert scrolled(0, +1, VIEWPORT, 400) == scrolled(0, -1, VIEWPORT, 400) == 0


@pytest.mark.parametrize(("fraction", "step"), [(0.8, 400), (1.0, 500), (0.5, 250), (0.0001, 1)])
def test_a_scroll_is_a_share_of_the_viewport(fraction: float, step: int) -> None:
    assert layout.scroll_step(fraction) == step


@given(st.integers(0, 40), st.integers(0, 40))
def test_detail_sections_follow_each_other(n_attributes: int, n_reviews: int) -> None:
    boxes = layout.detail_sections(n_attributes, n_reviews)
    assert all(a.y + a.h == b.y for a, b in pairwise(boxes))
    assert boxes[0].y >= layout.DETAIL_SHOP.y + layout.DETAIL_SHOP.h
    assert boxes[-1].y + boxes[-1].h <= layout.detail_height(n_attributes, n_reviews)
    for kind, count, most in (
        ("attribute", n_attributes, layout.MAX_ATTRIBUTES),
        ("review", n_reviews, layout.MAX_REVIEWS),
    ):
        assert [box.slot for box in boxes if box.kind == kind] == list(range(min(count, most)))


@pytest.mark.parametrize("page", list(layout.BUTTONS))
def test_buttons_are_on_the_screen_and_apart(page: str) -> None:
    buttons = layout.BUTTONS[page]
    assert all(b.x >= 0 and b.x + b.w <= WIDTH and b.y >= 0 and b.y + b.h <= HEIGHT for b in buttons)
    assert not any(overlap(a, b) for a, b in combinations(buttons, 2))
    assert all(
        button.contains(*(v * s for v, s in zip(button.center(), (WIDTH, HEIGHT), strict=True))) for button in buttons
    )


def test_a_box_owns_its_left_and_top_edge_only() -> None:
    box = Box("card", 10, 100, 20, 30)
    assert box.contains(10, 100)
    assert box.contains(29.9, 129.9)
    assert not box.contains(30, 110)
    assert not box.contains(20, 130)


@given(st.integers(-600, 1200), st.integers(1, 400))
def test_clipping_leaves_what_shows(y: int, h: int) -> None:
    shown = Box("card", 8, y, 148, h).clipped()
    rows = [row for row in range(y, y + h) if TOP <= row < BOTTOM]
    assert shown.h == len(rows)
    if rows:
        assert (shown.y, shown.y + shown.h - 1) == (rows[0], rows[-1])


@pytest.mark.parametrize(
    ("y", "seen"), [(TOP, True), (TOP - 50, True), (TOP - 51, False), (BOTTOM - 50, True), (BOTTOM - 49, False)]
)
def test_half_a_card_is_an_impression(y: int, seen: bool) -> None:
    assert layout.is_impression(Box("card", 8, y, 148, 100)) is seen
