"""Long lists a page at a time: sessions of a data set, recordings, scored rollouts; filtered. Ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.fidelity import Behaviour
from shopsim.benchmark_usb.summary import SessionScore
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.server.viewer.library import OUTCOMES, RANK_OF_ACTION, Recording
from shopsim.server.viewer.shown import path_of, ribbon

T = TypeVar("T")
Row = TypeVar("Row")

LENGTH = 50
"""Rows of a page."""


@dataclass(frozen=True, slots=True)
class Part(Generic[Row]):
    """Some rows of a long list."""

    rows: tuple[Row, ...]
    total: int
    number: int
    """Of the page, from 1."""
    pages: int
    query: tuple[tuple[str, str], ...]
    """The filters, for links to other pages."""

    def link(self, number: int) -> str:
        """The address of another page of the list, relative to this one."""
        return "?" + urlencode([*self.query, ("page", str(number))])


def part_of(
    everything: Sequence[T] | NDArray[np.int64], number: int, make: Callable[[Any], Row], **filters: object
) -> Part[Row]:
    """One page of a list; only its rows are made.

    Args:
        everything: What passed the filters.
        number: Of the page, from 1; the nearest there is.
        make: Turns an element into a row.
        filters: As asked for; empty ones are left out of links.
    """
    pages = max(1, -(-len(everything) // LENGTH))
    number = min(max(1, number), pages)
    rows = tuple(make(element) for element in everything[(number - 1) * LENGTH : number * LENGTH])
    query = tuple((name, str(value)) for name, value in filters.items() if value not in (None, ""))
    return Part(rows, len(everything), number, pages, query)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session of a data set in a list."""

    link: str
    session_id: str
    shopper: str
    split: str
    steps: int
    outcome: str
    signs: str


def sessions_part(
    name: str, dataset: DataSet, number: int, split: str | None = None, outcome: str | None = None, find: str = ""
) -> Part[SessionRow]:
    """A page of the sessions of a data set.

    Args:
        name: Of the data set, as served.
        dataset: The data set.
        number: Of the page.
        split: Only this one.
        outcome: Only this one of `OUTCOMES`.
        find: Only ids that hold this.
    """
    rows = dataset.session_rows(split or None)
    ranks = outcome_ranks(dataset)
    if outcome:
        rows = rows[ranks[rows] == OUTCOMES.index(outcome)]
    if find:
        rows = np.array([row for row in rows.tolist() if find in dataset.session_id(row)], dtype=np.int64)

    def make(row: int) -> SessionRow:
        session_id, user = dataset.session_id(row), dataset.user(dataset.user_row(row))
        shopper = ", ".join(str(fact) for fact in (user.gender, user.age, user.persona) if fact is not None)
        return SessionRow(
            path_of("data", name, "sessions", session_id), session_id, shopper or user.user_id, dataset.split(row),
            dataset.n_steps(row), OUTCOMES[ranks[row]], ribbon(dataset.effects(row)),
        )  # fmt: skip

    return part_of(rows, number, lambda row: make(int(row)), split=split, outcome=outcome, find=find)


def outcome_ranks(dataset: DataSet) -> NDArray[np.int8]:
    """For each session the place of its outcome in `OUTCOMES`, shape (n_sessions,)."""
    return _ranks(dataset.hash, dataset)


@lru_cache(maxsize=64)
def _ranks(hash_: str, dataset: DataSet) -> NDArray[np.int8]:
    # Every session has a step, its `terminate`, so each piece of the reduction holds something.
    by_action = np.array(RANK_OF_ACTION, dtype=np.int8)
    ranks: NDArray[np.int8] = np.maximum.reduceat(by_action[np.asarray(dataset.step_actions)], dataset.step_starts[:-1])
    return ranks


def recordings_part(
    recordings: Sequence[Recording],
    number: int,
    agent: str = "",
    outcome: str = "",
    find: str = "",
    least: float | None = None,
    most: float | None = None,
) -> Part[Recording]:
    """A page of recordings, filtered by agent, outcome, session and score (the sum of rewards)."""
    kept = [
        r
        for r in recordings
        if (not agent or r.agent == agent)
        and (not outcome or r.outcome == outcome)
        and find in r.session_id
        and (least is None or r.total >= least)
        and (most is None or r.total <= most)
    ]
    return part_of(
        kept, number, lambda r: r, agent=agent, outcome=outcome, find=find, least=least, most=most
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A scored rollout in a list."""

    agent: str
    session_id: str
    repetition: int
    steps: int
    people_steps: int
    outcome: str
    people_outcome: str
    f1: float | None
    reward: float | None
    fault: str | None
    link: str | None
    """Of its recording."""


def scores_part(
    scores: Sequence[SessionScore],
    recorded: dict[tuple[str, str], str],
    number: int,
    agent: str = "",
    outcome: str = "",
    find: str = "",
    least: float | None = None,
    most: float | None = None,
) -> Part[ScoreRow]:
    """A page of scored rollouts.

    Args:
        scores: All of them.
        recorded: Name of the recording by agent and session, of first rollouts.
        number: Of the page.
        agent: Only this one's.
        outcome: Only this one of `OUTCOMES`.
        find: Only sessions whose id holds this.
        least, most: Bounds of the reward.
    """

    def kept(score: SessionScore) -> bool:
        total = score.reward.get("total")
        return (
            (not agent or score.agent == agent)
            and (not outcome or _outcome(score.behaviour) == outcome)
            and find in score.session_id
            and (least is None or (total is not None and total >= least))
            and (most is None or (total is not None and total <= most))
        )

    def make(score: SessionScore) -> ScoreRow:
        name = recorded.get((score.agent, score.session_id)) if score.repetition == 0 else None
        return ScoreRow(
            score.agent, score.session_id, score.repetition, score.behaviour.steps, score.human.steps,
            _outcome(score.behaviour), _outcome(score.human), score.intent.f1 if score.intent else None,
            score.reward.get("total"), score.fault, path_of("recordings", name) if name else None,
        )  # fmt: skip

    chosen = [score for score in scores if kept(score)]
    return part_of(chosen, number, make, agent=agent, outcome=outcome, find=find, least=least, most=most)


def _outcome(counts: Behaviour) -> str:
    if counts.effects[Action.PURCHASE]:
        return OUTCOMES[3]
    if counts.effects[Action.ADD_TO_CART]:
        return OUTCOMES[2]
    return OUTCOMES[1 if counts.visited else 0]
