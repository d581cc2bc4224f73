from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.agents.backend import Prompt
from shopsim.trainers.rows import WEIGHTINGS, Row, Weighting, micro_batches, mini_batches, token_weights

lengths = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=8), min_size=1, max_size=6)


def rows_of(trajectories: list[list[int]]) -> list[Row]:
    return [
        Row(i, Prompt(()), tuple(range(n)), (0.0,) * n, float(i)) for i, steps in enumerate(trajectories) for n in steps
    ]


def weights_of(trajectories: list[list[int]], weighting: Weighting) -> list[list[float]]:
    rows = rows_of(trajectories)
    flat = iter(token_weights([len(r.token_ids) for r in rows], [r.trajectory for r in rows], weighting))
    return [[next(flat) for _ in steps] for steps in trajectories]


def test_weightings_in_exact_numbers() -> None:
    trajectories = [[2, 3], [5, 5, 5]]  # 5 tokens in 2 steps, 15 tokens in 3 steps
    assert weights_of(trajectories, "token") == [[1 / 20] * 2, [1 / 20] * 3]
    assert weights_of(trajectories, "step") == [[1 / 10, 1 / 15], [1 / 25] * 3]
    assert weights_of(trajectories, "trajectory") == [[1 / 10] * 2, [1 / 30] * 3]


@pytest.mark.parametrize(
    ("weighting", "share_of_the_short"),
    [("token", Fraction(2, 22)), ("step", Fraction(2, 22)), ("trajectory", Fraction(1, 2))],
)
def test_share_of_a_short_against_a_long_trajectory(weighting: Weighting, share_of_the_short: Fraction) -> None:
    short, _ = weights_of([[4] * 2, [4] * 20], weighting)
    assert sum(4 * w for w in short) == pytest.approx(float(share_of_the_short))


@given(lengths, st.sampled_from(WEIGHTINGS))
def test_weights_of_all_tokens_sum_to_one(trajectories: list[list[int]], weighting: Weighting) -> None:
    weights = weights_of(trajectories, weighting)
    total = sum(n * w for steps, ws in zip(trajectories, weights, strict=True) for n, w in zip(steps, ws, strict=True))
    assert total == pytest.approx(1)


@given(lengths, st.integers(1, 5), st.integers(0, 9))
def test_every_row_once_and_trajectories_whole(trajectories: list[list[int]], count: int, seed: int) -> None:
    rows = rows_of(trajectories)
    batches = mini_batches(rows, count, np.random.default_rng(seed))
    assert Counter(map(id, rows)) == Counter(id(row) for batch in batches for row in batch)
    owners = [{row.trajectory for row in batch} for batch in batches]
    assert sum(map(len, owners)) == len(trajectories)  # no trajectory in two mini-batches
    assert max(map(len, owners)) - min(map(len, owners)) <= 1


@given(st.lists(st.integers(1, 30), min_size=4, max_size=4))
def test_number_of_optimizer_steps_does_not_follow_episode_length(steps: list[int]) -> None:
    rows = rows_of([[3] * n for n in steps])
    assert len(mini_batches(rows, 2, np.random.default_rng(0))) == 2


def test_mini_batches_follow_their_generator() -> None:
    rows = rows_of([[1]] * 20)

    def order(seed: int) -> list[list[int]]:
        return [[row.trajectory for row in batch] for batch in mini_batches(rows, 4, np.random.default_rng(seed))]

    assert order(0) == order(0)
    assert order(0) != order(1)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_micro_batches_drop_nothing(size: int) -> None:
    parts = list(micro_batches(range(7), size))
    assert [i for part in parts for i in part] == list(range(7))
    assert max(map(len, parts)) <= size
