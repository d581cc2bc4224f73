"""From a cleaned log and its items to a data set: what every importer does last. Ours.

Sessions are made and written by the batch, as columns; memory holds the log's columns, the items, and one batch.
Loads pyarrow.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.balance import balanced_power
from shopsim.benchmark_usb.importers.catalog import Catalog
from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imputation import IMPUTED_INPUTS, Filled, Imputer
from shopsim.benchmark_usb.importers.log_table import Kind, LogTable, Sessions, cut_sessions
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, starts_of
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.side_tables import UserFacts
from shopsim.benchmark_usb.importers.stock import weights_of
from shopsim.benchmark_usb.importers.tells import MOST_SESSIONS, TellMeter
from shopsim.benchmark_usb.importers.values import Age
from shopsim.data.schema import SESSIONS, STEPS, TIMESTAMP, USERS
from shopsim.data.vocabulary import ACTION_LABELS, PAGE_BY_LABEL
from shopsim.data.writer import DataSetWriter
from shopsim.envs import layout
from shopsim.errors import DataError

REPORT = "import_report.json"
"""Name of the report inside the data set."""

_BATCH = 1024
"""Sessions filled in at once: enough for columns to pay, few enough to stay in the processor's cache."""
_BATCHES_PER_GROUP = 2
_MEASURED = 51
"""A purpose of chance."""
_USERS = 65_536
"""Users written at once."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Progress = Callable[[int, int], None]
_Histories = dict[int, list[int]]
"""Item rows by the row of the user."""


@dataclass(frozen=True, slots=True)
class CleanLog:
    """A log with everything it refers to."""

    table: LogTable
    catalog: Catalog
    user_ids: Sequence[str]
    users: Mapping[str, UserFacts]
    session_names: Sequence[str]
    minds: Sequence[str]


class SetInfo(NamedTuple):
    """What is said of the set as a whole."""

    name: str
    currency: str
    licence: str
    locale: str
    imputed: Sequence[str]
    """What was filled in of the items and users; what is filled in of sessions comes on top."""


def write_imported(
    out: Path,
    log: CleanLog,
    settings: ImportSettings,
    report: ImportReport,
    info: SetInfo,
    progress: Progress | None = None,
) -> None:
    """Cuts the log into sessions, fills them in, writes the data set and completes the report.

    Args:
        out: Folder to make.
        log: The cleaned log.
        settings: How to cut and fill in.
        report: Gets its counts; a copy is stored in the set.
        info: What is said of the set.
        progress: Called with (sessions done, sessions in all).

    Raises:
        DataError: `out` is taken, or the log holds no session.
    """
    history, table = _history(log.table, settings.history_until)
    sessions = _with_items(cut_sessions(table, settings.cut), report)
    if not len(sessions):
        raise DataError(f"{', '.join(report.files)}: holds no events to make sessions of")
    _count(report, log, history, sessions, settings, info)
    popularity = _popularity(sessions, len(log.catalog.items))
    report.filler_power = balanced_power(log.catalog, sessions, popularity, settings)
    weights = weights_of(popularity, log.catalog.groups, log.catalog.n_stock, report.filler_power)
    imputer = Imputer(log.catalog.items, log.catalog.groups, weights, settings.fill)
    splits = Splits(log.user_ids, settings.seed)
    columns = _Columns(log, splits)
    clicks = _by_user(history, Kind.VIEW)
    meter = TellMeter(log.catalog.groups[:, 0], popularity)
    measured = _some_users(len(log.user_ids), MOST_SESSIONS / len(sessions))
    with DataSetWriter(
        out,
        name=info.name,
        source="imported",
        locale=info.locale,
        currency=info.currency,
        licence=info.licence,
        generator={"settings": report.settings, "seed": settings.seed},
        imputed=report.imputed,
        layout_version=layout.VERSION,
        scroll_step=layout.scroll_step(),
    ) as writer:
        writer.add_categories(log.catalog.categories)
        writer.add_items(log.catalog.items)
        bought = _by_user(history, Kind.PURCHASE)
        for users in columns.users(np.unique(sessions.log.user), clicks, bought, report):
            writer.add_columns("users.parquet", users)
        waiting: list[tuple[pa.Table, pa.Table]] = []
        for batch in _batches(sessions):
            names = columns.session_names(batch)
            filled = imputer.impute(keys_of(settings.seed, names), batch.events, batch.lengths)
            waiting.append(columns.tables(names, batch, filled))
            if len(waiting) == _BATCHES_PER_GROUP or batch.end == len(sessions):
                for file, parts in zip(("sessions.parquet", "steps.parquet"), zip(*waiting, strict=True), strict=True):
                    writer.add_columns(file, pa.concat_tables(parts))
                waiting = []
            _measure(report, splits, batch, filled, len(log.catalog.items))
            meter.add_all(filled, batch.user.tolist(), clicks, measured[batch.user])
            if progress is not None:
                progress(batch.end, len(sessions))
        report.steps_recorded, report.steps_imputed = imputer.recorded, imputer.imputed
        report.no_effect = imputer.no_effect
        report.purchases_without_cart = imputer.purchases_without_cart
        report.visits_imputed = imputer.visits
        report.tells = meter.result()
        writer.add_file(REPORT, report.to_json().encode())


class Splits:
    """The split of each user, 80/10/10, by a hash of the seed and the id: no user is in two (SPEC 3).

    Args:
        user_ids: All users.
        seed: Another seed, other splits.
    """

    names = ("train", "validation", "test")

    def __init__(self, user_ids: Sequence[str], seed: int) -> None:
        head = f"{seed}:"
        raw = b"".join(blake2b((head + user).encode(), digest_size=8).digest() for user in user_ids)
        share = np.frombuffer(raw, ">u8") / 2.0**64
        self.codes = np.digitize(share, (0.8, 0.9)).astype(np.int8)
        """For each user the position of its split among `names`."""


class _Batch(NamedTuple):
    """Some sessions, one after the other."""

    events: LogTable
    lengths: Ints
    user: NDArray[np.int32]
    part: NDArray[np.int32]
    end: int
    """Sessions up to here and in this batch."""


def _batches(sessions: Sessions) -> Iterator[_Batch]:
    for begin in range(0, len(sessions), _BATCH):
        end = min(begin + _BATCH, len(sessions))
        start = sessions.start[begin : end + 1]
        events = sessions.log.take(np.arange(start[0], start[-1]))
        yield _Batch(events, np.diff(start), sessions.log.user[start[:-1]], sessions.part[begin:end], end)


class _Columns:
    """Sessions and users as the tables of the layout."""

    def __init__(self, log: CleanLog, splits: Splits) -> None:
        self._log = log
        self._split = splits.codes
        self._users = pa.array(log.user_ids, pa.string())
        self._items = pa.array([item.item_id for item in log.catalog.items], pa.string())
        self._minds = pa.array(log.minds, pa.string())

    def users(
        self, rows: NDArray[np.int32], clicks: _Histories, bought: _Histories, report: ImportReport
    ) -> Iterator[pa.Table]:
        """The users of these rows, and their ages into the report."""
        nobody = UserFacts(Age(None))
        for begin in range(0, len(rows), _USERS):
            piece = rows[begin : begin + _USERS].tolist()
            facts = [self._log.users.get(self._log.user_ids[row], nobody) for row in piece]
            for fact in facts:
                report.ages["band" if fact.age.band else "unknown" if fact.age.years is None else "told"] += 1
            columns = [
                self._users.take(pa.array(piece)),
                pa.array([fact.age.years for fact in facts], pa.int16()),
                pa.array([fact.gender for fact in facts], pa.string()),
                pa.array([fact.persona for fact in facts], pa.string()),
                *(self._histories([past.get(row, []) for row in piece]) for past in (clicks, bought)),
            ]
            yield pa.table(columns, schema=USERS)

    def _histories(self, rows: list[list[int]]) -> pa.Array:
        lengths = np.array([len(items) for items in rows])
        return _lists(self._items.take(pa.array([item for items in rows for item in items], pa.int64())), lengths)

    def session_names(self, batch: _Batch) -> list[str]:
        """Ids of sessions: the log's own, numbered where it was cut."""
        codes = batch.events.session[starts_of(batch.lengths)[:-1]].tolist()
        pieces = zip((self._log.session_names[code] for code in codes), batch.part.tolist(), strict=True)
        return [name if part == 0 else f"{name}#{part + 1}" for name, part in pieces]

    def tables(self, names: list[str], batch: _Batch, filled: Filled) -> tuple[pa.Table, pa.Table]:
        """Rows of ``sessions.parquet`` and ``steps.parquet``."""
        steps = filled.steps
        ids = pa.array(names, pa.string())
        sessions = [
            ids,
            self._users.take(pa.array(batch.user)),
            _SPLITS.take(pa.array(self._split[batch.user])),
            pa.array(steps.time[starts_of(steps.lengths)[:-1]]).cast(TIMESTAMP),
            _lists(self._items.take(pa.array(filled.feed)), filled.feed_length),
            pa.array(steps.lengths.astype(np.int32)),
        ]
        untold = pa.nulls(len(steps.action), pa.string())
        rows = [
            ids.take(pa.array(owners_of(steps.lengths))),
            pa.array(places_of(steps.lengths).astype(np.int32)),
            _ACTIONS.take(pa.array(steps.action)),
            _told(self._items, steps.item),
            pa.array(steps.x, mask=np.isnan(steps.x)),
            pa.array(steps.y, mask=np.isnan(steps.y)),
            _PAGES.take(pa.array(steps.page)),
            pa.array(steps.scroll.astype(np.int32)),
            pa.array(steps.time).cast(TIMESTAMP),
            untold,
            _told(self._minds, steps.mind),
            untold,
            untold,
            pa.array(steps.imputed),
        ]
        return pa.table(sessions, schema=SESSIONS), pa.table(rows, schema=STEPS)


_ACTIONS, _PAGES, _SPLITS = pa.array(ACTION_LABELS), pa.array(list(PAGE_BY_LABEL)), pa.array(Splits.names)


def _told(texts: pa.Array, rows: Ints) -> pa.Array:
    """The text of each row, null at -1."""
    return texts.take(pa.array(rows, mask=rows < 0))


def _lists(values: pa.Array, lengths: Ints) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(starts_of(lengths).astype(np.int32)), values)


def _history(table: LogTable, until: datetime | None) -> tuple[LogTable, LogTable]:
    """The events before a time, oldest first, and the rest."""
    if until is None:
        return table.take(np.zeros(len(table), bool)), table
    past = table.time < (until.astimezone(UTC) - _EPOCH) / timedelta(microseconds=1)
    history = table.take(past)
    return history.take(np.argsort(history.time, kind="stable")), table.take(~past)


def _by_user(history: LogTable, kind: Kind) -> _Histories:
    """Item rows of one kind of event, in order."""
    rows: _Histories = {}
    of_kind = history.kind == kind
    for user, item in zip(history.user[of_kind].tolist(), history.item[of_kind].tolist(), strict=True):
        rows.setdefault(user, []).append(item)
    return rows


def _with_items(sessions: Sessions, report: ImportReport) -> Sessions:
    """Those sessions whose first event names an item; one that only leaves is none."""
    naming = sessions.log.kind[sessions.start[:-1]] != Kind.LEAVE
    report.empty_sessions = int((~naming).sum())
    return sessions.keep(naming)


def _some_users(n_users: int, share: float) -> NDArray[np.bool_]:
    """A share of the users, by chance."""
    chance = Stream(np.zeros(n_users, np.uint64), _MEASURED, np.arange(n_users))
    return chance.uniform() < share


def _popularity(sessions: Sessions, n_items: int) -> NDArray[np.float64]:
    """In how many sessions each item occurs."""
    named = sessions.log.item >= 0
    session = owners_of(np.diff(sessions.start))
    pairs = np.unique(session[named] * n_items + sessions.log.item[named])
    return np.bincount(pairs % n_items, minlength=n_items).astype(np.float64)


def _count(
    report: ImportReport, log: CleanLog, history: LogTable, sessions: Sessions, settings: ImportSettings, info: SetInfo
) -> None:
    """What is known before sessions are filled in."""
    report.events.update({kind.name.lower(): int((log.table.kind == kind).sum()) for kind in Kind})
    report.history_events = len(history)
    report.items, report.categories = len(log.catalog.items), len(log.catalog.categories)
    report.users = len(np.unique(sessions.log.user))
    report.users_left_out = len(log.user_ids) - report.users
    report.log_sessions, report.log_sessions_of_days = sessions.log_sessions, sessions.log_sessions_of_days
    report.split_by_user, report.split_by_gap = sessions.shared, sessions.cut
    report.same_second, report.backwards = sessions.same_second, sessions.backwards
    report.bot_sessions, report.bot_events = sessions.bot_sessions, sessions.bot_events
    report.sessions = len(sessions)
    report.one_event_sessions = int((np.diff(sessions.start) == 1).sum())
    report.imputed = [*IMPUTED_INPUTS, *info.imputed]
    report.settings = settings.told()


def _measure(report: ImportReport, splits: Splits, batch: _Batch, filled: Filled, n_items: int) -> None:
    """What is known of sessions that are filled in."""
    for name, count in zip(Splits.names, np.bincount(splits.codes[batch.user], minlength=3).tolist(), strict=True):
        report.splits[name] += count
    report.longest_session = max(report.longest_session, int(filled.steps.lengths.max()))
    report.seen += int(filled.seen.sum())
    report.feed_items += len(filled.feed)
    report.feeds_short += int((filled.feed_length == n_items).sum())
