"""What rules are made of: the ids of a table, and problems from masks. The rules stand in the two modules beside.

A rule set belongs to one table. It takes the table in pieces, in file order, and yields a `Problem` for each row
that breaks a rule; the writer and `check` run the same ones. Rows are counted from 0.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.manifest import Problem

SHOWN = 20
"""Rows named one by one for each rule and piece; the rest are counted."""

Mask = NDArray[np.bool_]


class Ids:
    """The ids of a table: finds repeats while they come in, and rows by id afterwards."""

    def __init__(self, file: str, column: str) -> None:
        self._file, self._column = file, column
        self._seen: dict[str, int] = {}
        self._array: pa.Array | None = None

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, table: pa.Table, start: int) -> Iterator[Problem]:
        """Takes the id column of the next rows; yields repeats and empty ids."""
        self._array = None
        for row, value in enumerate(table[self._column].to_pylist(), start):
            if value == "":
                yield Problem(self._file, row, f"{self._column} is empty")
            elif value is not None and (first := self._seen.setdefault(value, row)) != row:
                yield Problem(self._file, row, f"{self._column} {value!r} was used before, in row {first}")

    def row(self, value: str) -> int | None:
        """Row of an id."""
        return self._seen.get(value)

    def array(self) -> pa.Array:
        """The distinct ids in file order."""
        if self._array is None:
            self._array = pa.array(list(self._seen), pa.string())
        return self._array

    def find(self, values: Any) -> tuple[NDArray[np.int64], Mask]:
        """Position of each value in `array` (-1 for null or unknown), and which are unknown."""
        places = pc.index_in(values, value_set=self.array())
        unknown = pc.and_(pc.is_null(places), pc.is_valid(values))
        return as_array(places.fill_null(-1)).astype(np.int64), as_array(unknown)


def found(file: str, start: int, mask: Mask, cause: str | Callable[[int], str]) -> Iterator[Problem]:
    """Problems for the rows of a piece where `mask` is true.

    Args:
        file: The table's file.
        start: Row of the piece's first row in the file.
        mask: bool (rows of the piece,).
        cause: What is wrong, or a function that says so of a row of the piece.
    """
    rows = np.flatnonzero(mask).tolist()
    for row in rows[:SHOWN]:
        yield Problem(file, start + row, cause if isinstance(cause, str) else cause(row))
    if len(rows) > SHOWN:
        last = start + rows[-1]
        yield Problem(file, None, f"{len(rows) - SHOWN} more rows up to row {last} have the same fault as the last")


def nulls(file: str, start: int, table: pa.Table) -> Iterator[Problem]:
    """Missing values in columns that need one."""
    for field in table.schema:
        if not field.nullable and table[field.name].null_count:
            mask = as_array(table[field.name].is_null())
            yield from found(file, start, mask, f"{field.name} is missing")


def numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    """A number column as float64, NaN where missing."""
    return as_array(table[name].cast(pa.float64())).astype(np.float64)


def outside(table: pa.Table, name: str, low: float, high: float = np.finfo(np.float64).max) -> Mask:
    """Which values of a number column are given and not in [low, high]; NaN and infinity are not."""
    values = numbers(table, name)
    mask: Mask = as_array(table[name].is_valid()) & ~((values >= low) & (values <= high))
    return mask


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
