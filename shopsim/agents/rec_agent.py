"""RecAgent, YuLan-Rec [paper 2306.02552; TOIS] (SPEC 5).

Faithful: what is observed is noted with an importance of 1 to 10 (sensory memory); notes enter a short-term memory,
where one that is met again is strengthened; notes leave it for a long-term memory when strengthened enough or when
they matter, and there alike notes are merged and unimportant old ones are forgotten; long-term notes are recalled by
likeness to the page, importance (weight 0.9) and recency. Text only.
Not faithful: one answer a step holds note, importance and action, where the paper asks the model for each; notes are
alike by their words, not by embeddings; no searching, no social media, no other agents; the eight actions in place of
BUY, NEXT, SEARCH and LEAVE; the words of the prompt and all bounds are ours.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from shopsim.agents.backend import Prompt
from shopsim.agents.likeness import text_likeness
from shopsim.agents.prompted import Did, PromptedAgent, grade, plain
from shopsim.envs.decision import Decision

SHORT, LONG = 4, 40
"""Most notes in short-term and in long-term memory."""
RECALLED = 4
"""Most long-term notes in a prompt."""
MATTERS = 6
"""Least importance at which a note is kept for long when it leaves short-term memory."""
ALIKE = 0.6
"""Likeness from which two notes are one."""
HALF_LIFE = 10.0
"""Steps after which a memory counts half as recent."""


@dataclass(slots=True)
class Note:
    """Something observed."""

    text: str
    importance: int
    """1-10."""
    step: int
    """When it was last met."""
    met: int = 1


class RecAgent(PromptedAgent):
    """Sensory, short-term and long-term memory over text pages. Templates may use ``short``, ``long``, ``did``."""

    label = "rec-agent"
    style = "rec-agent"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "use_working": False}
    answer: ClassVar[tuple[str, ...]] = ("mind", "note", "importance", "action")

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        super().reset(info, seed)
        self._sensed: tuple[str, int] = ("", 0)
        self.short: list[Note] = []
        self.long: list[Note] = []

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        page = self._info["text"]
        best = sorted(self.long, key=lambda note: -self._pull(note, page))[:RECALLED]
        return {
            "short": [note.text for note in self.short],
            "long": [note.text for note in sorted(best, key=lambda note: note.step)],
            "did": tuple(self.did)[-3:],
        }

    def read(self, decision: Decision, answer: Mapping[str, Any]) -> Decision | Prompt:
        """See `PromptedAgent.read`."""
        note = self.shorten(plain(answer.get("note")), self.memory.max_event)
        self._sensed = note, grade(answer.get("importance"), 1, 10, 5)
        return decision

    def learn(self, did: Did, info: Mapping[str, Any]) -> None:
        """See `PromptedAgent.learn`: what was sensed enters short-term memory, what leaves that may stay for long."""
        (text, importance), self._sensed = self._sensed, ("", 0)
        if text:
            self._meet(self.short, Note(text, importance, did.step))
        for note in [note for note in self.short if note.met >= 3]:
            self.short.remove(note)
            self._meet(self.long, note)
        while len(self.short) > SHORT:
            note = self.short.pop(0)
            if note.importance >= MATTERS:
                self._meet(self.long, note)
        while len(self.long) > LONG:
            self.long.remove(min(self.long, key=lambda note: self._pull(note, "")))

    def snapshot(self) -> dict[str, Any]:
        """See `ModelAgent.snapshot`."""
        return super().snapshot() | {
            "short": [asdict(note) for note in self.short],
            "long": [asdict(note) for note in self.long],
        }

    def _pull(self, note: Note, page: str) -> float:
        age = self.memory.steps - note.step
        recency = math.exp(-math.log(2) * age / HALF_LIFE)
        return text_likeness(note.text, page) + 0.9 * note.importance / 10 + recency

    @staticmethod
    def _meet(notes: list[Note], new: Note) -> None:
        """Adds a note, or strengthens the one that says the same."""
        same = next((note for note in notes if text_likeness(note.text, new.text) >= ALIKE), None)
        if same is None:
            notes.append(new)
            return
        same.met, same.step = same.met + new.met, new.step
        same.importance = max(same.importance, new.importance)
