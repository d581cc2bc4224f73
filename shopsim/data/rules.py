"""What rules are made of: a piece of a table, which turns masks into problems, and the ids of a table.

The rules themselves stand in `catalog_rules`, `session_rules` and `screens`, a class a table. It takes the table in
pieces, in file order, and yields a `Problem` for each row that breaks a rule; the writer and `check` run the same ones.
Rows are counted from 0.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.manifest import Problem

SHOWN = 20
"""Rows named one by one for each rule and piece; the rest are counted."""

_FEW = 8
"""Values are looked up one by one where there are so many times more ids than values."""

LARGEST = float(np.finfo(np.float64).max)
"""The upper bound of what only has to be finite."""

_END = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000

Mask = NDArray[np.bool_]


class Piece:
    """The next rows of a table, under check.

    Args:
        file: The table's file.
        start: Row of the piece's first row in the file.
        table: The rows.
        name: Says which record a row of the piece is, for example ``item 'i7'``.
    """

    def __init__(self, file: str, start: int, table: pa.Table, name: Callable[[int], str]) -> None:
        self.file, self.start, self.table = file, start, table
        self._name = name

    def found(self, mask: Mask, cause: str | Callable[[int], str]) -> Iterator[Problem]:
        """Problems for the rows where a mask is true.

        Args:
            mask: bool (rows of the piece,).
            cause: What is wrong, or a function that says so of a row of the piece.
        """
        rows = np.flatnonzero(mask).tolist()
        for row in rows[:SHOWN]:
            told = cause if isinstance(cause, str) else cause(row)
            yield Problem(self.file, self.start + row, f"{self._name(row)}: {told}")
        if len(rows) > SHOWN:
            last = self.start + rows[-1]
            yield Problem(self.file, None, f"{len(rows) - SHOWN} more rows up to row {last} have the fault named last")

    def bad(self, mask: Mask, column: str, rule: str) -> Iterator[Problem]:
        """Problems for the rows where a column breaks a rule; they give its value."""
        return self.found(mask, lambda row: f"{column} is {self.table[column][row].as_py()!r}, {rule}")

    def outside(self, column: str, low: float, high: float, rule: str) -> Iterator[Problem]:
        """Problems for the rows where a number is given and not in [low, high]; NaN and infinity are not."""
        values = numbers(self.table, column)
        given = as_array(self.table[column].is_valid())
        return self.bad(given & ~((values >= low) & (values <= high)), column, rule)

    def times(self, column: str) -> Iterator[Problem]:
        """Problems for the rows where a time is before 1970 or after 2100."""
        values = as_array(self.table[column].cast(pa.int64()).fill_null(0))
        return self.found((values < 0) | (values > _END), f"{column} is not between 1970 and 2100")

    def nulls(self) -> Iterator[Problem]:
        """Problems for the rows where a column that needs a value has none."""
        for field in self.table.schema:
            if not field.nullable and self.table[field.name].null_count:
                yield from self.found(as_array(self.table[field.name].is_null()), f"{field.name} is missing")

    def unknown(self, column: str, ids: "Ids", noun: str) -> Iterator[Problem]:
        """Problems for the rows where a column gives an id that is none of these."""
        mask = ids.find(self.table[column])[1]
        return self.found(mask, lambda row: f"unknown {noun} {self.table[column][row].as_py()!r}")

    def unknown_in(self, column: str, places: NDArray[np.int64]) -> Iterator[Problem]:
        """Problems for the rows whose list of items holds something of no known place; `places` has all, end to end."""
        flat = pc.list_flatten(self.table[column])
        bad = np.flatnonzero(places < 0)
        owners, first = np.unique(parents(self.table[column])[bad], return_index=True)
        mask = np.zeros(len(self.table), bool)
        mask[owners] = True
        example = dict(zip(owners.tolist(), bad[first].tolist(), strict=True))
        return self.found(mask, lambda row: f"unknown item {flat[example[row]].as_py()!r} in {column}")


class Ids:
    """The ids of a table: finds repeats while they come in, and rows by id afterwards."""

    def __init__(self, file: str, column: str) -> None:
        self._file, self._column = file, column
        self._places: dict[str, int] = {}
        self._rows: list[int] = []
        self._array: pa.Array | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, table: pa.Table, start: int) -> Iterator[Problem]:
        """Takes the id column of the next rows; yields repeats and empty ids."""
        self._array = None
        for row, value in enumerate(table[self._column].to_pylist(), start):
            if value == "":
                yield Problem(self._file, row, f"{self._column} is empty")
            elif value in self._places:
                first = self._rows[self._places[value]]
                yield Problem(self._file, row, f"{self._column} {value!r} was used before, in row {first}")
            elif value is not None:
                self._places[value] = len(self._rows)
                self._rows.append(row)

    def row(self, value: str) -> int | None:
        """Row of an id."""
        place = self._places.get(value)
        return None if place is None else self._rows[place]

    def array(self) -> pa.Array:
        """The distinct ids in file order."""
        if self._array is None:
            self._array = pa.array(list(self._places), pa.string())
        return self._array

    def find(self, values: Any) -> tuple[NDArray[np.int64], Mask]:
        """Position of each value in `array` (-1 for null or unknown), and which are unknown."""
        if len(values) * _FEW < len(self):
            # Arrow looks at all ids before it looks for one.
            places = np.array([self._places.get(value, -1) for value in values.to_pylist()], np.int64)
            return places, (places < 0) & as_array(values.is_valid())
        places = pc.index_in(values, value_set=self.array())
        unknown = pc.and_(pc.is_null(places), pc.is_valid(values))
        return as_array(places.fill_null(-1)).astype(np.int64), as_array(unknown)


def numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    """A number column as float64, NaN where missing."""
    return as_array(table[name].cast(pa.float64(), safe=False)).astype(np.float64)


def lengths(lists: Any) -> NDArray[np.int64]:
    """Length of each list of a column, 0 where missing."""
    return as_array(pc.list_value_length(lists).fill_null(0)).astype(np.int64)


def parents(lists: Any) -> NDArray[np.int64]:
    """For the values of a list column end to end, the row each belongs to."""
    return np.repeat(np.arange(len(lists)), lengths(lists))


def member(values: Any, allowed: Sequence[str]) -> tuple[NDArray[np.int64], Mask]:
    """Position of each word among the allowed ones (-1 for none), and which are given but not allowed."""
    places = pc.index_in(values, value_set=pa.array(allowed, pa.string()))
    wrong = pc.and_(pc.is_null(places), pc.is_valid(values))
    return as_array(places.fill_null(-1)).astype(np.int64), as_array(wrong)


def as_array(values: Any) -> NDArray[Any]:
    """An Arrow array or chunked array as a NumPy array."""
    array: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return array
