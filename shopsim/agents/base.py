"""What an agent is, and what all agents with a model behind them share (SPEC 5)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol
from zlib import crc32

import numpy as np

from shopsim.agents.backend import Backend, Completion, Prompt, Sampling
from shopsim.envs.decision import Decision, parse


class Agent(Protocol):
    """A shopper. One object plays one session at a time, and any number of them after each other."""

    @property
    def name(self) -> str:
        """What results call it."""

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """A session begins; nothing of the one before may remain.

        Args:
            info: What the environment's `reset` returned.
            seed: Of this session's chance. The same info and seed give the same behaviour.
        """

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """Decides what to do on the current screen."""

    def settings(self) -> dict[str, Any]:
        """What a result must name, as plain JSON values."""


def session_rng(info: Mapping[str, Any], seed: int, *more: int) -> np.random.Generator:
    """The random stream of one session (and, with `more`, of a part of it), the same wherever it is played."""
    return np.random.default_rng([seed, crc32(info["session_id"].encode()), *more])


class ModelAgent(ABC):
    """An agent that asks a model at each step. Subclasses say what it is asked and what is remembered.

    `act` does a whole step. Whoever drives many agents calls `prompt`, has the prompts answered together, with
    `step_seed` as each answer's seed, and gives each agent its completion by `receive`; that returns the decision, or
    a further prompt of the same step, to be answered in the same way. After the environment's step comes `settle`.

    Args:
        backend: The model.
        sampling: How answers are drawn.
        name: What results call the agent.
    """

    def __init__(self, backend: Backend, sampling: Sampling, name: str) -> None:
        self.backend = backend
        self.sampling = sampling
        self.name = name

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        self._start = dict(info)
        self._seed = seed
        self._step = 0
        self._call = 0

    @abstractmethod
    def prompt(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Prompt:
        """What the model is asked first about the current screen."""

    @abstractmethod
    def take(self, decision: Decision) -> None:
        """Takes over the decision on the last prompt's screen, whoever made it (a model, or a recorded person)."""

    def settle(self, info: Mapping[str, Any]) -> None:  # noqa: B027 (an agent without memory has nothing to learn)
        """Learns what came of the last decision: the info after the environment's step.

        `prompt` sees to it where nobody called this.
        """

    def weigh(self, completion: Completion) -> Decision | Prompt:
        """What an answer comes to: a decision, or the next question of the same step. Never raises."""
        return parse(completion.text, completion.truncated)

    def express(self, decision: Decision) -> Decision:
        """What of a person's decision an answer of this agent can hold; all of it, unless a subclass asks for less."""
        return decision

    def snapshot(self) -> dict[str, Any] | None:
        """The memory as plain JSON values; None for an agent without memory."""
        return None

    @property
    def step_seed(self) -> int:
        """Seed of the next answer."""
        call = (self._call,) if self._call else ()
        return int(session_rng(self._start, self._seed, self._step, *call).integers(2**63))

    def receive(self, completion: Completion) -> Decision | Prompt:
        """Takes in the answer to the last prompt."""
        weighed = self.weigh(completion)
        if isinstance(weighed, Prompt):
            self._call += 1
            return weighed
        self.take(weighed)
        self._step, self._call = self._step + 1, 0
        return weighed

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        asked: Decision | Prompt = self.prompt(observation, info)
        while isinstance(asked, Prompt):
            asked = self.receive(self.backend.generate([asked], [self.step_seed], self.sampling)[0])
        return asked

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        sampling = {name: getattr(self.sampling, name) for name in ("temperature", "max_tokens", "top_p")}
        return {"name": self.name, "backend": self.backend.settings(), "sampling": sampling}
