"""A log's format out of a small TOML file: the importer for any other log. Ours.

The file's tables are those of `LogFormat`: ``[events]`` names columns, ``[kinds]`` words, and so on; docs/importers.md
has them all with an example.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from shopsim.benchmark_usb.importers.log_format import (
    UNKNOWN_LICENCE,
    EventColumns,
    FileShape,
    ItemColumns,
    LogFormat,
    UserColumns,
)
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.errors import DataError, InputError

T = TypeVar("T")

_TABLES = ("name", "file", "events", "kinds", "items", "users", "genders", "set", "rules")
_SET = ("currency", "licence", "locale")
IGNORED = "ignore"
"""Name of the words in ``[kinds]`` that are known and mean nothing here."""


def read_mapping(path: str | Path) -> LogFormat:
    """The format that a mapping file describes.

    Raises:
        DataError: The file cannot be read as TOML.
        InputError: It says something that no format has.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise DataError(f"{path}: is not TOML ({error})") from error
    try:
        return _format(content, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _format(content: Mapping[str, Any], stem: str) -> LogFormat:
    _known("the file", content, _TABLES)
    if "events" not in content:
        raise InputError("[events] is missing; it must name at least the columns time and item")
    for name in _TABLES[1:]:
        if not isinstance(content.get(name, {}), Mapping):
            raise InputError(f"[{name}] must be a table, got {content[name]!r}")
    events = dict(content["events"])
    separator = str(events.pop("category_separator", ""))
    columns = _columns(EventColumns, "events", events)
    if not (columns.user or columns.session):
        raise InputError("[events] must name a column user or session")
    about = content.get("set", {})
    _known("[set]", about, _SET)
    locale = str(about.get("locale", "en"))
    if locale not in ("en", "zh"):
        raise InputError(f"[set] locale must be en or zh, got {locale!r}")
    return LogFormat(
        name=str(content.get("name", stem)),
        events=columns,
        kinds=_kinds(content.get("kinds", {}), bool(columns.kind)),
        items=_columns(ItemColumns, "items", content["items"]) if "items" in content else None,
        users=_columns(UserColumns, "users", content["users"]) if "users" in content else None,
        shape=_columns(FileShape, "file", content.get("file", {})),
        category_separator=separator,
        genders={
            word.lower(): gender for gender, words in content.get("genders", {}).items() for word in _words(words)
        },
        settings=ImportSettings().changed(content.get("rules", {})),
        currency=str(about.get("currency", "")),
        licence=str(about.get("licence", UNKNOWN_LICENCE)),
        locale=locale,
    )


def _kinds(told: Mapping[str, Any], has_column: bool) -> dict[str, Kind | None]:
    """What each word means; without a column of kinds, the one kind of all events."""
    names = {kind.name.lower(): kind for kind in Kind}
    _known("[kinds]", told, (*names, IGNORED))
    if not has_column:
        if len(told) > 1:
            raise InputError("[kinds] must name one kind alone, since [events] names no column kind")
        return {"": names[next(iter(told), "view")]}
    words = {word.lower(): names.get(name) for name, listed in told.items() for word in _words(listed)}
    if not any(kind is not None for kind in words.values()):
        raise InputError('[kinds] must say which words mean what, for example view = ["pv", "click"]')
    return words


def _columns(kind: type[T], table: str, told: Mapping[str, Any]) -> T:
    """One of the dataclasses of columns from what the file says."""
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    _known(f"[{table}]", told, tuple(known))
    values: dict[str, Any] = {}
    for name, value in told.items():
        several = "tuple" in str(known[name].type)
        if not isinstance(value, str) and not (several and isinstance(value, list)):
            raise InputError(f"[{table}] {name} must be a text{' or a list of texts' * several}, got {value!r}")
        values[name] = tuple(_words(value)) if several else value
    for name, each in known.items():
        if each.default is MISSING and not values.get(name):
            raise InputError(f"[{table}] must name the column {name}")
    return kind(**values)


def _words(value: Any) -> list[str]:
    return [str(word) for word in value] if isinstance(value, list) else [str(value)]


def _known(where: str, told: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in told:
        if name not in names:
            raise InputError(f"{where} has no {name!r}; it may have {', '.join(names)}")
