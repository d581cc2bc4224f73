"""Rows that are more than memory should hold, on disk in parts: each part holds what is worked on at once. Ours.

Loads pyarrow. Memory holds the rows that wait to be written, and the part that is read.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_WAITING = 1 << 23
"""Bytes that are written at once."""


class Spill:
    """Rows in numbered parts of one file; the rows of a part come back in the order in which they went in.

    Args:
        file: File to make; whoever gives it removes it.
        parts: Number of parts.
        schema: Of the rows.
    """

    def __init__(self, file: Path, parts: int, schema: pa.Schema) -> None:
        self.parts = parts
        self._path = str(file)
        self._file = pa.OSFile(self._path, "wb")
        self._schema = schema
        self._places: list[list[tuple[int, int]]] = [[] for _ in range(parts)]
        self._waiting: list[tuple[pa.Table, NDArray[np.integer]]] = []
        self._bytes = self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(self, table: pa.Table, part: NDArray[np.integer]) -> None:
        """Takes rows, and the part of each."""
        self._waiting.append((table, part))
        self._rows += len(table)
        self._bytes += table.nbytes
        if self._bytes >= _WAITING:
            self._write()

    def read(self, part: int) -> pa.Table:
        """The rows of a part, in one piece; none can be added any more."""
        if not self._file.closed:
            self._write()
            self._file.close()
        with pa.OSFile(self._path) as file:
            batches = []
            for place, size in self._places[part]:
                file.seek(place)
                batches.append(pa.ipc.read_record_batch(file.read_buffer(size), self._schema))
        return pa.Table.from_batches(batches, self._schema).combine_chunks()

    def _write(self) -> None:
        if not self._waiting:
            return
        tables, parts = zip(*self._waiting, strict=True)
        self._waiting, self._bytes = [], 0
        part = np.concatenate(parts)
        order = np.argsort(part, kind="stable")
        table = pa.concat_tables(tables).take(pa.array(order)).combine_chunks()
        ends = np.cumsum(np.bincount(part, minlength=self.parts)).tolist()
        for number, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            for batch in table.slice(begin, end - begin).to_batches():
                self._places[number].append((self._file.tell(), self._file.write(batch.serialize())))


def regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The rows of tables in tables of so many rows, but for the last."""
    left: list[pa.Table] = []
    for table in tables:
        left = [*left, table]
        while sum(map(len, left)) >= rows:
            whole = pa.concat_tables(left)
            yield whole.slice(0, rows).combine_chunks()
            left = [whole.slice(rows)]
    if sum(map(len, left)):
        yield pa.concat_tables(left).combine_chunks()
