"""From a cleaned log and its items to a data set: what every importer does last. Ours.

Loads pyarrow through the writer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.feed_sampling import FeedSampler
from shopsim.benchmark_usb.import_report import ImportReport
from shopsim.benchmark_usb.imputation import (
    IMPUTED_INPUTS,
    ImputationSettings,
    Imputer,
    ItemTable,
    LogEvent,
    LogSession,
    split_of,
)
from shopsim.benchmark_usb.log_table import Kind, LogTable, Sessions, cut_sessions
from shopsim.benchmark_usb.tells import TellMeter
from shopsim.data.records import Category, Item, User
from shopsim.data.writer import DataSetWriter
from shopsim.envs import layout
from shopsim.errors import DataError, InputError

REPORT = "import_report.json"
"""Name of the report inside the data set."""

POPULARITY_POWER = 1.2
"""Fillers are drawn by this power of how often an item is opened. A feed shows each item once, which evens out
popularity among fillers; at 1.2 opened items and fillers of the REES46 log are equally popular (at 1: 0.55 instead of
0.52 by `tells`)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """How a log becomes sessions. All defaults are ours."""

    seed: int = 0
    gap_minutes: float = 30.0
    """A longer pause inside one session of the log cuts it: the usual web measure; 99 % of gaps in the logs at hand
    are below 7 minutes."""
    history_until: datetime | None = None
    """Events before this time become users' histories instead of sessions; None keeps every event in a session,
    so that histories begin empty and grow by the user's earlier sessions."""
    stray: float = 0.05
    """Share of fillers from any category; higher tells opened items apart by their category."""
    seen_per_opened: float = 6.0
    """See `ImputationSettings`."""

    def __post_init__(self) -> None:
        if self.gap_minutes <= 0:
            raise InputError(f"gap_minutes must be above 0, got {self.gap_minutes}")
        if not 0 <= self.stray <= 1:
            raise InputError(f"stray must be from 0 to 1, got {self.stray}")


@dataclass(frozen=True, slots=True)
class CleanLog:
    """A log with everything it refers to."""

    table: LogTable
    items: Sequence[Item]
    """By the rows of ``table.item``."""
    groups: NDArray[np.int64]
    """Shape (items, levels): category codes from the finest, for `FeedSampler`."""
    categories: Sequence[Category]
    """Parents before children."""
    user_ids: Sequence[str]
    session_names: Sequence[str]


def write_imported(
    out: Path,
    log: CleanLog,
    settings: ImportSettings,
    report: ImportReport,
    *,
    name: str,
    currency: str,
    licence: str,
    imputed: Sequence[str],
    locale: str = "en",
    progress: Progress | None = None,
) -> None:
    """Cuts the log into sessions, fills them in, writes the data set and completes the report.

    Args:
        out: Folder to make.
        log: The cleaned log.
        settings: How to cut and fill in.
        report: Gets its counts; a copy is stored in the set.
        name: The set's name.
        currency: Currency code of the prices.
        licence: Terms of the log.
        imputed: What the importer itself filled in of the items; the inputs of `imputation` are added.
        locale: Language of the titles.
        progress: Called with (sessions done, sessions in all).

    Raises:
        DataError: `out` is taken, or the log holds no session.
    """
    history, table = _history(log, settings)
    sessions = cut_sessions(table, settings.gap_minutes)
    if not len(sessions):
        raise DataError(f"{report.log}: holds no events to make sessions of")
    report.events.update({kind.name.lower(): int((log.table.kind == kind).sum()) for kind in Kind})
    report.history_events = len(log.table) - len(table)
    report.items, report.categories = len(log.items), len(log.categories)
    users = np.unique(table.user)
    report.users, report.users_left_out = len(users), len(log.user_ids) - len(users)
    report.log_sessions = len(np.unique(table.session))
    report.split_by_user, report.split_by_gap = sessions.shared, sessions.cut
    report.sessions = len(sessions)
    report.one_event_sessions = int((np.diff(sessions.start) == 1).sum())
    report.imputed = [*IMPUTED_INPUTS, *imputed]
    report.settings = {
        **asdict(settings),
        "history_until": settings.history_until and settings.history_until.isoformat(),
    }

    popularity = _popularity(sessions, len(log.items))
    # Items that only occur in histories may fill feeds too, as if looked at once.
    sampler = FeedSampler(log.groups, np.maximum(popularity, 1.0) ** POPULARITY_POWER, settings.stray)
    imputer = Imputer(ItemTable(log.items), sampler, ImputationSettings(settings.seed, settings.seen_per_opened))
    meter = TellMeter(log.groups[:, 0], popularity)
    with DataSetWriter(
        out,
        name=name,
        source="imported",
        locale=locale,
        currency=currency,
        licence=licence,
        generator={"settings": report.settings, "seed": settings.seed},
        imputed=report.imputed,
        layout_version=layout.VERSION,
        scroll_step=layout.scroll_step(),
    ) as writer:
        writer.add_categories(log.categories)
        writer.add_items(log.items)
        clicks, purchases = _by_user(log, history, Kind.VIEW), _by_user(log, history, Kind.PURCHASE)
        writer.add_users(
            User(user, clicks=_ids(log, clicks[user]), purchases=_ids(log, purchases[user]))
            for user in (log.user_ids[row] for row in users.tolist())
        )
        for done, session in enumerate(_log_sessions(log, sessions, settings.seed), start=1):
            filled = imputer.impute(session)
            writer.add_session(filled.session)
            meter.add(filled.seen, session.opened, clicks[session.user_id])
            clicks[session.user_id] += session.opened
            report.splits[session.split] += 1
            report.longest_session = max(report.longest_session, len(filled.session.steps))
            report.seen += len(filled.seen)
            report.feed_items += len(filled.feed)
            report.feeds_short += len(filled.feed) == len(log.items)
            if progress is not None:
                progress(done, len(sessions))
        report.steps_recorded, report.steps_imputed = imputer.recorded, imputer.imputed
        report.no_effect = imputer.no_effect
        report.purchases_without_cart = imputer.purchases_without_cart
        report.visits_imputed = imputer.visits
        report.tells = meter.result()
        writer.add_file(REPORT, report.to_json().encode())


def _history(log: CleanLog, settings: ImportSettings) -> tuple[LogTable, LogTable]:
    """The events before `history_until`, oldest first, and the rest."""
    if settings.history_until is None:
        return log.table.take(np.zeros(len(log.table), bool)), log.table
    until = settings.history_until.astimezone(UTC) - _EPOCH
    past = log.table.time < until / timedelta(microseconds=1)
    history = log.table.take(past)
    return history.take(np.argsort(history.time, kind="stable")), log.table.take(~past)


def _by_user(log: CleanLog, history: LogTable, kind: Kind) -> dict[str, list[int]]:
    """Item rows of one kind of event by user id, in order."""
    rows: dict[str, list[int]] = defaultdict(list)
    of_kind = history.kind == kind
    for user, item in zip(history.user[of_kind].tolist(), history.item[of_kind].tolist(), strict=True):
        rows[log.user_ids[user]].append(item)
    return rows


def _ids(log: CleanLog, rows: Sequence[int]) -> tuple[str, ...]:
    return tuple(log.items[row].item_id for row in rows)


def _log_sessions(log: CleanLog, sessions: Sessions, seed: int) -> Iterator[LogSession]:
    """Sessions by the time they start."""
    table = sessions.log
    for i in sessions.order.tolist():
        span = slice(sessions.start[i], sessions.start[i + 1])
        name = log.session_names[table.session[span.start]]
        user_id = log.user_ids[table.user[span.start]]
        columns = (table.time[span].tolist(), table.kind[span].tolist(), table.item[span].tolist())
        yield LogSession(
            session_id=name if sessions.part[i] == 0 else f"{name}#{sessions.part[i] + 1}",
            user_id=user_id,
            split=split_of(user_id, seed),
            events=[
                LogEvent(_EPOCH + timedelta(microseconds=time), Kind(kind), item)
                for time, kind, item in zip(*columns, strict=True)
            ],
        )


def _popularity(sessions: Sessions, n_items: int) -> NDArray[np.float64]:
    """In how many sessions each item occurs."""
    session = np.repeat(np.arange(len(sessions)), np.diff(sessions.start))
    pairs = np.unique(session * n_items + sessions.log.item)
    return np.bincount(pairs % n_items, minlength=n_items).astype(np.float64)
