"""The RecSim-style user: a seeded choice model whose weights do what they say."""

from typing import Any

import numpy as np
import pytest

from shopsim.agents.probabilistic import ProbabilisticUser, recalled, rgb
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.errors import InputError


def play(make_env: Any, tiny: DataSet, seeds: int = 12, **weights: float) -> list[Rollout]:
    tasks = [Task("s4", sampling_seed=seed) for seed in range(seeds)]
    agent = ProbabilisticUser(tiny, **weights)
    return collect(tasks, lambda: make_env(pixels=False, max_steps=200), lambda: agent, lanes=1)


def total(rollouts: list[Rollout], *effects: Action) -> int:
    return sum(event.effect in effects for rollout in rollouts for event in rollout.trajectory.events)


def test_it_does_only_what_has_an_effect_leaves_by_itself_and_repeats_by_seed(make_env: Any, tiny: DataSet) -> None:
    first, again = play(make_env, tiny), play(make_env, tiny)
    assert [r.trajectory for r in first] == [r.trajectory for r in again]
    assert len({len(r.samples) for r in first}) > 3
    for rollout in first:
        assert rollout.trajectory.stop_reason == "terminate"
        assert not rollout.trajectory.invalid_steps


@pytest.mark.parametrize(
    ("weight", "low", "high", "effects"),
    [
        ("none", 8.0, 0.0, [Action.CLICK]),
        ("read", -3.0, 2.0, [Action.ENTER_DETAIL]),
        ("cart", -9.0, 0.0, [Action.ADD_TO_CART]),
        ("buy", -9.0, 0.0, [Action.PURCHASE]),
        ("patience", 1.0, 20.0, [Action.SCROLL_DOWN]),
    ],
)
def test_weights_do_what_they_say(
    make_env: Any, tiny: DataSet, weight: str, low: float, high: float, effects: list[Action]
) -> None:
    little = play(make_env, tiny, **{"none": 2.0, weight: low})
    much = play(make_env, tiny, **{"none": 2.0, weight: high})
    assert total(much, *effects) > 1.5 * total(little, *effects)


def test_thrift_opens_the_cheaper(make_env: Any, tiny: DataSet) -> None:
    def mean(rollouts: list[Rollout]) -> float:
        opened = [item for r in rollouts for item in r.trajectory.items(Action.CLICK)]
        return float(np.log(tiny.prices[opened]).mean())

    free, thrifty = (play(make_env, tiny, none=1.0, title=0.0, look=0.0, price=price) for price in (0.0, 4.0))
    assert mean(thrifty) < mean(free)


def test_colours_recall_colours() -> None:
    red, past = rgb("#ff0000"), np.array([rgb("#ff0000"), rgb("#0000ff")])
    assert recalled(red, past) == pytest.approx(0.5, abs=0.01)
    assert recalled(rgb("#00ff00"), past) < 0.01
    assert recalled(red, past[:0]) == 0.0


def test_an_unknown_weight_is_refused(tiny: DataSet) -> None:
    with pytest.raises(InputError, match="speed"):
        ProbabilisticUser(tiny, speed=1.0)
