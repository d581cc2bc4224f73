"""Other ways to act: text answers, card numbers, a flat list with a mask."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import layout
from shopsim.envs.decision import Decision, ParseFailure, parse, to_json
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.layout import Waterfall
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.envs.spaces import read_action
from shopsim.envs.wrappers import N_SLOTS, FlatActions, SlotActions, TextActions
from tests.envs.driving import trace

WRAPPERS = [TextActions, SlotActions, FlatActions]


def made(tiny: DataSet, **arguments: Any) -> ShopSimEnv:
    return ShopSimEnv(tiny, **{"pixels": False, **arguments})


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_seeds_and_options_pass_through(tiny: DataSet, wrapper: Any) -> None:
    bare, wrapped = ShopSimEnv(tiny), wrapper(ShopSimEnv(tiny))
    for options in ({}, {"session_id": "s1", "persona": "in a hurry"}):
        expected, expected_info = bare.reset(seed=5, options=options)
        for _ in range(3):
            observation, info = wrapped.reset(seed=5, options=options)
            assert data_equivalence(observation, expected, exact=True)
            for key in set(info) - {"action_mask"}:
                assert info[key] == expected_info[key]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("kind", [ShopSimEnv, ShopSimReplayEnv])
def test_ten_thousand_samples_are_all_accepted(tiny: DataSet, wrapper: Any, kind: type) -> None:
    env = wrapper(kind(tiny, pixels=False, reward=None))
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(10_000)]
    for action in actions[:1500]:
        assert action in env.action_space
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_seeded_samples_and_steps_repeat(tiny: DataSet, wrapper: Any) -> None:
    assert trace(wrapper(made(tiny))) == trace(wrapper(made(tiny)))


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_make_can_build_it_again_from_its_spec(tiny_path: Any, wrapper: Any) -> None:
    env = wrapper(gym.make("ShopSim-v0", data=tiny_path, pixels=False))
    again = gym.make(env.spec)
    assert isinstance(again, wrapper)
    assert again.reset(seed=1)[1]["session_id"] == env.reset(seed=1)[1]["session_id"]


# Text


def test_a_text_answer_does_what_it_says(tiny: DataSet) -> None:
    env = TextActions(made(tiny))
    _, info = env.reset(seed=0)
    left, top, right, bottom = info["items"][1].box
    answer = to_json(
        Decision(Action.CLICK, ((left + right) / 2, (top + bottom) / 2), "this one", "saw it", "likes red")
    )
    _, _, _, _, after = env.step(answer)
    assert after["open_item"] == info["items"][1].item_id
    assert after["decision"] == parse(answer)
    assert after["decision"].raw == answer
    assert after["parse_failure"] is None


def test_an_answer_that_cannot_be_read_costs_a_step(tiny: DataSet) -> None:
    env = TextActions(made(tiny))
    env.reset(seed=0)
    for text, failure in (
        ("I'd leave", ParseFailure.NO_JSON),
        ('{"action":{"type":"swipe"}}', ParseFailure.UNKNOWN_ACTION),
    ):
        observation, _, terminated, truncated, info = env.step(text)
        assert info["invalid"] == "unparsed"
        assert info["parse_failure"] == failure
        assert info["decision"].raw == text
        assert not terminated
        assert not truncated
    assert observation["step"] == 2


def test_five_bad_answers_end_the_session_and_format_pays_for_each(tiny: DataSet) -> None:
    env = TextActions(made(tiny))
    env.reset(seed=0)
    for _ in range(5):
        _, _, _, truncated, info = env.step("")
    assert truncated
    assert info["stop_reason"] == "stuck"
    assert info["reward_parts"].format == -1


def test_enter_detail_without_a_point_reads_and_is_off_the_screen_on_the_feed(tiny: DataSet) -> None:
    env = TextActions(made(tiny))
    env.reset(seed=0)
    info = env.step('{"action":{"type":"enter_detail"}}')[4]
    assert (info["parse_failure"], info["invalid"]) == (None, "off_screen")


@pytest.mark.parametrize("action", [None, b"{}", 3])
def test_what_is_no_text_is_a_value_error(tiny: DataSet, action: Any) -> None:
    env = TextActions(made(tiny))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="is no answer; it must be text"):
        env.step(action)


def test_the_format_reward_of_canonical_answers_is_full(tiny: DataSet) -> None:
    env = TextActions(made(tiny, max_steps=4))
    env.reset(seed=0)
    for action in (Action.SCROLL_DOWN, Action.SCROLL_UP, Action.TERMINATE):
        info = env.step(to_json(Decision(action)))[4]
    assert info["reward_parts"].format == 0


def test_text_samples_are_canonical_answers_and_any_text_is_an_action(tiny: DataSet) -> None:
    space = TextActions(made(tiny)).action_space
    space.seed(3)
    samples = [space.sample() for _ in range(300)]
    decisions = [parse(sample) for sample in samples]
    assert {decision.action for decision in decisions} == set(Action)
    assert [to_json(decision) for decision in decisions] == samples
    assert "" in space
    assert "红" * 5000 in space
    assert 3 not in space
    with pytest.raises(ValueError, match="without masks"):
        space.sample(mask=(None, None))


# Cards by number


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), min_size=4, max_size=40), st.integers(0, 8000))
def test_no_screen_has_more_cards_than_slots(aspects: list[int], scroll: int) -> None:
    feed = Waterfall()
    for item, aspect in enumerate(aspects):
        feed.append(item, aspect)
    assert len(list(feed.between(scroll % feed.height))) <= N_SLOTS


def test_as_many_cards_as_slots_do_occur() -> None:
    feed = Waterfall()
    for item in range(20):
        feed.append(item, layout.PICTURE_HEIGHTS.index(min(layout.PICTURE_HEIGHTS)))
    assert max(len(list(feed.between(scroll))) for scroll in range(1000)) == N_SLOTS


def test_a_slot_is_a_card_on_the_screen(tiny: DataSet) -> None:
    for action, page in ((Action.CLICK, "preview"), (Action.ENTER_DETAIL, "detail")):
        for slot in range(4):
            env = SlotActions(made(tiny))
            env.reset(seed=0)
            _, _, _, _, info = env.step(np.array([Action.SCROLL_DOWN, slot]))
            wanted = info["items"][slot].item_id
            _, _, _, _, info = env.step([int(action), slot])
            assert info["open_item"] == wanted
            assert info["page"] == page


def test_a_slot_without_a_card_is_no_target(tiny: DataSet) -> None:
    env = SlotActions(made(tiny))
    _, info = env.reset(seed=0)
    assert len(info["items"]) < N_SLOTS
    for action in (Action.CLICK, Action.ENTER_DETAIL):
        assert env.step((int(action), N_SLOTS - 1))[4]["invalid"] == "no_target"
    env.step((2, 0))
    info = env.step((2, 0))[4]
    assert info["invalid"] == "no_target"
    assert not info["action_mask"][Action.CLICK]
    assert env.step((3, 0))[4]["effect"] == "enter_detail"


@pytest.mark.parametrize("action", [(8, 0), (0, N_SLOTS), (-1, 0), 3, (1, 2, 3), "ab", None])
def test_what_is_no_slot_action_is_a_value_error(tiny: DataSet, action: Any) -> None:
    env = SlotActions(made(tiny))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="is no action; it must be"):
        env.step(action)


# Flat


def test_flat_actions_are_all_actions() -> None:
    meanings = FlatActions.MEANINGS
    assert len(set(meanings)) == len(meanings) == 7 + 2 * N_SLOTS
    assert {action for action, _ in meanings} == set(Action)
    assert meanings[0] == (Action.SCROLL_DOWN, None)
    assert meanings[6] == (Action.TERMINATE, None)
    assert meanings[7] == (Action.CLICK, 0)
    assert meanings[7 + N_SLOTS] == (Action.ENTER_DETAIL, 0)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 50), choices=st.lists(st.integers(0, 10_000), max_size=12))
def test_the_mask_is_one_exactly_where_the_action_is_valid(tiny: DataSet, seed: int, choices: list[int]) -> None:
    core = made(tiny, max_steps=None, stuck_after=None)
    env = FlatActions(core)
    _, info = env.reset(seed=seed)
    for choice in [*choices, 0]:
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert env.action_masks().tolist() == mask.astype(bool).tolist()
        for number, (action, slot) in enumerate(FlatActions.MEANINGS):
            valid = core.shop.judge(*read_action(env._core(action, slot)))[2] is None
            shows = slot is None or slot < len(info["items"])
            assert (valid and shows) == bool(mask[number]), FlatActions.MEANINGS[number]
        possible = [n for n in np.flatnonzero(mask).tolist() if FlatActions.MEANINGS[n][0] is not Action.TERMINATE]
        _, _, _, _, info = env.step(possible[choice % len(possible)])
        assert info["invalid"] is None


def test_masked_samples_are_never_invalid(tiny: DataSet) -> None:
    env = FlatActions(made(tiny, max_steps=None))
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(300):
        _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        assert info["invalid"] is None
        if terminated:
            _, info = env.reset()


def test_a_mask_that_was_changed_outside_stays_outside(tiny: DataSet) -> None:
    env = FlatActions(made(tiny))
    _, info = env.reset(seed=0)
    info["action_mask"][:] = 0
    assert env.action_masks().any()


@pytest.mark.parametrize("action", [-1, 7 + 2 * N_SLOTS, "a", None, 1.5, True, (0, 1)])
def test_what_is_no_flat_action_is_a_value_error(tiny: DataSet, action: Any) -> None:
    env = FlatActions(made(tiny))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"is no action; it must be a whole number from 0 to 22"):
        env.step(action)
