"""What happened in a session: the one record that rewards, scores and reports read, for people and agents."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page


class Invalid(StrEnum):
    """Why an action could not be done. The whole vocabulary of ``info["invalid"]``. Ours."""

    SCROLL_END = "scroll_end"
    """The page does not move further that way."""
    NO_TARGET = "no_target"
    """Nothing that reacts lies under the point."""
    OFF_SCREEN = "off_screen"
    """The point is outside the screen or not a number."""
    NOT_HERE = "not_here"
    """The action does not exist on this page (back or buying on the feed, enter_detail on a detail page)."""
    ALREADY_DONE = "already_done"
    """The item is already in the cart, or already bought."""
    UNPARSED = "unparsed"
    """The answer could not be read as an action (`None` was passed)."""


class StopReason(StrEnum):
    """Why a session ended."""

    TERMINATE = "terminate"
    """The shopper left (`terminated`)."""
    MAX_STEPS = "max_steps"
    """The step limit was reached (`truncated`)."""
    STUCK = "stuck"
    """Too many actions in a row changed nothing (`truncated`)."""
    RECORD_END = "record_end"
    """The recorded session is over (teacher forced, `terminated`)."""


class Event(NamedTuple):
    """One step: what was asked, what it did."""

    step: int
    page: Page
    """The page the action was taken on."""
    scroll: int
    """Its offset then, logical units."""
    action: Action | None
    """The action asked for; None when the answer could not be parsed."""
    effect: Action | None
    """What it really did; None when it was invalid."""
    item: int = -1
    """Row of the item acted on, -1 where there is none."""
    invalid: Invalid | None = None
    point: tuple[float, float] | None = None
    """The point asked for, shares of the screen; None where the action took none."""


@dataclass(slots=True)
class Trajectory:
    """The steps of one session, by a person or an agent, in item rows of one data set."""

    session_id: str
    events: list[Event] = field(default_factory=list)
    impressions: dict[int, None] = field(default_factory=dict)
    """Items whose card was at least half visible on some screen, in the order they came (a dict as ordered set)."""
    stop_reason: StopReason | None = None

    def __len__(self) -> int:
        return len(self.events)

    def items(self, *effects: Action) -> set[int]:
        """Distinct items that one of these effects named."""
        return {e.item for e in self.events if e.effect in effects}

    def pairs(self) -> list[tuple[Action, int]]:
        """Distinct (effect, item) pairs of the item actions, in the order they came (SPEC 6.3)."""
        return distinct_pairs(self.events)

    @property
    def interacted(self) -> set[int]:
        """X of SPEC 4.2: items clicked, entered, carted or bought."""
        return self.items(*ITEM_ACTIONS)

    @property
    def invalid_steps(self) -> int:
        """Number of steps whose answer could not be parsed or executed."""
        return sum(e.invalid is not None for e in self.events)


def distinct_pairs(events: Iterable[Event]) -> list[tuple[Action, int]]:
    """Each (effect, item) pair of the item actions once, in the order they came."""
    return list(dict.fromkeys((e.effect, e.item) for e in events if e.item >= 0 and e.effect in ITEM_ACTIONS))
