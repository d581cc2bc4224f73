"""An imported log's users and sessions as the tables of the layout (SPEC 3), in columns. Ours. Loads pyarrow."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.imputation import Filled
from shopsim.benchmark_usb.importers.log_table import LogTable
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, starts_of
from shopsim.benchmark_usb.importers.user_records import SPLITS
from shopsim.data.records import Item
from shopsim.data.schema import SESSIONS, STEPS, TIMESTAMP, USERS
from shopsim.data.vocabulary import ACTION_LABELS, PAGE_BY_LABEL


class Batch(NamedTuple):
    """Some sessions, one after the other."""

    names: pa.Array
    """Their ids."""
    users: pa.Array
    """Whose they are."""
    events: LogTable
    """User and session are places in the batch, minds in `minds`."""
    lengths: Ints
    minds: pa.Array

    @classmethod
    def of(cls, table: pa.Table) -> "Batch":
        """Of rows of `cutting.SESSIONS`."""
        lengths = np.diff(table["time"].combine_chunks().offsets.to_numpy()).astype(np.int64)
        time, kind, item, mind = (table[name].combine_chunks().flatten() for name in ("time", "kind", "item", "mind"))
        owner = owners_of(lengths).astype(np.int32)
        place = np.arange(len(mind), dtype=np.int32)
        said = np.where(mind.is_valid().to_numpy(zero_copy_only=False), place, np.int32(-1))
        events = LogTable(time.to_numpy(), kind.to_numpy(), item.to_numpy(), owner, owner, said)
        return cls(table["name"].combine_chunks(), table["user"].combine_chunks(), events, lengths, mind)


class SetColumns:
    """Sessions and users as the tables of the layout.

    Args:
        items: All items.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = pa.array([item.item_id for item in items], pa.string())

    def users(self, records: pa.Table) -> pa.Table:
        """Rows of ``users.parquet``."""
        histories = {name: self._lists(records[name].combine_chunks()) for name in ("clicks", "purchases")}
        told = {"user_id": "user", "age": "age", "gender": "gender", "persona": "persona"}
        columns = {name: records[column] for name, column in told.items()} | histories
        return pa.table([columns[name] for name in USERS.names], schema=USERS)

    def tables(self, batch: Batch, splits: NDArray[np.int8], filled: Filled) -> tuple[pa.Table, pa.Table]:
        """Rows of ``sessions.parquet`` and ``steps.parquet``."""
        steps = filled.steps
        sessions = [
            batch.names,
            batch.users,
            _SPLITS.take(pa.array(splits)),
            pa.array(steps.time[starts_of(steps.lengths)[:-1]]).cast(TIMESTAMP),
            _lists(self._items.take(pa.array(filled.feed)), filled.feed_length),
            pa.array(steps.lengths.astype(np.int32)),
        ]
        untold = pa.nulls(len(steps.action), pa.string())
        rows = [
            batch.names.take(pa.array(owners_of(steps.lengths))),
            pa.array(places_of(steps.lengths).astype(np.int32)),
            _ACTIONS.take(pa.array(steps.action)),
            _told(self._items, steps.item),
            pa.array(steps.x, mask=np.isnan(steps.x)),
            pa.array(steps.y, mask=np.isnan(steps.y)),
            _PAGES.take(pa.array(steps.page)),
            pa.array(steps.scroll.astype(np.int32)),
            pa.array(steps.time).cast(TIMESTAMP),
            untold,
            _told(batch.minds, steps.mind),
            untold,
            untold,
            pa.array(steps.imputed),
        ]
        return pa.table(sessions, schema=SESSIONS), pa.table(rows, schema=STEPS)

    def _lists(self, rows: pa.Array) -> pa.Array:
        """Lists of item rows as lists of their ids."""
        return pa.ListArray.from_arrays(rows.offsets, self._items.take(rows.values))


_ACTIONS, _PAGES, _SPLITS = pa.array(ACTION_LABELS), pa.array(list(PAGE_BY_LABEL)), pa.array(SPLITS)


def _told(texts: pa.Array, rows: Ints) -> pa.Array:
    """The text of each row, null at -1."""
    return texts.take(pa.array(rows, mask=rows < 0))


def _lists(values: pa.Array, lengths: Ints) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(starts_of(lengths).astype(np.int32)), values)
