"""What actions do, how episodes end, what they pay (SPEC 2.1, 6.3; lessons A, E)."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st

import shopsim
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.layout import scroll_step
from shopsim.envs.reward import RewardParts, TrajectoryReward
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Invalid, StopReason, Trajectory
from shopsim.errors import InputError
from tests.envs.driving import (
    BACK,
    BUY,
    CART,
    CLICK,
    DOWN,
    ENTER,
    LEAVE,
    UP,
    at,
    click,
    fingerprint,
    human_actions,
)


@pytest.fixture
def env(tiny: DataSet) -> ShopSimEnv:
    made = ShopSimEnv(tiny, pixels=False)
    made.reset(seed=0)
    return made


# Actions


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"action": 8}, "action is 8; it must be one of 0 scroll_down, .* 7 terminate"),
        ({"action": -1}, "action is -1; it must be one of 0 scroll_down"),
        ({"action": "click"}, "action is 'click', a str; it must be a whole number from 0 to 7"),
        ({"action": 2.0}, r"action is 2\.0, a float"),
        ({"action": True}, "action is True, a bool"),
        ({"action": None}, "action is None, a NoneType"),
        ({"action": np.array([1, 2])}, "a ndarray; it must be a whole number"),
        (3, r'3 is no action: an action is \{"action": 0-7, "point": \(x, y\)\} or None'),
        ("scroll_down", "'scroll_down' is no action"),
        ({"point": (0.5, 0.5)}, "is no action"),
        ({"action": 2, "xy": (0.5, 0.5)}, "an action has no xy"),
        ({"action": 2, "point": 0.5}, r"point is 0\.5; it must be two numbers \(x, y\)"),
        ({"action": 2, "point": (1, 2, 3)}, r"point is \(1, 2, 3\)"),
        ({"action": 2, "point": "ab"}, "point is 'ab'"),
        ({"action": 2, "point": {"x": 1}}, "point is"),
    ],
)
def test_what_is_no_action_is_a_value_error_and_costs_nothing(env: ShopSimEnv, action: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        env.step(action)
    assert len(env.trajectory) == 0
    env.step(DOWN)


@pytest.mark.parametrize("number", [0, np.int64(0), np.int8(0), np.array(0), Action.SCROLL_DOWN])
def test_any_whole_number_is_an_action_number(env: ShopSimEnv, number: Any) -> None:
    assert env.step({"action": number})[-1]["effect"] == "scroll_down"


INVALID: dict[str, tuple[Callable[[ShopSimEnv], list[Any]], Invalid]] = {
    "scroll up at the top": (lambda env: [UP], Invalid.SCROLL_END),
    "scroll a preview": (lambda env: [click(env), DOWN], Invalid.SCROLL_END),
    "click on nothing": (lambda env: [at(Action.CLICK, (0.5, 0.01))], Invalid.NO_TARGET),
    "click right of the screen": (lambda env: [at(Action.CLICK, (1.01, 0.5))], Invalid.OFF_SCREEN),
    "click left of the screen": (lambda env: [at(Action.CLICK, (-0.01, 0.5))], Invalid.OFF_SCREEN),
    "click at NaN": (lambda env: [at(Action.CLICK, (np.nan, 0.5))], Invalid.OFF_SCREEN),
    "click at infinity": (lambda env: [at(Action.CLICK, (np.inf, 0.5))], Invalid.OFF_SCREEN),
    "click without a point": (lambda env: [CLICK], Invalid.OFF_SCREEN),
    "enter_detail on the feed without a point": (lambda env: [ENTER], Invalid.OFF_SCREEN),
    "enter_detail twice": (lambda env: [click(env), ENTER, ENTER], Invalid.NOT_HERE),
    "back on the feed": (lambda env: [BACK], Invalid.NOT_HERE),
    "buying on the feed": (lambda env: [BUY], Invalid.NOT_HERE),
    "cart on the feed": (lambda env: [CART], Invalid.NOT_HERE),
    "into the cart twice": (lambda env: [click(env), CART, CART], Invalid.ALREADY_DONE),
    "buying twice": (lambda env: [click(env), BUY, BUY], Invalid.ALREADY_DONE),
    "unread answer": (lambda env: [None], Invalid.UNPARSED),
}


def _state(env: ShopSimEnv) -> list[Any]:
    shop = env.shop
    return [shop.place, list(shop.cart), set(shop.carted), set(shop.bought), list(shop.feed), list(shop._stack)]


@pytest.mark.parametrize(("plan", "name"), INVALID.values(), ids=INVALID.keys())
def test_an_action_that_cannot_be_done_changes_nothing_costs_a_step_and_is_named(
    env: ShopSimEnv, plan: Callable[[ShopSimEnv], list[Any]], name: Invalid
) -> None:
    *way_there, last = plan(env)
    for action in way_there:
        assert env.step(action)[-1]["invalid"] is None
    before, text = _state(env), env._info()["text"]
    steps = len(env.trajectory)
    _, reward, terminated, truncated, info = env.step(last)
    assert info["invalid"] == name
    assert info["effect"] is None
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["text"] == text
    assert len(env.trajectory) == steps + 1
    assert _state(env) == before


def test_the_invalid_vocabulary_is_covered_above() -> None:
    assert {name for _, name in INVALID.values()} == set(Invalid)


def test_a_scroll_clamped_at_the_end_that_still_moves_is_valid(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, max_steps=None)
    env.reset(seed=0)
    results = []
    while not results or results[-1]["effect"]:
        results.append(env.step(DOWN)[-1])
    assert results[-1]["invalid"] == Invalid.SCROLL_END
    assert len(results) > 5
    assert env.shop.scroll % scroll_step() != 0  # the last one was clamped
    assert sorted(env.shop.feed) == list(range(tiny.n_items))


def test_the_distance_of_a_scroll_is_an_argument(tiny: DataSet) -> None:
    for fraction, step in ((None, tiny.scroll_step), (0.8, 400), (0.5, 250)):
        env = ShopSimEnv(tiny, pixels=False, scroll_fraction=fraction)
        env.reset(seed=0)
        env.step(DOWN)
        assert env.shop.scroll == step


def test_feed_policies_decide_what_shows(tiny: DataSet) -> None:
    cheap = ShopSimEnv(tiny, pixels=False, feed="price_ascending")
    _, info = cheap.reset(seed=0)
    prices = [item.price for item in info["items"]]
    assert prices == sorted(prices)
    assert cheap.feed == "price_ascending"
    own = ShopSimEnv(tiny, pixels=False, feed="shopsim.envs.feed:popularity")
    own.reset(seed=0)
    assert own.feed == "shopsim.envs.feed:popularity"
    with pytest.raises(InputError, match=r"returned item row -5, which is no candidate"):
        ShopSimEnv(tiny, pixels=False, feed=lambda u, h, x, c: [-5]).reset()


# The end


def test_terminate_ends_the_session(env: ShopSimEnv) -> None:
    observation, _, terminated, truncated, info = env.step(LEAVE)
    assert (terminated, truncated) == (True, False)
    assert terminated is True
    assert info["stop_reason"] == "terminate"
    assert observation in env.observation_space
    assert env.trajectory.stop_reason is StopReason.TERMINATE


def test_the_step_limit_truncates_and_terminate_on_the_last_step_terminates(tiny: DataSet) -> None:
    for last, expected in ((UP, (False, True, "max_steps")), (LEAVE, (True, False, "terminate"))):
        env = ShopSimEnv(tiny, pixels=False, max_steps=2)
        env.reset(seed=0)
        _, _, terminated, truncated, _ = env.step(DOWN)
        assert (terminated, truncated) == (False, False)
        _, _, terminated, truncated, info = env.step(last)
        assert (terminated, truncated, info["stop_reason"]) == expected


def test_steps_without_effect_in_a_row_end_the_session_whatever_kind_they_are(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, max_steps=None, stuck_after=3)
    env.reset(seed=0)
    for action in (UP, None, DOWN, None, BACK):
        assert env.step(action)[2:4] == (False, False)
    _, _, terminated, truncated, info = env.step(at(Action.CLICK, (0.5, 0.01)))
    assert (terminated, truncated, info["stop_reason"]) == (False, True, "stuck")
    patient = ShopSimEnv(tiny, pixels=False, max_steps=None, stuck_after=None)
    patient.reset(seed=0)
    assert not any(patient.step(None)[3] for _ in range(50))


def test_five_is_the_default(env: ShopSimEnv) -> None:
    assert [env.step(None)[3] for _ in range(5)] == [False] * 4 + [True]


def test_nothing_happens_after_the_end_or_before_the_start(tiny: DataSet, env: ShopSimEnv) -> None:
    _, reward, _, _, info = env.step(LEAVE)
    frozen = copy.deepcopy(env.trajectory)
    for _ in range(2):
        with pytest.raises(
            ResetNeeded, match=r"step\(\) was called after the end of the episode \(terminate\); call reset"
        ):
            env.step(DOWN)
    assert env.trajectory == frozen
    assert TrajectoryReward()(env.trajectory, env.human, tiny.labels) == info["reward_parts"]
    assert info["reward_parts"].total == reward
    with pytest.raises(ResetNeeded, match=r"before a reset"):
        ShopSimEnv(tiny, pixels=False).step(DOWN)
    with pytest.raises(ResetNeeded, match=r"before a reset"):
        ShopSimEnv(tiny, pixels=False, render_mode="ansi").render()


# Rewards


def test_doing_what_the_person_did_earns_one_in_every_session(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, split=None, pixels=False)
    for row in range(tiny.n_sessions):
        env.reset(options={"session_id": tiny.session_id(row)})
        rewards = []
        for action in human_actions(env):
            _, reward, terminated, _, info = env.step(action)
            rewards.append(reward)
        assert terminated
        assert rewards == [0.0] * (len(rewards) - 1) + [1.0]
        assert info["reward_parts"] == RewardParts(0, 1, 0, 0, 1)
        assert env.trajectory.pairs() == env.human.pairs()
        assert env.trajectory.impressions == env.human.impressions


@pytest.mark.parametrize("last", [LEAVE, UP])
def test_the_reward_is_paid_on_the_last_step_of_either_kind(tiny: DataSet, last: Any) -> None:
    env = ShopSimEnv(tiny, pixels=False, max_steps=2)
    env.reset(seed=0)
    _, reward, _, _, info = env.step(DOWN)
    assert reward == 0.0
    assert "reward_parts" not in info
    _, reward, _, _, info = env.step(last)
    assert type(reward) is float
    assert reward == info["reward_parts"].total
    assert reward != 0


def test_rewards_are_an_argument(tiny: DataSet) -> None:
    seen: list[tuple[Trajectory, Trajectory]] = []

    def count(agent: Trajectory, human: Trajectory, labels: Any) -> float:
        seen.append((agent, human))
        assert len(labels(0)) == 3
        return len(agent)

    for reward, paid, parts in ((None, 0.0, False), (count, 2.0, False), (TrajectoryReward.recverse(), None, True)):
        env = ShopSimEnv(tiny, pixels=False, reward=reward)
        env.reset(seed=0)
        assert env.step(DOWN)[1] == 0.0
        _, got, _, _, info = env.step(LEAVE)
        assert type(got) is float
        assert paid is None or got == paid
        assert ("reward_parts" in info) is parts
        if parts:
            assert info["reward_parts"].length == 0
    assert [(len(a), h.session_id) for a, h in seen] == [(2, env.trajectory.session_id)]


# Any sequence of actions


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(
        st.one_of(
            st.none(),
            st.sampled_from(Action).map(lambda action: {"action": int(action)}),
            st.tuples(st.sampled_from(Action), st.floats(-0.1, 1.1) | st.just(np.nan), st.floats(0, 1)).map(
                lambda v: at(v[0], (v[1], v[2]))
            ),
        ),
        max_size=25,
    ),
)
def test_any_sequence_of_actions_keeps_the_rules(tiny: DataSet, seed: int, actions: list[Any]) -> None:
    env = ShopSimEnv(tiny, pixels=False, max_steps=20)
    observation, info = env.reset(seed=seed)
    seen = fingerprint({k: v for k, v in observation.items() if k != "step"}, {"text": info["text"]})
    for n, action in enumerate(actions, start=1):
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert observation["step"] == len(env.trajectory) == n
        assert (info["effect"] is None) == (info["invalid"] is not None)
        now = fingerprint({k: v for k, v in observation.items() if k != "step"}, {"text": info["text"]})
        if info["invalid"]:
            assert now == seen
        seen = now
        assert (info["stop_reason"] is not None) == (terminated or truncated)
        assert not (terminated and truncated)
        if terminated or truncated:
            assert info["reward_parts"].total == reward
            return
        assert reward == 0.0


def test_the_shop_is_there_for_agents_that_look_inside(env: ShopSimEnv) -> None:
    assert isinstance(env.unwrapped.shop, Shop)
    assert env.dataset.session_id(env.session_row) == env.trajectory.session_id == env.human.session_id
    assert shopsim.__version__
