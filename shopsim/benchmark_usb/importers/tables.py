"""Reading the tables of a log piece by piece: CSV, JSON Lines or Parquet, with every row that is no row counted.

Loads pyarrow. Memory holds a few pieces at a time, however long the file.
"""

import csv
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.json_lines import json_names, json_pieces
from shopsim.benchmark_usb.importers.log_format import FileShape
from shopsim.benchmark_usb.importers.pieces import CUT_OFF, Note, Piece
from shopsim.benchmark_usb.importers.text_file import TextFile
from shopsim.benchmark_usb.importers.values import read_words
from shopsim.errors import DataError

_BLOCK = 4 << 20
"""Bytes of CSV read at a time."""
_ROWS = 65_536
"""Rows of Parquet read at a time."""
_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 20
"""Lines before the last one that tell how long its last field should be."""
_FEW_BREAKS = 20
"""Line breaks inside fields that may outnumber the rows; more are a quote that swallows rows."""
_CODED = pa.dictionary(pa.int32(), pa.string())


def format_of(path: Path, shape: FileShape) -> str:
    """The format of a file."""
    if shape.format:
        return shape.format
    name = path.name.removesuffix(".gz").lower()
    if name.endswith((".parquet", ".pq")):
        return "parquet"
    return "jsonl" if name.endswith((".jsonl", ".ndjson", ".json")) else "csv"


def column_names(path: Path, shape: FileShape) -> list[str]:
    """Names of a file's columns, of JSON Lines those of its first objects.

    Raises:
        DataError: The file cannot be read.
    """
    kind = format_of(path, shape)
    if kind == "parquet":
        return list(_parquet(path).schema_arrow.names)
    with TextFile(path, shape.encodings) as file, BufferedReader(file, 1 << 20) as stream:
        if kind == "csv":
            line = stream.readline().decode()
            return list(shape.header) or _fields(line, shape.delimiter or _delimiter_of(line), shape.quote)
        return json_names(stream, shape.explode)


def listed(names: Sequence[str]) -> str:
    """Names of columns as a message has them: in one line, and no more than a few."""
    return shorten(read_words(", ".join(names), frozenset()), 300, placeholder=" ...") or "no columns"


def read_pieces(path: Path, shape: FileShape, columns: Sequence[str], note: Note, refuse_cut: bool) -> Iterator[Piece]:
    """The rows of a file, piece by piece. Columns of CSV and JSON Lines are texts, coded or not.

    Args:
        path: The file.
        shape: How rows lie in it.
        columns: Columns to read; they must be there.
        note: Takes counts of rows, and of those that are none.
        refuse_cut: Whether a last line that breaks off makes the file unusable; else it is left out.

    Raises:
        DataError: The file cannot be read, or lacks a column.
    """
    there = column_names(path, shape)
    missing = [name for name in columns if name not in there]
    if missing:
        raise DataError(f"{path}: lacks the columns {', '.join(missing)}; it has {listed(there)}")
    kind = format_of(path, shape)
    if kind == "parquet":
        return _parquet_pieces(path, columns, note)
    return (_csv_pieces if kind == "csv" else json_pieces)(path, shape, columns, note, refuse_cut)


# Parquet


def _parquet(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read as Parquet ({error})") from error


def _parquet_pieces(path: Path, columns: Sequence[str], note: Note) -> Iterator[Piece]:
    start = 1
    with _parquet(path) as file:
        schema = file.schema_arrow
        types = [_plain_type(schema.field(name).type) for name in columns]
        for name, kind in zip(columns, types, strict=True):
            if pa.types.is_nested(kind):
                raise DataError(f"{path}: column {name} is {kind}, must hold single values")
        try:
            for batch in file.iter_batches(_ROWS, columns=list(columns)):
                note.rows(len(batch))
                table = pa.table([batch[name].cast(kind) for name, kind in zip(columns, types, strict=True)], columns)
                yield Piece(table, np.arange(start, start + len(batch)))
                start += len(batch)
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"{path} row {start}: cannot be read as Parquet ({error})") from error


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """One type for all kinds of text, which writers of Parquet choose among."""
    texts = (pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())
    return pa.string() if kind in texts else kind


# CSV


class _Misshapen:
    """Takes down lines that are no rows while pyarrow reads."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self.rows: list[int] = []
        self.causes: list[str] = []

    def __call__(self, row: Any) -> str:
        self.rows.append(row.number + self._offset)
        self.causes.append(f"has {row.actual_columns} fields, must have {row.expected_columns}")
        return "skip"


def _csv_pieces(path: Path, shape: FileShape, columns: Sequence[str], note: Note, refuse_cut: bool) -> Iterator[Piece]:
    with TextFile(path, shape.encodings) as file, BufferedReader(file, 1 << 20) as stream:
        note.text(file.encoding, file.bom)
        delimiter = shape.delimiter
        if shape.header:
            names, offset = list(shape.header), 0
            delimiter = delimiter or _delimiter_of(stream.peek(1).split(b"\n", 1)[0].decode(errors="replace"))
        else:
            line = stream.readline().decode()
            delimiter = delimiter or _delimiter_of(line)
            names, offset = _fields(line, delimiter, shape.quote), 1
        if not stream.peek(1):
            raise DataError(f"{path}: holds no rows" + (" below the names of the columns" if offset else ""))
        misshapen = _Misshapen(offset)
        held: Piece | None = None
        row = 1 + offset
        try:
            reader = pyarrow.csv.open_csv(
                pa.PythonFile(stream, mode="r"),
                # One thread, so that rows come with their number.
                pyarrow.csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names),
                pyarrow.csv.ParseOptions(
                    delimiter=delimiter,
                    quote_char=shape.quote or False,
                    newlines_in_values=bool(shape.quote),
                    ignore_empty_lines=False,
                    invalid_row_handler=misshapen,
                ),
                pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(columns, _CODED),
                    include_columns=list(columns),
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                rows = _numbers(row, len(batch), misshapen.rows)
                row = int(rows[-1]) + 1 if len(rows) else row
                note.rows(len(batch))
                if held is not None:
                    yield held
                # Held back by one, since the last row may turn out to be cut off.
                held = Piece(pa.table(batch), rows)
        except pa.ArrowException as error:
            cause = "a row is longer than 4 MB, maybe a quote is never closed" if "straddl" in str(error) else error
            raise DataError(f"{path} row {row} or below: cannot be read as CSV ({cause})") from error
        note.rows(len(misshapen.rows))
        last = max([row - 1, *misshapen.rows[-1:]])
        inside = file.lines - last
        if inside > max(_FEW_BREAKS, last):
            raise DataError(
                f"{path} row {last}: {inside} of the {file.lines} lines lie inside quotes, maybe one is never closed; "
                'where quotes mean nothing say quote = "" in a mapping file'
            )
        note.line_breaks(inside)
        cut_row = file.line in misshapen.rows[-1:]
        cut = bool(file.end) and (cut_row or _breaks_off(file.end, delimiter))
        if cut and refuse_cut:
            raise DataError(f"{path} line {file.line}: the file ends inside this line; get the whole file")
        if cut and cut_row:
            misshapen.causes[-1] = CUT_OFF
        elif cut and held is not None:
            note.bad(int(held.rows[-1]), CUT_OFF)
            held = Piece(held.table.slice(0, len(held.rows) - 1), held.rows[:-1])
        for bad, cause in zip(misshapen.rows, misshapen.causes, strict=True):
            note.bad(bad, cause)
        if held is not None:
            yield held


def _numbers(first: int, count: int, misshapen: list[int]) -> NDArray[np.int64]:
    """Numbers of the next `count` good rows."""
    skipped = [row for row in misshapen if row >= first]
    rows = np.arange(first, first + count + len(skipped))
    return rows[~np.isin(rows, skipped)][:count] if skipped else rows


def _breaks_off(end: str, delimiter: str) -> bool:
    """Whether a last line without a line break lacks some of its last field.

    It does where the lines before it all end in fields of one length, and its own is shorter (a time, an id).
    """
    *before, last = [line.rstrip("\r").rpartition(delimiter)[2] for line in end.split("\n")]
    lengths = {len(text) for text in before[1:][-_LOOKED_AT:]}
    return len(lengths) == 1 and len(last) < lengths.pop()


def _delimiter_of(line: str) -> str:
    """The delimiter that parts a line into most fields."""
    return max(_DELIMITERS, key=line.count)


def _fields(line: str, delimiter: str, quote: str) -> list[str]:
    # Without quotes a character stands in that no line holds.
    rows = csv.reader([line.rstrip("\r\n")], delimiter=delimiter, quotechar=quote or "\0")
    try:
        return [name.strip() for name in next(rows, [])]
    except csv.Error:  # carriage returns alone do not end a line here
        return [line.strip()]
