"""Memory-mapped columns: the files of a data set's ``index/`` folder. Ours.

A number column is one ``.npy`` file. A ragged column (texts, lists) is two: all values end to end, and the
offsets where each row starts. Columns are written as a stream and opened as memory maps, so that neither
costs memory that grows with the data; nothing is ever unpickled.
"""

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shopsim.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS: dict[str, str] = {
    "item_price": "<f8",
    "item_sales": "<i8",
    "item_aspect": "<i1",
    "item_counts": "<i4",
    "item_labels": "<i4",
    "item_order": "<i4",
    "session_user": "<i4",
    "session_split": "<i1",
    "session_start": "<i8",
    "session_order": "<i4",
    "session_by_user": "<i4",
    "user_sessions": "<i8",
    "screen_order": "<i4",
    "screen_place": "<i8",
    "step_start": "<i8",
    "step_action": "<i1",
    "step_item": "<i4",
    "step_page": "<i1",
    "step_scroll": "<i4",
    "step_time": "<i8",
    "step_x": "<f8",
    "step_y": "<f8",
    "step_imputed": "|b1",
}
"""Number columns by name, with their type."""

WIDTHS: dict[str, int] = {"item_counts": 2, "item_labels": 3, "screen_place": 3}
"""Columns of more than one number a row: attributes and reviews; levels; file, offset and length of the image."""

RAGGED: dict[str, str] = {
    "category": "|u1",
    "item_id": "|u1",
    "item_title": "|u1",
    "item_rest": "|u1",
    "user": "|u1",
    "user_clicks": "<i4",
    "user_purchases": "<i4",
    "session_id": "|u1",
    "session_feed": "<i4",
    "session_notes": "|u1",
    "screen_id": "|u1",
}
"""Ragged columns by name, with the type of their values; bytes are UTF-8 text."""

_TYPES = {name: np.dtype(code) for name, code in (NUMBERS | RAGGED).items()}
_TYPES |= {f"{name}.offsets": np.dtype("<i8") for name in RAGGED}
_MAGIC = 10
"""Bytes of a file before its header; the last two are the header's length."""


class ColumnWriter:
    """Writes one ``.npy`` file piece by piece; the header gets its length at the end."""

    def __init__(self, path: "Path", dtype: str, width: int | None = None) -> None:
        self._file: BinaryIO = path.open("wb")
        self._dtype = np.dtype(dtype)
        self._tail = () if width is None else (width,)
        self._rows = 0
        self._header()

    def append(self, values: Any) -> None:
        """Adds rows."""
        array = np.ascontiguousarray(values, dtype=self._dtype)
        self._rows += len(array)
        self._file.write(array.data)

    def close(self) -> None:
        """Writes the true length and closes."""
        # NumPy pads headers so that the first dimension can grow in place.
        self._file.seek(0)
        self._header()
        self._file.close()

    def _header(self) -> None:
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self._rows, *self._tail)}
        np.lib.format.write_array_header_1_0(self._file, header)


class IndexWriter:
    """Writes all columns of an index folder. Use as a context manager."""

    def __init__(self, folder: "Path") -> None:
        self._numbers = {name: ColumnWriter(folder / f"{name}.npy", t, WIDTHS.get(name)) for name, t in NUMBERS.items()}
        self._values = {name: ColumnWriter(folder / f"{name}.npy", dtype) for name, dtype in RAGGED.items()}
        self._offsets = {name: ColumnWriter(folder / f"{name}.offsets.npy", "<i8") for name in RAGGED}
        self._ends = dict.fromkeys(RAGGED, 0)
        for writer in self._offsets.values():
            writer.append([0])

    def __enter__(self) -> "IndexWriter":
        return self

    def __exit__(self, *_: object) -> None:
        for writer in (*self._numbers.values(), *self._values.values(), *self._offsets.values()):
            writer.close()

    def numbers(self, name: str, values: Any) -> None:
        """Adds rows to a number column."""
        self._numbers[name].append(values)

    def lists(self, name: str, values: NDArray[Any], lengths: NDArray[np.int64]) -> None:
        """Adds rows to a ragged column: all values end to end, and how many belong to each row."""
        self._values[name].append(values)
        offsets = self._ends[name] + np.cumsum(lengths, dtype=np.int64)
        self._offsets[name].append(offsets)
        if len(offsets):
            self._ends[name] = int(offsets[-1])

    def texts(self, name: str, texts: Sequence[str]) -> None:
        """Adds rows to a ragged column of texts."""
        encoded = [text.encode() for text in texts]
        lengths = np.fromiter((len(raw) for raw in encoded), np.int64, len(encoded))
        self.lists(name, np.frombuffer(b"".join(encoded), np.uint8), lengths)


def open_column(folder: str, name: str) -> NDArray[Any]:
    """A number column, or a part of a ragged one, as a read-only map of its file.

    A data set has some fifty of them, so their headers are not parsed, as `numpy.load` does: type and width are those
    of the tables above.

    Raises:
        DataError: The file holds something else.
    """
    with open(f"{folder}/{name}.npy", "rb", buffering=0) as file:
        content = mmap(file.fileno(), 0, access=ACCESS_READ)
    dtype, start = _TYPES[name], _MAGIC + int.from_bytes(content[_MAGIC - 2 : _MAGIC], "little")
    if f"'descr': '{dtype.str}'".encode() not in content[:start]:
        raise DataError(f"{folder}/{name}.npy holds no numbers of type {dtype.str}")
    values = np.frombuffer(content, dtype, offset=start)
    return values.reshape(-1, WIDTHS[name]) if name in WIDTHS else values


class Ragged:
    """A memory-mapped ragged column; ``column[row]`` is the row's array, read-only."""

    def __init__(self, folder: str, name: str) -> None:
        self._values = open_column(folder, name)
        self._offsets = open_column(folder, f"{name}.offsets")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is outside 0-{len(self) - 1}")
        return self._values[self._offsets[row] : self._offsets[row + 1]]

    def lengths(self) -> NDArray[np.int64]:
        """Number of values of every row."""
        return np.diff(self._offsets)

    def raw(self, row: int) -> bytes:
        """The row's bytes; sorts like the text."""
        return self[row].tobytes()

    def text(self, row: int) -> str:
        """The row as text."""
        return self[row].tobytes().decode()
