"""What rules are made of: a piece of a table, which turns masks into problems, and the ids of a table.

The rules themselves stand in `catalog_rules`, `session_rules` and `screens`, a class a table. It takes the table in
pieces, in file order, and yields a `Problem` for each row that breaks a rule; the writer and `check` run the same ones.
Rows are counted from 0.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

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


class _Run(NamedTuple):
    """Some ids of a table, sorted by their hash."""

    hashes: NDArray[np.int64]
    places: NDArray[np.int32]
    """Which id of the table each is, counted without empty ones and repeats."""
    rows: NDArray[np.int32]
    texts: pa.Array

    def find(self, values: pa.Array, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each value stands in the run, -1 where it does not."""
        if not len(self.hashes):
            return np.full(len(values), -1)
        at = np.searchsorted(self.hashes, hashes)
        at[at == len(self.hashes)] = 0
        same = as_array(pc.equal(self.texts.take(pa.array(at)), values).fill_null(False))
        for i in np.flatnonzero(~same & (self.hashes[at] == hashes)).tolist():
            # Two texts with one hash stand side by side.
            alike = range(at[i], int(np.searchsorted(self.hashes, hashes[i], side="right")))
            at[i] = next((k for k in alike if self.texts[k].as_py() == values[i].as_py()), -1)
            same[i] = True
        return np.where(same, at, -1)


class Ids:
    """The ids of a table: finds repeats while they come in, and rows by id afterwards.

    Ids stay as Arrow text beside their hashes, some 20 bytes and the text each; those of a dictionary take more, and
    hold on to the memory around them.
    """

    def __init__(self, file: str, column: str) -> None:
        self._file, self._column = file, column
        none = np.empty(0, np.int32)
        self._runs = [_Run(none.astype(np.int64), none, none, pa.array([], pa.string()))]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, table: pa.Table, start: int) -> Iterator[Problem]:
        """Takes the id column of the next rows; yields repeats and empty ids."""
        column = _flat(table[self._column])
        given = np.flatnonzero(as_array(pc.not_equal(column, "").fill_null(False)))
        texts = column.take(pa.array(given))
        hashes = _hashes(texts)
        empty = np.flatnonzero(as_array(pc.equal(column, "").fill_null(False)))
        causes = {int(i): f"{self._column} is empty" for i in empty}
        used = self._used_before(texts, hashes, start + given)
        for i in np.flatnonzero(used >= 0).tolist():
            causes[int(given[i])] = f"{self._column} {texts[i].as_py()!r} was used before, in row {used[i]}"
        new = np.flatnonzero(used < 0)
        new = new[np.argsort(hashes[new], kind="stable")]
        places = (self._count + np.cumsum(used < 0) - 1).astype(np.int32)
        rows = (start + given).astype(np.int32)
        self._count += len(new)
        self._runs.append(_Run(hashes[new], places[new], rows[new], texts.take(pa.array(new))))
        while len(self._runs) > 1 and len(self._runs[-2].hashes) <= 2 * len(self._runs[-1].hashes):
            self._merge()
        for row in sorted(causes):
            yield Problem(self._file, start + row, causes[row])

    def row(self, value: str) -> int | None:
        """Row of an id."""
        run, at = self._whole(), -1
        if value:
            values = pa.array([value], pa.string())
            at = int(run.find(values, _hashes(values))[0])
        return None if at < 0 else int(run.rows[at])

    def find(self, values: Any) -> tuple[NDArray[np.int64], Mask]:
        """Which id of the table each value is, in file order (-1 for null or unknown), and which are unknown."""
        values, run = _flat(values), self._whole()
        if len(values) * _FEW < len(self):
            # Arrow looks at all ids before it looks for one.
            at = run.find(values, _hashes(values))
        else:
            at = as_array(pc.index_in(values, value_set=run.texts).fill_null(-1)).astype(np.int64)
        unknown = (at < 0) & as_array(values.is_valid())
        return np.append(run.places, np.int32(-1))[at].astype(np.int64), unknown

    def _used_before(self, texts: pa.Array, hashes: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of the next ids the row where it was used before, -1 where it is new."""
        _, first, code = np.unique(as_array(texts.dictionary_encode().indices), return_index=True, return_inverse=True)
        used = np.where(first[code] < np.arange(len(rows)), rows[first[code]], -1)
        for run in self._runs:
            at = run.find(texts, hashes)
            used[at >= 0] = run.rows[at[at >= 0]]
        return used

    def _whole(self) -> _Run:
        while len(self._runs) > 1:
            self._merge()
        return self._runs[0]

    def _merge(self) -> None:
        """Makes one of the last two runs."""
        one, two = self._runs[-2:]
        order = np.argsort(hashes := np.append(one.hashes, two.hashes), kind="stable")
        texts = pa.concat_arrays([one.texts, two.texts]).take(pa.array(order))
        places, rows = np.append(one.places, two.places), np.append(one.rows, two.rows)
        self._runs[-2:] = [_Run(hashes[order], places[order], rows[order], texts)]


def _flat(values: Any) -> pa.Array:
    """An Arrow column in one piece."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _hashes(texts: pa.Array) -> NDArray[np.int64]:
    # Python's hash differs from run to run, which nothing here can be told by.
    return np.fromiter(map(hash, as_array(texts)), np.int64, len(texts))


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
