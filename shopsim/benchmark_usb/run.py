"""Runs agents through recorded sessions of a data set and scores them against the people (SPEC 4, 8).

Free running (`run_benchmark`): the agent shops in the person's place, and whole sessions are compared. Teacher forced
(`run_steps`): at each recorded screen the agent says what it would do next. Both leave a folder that the same call
goes on with where it stopped.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import chain, filterfalse, islice
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar
from zlib import crc32

import gymnasium as gym
import numpy as np

from shopsim.agents.base import Agent
from shopsim.agents.record import record as write_recording
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.benchmark_usb.people import People, choose_sessions
from shopsim.benchmark_usb.results import (
    RECORDINGS,
    AgentInfo,
    DataInfo,
    Results,
    RunFolder,
    RunSettings,
    StepResults,
)
from shopsim.benchmark_usb.roster import TRIVIAL, AgentSpec, Models
from shopsim.benchmark_usb.step_scores import step_score
from shopsim.data import DataSet
from shopsim.envs import layout
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError

Progress = Callable[[int, int], None]
"""Called with rollouts done and rollouts in all."""
Spent = Callable[[int], None]
"""Called with the tokens, prompts included, of the answers that have just come."""


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
    models: Models | None = None,
    progress: Progress | None = None,
    spent: Spent | None = None,
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
        models: The models that are loaded, for more runs than one.
        progress: Called after each rollout.
        spent: Called after each batch of answers.

    Raises:
        InputError: Something given cannot be used; the folder holds another run.
        DataError: The data set cannot be used.
        BudgetSpent: A model's budget is spent; what has finished is kept.
    """
    cast = Cast(data, agents, split, sessions, repetitions, seed, lanes, models)
    arguments: dict[str, Any] = {"split": split, "feed": feed, **(environment or {})}
    if reward is not None:
        arguments["reward"] = reward
    described = {**(environment or {}), "reward": _reward_settings(reward or TrajectoryReward())}
    results = cast.begin(Results, out, feed, ("ShopSim-v0", arguments), described)
    people = People(cast.dataset, paired=feed == "recorded")
    first = chain(filter(people.touched, cast.sessions), filterfalse(people.touched, cast.sessions))
    return cast.play(results, people.score, progress, spent, set(islice(first, record)))


def run_steps(
    data: DataSet | str | Path | None,
    agents: Sequence[AgentSpec],
    out: str | Path,
    *,
    split: str = "test",
    sessions: int | Sequence[str] | None = None,
    repetitions: int = 1,
    seed: int = 0,
    environment: Mapping[str, Any] | None = None,
    lanes: int = 8,
    models: Models | None = None,
    progress: Progress | None = None,
    spent: Spent | None = None,
) -> StepResults:
    """Asks agents at each recorded screen what the person did next; `TRIVIAL` policies are asked with them, always.

    Args:
        data: The data set, its folder or hub id; None for the bundled one.
        agents: Who is asked.
        out: Folder of the results.
        split: Which sessions.
        sessions: How many of them, drawn by `seed`; or their ids; None for all.
        repetitions: How often each session is gone through, by other chance of the agent.
        seed: Of everything random.
        environment: Further arguments of `ShopSimReplayEnv`, JSON values.
        lanes: Sessions gone through at the same time.
        models: The models that are loaded, for more runs than one.
        progress: Called after each session.
        spent: Called after each batch of answers.

    Raises:
        InputError: Something given cannot be used; the folder holds another run.
        DataError: The data set cannot be used.
        BudgetSpent: A model's budget is spent; what has finished is kept.
    """
    given = {spec.name for spec in agents}
    everyone = [*agents, *(AgentSpec(kind) for kind in TRIVIAL if kind not in given)]
    cast = Cast(data, everyone, split, sessions, repetitions, seed, lanes, models)
    arguments = {"split": split, "reward": None, **(environment or {})}
    results = cast.begin(StepResults, out, "recorded", ("ShopSimReplay-v0", arguments), environment or {})
    return cast.play(results, partial(step_score, cast.dataset), progress, spent)


Folder = TypeVar("Folder", bound=RunFolder[Any, Any])


class Cast:
    """Some agents and the sessions that each of them plays: what every kind of run is made of.

    Attributes:
        dataset: The data set.
        sessions: Ids of the sessions.
        n_rollouts: How often each agent plays, over all sessions.

    Raises:
        InputError: The agents or sessions cannot be.
        DataError: The data set cannot be used.
    """

    def __init__(
        self,
        data: DataSet | str | Path | None,
        agents: Sequence[AgentSpec],
        split: str,
        sessions: int | Sequence[str] | None,
        repetitions: int,
        seed: int,
        lanes: int,
        models: Models | None = None,
    ) -> None:
        self.dataset = data if isinstance(data, DataSet) else DataSet.bundled() if data is None else DataSet.open(data)
        if not agents or repetitions < 1 or lanes < 1:
            raise InputError("a benchmark needs at least one agent, one repetition and one lane")
        names = [spec.name for spec in agents]
        if len(set(names)) < len(names):
            raise InputError(f"agents must have distinct names, not {', '.join(names)}; give labels: LABEL=AGENT")
        self.sessions = choose_sessions(self.dataset, split, sessions, seed)
        self._specs, self._split = list(agents), split
        self._models = models or Models()
        self._repetitions, self._seed, self._lanes = repetitions, seed, lanes
        self.n_rollouts = len(self.sessions) * repetitions

    def begin(
        self,
        kind: type[Folder],
        out: str | Path,
        feed: str,
        env: tuple[str, dict[str, Any]],
        environment: Mapping[str, Any],
    ) -> Folder:
        """Makes the agents and the results' folder; whatever is wrong shows before anything is written.

        Args:
            kind: Of the results.
            out: The folder.
            feed: Feed policy.
            env: Id and arguments of the environment.
            environment: What the results say of it.
        """
        self._env = env
        self._make_env(pixels=False).close()
        dataset = self.dataset
        self._makers: dict[str, Callable[[], Agent]] = {}
        self._infos: dict[str, AgentInfo] = {}
        skipped: dict[str, str] = {}
        for spec in self._specs:
            try:
                make = spec.maker(dataset, self._models)
                self._infos[spec.name] = _info(spec.name, make())
                self._makers[spec.name] = make
            except InputError as error:
                if not spec.optional:
                    raise
                skipped[spec.name] = str(error)
        self._specs = [spec for spec in self._specs if spec.name in self._makers]
        settings = RunSettings(
            data=DataInfo(dataset.name, dataset.hash, dataset.source, dataset.locale, tuple(sorted(dataset.imputed))),
            split=self._split,
            sessions=len(self.sessions),
            sessions_hash=hashlib.sha256("\n".join(self.sessions).encode()).hexdigest(),
            repetitions=self._repetitions,
            seed=self._seed,
            feed=feed,
            environment={"layout": layout.VERSION, **environment},
        )
        return kind.start(out, settings, self._infos, skipped)

    def play(
        self,
        results: Folder,
        score: Callable[[str, Rollout, float], Any],
        progress: Progress | None = None,
        spent: Spent | None = None,
        shown: Collection[str] = (),
    ) -> Folder:
        """Plays what the folder does not have yet.

        Args:
            results: The folder.
            score: Of an agent's name, a rollout, and its share of the time.
            progress: Called after each rollout.
            spent: Called after each batch of answers.
            shown: Sessions whose first rollout by each agent is recorded.
        """
        keys = [(session_id, repetition) for session_id in self.sessions for repetition in range(self._repetitions)]
        missing = {spec.name: [key for key in keys if not results.is_done(spec.name, *key)] for spec in self._specs}
        total, left = len(self._specs) * len(keys), sum(map(len, missing.values()))
        clock = _Clock()

        def keep(name: str, rollout: Rollout) -> None:
            nonlocal left
            if rollout.end is not None:
                write_recording(rollout, results.path / RECORDINGS, {**self._infos[name].settings, "label": name})
            results.append(score(name, rollout, clock.lap()))
            left -= 1
            if progress is not None:
                progress(total - left, total)

        for spec in self._specs:
            persona = None if spec.persona is None else spec.persona.text(self.dataset.locale)
            tasks = [replace(_task(*key, self._seed), persona=persona) for key in missing[spec.name]]
            to_record = [task for task in tasks if task.session_id in shown and task.member == 0]
            screens = {} if spec.size is None else {"size": spec.size}
            clock.lap()
            try:
                for recorded, batch in ((True, to_record), (False, [task for task in tasks if task not in to_record])):
                    collect(
                        batch,
                        partial(self._make_env, pixels=recorded or spec.sees, **screens),
                        self._makers[spec.name],
                        lanes=self._lanes,
                        on_done=partial(keep, spec.name),
                        on_answers=spent,
                        keep=False,
                        record=recorded,
                    )
            except InputError as error:
                # For example a prompt that is longer than the model can take.
                if not spec.optional:
                    raise
                results.skip(spec.name, str(error))
                continue
            results.finish(spec.name)
        return results

    def _make_env(self, **further: Any) -> gym.Env[Any, Any]:
        name, arguments = self._env
        # By path, so that the environment's spec, which recordings keep, is plain values.
        data = str(self.dataset.path)
        return gym.make(name, disable_env_checker=True, **{"data": data, **further, **arguments})


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
