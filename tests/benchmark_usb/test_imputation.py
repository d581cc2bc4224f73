from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.benchmark_usb.feed_sampling import FeedSampler
from shopsim.benchmark_usb.imputation import (
    ImputationSettings,
    ImputedSession,
    Imputer,
    ItemTable,
    LogEvent,
    LogSession,
    split_of,
)
from shopsim.benchmark_usb.item_filling import ARCHETYPES, archetype_of, fill_item
from shopsim.benchmark_usb.log_table import Kind, LogTable, cut_sessions
from shopsim.data.records import ASPECTS, Item, Picture, Session
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.shop import Shop

N = 400
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ITEMS = [Item(f"i{i}", "t", 1.0, None, None, None, Picture("box", aspect=ASPECTS[i % 3])) for i in range(N)]
# Category i is 20 items wide; four of them make a parent.
GROUPS = np.array([(i // 20, i // 80) for i in range(N)])
WEIGHTS = 1.0 + np.arange(N) % 7


def imputer(seed: int = 0, stray: float = 0.1, items: int = N) -> Imputer:
    sampler = FeedSampler(GROUPS[:items], WEIGHTS[:items], stray)
    return Imputer(ItemTable(ITEMS[:items]), sampler, ImputationSettings(seed))


def log_session(*events: tuple[Kind, int], session_id: str = "s", gap: float = 30) -> LogSession:
    timed = [LogEvent(START + i * timedelta(seconds=gap), kind, item) for i, (kind, item) in enumerate(events)]
    return LogSession(session_id, "u", "train", timed)


def replayed(session: Session, items: list[Item]) -> Shop:
    """The shop after the session was replayed; fails where a step is not possible or its screen is another."""
    rows = {item.item_id: row for row, item in enumerate(items)}
    shop = Shop(ItemTable(items), session.session_id, [rows[item] for item in session.feed])
    for step in session.steps:
        assert (step.page, step.scroll) == (shop.page, shop.scroll)
        event = shop.follow(step.action, rows[step.item_id] if step.item_id else -1)
        assert event.effect is step.action
        if event.point:
            assert event.point == (step.x, step.y)
    return shop


events = st.lists(
    st.tuples(st.sampled_from(Kind), st.one_of(st.integers(0, 4), st.integers(0, N - 1))), min_size=1, max_size=25
)


@settings(max_examples=60, deadline=None)
@given(events=events, seed=st.integers(0, 3), gap=st.sampled_from([0.0, 30.0]))
def test_any_log_becomes_a_legal_session(events: list[tuple[Kind, int]], seed: int, gap: float) -> None:
    log, maker = log_session(*events, gap=gap), imputer(seed)
    made = maker.impute(log)
    session = made.session
    shop = replayed(session, ITEMS)

    # The feed is long and shows nothing twice; all that was opened was seen.
    assert len(set(session.feed)) == len(session.feed) >= max(60, 3 * len(made.seen))
    assert set(log.opened) <= set(made.seen) == shop.trajectory.impressions.keys()
    # Every event of the log is a step or is counted; nothing else claims to be recorded.
    recorded = [step for step in session.steps if not step.imputed]
    assert len(recorded) + maker.no_effect.total() == len(events)
    assert Counter(step.action.label for step in recorded) == maker.recorded
    assert {step.action for step in recorded} <= {Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE}
    assert {step.timestamp for step in recorded} <= {event.time for event in log.events}
    # Carts and purchases are the log's, once each.
    for kind, done in ((Kind.CART, shop.carted), (Kind.PURCHASE, shop.bought)):
        assert done == {item for k, item in events if k is kind}
    # One leaving, at the end, filled in; time never goes back.
    assert [step.action is Action.TERMINATE for step in session.steps] == [False] * (len(session.steps) - 1) + [True]
    assert session.steps[-1].imputed
    times = [session.started_at, *(step.timestamp for step in session.steps)]
    assert times == sorted(times)


@settings(max_examples=25, deadline=None)
@given(events=st.lists(st.tuples(st.sampled_from(Kind), st.integers(0, 7)), min_size=1, max_size=12))
def test_a_shop_with_few_items_shows_all_of_them(events: list[tuple[Kind, int]]) -> None:
    made = imputer(items=8).impute(log_session(*events))
    assert sorted(made.feed) == list(range(8))
    replayed(made.session, ITEMS[:8])


def test_a_session_depends_on_seed_and_id_alone() -> None:
    first, second = log_session((Kind.VIEW, 3), session_id="a"), log_session((Kind.VIEW, 9), session_id="b")
    forwards = imputer()
    made: list[ImputedSession] = [forwards.impute(first), forwards.impute(second)]
    backwards = imputer()
    assert [backwards.impute(second), backwards.impute(first)] == made[::-1]
    assert imputer(seed=1).impute(first).session.feed != made[0].session.feed


def test_views_become_visits_and_idle_events_are_counted() -> None:
    maker = imputer()
    log = log_session(
        (Kind.VIEW, 1),
        (Kind.VIEW, 1),
        (Kind.CART, 1),
        (Kind.CART, 1),
        (Kind.PURCHASE, 2),
        (Kind.VIEW, 2),
        (Kind.VIEW, 1),
    )
    steps = maker.impute(log).session.steps
    acts = [(s.action.label, s.item_id, s.imputed) for s in steps if "scroll" not in s.action.label]
    assert acts[:7] == [
        ("enter_detail", "i1", False),
        ("add_to_cart", "i1", False),
        ("back", None, True),
        ("enter_detail", "i2", True),
        ("purchase", "i2", False),
        ("back", None, True),
        ("enter_detail", "i1", False),
    ]
    assert maker.no_effect == {"view of the item already open": 2, "cart of an item carted before": 1}
    assert (maker.visits, maker.purchases_without_cart) == (1, 1)
    assert all(s.page is Page.FEED for s in steps if s.action is Action.ENTER_DETAIL)


def test_how_far_a_shopper_browses_does_not_depend_on_where_items_lie() -> None:
    """Places are uniform over what was seen: the mean rank of an only item is the middle."""
    ranks = []
    maker = imputer()
    for k in range(300):
        made = maker.impute(log_session((Kind.VIEW, k), session_id=f"s{k}"))
        ranks.append((made.seen.index(k) + 0.5) / len(made.seen))
    assert np.mean(ranks) == pytest.approx(0.5, abs=0.06)


def test_fillers_come_from_the_opened_categories_by_weight() -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.0)
    rng = np.random.default_rng(0)
    first = Counter[int]()
    for _ in range(400):
        fillers = sampler.draw(rng, [0, 100], 12)
        assert len(set(fillers)) == 12
        assert not {0, 100} & set(fillers)
        assert {GROUPS[item, 0] for item in fillers} <= {0, 5}
        first[fillers[0]] += 1
    by_group = Counter({0: 0, 5: 0})
    for item, count in first.items():
        by_group[int(GROUPS[item, 0])] += count
    assert by_group[0] / 400 == pytest.approx(0.5, abs=0.08)
    heavy = sum(count for item, count in first.items() if WEIGHTS[item] == 7) / 400
    light = sum(count for item, count in first.items() if WEIGHTS[item] == 1) / 400
    assert heavy > 3 * light


def test_a_category_used_up_gives_way_to_its_parent_and_then_to_all() -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=0.0)
    fillers = sampler.draw(np.random.default_rng(0), [5], N + 50)
    assert sorted([5, *fillers]) == list(range(N))
    assert {GROUPS[item, 0] for item in fillers[:19]} == {0}
    assert {GROUPS[item, 1] for item in fillers[:79]} == {0}


def test_strays_come_from_anywhere() -> None:
    sampler = FeedSampler(GROUPS, WEIGHTS, stray=1.0)
    fillers = sampler.draw(np.random.default_rng(0), [5], 100)
    assert len({GROUPS[item, 0] for item in fillers}) > 10


def test_sessions_are_cut_by_name_user_and_gap() -> None:
    minutes = np.array([0, 1, 40, 0, 2, 100, 5])
    log = LogTable(
        time=minutes * 60_000_000,
        kind=np.zeros(7, np.int8),
        item=np.arange(7, dtype=np.int32),
        user=np.array([0, 0, 0, 1, 1, 1, 2], np.int32),
        session=np.array([0, 0, 0, 1, 1, 2, 0], np.int32),
    )
    sessions = cut_sessions(log, gap_minutes=30)
    members = [sessions.log.item[a:b].tolist() for a, b in zip(sessions.start, sessions.start[1:], strict=False)]
    assert members == [[0, 1], [2], [6], [3, 4], [5]]
    assert sessions.part.tolist() == [0, 1, 2, 0, 0]
    assert (sessions.shared, sessions.cut) == (1, 1)
    assert [members[i] for i in sessions.order] == [[0, 1], [3, 4], [6], [2], [5]]
    assert len(cut_sessions(log.take(np.zeros(7, bool)), 30)) == 0
    assert cut_sessions(log, gap_minutes=60).cut == 0


def test_events_of_one_second_stay_in_file_order() -> None:
    same = np.zeros(50, np.int64)
    log = LogTable(
        same, same.astype(np.int8), np.arange(50, dtype=np.int32), same.astype(np.int32), same.astype(np.int32)
    )
    assert cut_sessions(log, 30).log.item.tolist() == list(range(50))


def test_splits_are_by_user_and_close_to_80_10_10() -> None:
    splits = Counter(split_of(f"user {i}", 0) for i in range(5000))
    assert splits["train"] / 5000 == pytest.approx(0.8, abs=0.02)
    assert splits["test"] / 5000 == pytest.approx(0.1, abs=0.02)
    assert split_of("u", 3) == split_of("u", 3)
    assert any(split_of(f"user {i}", 0) != split_of(f"user {i}", 1) for i in range(50))


def test_an_item_looks_the_same_in_any_import() -> None:
    labels = ("apparel", "apparel.shoes", "apparel.shoes.keds")
    item = fill_item("77", 12.5, labels, ("apparel", "shoes", "keds"), "salomon")
    assert item == fill_item("77", 12.5, labels, ("apparel", "shoes", "keds"), "salomon")
    assert (item.item_id, item.price, item.brand, item.l3) == ("77", 12.5, "Salomon", "apparel.shoes.keds")
    assert item.picture.archetype == "sneaker"
    assert item.title != fill_item("78", 12.5, labels, ("apparel", "shoes", "keds"), "salomon").title
    assert item.rating is not None
    assert 1 <= item.rating <= 5


def test_pictures_follow_the_most_special_word_known() -> None:
    assert archetype_of(("electronics", "smartphone")) == "phone"
    assert archetype_of(("apparel", "shoes", "something new")) == ARCHETYPES["shoes"]
    assert archetype_of(("country_yard",)) == archetype_of(()) == "box"
    assert fill_item("1", 1.0, (None, None, None)).title


def test_titles_leave_the_colour_to_the_picture_more_often_than_not() -> None:
    items = [fill_item(str(i), 1.0, (None, None, None), ("electronics", "tablet"), "x") for i in range(300)]
    told = sum(item.attributes["Colour"] in item.title for item in items)
    assert 60 < told < 180
