"""Feed policies: the recommender under test (SPEC 2.4). Ours.

A policy orders candidates. The shop first offers it the items of the recorded feed; when the shopper has scrolled
past the last of them, it offers the next batch of items most like those, until the catalogue is used up. No item
comes twice. A user's own policy is any function of this shape, named by its import path (``my.module:rank``)::

    def rank(user, history, context, candidates):
        return candidates[np.argsort(context.dataset.prices[candidates])]
"""

import importlib
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.data.similarity import LEVELS
from shopsim.errors import InputError

Rows = NDArray[np.integer]
"""Item rows of the data set."""

BATCH = 40
"""Items a policy is offered at a time once the recorded feed is over."""


class History(NamedTuple):
    """What the user did before the session: item rows, oldest first, repeats kept."""

    clicks: Rows
    purchases: Rows


class FeedContext(NamedTuple):
    """What else a policy may look at."""

    dataset: DataSet
    """Item facts by row: `prices`, `sales`, `label_codes`, `titles(rows)`, `item(row)`."""
    session_id: str
    shown: Rows
    """The feed so far."""
    rng: np.random.Generator
    """The only source of chance a policy may use: the same for the same reset seed."""


class FeedPolicy(Protocol):
    """A ranking function."""

    def __call__(self, user: User, history: History, context: FeedContext, candidates: Rows) -> Sequence[int] | Rows:
        """Orders candidates.

        Returns:
            Rows out of `candidates`, best first, none twice. Those left out are never shown in this session.
        """


def recorded(user: User, history: History, context: FeedContext, candidates: Rows) -> Rows:
    """The order the shop would have shown; behind its end, most similar first."""
    return candidates


def random(user: User, history: History, context: FeedContext, candidates: Rows) -> Rows:
    """Any order."""
    return context.rng.permutation(candidates)


def popularity(user: User, history: History, context: FeedContext, candidates: Rows) -> Rows:
    """Most sold first."""
    return candidates[np.argsort(-context.dataset.sales[candidates], kind="stable")]


def price_ascending(user: User, history: History, context: FeedContext, candidates: Rows) -> Rows:
    """Cheapest first."""
    return candidates[np.argsort(context.dataset.prices[candidates], kind="stable")]


def similar(user: User, history: History, context: FeedContext, candidates: Rows) -> Rows:
    """Most like what the user clicked and bought before; as recorded where nothing is known."""
    liked = np.concatenate([history.clicks, history.purchases])
    likeness = mean_similarity(context.dataset.label_codes, candidates, liked)
    return candidates[np.argsort(-likeness, kind="stable")]


POLICIES: dict[str, FeedPolicy] = {
    "recorded": recorded,
    "random": random,
    "popularity": popularity,
    "price_ascending": price_ascending,
    "similar": similar,
}
"""The built-in policies by name."""


def mean_similarity(label_codes: NDArray[np.int32], rows: Rows, to: Rows) -> NDArray[np.float64]:
    """Mean category similarity (SPEC 4.2, without the same-item rule) of each row to the items `to`; 0 without any.

    Linear in both: a category belongs to one parent, so counting labels level by level is enough.
    """
    likeness = np.zeros(len(rows))
    if len(to):
        for level in range(LEVELS):
            codes = label_codes[to, level]
            counts = np.bincount(codes[codes >= 0], minlength=int(label_codes[:, level].max(initial=-1)) + 1)
            wanted = label_codes[rows, level]
            likeness += np.where(wanted >= 0, counts[wanted] if len(counts) else 0, 0)
    return likeness / (LEVELS * max(1, len(to)))


def load_policy(policy: str | FeedPolicy) -> tuple[str, FeedPolicy]:
    """A policy's name and function, from a built-in name, an import path, or the function itself.

    Raises:
        InputError: There is no such policy.
    """
    if not isinstance(policy, str):
        if not callable(policy):
            raise InputError(f"feed is {policy!r}; it must be one of {', '.join(POLICIES)}, or a ranking function")
        return f"{policy.__module__}:{getattr(policy, '__qualname__', type(policy).__qualname__)}", policy
    if policy in POLICIES:
        return policy, POLICIES[policy]
    module, colon, name = policy.partition(":")
    if not (module and colon and name):
        raise InputError(f"feed policy {policy!r}: give one of {', '.join(POLICIES)}, or an import path my.module:rank")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"feed policy {policy!r}: {error}") from error
    if not callable(found):
        raise InputError(f"feed policy {policy!r}: {name} is no function")
    ranking: FeedPolicy = found
    return policy, ranking


class Feed:
    """One session's feed under a policy.

    Args:
        name: The policy's name, for error messages.
        policy: The ranking function.
        dataset: The data set.
        session_row: The session.
        user: Its user, with the persona of this episode.
        seed: Everything left to chance depends on this alone.
    """

    def __init__(
        self, name: str, policy: FeedPolicy, dataset: DataSet, session_row: int, user: User, seed: int
    ) -> None:
        self._name = name
        self._policy = policy
        self._dataset = dataset
        self._session_row = session_row
        self._user = user
        self._seed = seed
        self._offered = 0

    @property
    def as_recorded(self) -> bool:
        """Whether the feed is the recorded one."""
        return self._policy is recorded

    def first(self) -> list[int]:
        """The recorded feed's items in the policy's order.

        Raises:
            InputError: The policy returned something that is no order of its candidates.
        """
        feed = self._rank(self._dataset.feed(self._session_row), [])
        if not feed:
            raise InputError(f"feed policy {self._name!r} returned no items; a feed needs at least one")
        return feed

    def extend(self, shown: Sequence[int]) -> list[int]:
        """The next items when the feed so far has run out; nothing when the catalogue is used up."""
        while self._offered < len(self._rest):
            batch = self._rest[self._offered : self._offered + BATCH]
            self._offered += len(batch)
            if more := self._rank(batch, shown):
                return more
        return []

    @cached_property
    def _rest(self) -> Rows:
        """Every item outside the recorded feed, most like it first, ties in random order."""
        feed = self._dataset.feed(self._session_row)
        rest = np.setdiff1d(np.arange(self._dataset.n_items), feed)
        rest = np.random.default_rng([self._seed, 3]).permutation(rest)
        return rest[np.argsort(-mean_similarity(self._dataset.label_codes, rest, feed), kind="stable")]

    @cached_property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self._seed, 2])

    @cached_property
    def _history(self) -> History:
        return History(*self._dataset.history(self._session_row))

    def _rank(self, candidates: Rows, shown: Sequence[int]) -> list[int]:
        if self.as_recorded:
            as_offered: list[int] = candidates.tolist()
            return as_offered
        context = FeedContext(
            self._dataset, self._dataset.session_id(self._session_row), np.asarray(shown, dtype=np.int64), self._rng
        )
        # A copy: the data set's own rows are read-only, and a policy may well shuffle in place.
        order = self._policy(self._user, self._history, context, np.array(candidates, dtype=np.int64))
        try:
            ranked = np.asarray(order)
        except ValueError:
            ranked = np.empty((0, 0))
        if ranked.size == 0 and ranked.ndim == 1:
            return []
        cause = None
        if ranked.ndim != 1 or not np.issubdtype(ranked.dtype, np.integer):
            cause = f"a {type(order).__name__} that is no list of item rows"
        elif not np.isin(ranked, candidates).all():
            cause = f"item row {ranked[~np.isin(ranked, candidates)][0]}, which is no candidate"
        elif len(np.unique(ranked)) < len(ranked):
            cause = "an item twice"
        if cause:
            raise InputError(f"feed policy {self._name!r} returned {cause}; it must return rows out of its candidates")
        rows: list[int] = ranked.tolist()
        return rows
