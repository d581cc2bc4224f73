"""The teacher-forced environment: the recorded session comes whatever the agent says, and every answer is judged."""

from pathlib import Path
from typing import Any

import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.envs.replay_env import HumanAction, ShopSimReplayEnv
from shopsim.envs.reward import StepRewardParts
from shopsim.envs.step_reward import CustomerR1Reward
from shopsim.envs.trajectory import StopReason
from shopsim.errors import InputError
from tests.envs.driving import BUY, CLICK, DOWN, LEAVE, UP, at, human_actions, random_actions


@pytest.fixture
def env(tiny: DataSet) -> ShopSimReplayEnv:
    """In session s2: down, up, click, add_to_cart, back, enter_detail, purchase, terminate."""
    made = ShopSimReplayEnv(tiny, pixels=False)
    made.reset(seed=0, options={"session_id": "s2"})
    return made


S2 = ["scroll_down", "scroll_up", "click", "add_to_cart", "back", "enter_detail", "purchase", "terminate"]


def run(env: Any, answers: Any) -> list[tuple[dict[str, Any], float, bool, bool, dict[str, Any]]]:
    results = []
    for answer in answers:
        results.append(env.step(answer))
        if results[-1][2] or results[-1][3]:
            break
    return results


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), row=st.integers(0, 7))
def test_the_recorded_session_follows_whatever_the_agent_answers(tiny: DataSet, seed: int, row: int) -> None:
    env = ShopSimReplayEnv(tiny, split=None, pixels=False)
    start = env.reset(options={"session_id": tiny.session_id(row)})[1]["text"]
    results = run(env, random_actions(env, 50, seed))
    quiet = ShopSimReplayEnv(tiny, split=None, pixels=False)
    assert quiet.reset(options={"session_id": tiny.session_id(row)})[1]["text"] == start
    silent = run(quiet, [None] * 50)
    assert len(results) == len(silent) == tiny.n_steps(row)
    for one, other in zip(results, silent, strict=True):
        assert one[0] == other[0]
        assert one[4]["text"] == other[4]["text"]
        assert one[4]["human_action"] == other[4]["human_action"]
        assert one[2:4] == other[2:4]
    assert env.trajectory.pairs() == human.replay(tiny, row).pairs()


def test_it_ends_after_the_recorded_terminate(env: ShopSimReplayEnv) -> None:
    results = run(env, [None] * 50)
    assert [info["human_action"].label for *_, info in results] == S2
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in results] == [(False, False)] * 7 + [
        (True, False)
    ]
    assert results[-1][4]["stop_reason"] == "record_end"
    assert env.trajectory.stop_reason is StopReason.RECORD_END
    assert results[-1][0] in env.observation_space
    assert len(env.answers) == len(env.trajectory) == 8
    with pytest.raises(ResetNeeded, match="record_end"):
        env.step(DOWN)


def test_no_answer_ends_it_early(env: ShopSimReplayEnv) -> None:
    assert len(run(env, [LEAVE] * 50)) == 8
    assert len(run_again(env, [UP] * 50)) == 8


def run_again(env: ShopSimReplayEnv, answers: list[Any]) -> list[Any]:
    env.reset(options={"session_id": "s2"})
    return run(env, answers)


def test_the_persons_own_answers_all_match_and_earn_the_most(tiny: DataSet) -> None:
    env = ShopSimReplayEnv(tiny, split=None, pixels=False)
    for row in range(tiny.n_sessions):
        env.reset(options={"session_id": tiny.session_id(row)})
        for action in human_actions(env):
            page = env.shop.page
            _, reward, _, _, info = env.step(action)
            assert info["match"] is True
            assert info["agent_effect"] == info["human_action"].label == info["effect"]
            assert info["agent_invalid"] is None
            on_card = info["human_action"].label == "click" or (
                info["human_action"].label == "enter_detail" and page.label == "feed"
            )
            assert reward == (1001.0 if on_card else 0.8)


def test_an_answer_is_judged_where_the_person_was(env: ShopSimReplayEnv) -> None:
    env.step(DOWN)
    env.step(UP)
    cards = env.shop.cards()
    other = env.dataset.item_id(cards[0].item)
    info = env.step(at(Action.CLICK, cards[0].center()))[4]
    assert info["human_action"].label == "click"
    assert info["human_action"].item_id == env.dataset.item_id(cards[1].item) != other
    assert info["human_action"].point == cards[1].center()
    assert (info["agent_effect"], info["agent_item"], info["match"]) == ("click", other, False)
    assert info["open_item"] == info["human_action"].item_id
    assert info["reward_parts"].type == 0.3
    _, _, _, _, info = env.step(CLICK)
    assert info["human_action"] == HumanAction("add_to_cart", env.dataset.item_id(cards[1].item), None)
    assert (info["agent_effect"], info["agent_item"], info["agent_invalid"]) == (None, None, "off_screen")
    assert (info["effect"], info["invalid"]) == ("add_to_cart", None)
    _, _, _, _, info = env.step(BUY)
    assert (info["agent_effect"], info["match"]) == ("purchase", False)
    assert env.shop.bought == set()


def test_a_tap_on_the_button_is_the_buttons_action(env: ShopSimReplayEnv) -> None:
    run(env, [None] * 3)
    button = next(box for box in env.shop.targets() if box.kind == "add_to_cart")
    assert env.step(at(Action.CLICK, button.center()))[4]["match"] is True


def test_unread_answers_earn_nothing_and_cost_nothing_else(env: ShopSimReplayEnv) -> None:
    results = run(env, [None] * 50)
    assert {reward for _, reward, *_ in results} == {0.0}
    assert {info["agent_invalid"] for *_, info in results} == {"unparsed"}
    assert {info["match"] for *_, info in results} == {False}


def test_always_terminate_is_right_once(env: ShopSimReplayEnv) -> None:
    assert [info["match"] for *_, info in run(env, [LEAVE] * 50)] == [False] * 7 + [True]


def test_what_is_no_action_is_a_value_error_and_moves_nothing(env: ShopSimReplayEnv) -> None:
    with pytest.raises(ValueError, match="action is 9"):
        env.step({"action": 9})
    assert env.answers == []
    assert len(env.trajectory) == 0


def test_rewards_are_an_argument(tiny: DataSet) -> None:
    def half(answer: Any, recorded: Any, items: Any) -> float:
        assert items is tiny
        return 0.5 * (answer.effect is recorded.effect)

    for reward, paid in ((None, 0.0), (half, 0.5), (CustomerR1Reward(), 2.0)):
        env = ShopSimReplayEnv(tiny, pixels=False, reward=reward)
        env.reset(options={"session_id": "s2"})
        _, got, _, _, info = env.step(DOWN)
        assert got == paid
        assert info.get("reward_parts") == (StepRewardParts(1, 0, 0, 1, 2) if paid == 2 else None)
    with pytest.raises(InputError, match="reward is 'trajectory'; it must be 'shop-r1', None or a function"):
        ShopSimReplayEnv(tiny, reward="trajectory")  # type: ignore[arg-type]


def test_answers_start_empty_in_each_episode(env: ShopSimReplayEnv) -> None:
    run(env, [None] * 3)
    assert len(env.answers) == 3
    env.reset()
    assert env.answers == []


def test_what_the_recording_decides_is_no_argument(tiny_path: Path) -> None:
    for name in ("feed", "max_steps", "stuck_after", "scroll_fraction"):
        with pytest.raises(TypeError, match=name):
            ShopSimReplayEnv(tiny_path, **{name: None})  # type: ignore[arg-type]
