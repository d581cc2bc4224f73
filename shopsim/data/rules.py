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

_TEXTS = 32_768
"""Ids whose texts stay in pieces: made one, all would stand in memory twice for a while."""

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

    def unknown(self, column: str, mask: Mask, noun: str) -> Iterator[Problem]:
        """Problems for the rows whose id is none that is known."""
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


class Ids:
    """The ids of a table: finds repeats while they come in, and rows by id afterwards.

    Ids stay as Arrow text in the order of the table, beside their hashes: some 20 bytes and the text each; those of a
    dictionary take more, and hold on to the memory around them.
    """

    def __init__(self, file: str, column: str) -> None:
        self._file, self._column = file, column
        self._runs: list[_Run] = []
        self._texts = [pa.array([], pa.string())]
        self._rows = [np.empty(0, np.int32)]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def texts(self) -> pa.Array:
        """The ids in file order, without empty ones and repeats."""
        if len(self._texts) > 1:
            self._texts = [pa.concat_arrays(self._texts)]
        return self._texts[0]

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
        order = np.argsort(hashes[new], kind="stable")
        if len(new):
            self._runs.append(_Run(hashes[new][order], (self._count + order).astype(np.int32)))
        self._texts.append(texts.take(pa.array(new)))
        self._rows.append((start + given[new]).astype(np.int32))
        self._count += len(new)
        # Pieces of one size are made one, so that there are few and each id is moved seldom.
        while len(self._runs) > 1 and len(self._runs[-2].hashes) <= 2 * len(self._runs[-1].hashes):
            self._runs[-2:] = [_merged(*self._runs[-2:])]
        while len(self._texts) > 1 and len(self._texts[-2]) <= min(_TEXTS, 2 * len(self._texts[-1])):
            self._texts[-2:] = [pa.concat_arrays(self._texts[-2:])]
            self._rows[-2:] = [np.concatenate(self._rows[-2:])]
        for row in sorted(causes):
            yield Problem(self._file, start + row, causes[row])

    def row(self, value: str) -> int | None:
        """Row of an id."""
        values = pa.array([value], pa.string())
        place = int(self._search(values, _hashes(values))[0])
        return None if place < 0 else int(self._rows_of(np.array([place]))[0])

    def find(self, values: Any) -> tuple[NDArray[np.int64], Mask]:
        """Which id of the table each value is, in file order (-1 for null or unknown), and which are unknown."""
        values = _flat(values)
        if len(values) * _FEW < len(self):
            # Arrow looks at all ids before it looks for one.
            places = self._search(values, _hashes(values))
        else:
            places = as_array(pc.index_in(values, value_set=self.texts).fill_null(-1)).astype(np.int64)
        return places, (places < 0) & as_array(values.is_valid())

    def _used_before(self, texts: pa.Array, hashes: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of the next ids the row where it was used before, -1 where it is new."""
        _, first, code = np.unique(as_array(texts.dictionary_encode().indices), return_index=True, return_inverse=True)
        used = np.where(first[code] < np.arange(len(rows)), rows[first[code]], -1)
        places = self._search(texts, hashes)
        used[places >= 0] = self._rows_of(places[places >= 0])
        return used

    def _search(self, values: pa.Array, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which id each value is by its hash, -1 where it is none."""
        found = np.full(len(values), -1)
        for run in self._runs:
            at = np.searchsorted(run.hashes, hashes)
            alike = _at(run.hashes, at) == hashes
            alike &= at < len(run.hashes)
            asked = np.flatnonzero(alike)
            while len(asked):
                places = run.places[at[asked]]
                same = pc.equal(self.texts.take(pa.array(places)), values.take(pa.array(asked))).fill_null(False)
                found[asked[as_array(same)]] = places[as_array(same)]
                # Two texts with one hash stand side by side.
                asked = asked[~as_array(same)]
                at[asked] += 1
                asked = asked[(at[asked] < len(run.hashes)) & (_at(run.hashes, at[asked]) == hashes[asked])]
        return found

    def _rows_of(self, places: NDArray[np.int64]) -> NDArray[np.int32]:
        if len(self._rows) > 1 and len(places):
            self._rows = [np.concatenate(self._rows)]
        return self._rows[0][places]


def _merged(one: _Run, two: _Run) -> _Run:
    hashes = np.append(one.hashes, two.hashes)
    order = np.argsort(hashes, kind="stable")
    return _Run(hashes[order], np.append(one.places, two.places)[order])


def _at(hashes: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The hashes at these places, the last one beyond the end."""
    return hashes[np.minimum(places, len(hashes) - 1)]


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
