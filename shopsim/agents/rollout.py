"""The one collector of rollouts: evaluation and training play sessions through it and nothing else. Ours.

Several environments ("lanes") advance in lockstep, so that a model answers many prompts at once. What a rollout is
depends on its task alone, never on the number of lanes or on which lane played it (up to rounding in the last digits
of the model's arithmetic, which batches of another shape may change).
"""

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import fsum
from time import perf_counter
from typing import Any, Literal

from gymnasium.envs.registration import EnvSpec

from shopsim.agents.backend import Backend, Completion, Image, Prompt, Sampling
from shopsim.agents.base import Agent, ModelAgent
from shopsim.agents.workers import Env, RemoteEnv, Told, Workers, tell
from shopsim.envs.decision import Decision
from shopsim.envs.reward import RewardParts
from shopsim.envs.trajectory import Event, Trajectory
from shopsim.errors import EnvironmentFault, InputError


@dataclass(frozen=True, slots=True)
class Task:
    """One session to be played."""

    session_id: str | None = None
    """None lets the environment draw one from the seed."""
    env_seed: int = 0
    """Of the environment; members of a group share it, so that they start from the same state."""
    sampling_seed: int = 0
    """Of the agent; distinct for each member of a group."""
    group: int = 0
    member: int = 0
    persona: str | None = None
    """Text in place of the user's own persona."""

    @property
    def options(self) -> dict[str, Any]:
        """Options of the environment's `reset`."""
        wanted = {"session_id": self.session_id, "persona": self.persona}
        return {name: value for name, value in wanted.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Fault:
    """What failed, when it was not the agent. Such a rollout has no score."""

    kind: Literal["make", "reset", "step", "model"]
    """Making the environment, its reset, its step, or the model's server."""
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question within a step and its answer, before the one that decided."""

    prompt: Prompt
    completion: Completion


@dataclass(frozen=True, slots=True)
class StepSample:
    """One step of a rollout: what the agent saw and decided, and what it got for it."""

    step: int
    decision: Decision
    prompt: Prompt | None
    """The one whose answer decided; None for agents without a model."""
    completion: Completion | None
    reward: float
    terminated: bool
    truncated: bool
    screen: Image | None = None
    """The screen decided on. This and what follows only where `collect` was asked to `record`."""
    observation_hash: str = ""
    """Of the observation decided on."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What else it held: ``page``, ``cart``, ``step``."""
    memory: dict[str, Any] | None = None
    """The agent's memory behind the prompt."""
    memory_after: dict[str, Any] | None = None
    """The agent's memory when it knew what came of the decision."""
    before: tuple[Exchange, ...] = ()
    """What an agent that asks more than once a step asked before."""
    seconds: float = field(default=0.0, compare=False)
    """From asking to the answer, of the whole batch this step was in; of all its questions."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One session as an agent played it."""

    task: Task
    trajectory: Trajectory | None
    """What happened; None where the environment never began or its process died. Teacher forced, the person's."""
    answers: tuple[Event, ...]
    """What each answer did, or (teacher forced) would have done."""
    samples: tuple[StepSample, ...]
    """The steps; empty where `collect` was told not to keep them."""
    reward: RewardParts | None
    """Parts of the trajectory reward; None where the environment pays another reward, or none."""
    total: float
    """Sum of the rewards of all steps."""
    fault: Fault | None
    calls: int = 0
    """Answers asked of the model, the cost beside prompt and answer tokens."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    end: "End | None" = None
    """What a recording needs besides the samples."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What the agent decided at each step."""
        return tuple(sample.decision for sample in self.samples)


@dataclass(frozen=True, slots=True)
class End:
    """The end of a recorded rollout, and where it was played."""

    screen: Image | None
    """The screen after the last action."""
    observation_hash: str
    counts: Mapping[str, int]
    session_id: str
    seed: int
    """The environment's own (``info["seed"]``)."""
    spec: EnvSpec | None
    """How the environment was made; None where it was not made by `gymnasium.make`."""
    data_path: str
    data_hash: str


def collect(
    tasks: Sequence[Task],
    make_env: Callable[[], Env],
    make_agent: Callable[[], Agent],
    *,
    lanes: int = 8,
    workers: int = 0,
    on_done: Callable[[Rollout], None] | None = None,
    on_answers: Callable[[int], None] | None = None,
    keep: bool = True,
    record: bool = False,
) -> list[Rollout]:
    """Plays all tasks.

    Args:
        tasks: What to play.
        make_env: Makes one environment, `ShopSim-v0` or `ShopSimReplay-v0`; called once for each lane, and again
            after a fault. Wrappers must leave the core's action space.
        make_agent: Makes one agent; called once for each lane. Agents may share a model.
        lanes: Sessions played at the same time, and so the largest number of prompts answered together.
        workers: Processes that play the environments, for slow ones; `make_env` must then be picklable. 0 plays them
            in this process. The rollouts are the same; where a process dies, those it was playing end in a fault.
        on_done: Called with each rollout as it ends, in no particular order.
        on_answers: Called after each batch of answers with the number of their tokens, prompts included.
        keep: False drops the samples of a rollout after `on_done`, so that memory does not grow with the tasks.
        record: Keeps screens, hashes and memory contents too, for `shopsim.agents.record`.

    Returns:
        The rollouts in the order of the tasks. One whose environment or server failed has a `Fault`; any other
        exception is passed on.
    """
    done: dict[int, Rollout] = {}
    waiting = deque(enumerate(tasks))
    fleet_size = min(lanes, len(tasks))
    pool = Workers(make_env, min(workers, fleet_size)) if workers and tasks else None
    fleet = [_Lane(pool.make_env if pool else make_env, make_agent(), record) for _ in range(fleet_size)]
    try:
        while True:
            for lane in fleet:
                while lane.position is None and waiting:
                    lane.begin(*waiting.popleft())
                    _hand_in(lane, done, on_done, keep)
            active = [lane for lane in fleet if lane.position is not None]
            if not active:
                break
            _decide(active, on_answers)
            for lane in active:
                lane.begin_step()
            for lane in active:
                lane.advance()
                _hand_in(lane, done, on_done, keep)
    finally:
        for lane in fleet:
            lane.close()
        if pool is not None:
            pool.close()
    return [done[i] for i in range(len(tasks))]


def observation_hash(observation: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    """Hash of all an observation holds; of the text view where it holds no pixels. 32 hexadecimal digits."""
    shown = observation.get("screenshot")
    seen = info["text"] if shown is None else Image.of(shown).id
    return hashlib.blake2b(repr((seen, [*counts_of(observation).values()])).encode(), digest_size=16).hexdigest()


def counts_of(observation: Mapping[str, Any]) -> dict[str, int]:
    """The numbers an observation holds beside its screenshot."""
    return {name: int(observation[name]) for name in ("page", "cart", "step")}


def _decide(lanes: Sequence["_Lane"], on_answers: Callable[[int], None] | None) -> None:
    """Lets every lane's agent decide, with one call for all prompts to the same model as long as any has a question."""
    for lane in lanes:
        lane.consider()
    while asking := [lane for lane in lanes if lane.asks]:
        groups: dict[tuple[int, Sampling], list[_Lane]] = {}
        for lane in asking:
            agent = lane.model_agent
            groups.setdefault((id(agent.backend), agent.sampling), []).append(lane)
        for (_, sampling), group in groups.items():
            backend: Backend = group[0].model_agent.backend
            prompts = [lane.prompt for lane in group if lane.prompt is not None]
            started = perf_counter()
            try:
                completions = backend.generate(prompts, [lane.model_agent.step_seed for lane in group], sampling)
            except EnvironmentFault as error:
                for lane in group:
                    lane.fault = Fault("model", str(error))
                continue
            seconds = perf_counter() - started
            for lane, completion in zip(group, completions, strict=True):
                lane.answered(completion, seconds)
            if on_answers is not None:
                on_answers(sum(completion.prompt_tokens + completion.answer_tokens for completion in completions))


def _hand_in(lane: "_Lane", done: dict[int, Rollout], on_done: Callable[[Rollout], None] | None, keep: bool) -> None:
    """Takes a finished rollout out of its lane."""
    if lane.position is None or not (lane.over or lane.fault):
        return
    rollout = lane.rollout()
    if on_done is not None:
        on_done(rollout)
    done[lane.position] = rollout if keep else replace(rollout, samples=())
    lane.position = None


class _Lane:
    """One environment and one agent, and the session they are in."""

    def __init__(self, make_env: Callable[[], Env], agent: Agent, record: bool) -> None:
        self._make_env = make_env
        self._env: Env | None = None
        self._broken = False
        self._record = record
        self.agent = agent
        self.position: int | None = None
        """Place of the task being played; None while idle."""

    def _forget_step(self) -> None:
        self.prompt: Prompt | None = None
        """The question that waits, or the one whose answer decided."""
        self.completion: Completion | None = None
        """The answer that decided."""
        self.decision: Decision | None = None
        self._before: list[Exchange] = []
        self._seconds = 0.0

    def begin(self, position: int, task: Task) -> None:
        """Starts a task; `fault` is set where that fails."""
        if self._broken:
            self.close()
        self.position, self.task = position, task
        self._forget_step()
        self.fault: Fault | None = None
        self.over = False
        self._samples: list[StepSample] = []
        self._reward: RewardParts | None = None
        self._begun = False
        kind: Literal["make", "reset"] = "make"
        try:
            if self._env is None:
                self._env = self._make_env()
            kind = "reset"
            self.observation, self.info = self._env.reset(seed=task.env_seed, options=task.options)
        except EnvironmentFault as error:
            self._fail(kind, error)
            return
        self._begun = True
        self._start = self.info
        self.agent.reset(self.info, task.sampling_seed)

    @property
    def model_agent(self) -> ModelAgent:
        """The agent, where it has a model."""
        assert isinstance(self.agent, ModelAgent)
        return self.agent

    @property
    def asks(self) -> bool:
        """Whether a prompt waits for its answer."""
        return self.prompt is not None and self.completion is None and self.fault is None

    def consider(self) -> None:
        """Makes the next prompt, or has an agent without a model decide."""
        self._forget_step()
        if isinstance(self.agent, ModelAgent):
            self.prompt = self.agent.prompt(self.observation, self.info)
        else:
            decision = self.agent.act(self.observation, self.info)
            if not isinstance(decision, Decision):
                right = "`act` must return a shopsim.envs.decision.Decision"
                raise InputError(f"agent {self.agent.name!r} answered {decision!r}; {right}")
            self.decision = decision

    def answered(self, completion: Completion, seconds: float) -> None:
        """Takes in the answer to the prompt: the decision, or the step's next prompt."""
        assert self.prompt is not None
        self._seconds += seconds
        weighed = self.model_agent.receive(completion)
        if isinstance(weighed, Prompt):
            self._before.append(Exchange(self.prompt, completion))
            self.prompt = weighed
        else:
            self.completion, self.decision = completion, weighed

    def begin_step(self) -> None:
        """Has a process of its own start on what was decided."""
        if isinstance(self._env, RemoteEnv) and not self.fault:
            assert self.decision is not None
            self._env.begin_step(self.decision.env_action())

    def advance(self) -> None:
        """Does what was decided, and keeps the step."""
        if self.fault:
            return
        assert self._env is not None
        assert self.decision is not None
        seen = self._seen()
        try:
            observation, reward, terminated, truncated, info = self._env.step(self.decision.env_action())
        except EnvironmentFault as error:
            self._fail("step", error)
            return
        after: dict[str, Any] | None = None
        if isinstance(self.agent, ModelAgent):
            self.agent.settle(info)
            after = self.agent.snapshot() if self._record else None
        self._samples.append(
            StepSample(
                len(self._samples),
                self.decision,
                self.prompt,
                self.completion,
                float(reward),
                bool(terminated),
                bool(truncated),
                memory_after=after,
                before=tuple(self._before),
                seconds=self._seconds,
                **seen,
            )
        )
        self.observation, self.info = observation, info
        self.over = bool(terminated or truncated)
        if self.over and isinstance(info.get("reward_parts"), RewardParts):
            self._reward = info["reward_parts"]

    def rollout(self) -> Rollout:
        """What became of the task."""
        told: Told | None = None
        if self._env is not None and self._begun:
            with suppress(EnvironmentFault):  # its process is dead, and was found so
                told = tell(self._env)
        completions = [exchange.completion for sample in self._samples for exchange in sample.before]
        completions += [sample.completion for sample in self._samples if sample.completion is not None]
        return Rollout(
            task=self.task,
            trajectory=told.trajectory if told else None,
            answers=told.answers if told else (),
            samples=tuple(self._samples),
            reward=self._reward,
            total=fsum(sample.reward for sample in self._samples),
            fault=self.fault,
            calls=len(completions),
            prompt_tokens=sum(completion.prompt_tokens for completion in completions),
            answer_tokens=sum(completion.answer_tokens for completion in completions),
            end=self._end(told) if self._record and told is not None and self.fault is None else None,
        )

    def close(self) -> None:
        """Closes the environment."""
        if self._env is not None:
            # What is broken may break once more.
            with suppress(EnvironmentFault):
                self._env.close()
        self._env, self._broken = None, False

    def _seen(self) -> dict[str, Any]:
        if not self._record:
            return {}
        screen = self.observation.get("screenshot")
        return {
            "screen": None if screen is None else Image.of(screen),
            "observation_hash": observation_hash(self.observation, self.info),
            "counts": counts_of(self.observation),
            "memory": self.agent.snapshot() if isinstance(self.agent, ModelAgent) else None,
        }

    def _end(self, told: Told) -> End:
        seen = self._seen()
        return End(
            seen["screen"],
            seen["observation_hash"],
            seen["counts"],
            self._start["session_id"],
            self._start["seed"],
            told.spec,
            told.data_path,
            told.data_hash,
        )

    def _fail(self, kind: Literal["make", "reset", "step"], error: EnvironmentFault) -> None:
        """Notes a fault; the next task gets a new environment."""
        self.fault = Fault(kind, str(error))
        self._broken = True
