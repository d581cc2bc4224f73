"""An imported log's users and sessions as the tables of the layout (SPEC 3), in columns. Ours. Loads pyarrow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.catalog import Catalog
from shopsim.benchmark_usb.importers.chance import keys_of
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imputation import Filled
from shopsim.benchmark_usb.importers.log_table import LogTable
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, starts_of
from shopsim.benchmark_usb.importers.side_tables import UserFacts
from shopsim.benchmark_usb.importers.values import Age
from shopsim.data.schema import SESSIONS, STEPS, TIMESTAMP, USERS
from shopsim.data.vocabulary import ACTION_LABELS, PAGE_BY_LABEL

Histories = dict[int, list[int]]
"""Item rows by the row of the user."""
_USERS = 65_536
"""Users written at once."""


@dataclass(frozen=True, slots=True)
class CleanLog:
    """A log with everything it refers to."""

    table: LogTable
    catalog: Catalog
    user_ids: pa.StringArray
    users: Mapping[str, UserFacts]
    session_names: pa.StringArray
    minds: pa.StringArray


class Splits:
    """The split of each user, 80/10/10, by a hash of the seed and the id: no user is in two (SPEC 3).

    Args:
        user_ids: All users.
        seed: Another seed, other splits.
    """

    names = ("train", "validation", "test")

    def __init__(self, user_ids: pa.StringArray, seed: int) -> None:
        pieces = (user_ids.slice(begin, _USERS).to_pylist() for begin in range(0, len(user_ids), _USERS))
        share = np.concatenate([keys_of(seed, piece) for piece in pieces]) / 2.0**64
        self.codes = np.digitize(share, (0.8, 0.9)).astype(np.int8)
        """For each user the position of its split among `names`."""


class Batch(NamedTuple):
    """Some sessions, one after the other."""

    events: LogTable
    lengths: Ints
    user: NDArray[np.int32]
    part: NDArray[np.int32]
    end: int
    """Sessions up to here and in this batch."""


class SetColumns:
    """Sessions and users as the tables of the layout."""

    def __init__(self, log: CleanLog, splits: Splits) -> None:
        self._log = log
        self._split = splits.codes
        self._items = pa.array([item.item_id for item in log.catalog.items], pa.string())

    def users(
        self, rows: NDArray[np.int32], clicks: Histories, bought: Histories, report: ImportReport
    ) -> Iterator[pa.Table]:
        """The users of these rows, and their ages into the report."""
        nobody = UserFacts(Age(None))
        for begin in range(0, len(rows), _USERS):
            piece = rows[begin : begin + _USERS].tolist()
            names = self._log.user_ids.take(pa.array(piece))
            facts = [self._log.users.get(name, nobody) for name in names.to_pylist()]
            for fact in facts:
                report.ages["band" if fact.age.band else "unknown" if fact.age.years is None else "told"] += 1
            columns = [
                names,
                pa.array([fact.age.years for fact in facts], pa.int16()),
                pa.array([fact.gender for fact in facts], pa.string()),
                pa.array([fact.persona for fact in facts], pa.string()),
                *(self._histories([past.get(row, []) for row in piece]) for past in (clicks, bought)),
            ]
            yield pa.table(columns, schema=USERS)

    def _histories(self, rows: list[list[int]]) -> pa.Array:
        lengths = np.array([len(items) for items in rows])
        return _lists(self._items.take(pa.array([item for items in rows for item in items], pa.int64())), lengths)

    def session_names(self, batch: Batch) -> list[str]:
        """Ids of sessions: the log's own, numbered where it was cut."""
        codes = batch.events.session[starts_of(batch.lengths)[:-1]]
        pieces = zip(self._log.session_names.take(pa.array(codes)).to_pylist(), batch.part.tolist(), strict=True)
        return [name if part == 0 else f"{name}#{part + 1}" for name, part in pieces]

    def tables(self, names: list[str], batch: Batch, filled: Filled) -> tuple[pa.Table, pa.Table]:
        """Rows of ``sessions.parquet`` and ``steps.parquet``."""
        steps = filled.steps
        ids = pa.array(names, pa.string())
        sessions = [
            ids,
            self._log.user_ids.take(pa.array(batch.user)),
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
            _told(self._log.minds, steps.mind),
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
