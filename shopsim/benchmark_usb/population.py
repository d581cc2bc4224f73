"""Who is in a synthetic set: how many sessions each user has, the split, how much each did before. Exact in sum."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data.stamp import SPLITS

Counts = NDArray[np.int64]

_SESSIONS_OF_USER = (0.55, 0.3, 0.15)
"""Shares of users with one, two and three sessions."""
_HELD_OUT = 0.1
"""Share of users in validation, and in test."""
_SPREAD_CLICKS, _SHAPE_PURCHASES = 0.7, 2.0
"""Some use the shop much more than others: log-normal clicks, Gamma purchases."""


class Population(NamedTuple):
    """All users of a set, one entry each."""

    sessions: Counts
    """Number of sessions."""
    split: NDArray[np.int8]
    """Index of `SPLITS`."""
    clicks: Counts
    """Clicks before the first session."""
    purchases: Counts
    """Purchases before the first session."""


def draw_population(sessions: int, history: tuple[float, float], seed: int) -> Population:
    """Users until there are enough sessions.

    Args:
        sessions: How many in all.
        history: Mean clicks and purchases before a user's first session, no more purchases than clicks; the sums
            are exact but for rounding.
        seed: Of everything random.
    """
    rng = np.random.default_rng([seed, 3])
    counts = 1 + rng.choice(3, sessions, p=_SESSIONS_OF_USER)
    ends = np.cumsum(counts)
    users = int(np.searchsorted(ends, sessions)) + 1
    counts = counts[:users]
    counts[-1] -= ends[users - 1] - sessions
    clicks, purchases = (round(mean * users) for mean in history)
    busy = rng.lognormal(0.0, _SPREAD_CLICKS, users)
    eager = rng.gamma(_SHAPE_PURCHASES, size=users)
    # Everybody has clicked something, where there are enough clicks.
    least = int(clicks >= users)
    clicked = least + _share_out(clicks - least * users, busy, np.full(users, clicks), rng)
    bought = _share_out(purchases, eager, clicked, rng)
    return Population(counts, _splits(users, rng), clicked, bought)


def _share_out(total: int, weights: NDArray[np.float64], most: Counts, rng: np.random.Generator) -> Counts:
    """Numbers that sum to `total`, drawn in proportion to `weights` and none above `most`."""
    shares = np.zeros(len(weights), np.int64)
    while (left := total - int(shares.sum())) > 0:
        open_to_more = np.where(shares < most, weights, 0.0)
        shares = np.minimum(shares + rng.multinomial(left, open_to_more / open_to_more.sum()), most)
    return shares


def _splits(users: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """The split of each user: 80/10/10, validation and test not empty where there are three users."""
    held_out = max(1, round(_HELD_OUT * users)) if users >= 3 else 0
    split = np.full(users, SPLITS.index("train"), np.int8)
    split[:held_out] = SPLITS.index("validation")
    split[held_out : 2 * held_out] = SPLITS.index("test")
    return rng.permutation(split)
