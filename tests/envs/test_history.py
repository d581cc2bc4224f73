"""The last K screens: in order, padded by the stated rule, and empty again after every reset."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.history import FrameHistory
from shopsim.errors import InputError
from tests.envs.driving import DOWN, LEAVE, UP, random_actions, trace

SIZE = (80, 152)


def made(tiny: DataSet, **arguments: Any) -> FrameHistory:
    return FrameHistory(ShopSimEnv(tiny, size=SIZE), **arguments)


@pytest.mark.parametrize("name", ["ShopSim-v0", "ShopSimReplay-v0"])
@pytest.mark.parametrize("padding", ["blank", "first"])
def test_the_checker_has_nothing_to_say(
    tiny_path: Path, name: str, padding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        core = gym.make(name, data=tiny_path, size=SIZE, disable_env_checker=True)
        check_env(FrameHistory(core, padding=padding))


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("padding", ["blank", "first"])
def test_exactly_the_last_screens_in_order(tiny: DataSet, k: int, padding: Any) -> None:
    bare, env = ShopSimEnv(tiny, size=SIZE), made(tiny, k=k, padding=padding)
    for episode in range(2):
        screens = [bare.reset(seed=episode)[0]["screenshot"]]
        observation, _ = env.reset(seed=episode)
        for action in (None, DOWN, UP, DOWN, DOWN, LEAVE):
            real = screens[-k:]
            before = np.zeros_like(screens[0]) if padding == "blank" else screens[0]
            assert observation in env.observation_space
            assert observation["screenshot"].shape == (k, 152, 80, 3)
            assert observation["frames"] == len(real)
            assert (observation["screenshot"] == np.stack([before] * (k - len(real)) + real)).all()
            screens.append(bare.step(action)[0]["screenshot"])
            observation = env.step(action)[0]
        assert (observation["screenshot"] == np.stack(screens[-k:])).all()


def test_what_was_handed_out_is_never_touched_again_and_may_be_written_on(tiny: DataSet) -> None:
    env, other = made(tiny), made(tiny)
    env.reset(seed=0)
    observation, _ = other.reset(seed=0)
    for action in (DOWN, DOWN, UP, DOWN):
        observation["screenshot"][:] = 7
        expected = env.step(action)[0]
        observation = other.step(action)[0]
        assert not np.shares_memory(observation["screenshot"], expected["screenshot"])
        assert (observation["screenshot"] == expected["screenshot"]).all()


def test_the_rest_passes_through(tiny: DataSet, tiny_path: Any) -> None:
    bare, env = ShopSimEnv(tiny, size=SIZE), made(tiny)
    for _ in range(3):
        wrapped, plain = (e.reset(seed=3, options={"session_id": "s1"}) for e in (env, bare))
        assert [wrapped[0][k] for k in ("page", "cart", "step")] == [plain[0][k] for k in ("page", "cart", "step")]
        assert (wrapped[0]["screenshot"][-1] == plain[0]["screenshot"]).all()
        assert wrapped[1]["text"] == plain[1]["text"]
    assert trace(made(tiny)) == trace(made(tiny))
    again = gym.make(FrameHistory(gym.make("ShopSim-v0", data=tiny_path), k=2, padding="first").spec)
    assert isinstance(again, FrameHistory)
    assert again.k == 2


def test_it_fits_a_vector(tiny: DataSet) -> None:
    env = gym.make_vec(
        "ShopSim-v0", num_envs=2, vectorization_mode="sync", data=tiny, size=SIZE, wrappers=[FrameHistory]
    )
    env.reset(seed=0)
    for action in random_actions(ShopSimEnv(tiny, size=SIZE), 6):
        batch = {"action": np.array([action["action"]] * 2), "point": np.stack([action["point"]] * 2)}
        observation = env.step(batch)[0]
        assert observation in env.observation_space
        assert observation["screenshot"].shape == (2, 4, 152, 80, 3)
    env.close()


@pytest.mark.parametrize(
    ("pixels", "arguments", "message"),
    [
        (True, {"k": 0}, "k is 0; it must be a whole number from 1 on"),
        (True, {"padding": "grey"}, "padding is 'grey'; it must be one of blank, first"),
        (False, {}, "needs screens: make the environment with pixels=True"),
    ],
)
def test_wrong_arguments_say_what_is_right(tiny: DataSet, pixels: bool, arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FrameHistory(ShopSimEnv(tiny, size=SIZE, pixels=pixels), **arguments)
