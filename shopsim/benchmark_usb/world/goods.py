"""The items of the synthetic shop: what they are, without words. Words come from `writing`.

Every draw here is the same in both locales, so the same seed gives the same items and the same behaviour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world.tree import Leaf, World

ITEMS_PER_LEAF = 8
"""A shop with few items carries fewer categories rather than one or two items in each."""

LOOKS = ("color", "pattern")
"""Attributes that show in the picture."""
UNTOLD = 0.45
"""Share of the items with a choice of colour whose colour and pattern no text tells: one has to look."""

_TIER_ODDS = (0.42, 0.4, 0.18)
_TIER_SHIFT = (-0.75, 0.15, 1.35)
"""Where a tier's prices lie, in standard deviations of the category's log price."""


@dataclass(frozen=True, slots=True, eq=False)
class Goods:
    """All items as columns; row i is item i. Also the `Catalog` that `shopsim.envs.shop.Shop` asks.

    `level` is the log price in standard deviations from the median of its category: 0 is usual, 1 is dear.
    `quality` is latent, standard normal; ratings and reviews show it through noise.
    """

    seed: int
    leaf: NDArray[np.int32]
    l1: NDArray[np.int32]
    l2: NDArray[np.int32]
    brand: NDArray[np.int32]
    price: NDArray[np.float64]
    level: NDArray[np.float64]
    quality: NDArray[np.float64]
    rating: NDArray[np.float64]
    sales: NDArray[np.int64]
    color: NDArray[np.int32]
    accent: NDArray[np.int32]
    pattern: NDArray[np.int32]
    colored: NDArray[np.bool_]
    """Whether colour is a choice in the item's category."""
    untold: NDArray[np.bool_]
    """Whether the picture alone shows the item's colour and pattern."""
    aspects: NDArray[np.int32]
    values: tuple[tuple[int, ...], ...]
    """Index of the value of each of the leaf's attributes."""
    told: NDArray[np.int32]
    """Number of attributes in the item's table."""
    stars: tuple[tuple[int, ...], ...]
    """Stars of each review."""

    def __len__(self) -> int:
        return len(self.leaf)

    def aspect(self, item: int) -> int:
        """Code of the picture's shape."""
        return int(self.aspects[item])

    def detail_counts(self, item: int) -> tuple[int, int]:
        """Number of attributes told and of reviews."""
        return int(self.told[item]), len(self.stars[item])


def make_goods(world: World, n: int, seed: int) -> Goods:
    """Draws `n` items.

    Categories get items by their share of traffic (square root, so that small ones are not empty); rows are
    in random order, so an item's number tells nothing.
    """
    rng = np.random.default_rng([seed, 1])
    leaf = _leaves_of_items(world, n, rng)
    leaves = [world.leaves[i] for i in leaf]
    tier = rng.choice(3, n, p=_TIER_ODDS)
    quality = np.clip(rng.normal(size=n) + 0.35 * (tier - 1), -2.5, 2.5)
    values = tuple(_values(one, rng) for one in leaves)
    sigma = np.array([one.sigma for one in leaves])
    shift = np.array([_price_shift(one, v) for one, v in zip(leaves, values, strict=True)])
    log_price = sigma * (np.take(_TIER_SHIFT, tier) + 0.62 * rng.normal(size=n)) + shift
    price = _price_tags(np.array([one.median for one in leaves]) * np.exp(log_price), rng)
    spread = np.sqrt(sigma**2 + 0.15)
    level = np.log(price / np.array([one.median for one in leaves])) / spread
    rating = np.clip(4.42 + 0.24 * quality + 0.1 * rng.normal(size=n), 2.6, 5.0).round(1)
    busy = np.log([one.share for one in leaves])
    sales = np.exp(np.clip(4.3 + 1.5 * rng.normal(size=n) + 0.4 * quality - 0.3 * level + 0.5 * busy, 0.7, 12.0))
    color = _looks(leaves, values, "color", rng)
    colored = np.array([one.colored for one in leaves])
    untold = colored & (rng.random(n) < UNTOLD)
    looks = np.array([sum(a.key in LOOKS for a in one.attributes) for one in leaves])
    return Goods(
        seed=seed,
        leaf=leaf,
        l1=world.l1[leaf],
        l2=world.l2[leaf],
        brand=np.array([_brand(one, t, u) for one, t, u in zip(leaves, tier, rng.random(n), strict=True)], np.int32),
        price=price,
        level=level,
        quality=quality,
        rating=rating,
        sales=sales.astype(np.int64),
        color=color,
        accent=_accents(leaves, color, rng),
        pattern=_looks(leaves, values, "pattern", rng),
        colored=colored,
        untold=untold,
        aspects=np.array([one.aspect for one in leaves], np.int32),
        values=values,
        told=(np.array([len(v) for v in values]) - looks * untold).astype(np.int32),
        stars=tuple(_stars(r, rng) for r in rating),
    )


def _leaves_of_items(world: World, n: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """The leaf of each item: whole groups are carried, as many as leave about `ITEMS_PER_LEAF` items a leaf."""
    wanted = max(1, n // ITEMS_PER_LEAF)
    group_share = np.bincount(world.l2, world.share)
    carried: list[int] = []
    # Gumbel noise on log shares draws groups without replacement by share.
    for group in np.argsort(-(np.log(group_share) + rng.gumbel(size=len(group_share)))):
        if len(carried) < wanted:
            carried.extend(np.flatnonzero(world.l2 == group).tolist())
    carried.sort()
    weight = np.sqrt(world.share[carried])
    # One item each where there are enough, so that no category carried is empty.
    least = int(n >= len(carried))
    each = least + np.floor(weight / weight.sum() * (n - least * len(carried))).astype(int)
    counts = each + (np.arange(len(carried)) < n - each.sum())
    return rng.permutation(np.repeat(np.array(carried, np.int32), counts)).astype(np.int32)


def pick(weights: Sequence[float], u: float) -> int:
    """Index drawn in proportion to `weights` by the uniform number `u`."""
    left = u * sum(weights)
    for i, w in enumerate(weights):
        left -= w
        if left < 0:
            return i
    return len(weights) - 1


def _common_first(n: int) -> list[float]:
    """Weights of a list written with the most common value first."""
    return [1.0 / (k + 2) for k in range(n)]


def _values(leaf: Leaf, rng: np.random.Generator) -> tuple[int, ...]:
    chosen = []
    for attribute in leaf.attributes:
        if attribute.key == "color":
            chosen.append(leaf.palette[pick(_common_first(len(leaf.palette)), rng.random())])
        elif attribute.key == "pattern":
            # About half of what can have a pattern is plain.
            plain = rng.random() < 0.5 or len(leaf.patterns) == 1
            chosen.append(leaf.patterns[0 if plain else 1 + pick(_common_first(len(leaf.patterns) - 1), rng.random())])
        else:
            chosen.append(int(rng.integers(len(attribute.values))))
    return tuple(chosen)


def _price_shift(leaf: Leaf, values: tuple[int, ...]) -> float:
    """What the attributes do to the log price."""
    shift = 0.0
    for attribute, value in zip(leaf.attributes, values, strict=True):
        if attribute.price and len(attribute.values) > 1:
            shift += attribute.price * (2 * value / (len(attribute.values) - 1) - 1)
    return shift


def _price_tags(price: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Prices as shops write them: 12.99, 38.50, 249, 1,299."""
    ends = np.take((0.99, 0.49, 0.95, 0.00), rng.choice(4, len(price), p=(0.5, 0.15, 0.15, 0.2)))
    small = np.maximum(np.floor(price), 1) + ends
    middle = np.round(price) - 0.01 * (ends > 0.9)
    large = np.round(price / 10) * 10 - 1
    return np.asarray(np.where(price < 60, small, np.where(price < 250, middle, large)).round(2), dtype=np.float64)


def _looks(
    leaves: Sequence[Leaf], values: Sequence[tuple[int, ...]], key: str, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Colour or pattern of each picture: the attribute where the category has it, else one of the palette."""
    looks = []
    for leaf, value, u in zip(leaves, values, rng.random(len(leaves)), strict=True):
        named = [v for a, v in zip(leaf.attributes, value, strict=True) if a.key == key]
        pool = leaf.palette if key == "color" else leaf.patterns[:1]
        looks.append(named[0] if named else pool[pick(_common_first(len(pool)), u)])
    return np.array(looks, np.int32)


def _accents(leaves: Sequence[Leaf], color: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """A second colour of the same palette, other than the first where there is another."""
    accents = []
    for leaf, first, u in zip(leaves, color, rng.random(len(leaves)), strict=True):
        others = [c for c in leaf.palette if c != first] or [int(first)]
        accents.append(others[int(u * len(others))])
    return np.array(accents, np.int32)


def _brand(leaf: Leaf, tier: int, u: float) -> int:
    of_tier = [i for i, brand in enumerate(leaf.brands) if brand.tier == tier]
    return of_tier[int(u * len(of_tier))]


def _stars(rating: float, rng: np.random.Generator) -> tuple[int, ...]:
    """Stars of two to five reviews around a mean rating."""
    drawn = rng.normal(rating + 0.1, 0.75, int(rng.integers(2, 6)))
    return tuple(int(s) for s in np.clip(np.round(drawn), 1, 5))
