"""Behaviour fidelity: does an agent shop as much, as deep and as long as people on the same sessions (SPEC 4.1).

The five names (ATL, CTR, IPVR, ACR, CVR) are RecVerse's (arXiv 2608.20707), which gives them in words; numerators
and denominators are ours. The one-dimensional distances are a few lines of numpy each; scipy is not a dependency of
the base install and would bring nothing but its size.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shopsim.benchmark_usb.bootstrap import Array, Bootstrap, Estimate, quotient
from shopsim.data.vocabulary import ACTION_LABELS, Action, Page
from shopsim.envs.trajectory import Trajectory

UNPARSED, NOTHING = "unparsed", "nothing"
MIX: tuple[str, ...] = (*ACTION_LABELS, UNPARSED)
"""Bins of the action distribution: the eight types asked for, and answers that could not be read."""
EFFECTS: tuple[str, ...] = (*ACTION_LABELS, NOTHING)
"""Bins of the same steps by what they did: the eight effects, and steps that did nothing."""

CAP = float(np.log(100))
"""Largest |ln ratio| that enters the deviation (SPEC 4.1)."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The counts of one session, a person's or an agent's; items are counted once each."""

    steps: int
    """`terminate` counted, memory writes not."""
    impressions: int
    """I: items whose card was at least half visible."""
    opened: int
    """C: items opened from the feed, by `click` or `enter_detail` on a card."""
    entered: int
    """D: items whose detail page was entered."""
    visited: int
    """V: items whose preview or detail page was shown."""
    carted: int
    """A."""
    bought: int
    """B."""
    openings: int
    """Pages opened, repeats counted."""
    revisits: int
    """Openings of a page (this preview, this detail page) that was opened before in the session."""
    invalid: int
    """Steps whose answer could not be parsed or executed."""
    left: bool
    """Whether the session ended in `terminate` rather than by a limit."""
    mix: tuple[int, ...]
    """Number of steps by type asked for, in the order of `MIX`."""
    effects: tuple[int, ...]
    """Number of steps by effect, in the order of `EFFECTS`."""


def behaviour(trajectory: Trajectory) -> Behaviour:
    """Counts a session."""
    events = trajectory.events
    openings = [(e.effect, e.item) for e in events if e.effect in (Action.CLICK, Action.ENTER_DETAIL)]
    mix, effects = [0] * len(MIX), [0] * len(EFFECTS)
    for event in events:
        mix[-1 if event.action is None else event.action] += 1
        effects[-1 if event.effect is None else event.effect] += 1
    return Behaviour(
        steps=len(events),
        impressions=len(trajectory.impressions),
        opened=len({e.item for e in events if e.page is Page.FEED and e.effect in (Action.CLICK, Action.ENTER_DETAIL)}),
        entered=len(trajectory.items(Action.ENTER_DETAIL)),
        visited=len({item for _, item in openings}),
        carted=len(trajectory.items(Action.ADD_TO_CART)),
        bought=len(trajectory.items(Action.PURCHASE)),
        openings=len(openings),
        revisits=len(openings) - len(set(openings)),
        invalid=trajectory.invalid_steps,
        left=bool(events) and events[-1].effect is Action.TERMINATE,
        mix=tuple(mix),
        effects=tuple(effects),
    )


@dataclass(frozen=True, slots=True)
class Metric:
    """One of the five: its name, what is summed over what, and which inputs a log may have had imputed."""

    name: str
    above: str
    below: str | None
    """None: per session."""
    inputs: frozenset[str]
    meaning: str


METRICS: tuple[Metric, ...] = (
    Metric("ATL", "steps", None, frozenset({"scrolls", "leaving"}), "steps per session"),
    Metric("CTR", "opened", "impressions", frozenset({"impressions", "scrolls"}), "items opened / items seen"),
    Metric("IPVR", "entered", "impressions", frozenset({"impressions", "scrolls"}), "detail pages / items seen"),
    Metric("ACR", "carted", "visited", frozenset(), "items added to cart / items visited"),
    Metric("CVR", "bought", "visited", frozenset(), "items bought / items visited"),
)


@dataclass(frozen=True, slots=True)
class Rate:
    """One of the five metrics, for agent and people on the same sessions."""

    name: str
    agent: Estimate
    """Pooled over sessions: sum over sum."""
    human: Estimate
    ratio: Estimate
    """`agent / human`, 1 is perfect; without a value where the people's rate is 0."""
    agent_mean: Estimate
    """Mean of per-session values."""
    human_mean: Estimate
    ratio_of_means: Estimate
    imputed: tuple[str, ...]
    """Inputs of this metric that the data set's importer filled in; such a metric stays out of the deviation."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """How often sessions that reached a step ended there by `terminate`; index 0 is the first step."""

    agent: tuple[float | None, ...]
    human: tuple[float | None, ...]
    agent_reached: tuple[int, ...]
    """Sessions that had this step. Where 0, the probability is None."""
    human_reached: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Behaviour fidelity of one agent against the people on the same sessions."""

    sessions: int
    """Rollouts scored (faulted ones have left both sides)."""
    rates: dict[str, Rate]
    deviation: Estimate
    """exp(mean |ln ratio|) over the metrics not left out; 1 is perfect."""
    left_out: dict[str, str]
    """Metrics that stay out of the deviation, and why."""
    action_divergence: Estimate
    """Jensen-Shannon divergence of the action types asked for, base 2: 0 the same, 1 nothing in common."""
    agent_mix: dict[str, float]
    """Share of steps by action type asked for."""
    human_mix: dict[str, float]
    effect_divergence: Estimate
    """The same divergence of what the steps did. People are recorded by effects, so this one compares like with like:
    an agent that taps the cart button is ``click`` by type, as people never are, and ``add_to_cart`` by effect."""
    agent_effects: dict[str, float]
    """Share of steps by effect."""
    human_effects: dict[str, float]
    length_distance: Estimate
    """Wasserstein-1 distance of the session lengths, in steps."""
    invalid_rate: Estimate
    """Share of steps that could not be parsed or executed."""
    agent_revisits: Estimate
    """Share of page openings that opened a page again."""
    human_revisits: Estimate
    agent_left: Estimate
    """Share of sessions ended by `terminate`; the rest ran into a limit."""
    leaving: Leaving


def fidelity(
    agent: Sequence[Behaviour], human: Sequence[Behaviour], bootstrap: Bootstrap, imputed: frozenset[str] = frozenset()
) -> Fidelity:
    """Scores an agent.

    Args:
        agent: Counts of the agent's rollouts, faulted ones left out.
        human: Counts of the person's session for each of these rollouts, in the same order.
        bootstrap: Of the same rollouts.
        imputed: Inputs that the data set's importer filled in (`DataSet.imputed`).
    """
    a, h = _table(agent), _table(human)
    rates = {m.name: _rate(m, a, h, bootstrap, tuple(sorted(m.inputs & imputed))) for m in METRICS}
    left_out = {name: reason for name, rate in rates.items() if (reason := _why_left_out(rate))}
    kept = [m for m in METRICS if m.name not in left_out]
    agent_mix, human_mix = (np.array([b.mix for b in rows]).reshape(-1, len(MIX)) for rows in (agent, human))
    agent_did, human_did = (np.array([b.effects for b in rows]).reshape(-1, len(EFFECTS)) for rows in (agent, human))
    lengths, human_lengths = _one_hot(a["steps"], h["steps"])
    one = np.ones(len(agent))

    def share(above: Array, below: Array) -> Estimate:
        return bootstrap.estimate(np.column_stack([above, below]), lambda s: quotient(s[..., 0], s[..., 1]))

    return Fidelity(
        sessions=len(agent),
        rates=rates,
        deviation=bootstrap.estimate(rate_columns(kept, agent, human), deviation) if kept else Estimate(None),
        left_out=left_out,
        action_divergence=bootstrap.estimate(np.hstack([agent_mix, human_mix]).astype(float), _jensen_shannon),
        agent_mix=_shares(MIX, agent_mix),
        human_mix=_shares(MIX, human_mix),
        effect_divergence=bootstrap.estimate(np.hstack([agent_did, human_did]).astype(float), _jensen_shannon),
        agent_effects=_shares(EFFECTS, agent_did),
        human_effects=_shares(EFFECTS, human_did),
        length_distance=bootstrap.estimate(np.hstack([lengths, human_lengths]), _wasserstein),
        invalid_rate=share(a["invalid"], a["steps"]),
        agent_revisits=share(a["revisits"], a["openings"]),
        human_revisits=share(h["revisits"], h["openings"]),
        agent_left=share(a["left"], one),
        leaving=_leaving(agent, human),
    )


def _table(rows: Sequence[Behaviour]) -> dict[str, Array]:
    names = [name for name in Behaviour.__slots__ if name not in ("mix", "effects")]
    return {name: np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in names}


def _columns(metric: Metric, table: dict[str, Array]) -> list[Array]:
    above = table[metric.above]
    return [above, table[metric.below] if metric.below else np.ones_like(above)]


def _ratio(sums: Array) -> Array:
    """Agent's rate over people's, from (above, below, above*, below*); NaN where the people's rate is 0."""
    human = quotient(sums[..., 2], sums[..., 3])
    result: Array = np.where(human == 0, np.nan, quotient(quotient(sums[..., 0], sums[..., 1]), human))
    return result


def _rate(
    metric: Metric, agent: dict[str, Array], human: dict[str, Array], bootstrap: Bootstrap, imputed: tuple[str, ...]
) -> Rate:
    pooled = np.column_stack(_columns(metric, agent) + _columns(metric, human))
    one = np.ones(len(pooled))
    means = np.column_stack([quotient(pooled[:, 0], pooled[:, 1]), one, quotient(pooled[:, 2], pooled[:, 3]), one])

    def agent_rate(sums: Array) -> Array:
        return quotient(sums[..., 0], sums[..., 1])

    def human_rate(sums: Array) -> Array:
        return quotient(sums[..., 2], sums[..., 3])

    return Rate(
        metric.name,
        agent=bootstrap.estimate(pooled, agent_rate),
        human=bootstrap.estimate(pooled, human_rate),
        ratio=bootstrap.estimate(pooled, _ratio),
        agent_mean=bootstrap.estimate(means, agent_rate),
        human_mean=bootstrap.estimate(means, human_rate),
        ratio_of_means=bootstrap.estimate(means, _ratio),
        imputed=imputed,
    )


def _why_left_out(rate: Rate) -> str | None:
    if rate.ratio.value is None:
        return "n/a: the people's rate is 0"
    if rate.imputed:
        return f"imputed: {', '.join(rate.imputed)}"
    return None


def rate_columns(metrics: Sequence[Metric], agent: Sequence[Behaviour], human: Sequence[Behaviour]) -> Array:
    """What `deviation` sums: for each metric (above, below) of the agent, then of people; shape (n, 4 × metrics)."""
    a, h = _table(agent), _table(human)
    return np.column_stack([c for m in metrics for c in _columns(m, a) + _columns(m, h)])


def deviation(sums: Array) -> Array:
    """exp(mean |ln ratio|) over one or more metrics, from sums of `rate_columns`.

    Each |ln ratio| is capped at `CAP`. Where (in a resample) a people's rate is 0, that metric is left out of the
    mean; where all are, the result is NaN.
    """
    ratios = np.maximum(_ratio(sums.reshape(*sums.shape[:-1], -1, 4)), 0.0)
    with np.errstate(divide="ignore"):
        distance = np.minimum(np.abs(np.log(ratios)), CAP)
    counted = ~np.isnan(distance)
    mean = quotient(np.where(counted, distance, 0.0).sum(axis=-1), counted.sum(axis=-1).astype(np.float64))
    result: Array = np.where(counted.any(axis=-1), np.exp(mean), np.nan)
    return result


def _jensen_shannon(sums: Array) -> Array:
    """Base 2, of two count vectors laid side by side."""
    counts = sums.reshape(*sums.shape[:-1], 2, -1)
    p = quotient(counts, counts.sum(axis=-1, keepdims=True))
    middle = p.mean(axis=-2, keepdims=True)
    safe = np.where(p > 0, p, 1.0)
    terms = np.where(p > 0, p * np.log2(safe / np.where(p > 0, middle, 1.0)), 0.0)
    result: Array = terms.sum(axis=-1).mean(axis=-1)
    return result


def _wasserstein(sums: Array) -> Array:
    """W1 of two histograms over 0, 1, 2, ... laid side by side: the area between their distribution functions."""
    counts = sums.reshape(*sums.shape[:-1], 2, -1)
    below = np.cumsum(quotient(counts, counts.sum(axis=-1, keepdims=True)), axis=-1)
    result: Array = np.abs(below[..., 0, :] - below[..., 1, :]).sum(axis=-1)
    return result


def _one_hot(a: Array, b: Array) -> tuple[Array, Array]:
    bins = np.arange(1 + max(a.max(initial=0), b.max(initial=0)))
    return (a[:, None] == bins).astype(np.float64), (b[:, None] == bins).astype(np.float64)


def _shares(bins: Sequence[str], counts: Array) -> dict[str, float]:
    total = counts.sum(axis=0)
    return {name: float(n) / max(1, int(total.sum())) for name, n in zip(bins, total, strict=True)}


def _leaving(agent: Sequence[Behaviour], human: Sequence[Behaviour]) -> Leaving:
    longest = max((b.steps for b in (*agent, *human)), default=0)

    def curve(rows: Sequence[Behaviour]) -> tuple[tuple[float | None, ...], tuple[int, ...]]:
        reached = [sum(b.steps >= t for b in rows) for t in range(1, longest + 1)]
        left = [sum(b.left and b.steps == t for b in rows) for t in range(1, longest + 1)]
        return tuple(n / r if r else None for n, r in zip(left, reached, strict=True)), tuple(reached)

    (a, a_reached), (h, h_reached) = curve(agent), curve(human)
    return Leaving(a, h, a_reached, h_reached)
