"""The tables of the data layout "usb", version 1, as Arrow schemas, and how records become rows (SPEC 3).

Importing this loads pyarrow; the reader does without it.
"""

import operator
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data.records import Category, Item, Picture, Session, User
from shopsim.errors import DataError

TIMESTAMP = pa.timestamp("us", tz="UTC")

_PICTURE = pa.struct([(name, pa.int64() if name == "seed" else pa.string()) for name in Picture._fields])
_REVIEWS = pa.list_(pa.struct([("rating", pa.int8()), ("text", pa.string())]))
_IDS = pa.list_(pa.string())
# Pairs rather than an Arrow map, which `datasets` cannot read.
_ATTRIBUTES = pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))


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
        _required("attributes", _ATTRIBUTES),
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


UNREADABLE = (pa.ArrowException, OSError, ValueError)
"""What reading a damaged file raises."""


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
    """A type without what does not matter: width of offsets, dictionaries, nullability of parts, maps as pairs."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_map(kind):
        return pa.list_(pa.struct([("key", _plain(kind.key_type)), ("value", _plain(kind.item_type))]))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _plain(field.type)) for field in kind])
    return kind


def category_table(categories: Iterable[Category]) -> pa.Table:
    """Rows of ``categories.parquet``."""
    return _table("categories.parquet", ({**c._asdict(), "level": _whole(c.level)} for c in categories))


def item_table(items: Iterable[Item]) -> pa.Table:
    """Rows of ``items.parquet``."""
    rows = (
        {
            **item._asdict(),
            "sales": _whole(item.sales),
            "attributes": [{"key": key, "value": value} for key, value in item.attributes.items()],
            "picture": {**item.picture._asdict(), "seed": _whole(item.picture.seed)},
            "reviews": [{"rating": _whole(review.rating), "text": review.text} for review in item.reviews],
        }
        for item in items
    )
    return _table("items.parquet", rows)


def user_table(users: Iterable[User]) -> pa.Table:
    """Rows of ``users.parquet``."""
    return _table("users.parquet", ({**user._asdict(), "age": _whole(user.age)} for user in users))


def session_table(sessions: Iterable[Session]) -> pa.Table:
    """Rows of ``sessions.parquet``."""
    rows = (
        {
            "session_id": session.session_id,
            "user_id": session.user_id,
            "split": session.split,
            "started_at": _utc(session.started_at),
            "feed": session.feed,
            "n_steps": len(session.steps),
        }
        for session in sessions
    )
    return _table("sessions.parquet", rows)


def step_table(sessions: Iterable[Session]) -> pa.Table:
    """Rows of ``steps.parquet``: the sessions' steps one after the other."""
    rows = (
        {
            "session_id": session.session_id,
            "step": number,
            "action": step.action.label,
            "item_id": step.item_id,
            "x": step.x,
            "y": step.y,
            "page": step.page.label,
            "scroll": _whole(step.scroll),
            "timestamp": _utc(step.timestamp),
            "screen_id": step.screen_id,
            "mind": step.mind,
            "episodic": step.episodic,
            "preference": step.preference,
            "imputed": step.imputed,
        }
        for session in sessions
        for number, step in enumerate(session.steps)
    )
    return _table("steps.parquet", rows)


def _table(name: str, rows: Iterable[dict[str, Any]]) -> pa.Table:
    try:
        return pa.Table.from_pylist(list(rows), schema=TABLES[name])
    except (pa.ArrowException, TypeError, AttributeError, OverflowError, UnicodeEncodeError) as error:
        raise DataError(f"a record for {name} holds a value of the wrong kind ({error})") from error


def _whole(number: int | None) -> int | None:
    # Arrow would cut fractions off in silence.
    return None if number is None else operator.index(number)


def _utc(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise TypeError(f"time {time} has no time zone; use UTC")
    return time
