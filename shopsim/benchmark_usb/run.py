"""Runs agents through recorded sessions of a data set and scores them against the people (SPEC 4, 8)."""

import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, filterfalse, islice
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import gymnasium as gym
import numpy as np

from shopsim.agents.backend import Sampling
from shopsim.agents.base import Agent
from shopsim.agents.checkpoint import AgentSetup, folder_of
from shopsim.agents.heuristic import HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.record import record as write_recording
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.benchmark_usb.people import People, choose_sessions
from shopsim.benchmark_usb.results import RECORDINGS, AgentInfo, DataInfo, Results, RunSettings
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.envs import layout
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError

Progress = Callable[[int, int], None]
"""Called with rollouts done and rollouts in all."""

_BLIND: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    **{f"always-{label.replace('_', '-')}": partial(AlwaysAgent, action) for label, action in ACTION_BY_LABEL.items()},
    "heuristic": HeuristicShopper,
}

BUILT_IN: tuple[str, ...] = (*_BLIND, "human", "recverse")
"""Agents by name."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent to run, by name."""

    kind: str
    """One of `BUILT_IN`, or the import path of an agent class, ``my.module:MyAgent``."""
    checkpoint: str | None = None
    """Model of ``recverse``: a folder, a training run's folder (its newest checkpoint), or a hub id."""
    label: str | None = None
    """What the results call it; the kind if not given."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the agent's class."""

    @property
    def name(self) -> str:
        """What the results call it."""
        return self.label or self.kind

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Reads ``[label=]kind[@checkpoint]``, for example ``trained=recverse@runs/grpo``."""
        label, given, rest = text.partition("=")
        kind, _, checkpoint = (rest if given else text).partition("@")
        return cls(kind, checkpoint or None, label if given else None)

    def maker(self, dataset: DataSet) -> Callable[[], Agent]:
        """A function that makes one such agent for each lane; a model is loaded once, here.

        Raises:
            InputError: There is no such agent, or it lacks its checkpoint.
        """
        if self.kind == "recverse":
            return self._with_model()
        if self.checkpoint is not None:
            raise InputError(f"agent {self.kind!r} takes no checkpoint")
        if self.kind == "human":
            return partial(HumanReplay, dataset)
        return partial(_BLIND.get(self.kind) or _load(self.kind), **self.settings)

    @property
    def sees(self) -> bool:
        """Whether it may look at screenshots; for the built-in agents that do not, none are drawn."""
        return self.kind != "human" and self.kind not in _BLIND

    @property
    def size(self) -> tuple[int, int] | None:
        """Size of the screens it was trained on; None where nothing says."""
        return None if self.checkpoint is None else AgentSetup.of(folder_of(self.checkpoint)).size

    def _with_model(self) -> Callable[[], Agent]:
        if self.checkpoint is None:
            raise InputError(f"agent {self.kind!r} needs a model: {self.kind}@CHECKPOINT")
        # Only here, since most agents need no torch.
        from shopsim.agents.transformers_backend import TransformersBackend

        settings = dict(self.settings)
        sampling = settings.pop("sampling", None)
        folder = folder_of(self.checkpoint)
        backend = TransformersBackend.load(folder)
        return partial(
            AgentSetup.of(folder).make_agent,
            backend,
            None if sampling is None else Sampling(**sampling),
            name=self.name,
            **settings,
        )


def _load(path: str) -> Callable[..., Agent]:
    module, _, name = path.partition(":")
    choices = f"one of {', '.join(BUILT_IN)}, or an import path like my.module:MyAgent"
    if not name:
        raise InputError(f"there is no agent {path!r}; it must be {choices}")
    try:
        loaded: Callable[..., Agent] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"agent {path!r} cannot be imported ({error}); it must be {choices}") from error
    return loaded


def run_benchmark(
    data: DataSet | str | Path | None,
    agents: Sequence[AgentSpec],
    out: str | Path,
    *,
    split: str = "test",
    sessions: int | Sequence[str] | None = None,
    repetitions: int = 1,
    seed: int = 0,
    feed: str = "recorded",
    reward: TrajectoryReward | None = None,
    environment: Mapping[str, Any] | None = None,
    lanes: int = 8,
    record: int = 0,
    progress: Progress | None = None,
) -> Results:
    """Runs agents and keeps everything in a folder; the same call on the same folder goes on where it stopped.

    Args:
        data: The data set, its folder or hub id; None for the bundled one.
        agents: Who is run.
        out: Folder of the results.
        split: Which sessions.
        sessions: How many of them, drawn by `seed`; or their ids; None for all.
        repetitions: Rollouts of each session, by other chance of the agent in the same environment.
        seed: Of everything random.
        feed: Feed policy. With any but ``recorded`` there are no intent scores, since the person saw another feed.
        reward: What the reward columns say; the default trajectory reward if not given.
        environment: Further arguments of `ShopSimEnv`, JSON values.
        lanes: Sessions played at the same time.
        record: Number of sessions whose first rollout by each agent is recorded under ``rollouts``, for reports and
            for ``shopsim replay --verify``; those in which the person touched something come first.
        progress: Called after each rollout.

    Raises:
        InputError: Something given cannot be used; the folder holds another run.
        DataError: The data set cannot be used.
    """
    dataset = data if isinstance(data, DataSet) else DataSet.bundled() if data is None else DataSet.open(data)
    if not agents or repetitions < 1 or lanes < 1:
        raise InputError("a benchmark needs at least one agent, one repetition and one lane")
    names = [spec.name for spec in agents]
    if len(set(names)) < len(names):
        raise InputError(f"agents must have distinct names, not {', '.join(names)}; give labels: LABEL=AGENT")
    chosen = choose_sessions(dataset, split, sessions, seed)
    arguments: dict[str, Any] = {"split": split, "feed": feed, **(environment or {})}
    if reward is not None:
        arguments["reward"] = reward
    settings = RunSettings(
        data=DataInfo(dataset.name, dataset.hash, dataset.source, dataset.locale, tuple(sorted(dataset.imputed))),
        split=split,
        sessions=len(chosen),
        sessions_hash=hashlib.sha256("\n".join(chosen).encode()).hexdigest(),
        repetitions=repetitions,
        seed=seed,
        feed=feed,
        environment={
            "layout": layout.VERSION,
            **(environment or {}),
            "reward": _reward_settings(reward or TrajectoryReward()),
        },
    )
    # Whatever is wrong with the arguments shows here, before anything is written.
    _make_env(dataset, pixels=False, **arguments).close()
    makers = {spec.name: spec.maker(dataset) for spec in agents}
    infos = {name: _info(name, make()) for name, make in makers.items()}
    results = Results.start(out, settings, infos)
    keys = [(session_id, repetition) for session_id in chosen for repetition in range(repetitions)]
    missing = {name: [key for key in keys if not results.is_done(name, *key)] for name in names}
    total, left = len(names) * len(keys), sum(map(len, missing.values()))
    people = People(dataset, paired=feed == "recorded")
    shown = set(islice(chain(filter(people.touched, chosen), filterfalse(people.touched, chosen)), record))
    clock = _Clock()

    def keep(name: str, rollout: Rollout) -> None:
        nonlocal left
        if rollout.end is not None:
            write_recording(rollout, results.path / RECORDINGS, {**infos[name].settings, "label": name})
        results.append(people.score(name, rollout, clock.lap()))
        left -= 1
        if progress is not None:
            progress(total - left, total)

    for spec in agents:
        tasks = [_task(*key, seed) for key in missing[spec.name]]
        to_record = [task for task in tasks if task.session_id in shown and task.member == 0]
        screens = {} if spec.size is None else {"size": spec.size}
        clock.lap()
        for recorded, batch in ((True, to_record), (False, [task for task in tasks if task not in to_record])):
            make_env = partial(_make_env, dataset, pixels=recorded or spec.sees, **(screens | arguments))
            collect(
                batch, make_env, makers[spec.name],
                lanes=lanes, on_done=partial(keep, spec.name), keep=False, record=recorded,
            )  # fmt: skip
        results.finish(spec.name)
    return results


def _make_env(dataset: DataSet, **arguments: Any) -> gym.Env[Any, Any]:
    # By path, so that the environment's spec, which recordings keep, is plain values.
    return gym.make("ShopSim-v0", disable_env_checker=True, data=str(dataset.path), **arguments)


def _task(session_id: str, repetition: int, seed: int) -> Task:
    """All agents and repetitions share a session's environment seed; the agent's chance differs by repetition."""
    place = crc32(session_id.encode())
    env_seed, _ = _seeds(seed, place)
    _, sampling_seed = _seeds(seed, place, repetition)
    return Task(session_id, env_seed, sampling_seed, group=place, member=repetition)


def _seeds(*parts: int) -> tuple[int, int]:
    first, second = np.random.SeedSequence(parts).generate_state(2, np.uint32)
    return int(first) >> 1, int(second) >> 1


def _info(name: str, agent: Agent) -> AgentInfo:
    settings = agent.settings()
    return AgentInfo(name, settings, settings.get("prompt_hash"))


def _reward_settings(reward: TrajectoryReward) -> dict[str, Any]:
    return asdict(reward) | {"weights": {action.label: weight for action, weight in reward.weights.items()}}


class _Clock:
    """Splits the time of a run over its rollouts."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def lap(self) -> float:
        """Seconds since the last call."""
        before, self._last = self._last, perf_counter()
        return self._last - before
