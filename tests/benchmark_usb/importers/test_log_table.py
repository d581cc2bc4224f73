from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.log_table import CutRules, Kind, LogTable, Sessions, cut_sessions
from shopsim.errors import InputError

MINUTE = 60_000_000


def table(rows: list[tuple[float, int, int]], kind: int = Kind.VIEW) -> LogTable:
    """Events (minute, user, session), each of an item of its own."""
    minutes, users, sessions = np.array(rows, np.float64).reshape(-1, 3).T
    n = len(rows)
    return LogTable(
        (minutes * MINUTE).astype(np.int64),
        np.full(n, kind, np.int8),
        np.arange(n, dtype=np.int32),
        users.astype(np.int32),
        sessions.astype(np.int32),
        np.full(n, -1, np.int32),
    )


def members(sessions: Sessions) -> list[list[int]]:
    return [sessions.log.item[a:b].tolist() for a, b in pairwise(sessions.start)]


def test_sessions_are_cut_by_name_user_and_gap_and_stand_in_order_of_time() -> None:
    log = table([(0, 0, 0), (1, 0, 0), (40, 0, 0), (0, 1, 1), (2, 1, 1), (100, 1, 2), (5, 2, 0)])
    sessions = cut_sessions(log, CutRules())
    assert members(sessions) == [[0, 1], [3, 4], [6], [2], [5]]
    assert sessions.part.tolist() == [0, 0, 2, 1, 0]
    assert (sessions.log_sessions, sessions.shared, sessions.cut) == (3, 1, 1)
    assert cut_sessions(log, CutRules(gap_minutes=60)).cut == 0
    assert len(cut_sessions(log.take(np.zeros(7, bool)), CutRules())) == 0


def test_time_that_runs_backwards_is_sorted_and_counted() -> None:
    sessions = cut_sessions(table([(5, 0, 0), (3, 0, 0), (4, 0, 0), (1, 1, 1)]), CutRules())
    assert members(sessions) == [[3], [1, 2, 0]]
    assert sessions.backwards == 1


def test_events_of_one_second_stay_in_file_order_and_are_counted() -> None:
    sessions = cut_sessions(table([(0.0, 0, 0)] * 50), CutRules())
    assert members(sessions) == [list(range(50))]
    assert (sessions.same_second, sessions.backwards) == (49, 0)


def test_sessions_of_weeks_are_counted_and_cut() -> None:
    sessions = cut_sessions(table([(day * 24 * 60, 0, 0) for day in range(28)]), CutRules())
    assert (len(sessions), sessions.log_sessions_of_days, sessions.cut) == (28, 1, 27)


@pytest.mark.parametrize(
    ("rules", "dropped"),
    [
        (CutRules(), 2),
        (CutRules(most_per_minute=0), 1),
        (CutRules(most_events=0), 1),
        (CutRules(most_per_minute=0, most_events=0), 0),
        (CutRules(most_per_minute=1, gap_minutes=2), 3),
    ],
)
def test_machines_are_told_by_pace_and_length_and_counted(rules: CutRules, dropped: int) -> None:
    rows = [(i / 6000, 0, 0) for i in range(500)]  # a hundred a second
    rows += [(1000 + i / 10, 1, 1) for i in range(1200)]  # ten a minute, for two hours
    rows += [(3000 + i, 2, 2) for i in range(20)]
    rows += [(4000 + i / 2, 3, 3) for i in range(3)]
    sessions = cut_sessions(table(rows), rules)
    assert sessions.bot_sessions == dropped
    assert sessions.bot_events + len(sessions.log) == len(rows)


events = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 3), st.integers(0, 2)), max_size=40)


@given(events, st.sampled_from([1, 30]))
def test_cutting_is_what_it_says(rows: list[tuple[int, int, int]], gap: int) -> None:
    log = table(rows)
    sessions = cut_sessions(log, CutRules(gap_minutes=gap))
    groups: dict[tuple[int, int], list[int]] = {}
    for i in sorted(range(len(rows)), key=lambda i: rows[i][0]):
        groups.setdefault((rows[i][2], rows[i][1]), []).append(i)
    expected = []
    for group in groups.values():
        expected.append([group[0]])
        for before, i in pairwise(group):
            if rows[i][0] - rows[before][0] > gap:
                expected.append([])
            expected[-1].append(i)
    assert sorted(members(sessions)) == sorted(expected)
    firsts = [rows[session[0]][0] for session in members(sessions)]
    assert firsts == sorted(firsts)
    names = list(zip(sessions.log.session[sessions.start[:-1]].tolist(), sessions.part.tolist(), strict=True))
    assert len(set(names)) == len(names)
    assert len(sessions) == sessions.log_sessions + sessions.shared + sessions.cut
    assert sessions.log_sessions == len({row[2] for row in rows})


@pytest.mark.parametrize(("rule", "value"), [("gap_minutes", 0), ("most_per_minute", -1), ("most_events", -1)])
def test_rules_out_of_range_are_named(rule: str, value: float) -> None:
    with pytest.raises(InputError, match=rule):
        CutRules(**{rule: value})  # type: ignore[arg-type]
