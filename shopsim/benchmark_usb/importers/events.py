"""Reading the events of a log, with every row dropped or mended counted. Ours.

Pieces of a file pass through one after the other and wait on disk, those of one session together; what stays in memory
is what they say of items. Loads pyarrow.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import keys_of, mixed
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.item_texts import ItemTexts
from shopsim.benchmark_usb.importers.log_format import LogFormat, names_in
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.money import Money
from shopsim.benchmark_usb.importers.pieces import Note, Piece
from shopsim.benchmark_usb.importers.rows import Rows
from shopsim.benchmark_usb.importers.settings import CleanRules
from shopsim.benchmark_usb.importers.spill import Spill
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
_BYTES_OF_PART, _MOST_PARTS = 1 << 24, 512
"""About so much text goes into a part, a hundred thousand events or two."""
_PACKED = {".gz": 8, ".parquet": 12, ".pq": 12}
"""How much longer a file would be as text."""
_TIMES_LOOKED_AT = 64
"""Of each piece."""


ROWS = pa.schema({
    "row": pa.int64(),
    "time": pa.int64(),
    "kind": pa.int8(),
    "price": pa.float64(),
    "currency": pa.int16(),
    "item": pa.int32(),
    "other": pa.uint64(),
    "user": pa.string(),
    "session": pa.string(),
    "mind": pa.string(),
})  # fmt: skip
"""Events that make sense: their number among these, microseconds since 1970 (UTC), `Kind`, price (NaN where unknown)
and the code of its currency, place in `ItemTexts` (-1 where the shopper left), a number that tells apart rows
which differ in other columns alone, and who did it, in which session, saying what."""


class Events(NamedTuple):
    """Events of a log that make sense."""

    rows: Spill
    """`ROWS`, those of one session in one part, in the order of the files."""
    items: ItemTexts
    money: Money
    times: NDArray[np.int64]
    """Times of some of them, as many as tell how they spread."""


def read_events(paths: Sequence[Path], log: LogFormat, rules: CleanRules, report: ImportReport, folder: Path) -> Events:
    """Reads and cleans the events of a log; `folder` is where they wait.

    Raises:
        DataError: A file is missing, empty, damaged or not such a log, or no row makes sense.
    """
    reader = _Reader(log, rules, report, Spill(folder / "events", _parts(paths), ROWS))
    columns = list(log.sources) or names_in(log.events)
    for path in paths:
        for piece in read_pieces(path, log.shape, columns, Note(report, path.name), rules.cut_end == "refuse"):
            reader.add(path.name, log.prepare(piece) if log.prepare else piece)
    report.rows = sum(report.file_rows[name] for name in {path.name for path in paths})
    events = reader.events
    if not len(events.rows):
        told, bad = ", ".join(str(path) for path in paths), report.bad_rows
        often = f", most of which: {max(bad, key=bad.__getitem__)}" if bad else ""
        raise DataError(f"{told}: holds no usable event (rows {report.rows}, bad {bad.total()}{often})")
    return events


class _Reader:
    """Takes pieces of the table of events."""

    def __init__(self, log: LogFormat, rules: CleanRules, report: ImportReport, rows: Spill) -> None:
        self._log, self._rules, self._report = log, rules, report
        self._missing = frozenset(rules.missing)
        self._window = (_microseconds(rules.earliest, 0), _microseconds(rules.latest, _LATEST))
        self._money = Money(log, rules, report)
        self._rows = rows
        self._items = ItemTexts()
        self._times: list[NDArray[np.int64]] = []

    @property
    def events(self) -> Events:
        """What was taken."""
        return Events(self._rows, self._items, self._money, np.concatenate([np.empty(0, np.int64), *self._times]))

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

        names = {f"category {level}": name for level, name in enumerate(columns.category)}
        names |= {"category_id": columns.category_id, "brand": columns.brand, "title": columns.title}
        told = {key: self._words(key.split()[0], table[name], rows) for key, name in names.items() if name}
        said = self._words("mind", table[columns.mind], rows) if columns.mind else None
        others = [*told.values(), *(coded(table[name]) for name in columns.also)]
        good = rows.good
        n = int(good.sum())
        sessions = session.only(good)
        time = times.microseconds[good]
        kept = [
            np.arange(len(self._rows), len(self._rows) + n),
            time,
            kind[good],
            price[good],
            currency[good],
            self._items.add(item, told, good),
            _fingerprint([texts.only(good) for texts in others], n),
            user.only(good).arrow(),
            sessions.arrow(),
            said.only(good).arrow() if said else pa.nulls(n, pa.string()),
        ]
        part = sessions.rows_of(keys_of(0, sessions.values) % np.uint64(self._rows.parts))
        self._rows.add(pa.table(kept, schema=ROWS), part.astype(np.int64))
        self._times.append(time[:: 1 + n // _TIMES_LOOKED_AT])

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


def _fingerprint(columns: Sequence[Coded], n: int) -> NDArray[np.uint64]:
    """For each of `n` rows a number that tells apart what its texts in these columns are."""
    result = np.zeros(n, np.uint64)
    for column in columns:
        result = mixed(result + column.rows_of(keys_of(0, column.values)))
    return result


def _parts(paths: Sequence[Path]) -> int:
    """In how many parts the events of these files are worked on."""
    size = sum(path.stat().st_size * _PACKED.get(path.suffix.lower(), 1) for path in paths)
    return min(_MOST_PARTS, 1 + size // _BYTES_OF_PART)
