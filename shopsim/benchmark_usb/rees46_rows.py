"""Reading the lines of a REES46 log: text in, columns of numbers and codes out, with every dropped line counted.

Loads pyarrow.
"""

from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from shopsim.benchmark_usb.import_report import ImportReport
from shopsim.benchmark_usb.log_file import LogFile
from shopsim.benchmark_usb.log_table import MICROSECONDS, Kind
from shopsim.errors import DataError

COLUMNS = (
    "event_time",
    "event_type",
    "product_id",
    "category_id",
    "category_code",
    "brand",
    "price",
    "user_id",
    "user_session",
)
KINDS = tuple(kind.name.lower() for kind in Kind)
OTHER_KINDS = ("remove_from_cart",)
"""Kinds that sister logs of this store hold and the eight actions do not."""

_NUMBER = r"^[0-9]+$"
_PRICE = r"^[0-9]{1,12}(\.[0-9]+)?$"
_UUID_LENGTH = 36


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: a code for each row, and the text of each code."""

    codes: NDArray[np.int32]
    values: list[str]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the log that make sense, each once, in the order of the file."""

    time: NDArray[np.int64]
    """Microseconds since 1970, UTC."""
    kind: NDArray[np.int8]
    """Values of `Kind`."""
    price: NDArray[np.float64]
    """USD; 0 where unknown."""
    product: Texts
    category_id: Texts
    category_code: Texts
    brand: Texts
    user: Texts
    session: Texts

    def __len__(self) -> int:
        return len(self.time)


def read_rows(source: Path, report: ImportReport) -> Rows:
    """Reads and cleans a log.

    Raises:
        DataError: The file is missing, empty, damaged, not this log, or its last line is cut.
    """
    table = _read_table(source, report)
    table = _drop_senseless(table, report)
    table = _drop_duplicates(table, report)
    time = pc.cast(_time(table), pa.int64()).to_numpy() * MICROSECONDS
    price = pc.cast(table["price"], pa.float64()).to_numpy()
    report.price_zero_rows = int((price == 0).sum())
    return Rows(
        time=time,
        kind=pc.index_in(table["event_type"], pa.array(KINDS)).to_numpy().astype(np.int8),
        price=price,
        product=_texts(table["product_id"]),
        category_id=_texts(table["category_id"]),
        category_code=_texts(table["category_code"]),
        brand=_texts(table["brand"]),
        user=_texts(table["user_id"]),
        session=_texts(table["user_session"]),
    )


def _read_table(source: Path, report: ImportReport) -> pa.Table:
    """The columns as texts and a column ``line``, without the rows that have too few or too many fields."""
    misshapen: list[int] = []

    def skip(row: Any) -> str:
        line = row.number + 1  # the header is read apart
        misshapen.append(line)
        report.bad_row(line, f"has {row.actual_columns} fields, the header has {row.expected_columns}")
        return "skip"

    with LogFile(source) as file, BufferedReader(file, 1 << 20) as stream:
        header = _header(source, stream)
        try:
            table = pyarrow.csv.read_csv(
                pa.PythonFile(stream, mode="r"),
                # One thread, so that rows come with their number.
                pyarrow.csv.ReadOptions(use_threads=False, column_names=header),
                # No quotes: the log has none, and one inside a name must not swallow lines.
                pyarrow.csv.ParseOptions(quote_char=False, ignore_empty_lines=False, invalid_row_handler=skip),
                pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), include_columns=COLUMNS),
            )
        except pa.ArrowException as error:
            raise DataError(f"{source}: cannot be read as CSV ({error})") from error
        _check_end(file, table, misshapen)
    report.rows = len(table) + len(misshapen)
    lines = np.setdiff1d(np.arange(2, report.rows + 2), misshapen, assume_unique=True)
    return table.append_column("line", pa.array(lines))


def _header(source: Path, stream: "BufferedReader[LogFile]") -> list[str]:
    names = stream.readline().decode().removeprefix("\ufeff").rstrip("\r\n").split(",")
    missing = [name for name in COLUMNS if name not in names]
    if names == [""] and not stream.peek(1):
        raise DataError(f"{source}: is empty")
    if not missing and not stream.peek(1):
        raise DataError(f"{source}: holds no usable event (a header and no rows)")
    if missing:
        raise DataError(f"{source} line 1: the header lacks {', '.join(missing)}; a REES46 log has {','.join(COLUMNS)}")
    return names


def _check_end(file: LogFile, table: pa.Table, misshapen: list[int]) -> None:
    """Refuses a file that stops inside a line: what else is missing nobody knows.

    A last line without a line break passes if it has all its fields and its session is not shorter than a UUID
    where the line before has one.
    """
    if not file.unfinished:
        return
    sessions = table["user_session"][-2:].to_pylist()
    if file.line in misshapen or (len(sessions) == 2 and len(sessions[1]) < _UUID_LENGTH == len(sessions[0])):
        raise DataError(f"{file.path} line {file.line}: the file ends inside this line; get the whole file")


def _drop_senseless(table: pa.Table, report: ImportReport) -> pa.Table:
    """Leaves out rows with a value that cannot be, and rows of kinds without a counterpart."""
    table = table.set_column(
        table.schema.get_field_index("price"), "price", pc.if_else(pc.equal(table["price"], ""), "0", table["price"])
    )
    checks = {
        "event_time is not like 2019-10-01 00:00:00 UTC": pc.is_valid(_time(table)),
        f"event_type is none of {', '.join(KINDS)}": pc.is_in(table["event_type"], pa.array(KINDS + OTHER_KINDS)),
        "product_id is not a number": pc.match_substring_regex(table["product_id"], _NUMBER),
        "category_id is not a number": pc.match_substring_regex(table["category_id"], _NUMBER),
        "price is not a number of 0 or more": pc.match_substring_regex(table["price"], _PRICE),
        "user_id is not a number": pc.match_substring_regex(table["user_id"], _NUMBER),
        "user_session is empty": pc.not_equal(table["user_session"], ""),
    }
    good = np.ones(len(table), bool)
    lines = table["line"].to_numpy()
    for cause, passed in checks.items():
        bad = good & ~passed.to_numpy()
        good &= ~bad
        for line in lines[bad].tolist():
            report.bad_row(line, cause)
    for kind in OTHER_KINDS:
        other = good & pc.equal(table["event_type"], kind).to_numpy()
        good &= ~other
        if other.any():
            report.without_counterpart[kind] += int(other.sum())
    return table.filter(pa.array(good))


def _drop_duplicates(table: pa.Table, report: ImportReport) -> pa.Table:
    """Keeps the first of rows that are equal in every column."""
    first = table.group_by(list(COLUMNS)).aggregate([("line", "min")])["line_min"]
    report.duplicates = len(table) - len(first)
    return table.filter(pc.is_in(table["line"], first.combine_chunks()))


def _time(table: pa.Table) -> pa.ChunkedArray:
    """Event times in whole seconds, null where they cannot be read."""
    plain = pc.replace_substring(table["event_time"], " UTC", "")
    return pc.strptime(plain, format="%Y-%m-%d %H:%M:%S", unit="s", error_is_null=True)


def _texts(column: pa.ChunkedArray) -> Texts:
    coded = column.combine_chunks().dictionary_encode()
    return Texts(coded.indices.to_numpy(), coded.dictionary.to_pylist())
