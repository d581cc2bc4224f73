"""The steps of recorded sessions, in a shuffled endless stream to train on, in file order to measure on."""

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


class RecordedSteps(ABC, Generic[T]):
    """The steps of a split, each made into what a trainer wants of it.

    They are made session by session when they are needed, so a data set of any size will do.

    Args:
        config: Says which agent and screens.
        dataset: The data set.
        policy: The model whose agent looks on.
        split: Which sessions.
        shuffle_sessions: Steps of so many sessions are shuffled among each other.
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
        self._seed = config.seed
        self._shuffle_sessions = shuffle_sessions
        self._supervise, self._grid = supervise, grid
        self._env = config.make_env(dataset, split, max_steps=None)
        self._agent = config.make_agent(policy.backend)
        self._ids = [dataset.session_id(row) for row in dataset.session_rows(split).tolist()]
        self._lengths = [dataset.n_steps(row) for row in dataset.session_rows(split).tolist()]
        self.rows = sum(self._lengths)
        """Steps in an epoch."""
        # Two windows of shuffling: a batch may reach from one into the next.
        self._session = lru_cache(maxsize=2 * shuffle_sessions)(self._make)
        self._epoch = lru_cache(maxsize=2)(self._order)

    @abstractmethod
    def make(self, demonstration: Demonstration) -> T:
        """What a step is made into."""

    def take(self, positions: Iterable[int]) -> list[T]:
        """The steps at these positions of the stream, which runs on across the end of an epoch."""
        return [self._row(position) for position in positions]

    def first(self, sessions: int) -> Iterator[T]:
        """All steps of the first sessions."""
        for session in range(min(sessions, len(self._ids))):
            yield from self._session(session)

    def _row(self, position: int) -> T:
        epoch, place = divmod(position, self.rows)
        session, step = self._epoch(epoch)[place]
        return self._session(session)[step]

    def _order(self, epoch: int) -> list[tuple[int, int]]:
        """(session, step) of every row in the order of an epoch: sessions shuffled, then rows within windows of them.

        A pure function of seed and epoch, so that resuming needs no state.
        """
        rng = np.random.default_rng([self._seed, epoch])
        sessions = rng.permutation(len(self._ids)).tolist()
        order: list[tuple[int, int]] = []
        for window in micro_batches(sessions, self._shuffle_sessions):
            rows = [(session, step) for session in window for step in range(self._lengths[session])]
            order += [rows[i] for i in rng.permutation(len(rows))]
        return order

    def _make(self, session: int) -> Sequence[T]:
        shown = demonstrations(self._env, self._ids[session], self._agent, self._supervise, self._grid)
        return [self.make(demonstration) for demonstration in shown]
