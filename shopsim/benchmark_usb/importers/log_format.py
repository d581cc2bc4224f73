"""What a log looks like: its files, its columns, its words. An importer is one of these and little else. Ours."""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.benchmark_usb.importers.pieces import Piece


UNKNOWN_LICENCE = "unknown; see the log's source"


@dataclass(frozen=True, slots=True)
class FileShape:
    """How rows lie in the files."""

    format: str = ""
    """``csv``, ``jsonl`` or ``parquet``; told by a file's name where empty."""
    encodings: tuple[str, ...] = ("utf-8",)
    """Encodings that text may have, the likeliest first."""
    delimiter: str = ""
    """Between the fields of a CSV line; found in the first line where empty."""
    quote: str = '"'
    """Around fields that hold delimiters or line breaks; empty where quotes mean nothing."""
    header: tuple[str, ...] = ()
    """Names of the columns of CSV files that do not begin with them."""
    explode: str = ""
    """A list in each JSON object whose members are the rows; they get the object's other values too."""

    def __post_init__(self) -> None:
        if self.format not in ("", "csv", "jsonl", "parquet"):
            raise InputError(f"format must be csv, jsonl or parquet, got {self.format!r}")
        for name in ("delimiter", "quote"):
            if len(getattr(self, name).encode()) > 1:
                raise InputError(f"{name} must be one plain character or none, got {getattr(self, name)!r}")
        for encoding in self.encodings:
            try:
                codecs.lookup(encoding)
            except LookupError as error:
                raise InputError(f"there is no encoding {encoding!r}; utf-8 and gb18030 are some") from error


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Columns of the table of events; an empty name: the log does not tell."""

    time: str
    item: str
    user: str = ""
    """Without it each session is a user of its own."""
    session: str = ""
    """Without it a user's events are cut by gaps alone."""
    kind: str = ""
    price: str = ""
    currency: str = ""
    category: tuple[str, ...] = ()
    """From the coarsest level to the finest; or one column that holds a path."""
    category_id: str = ""
    """The finest category there is, as a mere id."""
    brand: str = ""
    title: str = ""
    mind: str = ""
    """What the shopper said while acting."""
    also: tuple[str, ...] = ()
    """Further columns in which rows that are otherwise equal may differ, and then are no duplicates."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Columns of a table of items; what it tells goes before what events tell."""

    item: str
    price: str = ""
    category: tuple[str, ...] = ()
    category_id: str = ""
    brand: str = ""
    title: tuple[str, ...] = ()
    """Put together with spaces where there are several."""


@dataclass(frozen=True, slots=True)
class UserColumns:
    """Columns of a table of users."""

    user: str
    age: str = ""
    """Years, or a band of them such as ``26-35``."""
    gender: str = ""
    persona: str = ""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A kind of log."""

    name: str
    events: EventColumns
    kinds: Mapping[str, Kind | None]
    """What each word of the kind column means, in lower case; None: nothing that the eight actions can do. Without
    such a column every event is the one under the empty word."""
    items: ItemColumns | None = None
    users: UserColumns | None = None
    shape: FileShape = FileShape()
    category_separator: str = ""
    """Between the parts of a category's path, where one column holds it."""
    genders: Mapping[str, str] = field(default_factory=dict)
    """What each word of the gender column means, in lower case; other words mean nothing."""
    numeric_ids: bool = False
    """Whether ids of items and users are whole numbers, and others a mistake."""
    currency: str = ""
    """Of all prices, where the log does not say."""
    licence: str = UNKNOWN_LICENCE
    locale: str = "en"
    settings: ImportSettings = field(default_factory=ImportSettings)
    """The defaults for this kind of log."""
    prepare: "Callable[[Piece], Piece] | None" = None
    """Makes the named columns out of a piece of the table of events, where they are not there as such."""
    sources: tuple[str, ...] = ()
    """Columns that `prepare` reads; without it the named columns themselves are read."""

    def __str__(self) -> str:
        return self.name


def names_in(columns: EventColumns | ItemColumns | UserColumns) -> list[str]:
    """Every column named."""
    named: list[str] = []
    for each in fields(columns):
        value = getattr(columns, each.name)
        named += [value] if isinstance(value, str) else value
    return list(dict.fromkeys(name for name in named if name))
