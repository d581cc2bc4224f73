"""Making fillers as popular as opened items, log by log. Ours.

A feed shows each item once, so that the most popular items of a category, drawn as often as people open them, come up
less often than they are opened; how much less depends on how uneven the log's popularity is. The weights of fillers
are therefore raised to a power, found on a sample of sessions: the one at which an opened card is as likely to
outdo a filler of its feed in popularity as not.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.catalog import Catalog
from shopsim.benchmark_usb.importers.chance import keys_of
from shopsim.benchmark_usb.importers.imputation import Imputer
from shopsim.benchmark_usb.importers.ragged import owners_of
from shopsim.benchmark_usb.importers.set_columns import Batch
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.stock import weights_of
from shopsim.benchmark_usb.importers.tells import aucs

SAMPLE = 1024
"""Sessions looked at."""
_RANGE = (0.5, 3.0)
_ROUNDS = 6
"""Halvings of the range; the power is then within 0.02."""


def balanced_power(catalog: Catalog, sample: Batch, popularity: NDArray[np.float64], settings: ImportSettings) -> float:
    """The power for `weights_of` at which popularity does not tell opened items among the cards seen.

    Args:
        catalog: The items.
        sample: `SAMPLE` sessions, or all.
        popularity: Shape (items,), how many sessions opened each.
        settings: How sessions are filled in.
    """
    keys = keys_of(settings.seed, (f"sample {row}" for row in range(len(sample.lengths))))
    low, high = _RANGE
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        weights = weights_of(popularity, catalog.groups, catalog.n_stock, middle)
        imputer = Imputer(catalog.items, catalog.groups, weights, settings.fill)
        if _advantage(imputer, keys, sample, popularity) > 0.5:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 2)


def _advantage(imputer: Imputer, keys: NDArray[np.uint64], sample: Batch, popularity: NDArray[np.float64]) -> float:
    """Chance that an opened card is more popular with other sessions than a filler seen in the same session."""
    filled = imputer.impute(keys, sample.events, sample.lengths)
    owner = owners_of(filled.feed_length)[filled.seen]
    cards = filled.feed[filled.seen]
    mine = (owners_of(filled.n_opened) << 32) + filled.opened
    is_opened = np.isin((owner << 32) + cards, mine)
    areas = aucs(popularity[cards] - is_opened, is_opened, np.bincount(owner, minlength=len(keys)))
    told = areas[~np.isnan(areas)]
    return float(np.mean(told)) if len(told) else 0.5
