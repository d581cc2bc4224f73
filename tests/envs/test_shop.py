"""The shop's state machine: what each action does where, what it refuses and why."""

import copy
import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.layout import BACK_BUTTON, BUY_BUTTON, CART_BUTTON, DETAILS_BUTTON, HEIGHT, WIDTH
from shopsim.envs.shop import Point, Shop
from shopsim.envs.trajectory import Invalid

DOWN, UP, CLICK, ENTER, BACK, CART, BUY, LEAVE = Action
NOWHERE = (0.5, 0.01)
"""A point in the status bar."""
N_ITEMS = 90


class Facts:
    """Ninety items, every shape of picture, long and short detail pages."""

    def aspect(self, item: int) -> int:
        return item * 7 % 3

    def detail_counts(self, item: int) -> tuple[int, int]:
        return item % 13, item * 5 % 11


def shop(n: int = 60, extend: Callable[[Sequence[int]], Sequence[int]] | None = None) -> Shop:
    return Shop(Facts(), "s", range(n), extend)


def on(page: Page) -> Shop:
    """A shop on this page, item 0 open where one is."""
    made = shop()
    if page is not Page.FEED:
        made.follow(CLICK, 0)
    if page is Page.DETAIL:
        made.follow(ENTER, 0)
    assert made.page is page
    return made


def state(s: Shop) -> tuple[object, ...]:
    return s.page, s.scroll, s.item, list(s.cart), sorted(s.carted), sorted(s.bought), list(s.feed), len(s._stack)


# Which actions are possible where


def point_for(s: Shop, action: Action) -> Point | None:
    if action is CLICK:
        return s.targets()[0].center()
    return s.cards()[0].center() if action is ENTER and s.page is Page.FEED else None


LEGAL = {
    Page.FEED: {DOWN, CLICK, ENTER, LEAVE},
    Page.PREVIEW: {CLICK, ENTER, BACK, CART, BUY, LEAVE},
    Page.DETAIL: {DOWN, CLICK, BACK, CART, BUY, LEAVE},
}


@pytest.mark.parametrize("page", list(Page))
@pytest.mark.parametrize("action", list(Action))
def test_each_action_on_each_page(page: Page, action: Action) -> None:
    s = on(page)
    before = state(s)
    event = s.step(action, point_for(s, action))
    if action in LEGAL[page]:
        assert event.invalid is None
        assert event.effect is (BACK if action is CLICK and page is not Page.FEED else action)
    else:
        assert event.effect is None
        assert event.invalid is (Invalid.SCROLL_END if action in (UP, DOWN) else Invalid.NOT_HERE)
        assert state(s) == before


@pytest.mark.parametrize("page", list(Page))
def test_mask_is_what_some_point_can_do(page: Page) -> None:
    s = on(page)
    assert {action for action, can in zip(Action, s.action_mask(), strict=True) if can} == LEGAL[page]


moves = st.lists(st.tuples(st.sampled_from([*Action][:7]), st.floats(0, 1), st.floats(0, 1)), max_size=25)


@settings(max_examples=60, deadline=None)
@given(moves)
def test_mask_agrees_with_trying(walk: list[tuple[Action, float, float]]) -> None:
    s = shop()
    for action, x, y in walk:
        s.step(action, (x, y))
    grid = [(x / 40, y / 76) for x in range(41) for y in range(77)] + [t.center() for t in s.targets()]
    for action, can in zip(Action, s.action_mask(), strict=True):
        assert can == any(s.judge(action, point)[0] is not None for point in grid)


@settings(max_examples=60, deadline=None)
@given(moves)
def test_an_action_without_effect_changes_nothing_and_counts(walk: list[tuple[Action, float, float]]) -> None:
    s = shop()
    for n, (action, x, y) in enumerate(walk):
        before = copy.deepcopy(state(s))
        event = s.step(action, (x, y))
        assert (event.effect is None) == (event.invalid is not None)
        assert event.invalid is None or state(s) == before
        assert len(s.trajectory) == n + 1
        assert (event.step, event.page, event.scroll) == (n, *before[:2])


# The invalid vocabulary


@pytest.mark.parametrize(
    ("page", "action", "point", "why"),
    [
        (Page.FEED, UP, None, Invalid.SCROLL_END),
        (Page.PREVIEW, DOWN, None, Invalid.SCROLL_END),
        (Page.FEED, CLICK, NOWHERE, Invalid.NO_TARGET),
        (Page.FEED, ENTER, NOWHERE, Invalid.NO_TARGET),
        (Page.PREVIEW, CLICK, (0.5, 0.3), Invalid.NO_TARGET),
        (Page.FEED, CLICK, None, Invalid.OFF_SCREEN),
        (Page.FEED, CLICK, (math.nan, 0.5), Invalid.OFF_SCREEN),
        (Page.FEED, CLICK, (0.5, math.inf), Invalid.OFF_SCREEN),
        (Page.FEED, ENTER, (1.01, 0.5), Invalid.OFF_SCREEN),
        (Page.DETAIL, CLICK, (0.5, -0.01), Invalid.OFF_SCREEN),
        (Page.FEED, BACK, None, Invalid.NOT_HERE),
        (Page.FEED, CART, None, Invalid.NOT_HERE),
        (Page.FEED, BUY, None, Invalid.NOT_HERE),
        (Page.DETAIL, ENTER, (0.5, 0.5), Invalid.NOT_HERE),
        (Page.FEED, None, None, Invalid.UNPARSED),
    ],
)
def test_why_not(page: Page, action: Action | None, point: Point | None, why: Invalid) -> None:
    s = on(page)
    before = state(s)
    event = s.step(action, point)
    assert (event.effect, event.invalid) == (None, why)
    assert state(s) == before


def test_the_gap_between_cards_and_the_bars_are_no_target() -> None:
    s = shop()
    for x, y in ((160, 200), (4, 200), (160, 40), (40, 590)):
        assert s.step(CLICK, (x / WIDTH, y / HEIGHT)).invalid is Invalid.NO_TARGET


def test_a_card_under_the_bottom_bar_does_not_react() -> None:
    s = shop()
    low = next(box for box in s.whole_cards() if box.y + box.h > layout.BOTTOM)
    assert s.step(CLICK, ((low.x + 5) / WIDTH, (layout.BOTTOM + 1) / HEIGHT)).invalid is Invalid.NO_TARGET


# What actions do


@pytest.mark.parametrize(
    ("page", "button", "effect"),
    [
        (Page.PREVIEW, BACK_BUTTON, BACK),
        (Page.PREVIEW, DETAILS_BUTTON, ENTER),
        (Page.PREVIEW, CART_BUTTON, CART),
        (Page.PREVIEW, BUY_BUTTON, BUY),
        (Page.DETAIL, BACK_BUTTON, BACK),
        (Page.DETAIL, CART_BUTTON, CART),
        (Page.DETAIL, BUY_BUTTON, BUY),
    ],
)
def test_a_click_on_a_button_does_its_action(page: Page, button: layout.Box, effect: Action) -> None:
    clicked, direct = on(page), on(page)
    event = clicked.step(CLICK, button.center())
    direct.step(effect)
    assert (event.action, event.effect) == (CLICK, effect)
    assert state(clicked) == state(direct)


def test_every_visible_card_opens_at_its_middle() -> None:
    for _ in range(2):
        for card in shop().cards():
            s = shop()
            s.step(CLICK, card.center())
            assert (s.page, s.item) == (Page.PREVIEW, card.item)


def test_back_returns_through_every_page_with_its_scroll() -> None:
    s = shop()
    s.step(DOWN)
    s.step(DOWN)
    card = s.cards()[2]
    feed_scroll = s.scroll
    s.step(CLICK, card.center())
    s.step(ENTER)
    s.step(DOWN)
    assert s.scroll > 0
    s.step(BACK)
    assert (s.page, s.item, s.scroll) == (Page.PREVIEW, card.item, 0)
    s.step(BACK)
    assert (s.page, s.item, s.scroll) == (Page.FEED, -1, feed_scroll)
    s.step(ENTER, card.center())
    assert (s.page, s.item) == (Page.DETAIL, card.item)
    s.step(BACK)
    assert (s.page, s.scroll) == (Page.FEED, feed_scroll)


def test_an_item_joins_the_cart_once_and_leaves_it_when_bought() -> None:
    s = on(Page.PREVIEW)
    assert s.step(CART).effect is CART
    assert list(s.cart) == [0]
    assert s.step(CART).invalid is Invalid.ALREADY_DONE
    assert s.step(CLICK, CART_BUTTON.center()).invalid is Invalid.ALREADY_DONE
    assert s.step(BUY).effect is BUY
    assert list(s.cart) == []
    assert s.page is Page.PREVIEW
    assert s.step(BUY).invalid is Invalid.ALREADY_DONE
    assert s.step(CART).invalid is Invalid.ALREADY_DONE


def test_buying_one_item_leaves_the_others_in_the_cart() -> None:
    s = shop()
    for item in (0, 1):
        s.follow(CLICK, item)
        s.step(CART)
        s.step(BACK)
    s.follow(CLICK, 0)
    s.step(BUY)
    assert (list(s.cart), s.bought) == ([1], {0})


def test_a_clamped_scroll_that_still_moves_is_valid() -> None:
    s = on(Page.DETAIL)
    end = s.content_height() - layout.VIEWPORT
    assert 0 < end % 400 < 400
    while s.step(DOWN).effect is DOWN:
        pass
    assert s.scroll == end
    assert s.trajectory.events[-1].invalid is Invalid.SCROLL_END
    assert s.trajectory.events[-2].effect is DOWN


@given(st.lists(st.sampled_from([DOWN, UP]), max_size=30))
def test_scrolling_the_feed_and_back_shows_the_same_cards(walk: list[Action]) -> None:
    s = shop(24)
    seen: dict[int, tuple[layout.Box, ...]] = {}
    for action in walk:
        s.step(action)
        assert seen.setdefault(s.scroll, s.cards()) == s.cards()


# Impressions


def test_impressions_are_cards_at_least_half_visible_once() -> None:
    s = shop()
    expected: dict[int, None] = {}
    for action in (None, DOWN, DOWN, UP, DOWN, DOWN):
        if action is not None:
            s.step(action)
        for whole in s.whole_cards():
            if whole.clipped().h * 2 >= whole.h:
                expected.setdefault(whole.item)
    assert list(s.trajectory.impressions) == list(expected)
    assert len(expected) < len(s.feed)


def test_coming_back_to_the_feed_adds_no_impressions() -> None:
    s = shop()
    before = dict(s.trajectory.impressions)
    s.follow(CLICK, 0)
    s.step(BACK)
    assert s.trajectory.impressions == before


# The feed's end


def test_without_extension_the_feed_ends() -> None:
    s = shop(8)
    while s.step(DOWN).effect is DOWN:
        pass
    assert s.scroll == max(0, s.content_height() - layout.VIEWPORT)
    assert {card.item for card in s.cards()} >= {7}


def test_the_feed_is_extended_a_screen_ahead_until_nothing_comes() -> None:
    calls: list[int] = []

    def extend(shown: Sequence[int]) -> Sequence[int]:
        calls.append(len(shown))
        return range(len(shown), min(N_ITEMS, len(shown) + 10))

    s = shop(8, extend)
    while s.step(DOWN).effect is DOWN:
        pass
    assert s.feed == list(range(N_ITEMS))
    assert calls == [8, 18, 28, 38, 48, 58, 68, 78, 88, 90]


# Following a recording


def test_follow_finds_the_card_by_item() -> None:
    s = shop()
    s.step(DOWN)
    item = s.cards()[1].item
    event = s.follow(CLICK, item)
    assert (event.effect, event.item, s.page) == (CLICK, item, Page.PREVIEW)
    assert event.point is not None


@pytest.mark.parametrize(
    ("page", "effect", "item", "why"),
    [
        (Page.FEED, CLICK, 55, Invalid.NO_TARGET),
        (Page.FEED, ENTER, 55, Invalid.NO_TARGET),
        (Page.PREVIEW, CLICK, 1, Invalid.NOT_HERE),
        (Page.PREVIEW, CART, 1, Invalid.NOT_HERE),
        (Page.PREVIEW, ENTER, 1, Invalid.NOT_HERE),
        (Page.FEED, BUY, 0, Invalid.NOT_HERE),
        (Page.FEED, BACK, -1, Invalid.NOT_HERE),
    ],
)
def test_follow_refuses_what_the_recording_cannot_have_done(
    page: Page, effect: Action, item: int, why: Invalid
) -> None:
    s = on(page)
    before = state(s)
    event = s.follow(effect, item)
    assert (event.effect, event.invalid) == (None, why)
    assert state(s) == before


@settings(max_examples=60, deadline=None)
@given(moves)
def test_follow_replays_any_walk(walk: list[tuple[Action, float, float]]) -> None:
    first, second = shop(), shop()
    for action, x, y in walk:
        event = first.step(action, (x, y))
        if event.effect is not None:
            again = second.follow(event.effect, event.item)
            assert again.effect is event.effect
    assert state(first) == state(second)
    assert first.trajectory.pairs() == second.trajectory.pairs()
    assert first.trajectory.impressions == second.trajectory.impressions
