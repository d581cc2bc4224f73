"""The tables of the data layout "usb", version 1, as Arrow schemas, and how records become rows (SPEC 3).

Importing this loads pyarrow; the reader does without it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data.records import Category, Item, Picture, Session, User
from shopsim.errors import DataError

TIMESTAMP = pa.timestamp("us", tz="UTC")

_PICTURE = pa.struct([(f.name, pa.int64() if f.name == "seed" else pa.string()) for f in fields(Picture)])
_REVIEWS = pa.list_(pa.struct([("rating", pa.int8()), ("text", pa.string())]))
_IDS = pa.list_(pa.string())


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


CATEGORIES = pa.schema(
    [
        _required("category_id", pa.string()),
        _required("level", pa.int8()),
        pa.field("parent_id", pa.string()),
        _required("name", pa.string()),
        pa.field("name_zh", pa.string()),
    ]
)
ITEMS = pa.schema(
    [
        _required("item_id", pa.string()),
        _required("title", pa.string()),
        _required("price", pa.float64()),
        pa.field("l1", pa.string()),
        pa.field("l2", pa.string()),
        pa.field("l3", pa.string()),
        pa.field("brand", pa.string()),
        pa.field("shop", pa.string()),
        pa.field("rating", pa.float64()),
        pa.field("sales", pa.int64()),
        _required("attributes", pa.map_(pa.string(), pa.string())),
        _required("picture", _PICTURE),
        _required("reviews", _REVIEWS),
        _required("description", pa.string()),
    ]
)
USERS = pa.schema(
    [
        _required("user_id", pa.string()),
        pa.field("age", pa.int16()),
        pa.field("gender", pa.string()),
        pa.field("persona", pa.string()),
        _required("clicks", _IDS),
        _required("purchases", _IDS),
    ]
)
SESSIONS = pa.schema(
    [
        _required("session_id", pa.string()),
        _required("user_id", pa.string()),
        _required("split", pa.string()),
        _required("started_at", TIMESTAMP),
        _required("feed", _IDS),
        _required("n_steps", pa.int32()),
    ]
)
STEPS = pa.schema(
    [
        _required("session_id", pa.string()),
        _required("step", pa.int32()),
        _required("action", pa.string()),
        pa.field("item_id", pa.string()),
        pa.field("x", pa.float64()),
        pa.field("y", pa.float64()),
        _required("page", pa.string()),
        _required("scroll", pa.int32()),
        _required("timestamp", TIMESTAMP),
        pa.field("screen_id", pa.string()),
        pa.field("mind", pa.string()),
        pa.field("episodic", pa.string()),
        pa.field("preference", pa.string()),
        _required("imputed", pa.bool_()),
    ]
)

TABLES: dict[str, pa.Schema] = {
    "categories.parquet": CATEGORIES,
    "items.parquet": ITEMS,
    "users.parquet": USERS,
    "sessions.parquet": SESSIONS,
    "steps.parquet": STEPS,
}
"""Schema by file name, in the order in which they refer to each other."""


def schema_faults(name: str, schema: pa.Schema) -> Iterator[str]:
    """Columns of a table that are missing or of the wrong type, in words; other columns may stand beside them."""
    for field in TABLES[name]:
        places = schema.get_all_field_indices(field.name)
        if len(places) != 1:
            yield (
                f"column {field.name} ({field.type}) is missing"
                if not places
                else f"column {field.name} is there twice"
            )
        elif _plain(kind := schema.field(places[0]).type) != _plain(field.type):
            yield f"column {field.name} is {kind}, must be {field.type}"


def pieces(folder: Path, name: str, rows: int) -> Iterator[pa.Table]:
    """A table as a stream of pieces of at most this many rows, in its schema and without columns beyond it."""
    with pq.ParquetFile(folder / name) as file:
        for batch in file.iter_batches(batch_size=rows, columns=TABLES[name].names):
            columns = [pa.chunked_array([batch.column(field.name)]).cast(field.type) for field in TABLES[name]]
            yield pa.Table.from_arrays(columns, schema=TABLES[name])


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without what does not matter: width of offsets, dictionaries, names and nullability of list parts."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_map(kind):
        return pa.map_(_plain(kind.key_type), _plain(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _plain(field.type)) for field in kind])
    return kind


def category_rows(categories: Iterable[Category]) -> list[dict[str, Any]]:
    """Rows of ``categories.parquet``."""
    return [asdict(category) for category in categories]


def item_rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Rows of ``items.parquet``."""
    return [{**asdict(item), "attributes": list(item.attributes.items())} for item in items]


def user_rows(users: Iterable[User]) -> list[dict[str, Any]]:
    """Rows of ``users.parquet``."""
    return [asdict(user) for user in users]


def session_rows(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """Rows of ``sessions.parquet``."""
    return [
        {
            "session_id": session.session_id,
            "user_id": session.user_id,
            "split": session.split,
            "started_at": _utc(session.started_at, session),
            "feed": session.feed,
            "n_steps": len(session.steps),
        }
        for session in sessions
    ]


def step_rows(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """Rows of ``steps.parquet``: the sessions' steps one after the other."""
    return [
        {
            "session_id": session.session_id,
            "step": number,
            "action": step.action.label,
            "item_id": step.item_id,
            "x": step.x,
            "y": step.y,
            "page": step.page.label,
            "scroll": step.scroll,
            "timestamp": _utc(step.timestamp, session),
            "screen_id": step.screen_id,
            "mind": step.mind,
            "episodic": step.episodic,
            "preference": step.preference,
            "imputed": step.imputed,
        }
        for session in sessions
        for number, step in enumerate(session.steps)
    ]


def _utc(time: datetime, session: Session) -> datetime:
    if time.tzinfo is None:
        raise DataError(f"session {session.session_id!r}: time {time} has no time zone (use UTC)")
    return time
