"""Which items are on sale, and what they cost before. Ours.

Data sets have one price. As a card's backdrop does, the old price comes from the item's picture seed, so that it is the
same wherever the item shows; where the seed is 0, nothing is made up. It moves nobody: the simulated people do
not look at it, and what is paid is the price.
"""

import math

from shopsim.data.records import Item

_CUTS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
_SHARE = 0.25
"""Share of items on sale."""
_LEAST = 1.0
"""A cheaper item is not on sale: its old price could not end as prices do."""


def old_price(item: Item) -> float | None:
    """What the item cost before, above its price; None where it is not on sale."""
    # Multipliers far from small numbers, so that neighbouring seeds differ.
    chance = item.picture.seed * 2654435761 % (1 << 32) / (1 << 32)
    if item.picture.seed == 0 or chance >= _SHARE or item.price < _LEAST:
        return None
    before = item.price / (1 - _CUTS[int(chance / _SHARE * len(_CUTS))])
    if before < 10:
        return round(math.floor(before * 10) / 10 + 0.09, 2)
    if before < 100:
        return math.floor(before) + 0.99
    return float(round(before)) if before < 1000 else round(before / 10) * 10 - 1.0


def discount(price: float, before: float, locale: str) -> str:
    """How much less that is, as shops say it: ``-25%``; in Chinese the tenths that are left to pay, ``7.5折``."""
    if locale.startswith("zh"):
        return f"{10 * price / before:.1f}".removesuffix(".0") + "折"
    return f"-{100 * (1 - price / before):.0f}%"
