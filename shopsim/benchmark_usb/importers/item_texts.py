"""What the events of a log say of its items, gathered row by row: ids, categories, brands, titles. Ours."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.values import Coded


class ItemTexts:
    """The items that good rows name, in the order in which the log first names them, and what is told of them."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._used = np.empty(0, bool)
        self._columns: dict[str, _Column] = {}

    def __len__(self) -> int:
        return int(self._used.sum())

    def add(self, item: Coded, told: Mapping[str, Coded], good: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Takes what the good ones of some rows tell; returns the place of their items, -1 for none, see `rows`."""
        items = _codes(item, self._places)[good]
        self._used = _grown(self._used, len(self._places))
        self._used[items[items >= 0]] = True
        for name, texts in told.items():
            self._columns.setdefault(name, _Column()).add(items, texts.only(good), len(self._places))
        return items

    @property
    def rows(self) -> NDArray[np.int32]:
        """Of each place the row of its item; of the last, -1, none."""
        return np.append(np.cumsum(self._used, dtype=np.int32) - 1, np.int32(-1))

    @property
    def ids(self) -> list[str]:
        """Of the items."""
        return self._of_used(list(self._places))

    def last(self, name: str) -> list[str]:
        """For each item the text told last in a column, else an empty one."""
        if name not in self._columns:
            return [""] * len(self)
        return self._of_used(self._columns[name].told(len(self._places)))

    def several(self) -> int:
        """Items of which some column but the title's told several texts."""
        masks = [_grown(c.several, len(self._places)) for name, c in self._columns.items() if name != "title"]
        return int(np.any(masks, axis=0).sum()) if masks else 0

    def _of_used(self, texts: list[str]) -> list[str]:
        return [text for text, used in zip(texts, self._used.tolist(), strict=True) if used]


class _Column:
    """What one column tells of the items."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._first = self._last = np.empty(0, np.int32)
        self.several = np.empty(0, bool)
        """For each item, whether there were several texts."""

    def add(self, items: NDArray[np.int32], texts: Coded, n_items: int) -> None:
        codes = _codes(texts, self._places)
        self._first, self._last = (_grown(column, n_items, -1) for column in (self._first, self._last))
        self.several = _grown(self.several, n_items)
        told = (codes >= 0) & (items >= 0)
        items, codes = items[told], codes[told]
        new = self._first[items] < 0
        # Of several rows for one item the one written last stays.
        self._first[items[new][::-1]] = codes[new][::-1]
        self._last[items] = codes
        self.several[items[codes != self._first[items]]] = True

    def told(self, n_items: int) -> list[str]:
        texts = [*self._places, ""]
        return [texts[code] for code in _grown(self._last, n_items, -1).tolist()]


def _codes(texts: Coded, places: dict[str, int]) -> NDArray[np.int32]:
    """The place of each row's text among those seen, -1 for none."""
    codes = [places.setdefault(text, len(places)) if text else -1 for text in texts.values]
    return texts.rows_of(np.array(codes, np.int32))


def _grown(column: NDArray[Any], n: int, value: int = 0) -> NDArray[Any]:
    """A column made longer."""
    return np.append(column, np.full(n - len(column), value, column.dtype))
