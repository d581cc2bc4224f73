"""A shop log in the one form every importer brings it to: cleaned events in columns, cut into sessions. Ours.

An importer knows its log's columns; from here on the logs are alike.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

MICROSECONDS = 1_000_000


class Kind(IntEnum):
    """What a log says a shopper did to an item."""

    VIEW = 0
    CART = 1
    PURCHASE = 2


@dataclass(frozen=True, slots=True)
class LogTable:
    """Events of a log, one position each, in the order of the file; all arrays have the same length."""

    time: NDArray[np.int64]
    """Microseconds since 1970, UTC."""
    kind: NDArray[np.int8]
    """Values of `Kind`."""
    item: NDArray[np.int32]
    """Row of the importer's item table."""
    user: NDArray[np.int32]
    """Position in the importer's list of user ids."""
    session: NDArray[np.int32]
    """The log's own session, as a position in the importer's list of session names. A log without sessions gives
    the user here; gaps then cut it."""

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "LogTable":
        """The events at these positions (or where the mask is true), in that order."""
        return LogTable(self.time[rows], self.kind[rows], self.item[rows], self.user[rows], self.session[rows])


@dataclass(frozen=True, slots=True)
class Sessions:
    """A log sorted into sessions: session `i` is the events ``start[i] : start[i + 1]`` of `log`."""

    log: LogTable
    start: NDArray[np.int64]
    """Shape (sessions + 1,)."""
    part: NDArray[np.int32]
    """Which piece of the log's own session each is, from 0."""
    order: NDArray[np.int64]
    """Sessions by the time of their first event."""
    shared: int
    """Sessions more than the log's own because one of its sessions named several users."""
    cut: int
    """Sessions more than the log's own because of long gaps."""

    def __len__(self) -> int:
        return len(self.start) - 1


def cut_sessions(log: LogTable, gap_minutes: float) -> Sessions:
    """Sorts a log into sessions.

    A session is one user's events under one session name, in time order (ties in file order), cut where more
    than `gap_minutes` pass between two events.
    """
    order = np.lexsort((log.time, log.user, log.session))
    log = log.take(order)
    if not len(log):
        empty = np.zeros(0, np.int64)
        return Sessions(log, np.zeros(1, np.int64), empty.astype(np.int32), empty, 0, 0)
    new_name = np.diff(log.session) != 0
    new_user = ~new_name & (np.diff(log.user) != 0)
    gap = ~new_name & ~new_user & (np.diff(log.time) > gap_minutes * 60 * MICROSECONDS)
    breaks = np.flatnonzero(new_name | new_user | gap) + 1
    start = np.concatenate(([0], breaks, [len(log)])).astype(np.int64)
    # Pieces of one session name are neighbours, so counting restarts where the name changes.
    names = log.session[start[:-1]]
    rows = np.arange(len(names))
    first = np.maximum.accumulate(np.where(np.concatenate(([True], np.diff(names) != 0)), rows, 0))
    by_time = np.argsort(log.time[start[:-1]], kind="stable")
    return Sessions(log, start, (rows - first).astype(np.int32), by_time, int(new_user.sum()), int(gap.sum()))
