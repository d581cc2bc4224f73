"""From the events of a log, part by part, to its sessions; and what must be known of the log as a whole. Ours.

A part holds all events of some session names, so equal rows and the pieces of a session meet there. Sessions then wait
by the time they start, users by their name. Loads pyarrow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import keys_of, mixed
from shopsim.benchmark_usb.importers.events import Events
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.item_texts import ItemTexts
from shopsim.benchmark_usb.importers.log_table import Kind, LogTable, Sessions, cut_sessions
from shopsim.benchmark_usb.importers.money import Money, PriceCounts
from shopsim.benchmark_usb.importers.ragged import owners_of
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.spill import Spill
from shopsim.errors import DataError

SESSIONS = pa.schema({
    "name": pa.string(),
    "user": pa.string(),
    "start": pa.int64(),
    "row": pa.int64(),
    "part": pa.int32(),
    "time": pa.list_(pa.int64()),
    "kind": pa.list_(pa.int8()),
    "item": pa.list_(pa.int32()),
    "mind": pa.list_(pa.string()),
})  # fmt: skip
"""Sessions: their id, whose they are, when they start, the row that first has the log's own name, which piece of that
they are, and their events."""
USERS = pa.schema({"user": pa.string(), "row": pa.int64(), "shops": pa.bool_()})
"""Users, the row that first names them, and whether they have a session; some stand more than once."""
HISTORY = pa.schema({"user": pa.string(), "time": pa.int64(), "row": pa.int64(), "kind": pa.int8(), "item": pa.int32()})
"""Events that go into users' histories."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class CutLog:
    """A log cut into sessions."""

    rows: int
    """Events that made sense, repeats among them."""
    items: ItemTexts
    money: Money
    sessions: Spill
    """`SESSIONS`, parts in the order of time."""
    users: Spill
    """`USERS`, by name."""
    history: Spill
    """`HISTORY`, by the same parts."""
    popularity: NDArray[np.float64]
    """Shape (items,), how many sessions name each."""
    prices: PriceCounts = field(default_factory=PriceCounts)

    def in_order(self) -> Iterator[pa.Table]:
        """`SESSIONS` by the time they start; those of one time as the log first names them."""
        for part in range(self.sessions.parts):
            table = self.sessions.read(part)
            order = np.lexsort([table[name].to_numpy() for name in ("part", "row", "start")])
            yield table.take(pa.array(order)).combine_chunks()


def cut_events(events: Events, settings: ImportSettings, report: ImportReport, folder: Path) -> CutLog:
    """Cuts the events of a log into sessions.

    Args:
        events: The events.
        settings: How to cut.
        report: Gets its counts.
        folder: Where sessions and users wait.

    Raises:
        DataError: There is no session.
    """
    parts = events.rows.parts
    cut = CutLog(
        len(events.rows),
        events.items,
        events.money,
        Spill(folder / "sessions", parts, SESSIONS),
        Spill(folder / "users", parts, USERS),
        Spill(folder / "history", parts, HISTORY),
        np.zeros(len(events.items)),
    )
    report.events.update({kind.name.lower(): 0 for kind in Kind})
    times = np.quantile(events.times, np.arange(1, parts) / parts, method="nearest").astype(np.int64)
    items = events.items.rows
    for part in range(parts):
        _cut_part(events.rows.read(part), items, cut, times, settings, report)
    if not len(cut.sessions):
        raise DataError(f"{', '.join(report.files)}: holds no events to make sessions of")
    report.sessions = len(cut.sessions)
    return cut


class _Names(NamedTuple):
    """A column of names."""

    codes: NDArray[np.int32]
    texts: pa.Array
    """Of each code, in the order in which rows first have them."""
    rows: NDArray[np.int64]
    """Of each code, the row that first has it."""


def _names(table: pa.Table, name: str) -> _Names:
    column = table[name].combine_chunks().dictionary_encode()
    codes = column.indices.to_numpy().astype(np.int32)
    first = np.empty(len(column.dictionary), np.int64)
    first[codes[::-1]] = table["row"].to_numpy()[::-1]
    return _Names(codes, column.dictionary, first)


def _cut_part(
    table: pa.Table,
    items: NDArray[np.int32],
    cut: CutLog,
    times: NDArray[np.int64],
    settings: ImportSettings,
    report: ImportReport,
) -> None:
    """Cuts the events of some session names."""
    user, session = _names(table, "user"), _names(table, "session")
    minds = table["mind"].combine_chunks().dictionary_encode()
    columns = {name: table[name].to_numpy() for name in ("time", "kind", "item", "currency", "price", "other", "row")}
    columns |= {"item": items[columns["item"]], "user": user.codes, "session": session.codes}
    columns["mind"] = minds.indices.fill_null(-1).to_numpy().astype(np.int32)
    repeated = _repeated([column for name, column in columns.items() if name != "row"])
    report.duplicates += int(repeated.sum())
    if settings.clean.duplicates == "drop":
        columns = {name: column[~repeated] for name, column in columns.items()}
    log = LogTable(*(columns[name] for name in ("time", "kind", "item", "user", "session", "mind")))
    report.events.update({kind.name.lower(): int((log.kind == kind).sum()) for kind in Kind})
    cut.prices.add(log.item, columns["currency"], columns["price"])

    past = log.time < _microseconds(settings.history_until)
    _remember(log.take(past), columns["row"][past], user, cut, report)
    sessions = _with_items(cut_sessions(log.take(~past), settings.cut), report)
    _count(sessions, report)
    cut.popularity += _popularity(sessions, len(cut.popularity))
    shops = np.zeros(len(user.texts), bool)
    shops[sessions.log.user] = True
    cut.users.add(pa.table([user.texts, user.rows, shops], schema=USERS), _part_of(user.texts, cut.users))
    rows = _rows(sessions, user, session, minds.dictionary)
    cut.sessions.add(rows, np.searchsorted(times, rows["start"].to_numpy(), side="right"))


def _repeated(columns: list[NDArray[Any]]) -> NDArray[np.bool_]:
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


def _remember(history: LogTable, rows: NDArray[np.int64], user: _Names, cut: CutLog, report: ImportReport) -> None:
    """Puts events into users' histories."""
    if not len(history):
        return
    report.history_events += len(history)
    columns = [user.texts.take(pa.array(history.user)), history.time, rows, history.kind, history.item]
    cut.history.add(pa.table(columns, schema=HISTORY), _part_of(user.texts, cut.history)[history.user])


def _part_of(names: pa.Array, spill: Spill) -> NDArray[np.int64]:
    return (keys_of(0, names.to_pylist()) % np.uint64(spill.parts)).astype(np.int64)


def _with_items(sessions: Sessions, report: ImportReport) -> Sessions:
    """Those sessions whose first event names an item; one that only leaves is none."""
    naming = sessions.log.kind[sessions.start[:-1]] != Kind.LEAVE
    report.empty_sessions += int((~naming).sum())
    return sessions.keep(naming)


def _popularity(sessions: Sessions, n_items: int) -> NDArray[np.float64]:
    """In how many sessions each item occurs."""
    named = sessions.log.item >= 0
    pairs = owners_of(np.diff(sessions.start))[named] * n_items
    pairs += sessions.log.item[named]
    pairs.sort()
    distinct = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    return np.bincount(distinct % n_items, minlength=n_items).astype(np.float64)


def _count(sessions: Sessions, report: ImportReport) -> None:
    report.log_sessions += sessions.log_sessions
    report.log_sessions_of_days += sessions.log_sessions_of_days
    report.split_by_user += sessions.shared
    report.split_by_gap += sessions.cut
    report.same_second += sessions.same_second
    report.backwards += sessions.backwards
    report.bot_sessions += sessions.bot_sessions
    report.bot_events += sessions.bot_events
    report.one_event_sessions += int((np.diff(sessions.start) == 1).sum())


def _rows(sessions: Sessions, user: _Names, session: _Names, minds: pa.Array) -> pa.Table:
    """Sessions as they wait."""
    log, first = sessions.log, sessions.start[:-1]
    name = log.session[first]
    pieces = zip(session.texts.take(pa.array(name)).to_pylist(), sessions.part.tolist(), strict=True)

    def lists(values: Any) -> pa.Array:
        return pa.ListArray.from_arrays(pa.array(sessions.start.astype(np.int32)), values)

    columns = [
        pa.array([name if part == 0 else f"{name}#{part + 1}" for name, part in pieces], pa.string()),
        user.texts.take(pa.array(log.user[first])),
        log.time[first],
        session.rows[name],
        sessions.part,
        *(lists(pa.array(column)) for column in (log.time, log.kind, log.item)),
        lists(minds.take(pa.array(log.mind, mask=log.mind < 0))),
    ]
    return pa.table(columns, schema=SESSIONS)


def _microseconds(until: datetime | None) -> int:
    """A time; of None one before all."""
    return np.iinfo(np.int64).min if until is None else (until.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)
