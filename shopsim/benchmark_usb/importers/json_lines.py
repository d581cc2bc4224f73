"""Tables of JSON Lines, maybe with the rows in a list of each object. Ours. Loads pyarrow."""

import json
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shopsim.benchmark_usb.importers.log_format import FileShape
from shopsim.benchmark_usb.importers.pieces import CUT_OFF, Note, Piece
from shopsim.benchmark_usb.importers.text_file import TextFile
from shopsim.errors import DataError

_ROWS = 65_536
"""Rows read at a time."""
_OBJECTS = 100
"""Lines of JSON whose names are looked at, since an object need not have all."""


def json_names(lines: Iterable[bytes], explode: str) -> list[str]:
    """Names that the first objects have."""
    objects = (_object(line) or {} for line in islice(lines, _OBJECTS))
    return list(dict.fromkeys(name for each in objects for row in _exploded(each, explode) for name in row))


def json_pieces(path: Path, shape: FileShape, columns: Sequence[str], note: Note, refuse_cut: bool) -> Iterator[Piece]:
    """The rows of a file, see `tables.read_pieces`; numbers are texts as they are written."""
    with TextFile(path, shape.encodings) as file, BufferedReader(file, 1 << 20) as stream:
        note.text(file.encoding, file.bom)
        values: list[list[Any]] = [[] for _ in columns]
        rows: list[int] = []
        for number, line in enumerate(stream, start=1):
            content = _object(line)
            if content is None:
                cut = not line.endswith(b"\n")
                if cut and refuse_cut:
                    raise DataError(f"{path} line {number}: the file ends inside this line; get the whole file")
                note.rows(1)
                note.bad(number, CUT_OFF if cut else "is not a JSON object")
                continue
            for record in _exploded(content, shape.explode):
                rows.append(number)
                for column, name in zip(values, columns, strict=True):
                    column.append(record.get(name))
            if len(rows) >= _ROWS:
                yield _json_piece(columns, values, rows, note)
                values, rows = [[] for _ in columns], []
        if rows:
            yield _json_piece(columns, values, rows, note)


def _json_piece(columns: Sequence[str], values: list[list[Any]], rows: list[int], note: Note) -> Piece:
    note.rows(len(rows))
    arrays = [pa.array([_text(value) for value in column], pa.string()) for column in values]
    return Piece(pa.table(arrays, names=list(columns)), np.array(rows, np.int64))


def _object(line: bytes | str) -> dict[str, Any] | None:
    """The JSON object of a line, with numbers as they are written; None where it is none."""
    try:
        value = json.loads(line, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _exploded(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    if not name:
        return [record]
    members = record.get(name)
    return [{**record, **member} for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def _text(value: Any) -> str | None:
    if value is None:
        return value
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # JSON can name half of a character that is none alone.
    return text if text.isascii() else text.encode(errors="replace").decode()
