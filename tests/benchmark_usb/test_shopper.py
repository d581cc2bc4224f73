"""The shopper model: taste, appeal, recommender, sessions, diary."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.benchmark_usb.appeal import appeal
from shopsim.benchmark_usb.diary import MAX_STATEMENTS, Diary, Entry
from shopsim.benchmark_usb.history import draw_history
from shopsim.benchmark_usb.recommender import Recommender
from shopsim.benchmark_usb.shopper import Intent, Shopper, draw_intent, draw_shopper
from shopsim.benchmark_usb.shopping import LONGEST, SCALE, SHAPE, patient_for
from shopsim.benchmark_usb.trip import ShoppingTrip
from shopsim.benchmark_usb.world import Locale, Market, open_market
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.shop import Shop

N = 400


class Visit(NamedTuple):
    shopper: Shopper
    clicks: list[int]
    intent: Intent
    trip: ShoppingTrip


@pytest.fixture(scope="module")
def market() -> Market:
    return open_market(3000, seed=0)


def visit(market: Market, seed: int) -> Visit:
    rng, goods = np.random.default_rng(seed), market.goods
    shopper = draw_shopper(market, rng)
    clicks, bought = draw_history(shopper, market, 40, 2, rng)
    intent = draw_intent(shopper, market, goods.leaf[clicks], goods.leaf[bought], rng)
    recommender = Recommender(market, shopper.audience, goods.leaf[clicks], rng)
    trip = ShoppingTrip(f"s{seed}", goods, shopper, intent, recommender, rng)
    trip.run()
    return Visit(shopper, clicks, intent, trip)


@pytest.fixture(scope="module")
def visits(market: Market) -> list[Visit]:
    return [visit(market, seed) for seed in range(N)]


def auc(score: list[float], label: list[bool]) -> float:
    """Probability that a true one scores above a false one, ties counting half."""
    values, true = np.array(score), np.array(label)
    above = values[true][:, None] - values[~true][None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


# Who shops


def test_taste_follows_gender_and_age(market: Market) -> None:
    world = market.world
    shoppers = [draw_shopper(market, np.random.default_rng(seed)) for seed in range(300)]
    clothes = [i for i, leaf in enumerate(world.leaves) if leaf.category_id.startswith("womens_clothing/")]
    women = np.mean([s.taste[clothes].sum() for s in shoppers if s.gender == "female"])
    men = np.mean([s.taste[clothes].sum() for s in shoppers if s.gender == "male"])
    assert women > 5 * men
    assert all(16 <= s.age <= 78 for s in shoppers)
    assert all(np.isclose(s.taste.sum(), 1.0) for s in shoppers)


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), clicks=st.integers(1, 60), purchases=st.integers(0, 12))
def test_history_has_the_length_asked_for_and_a_purchase_is_a_click(
    market: Market, seed: int, clicks: int, purchases: int
) -> None:
    rng = np.random.default_rng(seed)
    clicked, bought = draw_history(draw_shopper(market, rng), market, clicks, purchases, rng)
    assert (len(clicked), len(bought)) == (clicks, purchases)
    assert set(bought) <= set(clicked)
    assert len(set(bought)) == min(purchases, len(set(clicked))), "bought twice with other items left"


def test_history_comes_in_episodes_of_one_category(market: Market) -> None:
    rng = np.random.default_rng(4)
    same, lengths = [], []
    for _ in range(60):
        clicked, _ = draw_history(draw_shopper(market, rng), market, 200, 5, rng)
        leaves = market.goods.leaf[clicked]
        same.append(np.mean(leaves[1:] == leaves[:-1]))
        lengths.append(200 / (1 + np.sum(leaves[1:] != leaves[:-1])))
    assert 0.6 < np.mean(same) < 0.85
    assert 2.5 < np.mean(lengths) < 5


def test_patience_follows_a_weibull_law_though_much_of_it_is_latent(market: Market) -> None:
    rng = np.random.default_rng(5)
    people = [draw_shopper(market, rng) for _ in range(4000)]
    none = np.empty(0, np.int32)
    wanted = [draw_intent(shopper, market, none, none, rng) for shopper in people]
    drawn = [
        np.array([patient_for(shopper, intent, rng) for shopper, intent in zip(people, wanted, strict=True)])
        for _ in range(2)
    ]
    for k in (1, 3, 10, 30, 80):
        assert np.mean(drawn[0] > k) == pytest.approx(np.exp(-((k / SCALE) ** SHAPE)), abs=0.03)
    both = np.corrcoef(np.log(drawn[0]), np.log(drawn[1]))[0, 1]
    assert 0.6 < both < 0.85, "the same person on the same day is patient alike"


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), dearer=st.floats(0.1, 3.0))
def test_beyond_the_budget_dearer_never_pleases_more(market: Market, seed: int, dearer: float) -> None:
    shopper, _, intent, _ = _quick(market, seed)
    rows = np.arange(50)
    base = replace(market.goods, level=np.full(len(market.goods), max(intent.budget, shopper.level)))
    more = replace(market.goods, level=base.level + dearer)
    assert (appeal(shopper, intent, more, rows) <= appeal(shopper, intent, base, rows) + 1e-9).all()


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_what_is_wanted_pleases_more_than_its_neighbours(market: Market, seed: int) -> None:
    shopper, _, intent, _ = _quick(market, seed)
    wanting = replace(intent, leaf=int(market.goods.leaf[0]), l2=int(market.goods.l2[0]), l1=int(market.goods.l1[0]))
    other_leaf = replace(wanting, leaf=-1)
    elsewhere = replace(wanting, leaf=-1, l2=-1, l1=-1, color=-1)
    first = np.array([0])
    assert appeal(shopper, wanting, market.goods, first) > appeal(shopper, other_leaf, market.goods, first)
    assert appeal(shopper, other_leaf, market.goods, first) > appeal(shopper, elsewhere, market.goods, first)


def _quick(market: Market, seed: int) -> tuple[Shopper, list[int], Intent, np.random.Generator]:
    rng = np.random.default_rng(seed)
    shopper = draw_shopper(market, rng)
    clicks, bought = draw_history(shopper, market, 10, 1, rng)
    intent = draw_intent(shopper, market, market.goods.leaf[clicks], market.goods.leaf[bought], rng)
    return shopper, clicks, intent, rng


# The feed


def test_recommender_shows_nothing_twice_and_uses_up_the_shop(market: Market) -> None:
    shopper, clicks, _, rng = _quick(market, 5)
    recommender = Recommender(market, shopper.audience, market.goods.leaf[clicks], rng)
    shown = [item for _ in range(200) for item in recommender.more(20, [])]
    assert sorted(shown) == list(range(len(market.goods)))


def test_recommender_follows_what_was_clicked(market: Market) -> None:
    shopper, clicks, _, _ = _quick(market, 6)
    leaf = int(market.goods.leaf[17])
    shares = []
    for session_clicks in ([], [17, 17]):
        shown = [
            item
            for seed in range(20)
            for item in Recommender(
                market, shopper.audience, market.goods.leaf[clicks], np.random.default_rng(seed)
            ).more(20, session_clicks)
        ]
        shares.append(np.mean(market.goods.leaf[shown] == leaf))
    assert shares[1] > shares[0] + 0.05


def test_feed_ends_far_beyond_what_was_seen(visits: list[Visit]) -> None:
    lengths = []
    for v in visits:
        feed, seen = v.trip.feed(), v.trip.shop.trajectory.impressions
        assert len(set(feed)) == len(feed) >= max(60, 3 * len(seen))
        assert feed[: len(v.trip.shop.feed)] == v.trip.shop.feed
        lengths.append(len(feed))
    assert np.mean(np.array(lengths) == min(lengths)) > 0.95, "the feed's length tells how far the shopper scrolled"


# Sessions


def test_every_step_is_possible_and_the_last_one_leaves(market: Market, visits: list[Visit]) -> None:
    for v in visits:
        shop = Shop(market.goods, "again", v.trip.feed())
        for move in v.trip.moves:
            event = shop.follow(move.action, move.item)
            assert event.effect is move.action
            assert (event.page, event.scroll, event.point) == (move.page, move.scroll, move.point)
        assert [m.action for m in v.trip.moves].count(Action.TERMINATE) == 1
        assert v.trip.moves[-1].action is Action.TERMINATE
        assert len(v.trip.moves) <= LONGEST
        assert shop.trajectory.impressions == v.trip.shop.trajectory.impressions


def test_lengths_have_a_long_tail_and_no_hump(visits: list[Visit]) -> None:
    lengths = np.array([len(v.trip.moves) for v in visits])
    assert 10.5 < lengths.mean() < 16
    assert np.median(lengths) < 0.75 * lengths.mean()
    assert 0.08 < np.mean(lengths == 1) < 0.25
    assert np.mean(lengths >= LONGEST - 1) < 0.02
    # Falling from the start: each of these stretches holds fewer sessions than the one before.
    counts = np.histogram(lengths, [1, 7, 13, 25, 49, 81])[0] / np.array([6, 6, 12, 24, 32])
    assert (np.diff(counts) < 0).all()


def test_shoppers_do_all_there_is_to_do(visits: list[Visit]) -> None:
    actions = Counter(m.action for v in visits for m in v.trip.moves)
    total = sum(actions.values())
    assert set(actions) == set(Action)
    assert 0.35 < actions[Action.SCROLL_DOWN] / total < 0.65
    clicked = [len(v.trip.shop.trajectory.items(Action.CLICK, Action.ENTER_DETAIL)) for v in visits]
    seen = [len(v.trip.shop.trajectory.impressions) for v in visits]
    assert 0.08 < sum(clicked) / sum(seen) < 0.22
    bought = [bool(v.trip.shop.bought) for v in visits]
    carted = [bool(v.trip.shop.carted) for v in visits]
    assert 0.04 < np.mean(bought) < 0.16
    assert 0.08 < np.mean(carted) < 0.3


def test_clicks_follow_the_history_and_not_the_place_alone(market: Market, visits: list[Visit]) -> None:
    place, known, clicked = [], [], []
    for v in visits:
        trajectory = v.trip.shop.trajectory
        before = Counter(market.goods.leaf[v.clicks].tolist())
        opened = trajectory.items(Action.CLICK, Action.ENTER_DETAIL)
        where = {item: i for i, item in enumerate(v.trip.shop.feed)}
        for item in trajectory.impressions:
            place.append(-float(where[item]))
            known.append(float(before[int(market.goods.leaf[item])]))
            clicked.append(item in opened)
    assert auc(known, clicked) > 0.62
    assert 0.43 < auc(place, clicked) < 0.58


def test_among_what_is_wanted_colour_decides(market: Market, visits: list[Visit]) -> None:
    liking, clicked = [], []
    for v in visits:
        opened = v.trip.shop.trajectory.items(Action.CLICK, Action.ENTER_DETAIL)
        for item in v.trip.shop.trajectory.impressions:
            if market.goods.leaf[item] == v.intent.leaf and market.goods.colored[item]:
                liking.append(float(v.shopper.colors[market.goods.color[item]]))
                clicked.append(item in opened)
    assert auc(liking, clicked) > 0.58


def test_what_is_bought_is_the_best_of_its_kind(visits: list[Visit], market: Market) -> None:
    bought = rejected = 0.0
    n_bought = n_rejected = 0
    for v in visits:
        opened = v.trip.shop.trajectory.items(Action.CLICK, Action.ENTER_DETAIL)
        if not opened:
            continue
        rows = np.array(sorted(opened))
        for item, value in zip(rows, appeal(v.shopper, v.intent, market.goods, rows), strict=True):
            if item in v.trip.shop.bought:
                bought, n_bought = bought + value, n_bought + 1
            else:
                rejected, n_rejected = rejected + value, n_rejected + 1
    assert bought / n_bought > rejected / n_rejected + 0.5


def test_shoppers_go_back_up_for_what_they_remember(visits: list[Visit]) -> None:
    returned = 0
    for v in visits:
        pairs = pairwise(v.trip.moves)
        returned += any(
            before.action is Action.SCROLL_UP
            and before.page is Page.FEED
            and after.action in (Action.CLICK, Action.ENTER_DETAIL)
            for before, after in pairs
        )
    assert returned / len(visits) > 0.05


# Diaries


def written(market: Market, v: Visit, locale: Locale, steps: int | None = None) -> list[Entry]:
    return Diary(market.world, market.goods, locale, np.random.default_rng(7)).write(v.trip.moves[:steps])


def test_diary_knows_nothing_of_what_comes_later(market: Market, visits: list[Visit]) -> None:
    for v in visits[:60]:
        whole = written(market, v, "en")
        half = len(whole) // 2
        assert written(market, v, "en", half) == whole[:half]


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_thoughts_are_short_and_preferences_bounded(market: Market, visits: list[Visit], locale: Locale) -> None:
    for v in visits:
        entries = written(market, v, locale)
        for entry in entries:
            assert entry.mind
            assert len(entry.mind.split()) <= 14
            assert len(entry.mind) <= 90
            assert "{" not in entry.mind
            assert "  " not in entry.mind
            if entry.preference is not None:
                assert len(entry.preference.split("\n")) <= MAX_STATEMENTS
        sets = [entry.preference for entry in entries if entry.preference is not None]
        assert all(a != b for a, b in pairwise(sets)), "rewritten without a change"


def test_nothing_is_noted_before_something_is_opened(market: Market, visits: list[Visit]) -> None:
    for v in visits:
        for move, entry in zip(v.trip.moves, written(market, v, "en"), strict=True):
            if move.action in (Action.CLICK, Action.ENTER_DETAIL):
                break
            assert entry.preference is None


def test_diary_in_another_language_notes_the_same_events(market: Market, visits: list[Visit]) -> None:
    for v in visits[:100]:
        for en, zh in zip(written(market, v, "en"), written(market, v, "zh"), strict=True):
            assert (en.episodic is None) == (zh.episodic is None)
            assert (en.preference is None) == (zh.preference is None)
