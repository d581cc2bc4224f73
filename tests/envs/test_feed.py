"""Feed policies: what they show, that nothing comes twice, and that junk from a user's policy is named."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.data.similarity import category_similarity
from shopsim.envs.feed import BATCH, POLICIES, Feed, FeedContext, History, load_policy, mean_similarity
from shopsim.errors import InputError

SESSION = 2  # u1, who has a history


def feed(tiny: DataSet, policy: Any = "recorded", seed: int = 0, session: int = SESSION) -> Feed:
    return Feed(*load_policy(policy), tiny, session, tiny.user(tiny.user_row(session)), seed)


def whole(feed: Feed) -> list[int]:
    shown = feed.first()
    while more := feed.extend(shown):
        shown = shown + more
    return shown


def dearest(user: User, history: History, context: FeedContext, candidates: Any) -> Any:
    return candidates[np.argsort(-context.dataset.prices[candidates])]


@pytest.mark.parametrize("policy", [*POLICIES, f"{__name__}:dearest"])
def test_every_item_comes_exactly_once_and_the_same_seed_gives_the_same_feed(tiny: DataSet, policy: str) -> None:
    shown = whole(feed(tiny, policy))
    assert sorted(shown) == list(range(tiny.n_items))
    assert shown == whole(feed(tiny, policy))
    n = len(tiny.feed(SESSION))
    assert set(shown[:n]) == set(tiny.feed(SESSION).tolist())


def test_recorded_is_the_recorded_feed_then_the_most_similar(tiny: DataSet) -> None:
    shown, seen = whole(feed(tiny)), tiny.feed(SESSION).tolist()
    assert shown[: len(seen)] == seen

    def likeness(row: int) -> float:
        return float(np.mean([category_similarity(tiny.labels(row), tiny.labels(other)) for other in seen]))

    assert all(likeness(a) >= likeness(b) - 1e-12 for a, b in pairwise(shown[len(seen) :]))


def test_the_seed_decides_what_is_left_to_chance_and_nothing_else(tiny: DataSet) -> None:
    assert whole(feed(tiny, "random", seed=1)) != whole(feed(tiny, "random", seed=2))
    assert feed(tiny, "popularity", seed=1).first() == feed(tiny, "popularity", seed=2).first()


def test_built_in_orders(tiny: DataSet) -> None:
    prices = tiny.prices[feed(tiny, "price_ascending").first()]
    assert (np.diff(prices) >= 0).all()
    sales = tiny.sales[feed(tiny, "popularity").first()]
    assert (np.diff(sales) <= 0).all()


def test_similar_puts_first_what_is_like_the_history(tiny: DataSet) -> None:
    clicks, purchases = tiny.history(SESSION)
    liked = np.concatenate([clicks, purchases]).tolist()
    assert liked

    def likeness(row: int) -> float:
        return float(np.mean([category_similarity(tiny.labels(row), tiny.labels(other)) for other in liked]))

    assert all(likeness(a) >= likeness(b) - 1e-12 for a, b in pairwise(feed(tiny, "similar").first()))
    newcomer = 0  # u0, no history
    assert feed(tiny, "similar", session=newcomer).first() == tiny.feed(newcomer).tolist()


def test_a_policy_sees_what_it_should(tiny: DataSet) -> None:
    calls: list[tuple[User, History, FeedContext, list[int]]] = []

    def spy(user: User, history: History, context: FeedContext, candidates: Any) -> Any:
        calls.append((user, history, context, candidates.tolist()))
        candidates[:] = candidates[::-1].copy()  # in place, as careless code does
        return candidates

    made = feed(tiny, spy)
    first = made.first()
    second = made.extend(first)
    assert first == tiny.feed(SESSION).tolist()[::-1]
    assert len(second) <= BATCH
    (user, history, context, candidates), (_, _, later, _) = calls
    assert user.user_id == "u1"
    assert history.clicks.tolist() == tiny.history(SESSION)[0].tolist()
    assert context.session_id == tiny.session_id(SESSION)
    assert candidates == tiny.feed(SESSION).tolist()
    assert context.shown.tolist() == []
    assert later.shown.tolist() == first


def test_a_policy_may_leave_items_out(tiny: DataSet) -> None:
    def few(user: User, history: History, context: FeedContext, candidates: Any) -> Any:
        return [row for row in candidates.tolist() if row % 2]

    shown = whole(feed(tiny, few))
    assert sorted(shown) == list(range(1, tiny.n_items, 2))


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (lambda c: None, "a NoneType that is no list of item rows"),
        (lambda c: "junk", "a str that is no list"),
        (lambda c: set(c.tolist()), "a set that is no list"),
        (lambda c: [0.5, 1.5], "a list that is no list of item rows"),
        (lambda c: [True], "a list that is no list of item rows"),
        (lambda c: [[1], [2, 3]], "a list that is no list of item rows"),
        (lambda c: [c.tolist()], "a list that is no list of item rows"),
        (lambda c: [10**6], "item row 1000000, which is no candidate"),
        (lambda c: [-1], "item row -1, which is no candidate"),
        (lambda c: [c[0], c[0]], "an item twice"),
        (lambda c: [], "no items; a feed needs at least one"),
    ],
)
def test_junk_is_named(tiny: DataSet, answer: Callable[[Any], Any], cause: str) -> None:
    def junk(user: User, history: History, context: FeedContext, candidates: Any) -> Any:
        return answer(candidates)

    with pytest.raises(InputError, match=rf"^feed policy '.*junk' returned {cause}"):
        feed(tiny, junk).first()


def test_an_error_inside_a_users_policy_stays_what_it_is(tiny: DataSet) -> None:
    def broken(user: User, history: History, context: FeedContext, candidates: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        feed(tiny, broken).first()


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            "newest",
            "give one of recorded, random, popularity, price_ascending, similar, or an import path my.module:rank",
        ),
        (":rank", "give one of"),
        ("no.such.module:rank", "No module named 'no'"),
        ("shopsim.envs.feed:nothing", "has no attribute 'nothing'"),
        ("shopsim.envs.feed:BATCH", "BATCH is no function"),
    ],
)
def test_unknown_policies_are_named(policy: str, message: str) -> None:
    with pytest.raises(InputError, match=f"feed policy '{policy}': .*{message}"):
        load_policy(policy)


def test_policies_have_names() -> None:
    assert load_policy("random") == ("random", POLICIES["random"])
    assert load_policy(f"{__name__}:dearest") == (f"{__name__}:dearest", dearest)
    assert load_policy(dearest) == (f"{__name__}:dearest", dearest)


labels = st.tuples(st.integers(-1, 1), st.integers(-1, 3), st.integers(-1, 7)).map(
    # a tree: two children each; missing labels only at the bottom, as in a sound data set
    lambda v: (v[0], v[0] * 2 + v[1] % 2 if v[0] >= 0 and v[1] >= 0 else -1, -1)
)


@given(st.lists(labels, min_size=1, max_size=8), st.data())
def test_mean_similarity_is_the_mean_of_category_similarity(
    codes: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    rows = st.lists(st.integers(0, len(codes) - 1), max_size=6)
    some, others = data.draw(rows), data.draw(rows)
    fast = mean_similarity(np.array(codes, dtype=np.int32), np.array(some, dtype=int), np.array(others, dtype=int))
    slow = [np.mean([category_similarity(codes[a], codes[b]) for b in others]) if others else 0 for a in some]
    assert fast.tolist() == pytest.approx(slow)
