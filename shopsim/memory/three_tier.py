"""The three tiers behind one interface (SPEC 5).

What each tier holds is RecVerse's [paper 2608.20707]; the bounds, the retrieval rule and the counters are ours.

Working
    The last K records (screen, mind, action), first in, first out.
Episodic
    A set of text events, each with the number of the step that wrote it last: what is written again in the same words
    is one event. All are kept. A prompt gets the newest ones whose lengths together stay within a budget, oldest
    first; one event never takes more than its own limit, nor more than the budget.
Preference
    A small set of statements, replaced as a whole: the first M distinct lines of what was written, each at most N
    tokens long.

A tier that is switched off holds nothing, and `recall` says None for it, so that a prompt can leave out its
block; writes to it are counted and dropped.
"""

import re
from collections import deque
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeVar

from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision
from shopsim.memory.budget import CountTokens, count_words, shorten

T = TypeVar("T")


class Screen(Protocol):
    """What memory must know of a screen: a name that is the same for the same content."""

    @property
    def id(self) -> str:
        """Content hash."""


class Record(NamedTuple):
    """One entry of working memory: the screen, the thought, what was done."""

    step: int
    screen: Screen
    mind: str
    action: Action | None
    """None where the answer could not be read."""
    point: tuple[float, float] | None


class Event(NamedTuple):
    """One entry of episodic memory and the step that wrote it."""

    step: int
    text: str


class Recall(NamedTuple):
    """What a prompt is given. None stands for a tier that is switched off, empty for one that holds nothing."""

    working: tuple[Record, ...] | None
    episodic: tuple[Event, ...] | None
    preference: tuple[str, ...] | None


@dataclass(slots=True)
class Counters:
    """What happened to one tier in this session."""

    reads: int = 0
    """Times a prompt asked for it."""
    injected: int = 0
    """Entries put into prompts, summed over prompts."""
    written: int = 0
    """Writes (for preference: times the set was replaced)."""
    trimmed: int = 0
    """Writes that had to be shortened, and prompts that some events did not fit into."""
    dropped: int = 0
    """Writes to this tier while it was switched off."""


@dataclass
class ThreeTierMemory:
    """One session's memory. Make one, or `clear` it, for each session."""

    window: int = 2
    """K, records in working memory. 0 keeps none."""
    max_mind: int = 48
    """Most tokens of a thought in a record."""
    max_event: int = 32
    """Most tokens of one episodic event."""
    episodic_budget: int = 192
    """Most tokens of all episodic events in one prompt; what is beyond stays stored and is not told."""
    max_statements: int = 8
    """M, statements in preference memory."""
    max_tokens: int = 24
    """N, most tokens of one statement."""
    use_working: bool = True
    use_episodic: bool = True
    use_preference: bool = True
    count_tokens: CountTokens = field(default=count_words, repr=False)
    """How lengths are counted; words by default (`shopsim.memory.budget`)."""

    steps: int = field(init=False, repr=False)
    """Steps remembered: the number of the step that comes next."""
    working: deque[Record] = field(init=False, repr=False)
    preference: tuple[str, ...] = field(init=False, repr=False)
    trimmed: tuple[str, ...] = field(init=False, repr=False)
    """What the last `remember` had to shorten: names out of mind, episodic, preference."""
    counters: dict[str, Counters] = field(init=False, repr=False)
    """By tier: working, episodic, preference."""
    _events: dict[str, int] = field(init=False, repr=False)
    """The step that wrote each event last, oldest first."""

    def __post_init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything, as at the start of a session."""
        self.steps = 0
        self.working = deque(maxlen=self.window)
        self._events = {}
        self.preference = ()
        self.trimmed = ()
        self.counters = {name: Counters() for name in ("working", "episodic", "preference")}

    @property
    def episodic(self) -> tuple[Event, ...]:
        """All events, oldest first."""
        return tuple(Event(step, text) for text, step in self._events.items())

    def remember(self, screen: Screen, decision: Decision) -> None:
        """Takes in one step: the screen it was taken on and what the agent decided, memory writes included."""
        self.trimmed = ()
        if self._writes("working", self.use_working):
            mind = self._note("working", "mind", self._mind(decision.mind))
            self.working.append(Record(self.steps, screen, mind, decision.action, decision.point))
        if _one_line(decision.episodic or "") and self._writes("episodic", self.use_episodic):
            text = self._note("episodic", "episodic", self._event(decision.episodic or ""))
            if text:  # nothing is left of a word that is longer than the limit
                self._events.pop(text, None)
                self._events[text] = self.steps
        if decision.preference is not None and self._writes("preference", self.use_preference):
            self.preference = self._note("preference", "preference", self._statements(decision.preference))
        self.steps += 1

    def fitting(self, decision: Decision) -> Decision:
        """The decision with its thought and writes as memory would keep them: what is worth learning to say.

        A preference that would leave the statements as they are becomes None.
        """
        preference = None
        if decision.preference is not None:
            statements, _ = self._statements(decision.preference)
            preference = None if statements == self.preference else "\n".join(statements)
        return replace(
            decision,
            mind=self._mind(decision.mind)[0],
            episodic=(self._event(decision.episodic or "")[0] or None) if self.use_episodic else None,
            preference=preference if self.use_preference else None,
        )

    def recall(self) -> Recall:
        """What the next prompt shall contain. Counts as one read of each tier that is on."""
        return Recall(
            self._read("working", self.working) if self.use_working else None,
            self._read("episodic", self._recent_events()) if self.use_episodic else None,
            self._read("preference", self.preference) if self.use_preference else None,
        )

    def snapshot(self) -> dict[str, Any]:
        """The whole content and the counters as plain JSON values; screens by their id."""
        return {
            "steps": self.steps,
            "working": [
                {
                    "step": record.step,
                    "screen": record.screen.id,
                    "mind": record.mind,
                    "action": None if record.action is None else record.action.label,
                    "point": None if record.point is None else list(record.point),
                }
                for record in self.working
            ],
            "episodic": [{"step": event.step, "text": event.text} for event in self.episodic],
            "preference": list(self.preference),
            "trimmed": list(self.trimmed),
            "counters": {name: asdict(counters) for name, counters in self.counters.items()},
        }

    def settings(self) -> dict[str, Any]:
        """The bounds and switches, as plain JSON values: what a result must name."""
        names = ("window", "max_mind", "max_event", "episodic_budget", "max_statements", "max_tokens")
        switches = ("use_working", "use_episodic", "use_preference")
        return {name: getattr(self, name) for name in names + switches}

    # Inner workings

    def _writes(self, tier: str, on: bool) -> bool:
        if on:
            self.counters[tier].written += 1
        else:
            self.counters[tier].dropped += 1
        return on

    def _note(self, tier: str, name: str, fitted: tuple[T, bool]) -> T:
        value, cut = fitted
        if cut:
            self.counters[tier].trimmed += 1
            self.trimmed = (*self.trimmed, name)
        return value

    def _mind(self, text: str) -> tuple[str, bool]:
        return shorten(_one_line(text), self.max_mind, self.count_tokens)

    def _event(self, text: str) -> tuple[str, bool]:
        return shorten(_one_line(text), min(self.max_event, self.episodic_budget), self.count_tokens)

    def _statements(self, text: str) -> tuple[tuple[str, ...], bool]:
        lines = (_BULLET.sub("", line).strip() for line in re.split(r"[\r\n]+", text))
        statements = list(dict.fromkeys(line for line in lines if line))
        kept = [shorten(line, self.max_tokens, self.count_tokens) for line in statements[: self.max_statements]]
        cut = len(statements) > self.max_statements or any(cut for _, cut in kept)
        return tuple(line for line, _ in kept if line), cut

    def _recent_events(self) -> list[Event]:
        left = self.episodic_budget
        chosen: list[Event] = []
        for text, step in reversed(self._events.items()):
            left -= self.count_tokens(text)
            if left < 0:
                self.counters["episodic"].trimmed += 1
                break
            chosen.append(Event(step, text))
        return chosen[::-1]

    def _read(self, tier: str, entries: Collection[T]) -> tuple[T, ...]:
        self.counters[tier].reads += 1
        self.counters[tier].injected += len(entries)
        return tuple(entries)


_BULLET = re.compile(r"^\s*[-*•]\s+")


def _one_line(text: str) -> str:
    return " ".join(text.split())
