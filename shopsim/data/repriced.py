"""The same shop at other prices: what a price test's arm is played in. Ours."""

import hashlib
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.data.reader import DataSet
from shopsim.data.records import Category
from shopsim.errors import InputError


class Repriced(DataSet):
    """A data set whose shop asks other prices; everything else is the set's own, and is not copied.

    The new price is the item's one price: on cards and pages, in the text view, in infos, and to feed policies. What
    the user did before was at the old prices, and says so (`list_prices`). Recorded screens show the old prices and
    are left out, so that all screens are drawn; so they are at a factor of 1, for an arm to differ in prices alone.

    Args:
        dataset: The data set.
        factor: On the prices, above 0; results are rounded to a hundredth.
        category: Id or name of a category of any level: only its items have new prices; None for all.

    Raises:
        InputError: The factor cannot be used, or no item is of such a category.
    """

    def __init__(self, dataset: DataSet, factor: float = 1.0, category: str | None = None) -> None:
        if not (isfinite(factor) and factor > 0):
            raise InputError(f"price factor is {factor:g}; it must be a number above 0")
        self.__dict__.update(dataset.__dict__)
        self._base, self._change = dataset, (factor, category)
        chosen: NDArray[np.bool_] = np.full(dataset.n_items, True)
        if category is not None:
            codes = [code for code in np.unique(dataset.label_codes).tolist() if code >= 0]
            named = [code for code in codes if category in _names(dataset.category(code))]
            chosen = np.any(np.isin(dataset.label_codes, named), axis=1)
            if not chosen.any():
                known = ", ".join(dataset.category(code).category_id for code in codes[:5])
                raise InputError(f"no item is of category {category!r}; data set {dataset.name!r} has {known} ...")
        self.prices = np.where(chosen, np.round(dataset.prices * factor, 2), dataset.prices)
        self.n_screens = 0
        # What is kept of a data set, drawn cards among it, is kept by its hash.
        self.hash = hashlib.sha256(f"{dataset.hash} {factor!r} {category!r}".encode()).hexdigest()
        self._cached_item = lru_cache(maxsize=1024)(self._read_item)

    def __reduce__(self) -> tuple[Any, ...]:
        return Repriced, (self._base, *self._change)


def _names(category: Category) -> tuple[str | None, ...]:
    return category.category_id, category.name, category.name_zh
