"""Reading the events of a log into columns of numbers and codes, with every row dropped or mended counted. Ours.

Pieces of a file pass through one after the other; what stays is 57 bytes an event and each distinct text once.
Loads pyarrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import keys_of, mixed
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.log_format import LogFormat, names_in
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.money import Money
from shopsim.benchmark_usb.importers.pieces import Note, Piece
from shopsim.benchmark_usb.importers.rows import Rows
from shopsim.benchmark_usb.importers.settings import CleanRules
from shopsim.benchmark_usb.importers.tables import read_pieces
from shopsim.benchmark_usb.importers.times import read_times
from shopsim.benchmark_usb.importers.values import (
    Coded,
    coded,
    is_whole_number,
    read_id,
    read_words,
)
from shopsim.errors import DataError

_LATEST = 4_102_444_800_000_000
"""The year 2100 in microseconds."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: a code for each row (-1 for nothing), and the text of each code."""

    codes: NDArray[np.int32]
    values: pa.StringArray


@dataclass(frozen=True, slots=True)
class Events:
    """Events of a log that make sense, in the order of its files; all arrays have the same length."""

    time: NDArray[np.int64]
    """Microseconds since 1970, UTC."""
    kind: NDArray[np.int8]
    """Values of `Kind`."""
    price: NDArray[np.float64]
    """In the set's currency; NaN where unknown."""
    item: Texts
    user: Texts
    session: Texts
    category: tuple[Texts, ...]
    """From the coarsest level; or one column of paths."""
    category_id: Texts
    brand: Texts
    title: Texts
    mind: Texts
    currency: str
    """Of the prices; empty where the log has none."""

    def __len__(self) -> int:
        return len(self.time)


def read_events(paths: Sequence[Path], log: LogFormat, rules: CleanRules, report: ImportReport) -> Events:
    """Reads and cleans the events of a log.

    Raises:
        DataError: A file is missing, empty, damaged or not such a log, or no row makes sense.
    """
    reader = _Reader(log, rules, report)
    columns = list(log.sources) or names_in(log.events)
    for path in paths:
        for piece in read_pieces(path, log.shape, columns, Note(report, path.name), rules.cut_end == "refuse"):
            reader.add(path.name, log.prepare(piece) if log.prepare else piece)
    report.rows = sum(report.file_rows[name] for name in {path.name for path in paths})
    if not reader.events:
        told, bad = ", ".join(str(path) for path in paths), report.bad_rows
        often = f", most of which: {max(bad, key=bad.__getitem__)}" if bad else ""
        raise DataError(f"{told}: holds no usable event (rows {report.rows}, bad {bad.total()}{often})")
    return reader.finish()


class _Reader:
    """Takes pieces of the table of events."""

    def __init__(self, log: LogFormat, rules: CleanRules, report: ImportReport) -> None:
        self._log, self._rules, self._report = log, rules, report
        self._missing = frozenset(rules.missing)
        self._window = (_microseconds(rules.earliest, 0), _microseconds(rules.latest, _LATEST))
        self._money = Money(log, rules, report)
        self._arrays: dict[str, list[NDArray[Any]]] = {}
        self._texts: dict[str, list[pa.DictionaryArray]] = {}

        self.events = 0
        """Rows that make sense, so far."""

    def add(self, file: str, piece: Piece) -> None:
        """Takes the next rows."""
        columns, table, report = self._log.events, piece.table, self._report
        rows = Rows(file, piece.rows, report)
        times = read_times(table[columns.time], self._rules.time_zone, self._rules.time_format)
        report.time_zones.update(times.zones)
        rows.drop(~times.good, "time cannot be read")
        low, high = self._window
        rows.drop((times.microseconds < low) | (times.microseconds >= high), "time is outside the log's own")
        kind = self._kind(table, rows)
        item = self._ids("item", table[columns.item], rows)
        item = Coded(np.where(kind == Kind.LEAVE, len(item.values) - 1, item.codes).astype(np.int32), item.values)
        rows.drop((kind != Kind.LEAVE) & item.is_nothing(), "item is missing")
        user, session = self._owners(table, rows)
        price, currency = self._money.read(table, rows)

        kept: dict[str, NDArray[Any]] = {"time": times.microseconds, "kind": kind, "price": price, "currency": currency}
        if columns.also:
            kept["also"] = _fingerprint([coded(table[name]) for name in columns.also])
        for name, array in kept.items():
            self._arrays.setdefault(name, []).append(array[rows.good])
        texts = {"item": item, "user": user, "session": session}
        told = {name: getattr(columns, name) for name in ("category_id", "brand", "title", "mind")}
        told |= {f"category {level}": name for level, name in enumerate(columns.category)}
        for name, column in told.items():
            if column:
                texts[name] = self._words(name.split()[0], table[column], rows)
        for name, text in texts.items():
            self._texts.setdefault(name, []).append(text.arrow(rows.good))
        self.events += int(rows.good.sum())

    def finish(self) -> Events:
        """All rows taken; duplicates and the texts of dropped rows are gone."""
        # Piece by piece, so that no column is there twice together with all others.
        arrays = {name: np.concatenate(self._arrays.pop(name)) for name in list(self._arrays)}
        texts = {name: _unified(self._texts.pop(name)) for name in list(self._texts)}
        repeated = _repeated([*arrays.values(), *(text.codes for text in texts.values())])
        self._report.duplicates = int(repeated.sum())
        if self._rules.duplicates == "drop":
            keep = ~repeated
            arrays = {name: array[keep] for name, array in arrays.items()}
            texts = {name: Texts(text.codes[keep], text.values) for name, text in texts.items()}
        texts = {name: _used(text) for name, text in texts.items()}
        nothing = Texts(np.broadcast_to(np.int32(-1), len(arrays["time"])), pa.array([], pa.string()))
        price, currency = self._money.settle(arrays["price"], arrays["currency"])
        return Events(
            time=arrays["time"],
            kind=arrays["kind"],
            price=price,
            item=texts["item"],
            user=texts["user"],
            session=texts["session"],
            category=tuple(texts[f"category {level}"] for level in range(len(self._log.events.category))),
            category_id=texts.get("category_id", nothing),
            brand=texts.get("brand", nothing),
            title=texts.get("title", nothing),
            mind=texts.get("mind", nothing),
            currency=currency,
        )

    def _kind(self, table: pa.Table, rows: Rows) -> NDArray[np.int8]:
        """What was done; rows of other kinds are dropped."""
        kinds = self._log.kinds
        if not self._log.events.kind:
            return np.full(len(table), kinds[""], np.int8)
        words = coded(table[self._log.events.kind])
        lower = [word.lower() for word in words.values]
        known = [word in kinds for word in lower]
        told = ", ".join(word for word, kind in kinds.items() if kind is not None)
        rows.drop(~words.rows_of(known), f"kind of event is none of {told}")
        unlike = [word in kinds and kinds[word] is None for word in lower]
        mask = words.rows_of(unlike) & rows.good
        for code, count in enumerate(np.bincount(words.codes[mask], minlength=len(lower)).tolist()):
            if count:
                self._report.without_counterpart[lower[code]] += count
        rows.good &= ~mask
        codes = [kinds.get(word) for word in lower]
        return words.rows_of([np.int8(-1 if kind is None else kind) for kind in codes])

    def _ids(self, name: str, column: pa.ChunkedArray, rows: Rows) -> Coded:
        """A column of ids, mended; rows whose id is lost are dropped."""
        texts = coded(column)
        ids = [read_id(text, self._missing, self._rules.float_ids == "repair") for text in texts.values]
        ruined = texts.rows_of([found.ruined for found in ids])
        if self._rules.ruined_ids == "drop":
            rows.drop(ruined, f"{name} is an id ruined by a spreadsheet")
        if self._log.numeric_ids and name != "session":
            odd = [found.text is not None and not is_whole_number(found.text) for found in ids]
            rows.drop(texts.rows_of(odd), f"{name} is not a number")
        rows.tally(self._report.float_ids, name, texts.rows_of([found.repaired for found in ids]))
        rows.tally(self._report.ruined_ids, name, ruined)
        return Coded(texts.codes, [found.text or "" for found in ids])

    def _owners(self, table: pa.Table, rows: Rows) -> tuple[Coded, Coded]:
        """Who did it and in which session; where one is not told the other stands in."""
        columns = self._log.events
        if not columns.user or not columns.session:
            name = "user" if columns.user else "session"
            ids = self._ids(name, table[getattr(columns, name)], rows)
            rows.drop(ids.is_nothing(), f"{name} is missing")
            return ids, ids
        user, session = self._ids("user", table[columns.user], rows), self._ids("session", table[columns.session], rows)
        rows.drop(user.is_nothing() & session.is_nothing(), "user and session are missing")
        rows.tally(self._report.missing, "user", user.is_nothing())
        rows.tally(self._report.missing, "session", session.is_nothing())
        return user.filled_by(session, "session", rows.good), session.filled_by(user, "user", rows.good)

    def _words(self, name: str, column: pa.ChunkedArray, rows: Rows) -> Coded:
        """A column of words."""
        texts = coded(column)
        words = [read_words(text, self._missing) for text in texts.values]
        changed = texts.rows_of([word not in ("", text) for word, text in zip(words, texts.values, strict=True)])
        rows.tally(self._report.mended_texts, name, changed)
        result = Coded(texts.codes, words)
        rows.tally(self._report.missing, name, result.is_nothing())
        return result


def _microseconds(time: datetime | None, default: int) -> int:
    return default if time is None else round(time.timestamp() * 1e6)


def _fingerprint(columns: Sequence[Coded]) -> NDArray[np.uint64]:
    """For each row a number that tells apart what its texts in these columns are."""
    result = np.zeros(len(columns[0].codes), np.uint64)
    for column in columns:
        result = mixed(result + column.rows_of(keys_of(0, column.values)))
    return result


def _unified(chunks: Sequence[pa.DictionaryArray]) -> Texts:
    """Columns of pieces as one."""
    column = pa.chunked_array(chunks).unify_dictionaries()
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return Texts(np.concatenate(codes), column.chunk(0).dictionary)


def _used(texts: Texts) -> Texts:
    """Without texts that no row has."""
    used = np.zeros(len(texts.values), bool)
    used[texts.codes[texts.codes >= 0]] = True
    codes = np.append(np.cumsum(used, dtype=np.int32) - 1, -1)[texts.codes].astype(np.int32)
    return Texts(codes, texts.values.filter(pa.array(used)))


def _repeated(columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which rows are equal to an earlier one in every column.

    Rows are put in order by a number made of their values, and compared with their neighbours then.
    """
    number = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        bits = column.view(np.uint64) if column.dtype.itemsize == 8 else column.astype(np.uint64)
        number = mixed(number + bits)
    order = np.argsort(number, kind="stable")
    number = number[order]
    alike = np.flatnonzero(number[1:] == number[:-1]) + 1
    same = np.ones(len(alike), bool)
    for column in columns:
        bits = column.view(np.int64) if column.dtype.itemsize == 8 else column
        same &= bits[order[alike]] == bits[order[alike - 1]]
    result = np.zeros(len(number), bool)
    result[order[alike[same]]] = True
    return result
