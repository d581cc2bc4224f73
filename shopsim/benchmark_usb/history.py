"""What a shopper clicked and bought before the first session. Equations: ``docs/shopper-model.md``."""

import numpy as np

from shopsim.benchmark_usb.appeal import Rows, steady_appeal
from shopsim.benchmark_usb.shopper import Shopper, Weights
from shopsim.benchmark_usb.world import Market

AGAIN, NEAR, TO_TASTE = 0.12, 0.18, 0.56
"""Shares of the episodes about the same category as the one before, about a neighbour of it, and about one to
taste; the rest is about what is usual for such people."""
_STOP = 0.3
"""Chance that a click is an episode's last; the mean length is 1 / 0.3."""
_SHOWN = 16
"""Items of a category from which an episode's clicks are chosen; popular ones among them more than once."""
_WHIM = 0.5
"""Scale of the Gumbel noise on what appeals."""


def draw_history(
    shopper: Shopper, market: Market, clicks: int, purchases: int, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Clicks and purchases before the first session, item rows, oldest first.

    They come in episodes: a category wanted for a while, several of its items looked at, sometimes one bought.

    Args:
        shopper: The person.
        market: The shop.
        clicks: How many, exactly.
        purchases: How many, exactly; of items clicked, the best of some episodes first, each once while there are
            others.
        rng: Source of chance.
    """
    if clicks == 0:
        return [], []
    rows, episode, rank = _episodes(shopper, market, clicks, rng)
    lottery = rng.random(int(episode[-1]) + 1)
    best_first = rows[np.lexsort((lottery[episode], rank))].tolist()
    chosen = list(dict.fromkeys(best_first))[:purchases]
    last = {item: place for place, item in enumerate(rows.tolist())}
    bought = sorted(chosen, key=last.__getitem__)
    # Who clicked fewer different items than asked for bought some again.
    return rows.tolist(), bought + [bought[i % len(bought)] for i in range(purchases - len(bought))]


def _episodes(shopper: Shopper, market: Market, clicks: int, rng: np.random.Generator) -> tuple[Rows, Rows, Rows]:
    """For each click: the item, the number of its episode, and its place among the episode's items, 0 the best."""
    n = 4 + round(1.2 * _STOP * clicks)
    shown = market.stock.draw(np.repeat(_leaves(shopper, market, n, rng), _SHOWN), rng).reshape(n, _SHOWN)
    shown.sort(axis=1)
    pull = steady_appeal(shopper, market.goods, shown.ravel()).reshape(n, _SHOWN)
    pull += rng.gumbel(scale=_WHIM, size=pull.shape)
    pull[:, 1:][shown[:, 1:] == shown[:, :-1]] = -np.inf
    length = np.minimum(rng.geometric(_STOP, n), np.isfinite(pull).sum(axis=1))
    clicked = np.arange(_SHOWN) < length[:, None]
    rows = np.take_along_axis(shown, np.argsort(-pull, axis=1, kind="stable"), axis=1)[clicked]
    episode, rank = np.nonzero(clicked)
    # Clicks of an episode come in any order.
    mixed = np.lexsort((rng.random(len(rows)), episode))
    found = rows[mixed], episode[mixed], rank[mixed]
    if len(rows) < clicks:
        rows, episode, rank = _episodes(shopper, market, clicks - len(rows), rng)
        found = np.append(found[0], rows), np.append(found[1], episode + n), np.append(found[2], rank)
    return found[0][-clicks:], found[1][-clicks:], found[2][-clicks:]


def _leaves(shopper: Shopper, market: Market, n: int, rng: np.random.Generator) -> Rows:
    """The categories of `n` episodes."""
    stock = market.stock
    kind, place = rng.random(n), rng.random(n)
    leaves = np.where(
        rng.random(n) < TO_TASTE / (1.0 - AGAIN - NEAR), _drawn(shopper.taste, place), _drawn(shopper.audience, place)
    )
    for i in range(1, n):
        if kind[i] < AGAIN:
            leaves[i] = leaves[i - 1]
        elif kind[i] < AGAIN + NEAR:
            near = stock.near(int(leaves[i - 1]))
            leaves[i] = near[int(place[i] * len(near))]
    return leaves


def _drawn(weights: Weights, u: Weights) -> Rows:
    """An index for each uniform number, by weights that sum to 1."""
    ends = np.cumsum(weights)
    found: Rows = np.minimum(np.searchsorted(ends, u * ends[-1], side="right"), len(weights) - 1)
    return found
