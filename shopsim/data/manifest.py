"""The manifest of a data set: what it is, where it came from, and the hash of every file (SPEC 3).

Importing this loads pydantic; the reader does without it.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shopsim.errors import DataError

FORMAT = "usb"
VERSION = 1
MANIFEST = "manifest.json"
FILES = ("categories.parquet", "items.parquet", "users.parquet", "sessions.parquet", "steps.parquet")
"""The files every data set has."""


class Problem(NamedTuple):
    """One thing wrong with a data set.

    Attributes:
        file: File name inside the data set's folder, or the folder itself.
        row: Row in that file, counted from 0; None where the file as a whole is meant.
        cause: What is wrong and what would be right.
    """

    file: str
    row: int | None
    cause: str

    def __str__(self) -> str:
        place = self.file if self.row is None else f"{self.file} row {self.row}"
        return f"{place}: {self.cause}"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Layout(_Strict):
    """The page layout that recorded scroll offsets rest on."""

    version: int = Field(ge=1)
    scroll_step: int = Field(ge=1)
    """Distance of one scroll in logical units."""


class Counts(_Strict):
    """Rows of each table, and the number of steps of the longest session."""

    categories: int = Field(ge=0)
    items: int = Field(ge=0)
    users: int = Field(ge=0)
    sessions: int = Field(ge=0)
    steps: int = Field(ge=0)
    screens: int = Field(ge=0)
    longest_session: int = Field(ge=0)


class FileEntry(_Strict):
    """What a file must be."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int = Field(ge=0)
    """Rows of a table or of a screens file, 0 for a picture."""
    bytes: int = Field(ge=0)


class Generator(_Strict):
    """How the set was made: enough to make it again."""

    settings: dict[str, Any]
    seed: int | None


class Manifest(_Strict):
    """``manifest.json``."""

    format: Literal["usb"]
    version: Literal[1]
    name: str = Field(min_length=1)
    source: Literal["synthetic", "imported", "recorded"]
    locale: Literal["en", "zh"]
    """The language of titles and texts."""
    currency: str = Field(min_length=1)
    licence: str = Field(min_length=1)
    layout: Layout
    counts: Counts
    files: dict[str, FileEntry]
    generator: Generator | None
    imputed: list[str]
    """What the source did not hold and an importer filled in, for example ``titles`` or ``scrolls``."""

    def to_json(self) -> str:
        """The file's text; the same manifest always gives the same bytes."""
        return json.dumps(self.model_dump(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def is_screens(name: str) -> bool:
    """Whether a file of a data set holds screens."""
    return name.startswith("screens/") and name.endswith(".arrow")


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes, read as a stream."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(path: Path) -> Manifest | Problem:
    """Reads a data set's manifest, or says why that cannot be done."""
    if not path.is_dir():
        return Problem(str(path), None, "is a file, no folder" if path.exists() else "there is no such folder")
    try:
        raw = json.loads((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        return Problem(MANIFEST, None, f"missing, so {path} is not a ShopSim data set")
    except (OSError, ValueError) as error:
        return Problem(MANIFEST, None, f"cannot be read as JSON ({error})")
    return parse_manifest(raw)


def open_manifest(path: Path) -> Manifest:
    """Reads a data set's manifest.

    Raises:
        DataError: That cannot be done.
    """
    manifest = read_manifest(path)
    if isinstance(manifest, Problem):
        # Where there is no folder, the problem names it.
        raise DataError(f"{path}: {manifest}" if path.is_dir() else str(manifest))
    return manifest


def parse_manifest(raw: object) -> Manifest | Problem:
    """The manifest that this JSON value holds, or what is wrong with it."""
    if not isinstance(raw, dict):
        return Problem(MANIFEST, None, "must hold a JSON object")
    if raw.get("format") != FORMAT:
        return Problem(MANIFEST, None, f"format is {raw.get('format')!r}, must be {FORMAT!r}")
    if raw.get("version") != VERSION:
        return Problem(MANIFEST, None, f"version is {raw.get('version')!r}, this ShopSim reads version {VERSION}")
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Problem(MANIFEST, None, f"{where}: {first['msg']}")


def file_problems(path: Path, manifest: Manifest) -> Iterator[Problem]:
    """Files that the manifest names, or should name, and that are not there at their size."""
    for name in FILES:
        if name not in manifest.files:
            yield Problem(MANIFEST, None, f"files has no entry for {name}")
    for name, entry in manifest.files.items():
        try:
            size = (path / name).stat().st_size
        except FileNotFoundError:
            yield Problem(name, None, "missing, though the manifest names it")
            continue
        if size != entry.bytes:
            yield Problem(name, None, f"has {size} bytes where the manifest says {entry.bytes} (truncated or changed)")
