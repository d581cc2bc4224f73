from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import keys_of
from shopsim.benchmark_usb.importers.imputation import Filled, FillIn, Imputer
from shopsim.benchmark_usb.importers.log_table import Kind, LogTable
from shopsim.benchmark_usb.importers.ragged import starts_of
from shopsim.data.records import ASPECTS, Item, Picture
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.shop import Shop
from shopsim.errors import InputError

N = 400
SECOND = 1_000_000
ITEMS = [Item(f"i{i}", "t", 1.0, None, None, None, Picture("box", aspect=ASPECTS[i % 3])) for i in range(N)]
GROUPS = np.array([(i // 20, i // 80) for i in range(N)])
WEIGHTS = 1.0 + np.arange(N) % 7

Events = list[tuple[Kind, int]]


class Shelf:
    """The items as the shop asks for them."""

    def aspect(self, item: int) -> int:
        return ASPECTS.index(ITEMS[item].picture.aspect)

    def detail_counts(self, item: int) -> tuple[int, int]:
        return 0, 0


def imputer(items: int = N, **settings: float) -> Imputer:
    return Imputer(ITEMS[:items], GROUPS[:items], WEIGHTS[:items], FillIn(**settings))  # type: ignore[arg-type]


def log_of(sessions: list[Events], gap: int = 30, minds: bool = False) -> tuple[LogTable, NDArray[np.int64]]:
    """Sessions whose events lie `gap` seconds apart."""
    lengths = np.array([len(events) for events in sessions])
    flat = [event for events in sessions for event in events]
    place = np.concatenate([np.arange(n) for n in lengths])
    owner = np.repeat(np.arange(len(sessions)), lengths).astype(np.int32)
    mind = np.arange(len(flat), dtype=np.int32) if minds else np.full(len(flat), -1, np.int32)
    return LogTable(
        1_770_000_000 * SECOND + place * gap * SECOND,
        np.array([kind for kind, _ in flat], np.int8),
        np.array([-1 if kind is Kind.LEAVE else item for kind, item in flat], np.int32),
        owner,
        owner,
        mind,
    ), lengths


def fill(maker: Imputer, sessions: list[Events], gap: int = 30, first: int = 0, minds: bool = False) -> Filled:
    keys = keys_of(0, (f"s{first + i}" for i in range(len(sessions))))
    return maker.impute(keys, *log_of(sessions, gap, minds))


def replayed(filled: Filled, i: int) -> Shop:
    """The shop after session `i` was replayed; fails where a step is not possible or its screen is another."""
    feeds, starts = starts_of(filled.feed_length), starts_of(filled.steps.lengths)
    feed = filled.feed[feeds[i] : feeds[i + 1]].tolist()
    assert len(set(feed)) == len(feed)
    shop, steps = Shop(Shelf(), f"s{i}", feed), filled.steps
    for row in range(starts[i], starts[i + 1]):
        assert (int(steps.page[row]), int(steps.scroll[row])) == (shop.page, shop.scroll)
        button = None if shop.page is Page.FEED else next(
            (b.center() for b in shop.targets() if b.kind == Action(int(steps.action[row])).label), None
        )  # fmt: skip
        event = shop.follow(Action(int(steps.action[row])), int(steps.item[row]))
        assert event.effect == steps.action[row]
        point = event.point or button
        assert (steps.x[row], steps.y[row]) == point if point else np.isnan([steps.x[row], steps.y[row]]).all()
    seen = filled.seen[feeds[i] : feeds[i + 1]]
    assert shop.trajectory.impressions.keys() == {item for item, saw in zip(feed, seen.tolist(), strict=True) if saw}
    return shop


events = st.lists(
    st.tuples(st.sampled_from([Kind.VIEW, Kind.CART, Kind.PURCHASE]), st.integers(0, 4) | st.integers(0, N - 1)),
    min_size=1,
    max_size=25,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(events, min_size=1, max_size=4), st.sampled_from([0, 30]), st.booleans())
def test_any_log_becomes_legal_sessions(sessions: list[Events], gap: int, leaves: bool) -> None:
    if leaves:
        sessions = [[*session, (Kind.LEAVE, -1)] for session in sessions]
    maker = imputer()
    filled = fill(maker, sessions, gap)
    steps, starts = filled.steps, starts_of(filled.steps.lengths)
    log_times = set(log_of(sessions, gap)[0].time.tolist())
    for i, session in enumerate(sessions):
        shop = replayed(filled, i)
        # The feed is long; all that was opened was seen.
        items = {item for kind, item in session if kind is not Kind.LEAVE}
        assert len(shop.feed) >= max(60, 3 * len(shop.trajectory.impressions))
        assert items <= shop.trajectory.impressions.keys()
        # Carts and purchases are the log's, once each.
        for kind, done in ((Kind.CART, shop.carted), (Kind.PURCHASE, shop.bought)):
            assert done == {item for k, item in session if k is kind}
        mine = slice(starts[i], starts[i + 1])
        action, imputed, time = steps.action[mine], steps.imputed[mine], steps.time[mine]
        # One leaving, at the end, filled in unless the log holds it; time never goes back.
        assert (action == Action.TERMINATE).tolist() == [False] * (len(action) - 1) + [True]
        assert imputed[-1] == (not leaves)
        assert (np.diff(time) >= 0).all()
        assert set(time[~imputed].tolist()) <= log_times
        assert {int(a) for a in action[~imputed]} <= {
            Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE, Action.TERMINATE,
        }  # fmt: skip
    # Every event of the log is a step or is counted; nothing else claims to be recorded.
    assert maker.recorded.total() + maker.no_effect.total() == sum(map(len, sessions))
    assert maker.recorded.total() == (~steps.imputed).sum()
    assert maker.recorded.total() + maker.imputed.total() == len(steps.action)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([Kind.VIEW, Kind.CART]), st.integers(0, 7)), min_size=1, max_size=12),
    st.integers(8, 30),
)
def test_a_shop_with_few_items_shows_all_of_them(session: Events, items: int) -> None:
    filled = fill(imputer(items=items), [session])
    assert sorted(filled.feed.tolist()) == list(range(items))
    replayed(filled, 0)


def test_a_session_depends_on_its_key_and_events_alone() -> None:
    sessions: list[Events] = [[(Kind.VIEW, 3)], [(Kind.VIEW, 9), (Kind.CART, 4)], [(Kind.PURCHASE, 30)]]
    together = fill(imputer(), sessions)
    alone = fill(imputer(), sessions[1:2], first=1)
    feeds, steps = starts_of(together.feed_length), starts_of(together.steps.lengths)
    assert together.feed[feeds[1] : feeds[2]].tolist() == alone.feed.tolist()
    for name in ("action", "scroll", "item", "time"):
        mine = getattr(together.steps, name)[steps[1] : steps[2]]
        assert mine.tolist() == getattr(alone.steps, name).tolist()
    assert fill(imputer(), sessions[1:2], first=5).feed.tolist() != alone.feed.tolist()


def acts(filled: Filled) -> list[tuple[str, int, bool]]:
    steps = filled.steps
    rows = zip(steps.action.tolist(), steps.item.tolist(), steps.imputed.tolist(), strict=True)
    return [(Action(a).label, item, imputed) for a, item, imputed in rows if "scroll" not in Action(a).label]


def test_views_become_visits_and_idle_events_are_counted() -> None:
    maker = imputer()
    filled = fill(maker, [[
        (Kind.VIEW, 1), (Kind.VIEW, 1), (Kind.CART, 1), (Kind.CART, 1), (Kind.PURCHASE, 2), (Kind.VIEW, 2),
        (Kind.VIEW, 1),
    ]])  # fmt: skip
    assert acts(filled)[:7] == [
        ("enter_detail", 1, False),
        ("add_to_cart", 1, False),
        ("back", -1, True),
        ("enter_detail", 2, True),
        ("purchase", 2, False),
        ("back", -1, True),
        ("enter_detail", 1, False),
    ]
    assert maker.no_effect == {"view of the item already open": 2, "cart of an item carted before": 1}
    assert (maker.visits, maker.purchases_without_cart) == (1, 1)


def test_steps_between_events_lie_evenly_and_those_at_the_ends_keep_a_pace() -> None:
    filled = fill(imputer(pace_seconds=2.0), [[(Kind.VIEW, 1), (Kind.VIEW, 200)]], gap=60)
    time, imputed = filled.steps.time / SECOND - 1_770_000_000, filled.steps.imputed
    first, second = np.flatnonzero(~imputed).tolist()
    assert (time[first], time[second]) == (0.0, 60.0)
    assert np.diff(time[: first + 1]).tolist() == [2.0] * first
    assert np.diff(time[first : second + 1]) == pytest.approx(60 / (second - first), abs=1e-5)
    assert np.diff(time[second:]).tolist() == [2.0] * (len(time) - second - 1)


def test_what_was_said_stands_at_the_step_it_was_said_of() -> None:
    session: Events = [(Kind.VIEW, 1), (Kind.CART, 2), (Kind.LEAVE, -1)]
    steps = fill(imputer(), [session], minds=True).steps
    told = {int(steps.action[row]): int(steps.mind[row]) for row in np.flatnonzero(steps.mind >= 0)}
    assert told == {Action.ENTER_DETAIL: 0, Action.ADD_TO_CART: 1, Action.TERMINATE: 2}


def test_leaving_before_the_end_is_nothing() -> None:
    maker = imputer()
    filled = fill(maker, [[(Kind.LEAVE, -1), (Kind.VIEW, 1)][::-1], [(Kind.VIEW, 1), (Kind.LEAVE, -1), (Kind.VIEW, 2)]])
    assert maker.no_effect == {"leaving before the end": 1}
    assert Counter(filled.steps.action.tolist())[Action.TERMINATE] == 2
    assert maker.recorded["terminate"] == 1


def test_how_far_a_shopper_browses_does_not_depend_on_where_items_lie() -> None:
    """Places are uniform over what was seen: the mean rank of an only item is the middle."""
    filled = fill(imputer(), [[(Kind.VIEW, k)] for k in range(N)])
    feeds = starts_of(filled.feed_length)
    ranks = []
    for i in range(N):
        seen = filled.feed[feeds[i] : feeds[i + 1]][filled.seen[feeds[i] : feeds[i + 1]]].tolist()
        ranks.append((seen.index(i) + 0.5) / len(seen))
    assert np.mean(ranks) == pytest.approx(0.5, abs=0.05)


def test_more_is_seen_where_more_is_asked_for() -> None:
    seen = [fill(imputer(seen_per_opened=n), [[(Kind.VIEW, k)] for k in range(200)]).seen.sum() for n in (2, 6, 12)]
    assert seen == sorted(seen)
    assert seen[2] > 1.5 * seen[0]


@pytest.mark.parametrize(
    ("name", "value"), [("stray", 1.5), ("seen_per_opened", 1.0), ("shelf", -1), ("pace_seconds", -1)]
)
def test_settings_out_of_range_are_named(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        FillIn(**{name: value})  # type: ignore[arg-type]
