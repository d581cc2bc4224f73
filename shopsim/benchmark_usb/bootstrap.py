"""How sure a score is: bootstrap intervals over users, and errors from repeated runs of the same session.

Every score of this folder is a function of sums over sessions (a rate is one sum over another, a mean is a sum
over a count, a distribution is a row of sums). So a resample is one row of weights, all resamples are one matrix
product, and a score is written once, as a function of sums, for the value and its interval alike.

Users are resampled with all their sessions, since sessions of one user are not independent; a session's agent and
person stay together, so that the interval of a ratio knows that both were on the same sessions. Ours: the papers
print no intervals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Statistic = Callable[[Array], Array]
"""From sums, shape (..., k), to scores, shape (...). NaN where a score does not exist."""

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with what is known of its error; each part is None where it does not exist."""

    value: float | None
    low: float | None = None
    """Lower end of the 95 % percentile interval over users; None with fewer than two users."""
    high: float | None = None
    within: float | None = None
    """Standard error from the agent's own randomness, sessions held fixed; None without repetitions."""


class Bootstrap:
    """Resamples of the users of one run.

    Args:
        users: User of each rollout, n of them.
        sessions: Session of each rollout; several rollouts of one session are repetitions.
        samples: Number of resamples.
        seed: Of the resampling alone.
    """

    def __init__(self, users: Sequence[str], sessions: Sequence[str], samples: int = 1000, seed: int = 0) -> None:
        names, self._user = np.unique(np.asarray(users, dtype=str), return_inverse=True)
        _, self._session = np.unique(np.asarray(sessions, dtype=str), return_inverse=True)
        self.n_users = len(names)
        self._weights: Array = np.zeros((samples, 0))
        if self.n_users:
            shares = np.full(self.n_users, 1 / self.n_users)
            rng = np.random.default_rng(seed)
            self._weights = rng.multinomial(self.n_users, shares, size=samples).astype(np.float64)
        self._last: tuple[Array, Array] | None = None

    def estimate(self, columns: Array, statistic: Statistic) -> Estimate:
        """Value, interval and within-session error of one score.

        Args:
            columns: What is summed, shape (n, k), one row a rollout.
            statistic: From sums to the score.
        """
        sums = columns.sum(axis=0)
        value = _number(statistic(sums))
        low, high = self._interval(self.draws(columns, statistic))
        return Estimate(value, low, high, None if value is None else self._within(columns, sums, statistic))

    def draws(self, columns: Array, statistic: Statistic) -> Array:
        """The score on every resample, shape (samples,); the same seed gives the same resamples, so draws pair up."""
        # Many scores are functions of the same sums.
        if self._last is None or self._last[0] is not columns:
            self._last = columns, self._weights @ _sum_by(self._user, self.n_users, columns)
        return statistic(self._last[1])

    def _interval(self, draws: Array) -> tuple[float | None, float | None]:
        draws = draws[~np.isnan(draws)]
        if self.n_users < 2 or draws.size == 0:
            return None, None
        low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)

    def _within(self, columns: Array, sums: Array, statistic: Statistic) -> float | None:
        """Delta method: how one rollout moves the score, and how much that varies among a session's repetitions."""
        n_sessions = int(self._session.max(initial=-1)) + 1
        runs = np.bincount(self._session, minlength=n_sessions)
        repeated = runs[self._session] > 1
        if not repeated.any():
            return None
        influence = columns @ _gradient(statistic, sums)
        mean = np.bincount(self._session, influence, n_sessions) / runs
        # Of n iid runs the sum varies n times as much as one: sum of squares * n / (n - 1). Sessions left with one
        # run (the others faulted) are given the mean of the rest.
        spread = (influence - mean[self._session])[repeated] ** 2
        n = runs[self._session][repeated]
        variance = float((spread * n / (n - 1)).sum()) * len(influence) / int(repeated.sum())
        return float(np.sqrt(variance))


def quotient(above: Array, below: Array) -> Array:
    """`above / below` with 0/0 = 0 (SPEC 4.1)."""
    safe = np.where(below == 0, 1.0, below)
    result: Array = np.where(below == 0, 0.0, above / safe)
    return result


def mean_of(sums: Array) -> Array:
    """Statistic of the two columns (score, counted): the mean over the counted rows, NaN where there are none."""
    result: Array = np.where(sums[..., 1] == 0, np.nan, quotient(sums[..., 0], sums[..., 1]))
    return result


def _gradient(statistic: Statistic, sums: Array) -> Array:
    steps = np.diag(1e-6 * np.maximum(np.abs(sums), 1.0))
    up, down = statistic(sums + steps), statistic(sums - steps)
    return np.nan_to_num((up - down) / (2 * np.diag(steps)))


def _sum_by(groups: NDArray[np.int64], n: int, columns: Array) -> Array:
    result = np.zeros((n, columns.shape[1]))
    np.add.at(result, groups, columns)
    return result


def _number(value: Array) -> float | None:
    return None if np.isnan(value) else float(value)
