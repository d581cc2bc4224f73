"""How far imputed impressions give away which items the log says were opened. Ours.

An imported feed mixes opened items with fillers. If a rule without any taste (a place, a category, how often an
item is looked at) told the two apart, agents would learn the importer rather than people. The measure is the area
under the ROC curve over the cards seen: 0.5 tells nothing, 1 everything. Each is given as max(auc, 1 - auc).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.imputation import Filled
from shopsim.benchmark_usb.importers.ragged import owners_of, starts_of

FEATURES = ("position", "category", "history", "popularity")
"""What is tried, one by one and together:

- position: place among the cards seen;
- category: share of the session's opened items (this one included) that lie in the card's finest category;
- history: the same over the items the user opened in earlier sessions, 0 where there are none;
- popularity: how many other sessions of the log opened the item.
"""
MOST_SESSIONS = 5_000
"""About as many sessions are measured, all those of some of the users; more add nothing but time."""


@dataclass(frozen=True, slots=True)
class Tells:
    """max(auc, 1 - auc) for each feature and for all together (``combined``), over cards seen."""

    pooled: dict[str, float]
    """Over all cards of all sessions."""
    within: dict[str, float]
    """Mean over sessions of the value within the session: what helps to choose among the cards of one feed."""
    cards: int
    opened: int


class TellMeter:
    """Collects the cards seen, session by session.

    Args:
        categories: Shape (items,), code of each item's finest category.
        popularity: Shape (items,), number of sessions that opened each item.
    """

    def __init__(self, categories: NDArray[np.int64], popularity: NDArray[np.float64]) -> None:
        self._categories = categories
        self._popularity = popularity
        self._rows: list[NDArray[np.float64]] = []
        self._opened: list[NDArray[np.bool_]] = []

    def add(self, seen: Sequence[int] | NDArray[np.int64], opened: Sequence[int], history: Sequence[int]) -> None:
        """Adds a session: item rows seen (in feed order), opened, and opened earlier by the same user."""
        cards = np.asarray(seen, np.int64)
        is_opened = (cards[:, None] == np.asarray(opened, np.int64)).any(axis=1)
        columns = (
            np.arange(len(cards), dtype=np.float64),
            self._share(cards, opened),
            self._share(cards, history),
            np.log1p(self._popularity[cards] - is_opened),
        )
        self._rows.append(np.stack(columns, axis=1))
        self._opened.append(is_opened)

    def add_all(
        self, filled: Filled, users: Sequence[str], clicks: dict[str, list[int]], wanted: NDArray[np.bool_]
    ) -> None:
        """Adds sessions.

        Args:
            filled: The sessions.
            users: Their users.
            clicks: What each user opened before; gets what they opened now.
            wanted: Whether each session is measured.
        """
        feeds, opened = starts_of(filled.feed_length), starts_of(filled.n_opened)
        for i in np.flatnonzero(wanted).tolist():
            feed = slice(feeds[i], feeds[i + 1])
            seen = filled.feed[feed][filled.seen[feed]]
            mine = filled.opened[opened[i] : opened[i + 1]].tolist()
            past = clicks.setdefault(users[i], [])
            self.add(seen, mine, past)
            past += mine

    def result(self) -> Tells:
        """The areas; ``combined`` is a logistic regression fitted on every second session, measured on the rest."""
        weights = _logistic(np.concatenate(self._rows[::2]), np.concatenate(self._opened[::2]))
        features, opened = np.concatenate(self._rows), np.concatenate(self._opened)
        lengths = np.array([len(rows) for rows in self._rows])
        starts, standard = starts_of(lengths).tolist(), _standard(features, *weights[:2])
        combined = [standard[begin:end] @ weights[2] for begin, end in pairwise(starts)]
        scores = np.column_stack((features, np.concatenate(combined)))
        second = np.arange(len(lengths)) % 2 == 1
        pooled, within = {}, {}
        for name, column in zip((*FEATURES, "combined"), scores.T, strict=True):
            used = second if name == "combined" else np.ones(len(lengths), bool)
            cards = used[owners_of(lengths)]
            pooled[name] = _told(auc(column[cards], opened[cards]))
            areas = aucs(column[cards], opened[cards], lengths[used])
            within[name] = _told(float(np.mean(areas[~np.isnan(areas)]))) if not np.isnan(areas).all() else 0.5
        return Tells(pooled, within, len(opened), int(opened.sum()))

    def _share(self, cards: NDArray[np.int64], items: Sequence[int]) -> NDArray[np.float64]:
        if not len(items):
            return np.zeros(len(cards))
        groups = self._categories[np.asarray(items, np.int64)]
        shares: NDArray[np.float64] = (self._categories[cards][:, None] == groups[None, :]).mean(axis=1)
        return shares


def auc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Chance that a positive outscores a negative, ties counting half; 0.5 where there is none of either."""
    area = float(aucs(scores, positive, np.array([len(scores)]))[0])
    return 0.5 if np.isnan(area) else area


def aucs(scores: NDArray[np.float64], positive: NDArray[np.bool_], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same for each of several lists laid end to end, so many long; NaN where there is none of either."""
    owner = owners_of(lengths)
    order = np.lexsort((scores, owner))
    score, new = scores[order], np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    new[1:] |= score[1:] != score[:-1]
    first = np.flatnonzero(new)
    ties = np.diff(np.append(first, len(order)))
    # Counted through all lists; those of one score share the mean of their ranks.
    rank = np.empty(len(order))
    rank[order] = np.repeat(first + (ties + 1) / 2, ties)
    n_positive = np.bincount(owner[positive], minlength=len(lengths))
    n_negative = lengths - n_positive
    ranks = np.bincount(owner[positive], (rank - starts_of(lengths)[owner])[positive], minlength=len(lengths))
    with np.errstate(invalid="ignore"):
        areas: NDArray[np.float64] = (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    return areas


def _told(area: float) -> float:
    return max(area, 1 - area)


def _standard(x: NDArray[np.float64], mean: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack(((x - mean) / spread, np.ones(len(x))))


def _logistic(x: NDArray[np.float64], y: NDArray[np.bool_]) -> tuple[NDArray[np.float64], ...]:
    """Mean and spread of the features, and the weights (bias last), by Newton's method with a slight ridge."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = _standard(x, mean, spread)
    weights = np.zeros(z.shape[1])
    for _ in range(20):
        p = 1 / (1 + np.exp(-np.clip(z @ weights, -30, 30)))
        gradient = z.T @ (y - p) - 1e-3 * weights
        hessian = (z * (p * (1 - p))[:, None]).T @ z + 1e-3 * np.eye(len(weights))
        weights = weights + np.linalg.solve(hessian, gradient)
    return mean, spread, weights
