"""The free-running environment: its contract with Gymnasium, its infos, its arguments (SPEC 2.2, lessons A)."""

import copy
import itertools
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.infos import PastItem, VisibleItem
from shopsim.errors import InputError
from tests.envs.driving import (
    BACK,
    BUY,
    CART,
    DOWN,
    LEAVE,
    UP,
    at,
    click,
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


def test_ten_thousand_samples_are_all_accepted(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, reward=None, stuck_after=None)
    env.reset(seed=0)
    for action in random_actions(env, 10_000):
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


def test_the_space_of_screens_is_a_plain_box_but_small(tiny: DataSet) -> None:
    shown: Any = ShopSimEnv(tiny, size=(80, 152)).observation_space["screenshot"]  # type: ignore[index]
    plain = gym.spaces.Box(0, 255, (152, 80, 3), np.uint8)
    for space in (shown, pickle.loads(pickle.dumps(shown)), copy.deepcopy(shown)):
        assert type(space) is gym.spaces.Box
        assert (space, repr(space), space.is_bounded()) == (plain, repr(plain), True)
    for space in (shown, plain):
        space.seed(1)
    sample = shown.sample()
    assert np.array_equal(sample, plain.sample())
    assert sample in shown
    assert sample.astype(np.int64) not in shown
    assert sample[1:] not in shown
    assert gym.vector.utils.batch_space(shown, 2) == gym.vector.utils.batch_space(plain, 2)
    assert {shown.low.strides, shown.high.strides} == {(0, 0, 0)}


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


def test_an_environment_can_be_pickled_in_the_middle_of_an_episode(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny)
    env.reset(seed=0)
    env.step(DOWN)
    again = pickle.loads(pickle.dumps(env))
    for action in (click(env), DOWN, {"action": Action.TERMINATE}):
        (seen, *rest, info), (seen_again, *rest_again, info_again) = env.step(action), again.step(action)
        assert (seen["screenshot"] == seen_again["screenshot"]).all()
        assert rest == rest_again
        assert info["items"] == info_again["items"]


@pytest.mark.parametrize("paid", [None, "much", float("nan")])
def test_a_reward_function_must_return_a_number(tiny: DataSet, paid: Any) -> None:
    env = ShopSimEnv(tiny, pixels=False, reward=lambda *_: paid)
    env.reset(seed=0)
    with pytest.raises(InputError, match=f"the reward function returned {paid!r}; it must return a number"):
        env.step({"action": Action.TERMINATE})


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
        ("s1", "reset options are 's1'; they must be a dict of session_id, persona"),
        ([], r"reset options are \[\]"),
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
        ({"reward": 3}, "reward is 3; it must be 'trajectory', None or a function"),
        ({"max_steps": True}, "max_steps is True"),
        ({"max_steps": 0}, "max_steps is 0; it must be a whole number from 1 on, or None"),
        ({"max_steps": "long"}, "max_steps is 'long'"),
        ({"max_steps": 2.5}, r"max_steps is 2\.5"),
        ({"stuck_after": 0}, "stuck_after is 0"),
        ({"scroll_fraction": 1.5}, r"scroll_fraction is 1\.5; it must be above 0 and at most 1"),
        ({"scroll_fraction": "a"}, "scroll_fraction is 'a'"),
        ({"feed": "newest"}, "feed policy 'newest': give one of"),
        ({"feed": None}, "feed is None; it must be one of recorded"),
        ({"render_mode": "svg"}, "render_mode is 'svg'; it must be None or one of human, rgb_array, ansi"),
        ({"size": (8, 8)}, "too small"),
        ({"size": (100_000, 608)}, "100000x608 is too large; each side may have 4096 pixels at most"),
        ({"size": 320}, "size is 320; it must be two whole numbers of pixels"),
        ({"size": "320x608"}, "size is '320x608'"),
        ({"size": (320.5, 608)}, r"size is \(320\.5, 608\)"),
        ({"size": (320, 608, 3)}, r"size is \(320, 608, 3\)"),
        ({"data": 3}, "data is 3; it must be a data set, its folder or hub id, or None"),
        ({"data": ""}, "data is ''"),
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
