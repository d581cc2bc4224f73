import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.errors import InputError
from shopsim.trainers.advantages import advantages, cancelling_parts, group_advantages

rewards = st.lists(st.floats(-10, 10, allow_nan=False), min_size=2, max_size=9)


def test_formula() -> None:
    # mean 2, population std sqrt(2/3)
    assert group_advantages([1.0, 2.0, 3.0]) == pytest.approx([-(1.5**0.5), 0.0, 1.5**0.5])
    assert group_advantages([1.0, 2.0, 3.0], scale=False) == [-1.0, 0.0, 1.0]


def test_near_equal_rewards_are_not_swallowed() -> None:
    assert group_advantages([1000.001, 1000.002]) == pytest.approx([-1.0, 1.0], abs=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7, 1e12, 1 / 3])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_equal_rewards_give_exact_zeros(value: float, n: int) -> None:
    assert group_advantages([value] * n) == [0.0] * n


def test_rounding_noise_is_no_advantage() -> None:
    assert np.abs(group_advantages([0.1 + 0.2, 0.3])).max() < 1e-6


@pytest.mark.parametrize("given_rewards", [[], [1.0]])
def test_a_group_of_one_is_refused(given_rewards: list[float]) -> None:
    with pytest.raises(InputError, match="at least 2"):
        group_advantages(given_rewards)


@given(rewards)
def test_centred_and_scaled(values: list[float]) -> None:
    result = np.array(group_advantages(values))
    assert result.sum() == pytest.approx(0, abs=1e-6)
    assert result.std() <= 1 + 1e-9
    if max(values) - min(values) > 1e-3:
        assert result.std() == pytest.approx(1, abs=1e-4)
        order = np.argsort(values, kind="stable")
        assert (np.diff(result[order]) >= 0).all()


@given(rewards, st.floats(-5, 5), st.floats(0.1, 5))
def test_shift_and_scale_of_rewards_do_not_matter(values: list[float], shift: float, factor: float) -> None:
    if max(values) - min(values) > 1e-2:
        moved = [factor * value + shift for value in values]
        assert group_advantages(moved) == pytest.approx(group_advantages(values), abs=1e-4)


def test_each_group_on_its_own_and_in_any_order() -> None:
    result = advantages([0.0, 10.0, 2.0, 30.0], [7, 3, 7, 3])
    assert result.values == pytest.approx((-1, -1, 1, 1))
    assert (result.groups, result.dropped_groups, result.zero_spread_groups) == (2, 0, 0)


def test_faults_leave_their_group() -> None:
    # A fault scored as 0 would move the mean of the first group.
    result = advantages([5.0, None, 7.0, None, 1.0, None, None, None], [0, 0, 0, 0, 1, 1, 2, 2])
    assert result.values[:4] == (pytest.approx(-1.0), None, pytest.approx(1.0), None)
    assert result.values[4:] == (None,) * 4  # one survivor, then none: dropped
    assert (result.groups, result.dropped_groups) == (1, 2)


def test_one_reward_for_a_whole_group_is_refused() -> None:
    """Given to every member it would vanish in the group's mean, and nothing would say so."""
    with pytest.raises(InputError, match="2 rewards for 6 trajectories"):
        advantages([1.0, 2.0], [0, 0, 0, 1, 1, 1])
    shared = advantages([1.0] * 3 + [2.0] * 3, [0, 0, 0, 1, 1, 1])
    assert (shared.values, shared.zero_spread_groups) == ((0.0,) * 6, 2)


def test_zero_spread_groups_are_counted() -> None:
    result = advantages([2.0, 2.0, 1.0, 3.0], [0, 0, 1, 1])
    assert result.values[:2] == (0.0, 0.0)
    assert result.zero_spread_groups == 1


def test_cancelling_parts() -> None:
    cancel = [{"macro": -1.0, "micro": 1.0, "total": 0.0}, {"macro": -0.5, "micro": 0.5, "total": 0.0}]
    constant = [{"macro": 0.0, "micro": 1.0, "total": 1.0}] * 2
    learnable = [{"macro": 0.0, "micro": 1.0, "total": 1.0}, {"macro": 0.0, "micro": 0.5, "total": 0.5}]
    assert cancelling_parts([*cancel, *constant, *learnable, None], [0, 0, 1, 1, 2, 2, 2]) == 1


def test_groups_without_spread_can_be_left_out() -> None:
    rewards, groups = [1.0, 1.0, 0.0, 1.0, 2.0, None, 3.0], [0, 0, 1, 1, 1, 2, 2]
    kept = advantages(rewards, groups)
    left_out = advantages(rewards, groups, keep_zero_spread=False)
    assert kept.values[:2] == (0.0, 0.0)
    assert left_out.values[:2] == (None, None)
    assert left_out.values[2:] == kept.values[2:]  # the middle one of its group has advantage 0, and stays
    assert left_out.values[3] == 0.0
    for result in (kept, left_out):
        assert (result.groups, result.dropped_groups) == (2, 1)
        assert (result.zero_spread_groups, result.informative_groups) == (1, 1)
