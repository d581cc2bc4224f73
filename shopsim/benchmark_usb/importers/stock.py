"""Items a shop had and nobody in its log opened. Ours.

A log names an item when somebody opens it, so that in a sample of one most categories have a handful of items left:
a feed of those would show the opened items among all there are, or among items of other categories, and either gives
them away. What feeds show is mostly what nobody opens. So every category gets stock: items like one of its own (its
price, brand, title and words) with an id like the log's and looks of their own, and fillers are drawn from both.

How often? By what other sessions would open: an item that `r` sessions opened has its share discounted to ``r - d``,
and what is taken off goes to the stock of its category (absolute discounting, with the usual estimate
``d = n1 / (n1 + 2 n2)`` of the numbers of items opened once and twice). Then how often the *other* sessions of the log
opened an item tells little of whether this one did; with bare counts the item nobody else opened would be the one.
"""

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.item_filling import Draft

_DONORS, _IDS = 41, 42
"""Purposes of chance."""
_LEAST_WEIGHT = 0.05
"""Of an item, where everything is discounted: no item is never shown."""
_ALPHABETS = ("123456789", digits, ascii_lowercase, ascii_uppercase)


def stock_of(drafts: Sequence[Draft], groups: NDArray[np.int64], shelf: int) -> tuple[list[Draft], NDArray[np.int64]]:
    """Stock for each finest category, so many that it has at least `shelf` items, and half as many again as its own.

    Args:
        drafts: The log's items.
        groups: Shape (items, levels), their categories from the finest.
        shelf: Least items of a category; 0 for no stock.

    Returns:
        The stock, and its categories.
    """
    size = np.bincount(groups[:, 0])
    wanted = np.where(size > 0, np.maximum(shelf - size, -(-size // 2)), 0) if shelf else np.zeros_like(size)
    order = np.argsort(groups[:, 0], kind="stable")
    start = np.cumsum(size) - size
    taken = {draft.item_id for draft in drafts}
    stock, rows = [], []
    for code in np.flatnonzero(wanted).tolist():
        own = order[start[code] : start[code] + size[code]]
        keys = keys_of(0, [drafts[own[0]].item_id] * int(wanted[code]))
        donors = own[Stream(keys, _DONORS, np.arange(len(keys))).below(np.full(len(keys), len(own)))]
        for number, row in enumerate(donors.tolist()):
            stock.append(drafts[row]._replace(item_id=_new_id(drafts[row].item_id, number, taken)))
        rows.append(donors)
    return stock, groups[np.concatenate([order[:0], *rows])]


def weights_of(
    popularity: NDArray[np.float64], groups: NDArray[np.int64], n_stock: int, power: float
) -> NDArray[np.float64]:
    """How often each item is drawn as a filler.

    Args:
        popularity: Shape (items,), how many sessions opened each; the stock stands last.
        groups: Shape (items, levels), their categories from the finest.
        n_stock: Items that are stock.
        power: To which the discounted shares of the log's own items are raised, see `balance`.
    """
    own = np.arange(len(popularity)) < len(popularity) - n_stock
    once, twice = int((popularity == 1).sum()), int((popularity == 2).sum())
    off = once / (once + 2 * twice) if once and n_stock else 0.0
    weights = np.maximum(popularity - off, _LEAST_WEIGHT)
    category, levels = groups[:, 0], int(groups[:, 0].max()) + 1
    taken_off = np.bincount(category[own], np.maximum(popularity - weights, 0.0)[own], minlength=levels)
    shelves = np.maximum(1, np.bincount(category[~own], minlength=levels))
    weights[own] **= power
    weights[~own] = np.maximum((taken_off / shelves)[category[~own]], _LEAST_WEIGHT)
    return weights


def _new_id(like: str, number: int, taken: set[str]) -> str:
    """An id of the same shape as another, letters for letters and digits for digits, that is not taken."""
    kinds = [_ALPHABETS[0 if i == 0 else 1] if c in digits else c for i, c in enumerate(like)]
    kinds = [ascii_lowercase if c in ascii_lowercase else ascii_uppercase if c in ascii_uppercase else c for c in kinds]
    while True:
        key = keys_of(number, [like])
        chance = Stream(np.repeat(key, len(kinds)), _IDS, np.arange(len(kinds)))
        places = chance.below(np.array([len(kind) for kind in kinds]))
        text = "".join(kind[place] for kind, place in zip(kinds, places.tolist(), strict=True))
        if text not in taken:
            taken.add(text)
            return text
        number += 1 << 20
        if number > 20 << 20:
            kinds = [*kinds, digits]
