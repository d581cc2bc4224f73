"""Set-of-marks: every target has its number, an action by number does what the picture promises."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.marks import N_MARKS, Mark, SetOfMarks
from tests.envs.driving import trace


def made(tiny: DataSet, **arguments: Any) -> SetOfMarks:
    return SetOfMarks(ShopSimEnv(tiny, **{"pixels": False, **arguments}))


@pytest.mark.parametrize("name", ["ShopSim-v0", "ShopSimReplay-v0"])
@pytest.mark.parametrize("pixels", [True, False])
def test_the_checker_has_nothing_to_say(
    tiny_path: Path, name: str, pixels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(SetOfMarks(gym.make(name, data=tiny_path, pixels=pixels, disable_env_checker=True)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 99), st.lists(st.tuples(st.sampled_from(Action), st.integers(1, N_MARKS)), max_size=10))
def test_the_marks_are_the_targets_and_a_click_by_number_hits_them(
    tiny: DataSet, seed: int, actions: list[tuple[Action, int]]
) -> None:
    env = made(tiny, max_steps=None, stuck_after=None)
    core = env.unwrapped
    assert isinstance(core, ShopSimEnv)
    _, info = env.reset(seed=seed)
    for action, number in actions:
        marks: tuple[Mark, ...] = info["marks"]
        targets = core.shop.targets()
        assert [mark.number for mark in marks] == list(range(1, len(targets) + 1))
        assert [mark.kind for mark in marks] == [box.kind for box in targets]
        cards = [mark.item_id for mark in marks if mark.kind == "card"]
        assert cards == [item.item_id for item in info["items"]]
        expected = None
        if number <= len(targets):
            expected = core.shop.judge(action, targets[number - 1].center())
        _, _, terminated, _, info = env.step((int(action), number))
        event = core.trajectory.events[-1]
        if expected is not None:
            assert (event.effect, event.item, event.invalid) == expected
        elif action is Action.CLICK:
            assert info["invalid"] == "no_target"
        if terminated:
            return


def test_a_button_is_pressed_by_its_number(tiny: DataSet) -> None:
    env = made(tiny)
    env.reset(seed=0)
    info = env.step((2, 1))[4]
    assert [mark.kind for mark in info["marks"]] == ["back", "details", "add_to_cart", "purchase"]
    assert {mark.item_id for mark in info["marks"]} == {None}
    assert env.step((2, 3))[4]["effect"] == "add_to_cart"
    assert env.step((2, 2))[4]["page"] == "detail"


def test_numbers_are_drawn_at_their_boxes_and_nowhere_else(tiny: DataSet) -> None:
    bare, env = ShopSimEnv(tiny), made(tiny, pixels=True)
    plain, marked = bare.reset(seed=0)[0]["screenshot"], env.reset(seed=0)
    picture, marks = marked[0]["screenshot"], marked[1]["marks"]
    assert marked[0] in env.observation_space
    changed = (plain != picture).any(axis=2)
    inside = np.zeros_like(changed)
    for mark in marks:
        x0, y0, x1, y1 = (round(v * s) for v, s in zip(mark.box, (320, 608, 320, 608), strict=True))
        inside[y0:y1, x0:x1] = True
        assert changed[y0 : y0 + 20, x0 : x0 + 20].mean() > 0.9
        assert changed[y0 : y1 - 1, x1 - 1].mean() > 0.9
        assert not changed[y0 + 30 : y1 - 10, x0 + 30 : x1 - 10].any(), "the picture itself stays as it is"
    assert not changed[~inside].any()
    numbers = [
        picture[round(m.box[1] * 608) : round(m.box[1] * 608) + 20, round(m.box[0] * 320) : round(m.box[0] * 320) + 20]
        for m in marks
    ]
    assert len({n.tobytes() for n in numbers}) == len(marks), "each number looks different"


def test_the_environments_own_screens_stay_clean(tiny: DataSet) -> None:
    env = made(tiny, pixels=True, render_mode="rgb_array")
    env.reset(seed=0)
    assert (env.unwrapped._view.pixels(env.unwrapped.shop) == ShopSimEnv(tiny).reset(seed=0)[0]["screenshot"]).all()  # type: ignore[attr-defined]


def test_seeds_options_and_samples(tiny: DataSet, tiny_path: Any) -> None:
    env, bare = made(tiny), ShopSimEnv(tiny, pixels=False)
    expected = bare.reset(seed=5, options={"session_id": "s1"})[1]
    for _ in range(3):
        info = env.reset(seed=5, options={"session_id": "s1"})[1]
        assert {k: v for k, v in info.items() if k not in ("marks", "action_mask")} == {
            k: v for k, v in expected.items() if k != "action_mask"
        }
    assert trace(made(tiny, pixels=True)) == trace(made(tiny, pixels=True))
    again = gym.make(SetOfMarks(gym.make("ShopSim-v0", data=tiny_path, pixels=False)).spec)
    assert isinstance(again, SetOfMarks)


def test_it_fits_a_vector(tiny: DataSet) -> None:
    env = gym.make_vec(
        "ShopSim-v0", num_envs=2, vectorization_mode="sync", data=tiny, pixels=False, wrappers=[SetOfMarks]
    )
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(10):
        observation, _, _, _, info = env.step(env.action_space.sample())
        assert observation in env.observation_space
        assert len(info["marks"]) == 2
    env.close()


@pytest.mark.parametrize("action", [(8, 1), (0, 0), (0, N_MARKS + 1), (-1, 1), 3, (1, 2, 3), "ab", None])
def test_what_is_no_action_is_a_value_error(tiny: DataSet, action: Any) -> None:
    env = made(tiny)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"is no action; it must be \[0-7, 1-8\]"):
        env.step(action)
