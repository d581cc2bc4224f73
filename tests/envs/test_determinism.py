"""The same seed gives the same episodes, whatever the clock, the hash seed or the global random state (lessons B)."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.replay_env import ShopSimReplayEnv
from tests.envs.driving import DOWN, trace


@pytest.mark.parametrize("kind", [ShopSimEnv, ShopSimReplayEnv])
def test_a_seeded_reset_and_the_unseeded_ones_after_it_are_the_same_in_two_instances(tiny: DataSet, kind: type) -> None:
    one, two = trace(kind(tiny), resets=4), trace(kind(tiny), resets=4)
    assert one == two
    assert trace(kind(tiny), resets=4, seed=1) != one


def test_the_seed_of_an_unseeded_episode_starts_it_again(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, feed="random")
    env.reset(seed=7)
    for _ in range(5):
        observation, info = env.reset()
        again, info_again = ShopSimEnv(tiny, feed="random").reset(seed=info["seed"])
        assert (observation["screenshot"] == again["screenshot"]).all()
        assert info["session_id"] == info_again["session_id"]
        assert info["items"] == info_again["items"]


def test_without_a_seed_episodes_differ(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False)
    seen = {env.reset()[1]["session_id"] for _ in range(100)}
    assert seen == {"s0", "s1", "s2", "s3", "s4"}
    seeds = {ShopSimEnv(tiny, pixels=False).reset()[1]["seed"] for _ in range(20)}
    assert len(seeds) == 20


def test_sessions_are_drawn_evenly(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False)
    counts = dict.fromkeys(["s0", "s1", "s2", "s3", "s4"], 0)
    for seed in range(500):
        counts[env.reset(seed=seed)[1]["session_id"]] += 1
    assert all(70 <= n <= 130 for n in counts.values())


def test_group_members_start_alike_and_groups_apart(tiny: DataSet) -> None:
    def start(seed: int) -> tuple[object, ...]:
        observation, info = ShopSimEnv(tiny).reset(seed=seed)
        return info["text"], info["session_id"], observation["screenshot"].tobytes()

    groups = {seed: {start(seed) for _ in range(3)} for seed in range(6)}
    assert all(len(members) == 1 for members in groups.values())
    assert len(set.union(*groups.values())) > 1


def test_splits_never_meet(tiny: DataSet) -> None:
    seen = {}
    for split in ("train", "test"):
        env = gym.make_vec("ShopSim-v0", num_envs=2, vectorization_mode="sync", data=tiny, split=split, pixels=False)
        _, infos = env.reset(seed=0)
        seen[split] = set(infos["session_id"])
        leave = {"action": np.array([7, 7]), "point": np.zeros((2, 2), np.float32)}
        for _ in range(1000):  # every second step is the reset after an end: 1,000 autoresets in two environments
            _, _, _, _, infos = env.step(leave)
            seen[split] |= set(infos["session_id"][infos["_session_id"]]) if "session_id" in infos else set()
        env.close()
    assert seen == {"train": {"s0", "s1", "s2", "s3", "s4"}, "test": {"s6", "s7"}}


def test_global_random_state_is_left_alone(tiny: DataSet) -> None:
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    trace(ShopSimEnv(tiny, feed="random"))
    trace(ShopSimReplayEnv(tiny))
    after = random.getstate(), np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert all(np.array_equal(a, b) for a, b in zip(before[1], after[1], strict=True))


def test_and_does_not_matter(tiny: DataSet) -> None:
    traces = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        traces.append(trace(ShopSimEnv(tiny, feed="random")))
    assert traces[0] == traces[1]


def test_the_clock_does_not_matter(tiny: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    now = trace(ShopSimEnv(tiny))
    year, clock, local = 370 * 86400, time.time, time.localtime
    monkeypatch.setattr(time, "time", lambda: clock() + year)
    monkeypatch.setattr(time, "localtime", lambda seconds=None: local((seconds or clock()) + year))
    assert trace(ShopSimEnv(tiny)) == now


def test_hash_randomisation_does_not_matter(tiny_path: Path) -> None:
    code = (
        "import sys; from shopsim.envs.env import ShopSimEnv; from tests.envs.driving import trace\n"
        "for feed in ('recorded', 'random', 'similar'):\n"
        "    print(trace(ShopSimEnv(sys.argv[1], feed=feed, privileged=True)))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tiny_path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_memory_does_not_grow_with_episodes(tiny: DataSet) -> None:
    import tracemalloc

    env = ShopSimEnv(tiny, max_steps=None, stuck_after=None)

    def episodes(n: int) -> int:
        for seed in range(n):
            env.reset(seed=seed)
            for _ in range(3):
                env.step(DOWN)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = episodes(30)
        assert episodes(60) - before < 100_000
    finally:
        tracemalloc.stop()
