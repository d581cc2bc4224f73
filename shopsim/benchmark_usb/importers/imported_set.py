"""From a cleaned log and its items to a data set: what every importer does last. Ours.

Sessions are made and written by the batch, as columns; memory holds the log's columns, the items, and one batch.
Loads pyarrow.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.balance import balanced_power
from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imputation import IMPUTED_INPUTS, Filled, Imputer
from shopsim.benchmark_usb.importers.log_table import Kind, LogTable, Sessions, cut_sessions
from shopsim.benchmark_usb.importers.ragged import owners_of
from shopsim.benchmark_usb.importers.set_columns import Batch, CleanLog, Histories, SetColumns, Splits
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.stock import weights_of
from shopsim.benchmark_usb.importers.tells import MOST_SESSIONS, TellMeter
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
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Progress = Callable[[int, int], None]


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
    columns = SetColumns(log, splits)
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


def _batches(sessions: Sessions) -> Iterator[Batch]:
    for begin in range(0, len(sessions), _BATCH):
        end = min(begin + _BATCH, len(sessions))
        start = sessions.start[begin : end + 1]
        events = sessions.log.take(np.arange(start[0], start[-1]))
        yield Batch(events, np.diff(start), sessions.log.user[start[:-1]], sessions.part[begin:end], end)


def _history(table: LogTable, until: datetime | None) -> tuple[LogTable, LogTable]:
    """The events before a time, oldest first, and the rest."""
    if until is None:
        return table.take(np.zeros(len(table), bool)), table
    past = table.time < (until.astimezone(UTC) - _EPOCH) / timedelta(microseconds=1)
    history = table.take(past)
    return history.take(np.argsort(history.time, kind="stable")), table.take(~past)


def _by_user(history: LogTable, kind: Kind) -> Histories:
    """Item rows of one kind of event, in order."""
    rows: Histories = {}
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
    pairs = owners_of(np.diff(sessions.start))[named] * n_items
    pairs += sessions.log.item[named]
    pairs.sort()
    distinct = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    return np.bincount(distinct % n_items, minlength=n_items).astype(np.float64)


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


def _measure(report: ImportReport, splits: Splits, batch: Batch, filled: Filled, n_items: int) -> None:
    """What is known of sessions that are filled in."""
    for name, count in zip(Splits.names, np.bincount(splits.codes[batch.user], minlength=3).tolist(), strict=True):
        report.splits[name] += count
    report.longest_session = max(report.longest_session, int(filled.steps.lengths.max()))
    report.seen += int(filled.seen.sum())
    report.feed_items += len(filled.feed)
    report.feeds_short += int((filled.feed_length == n_items).sum())
