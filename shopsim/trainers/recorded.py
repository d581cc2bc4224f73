"""Rows to train on, session by session: a shuffled endless stream, or in file order to measure on."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from shopsim.agents.demonstrations import Demonstration, Supervise, demonstrations
from shopsim.data import DataSet
from shopsim.trainers.config import TrainerConfig
from shopsim.trainers.policy import Policy
from shopsim.trainers.rows import micro_batches

T = TypeVar("T")


class SessionRows(ABC, Generic[T]):
    """Rows of the sessions of a split. They are made session by session when needed, so a data set of any size will do.

    Args:
        ids: The sessions.
        lengths: How many rows each gives.
        seed: Of the order.
        shuffle_sessions: Rows of so many sessions are shuffled among each other.
    """

    def __init__(self, ids: Sequence[str], lengths: Sequence[int], seed: int, shuffle_sessions: int) -> None:
        self._ids, self._lengths = ids, lengths
        self._seed, self._shuffle_sessions = seed, shuffle_sessions
        self.rows = sum(lengths)
        """Rows in an epoch."""
        # Two windows of shuffling: a batch may reach from one into the next.
        self._session = lru_cache(maxsize=2 * shuffle_sessions)(lambda session: self.of_session(ids[session]))
        self._epoch = lru_cache(maxsize=2)(self._order)

    @abstractmethod
    def of_session(self, session_id: str) -> Sequence[T]:
        """A session's rows, as many as its length says, the same at every call."""

    def take(self, positions: Iterable[int]) -> list[T]:
        """The rows at these positions of the stream, which runs on across the end of an epoch."""
        return [self._row(position) for position in positions]

    def first(self, sessions: int) -> Iterator[T]:
        """All rows of the first sessions."""
        for session in range(min(sessions, len(self._ids))):
            yield from self._session(session)

    def _row(self, position: int) -> T:
        epoch, place = divmod(position, self.rows)
        session, row = self._epoch(epoch)[place]
        return self._session(session)[row]

    def _order(self, epoch: int) -> list[tuple[int, int]]:
        """(session, row) of every row in the order of an epoch: sessions shuffled, then rows within windows of them.

        A pure function of seed and epoch, so that resuming needs no state.
        """
        rng = np.random.default_rng([self._seed, epoch])
        sessions = rng.permutation(len(self._ids)).tolist()
        order: list[tuple[int, int]] = []
        for window in micro_batches(sessions, self._shuffle_sessions):
            rows = [(session, row) for session in window for row in range(self._lengths[session])]
            order += [rows[i] for i in rng.permutation(len(rows))]
        return order


class RecordedSteps(SessionRows[T]):
    """The steps of recorded sessions, each made into what a trainer wants of it.

    Args:
        config: Says which agent and screens.
        dataset: The data set.
        policy: The model whose agent looks on.
        split: Which sessions.
        shuffle_sessions: As for `SessionRows`.
        supervise: As for `demonstrations`.
        grid: As for `demonstrations`.
    """

    def __init__(
        self,
        config: TrainerConfig,
        dataset: DataSet,
        policy: Policy,
        split: str,
        shuffle_sessions: int,
        supervise: Supervise = "labels",
        grid: int = 1,
    ) -> None:
        self.dataset = dataset
        self._supervise, self._grid = supervise, grid
        self._env = config.make_env(dataset, split, max_steps=None)
        self._agent = config.make_agent(policy.backend)
        rows = dataset.session_rows(split).tolist()
        ids = [dataset.session_id(row) for row in rows]
        super().__init__(ids, [dataset.n_steps(row) for row in rows], config.seed, shuffle_sessions)

    @abstractmethod
    def make(self, demonstration: Demonstration) -> T:
        """What a step is made into."""

    def of_session(self, session_id: str) -> Sequence[T]:
        """See `SessionRows.of_session`."""
        shown = demonstrations(self._env, session_id, self._agent, self._supervise, self._grid)
        return [self.make(demonstration) for demonstration in shown]
