"""Other people's tools on the environments: Gymnasium's wrappers, Stable-Baselines3 (lessons A, C, D)."""

import os
import signal
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.history import FrameHistory
from shopsim.envs.marks import SetOfMarks
from shopsim.envs.wrappers import FlatActions, SlotActions, TextActions
from tests.envs.driving import DOWN, LEAVE, UP

SIZE = (80, 152)


def playing(env: Any, seed: int, steps: int = 60) -> tuple[int, float]:
    """Plays an episode of random actions to its end: its length and return."""
    env.reset(seed=seed)
    env.action_space.seed(seed)
    total = 0.0
    for n in range(1, steps + 1):
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        total += reward
        if terminated or truncated:
            return n, total
    raise AssertionError("the episode does not end")


# Gymnasium's recorders


@pytest.fixture
def films(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Any], float]]:
    """Stands in for MoviePy, which only encodes: name, frames and speed of each film that would have been written."""
    written: list[tuple[str, list[Any], float]] = []

    class Clip:
        def __init__(self, frames: list[Any], fps: float) -> None:
            self.frames, self.fps = list(frames), fps

        def write_videofile(self, path: str, logger: Any = None) -> None:
            written.append((Path(path).name, self.frames, self.fps))

    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        module = types.ModuleType(name)
        module.ImageSequenceClip = Clip  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    return written


@pytest.mark.parametrize("wrap", [lambda env: env, FlatActions, SetOfMarks, FrameHistory])
def test_a_video_has_a_frame_for_each_step_and_one_before(
    tiny: DataSet, tmp_path: Path, films: list[Any], wrap: Callable[[Any], Any]
) -> None:
    core = gym.make("ShopSim-v0", data=tiny, size=SIZE, render_mode="rgb_array")
    env = RecordVideo(wrap(core), str(tmp_path / "films"), episode_trigger=lambda episode: True)
    lengths = [playing(env, seed)[0] for seed in range(4)]
    env.close()
    assert [len(frames) for _, frames, _ in films] == [n + 1 for n in lengths]
    assert {fps for *_, fps in films} == {ShopSimEnv.metadata["render_fps"]}
    for _, frames, _ in films:
        assert len({frame.shape for frame in frames}) == 1
        assert all(frame.dtype == np.uint8 and frame.flags.c_contiguous for frame in frames)


def test_recording_two_hundred_episodes_keeps_memory_flat(tiny: DataSet, tmp_path: Path, films: list[Any]) -> None:
    import tracemalloc

    core = gym.make("ShopSim-v0", data=tiny, size=SIZE, render_mode="rgb_array", max_steps=3, disable_env_checker=True)
    env = RecordVideo(core, str(tmp_path / "films"), episode_trigger=lambda episode: True, gc_trigger=None)

    def record(n: int) -> int:
        for seed in range(n):
            env.reset(seed=seed % 20)
            for action in (DOWN, UP, LEAVE):
                env.step(action)
        films.clear()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = record(40)
        assert record(160) - before < 1_000_000
    finally:
        tracemalloc.stop()
    env.close()


@pytest.mark.parametrize("wrap", [lambda env: env, TextActions, SlotActions, FlatActions, SetOfMarks, FrameHistory])
def test_statistics_of_episodes_are_their_lengths_and_rewards(tiny: DataSet, wrap: Callable[[Any], Any]) -> None:
    env = RecordEpisodeStatistics(wrap(gym.make("ShopSim-v0", data=tiny, size=SIZE)))
    played = [playing(env, seed) for seed in range(5)]
    assert [*env.length_queue] == [n for n, _ in played]
    assert [*env.return_queue] == pytest.approx([total for _, total in played])


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_statistics_of_a_vector_add_up_to_what_was_paid(tiny: DataSet, mode: AutoresetMode) -> None:
    vector = gym.make_vec(
        "ShopSim-v0", num_envs=3, vectorization_mode="sync", data=tiny, pixels=False, max_steps=5,
        vector_kwargs={"autoreset_mode": mode},
    )  # fmt: skip
    env = RecordVectorStatistics(vector)
    env.action_space.seed(0)
    env.reset(seed=0)
    paid = []
    for _ in range(40):
        _, rewards, terminated, truncated, _ = env.step(env.action_space.sample())
        # The trajectory reward is paid with the last step alone.
        paid += rewards[terminated | truncated].tolist()
    assert [*env.return_queue] == pytest.approx(paid)
    assert len(paid) > 20
    env.close()


# Workers


def test_a_worker_that_dies_ends_in_an_error_and_not_in_waiting(tiny_path: Path) -> None:
    vector = AsyncVectorEnv(
        [lambda: gym.make("ShopSim-v0", data=tiny_path, pixels=False)] * 2, shared_memory=False, context="fork"
    )
    vector.reset(seed=0)
    os.kill(vector.processes[1].pid, signal.SIGKILL)
    vector.processes[1].join(10)
    started = time.monotonic()
    with pytest.raises((EOFError, ConnectionError)):
        vector.step(vector.action_space.sample())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a call was pending
        vector.close(terminate=True)
    assert time.monotonic() - started < 20
    assert not any(process.is_alive() for process in vector.processes)


def test_an_interrupt_leaves_no_worker_behind(tiny_path: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, gymnasium as gym\n"
        "if __name__ == '__main__':\n"
        "    kind = dict(num_envs=2, vectorization_mode='async', data=sys.argv[1], pixels=False)\n"
        "    env = gym.make_vec('shopsim:ShopSim-v0', **kind)\n"
        "    env.reset(seed=0)\n"
        "    print(*(process.pid for process in env.processes), flush=True)\n"
        "    while True:\n"
        "        env.step(env.action_space.sample())\n"
    )
    root = Path(__file__).parents[2]
    run = subprocess.Popen(
        [sys.executable, str(program), str(tiny_path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONPATH": str(root)},
        # Whoever started the tests may ignore interrupts, as shells do for what runs in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert run.stdout is not None
    workers = [int(pid) for pid in run.stdout.readline().split()]
    assert len(workers) == 2
    run.send_signal(signal.SIGINT)
    run.wait(60)
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


# Screens


@pytest.mark.parametrize("size", [(320, 608), (161, 307)])
def test_screens_have_no_padding(tiny: DataSet, size: tuple[int, int]) -> None:
    """No uniform border of black, as headless browsers give, and the picture reaches every edge."""
    env = ShopSimEnv(tiny, size=size)
    seen = [env.reset(seed=0)[0]["screenshot"]]
    seen += [env.step(action)[0]["screenshot"] for action in (DOWN, {"action": 3, "point": (0.25, 0.4)}, DOWN)]
    for pixels in seen:
        for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
            assert edge.max() > 100, "not black"
        for side in range(2):
            strips = np.array_split(pixels, 4, axis=side)
            assert all(strip.std() > 5 for strip in strips), "every quarter shows something"


# Stable-Baselines3


@pytest.fixture
def flat(tiny_path: Path) -> Any:
    return FlatActions(gym.make("ShopSim-v0", data=tiny_path, size=SIZE, max_steps=8))


@pytest.mark.slow
def test_the_checker_of_stable_baselines_has_nothing_to_say(flat: Any) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs stable-baselines3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Written for older versions of its own dependencies.
        warnings.simplefilter("ignore", DeprecationWarning)
        checker.check_env(flat)


@pytest.mark.slow
def test_ppo_trains_through_flat_actions(tiny_path: Path) -> None:
    sb3 = pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    env = RecordEpisodeStatistics(FlatActions(gym.make("ShopSim-v0", data=tiny_path, size=(64, 128), max_steps=8)))
    model = sb3.PPO("MultiInputPolicy", env, n_steps=32, batch_size=16, n_epochs=2, seed=0, device="cpu")
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(96)
    assert model.num_timesteps == 96
    changed = [bool((a != b).any()) for a, b in zip(before, model.policy.parameters(), strict=True)]
    assert all(changed), "every weight has moved"
    assert len(env.return_queue) > 5
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, deterministic=True)
    assert action in env.action_space
