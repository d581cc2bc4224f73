"""A shop log in the one form every importer brings it to: cleaned events in columns, cut into sessions. Ours.

An importer knows its log's columns; from here on the logs are alike.
"""

from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, spans, starts_of
from shopsim.errors import InputError

MICROSECONDS = 1_000_000
_MINUTE = 60 * MICROSECONDS
_DAY = 24 * 60 * _MINUTE


class Kind(IntEnum):
    """What a log says a shopper did: to an item, or that the shopper left."""

    VIEW = 0
    CART = 1
    PURCHASE = 2
    LEAVE = 3


@dataclass(frozen=True, slots=True)
class LogTable:
    """Events of a log, one position each, in the order of the file; all arrays have the same length."""

    time: NDArray[np.int64]
    """Microseconds since 1970, UTC."""
    kind: NDArray[np.int8]
    """Values of `Kind`."""
    item: NDArray[np.int32]
    """Row of the importer's item table; -1 where the shopper left."""
    user: NDArray[np.int32]
    """Position in a list of user ids."""
    session: NDArray[np.int32]
    """The log's own session, as a position in a list of session names. A log without sessions gives the user here;
    gaps then cut it."""
    mind: NDArray[np.int32]
    """What the shopper said of it, as a position in a list of such texts; -1 for nothing."""

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "LogTable":
        """The events at these positions (or where the mask is true), in that order."""
        return LogTable(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True, slots=True)
class CutRules:
    """What a session is. All defaults are ours."""

    gap_minutes: float = 30.0
    """A longer pause inside one session of the log cuts it: the usual web measure; 99 % of gaps in the logs at hand
    are below 7 minutes."""
    most_per_minute: int = 120
    """A session with more events than this within some minute is a machine's and is dropped: people make at most two
    a second, and not for a minute. 0 keeps all."""
    most_events: int = 1000
    """So is one with more events than this in all; the longest of the logs at hand has a quarter. 0 keeps all."""

    def __post_init__(self) -> None:
        if self.gap_minutes <= 0:
            raise InputError(f"gap_minutes must be above 0, got {self.gap_minutes}")
        for name in ("most_per_minute", "most_events"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must not be negative, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Sessions:
    """A log sorted into sessions by the time they start: session `i` is the events ``start[i] : start[i + 1]``."""

    log: LogTable
    start: Ints
    """Shape (sessions + 1,)."""
    part: NDArray[np.int32]
    """Which piece of the log's own session each is, from 0."""
    log_sessions: int
    """Sessions as the log names them."""
    log_sessions_of_days: int
    """Of these, those that last longer than a day."""
    shared: int
    """Sessions more than the log's own because one of its sessions named several users."""
    cut: int
    """Sessions more than the log's own because of long gaps."""
    same_second: int
    """Events in the same second as the one before them in their session; kept in file order."""
    backwards: int
    """Events whose time lies before that of the one before them in the file, in one session; put in order of time."""
    bot_sessions: int
    """Sessions dropped as a machine's."""
    bot_events: int
    """Their events."""

    def __len__(self) -> int:
        return len(self.start) - 1

    def keep(self, mask: NDArray[np.bool_]) -> "Sessions":
        """Some of the sessions."""
        if mask.all():
            return self
        lengths = np.diff(self.start)
        log = self.log.take(np.repeat(mask, lengths))
        return replace(self, log=log, start=starts_of(lengths[mask]), part=self.part[mask])


def cut_sessions(log: LogTable, rules: CutRules) -> Sessions:
    """Sorts a log into sessions.

    A session is one user's events under one session name, in time order (ties in file order), cut where more
    than `CutRules.gap_minutes` pass between two events.
    """
    order = _sorted_by(log.session, _sorted_by(log.user, np.arange(len(log))))
    new_name = _changes(log.session[order])
    new_user = _changes(log.user[order]) & ~new_name
    new = new_name | new_user
    backwards = int((_falls(log.time[order]) & ~new).sum())
    if backwards:
        order = _sorted_by(log.session, _sorted_by(log.user, np.argsort(log.time, kind="stable")))
    time = log.time[order]
    gap = np.append(True, np.diff(time) > rules.gap_minutes * _MINUTE)[: len(time)] & ~new
    same_second = ~_changes(time // MICROSECONDS) & ~new

    of_log = np.append(np.flatnonzero(new), len(time))
    start = np.append(np.flatnonzero(new | gap), len(time))
    # Pieces of one session name are neighbours, so counting restarts where the name changes.
    rows = np.arange(len(start) - 1)
    part = rows - np.maximum.accumulate(np.where(new_name[start[:-1]], rows, 0))

    bots = _bots(time, start, rules)
    kept = np.flatnonzero(~bots)
    kept = kept[np.argsort(time[start[:-1][kept]], kind="stable")]
    lengths = np.diff(start)
    return Sessions(
        log=log.take(order[spans(start[:-1][kept], lengths[kept])]),
        start=starts_of(lengths[kept]),
        part=part[kept].astype(np.int32),
        log_sessions=int(new_name.sum()),
        log_sessions_of_days=int((time[of_log[1:] - 1] - time[of_log[:-1]] > _DAY).sum()),
        shared=int(new_user.sum()),
        cut=int(gap.sum()),
        same_second=int(same_second.sum()),
        backwards=backwards,
        bot_sessions=int(bots.sum()),
        bot_events=int(lengths[bots].sum()),
    )


def _changes(values: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether each value is the first or another than the one before it."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _falls(values: Ints) -> NDArray[np.bool_]:
    """Whether each value is below the one before it."""
    return np.append(False, values[1:] < values[:-1])[: len(values)]


def _sorted_by(codes: NDArray[np.int32], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The positions `order`, sorted by their code; those of one code stay in order."""
    # One sort of whole numbers is several times quicker than a stable sort of positions.
    packed = codes[order].astype(np.int64) << 32
    packed |= np.arange(len(order))
    packed.sort()
    packed &= 0xFFFFFFFF
    result: NDArray[np.intp] = order[packed]
    return result


def _bots(time: Ints, start: Ints, rules: CutRules) -> NDArray[np.bool_]:
    """Sessions that no person can have made."""
    lengths = np.diff(start)
    bots = lengths > rules.most_events if rules.most_events else np.zeros(len(lengths), bool)
    n = rules.most_per_minute
    if n and len(time) > n:
        owner = owners_of(lengths)
        crowded = (owner[n:] == owner[:-n]) & (time[n:] - time[:-n] < _MINUTE)
        bots[owner[n:][crowded]] = True
    return bots
