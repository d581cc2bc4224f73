"""What an A/B test says: effects, how far to trust them, and what fewer sessions would have said (SPEC 7). Ours.

The A/A run has a true effect of 0. Its two halves, swapped at random for each user, are as many tests of nothing as one
likes: how often an interval leaves 0 out there is its rate of false alarms, and the factor that brings it down to
5 % stretches the intervals of the test itself. The idea of calibrating on A/A runs, and the forecast without conviction
as the baseline for signs, are S-RCT's (arXiv 2608.02345); how both are done here is ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.bootstrap import LEVEL, Array, Bootstrap, Estimate, quotient
from shopsim.benchmark_usb.fidelity import Behaviour
from shopsim.benchmark_usb.provenance import Provenance
from shopsim.benchmark_usb.results import RunSettings

POWER = 0.8
DRAWS = 400
"""Of swapped A/A runs, of halves, and of smaller tests at each size."""
SAMPLES = 400
"""Bootstrap resamples of each of those; the test itself has 1000."""
FEWEST = 6
"""Users below which nothing is concluded: that all of five go one way happens by chance more often than 5 %."""


class Scored(Protocol):
    """A rollout, as far as a test counts it."""

    @property
    def user_id(self) -> str:
        """Whose session it is."""

    @property
    def session_id(self) -> str:
        """Which."""

    @property
    def behaviour(self) -> Behaviour:
        """What was done."""

    @property
    def priced(self) -> float:
        """Sum of the prices of the items visited."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is compared: a sum over a sum, over all sessions."""

    name: str
    above: str
    below: str
    meaning: str
    exists: bool
    """Whether 0/0 is 0 (SPEC 4.1); a mean of nothing is no number."""


OUTCOMES: tuple[Outcome, ...] = (
    Outcome("steps", "steps", "sessions", "steps per session (ATL)", True),
    Outcome("click", "opened", "impressions", "items opened / items seen (CTR)", True),
    Outcome("detail", "entered", "impressions", "detail pages / items seen (IPVR)", True),
    Outcome("cart", "carted", "visited", "items added to cart / items visited (ACR)", True),
    Outcome("conversion", "bought", "visited", "items bought / items visited (CVR)", True),
    Outcome("price", "priced", "visited", "mean price of the items visited, as shown", False),
)
_N = len(OUTCOMES)

Verdict = Literal["higher", "lower", "open"]


@dataclass(frozen=True, slots=True)
class Smaller:
    """What tests with fewer users, drawn from this one, would have said of an outcome."""

    users: int
    sessions: float
    """On average, of each agent in each arm."""
    effect: float | None
    """Mean over the tests."""
    width: float | None
    """Of the interval; mean over the tests."""
    higher: float
    """Share of the tests that would have concluded so."""
    lower: float
    same_sign: float
    """Share whose effect has the sign of the whole test's; a coin has a half."""
    false_alarms: float
    """Share of A/A tests of this size whose interval, before it is stretched, leaves 0 out; 0.05 is right."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What B does to one outcome. Intervals are 95 %, paired over users."""

    outcome: str
    a: Estimate
    b: Estimate
    effect: Estimate
    """B less A, its interval stretched by `stretch`."""
    relative: float | None
    """The effect as a share of A's value."""
    verdict: Verdict
    """Of B against A; ``open`` where the interval holds 0, or there are fewer than `FEWEST` users."""
    noise: Estimate
    """A again less A, its interval stretched likewise: its true value is 0."""
    false_alarms: float
    """Share of swapped A/A runs whose interval leaves 0 out before it is stretched; 0.05 is right."""
    stretch: float
    """Factor from 1 on that brings false alarms to 5 %."""
    size: float | None
    """The effect in standard deviations of a user's part in it."""
    slope: float | None
    """Change of the mean effect with each doubling of the sessions (`smaller`); near 0 where size does not matter."""
    agreement: float
    """Share of pairs of halves of the users that agree on the sign; a coin has a half."""
    forecast: float
    """How well one half's confidence in a sign foretells the other half's sign: mean of 1 - (p - sign)^2."""
    no_conviction: float
    """The same for a forecast of one half each; 0.75 where no effect is exactly 0."""
    detectable: float | None
    """The smallest effect that a test of this size would find 8 times of 10."""
    sessions_needed: int | None
    """Sessions with which an effect like this one is found 8 times of 10; None where there is none."""
    agents: dict[str, Estimate]
    """The effect on each agent by itself, not stretched."""
    smaller: tuple[Smaller, ...]
    """By size, the whole test last."""


@dataclass(frozen=True, slots=True)
class ABReport:
    """A whole test."""

    a: str
    """The variants, in words."""
    b: str
    settings: RunSettings
    """Of arm A."""
    provenance: Provenance
    """Of both arms."""
    agents: tuple[str, ...]
    users: int
    sessions: int
    pairs: int
    """Rollouts that finished in both arms and in the A/A run."""
    lost: int
    """Those that did not, to faults of the environment."""
    effects: tuple[Effect, ...]


Triple = tuple[Scored, Scored, Scored]
"""The same session by the same agent in A, in B, and again in A by another chance."""


def analyse(
    triples: Mapping[str, Sequence[Triple]], a: str, b: str, settings: RunSettings, made: Provenance
) -> ABReport:
    """Compares two arms.

    Args:
        triples: Of each agent.
        a: The variants, in words.
        b: The same.
        settings: Of arm A, whose repetitions are twice those of the test.
        made: With which code the arms were played.
    """
    everyone = [triple for own in triples.values() for triple in own]
    users = sorted({score.user_id for score, _, _ in everyone})
    sessions = len({score.session_id for score, _, _ in everyone})
    expected = len(triples) * settings.sessions * settings.repetitions // 2
    test = _Test(_by_user(everyone, users, 1), _by_user(everyone, users, 2), sessions, settings.seed)
    alone = {agent: _Test.effects_of(_by_user(own, users, 1)) for agent, own in triples.items()}
    effects = [test.effect(i, {agent: found[i] for agent, found in alone.items()}) for i in range(_N)]
    return ABReport(
        a,
        b,
        settings,
        made,
        tuple(triples),
        len(users),
        sessions,
        len(everyone),
        expected - len(everyone),
        tuple(effects),
    )


class _Test:
    """The sums of a test, one row a user, and everything that is read off them."""

    def __init__(self, table: Array, noise: Array, sessions: int, seed: int) -> None:
        self._n, self._sessions = len(table), sessions
        self._rng = np.random.default_rng([seed, 7])
        self._table, self._noise = table, noise
        bootstrap = _bootstrap(self._n, 1000)
        self._value, self._draws = _differences(table.sum(axis=0)), bootstrap.draws(table, _differences)
        self._noise_value = _differences(noise.sum(axis=0))
        self._noise_draws = bootstrap.draws(noise, _differences)
        self._levels = bootstrap.draws(table, _values)
        self._signs = self._halves()
        sizes = [self._n]
        while sizes[-1] // 2 >= FEWEST:
            sizes.append(sizes[-1] // 2)
        self._smaller: list[tuple[int, _Drawn]] = [(size, self._drawn(size)) for size in reversed(sizes)]

    @staticmethod
    def effects_of(table: Array) -> list[Estimate]:
        """The effects on one agent."""
        draws = _bootstrap(len(table), 1000).draws(table, _differences)
        return [_estimate(v, draws[:, i]) for i, v in enumerate(_differences(table.sum(axis=0)))]

    def effect(self, i: int, agents: dict[str, Estimate]) -> Effect:
        """Everything about one outcome."""
        values = _values(self._table.sum(axis=0))[:, i]
        whole = self._smaller[-1][1]
        stretch = whole.stretch[i]
        effect = _estimate(self._value[i], self._draws[:, i], stretch)
        curve = tuple(self._point(i, size, drawn) for size, drawn in self._smaller)
        error = float(np.nanstd(self._draws[:, i])) if effect.value is not None else 0.0
        needs = NormalDist().inv_cdf((1 + LEVEL) / 2) * stretch + NormalDist().inv_cdf(POWER)
        found = effect.value if effect.value else None
        return Effect(
            outcome=OUTCOMES[i].name,
            a=_estimate(values[0], self._levels[:, 0, i]),
            b=_estimate(values[1], self._levels[:, 1, i]),
            effect=effect,
            relative=None if effect.value is None or not values[0] else effect.value / float(values[0]),
            verdict=_verdict(effect.low, effect.high) if self._n >= FEWEST else "open",
            noise=_estimate(self._noise_value[i], self._noise_draws[:, i], stretch),
            false_alarms=whole.false_alarms[i],
            stretch=stretch,
            size=None if effect.value is None or not error else effect.value / (error * self._n**0.5),
            slope=_slope(curve),
            agreement=float(self._signs[0][i]),
            forecast=float(self._signs[1][i]),
            no_conviction=float(self._signs[2][i]),
            detectable=needs * error if error else None,
            sessions_needed=ceil(self._sessions * (needs * error / found) ** 2) if found and error else None,
            agents=agents,
            smaller=curve,
        )

    def _drawn(self, size: int) -> "_Drawn":
        """Many tests of one size: of the test, and of A/A runs with their halves swapped at random for each user."""
        bootstrap = _bootstrap(size, SAMPLES)
        values, lows, highs, needed = (np.empty((DRAWS, _N)) for _ in range(4))
        for draw in range(DRAWS):
            chosen = np.sort(self._rng.permutation(self._n)[:size])
            table = self._table[chosen]
            values[draw] = _differences(table.sum(axis=0))
            lows[draw], highs[draw] = _ends(bootstrap.draws(table, _differences))
            swap = self._rng.random(size) < 0.5
            nothing = self._noise[chosen]
            nothing = np.where(swap[:, None], np.roll(nothing, 2 * _N, axis=1), nothing)
            value = _differences(nothing.sum(axis=0))
            low, high = _ends(bootstrap.draws(nothing, _differences))
            # How far the interval would have to reach to hold 0.
            reach = np.where(value > 0, value - low, high - value)
            needed[draw] = np.where(value == 0, 0.0, np.abs(value) / np.maximum(reach, 1e-12))
        alarms = [float(np.mean(column[~np.isnan(column)] > 1)) if _any(column) else 0.0 for column in needed.T]
        stretch = [max(1.0, float(np.nanquantile(c, LEVEL))) if _any(c) else 1.0 for c in needed.T]
        return _Drawn(values, lows, highs, alarms, stretch)

    def _point(self, i: int, size: int, drawn: "_Drawn") -> Smaller:
        value, low, high = drawn.values[:, i], drawn.lows[:, i], drawn.highs[:, i]
        low, high = value - drawn.stretch[i] * (value - low), value + drawn.stretch[i] * (high - value)
        known = ~np.isnan(low)
        same = np.where(value * self._value[i] == 0, 0.5, np.sign(value) == np.sign(self._value[i]))
        return Smaller(
            users=size,
            sessions=self._sessions * size / self._n,
            effect=float(np.nanmean(value)) if _any(value) else None,
            width=float((high - low)[known].mean()) if known.any() else None,
            higher=float(np.mean(low > 0)) * (size >= FEWEST),
            lower=float(np.mean(high < 0)) * (size >= FEWEST),
            same_sign=float(same.mean()),
            false_alarms=drawn.false_alarms[i],
        )

    def _halves(self) -> Array:
        """Agreement, forecast and its baseline, shape (3, outcomes): one half of the users against the other."""
        size = self._n // 2
        bootstrap = _bootstrap(size, SAMPLES)
        found = np.empty((DRAWS, 3, _N))
        for draw in range(DRAWS):
            order = self._rng.permutation(self._n)
            half, rest = self._table[np.sort(order[:size])], self._table[np.sort(order[size:])]
            draws = np.sign(np.nan_to_num(bootstrap.draws(half, _differences)))
            believed = (1 + draws.mean(axis=0)) / 2
            signs = [np.sign(np.nan_to_num(_differences(part.sum(axis=0)))) for part in (half, rest)]
            true = (1 + signs[1]) / 2
            agree = np.where(signs[0] * signs[1] == 0, 0.5, signs[0] == signs[1])
            found[draw] = agree, 1 - (believed - true) ** 2, 1 - (0.5 - true) ** 2
        mean: Array = found.mean(axis=0)
        return mean


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Tests of one size: arrays of shape (draws, outcomes), and what A/A runs of the size say."""

    values: Array
    lows: Array
    highs: Array
    false_alarms: list[float]
    stretch: list[float]


def _by_user(triples: Sequence[Triple], users: Sequence[str], other: int) -> Array:
    """Sums of each user, shape (users, 4 outcomes): above and below of A, then above and below of the other arm."""
    rows = {user: i for i, user in enumerate(users)}
    table = np.zeros((len(users), 2, 2, _N))
    for triple in triples:
        for arm, score in enumerate((triple[0], triple[other])):
            table[rows[score.user_id], arm] += [[_count(score, getattr(o, end)) for o in OUTCOMES] for end in _ENDS]
    return table.reshape(len(users), 4 * _N)


_ENDS = ("above", "below")


def _count(score: Scored, name: str) -> float:
    if name == "sessions":
        return 1.0
    return score.priced if name == "priced" else float(getattr(score.behaviour, name))


def _values(sums: Array) -> Array:
    """From sums, shape (..., 4 outcomes), to values, shape (..., 2 arms, outcomes)."""
    arms = sums.reshape(*sums.shape[:-1], 2, 2, _N)
    above, below = arms[..., 0, :], arms[..., 1, :]
    exists: NDArray[np.bool_] = np.array([outcome.exists for outcome in OUTCOMES])
    result: Array = np.where((below == 0) & ~exists, np.nan, quotient(above, below))
    return result


def _differences(sums: Array) -> Array:
    values = _values(sums)
    result: Array = values[..., 1, :] - values[..., 0, :]
    return result


def _bootstrap(n: int, samples: int) -> Bootstrap:
    """Of rows that are users already."""
    names = [f"{i:09}" for i in range(n)]
    return Bootstrap(names, names, samples)


def _ends(draws: Array) -> tuple[Array, Array]:
    """Ends of the interval of each outcome, NaN where a resample has no value."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def _estimate(value: float, draws: Array, stretch: float = 1.0) -> Estimate:
    if np.isnan(value):
        return Estimate(None)
    low, high = np.nanquantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    value = float(value)
    return Estimate(value, value - stretch * (value - float(low)), value + stretch * (float(high) - value))


def _verdict(low: float | None, high: float | None) -> Verdict:
    if low is None or high is None:
        return "open"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def _slope(curve: Sequence[Smaller]) -> float | None:
    points = np.array([(np.log2(point.sessions), point.effect) for point in curve if point.effect is not None])
    return float(np.polyfit(points[:, 0], points[:, 1], 1)[0]) if len(points) > 1 else None


def _any(column: Array) -> bool:
    return bool((~np.isnan(column)).any())
