"""The free-running environment: its contract with Gymnasium, its rules, its errors (SPEC 2, lessons A, E)."""

import copy
import io
import itertools
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import shopsim
from shopsim.data import DataSet, DataSetWriter
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.infos import PastItem, VisibleItem
from shopsim.envs.layout import scroll_step
from shopsim.envs.reward import RewardParts, TrajectoryReward
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Invalid, StopReason, Trajectory
from shopsim.errors import InputError
from tests.data import factory
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
    random_actions,
)


@pytest.fixture
def env(tiny: DataSet) -> ShopSimEnv:
    made = ShopSimEnv(tiny, pixels=False)
    made.reset(seed=0)
    return made


def played(env: ShopSimEnv, *actions: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
    """The result of the last of some actions."""
    for action in actions:
        result = env.step(action)
    return result


# The contract with Gymnasium


@pytest.mark.parametrize("name", ["ShopSim-v0", "ShopSimReplay-v0"])
@pytest.mark.parametrize("pixels", [True, False])
def test_the_checker_has_nothing_to_say(
    tiny_path: Path, name: str, pixels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, data=tiny_path, pixels=pixels).unwrapped)


def test_observations_and_infos_are_fresh_and_never_change(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, max_steps=40, stuck_after=None, privileged=True)
    kept = [env.reset(seed=0)]
    for action in [DOWN, UP, click(env), CART, BACK, DOWN, None, *random_actions(env, 25), LEAVE]:
        observation, _, terminated, _, info = env.step(action)
        kept.append((observation, info))
        if terminated:
            break
    kept.append(env.reset())
    before = pickle.dumps(kept)
    env.step(DOWN)
    env.reset()
    assert pickle.dumps(kept) == before
    arrays = [[v for part in pair for v in part.values() if isinstance(v, np.ndarray)] for pair in kept]
    for first, second in itertools.combinations(arrays, 2):
        assert not any(np.shares_memory(a, b) for a in first for b in second)


def test_boxes_and_text_of_a_screen_are_made_once(env: ShopSimEnv) -> None:
    _, info = env.reset(seed=0)
    _, _, _, _, again = played(env, DOWN, UP)
    assert again["items"] is info["items"]
    assert again["text"] is info["text"]
    assert isinstance(info["items"], tuple)
    with pytest.raises(AttributeError):
        info["items"][0].title = "changed"


def test_every_observation_is_in_its_space_the_last_too(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, stuck_after=None)
    env.reset(seed=1)
    for action in random_actions(env, 60):
        observation, _, terminated, truncated, _ = env.step(action)
        assert observation in env.observation_space
        assert observation["step"] == len(env.trajectory)
        if terminated or truncated:
            assert observation["screenshot"].std() > 0
            env.reset()


def test_the_observation_shows_the_effect_of_the_action(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny)
    before, _ = env.reset(seed=0)
    after, *_ = env.step(click(env))
    assert before["page"] == Page.FEED
    assert after["page"] == Page.PREVIEW
    assert (before["screenshot"] != after["screenshot"]).any()
    settled = env._view.pixels(env.shop)
    assert (after["screenshot"] == settled).all()


def test_ten_thousand_samples_are_quick_and_all_accepted(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, reward=None, stuck_after=None)
    env.reset(seed=0)
    started = time.process_time()
    actions = random_actions(env, 10_000)
    assert time.process_time() - started < 1
    for action in actions:
        _, _, terminated, truncated, info = env.step(action)
        assert (info["effect"] is None) == (info["invalid"] is not None)
        if terminated or truncated:
            env.reset()


def test_metadata_is_never_touched(tiny: DataSet) -> None:
    before = copy.deepcopy(ShopSimEnv.metadata)
    gym.make("ShopSim-v0", data=tiny, pixels=False, render_mode="rgb_array_list").close()
    vector = gym.make_vec("ShopSim-v0", num_envs=2, vectorization_mode="sync", data=tiny, pixels=False)
    vector.reset(seed=0)
    vector.close()
    assert ShopSimEnv.metadata == before


def test_spaces_follow_the_arguments(tiny: DataSet) -> None:
    default = ShopSimEnv(tiny)
    assert default.observation_space["screenshot"].shape == (608, 320, 3)  # type: ignore[index]
    assert default.max_steps == tiny.longest_session
    assert default.observation_space["step"].n == tiny.longest_session + 1  # type: ignore[index]
    small = ShopSimEnv(tiny, size=(160, 304))
    observation, _ = small.reset(seed=0)
    assert observation["screenshot"].shape == (304, 160, 3)
    assert observation in small.observation_space
    blind = ShopSimEnv(tiny, pixels=False, max_steps=None)
    observation, info = blind.reset(seed=0)
    assert set(observation) == {"page", "cart", "step"}
    assert observation in blind.observation_space
    assert info["screen_source"] is None
    assert default.reset(seed=0)[1]["screen_source"] == "renderer"


def test_an_environment_can_be_copied_to_look_ahead(env: ShopSimEnv) -> None:
    ahead = copy.deepcopy(env)
    ahead.step(click(ahead))
    assert ahead.shop.page is Page.PREVIEW
    assert env.shop.page is Page.FEED
    assert len(env.trajectory) == 0


# Infos


def test_what_reset_says(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False)
    _, info = env.reset(seed=3, options={"session_id": "s2"})
    assert info["session_id"] == "s2"
    assert info["seed"] == 3
    assert info["split"] == "train"
    assert info["user"] == {"age": 35, "gender": "male"}
    assert info["clicks"][0] == PastItem("i001", "Blue cotton dress no. 1", float(tiny.prices[1]))
    assert [past.item_id for past in info["clicks"]] == ["i001", "i002", "i001"]
    assert [past.item_id for past in info["purchases"]] == ["i002"]
    assert (info["locale"], info["currency"]) == ("en", "USD")
    assert info["effect"] is info["invalid"] is info["stop_reason"] is info["open_item"] is None
    assert info["cart"] == ()
    assert "privileged" not in info
    assert "reward_parts" not in info


def test_unknown_facts_of_a_user_are_left_out(tiny: DataSet) -> None:
    _, info = ShopSimEnv(tiny, split="test", pixels=False).reset(options={"session_id": "s6"})
    assert info["user"] == {}


def test_a_users_earlier_sessions_are_history(tiny: DataSet) -> None:
    _, info = ShopSimEnv(tiny, split="test", pixels=False).reset(options={"session_id": "s7"})
    clicked = tiny.item_id(int(tiny.feed(6)[3]))
    assert [past.item_id for past in info["clicks"]] == [clicked]


def test_items_are_the_cards_that_show_and_their_boxes_are_where_a_click_hits(env: ShopSimEnv) -> None:
    _, info = env.reset(seed=0)
    for action in (None, DOWN, DOWN):
        if action:
            info = env.step(action)[-1]
        assert len(info["items"]) >= 4
        for item in info["items"]:
            assert isinstance(item, VisibleItem)
            left, top, right, bottom = item.box
            assert 0 <= left < right <= 1
            assert 0 <= top < bottom <= 1
            row = env.dataset.item_row(item.item_id)
            assert env.shop.feed[item.slot] == row
            effect, hit, _ = env.shop.judge(Action.CLICK, ((left + right) / 2, (top + bottom) / 2))
            assert (effect, hit) == (Action.CLICK, row)
    _, _, _, _, info = env.step(click(env))
    assert info["items"] == ()


def test_boxes_are_not_carried_over_into_another_session(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, feed="random")
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert [item.slot for item in info["items"]] == list(range(len(info["items"])))


def test_cart_and_open_item(env: ShopSimEnv) -> None:
    first = env.shop.feed[0]
    observation, _, _, _, info = played(env, click(env), CART)
    item_id = env.dataset.item_id(first)
    assert info["open_item"] == item_id
    assert info["cart"] == (item_id,)
    assert observation["cart"] == 1
    observation, _, _, _, info = played(env, BUY, BACK)
    assert info["open_item"] is None
    assert info["cart"] == ()
    assert observation["cart"] == 0


def test_hidden_truth_only_when_asked_for(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, privileged=True)
    _, info = env.reset(options={"session_id": "s2"})
    hidden = info["privileged"]
    assert len(hidden["categories"]) == len(info["items"])
    item = tiny.item(tiny.item_row(info["items"][0].item_id))
    assert hidden["categories"][0] == (item.l1, item.l2, item.l3)
    assert hidden["open_item_categories"] is None
    assert hidden["human"][2] == ("click", tiny.item_id(int(tiny.feed(2)[1])))
    assert [label for label, _ in hidden["human"]][-2:] == ["purchase", "terminate"]
    _, _, _, _, info = env.step(click(env))
    assert info["privileged"]["categories"] == ()
    assert info["privileged"]["open_item_categories"] == (item.l1, item.l2, item.l3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(Action), st.integers(0, 9)), max_size=12))
def test_the_mask_says_what_some_point_makes_effective(tiny: DataSet, steps: list[tuple[Action, int]]) -> None:
    env = ShopSimEnv(tiny, pixels=False, max_steps=None, stuck_after=None)
    _, info = env.reset(seed=4)
    for action, card in steps:
        targets = env.shop.targets()
        points = [box.center() for box in targets]
        possible = [any(env.shop.judge(a, point)[0] is not None for point in points) for a in Action]
        assert info["action_mask"].tolist() == possible
        assert info["action_mask"].dtype == np.bool_
        _, _, terminated, _, info = env.step(at(action, points[card % len(points)]))
        if terminated:
            return


# Sessions, seeds and options are in test_determinism.py; here what is asked for by name


def test_options_choose_session_and_persona_for_one_episode(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False)
    _, info = env.reset(seed=0, options={"session_id": "s1", "persona": "reads every review"})
    assert info["session_id"] == env.trajectory.session_id == "s1"
    assert info["user"]["persona"] == env.user.persona == "reads every review"
    _, info = env.reset(options={"session_id": "s1"})
    assert info["user"]["persona"] == "Buys only what is on sale."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"session": "s1"}, "reset has no option 'session'; its options are session_id, persona"),
        ({"session_id": "s99"}, "no session 's99'; sessions here are 's0', 's1', 's2'"),
        ({"session_id": "s6"}, "session 's6' is in split 'test'; this environment is over 'train'"),
        ({"session_id": 4}, "option session_id is 4; it must be text"),
        ({"persona": ["a"]}, r"option persona is \['a'\]; it must be text"),
    ],
)
def test_wrong_options_say_what_is_right(env: ShopSimEnv, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        env.reset(options=options)
    with pytest.raises(ResetNeeded):
        env.step(DOWN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "dev"}, "no split 'dev'; splits are train, validation, test"),
        ({"reward": "recverse"}, "reward is 'recverse'; it must be 'trajectory', None or a function"),
        ({"max_steps": 0}, "max_steps is 0; it must be a whole number from 1 on, or None"),
        ({"max_steps": "long"}, "max_steps is 'long'"),
        ({"max_steps": 2.5}, r"max_steps is 2\.5"),
        ({"stuck_after": 0}, "stuck_after is 0"),
        ({"scroll_fraction": 1.5}, r"scroll_fraction is 1\.5; it must be above 0 and at most 1"),
        ({"feed": "newest"}, "feed policy 'newest': give one of"),
        ({"render_mode": "svg"}, "render_mode is 'svg'; it must be None or one of human, rgb_array, ansi"),
        ({"size": (8, 8)}, "too small"),
        ({"theme": "sepia"}, "sepia"),
        ({"data": "no/such/folder"}, "no/such/folder"),
    ],
)
def test_wrong_arguments_say_what_is_right(tiny: DataSet, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ShopSimEnv(**{"data": tiny, **arguments})


def test_data_by_path_or_object(tiny: DataSet, tiny_path: Path) -> None:
    assert ShopSimEnv(tiny, pixels=False).dataset is tiny
    assert ShopSimEnv(tiny_path, pixels=False).dataset.hash == tiny.hash
    assert ShopSimEnv(str(tiny_path), pixels=False).dataset.hash == tiny.hash


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


@pytest.mark.parametrize(("plan", "name"), INVALID.values(), ids=INVALID.keys())
def test_an_action_that_cannot_be_done_changes_nothing_costs_a_step_and_is_named(
    env: ShopSimEnv, plan: Callable[[ShopSimEnv], list[Any]], name: Invalid
) -> None:
    *before, last = plan(env)
    for action in before:
        assert env.step(action)[-1]["invalid"] is None
    state, text = copy.deepcopy(vars(env.shop)), env._info()["text"]
    steps = len(env.trajectory)
    _, reward, terminated, truncated, info = env.step(last)
    assert info["invalid"] == name
    assert info["effect"] is None
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["text"] == text
    assert len(env.trajectory) == steps + 1
    for key in ("page", "scroll", "item", "cart", "carted", "bought", "feed", "_stack"):
        assert getattr(env.shop, key) == state[key]


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


# Rendering


def test_rgb_array_shows_phone_touch_and_last_action(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    env.step(click(env))
    second = env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(second, np.ndarray)
    assert first.shape == second.shape
    assert first.shape[0] > 608
    assert first.dtype == np.uint8
    assert (first != second).any()


def test_ansi_is_the_text_view_under_the_last_action(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, render_mode="ansi")
    _, info = env.reset(seed=0)
    assert env.render() == f"start\n{info['text']}"
    for action, caption in (
        (UP, "1. scroll_up (scroll_end)"),
        (DOWN, "2. scroll_down"),
        (None, "3. no action (unparsed)"),
    ):
        info = env.step(action)[-1]
        assert env.render() == f"{caption}\n{info['text']}"


def test_lists_of_frames_come_from_make(tiny: DataSet) -> None:
    env = gym.make("ShopSim-v0", data=tiny, render_mode="rgb_array_list")
    env.reset(seed=0)
    for action in (DOWN, UP, LEAVE):
        env.step(action)
    frames = env.render()
    assert isinstance(frames, list)
    assert len(frames) == 4
    text = gym.make("ShopSim-v0", data=tiny, pixels=False, render_mode="ansi_list")
    text.reset(seed=0)
    text.step(DOWN)
    assert len(text.render()) == 2  # type: ignore[arg-type]


def test_without_a_display_human_mode_prints_the_text_view(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    env = ShopSimEnv(tiny, pixels=False, render_mode="human")
    _, info = env.reset(seed=0)
    assert capsys.readouterr().out == f"start\n{info['text']}\n"
    _, _, _, _, info = env.step(DOWN)
    assert capsys.readouterr().out == f"1. scroll_down\n{info['text']}\n"
    assert env.render() is None
    env.close()
    env.close()


def test_human_mode_works_without_tk(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tkinter", None)
    monkeypatch.delitem(sys.modules, "shopsim.envs.window", raising=False)
    env = ShopSimEnv(tiny, pixels=False, render_mode="human")
    _, info = env.reset(seed=0)
    assert capsys.readouterr().out == f"start\n{info['text']}\n"


def test_with_a_display_human_mode_shows_each_frame_in_a_window(tiny: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    class Window:
        def __init__(self) -> None:
            self.frames: list[Any] = []
            self.closed = 0

        def show(self, frame: Any) -> None:
            self.frames.append(frame)

        def close(self) -> None:
            self.closed += 1

    window = Window()
    monkeypatch.setattr("shopsim.envs.window.open_window", lambda: window)
    env = ShopSimEnv(tiny, render_mode="human")
    env.reset(seed=0)
    env.step(DOWN)
    env.close()
    assert [frame.dtype for frame in window.frames] == [np.uint8] * 2
    assert window.closed == 1


def test_render_without_a_mode_warns(env: ShopSimEnv) -> None:
    with pytest.warns(UserWarning, match="shows nothing without a render mode"):
        assert env.render() is None


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


# Recorded screenshots


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """The tiny set with a screenshot for each recorded step of session s2 but the last: one plain colour each."""
    path = tmp_path_factory.mktemp("data") / "filmed"
    with DataSetWriter(path, name="filmed", generator={"settings": {}, "seed": 0}) as writer:
        writer.add_categories(factory.categories())
        writer.add_items(factory.items())
        writer.add_users(factory.users())
        for session in factory.sessions():
            steps = list(session.steps)
            if session.session_id == "s2":
                for k, step in enumerate(steps[:-1]):
                    image = io.BytesIO()
                    Image.new("RGB", (64, 128), (10 * k, 100, 200)).save(image, "PNG")
                    steps[k] = replace(step, screen_id=writer.add_screen(image.getvalue(), 64, 128))
            writer.add_session(replace(session, steps=tuple(steps)))
    return DataSet.open(path)


def test_recorded_screenshots_show_where_the_agent_is_in_the_recorded_state(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed, size=(64, 128))
    observation, info = env.reset(options={"session_id": "s2"})
    seen = [(info["screen_source"], observation["screenshot"])]
    for action in human_actions(env):
        observation, _, _, _, info = env.step(action)
        seen.append((info["screen_source"], observation["screenshot"]))
    # down, up: back in the first state, which is shown as it was first recorded.
    reds = [int(pixels[0, 0, 0]) for _, pixels in seen[:7]]
    assert reds == [0, 10, 0, 30, 40, 50, 60]
    assert all((pixels == pixels[0, 0]).all() for _, pixels in seen[:7])
    assert [source for source, _ in seen] == ["recorded"] * 7 + ["renderer"] * 2
    assert seen[-1][1].std() > 0


def test_elsewhere_the_renderer_draws(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed, size=(64, 128))
    _, info = env.reset(options={"session_id": "s2"})
    assert info["screen_source"] == "recorded"
    observation, _, _, _, info = env.step(click(env, 3))
    assert info["screen_source"] == "renderer"
    assert observation["screenshot"].std() > 0
    assert env.reset(options={"session_id": "s1"})[1]["screen_source"] == "renderer"
    other = ShopSimEnv(filmed, size=(64, 128), feed="random")
    assert other.reset(options={"session_id": "s2"})[1]["screen_source"] == "renderer"


def test_recorded_screenshots_of_another_size_are_resampled_and_fresh(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed)
    one, _ = env.reset(options={"session_id": "s2"})
    two, _ = env.reset(options={"session_id": "s2"})
    assert one in env.observation_space
    assert not np.shares_memory(one["screenshot"], two["screenshot"])
    one["screenshot"][:] = 7
    assert two["screenshot"][0, 0].tolist() == [0, 100, 200]
