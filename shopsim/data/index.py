"""Builds a data set's ``index/`` folder: memory-mapped columns and a stamp, so that opening reads no Parquet. Ours.

Importing this loads pyarrow; the reader does without it.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data import stamp
from shopsim.data.columns import IndexWriter
from shopsim.data.manifest import Manifest, Problem, is_screens, open_manifest, read_manifest
from shopsim.data.records import ASPECTS
from shopsim.data.rules import Ids
from shopsim.data.schema import UNREADABLE, pieces
from shopsim.data.screens import places
from shopsim.data.vocabulary import ACTION_LABELS, PAGE_BY_LABEL
from shopsim.errors import DataError

NOTES = ("screen_id", "mind", "episodic", "preference")
"""Texts a step may carry; an index keeps them per session, as JSON {name: [[step, text], ...]}."""


def build_index(path: str | Path, problems: Sequence[Problem] = ()) -> None:
    """Writes ``index/`` anew from the tables of a data set.

    Args:
        path: The data set's folder.
        problems: What `check` found. If there is any, the index holds only a stamp that makes `DataSet.open`
            refuse the set with the first problem's words.

    Raises:
        DataError: There is no manifest to build from, or the tables cannot be read.
    """
    path = Path(path)
    # Of a set with problems the manifest may be what is wrong.
    manifest = read_manifest(path) if problems and path.is_dir() else open_manifest(path)
    folder, partial = path / stamp.FOLDER, path / f"{stamp.FOLDER}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir()
        facts: dict[str, Any] = {}
        if not problems and isinstance(manifest, Manifest):
            ids = {name: Ids(name, column) for name, column in _ID_COLUMNS.items()}
            with IndexBuilder(partial, ids) as index:
                _read(path, index, ids)
                index.finish(path, manifest)
            facts = facts_of(manifest)
        stamp.write(path, partial, facts, [str(problem) for problem in problems])
        # An index without its stamp counts as missing, so a stop between these lines leaves no wrong one.
        (folder / stamp.STAMP).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except UNREADABLE as error:
        raise DataError(f"{path}: the index cannot be built ({error})") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def facts_of(manifest: Manifest) -> dict[str, Any]:
    """What the stamp of an index says of the set."""
    return {
        "name": manifest.name,
        "source": manifest.source,
        "locale": manifest.locale,
        "currency": manifest.currency,
        "licence": manifest.licence,
        "layout_version": manifest.layout.version,
        "scroll_step": manifest.layout.scroll_step,
        "longest_session": manifest.counts.longest_session,
        "imputed": manifest.imputed,
        "screen_files": _screen_files(manifest),
    }


def _screen_files(manifest: Manifest) -> list[str]:
    return sorted(name for name in manifest.files if is_screens(name))


_ID_COLUMNS = {
    "categories.parquet": "category_id",
    "items.parquet": "item_id",
    "users.parquet": "user_id",
    "sessions.parquet": "session_id",
}
"""Tables that others refer to by their row."""
_ROWS = {"categories.parquet": 16_384, "items.parquet": 4096, "users.parquet": 2048, "sessions.parquet": 2048}
"""Rows of these that are read at once."""
_STEPS = 65_536
"""The same of ``steps.parquet``."""


def _read(path: Path, index: "IndexBuilder", ids: Mapping[str, Ids]) -> None:
    """Puts the tables of a data set into an index, in the order in which they refer to each other."""
    for name, rows in _ROWS.items():
        start = 0
        for piece in pieces(path, name, rows):
            for problem in ids[name].add(piece, start):
                raise DataError(f"the tables do not fit together: {problem}")
            start += len(piece)
            if name == "sessions.parquet":
                users = _rows_in(piece["user_id"], ids["users.parquet"])
                index.sessions(piece, users, _items_of(piece["feed"], ids["items.parquet"]))
            else:
                index.catalog[name](piece)
    for piece in pieces(path, "steps.parquet", _STEPS):
        index.steps(piece, _rows_in(piece["item_id"], ids["items.parquet"]))


class IndexBuilder:
    """Writes the columns of an index while the rows of the tables pass by. Use as a context manager.

    Args:
        folder: Where to write; it must be there.
        ids: By file the ids of its rows, which must be there before the rows come here.
    """

    def __init__(self, folder: Path, ids: Mapping[str, Ids]) -> None:
        self._ids = ids
        self._index = IndexWriter(folder)
        self._notes = _Notes(self._index)
        self._user: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        self._start: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        self._index.numbers("step_start", [0])
        self.catalog = {
            "categories.parquet": self._categories,
            "items.parquet": self._items,
            "users.parquet": self._users,
        }
        """For each of these tables what takes its next rows."""

    def __enter__(self) -> "IndexBuilder":
        self._index.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._index.__exit__(*error)

    def _categories(self, table: pa.Table) -> None:
        self._index.texts("category", [_json(row) for row in table.to_pylist()])

    def _items(self, table: pa.Table) -> None:
        index, rows = self._index, table.to_pylist()
        for row in rows:
            row["attributes"] = {pair["key"]: pair["value"] for pair in row["attributes"]}
        index.texts("item_id", [row.pop("item_id") for row in rows])
        index.texts("item_title", [row.pop("title") for row in rows])
        index.numbers("item_price", [row.pop("price") for row in rows])
        index.numbers("item_sales", [row["sales"] or 0 for row in rows])
        index.numbers("item_aspect", [ASPECTS.index(row["picture"]["aspect"]) for row in rows])
        index.numbers("item_counts", [(len(row["attributes"]), len(row["reviews"])) for row in rows])
        labels = [_rows_in(table[level], self._ids["categories.parquet"]) for level in ("l1", "l2", "l3")]
        index.numbers("item_labels", np.stack(labels, axis=1))
        index.texts("item_rest", [_json(row) for row in rows])

    def _users(self, table: pa.Table) -> None:
        profile = table.select(["user_id", "age", "gender", "persona"])
        self._index.texts("user", [_json(row) for row in profile.to_pylist()])
        for name in ("clicks", "purchases"):
            lengths = pc.list_value_length(table[name]).to_numpy()
            self._index.lists(f"user_{name}", _items_of(table[name], self._ids["items.parquet"]), lengths)

    def sessions(self, table: pa.Table, users: NDArray[np.integer], feeds: NDArray[np.integer]) -> None:
        """Takes rows of ``sessions.parquet``, the rows of their users, and those of the items of their feeds."""
        index, start = self._index, table["started_at"].cast(pa.int64()).to_numpy()
        self._user.append(users.astype(np.int32))
        self._start.append(start)
        index.texts("session_id", table["session_id"].to_pylist())
        index.numbers("session_user", users)
        index.numbers("session_start", start)
        index.numbers("session_split", _rows_of(table["split"], pa.array(stamp.SPLITS)))
        index.lists("session_feed", feeds, pc.list_value_length(table["feed"]).to_numpy())
        index.numbers("step_start", self._notes.expect(table["n_steps"].to_numpy()))

    def steps(self, table: pa.Table, items: NDArray[np.integer]) -> None:
        """Takes rows of ``steps.parquet``, after their sessions, and the rows of their items (-1 for none)."""
        index = self._index
        index.numbers("step_action", _rows_of(table["action"], pa.array(ACTION_LABELS)))
        index.numbers("step_item", items)
        index.numbers("step_page", _rows_of(table["page"], pa.array(list(PAGE_BY_LABEL))))
        index.numbers("step_scroll", table["scroll"].to_numpy())
        index.numbers("step_time", table["timestamp"].cast(pa.int64()).to_numpy())
        index.numbers("step_x", table["x"].to_numpy())
        index.numbers("step_y", table["y"].to_numpy())
        index.numbers("step_imputed", table["imputed"].to_numpy())
        self._notes.add(table)

    def finish(self, path: Path, manifest: Manifest) -> None:
        """Writes what needs all rows, and where the screens of the data set at `path` stand."""
        index, user, start = self._index, np.concatenate(self._user), np.concatenate(self._start)
        index.numbers("item_order", _order(self._ids["items.parquet"].texts))
        index.numbers("session_order", _order(self._ids["sessions.parquet"].texts))
        # Sessions grouped by user and sorted by time; equal times stand in file order.
        index.numbers("session_by_user", np.lexsort((start, user)))
        counts = np.bincount(user, minlength=len(self._ids["users.parquet"]))
        index.numbers("user_sessions", np.concatenate([[0], np.cumsum(counts)]))
        ids: list[str] = []
        for number, name in enumerate(_screen_files(manifest)):
            found = list(places(path / name))
            ids += (place.screen_id for place in found)
            rows = np.array([(number, place.offset, place.length) for place in found], np.int64)
            index.numbers("screen_place", rows.reshape(-1, 3))
        index.texts("screen_id", ids)
        index.numbers("screen_order", _order(pa.array(ids, pa.string())))


class _Notes:
    """Collects the texts of steps, session by session, across pieces."""

    def __init__(self, index: IndexWriter) -> None:
        self._index = index
        self._ends = np.zeros(1, np.int64)
        """Where the steps of each session end whose last one has not been read; before these, where they begin."""
        self._read = 0
        self._written = 0
        self._open: dict[int, dict[str, list[tuple[int, str]]]] = {}

    def expect(self, n_steps: NDArray[np.integer]) -> NDArray[np.int64]:
        """Takes the lengths of the next sessions; returns where their steps end."""
        ends: NDArray[np.int64] = self._ends[-1] + np.cumsum(n_steps, dtype=np.int64)
        self._ends = np.append(self._ends, ends)
        return ends

    def add(self, piece: pa.Table) -> None:
        """Takes the next rows of ``steps.parquet``."""
        for name in NOTES:
            column = piece[name]
            if column.null_count == len(column):
                continue
            places = np.flatnonzero(column.is_valid().to_numpy())
            steps = places + self._read
            sessions = np.searchsorted(self._ends, steps, side="right") - 1
            numbers = steps - self._ends[sessions]
            for session, number, text in zip(
                (self._written + sessions).tolist(),
                numbers.tolist(),
                column.take(pa.array(places)).to_pylist(),
                strict=True,
            ):
                self._open.setdefault(session, {}).setdefault(name, []).append((number, text))
        self._read += len(piece)
        # Sessions whose last step has been read.
        done = int(np.searchsorted(self._ends, self._read, side="right")) - 1
        found = (self._open.pop(session, None) for session in range(self._written, self._written + done))
        self._index.texts("session_notes", [_json(notes) if notes else "" for notes in found])
        self._written, self._ends = self._written + done, self._ends[done:]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _rows_of(values: pa.ChunkedArray, known: pa.Array) -> NDArray[np.int32]:
    """Position of each value among the known ones, -1 for null."""
    rows = pc.index_in(values, value_set=known)
    if rows.null_count != values.null_count:
        bad = pc.filter(values, pc.and_(pc.is_null(rows), pc.is_valid(values)))
        raise DataError(f"the tables do not fit together: unknown value {bad[0].as_py()!r}")
    array: NDArray[np.int32] = rows.fill_null(-1).to_numpy()
    return array


def _rows_in(values: pa.ChunkedArray, known: Ids) -> NDArray[np.int32]:
    """Row of each value, -1 for null."""
    rows, unknown = known.find(values)
    for place in np.flatnonzero(unknown)[:1].tolist():
        raise DataError(f"the tables do not fit together: unknown value {values[place].as_py()!r}")
    return rows.astype(np.int32)


def _items_of(lists: pa.ChunkedArray, item_ids: Ids) -> NDArray[np.int32]:
    """Item rows end to end."""
    return _rows_in(pc.list_flatten(lists), item_ids)


def _order(ids: pa.Array) -> NDArray[np.int32]:
    """Rows sorted by the bytes of their id, for search by halving."""
    order: NDArray[np.int32] = pc.array_sort_indices(ids.cast(pa.binary())).to_numpy().astype(np.int32)
    return order
