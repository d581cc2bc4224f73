"""Many environments at once, and environments in a fresh interpreter (lessons B15, C25-C28)."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.wrappers import FlatActions, SlotActions, TextActions
from tests.envs.driving import human_actions, random_actions

ROOT = Path(__file__).parents[2]


def fresh(code: str, *arguments: str, timeout: float = 120) -> str:
    """What a program prints in an interpreter of its own, warnings being errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_costs_gymnasium_and_little_more() -> None:
    code = (
        "import sys, gymnasium; before = set(sys.modules); import shopsim\n"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('shopsim')))"
    )
    assert fresh(code) == "[]"


@pytest.mark.parametrize("name", ["ShopSim-v0", "ShopSimReplay-v0"])
def test_make_works_in_a_fresh_interpreter_without_heavy_imports(tiny_path: Path, name: str) -> None:
    code = (
        "import sys, gymnasium\n"
        f"env = gymnasium.make('shopsim:{name}', data=sys.argv[1])\n"
        "observation, info = env.reset(seed=0); env.step(env.action_space.sample())\n"
        "heavy = ['pyarrow', 'matplotlib', 'pydantic', 'torch', 'transformers', 'typer', 'rich', 'jinja2', 'tkinter']\n"
        "print(observation['screenshot'].shape, [m for m in heavy if m in sys.modules])"
    )
    assert fresh(code, str(tiny_path)) == "(608, 320, 3) []"


def test_without_pixels_neither_pillow_nor_what_starts_slowly_is_loaded(tiny_path: Path) -> None:
    code = (
        "import sys, gymnasium; before = set(sys.modules)\n"
        "env = gymnasium.make('shopsim:ShopSim-v0', data=sys.argv[1], pixels=False)\n"
        "env.reset(seed=0); env.step({'action': 7})\n"
        "print(sorted({'PIL', 'pathlib', 'glob', 'urllib.parse'} & (set(sys.modules) - before)))"
    )
    assert fresh(code, str(tiny_path)) == "[]"


_SYNC_AND_ASYNC = """
import sys, gymnasium, numpy as np
from gymnasium.vector import AutoresetMode

def run(kind, mode, **more):
    env = gymnasium.make_vec(
        "shopsim:ShopSim-v0", num_envs=2, vectorization_mode=kind, data=sys.argv[1], size=(64, 128), max_steps=4,
        vector_kwargs={"autoreset_mode": mode, **more},
    )
    env.action_space.seed(0)
    observation, info = env.reset(seed=0)
    out = [observation["screenshot"].tobytes(), info["text"].tolist(), info["session_id"].tolist()]
    ended = np.zeros(2, bool)
    for _ in range(12):
        if mode is AutoresetMode.DISABLED and ended.any():
            observation, info = env.reset(options={"reset_mask": ended})
            out += [observation["screenshot"].tobytes(), info["session_id"].tolist()]
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert observation in env.observation_space
        ended = terminated | truncated
        out += [observation["screenshot"].tobytes(), reward.tolist(), terminated.tolist(), truncated.tolist()]
        out += [info["text"].tolist(), info["items"].tolist(), info["action_mask"].tolist()]
    env.close()
    return out

if __name__ == "__main__":
    mode = AutoresetMode(sys.argv[3])
    print(run("sync", mode) == run("async", mode, context=sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("context", "mode"), [("fork", AutoresetMode.NEXT_STEP), *(("spawn", mode) for mode in AutoresetMode)]
)
def test_async_environments_in_a_fresh_interpreter_do_what_sync_ones_do(
    tiny_path: Path, tmp_path: Path, context: str, mode: AutoresetMode
) -> None:
    program = tmp_path / "program.py"
    program.write_text(_SYNC_AND_ASYNC)
    done = subprocess.run(
        [sys.executable, str(program), str(tiny_path), context, mode.value], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "True\n", done.stderr


def vector(data: Any, n: int = 3, **more: Any) -> Any:
    return gym.make_vec("ShopSim-v0", num_envs=n, vectorization_mode="sync", data=data, pixels=False, **more)


def test_users_of_whom_different_things_are_known_fit_one_vector(tiny: DataSet) -> None:
    env = vector(tiny, n=8, split=None)
    seen = set()
    for seed in range(6):
        _, info = env.reset(seed=[8 * seed + k for k in range(8)])
        known = info["user"].get("_age", np.zeros(8, bool))
        seen |= set(zip(info["session_id"].tolist(), known.tolist(), strict=True))
    assert {(session, known) for session, known in seen if session in ("s5", "s6")} == {("s5", True), ("s6", False)}
    env.close()


def test_seeds_and_no_seeds_fit_one_vector(tiny: DataSet) -> None:
    env = vector(tiny)
    _, info = env.reset(seed=[5, None, 6])
    assert info["seed"].dtype == np.int64
    assert info["seed"][[0, 2]].tolist() == [5, 6]
    env.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_autoreset_mode_counts_the_real_steps_and_pays_their_rewards(tiny: DataSet, mode: AutoresetMode) -> None:
    env = vector(tiny, n=2, max_steps=4, vector_kwargs={"autoreset_mode": mode})
    real = 0
    for single in env.envs:
        inner = single.unwrapped
        assert isinstance(inner, ShopSimEnv)
        step = inner.step

        def counted(action: Any, step: Any = step) -> Any:
            nonlocal real
            real += 1
            return step(action)

        inner.step = counted  # type: ignore[method-assign]
    env.action_space.seed(1)
    env.reset(seed=1)
    transitions, ended, total, paid = 0, np.zeros(2, bool), 0.0, 0.0
    for _ in range(40):
        if mode is AutoresetMode.DISABLED and ended.any():
            env.reset(options={"reset_mask": ended})
            ended = np.zeros(2, bool)
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        # With a reset of its own, the step after an end is no transition.
        transitions += int((~ended).sum()) if mode is AutoresetMode.NEXT_STEP else 2
        total += reward.sum()
        parts = info.get("final_info", info) if mode is AutoresetMode.SAME_STEP else info
        if "reward_parts" in parts:
            paid += sum(p.total for p in parts["reward_parts"] if p is not None)
        ended = terminated | truncated
    assert transitions == real
    assert total == pytest.approx(paid)
    assert paid != 0
    env.close()


@pytest.mark.parametrize("wrapper", [TextActions, SlotActions, FlatActions])
def test_wrapped_environments_fit_a_vector(tiny: DataSet, wrapper: Any) -> None:
    env = vector(tiny, n=2, wrappers=[wrapper])
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(10):
        actions = env.action_space.sample()
        observation, _, _, _, info = env.step(actions)
        assert observation in env.observation_space
        assert len(info["text"]) == 2
    env.close()


# The data set that ships with ShopSim


@pytest.mark.parametrize("name", ["ShopSim-v0", "ShopSimReplay-v0"])
def test_make_needs_no_data_of_ones_own(name: str) -> None:
    code = (
        f"import gymnasium; env = gymnasium.make('shopsim:{name}')\n"
        "observation, info = env.reset(seed=0); assert observation in env.observation_space\n"
        "while True:\n"
        "    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())\n"
        "    if terminated or truncated: break\n"
        "print('reward_parts' in info)"
    )
    assert fresh(code) == "True"


def test_doing_what_the_person_did_earns_one_in_every_shipped_session() -> None:
    env = ShopSimEnv(split=None, pixels=False)
    rewards = []
    for row in range(env.dataset.n_sessions):
        env.reset(options={"session_id": env.dataset.session_id(row)})
        for action in human_actions(env):
            _, reward, _, _, _ = env.step(action)
        rewards.append(reward)
    assert set(rewards) == {1.0}


def test_a_random_shopper_is_far_from_a_person() -> None:
    env = ShopSimEnv(split="test", pixels=False)
    rewards = []
    for seed in range(40):
        env.reset(seed=seed)
        for action in random_actions(env, 60, seed):
            _, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                break
        rewards.append(reward)
    assert -2.5 < np.mean(rewards) < 0.5


def test_the_shipped_feed_goes_on_past_the_recorded_one_without_repeats() -> None:
    env = ShopSimEnv(pixels=False, max_steps=None)
    env.reset(seed=0)
    recorded = len(env.dataset.feed(env.session_row))
    while len(env.shop.feed) < recorded + 100:
        assert env.step({"action": 0})[4]["invalid"] is None
    assert len(set(env.shop.feed)) == len(env.shop.feed)
