"""RecVerse: a vision-language model with three tiers of memory [paper 2608.20707] (SPEC 5).

Faithful: one answer a step holds the thought, the action and the memory writes; the working memory's records are
(screen, thought, action); what is written into episodic and preference memory is the policy's choice.
Ours: the prompt's words, the wire format, K and all bounds, the feedback after an answer that could not be done.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shopsim.agents.backend import Backend, Image, Prompt, Sampling
from shopsim.agents.base import ModelAgent
from shopsim.agents.prompt import PromptBuilder, TextScreen, settings_hash
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.envs.decision import Decision
from shopsim.envs.replay_env import HumanAction
from shopsim.memory import ThreeTierMemory


class RecVerseAgent(ModelAgent):
    """The agent of this project.

    In a teacher-forced environment (its infos carry ``human_action``) memory records what the person did in place of
    what the agent answered, since that is where the session goes on; thoughts and memory writes stay the agent's.

    Args:
        backend: The model.
        sampling: How answers are drawn.
        builder: How prompts are built.
        memory: Its bounds and switches; cleared at each reset.
        name: What results call it.
    """

    def __init__(
        self,
        backend: Backend,
        sampling: Sampling | None = None,
        builder: PromptBuilder | None = None,
        memory: ThreeTierMemory | None = None,
        name: str = "recverse",
    ) -> None:
        super().__init__(backend, sampling or Sampling(), name)
        self.builder = builder or PromptBuilder()
        self.memory = memory or ThreeTierMemory()

    @classmethod
    def tiny(
        cls,
        backend: Backend,
        sampling: Sampling | None = None,
        *,
        mind: bool = False,
        episodic: bool = False,
        preference: bool = True,
        name: str = "recverse-tiny",
    ) -> "RecVerseAgent":
        """For models of a million weights: short prompts, one past screen, short answers.

        Args:
            backend: The model.
            sampling: How answers are drawn.
            mind: Whether answers hold a thought, which makes them several times as long.
            episodic: Whether there is episodic memory.
            preference: Whether there is preference memory.
            name: What results call it.
        """
        memory = ThreeTierMemory(
            window=1,
            max_mind=12,
            max_event=12,
            episodic_budget=24,
            max_statements=2,
            max_tokens=8,
            use_episodic=episodic,
            use_preference=preference,
        )
        return cls(backend, sampling or Sampling(max_tokens=48), PromptBuilder.compact(mind=mind), memory, name)

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        super().reset(info, seed)
        self.memory.clear()
        self._decided: Decision | None = None

    def prompt(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Prompt:
        """See `ModelAgent.prompt`."""
        failure, invalid = None, info["invalid"]
        if self._decided is not None:
            failure = self._decided.failure
            # What was decided enters memory only now, since only now it is known what came of it.
            if "human_action" in info:
                self._decided = _as_person(self._decided, info["human_action"])
                failure = None
            self.memory.remember(self._screen, self._decided)
        self._screen: Image | TextScreen
        if self.builder.view == "text":
            self._screen = TextScreen(info["text"])
        else:
            self._screen = Image.of(observation["screenshot"])
        return self.builder.build(self._start, self.memory.recall(), self._screen, self.memory.steps, failure, invalid)

    def take(self, decision: Decision) -> None:
        """See `ModelAgent.take`."""
        self._decided = decision

    def express(self, decision: Decision) -> Decision:
        """See `ModelAgent.express`: no thought where none is asked for, and of the rest what memory would keep."""
        return self.memory.fitting(decision if self.builder.mind else replace(decision, mind=""))

    def snapshot(self) -> dict[str, Any]:
        """See `ModelAgent.snapshot`."""
        return self.memory.snapshot()

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`; `prompt_hash` is the hash of all that decides what prompts look like."""
        prompt = {"prompt": self.builder.settings(), "memory": self.memory.settings()}
        return super().settings() | prompt | {"prompt_hash": settings_hash(prompt)}


def _as_person(decision: Decision, human: HumanAction) -> Decision:
    """The decision with the person's action in place of its own."""
    return replace(decision, action=ACTION_BY_LABEL[human.label], point=human.point, failure=None)
