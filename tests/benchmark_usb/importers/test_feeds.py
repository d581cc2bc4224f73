from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers import waterfalls
from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.feed_sampling import FeedSampler
from shopsim.benchmark_usb.importers.ragged import starts_of
from shopsim.benchmark_usb.importers.waterfalls import lay_out
from shopsim.envs.layout import CARD_WIDTH, MARGIN, Waterfall

N = 400
# Category i is 20 items wide; four of them make a parent.
GROUPS = np.array([(i // 20, i // 80) for i in range(N)])
WEIGHTS = 1.0 + np.arange(N) % 7


def draw(sampler: FeedSampler, opened: list[list[int]], counts: list[int], seed: int = 0) -> list[list[int]]:
    """Fillers of each feed."""
    n_opened = np.array([len(items) for items in opened])
    keys = keys_of(seed, (str(i) for i in range(len(opened))))
    flat = np.array([item for items in opened for item in items])
    items, lengths = sampler.draw(keys, flat, n_opened, np.array(counts))
    starts = starts_of(lengths)
    return [items[a:b].tolist() for a, b in pairwise(starts)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), max_size=60), min_size=1, max_size=6), st.integers(0, 7))
def test_many_feeds_lie_as_one_would(feeds: list[list[int]], few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waterfalls, "_FEW", few)
        cards = lay_out(np.array([a for f in feeds for a in f], np.int8), np.array([len(f) for f in feeds]))
    start = 0
    for feed, bottom in zip(feeds, cards.bottom.tolist(), strict=True):
        one = Waterfall()
        for aspect in feed:
            one.append(0, aspect)
        mine = slice(start, start + len(feed))
        start += len(feed)
        x = MARGIN + cards.column[mine].astype(int) * (CARD_WIDTH + MARGIN)
        assert [(b.x, b.y, b.h) for b in one.boxes] == list(
            zip(x.tolist(), cards.top[mine].tolist(), cards.height[mine].tolist(), strict=True)
        )
        assert one.height == bottom


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sets(st.integers(0, N - 1), min_size=1, max_size=8), min_size=1, max_size=5),
    st.integers(0, N + 50),
    st.integers(0, 3),
)
def test_fillers_are_distinct_and_never_opened(opened: list[set[int]], count: int, seed: int) -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.1)
    for mine, fillers in zip(opened, draw(sampler, list(map(list, opened)), [count] * len(opened), seed), strict=True):
        assert len(set(fillers)) == len(fillers) == min(count, N - len(mine))
        assert not mine & set(fillers)
        assert all(0 <= item < N for item in fillers)


def test_a_feed_does_not_depend_on_those_around_it() -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.1)
    together = draw(sampler, [[1, 2], [300], [7]], [50, 80, 20])
    keys = keys_of(0, (str(i) for i in range(3)))
    alone, _ = sampler.draw(keys[1:2], np.array([300]), np.array([1]), np.array([80]))
    assert alone.tolist() == together[1]


def test_fillers_come_from_the_opened_categories_by_weight() -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.0)
    feeds = draw(sampler, [[0, 100]] * 400, [12] * 400)
    assert np.mean([GROUPS[item, 0] in (0, 5) for feed in feeds for item in feed]) > 0.98
    first = [feed[0] for feed in feeds]
    assert np.mean([GROUPS[item, 0] == 0 for item in first]) == pytest.approx(0.5, abs=0.08)
    heavy, light = (np.mean([WEIGHTS[item] == weight for item in first]) for weight in (7, 1))
    assert heavy > 3 * light


def test_shares_are_those_of_the_weights() -> None:
    weights = np.array([1.0, 2.0, 3.0, 10.0, 0.5])
    sampler = FeedSampler(np.zeros((5, 1), np.int64), weights, stray=0.0)
    first = Counter(feed[0] for feed in draw(sampler, [[0]] * 4000, [1] * 4000))
    shares = [first[i] / 4000 for i in range(1, 5)]
    assert shares == pytest.approx((weights[1:] / weights[1:].sum()).tolist(), abs=0.03)


def test_a_category_used_up_gives_way_to_its_parent_and_then_to_all() -> None:
    (fillers,) = draw(FeedSampler(GROUPS, np.ones(N), stray=0.0), [[5]], [N + 50])
    assert sorted([5, *fillers]) == list(range(N))
    own = [GROUPS[item, 0] == 0 for item in fillers]
    assert np.mean(own[:12]) > 0.9
    parent = [GROUPS[item, 1] == 0 for item in fillers]
    assert np.mean(parent[:36]) > 0.8
    assert np.mean(parent[80:]) < 0.2


def test_a_card_takes_from_those_below_and_not_the_other_way_round() -> None:
    """How a feed begins does not depend on how long it is."""
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.05)
    short, long = (draw(sampler, [[3, 90]] * 50, [n] * 50) for n in (12, 200))
    assert [feed[:12] for feed in long] == short


def test_strays_come_from_anywhere() -> None:
    (fillers,) = draw(FeedSampler(GROUPS, WEIGHTS, stray=1.0), [[5]], [100])
    assert len({GROUPS[item, 0] for item in fillers}) > 10


def test_shops_larger_than_the_table_work_too() -> None:
    n = 50_000
    groups = np.stack([np.arange(n) // 500, np.zeros(n, np.int64)], axis=1)
    feeds = draw(FeedSampler(groups, np.ones(n), stray=0.05), [[i * 500] for i in range(20)], [300] * 20)
    for i, feed in enumerate(feeds):
        assert len(set(feed)) == 300
        own = [item // 500 == i for item in feed]
        assert np.mean(own[:48]) > 0.9
        assert np.mean(own) > 0.6


def test_chance_rests_on_key_purpose_and_place_alone() -> None:
    def numbers(key: int, purpose: int, places: NDArray[np.int64]) -> list[float]:
        return Stream(np.full(len(places), key, np.uint64), purpose, places).uniform().tolist()

    many = numbers(7, 1, np.arange(1000))
    assert numbers(7, 1, np.array([500])) == many[500:501]
    assert np.mean(many) == pytest.approx(0.5, abs=0.03)
    assert np.std(many) == pytest.approx(12**-0.5, abs=0.02)
    assert len({*many, *numbers(8, 1, np.arange(1000)), *numbers(7, 2, np.arange(1000))}) == 3000
    stream = Stream(np.arange(5000, dtype=np.uint64), 1, np.zeros(5000, np.int64))
    drawn = stream.below(np.full(5000, 3))
    assert np.bincount(drawn).tolist() == pytest.approx([1667] * 3, abs=150)


def test_fillers_of_large_baskets_come_from_their_own_categories() -> None:
    kinds, size = 40, 60
    kind = np.repeat(np.arange(kinds), size)
    groups = np.stack([kind, np.zeros_like(kind), np.zeros_like(kind)], axis=1)
    weights = np.tile(1.0 / np.arange(1, size + 1) ** 1.2, kinds)
    n_feeds, n_opened = 50, 20
    opened = np.concatenate([np.arange(0, n_opened * size, size) + size - 1] * n_feeds)
    counts = np.full(n_feeds, 400)
    keys = keys_of(0, map(str, range(n_feeds)))
    drawn, _ = FeedSampler(groups, weights, 0.0).draw(keys, opened, np.full(n_feeds, n_opened), counts)
    near = drawn.reshape(n_feeds, -1)[:, :150]
    assert (kind[near] < n_opened).mean() > 0.97
