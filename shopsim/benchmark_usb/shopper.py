"""Who shops: lasting taste, style, price level and habits, what they want today, and how much an item appeals.

Equations and their sources: ``docs/shopper-model.md``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world import Goods, Stock, World

Rows = NDArray[np.int64]
Weights = NDArray[np.float64]

# How much each part of the appeal counts.
FIT, INTEREST, LOOK, TRUST, FAME = 2.3, 0.9, 0.75, 0.4, 0.12
WANTED = 1.0
"""What the colour wanted today adds."""

TASTE = (1.2, 0.9, 0.9)
"""Spread of the log taste between categories of level 1, 2 and 3."""
TYPICAL = 1.3
"""Power of what is usual for age and gender in one person's taste."""

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
    """Factor on the length of sessions; mean 1."""
    directness: float
    """Probability of going from the feed straight to the detail page."""
    care: float
    """0-1: how much is read and compared before deciding."""
    ease: float
    """How easily a purchase is decided."""


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


def draw_shopper(world: World, stock: Stock, rng: np.random.Generator) -> Shopper:
    """A person at random."""
    gender = (None, "female", "male")[int(np.searchsorted((0.03, 0.56), rng.random(), side="right"))]
    age = int(np.clip(17 + rng.gamma(2.6, 7.0), 16, 78))
    audience = _audience(world, stock, age, gender)
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
        patience=float(rng.lognormal(-0.03, 0.25)),
        directness=float(rng.beta(0.8, 1.6)),
        care=float(rng.beta(1.6, 1.6)),
        ease=float(rng.normal(0.0, 0.4)),
    )


def _audience(world: World, stock: Stock, age: int, gender: str | None) -> Weights:
    """Traffic share of each leaf times how usual it is for this age and gender."""
    weights = stock.share.copy()
    for i in stock.leaves:
        who = world.leaves[i].audience
        by_gender = {"female": who.female, "male": who.male, None: (who.female + who.male) / 2}[gender]
        center, spread = who.age
        # Nobody is quite excluded: gifts, families.
        weights[i] *= by_gender * (0.15 + np.exp(-0.5 * ((age - center) / spread) ** 2))
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def draw_history(
    shopper: Shopper, goods: Goods, stock: Stock, clicks: int, purchases: int, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Clicks and purchases before the first session, item rows, oldest first.

    They come in episodes: a category wanted for a while, several of its items looked at, sometimes one bought.
    """
    episodes: list[Rows] = []
    left = clicks
    while left > 0:
        leaf = _next_leaf(shopper, goods, stock, int(episodes[-1][-1]) if episodes else -1, rng)
        shown = np.unique(stock.draw(np.full(16, leaf), rng))
        score = steady_appeal(shopper, goods, shown) + rng.gumbel(scale=0.5, size=len(shown))
        n = min(left, int(rng.geometric(0.3)))
        episodes.append(rng.permutation(shown[np.argsort(-score)[:n]]))
        left -= len(episodes[-1])
    bought: dict[int, None] = {}
    for number in np.sort(rng.permutation(len(episodes))[:purchases]):
        best_first = episodes[number][np.argsort(-steady_appeal(shopper, goods, episodes[number]))]
        bought.setdefault(next((item for item in best_first.tolist() if item not in bought), int(best_first[0])))
    return np.concatenate(episodes).tolist(), list(bought)


def _next_leaf(shopper: Shopper, goods: Goods, stock: Stock, last: int, rng: np.random.Generator) -> int:
    """The category of the next episode: the last one again, a neighbour of it, one to taste, or one by chance."""
    kind = rng.random()
    if last >= 0 and kind < 0.12:
        return int(goods.leaf[last])
    if last >= 0 and kind < 0.3:
        near = stock.leaves[stock.l2[stock.leaves] == goods.l2[last]]
        return int(near[rng.integers(len(near))])
    return draw(shopper.taste if kind < 0.86 else shopper.audience, rng)


def recency(leaves: NDArray[np.int32]) -> Weights:
    """Weight of each entry of a history, oldest first; the last counts 1."""
    return np.asarray(_KEPT ** np.arange(len(leaves) - 1, -1, -1), dtype=np.float64)


def draw_intent(
    shopper: Shopper, world: World, clicked: NDArray[np.int32], bought: NDArray[np.int32], rng: np.random.Generator
) -> Intent:
    """What the shopper wants today.

    Args:
        shopper: The person.
        world: The tree.
        clicked: Leaves of the clicks before the session, oldest first.
        bought: Leaves of the purchases before the session.
        rng: Source of chance.
    """
    kind = rng.random()
    leaf = draw(shopper.taste, rng)
    if kind < 0.5 and len(clicked):
        # Goes on with something looked at lately and not yet bought.
        weight = recency(clicked) * np.where(np.isin(clicked, bought[-3:]), 0.3, 1.0)
        leaf = int(clicked[draw(weight / weight.sum(), rng)])
    exploring = kind > 0.78
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
    )


def draw(weights: Weights, rng: np.random.Generator) -> int:
    """Index drawn by weights that sum to 1."""
    return min(int(np.searchsorted(np.cumsum(weights), rng.random(), side="right")), len(weights) - 1)


def steady_appeal(shopper: Shopper, goods: Goods, rows: Rows) -> Weights:
    """How much items please a person on any day: category, look, stars, fame, price."""
    look = np.where(goods.colored[rows], shopper.colors[goods.color[rows]], 0.0)
    look = look + np.where(goods.pattern[rows] > 0, 0.8 * shopper.patterns[goods.pattern[rows]], 0.0)
    return np.asarray(
        INTEREST * shopper.interest[goods.leaf[rows]]
        + LOOK * look
        + TRUST * (goods.rating[rows] - 4.4) / 0.3
        + FAME * (np.log1p(goods.sales[rows]) - 4.3)
        - _dearness(shopper, goods.level[rows], shopper.level),
        dtype=np.float64,
    )


def appeal(shopper: Shopper, intent: Intent, goods: Goods, rows: Rows) -> Weights:
    """How much items please today: `steady_appeal`, what is wanted, and today's budget and colour."""
    same_l1, same_l2 = goods.l1[rows] == intent.l1, goods.l2[rows] == intent.l2
    if intent.leaf >= 0:
        fit = np.where(goods.leaf[rows] == intent.leaf, 1.0, np.where(same_l2, 0.45, np.where(same_l1, 0.1, 0.0)))
    elif intent.l2 >= 0:
        fit = np.where(same_l2, 0.75, np.where(same_l1, 0.2, 0.0))
    else:
        fit = np.where(same_l1, 0.5, 0.0)
    wanted = np.where((goods.color[rows] == intent.color) & goods.colored[rows], 1.0, 0.0) * (fit > 0)
    level = goods.level[rows]
    today = _dearness(shopper, level, shopper.level) - _dearness(shopper, level, intent.budget)
    return np.asarray(
        steady_appeal(shopper, goods, rows) + FIT * intent.strength * fit + WANTED * wanted + today, dtype=np.float64
    )


def _dearness(shopper: Shopper, level: Weights, accepted: float) -> Weights:
    """Displeasure at a price level: quadratic above what is accepted, slight below (cheap looks poor)."""
    over = np.clip(level - accepted, 0.0, 2.5)
    under = np.clip(accepted - level - 1.0, 0.0, 2.5)
    return np.asarray(shopper.thrift * over**2 + 0.12 * under**2, dtype=np.float64)
