"""Agent4Rec [paper 2310.10108; SIGIR 2024] (SPEC 5).

Faithful: traits of activity, conformity and diversity in three bands, told as sentences; a factual and an emotional
memory; page by page the agent says how much fits its taste, acts, and tells its feeling and satisfaction; tiredness is
text in the prompt (a bit tired after the second page, very tired after the fourth), leaving the model's own choice.
Not faithful: activity is cut at fixed lengths of the click history, not at the population's 60th and 90th percentile;
diversity is how much the words of the history's titles differ; conformity, for which logs without ratings say nothing,
is drawn for each session; taste is the history itself, not a summary of it; no exit interview; the eight actions in
place of watching so many, NEXT and EXIT; the words of the prompt are ours.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from shopsim.agents.backend import Prompt
from shopsim.agents.base import session_rng
from shopsim.agents.likeness import words
from shopsim.agents.prompted import Did, PromptedAgent, grade, plain
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.decision import Decision

Band = Literal["low", "medium", "high"]

ACTIVITY = (40, 200)
"""Clicks in the history from which activity is medium, and high."""
DIVERSITY = (0.35, 0.6)
"""Share of the words of the history's titles that are new, from which diversity is medium, and high."""
TIRED = (2, 4)
"""Pages of the feed after which the agent is a bit tired, and very tired."""
FELT = 4
"""Feelings in a prompt."""


class Traits(NamedTuple):
    """How a person shops."""

    activity: Band
    conformity: Band
    diversity: Band


class Agent4Rec(PromptedAgent):
    """Traits, factual and emotional memory over text pages.

    Templates may use ``traits``, ``did``, ``feelings``, ``pages`` (of the feed, seen) and ``tired`` (0, 1, 2).
    """

    label = "agent4rec"
    style = "agent4rec"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "use_working": False}
    answer: ClassVar[tuple[str, ...]] = ("fits", "mind", "action", "feeling", "satisfaction")

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        super().reset(info, seed)
        self.traits = traits_of(info, seed)
        self.satisfaction: list[int] = []
        """After each step, 1-10."""
        self._feelings: deque[str] = deque(maxlen=FELT)
        self._felt: tuple[str, int | None] = ("", None)
        self._pages = 1

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        return {
            "traits": self.traits,
            "did": tuple(self.did),
            "feelings": list(self._feelings),
            "pages": self._pages,
            "tired": sum(self._pages > limit for limit in TIRED),
        }

    def read(self, decision: Decision, answer: Mapping[str, Any]) -> Decision | Prompt:
        """See `PromptedAgent.read`."""
        feeling = self.shorten(plain(answer.get("feeling")), self.memory.max_event)
        told = "satisfaction" in answer
        self._felt = feeling, grade(answer["satisfaction"], 1, 10, 5) if told else None
        return decision

    def learn(self, did: Did, info: Mapping[str, Any]) -> None:
        """See `PromptedAgent.learn`."""
        (feeling, satisfaction), self._felt = self._felt, ("", None)
        if feeling:
            self._feelings.append(feeling)
        if satisfaction is not None:
            self.satisfaction.append(satisfaction)
        if info["effect"] == Action.SCROLL_DOWN.label and did.page == Page.FEED.label:
            self._pages += 1

    def snapshot(self) -> dict[str, Any]:
        """See `ModelAgent.snapshot`."""
        return super().snapshot() | {
            "traits": self.traits._asdict(),
            "feelings": list(self._feelings),
            "satisfaction": list(self.satisfaction),
            "pages": self._pages,
        }


def traits_of(info: Mapping[str, Any], seed: int = 0) -> Traits:
    """The traits of the person of a session, from the history and the session's chance."""
    titles = [words(item.title) for item in info["clicks"]]
    told = sum(map(len, titles))
    different = len(set().union(*titles)) / told if told else DIVERSITY[0]
    bands: tuple[Band, Band, Band] = ("low", "medium", "high")
    return Traits(
        bands[sum(len(info["clicks"]) >= cut for cut in ACTIVITY)],
        bands[int(session_rng(info, seed, 4).integers(3))],
        bands[sum(different >= cut for cut in DIVERSITY)],
    )
