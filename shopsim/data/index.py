"""Builds a data set's ``index/`` folder: memory-mapped columns and a stamp, so that opening reads no Parquet. Ours.

Importing this loads pyarrow; the reader does without it.
"""

import json
import shutil
from collections.abc import Sequence
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
            with IndexWriter(partial) as index:
                _Build(path, index).run(manifest)
            facts = _facts(manifest)
        stamp.write(path, partial, facts, [str(problem) for problem in problems])
        # An index without its stamp counts as missing, so a stop between these lines leaves no wrong one.
        (folder / stamp.STAMP).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    except UNREADABLE as error:
        raise DataError(f"{path}: the index cannot be built ({error})") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _facts(manifest: Manifest) -> dict[str, Any]:
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


class _Build:
    """One pass over each table, in the order in which they refer to each other."""

    def __init__(self, path: Path, index: IndexWriter) -> None:
        self._path = path
        self._index = index

    def run(self, manifest: Manifest) -> None:
        category_ids = self._categories()
        item_ids = self._items(category_ids)
        user_ids = self._users(item_ids)
        step_start = self._sessions(item_ids, user_ids)
        self._steps(item_ids, step_start)
        self._screens(_screen_files(manifest))

    def _categories(self) -> pa.Array:
        ids: list[str] = []
        for piece in pieces(self._path, "categories.parquet", 16_384):
            rows = piece.to_pylist()
            ids += (row["category_id"] for row in rows)
            self._index.texts("category", [_json(row) for row in rows])
        return pa.array(ids, pa.string())

    def _items(self, category_ids: pa.Array) -> pa.Array:
        ids: list[str] = []
        index = self._index
        for piece in pieces(self._path, "items.parquet", 4096):
            rows = piece.to_pylist()
            for row in rows:
                row["attributes"] = {pair["key"]: pair["value"] for pair in row["attributes"]}
            new = [row.pop("item_id") for row in rows]
            ids += new
            index.texts("item_id", new)
            index.texts("item_title", [row.pop("title") for row in rows])
            index.numbers("item_price", [row.pop("price") for row in rows])
            index.numbers("item_sales", [row["sales"] or 0 for row in rows])
            index.numbers("item_aspect", [ASPECTS.index(row["picture"]["aspect"]) for row in rows])
            index.numbers("item_counts", [(len(row["attributes"]), len(row["reviews"])) for row in rows])
            labels = [_rows_of(piece[level], category_ids) for level in ("l1", "l2", "l3")]
            index.numbers("item_labels", np.stack(labels, axis=1))
            index.texts("item_rest", [_json(row) for row in rows])
        item_ids = pa.array(ids, pa.string())
        index.numbers("item_order", _order(item_ids))
        return item_ids

    def _users(self, item_ids: pa.Array) -> Ids:
        """Returns all users: sessions come in small pieces, for each of which Arrow would read all ids."""
        ids = Ids("users.parquet", "user_id")
        start = 0
        for piece in pieces(self._path, "users.parquet", 2048):
            for problem in ids.add(piece, start):
                raise DataError(f"the tables do not fit together: {problem}")
            start += len(piece)
            profile = piece.select(["user_id", "age", "gender", "persona"])
            self._index.texts("user", [_json(row) for row in profile.to_pylist()])
            for name in ("clicks", "purchases"):
                self._index.lists(f"user_{name}", *_item_lists(piece[name], item_ids))
        return ids

    def _sessions(self, item_ids: pa.Array, user_ids: Ids) -> NDArray[np.int64]:
        """Returns where each session's steps start, and where the last one's end."""
        ids = [pa.array([], pa.string())]
        users: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        starts: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        steps: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        index = self._index
        for piece in pieces(self._path, "sessions.parquet", 2048):
            ids += piece["session_id"].chunks
            index.texts("session_id", piece["session_id"].to_pylist())
            users.append(_rows_in(piece["user_id"], user_ids))
            starts.append(piece["started_at"].cast(pa.int64()).to_numpy())
            steps.append(piece["n_steps"].to_numpy().astype(np.int64))
            index.numbers("session_split", _rows_of(piece["split"], pa.array(stamp.SPLITS)))
            index.lists("session_feed", *_item_lists(piece["feed"], item_ids))
        index.numbers("session_order", _order(pa.concat_arrays(ids)))
        user, start, step_start = np.concatenate(users), np.concatenate(starts), np.cumsum(np.concatenate(steps))
        index.numbers("session_user", user)
        index.numbers("session_start", start)
        index.numbers("step_start", step_start)
        # Sessions grouped by user and sorted by time; equal times stand in file order.
        index.numbers("session_by_user", np.lexsort((start, user)))
        index.numbers("user_sessions", np.concatenate([[0], np.cumsum(np.bincount(user, minlength=len(user_ids)))]))
        return step_start

    def _steps(self, item_ids: pa.Array, step_start: NDArray[np.int64]) -> None:
        index = self._index
        notes = _Notes(index, step_start)
        for piece in pieces(self._path, "steps.parquet", 65_536):
            index.numbers("step_action", _rows_of(piece["action"], pa.array(ACTION_LABELS)))
            index.numbers("step_item", _rows_of(piece["item_id"], item_ids))
            index.numbers("step_page", _rows_of(piece["page"], pa.array(list(PAGE_BY_LABEL))))
            index.numbers("step_scroll", piece["scroll"].to_numpy())
            index.numbers("step_time", piece["timestamp"].cast(pa.int64()).to_numpy())
            index.numbers("step_x", piece["x"].to_numpy())
            index.numbers("step_y", piece["y"].to_numpy())
            index.numbers("step_imputed", piece["imputed"].to_numpy())
            notes.add(piece)

    def _screens(self, files: Sequence[str]) -> None:
        ids: list[str] = []
        for number, name in enumerate(files):
            found = list(places(self._path / name))
            ids += (place.screen_id for place in found)
            rows = np.array([(number, place.offset, place.length) for place in found], np.int64)
            self._index.numbers("screen_place", rows.reshape(-1, 3))
        self._index.texts("screen_id", ids)
        self._index.numbers("screen_order", _order(pa.array(ids, pa.string())))


class _Notes:
    """Collects the texts of steps, session by session, across pieces."""

    def __init__(self, index: IndexWriter, step_start: NDArray[np.int64]) -> None:
        self._index = index
        self._step_start = step_start
        self._read = 0
        self._written = 0
        self._open: dict[int, dict[str, list[tuple[int, str]]]] = {}
        self._flush()

    def add(self, piece: pa.Table) -> None:
        """Takes the next rows of ``steps.parquet``."""
        for name in NOTES:
            column = piece[name]
            if column.null_count == len(column):
                continue
            places = np.flatnonzero(column.is_valid().to_numpy())
            steps = places + self._read
            sessions = np.searchsorted(self._step_start, steps, side="right") - 1
            numbers = steps - self._step_start[sessions]
            for session, number, text in zip(
                sessions.tolist(), numbers.tolist(), column.take(pa.array(places)).to_pylist(), strict=True
            ):
                self._open.setdefault(session, {}).setdefault(name, []).append((number, text))
        self._read += len(piece)
        self._flush()

    def _flush(self) -> None:
        """Writes the sessions whose last step has been read."""
        end = int(np.searchsorted(self._step_start, self._read, side="right")) - 1
        found = (self._open.pop(session, None) for session in range(self._written, end))
        self._index.texts("session_notes", [_json(notes) if notes else "" for notes in found])
        self._written = end


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
    """Row of each value."""
    rows, unknown = known.find(values)
    for place in np.flatnonzero(unknown)[:1].tolist():
        raise DataError(f"the tables do not fit together: unknown value {values[place].as_py()!r}")
    return rows.astype(np.int32)


def _item_lists(lists: pa.ChunkedArray, item_ids: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Item rows end to end, and the length of each list."""
    lengths: NDArray[np.int64] = pc.list_value_length(lists).to_numpy().astype(np.int64)
    return _rows_of(pc.list_flatten(lists), item_ids), lengths


def _order(ids: pa.Array) -> NDArray[np.int32]:
    """Rows sorted by the bytes of their id, for search by halving."""
    order: NDArray[np.int32] = pc.array_sort_indices(ids.cast(pa.binary())).to_numpy().astype(np.int32)
    return order
