"""Trajectories beside their siblings: the arithmetic, and what it must prefer."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shopsim.data.vocabulary import Action, Page
from shopsim.envs.reward import TrajectoryReward
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
    one, two, three, alone = session(0), session(1), session(2), session(3)
    numbers = {id(t): i for i, t in enumerate((one, two, three, alone))}
    values = contrasted(
        [1.0, 2.0, None, 4.0, 3.0],
        [one, two, None, alone, three],
        [5, 5, 5, 6, 5],
        lambda a, b: table[numbers[id(a)], numbers[id(b)]],
        0.5,
    )
    # Mean likeness both ways round: 0.3 and 0.3 for one, 0.3 and -0.5 for two, 0.3 and -0.5 for three.
    assert values == [pytest.approx(1 - 0.5 * 0.3), pytest.approx(2 + 0.5 * 0.1), None, 4.0, pytest.approx(3 + 0.05)]


def test_weight_zero_is_the_plain_reward() -> None:
    assert contrasted([0.5, None], [SHOE, None], [0, 0], LIKENESS, 0.0) == [0.5, None]


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


def score(policy: NDArray[np.float64], weight: float) -> float:
    """S of a policy that draws the sessions with these probabilities."""
    return float(policy @ TABLE @ PEOPLE - weight / 2 * policy @ TABLE @ policy)


def test_the_plain_reward_is_highest_for_always_doing_nothing() -> None:
    alone = [score(row, weight=0) for row in np.eye(4)]
    assert int(np.argmax(alone)) == SESSIONS.index(IDLE)
    assert score(PEOPLE, weight=0) < max(alone)


def test_contrast_prefers_spreading_as_people_do() -> None:
    assert all(score(PEOPLE, weight=1) > score(row, weight=1) for row in np.eye(4))
    shares = np.arange(11) / 10
    grid = np.array([row for row in product(shares, repeat=4) if abs(sum(row) - 1) < 1e-9])
    best = grid[np.argmax([score(row, weight=1) for row in grid])]
    assert np.abs(best - PEOPLE).max() < 0.15


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_agrees_with_a_second_computation(drawn: list[int]) -> None:
    # Against a second computation, by the table.
    rewards = [float(TABLE[i] @ PEOPLE) for i in drawn]
    values = contrasted(rewards, [SESSIONS[i] for i in drawn], [0] * len(drawn), LIKENESS, 1.0)
    for a, i in enumerate(drawn):
        others = [(TABLE[i, j] + TABLE[j, i]) / 2 for b, j in enumerate(drawn) if b != a]
        assert values[a] == pytest.approx(rewards[a] - np.mean(others))
