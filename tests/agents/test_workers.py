"""Environments in other processes: the same rollouts byte for byte, and a process that dies is a fault."""

import multiprocessing
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shopsim.agents.rollout import Env, Rollout, Task, collect
from shopsim.agents.trivial import RandomAgent
from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.errors import EnvironmentFault, InputError

Play = Callable[..., list[Rollout]]


class Moody(ShopSimEnv):
    """Does something else than step in one session."""

    def __init__(self, data: Path, session: str, mood: str) -> None:
        super().__init__(data, split="train", size=(64, 128), max_steps=5)
        self._session, self._mood = session, mood

    def step(self, action: Any) -> Any:
        if self._mood and self._session == self.dataset.session_id(self.session_row):
            if self._mood == "die":
                os._exit(3)
            raise {"fault": EnvironmentFault("no browser"), "bug": KeyError("a bug")}[self._mood]
        return super().step(action)


@pytest.fixture
def play(tiny: DataSet) -> Play:
    """Plays the train sessions twice each, at random."""
    ids = [tiny.session_id(row) for row in tiny.session_rows("train").tolist()]
    tasks = [Task(session, 7, seed, group) for group, session in enumerate(ids) for seed in range(2)]

    def go(make_env: Callable[[], Env], workers: int, **options: Any) -> list[Rollout]:
        return collect(tasks, make_env, RandomAgent, lanes=4, workers=workers, **options)

    return go


@pytest.mark.parametrize("kind", [ShopSimEnv, ShopSimReplayEnv])
def test_where_environments_run_changes_nothing(play: Play, tiny_path: Path, kind: Callable[..., Env]) -> None:
    make_env = partial(kind, tiny_path, split="train", size=(64, 128))
    here = play(make_env, 0, record=True)
    assert play(make_env, 2, record=True) == here
    assert all(rollout.end and rollout.trajectory and rollout.samples for rollout in here)
    assert not multiprocessing.active_children()


def test_a_killed_process_is_a_fault_of_what_it_played(play: Play, tiny: DataSet, tiny_path: Path) -> None:
    session = tiny.session_id(int(tiny.session_rows("train")[1]))
    well = play(partial(Moody, tiny_path, session, ""), 0)
    ill = play(partial(Moody, tiny_path, session, "die"), 2)
    for rollout, as_well in zip(ill, well, strict=True):
        if rollout.task.session_id == session:
            assert rollout.fault is not None
            assert "process has ended (exit code 3)" in str(rollout.fault)
        assert rollout.fault is not None or rollout == as_well  # neighbours may die too; the rest goes on
    assert any(rollout.fault is None for rollout in ill)
    assert not multiprocessing.active_children()


def test_errors_are_those_of_the_environment(play: Play, tiny: DataSet, tiny_path: Path) -> None:
    session = tiny.session_id(int(tiny.session_rows("train")[1]))
    faulty = partial(Moody, tiny_path, session, "fault")
    assert [rollout.fault for rollout in play(faulty, 2)] == [rollout.fault for rollout in play(faulty, 0)]
    assert any(rollout.fault for rollout in play(faulty, 0))
    with pytest.raises(KeyError, match="a bug"):
        play(partial(Moody, tiny_path, session, "bug"), 2)
    assert not multiprocessing.active_children()


def test_what_cannot_be_sent_is_refused(play: Play, tiny_path: Path) -> None:
    with pytest.raises(InputError, match="can be pickled"):
        play(lambda: ShopSimEnv(tiny_path), 2)
