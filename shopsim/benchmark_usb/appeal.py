"""How much an item appeals to a shopper, on any day and today. Equations: ``docs/shopper-model.md``."""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.shopper import Intent, Shopper, Weights
from shopsim.benchmark_usb.world import Goods

Rows = NDArray[np.int64]

# How much each part of the appeal counts.
FIT, INTEREST, LOOK, TRUST, FAME = 2.3, 0.9, 0.75, 0.4, 0.12
WANTED = 1.0
"""What the colour wanted today adds."""


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
