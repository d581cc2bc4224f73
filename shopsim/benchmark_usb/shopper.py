"""Who shops and what for: lasting taste, style, price level, habits and patience, and what a session is about.

Equations and their sources: ``docs/shopper-model.md``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world import Market

Weights = NDArray[np.float64]

TASTE = (1.2, 0.9, 0.9)
"""Spread of the log taste between categories of level 1, 2 and 3."""
TYPICAL = 1.3
"""Power of what is usual for age and gender in one person's taste."""

GO_ON, TO_TASTE = 0.5, 0.28
"""Share of the sessions that go on with something clicked lately, and of those about something to taste; the rest
explore a group or a department."""

PATIENCE = (0.2, 0.3)
"""Shapes of the Gamma laws of a person's and of a session's patience; they add up to 1/2 (see `shopping`)."""

_KEPT = 0.93
"""An earlier click counts this much less than the click after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Shopper:
    """A person, as far as shopping goes."""

    age: int
    gender: str | None
    audience: Weights
    """(leaves,) how usual each category is for age and gender; what a shop can know of a stranger. Sums to 1."""
    taste: Weights
    """(leaves,) probability of wanting something of each category. Sums to 1."""
    interest: Weights
    """(leaves,) the same as a score from -1 to 1.2."""
    colors: Weights
    """(colours,) liking, about standard normal."""
    patterns: Weights
    level: float
    """Usual price level, in standard deviations of the category's log price (as `Goods.level`)."""
    thrift: float
    """How strongly prices above that level put off."""
    patience: float
    """What the person brings to every session; its mean is ``PATIENCE[0]``."""
    directness: float
    """Probability of going from the feed straight to the detail page."""
    care: float
    """0-1: how much is read and compared before deciding."""
    ease: float
    """How easily a purchase is decided."""
    curiosity: float
    """How readily cards are opened; standard normal."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a session is about. Latent: nothing a session shows states it."""

    l1: int
    l2: int
    """Index, -1 when only the level-1 category is on the shopper's mind."""
    leaf: int
    """Index, -1 when no third-level category is."""
    strength: float
    budget: float
    """Price level accepted today."""
    color: int
    """A colour wanted today, -1 for none."""
    patience: float
    """Today's part of the patience; its mean is ``PATIENCE[1]``."""


def draw_shopper(market: Market, rng: np.random.Generator) -> Shopper:
    """A person at random."""
    world, _, stock = market
    gender = (None, "female", "male")[int(np.searchsorted((0.03, 0.56), rng.random(), side="right"))]
    age = int(np.clip(17 + rng.gamma(2.6, 7.0), 16, 78))
    audience = stock.audience(age, gender)
    log_taste = np.where(audience > 0, TYPICAL * np.log(np.maximum(audience, 1e-12)), -np.inf)
    at_level = (world.l1, world.l2, np.arange(len(world.leaves), dtype=np.int32))
    for k, sigma in enumerate(TASTE):
        log_taste = log_taste + sigma * rng.normal(size=int(at_level[k][-1]) + 1)[at_level[k]]
    taste = np.exp(log_taste - log_taste.max())
    taste /= taste.sum()
    usual = np.log(1.0 / len(stock.leaves))
    return Shopper(
        age=age,
        gender=gender,
        audience=audience,
        taste=taste,
        interest=np.clip((np.log(np.maximum(taste, 1e-12)) - usual) / 2, -1.0, 1.2),
        colors=rng.normal(size=len(world.colors)),
        patterns=rng.normal(size=len(world.patterns)),
        level=float(rng.normal(0.0, 0.6) + np.clip((age - 33) / 60, -0.2, 0.3)),
        thrift=float(rng.lognormal(-0.7, 0.5)),
        patience=float(rng.gamma(PATIENCE[0])),
        directness=float(rng.beta(0.8, 1.6)),
        care=float(rng.beta(1.6, 1.6)),
        ease=float(rng.normal(0.0, 0.4)),
        curiosity=float(rng.normal()),
    )


def recency(leaves: NDArray[np.int32]) -> Weights:
    """Weight of each entry of a history, oldest first; the last counts 1."""
    return np.asarray(_KEPT ** np.arange(len(leaves) - 1, -1, -1), dtype=np.float64)


def draw_intent(
    shopper: Shopper, market: Market, clicked: NDArray[np.int32], bought: NDArray[np.int32], rng: np.random.Generator
) -> Intent:
    """What the shopper wants today.

    Args:
        shopper: The person.
        market: The shop.
        clicked: Leaves of the clicks before the session, oldest first.
        bought: Leaves of the purchases before the session.
        rng: Source of chance.
    """
    world = market.world
    kind = rng.random()
    leaf = draw(shopper.taste, rng)
    if kind < GO_ON and len(clicked):
        # Goes on with something looked at lately and not yet bought.
        weight = recency(clicked) * np.where(np.isin(clicked, bought[-3:]), 0.3, 1.0)
        leaf = int(clicked[draw(weight / weight.sum(), rng)])
    exploring = kind > GO_ON + TO_TASTE
    broad = exploring and rng.random() < 0.5
    wants_color = world.leaves[leaf].colored and not exploring and rng.random() < 0.5
    odds = np.exp(1.2 * shopper.colors[list(world.leaves[leaf].palette)])
    color = world.leaves[leaf].palette[draw(odds / odds.sum(), rng)]
    return Intent(
        l1=int(world.l1[leaf]),
        l2=-1 if broad else int(world.l2[leaf]),
        leaf=-1 if exploring else leaf,
        strength=float(rng.uniform(0.8, 1.2)),
        budget=float(shopper.level + rng.normal(0.25, 0.3)),
        color=int(color) if wants_color else -1,
        patience=float(rng.gamma(PATIENCE[1])),
    )


def draw(weights: Weights, rng: np.random.Generator) -> int:
    """Index drawn by weights that sum to 1."""
    return min(int(np.searchsorted(np.cumsum(weights), rng.random(), side="right")), len(weights) - 1)
