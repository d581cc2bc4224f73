"""Trajectories beside their siblings: the arithmetic, and what it must prefer."""

from itertools import product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.envs.reward import Spread, TrajectoryReward
from shopsim.envs.trajectory import Event, StopReason, Trajectory
from shopsim.trainers.contrast import contrasted, likeness_of


def labels(row: int) -> tuple[int, int, int]:
    return row // 4, row // 2, row


def session(*items: int) -> Trajectory:
    """Opens these items and leaves."""
    events = [Event(i, Page.FEED, 0, Action.CLICK, Action.CLICK, item, None) for i, item in enumerate(items)]
    events.append(Event(len(items), Page.FEED, 0, Action.TERMINATE, Action.TERMINATE, -1, None))
    return Trajectory("s", events, stop_reason=StopReason.TERMINATE)


IDLE, SHOE, BAG, MANY = session(), session(1), session(9), session(17, 25, 33)
REWARD = TrajectoryReward()
LIKENESS = likeness_of(REWARD, labels)


def test_each_is_compared_with_the_others_of_its_own_group() -> None:
    table = {(0, 1): 0.2, (1, 0): 0.4, (0, 2): 0.6, (2, 0): 0.0, (1, 2): -1.0, (2, 1): 0.0}
    one, two, three, alone, person = session(0), session(1), session(2), session(3), session(4)
    numbers = {id(t): i for i, t in enumerate((one, two, three, alone, person))}
    as_person = {(4, i): 0.1 * i for i in range(4)} | {(i, 4): 0.0 for i in range(4)}
    values = contrasted(
        [1.0, 2.0, None, 4.0, 3.0],
        [one, two, None, alone, three],
        [5, 5, 5, 6, 5],
        lambda a, b: (table | as_person)[numbers[id(a)], numbers[id(b)]],
        0.5,
        [person] * 5,
    )
    # Mean likeness both ways round: 0.3 and 0.3 for one, 0.3 and -0.5 for two, 0.3 and -0.5 for three.
    # To the person it is 0, 0.1, 0.2 and 0.3 by the person's side, 0 by the reward's: half of that is added.
    expected = [1 - 0.5 * 0.3, 2 + 0.05 + 0.5 * 0.1, None, 4 + 0.15, 3 + 0.1 + 0.5 * 0.1]
    assert values == [None if v is None else pytest.approx(v) for v in expected]


def test_weight_zero_is_the_plain_reward() -> None:
    assert contrasted([0.5, None], [SHOE, None], [0, 0], LIKENESS, 0.0, [BAG, BAG]) == [0.5, None]


def test_an_answer_that_could_not_be_read_is_no_likeness() -> None:
    clumsy = session(1)
    clumsy.events.insert(0, Event(0, Page.FEED, 0, None, None, -1, None))
    assert LIKENESS(SHOE, SHOE) == 1.0
    parts = REWARD(clumsy, SHOE, labels)
    assert LIKENESS(clumsy, SHOE) == pytest.approx(parts.macro + parts.micro + parts.length)


SESSIONS = (IDLE, SHOE, BAG, MANY)
TABLE = np.array([[LIKENESS(one, other) for other in SESSIONS] for one in SESSIONS])
PEOPLE = np.array([0.4, 0.2, 0.2, 0.2])
"""Most often idle, so that the most typical single session is that of touching nothing."""


def test_the_plain_reward_is_highest_for_always_doing_nothing() -> None:
    alone = TABLE @ PEOPLE
    assert int(np.argmax(alone)) == SESSIONS.index(IDLE)
    assert max(alone) > PEOPLE @ TABLE @ PEOPLE


GRID = np.array([row for row in product(np.arange(21) / 20, repeat=3) if abs(sum(row) - 1) < 1e-9])


def best(table: NDArray[np.float64], people: NDArray[np.float64], likeness: NDArray[np.float64]) -> list[float]:
    """The policy whose score, the likeness to people less half that to itself, is highest."""
    scores = [row @ table @ people - row @ likeness @ row / 2 for row in GRID]
    found: list[float] = GRID[np.argmax(scores)].tolist()
    return found


SPREAD = Spread(dict.fromkeys(ITEM_ACTIONS, 1.5), 1.5)


@pytest.mark.parametrize(("macro", "spread"), [("clipped", None), ("squared", None), ("unclipped", SPREAD)])
def test_contrast_is_highest_for_spreading_as_people_do(
    macro: Literal["clipped", "unclipped", "squared"], spread: Spread | None
) -> None:
    sessions, people = (session(1), session(1, 9), session(1, 9, 17, 25)), np.array([0.3, 0.3, 0.4])
    likeness = likeness_of(TrajectoryReward(macro, spread=spread), labels)
    table = np.array([[likeness(one, other) for other in sessions] for one in sessions])
    both_ways = (table + table.T) / 2
    assert best(both_ways, people, both_ways) == pytest.approx(people)
    if macro == "squared":
        few, _, many = best(table, people, both_ways)
        assert few > 0.4 > many, "a gap relative to what the person did weighs more when the person did less"


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.integers(0, 3))
def test_its_mean_is_the_gradient_of_the_score(drawn: list[int], person: int) -> None:
    # Against a second computation, by the table.
    group = [SESSIONS[i] for i in drawn]
    rewards = [float(TABLE[i, person]) for i in drawn]
    values = contrasted(rewards, group, [0] * len(drawn), LIKENESS, 1.0, [SESSIONS[person]] * len(drawn))
    both_ways = (TABLE + TABLE.T) / 2
    for a, i in enumerate(drawn):
        others = [both_ways[i, j] for b, j in enumerate(drawn) if b != a]
        assert values[a] == pytest.approx(both_ways[i, person] - np.mean(others))
