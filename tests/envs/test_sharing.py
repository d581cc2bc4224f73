"""Many environments over one data set draw each card once, within bounded memory."""

import gc
from collections import Counter
from collections.abc import Hashable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import shopsim  # noqa: F401  (registers the environments)
from shopsim.agents.rollout import Task, collect
from shopsim.agents.trivial import RandomAgent
from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.screens.renderer import _SHARE_MB, Renderer, _Kept
from tests.envs.driving import DOWN, click

LANES = 32


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Counter[Hashable]:
    """How often each card, page and picture has been painted."""
    count: Counter[Hashable] = Counter()
    put = _Kept.put

    def counted(self: _Kept, key: Hashable, *rest: Any) -> Any:
        count[key] += 1
        return put(self, key, *rest)

    monkeypatch.setattr(_Kept, "put", counted)
    return count


def test_the_lanes_of_a_collector_draw_each_card_once_and_the_next_batch_none(
    tiny_path: Path, painted: Counter[Hashable]
) -> None:
    def play(batch: int) -> None:
        tasks = [Task(f"s{n % 8}", n // 8, 100 * batch + n) for n in range(LANES)]
        # By path, so that each lane opens the data set itself, at a size no other test draws.
        arguments: Any = {"data": str(tiny_path), "size": (72, 136), "split": None, "disable_env_checker": True}
        played = collect(tasks, partial(gym.make, "ShopSim-v0", **arguments), RandomAgent, lanes=LANES, record=True)
        assert not [rollout.fault for rollout in played if rollout.fault]
        gc.collect()  # the environments are gone

    play(0)
    assert len(painted) > 30
    assert set(painted.values()) == {1}
    before = set(painted)
    play(1)
    assert set(painted.values()) == {1}, "whatever was drawn serves those that come later"
    assert before < set(painted), "and these saw something more"


def test_memory_grows_with_who_draws_and_only_as_long_as_they_live(tiny: DataSet) -> None:
    renderer = Renderer(tiny, 320, 608, cache_mb=1)
    shown = ShopSimEnv(tiny)
    users = [type("User", (), {})() for _ in range(2)]

    def held() -> int:
        for seed in range(6):
            shown.reset(seed=seed)
            for _ in range(8):
                renderer.screen(shown.shop)
                shown.step(DOWN)
                if shown._stopped:
                    break
        return sum(pixels.nbytes for pixels in renderer._kept._kept.values())

    alone = held()
    assert alone <= 1 << 20
    for user in users:
        renderer.serve(user)
    assert alone < held() <= (1 + 2 * _SHARE_MB) << 20
    users.clear()
    del user
    shown.reset(seed=0)
    shown.step(click(shown))
    renderer.screen(shown.shop)  # a page not seen before
    assert held() <= 1 << 20
