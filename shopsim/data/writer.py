"""Writing a data set as a stream: rows go to disk group by group, the folder appears only when complete (SPEC 3).

Importing this loads pyarrow and pydantic.
"""

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data import card, schema, screens, stamp
from shopsim.data.index import IndexBuilder, facts_of
from shopsim.data.manifest import FORMAT, MANIFEST, VERSION, FileEntry, Manifest, Problem, parse_manifest, sha256_of
from shopsim.data.records import Category, Item, Session, User
from shopsim.data.schema import TABLES
from shopsim.data.screens import ScreenWriter
from shopsim.data.session_rules import Rules
from shopsim.errors import DataError

T = TypeVar("T")

CARD = "README.md"
ROWS_PER_GROUP = 2048
"""Rows of a row group of items and users."""
STEPS_PER_GROUP = 32_768
"""Steps after which buffered sessions are written; one group of steps holds whole sessions."""
SESSIONS_PER_GROUP = 2048
"""Sessions after which they are written however few steps they have."""


def check_free(path: Path) -> None:
    """Refuses a path where no data set can be written; what takes long before it writes asks first.

    Raises:
        DataError: There is something at `path` other than an empty folder, or no folder can be made there.
    """
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DataError(f"{path} exists and is not an empty folder; give a new path")
        home = next(parent for parent in path.absolute().parents if parent.exists())
        shutil.rmtree(_make_unfinished(path, home), ignore_errors=True)
    except OSError as error:
        raise DataError(f"{path} cannot be made ({error.strerror})") from error


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A folder beside `path` for what is needed while that is made; it is gone when the block is left.

    Raises:
        DataError: No folder can be made there.
    """
    new = [parent for parent in path.absolute().parents if not parent.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        folder = _make_unfinished(path, path.parent)
    except OSError as error:
        raise DataError(f"{path} cannot be made ({error.strerror})") from error
    lock = _lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)
        # One that holds something stays, and so do those above it.
        with suppress(OSError):
            for parent in new:
                parent.rmdir()


def _make_unfinished(path: Path, beside: Path) -> Path:
    """A new folder for a data set that is being written."""
    return Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".partial", dir=beside))


def _sweep(path: Path) -> None:
    """Clears away what writers of this path left that were killed."""
    for folder in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        # Who still writes holds its folder.
        if (lock := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _lock(folder: Path) -> int | None:
    """Holds a folder until the returned descriptor is closed, or this process ends; None where that cannot be."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


class DataSetWriter:
    """Writes a data set; a context manager.

    Everything goes into a temporary folder beside `path`, which takes its name when the block is left without
    an exception. What a row refers to must be added before it: categories, items, users, sessions. The same
    calls write the same bytes.

    Args:
        path: Folder to make; must not exist, or be empty.
        name: The set's name.
        source: ``synthetic``, ``imported`` or ``recorded``.
        locale: Language of titles and texts, ``en`` or ``zh``.
        currency: Code of the currency of prices.
        licence: Terms of use, for example ``CC0-1.0``.
        generator: ``{"settings": {...}, "seed": 0}``, enough to make the set again; None if that is impossible.
        imputed: What the source did not hold and was filled in, for example ``("titles", "scrolls")``.
        layout_version: `shopsim.envs.layout.VERSION` that the scroll offsets rest on.
        scroll_step: Distance of one scroll in logical units.

    Raises:
        DataError: `path` is taken, or a row breaks a rule of the layout (see `shopsim.data.validate`).
    """

    def __init__(
        self,
        path: str | Path,
        *,
        name: str,
        source: str = "synthetic",
        locale: str = "en",
        currency: str = "USD",
        licence: str = "CC0-1.0",
        generator: Mapping[str, Any] | None = None,
        imputed: Sequence[str] = (),
        layout_version: int = 1,
        scroll_step: int = 400,
    ) -> None:
        self.path = Path(path)
        self._head = {
            "format": FORMAT,
            "version": VERSION,
            "name": name,
            "source": source,
            "locale": locale,
            "currency": currency,
            "licence": licence,
            "layout": {"version": layout_version, "scroll_step": scroll_step},
            "generator": generator,
            "imputed": list(imputed),
        }
        self._pictures: set[str] = set()
        self._beside: set[str] = set()
        self._screens: ScreenWriter | None = None
        self._rules = Rules(self._pictures)
        self._rows = dict.fromkeys(TABLES, 0)
        self._longest = 0
        self._sessions: list[Session] = []
        self._steps = 0
        self._manifest({})

    def __enter__(self) -> "DataSetWriter":
        check_free(self.path)
        self._making = ExitStack()
        self._folder = self._making.enter_context(unfinished(self.path))
        self._folder.chmod(0o755)
        self._tables = {
            name: pq.ParquetWriter(self._folder / name, table, compression="zstd") for name, table in TABLES.items()
        }
        (self._folder / stamp.FOLDER).mkdir()
        self._index = IndexBuilder(self._folder / stamp.FOLDER, self._rules.ids)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            with self._index as index:
                if kind is None:
                    self._flush()
                for table in (*self._tables.values(), *([self._screens] if self._screens else [])):
                    table.close()
                if kind is None:
                    manifest = self._describe()
                    index.finish(self._folder, manifest)
            if kind is None:
                stamp.write(self._folder, self._folder / stamp.FOLDER, facts_of(manifest), [])
                self._appear()
        finally:
            self._making.close()

    def add_categories(self, categories: Iterable[Category]) -> None:
        """Adds nodes of the category tree, parents before children."""
        self._add("categories.parquet", categories, schema.category_table)

    def add_items(self, items: Iterable[Item]) -> None:
        """Adds products; their categories must be known."""
        self._add("items.parquet", items, schema.item_table)

    def add_users(self, users: Iterable[User]) -> None:
        """Adds shoppers; the items of their history must be known."""
        self._add("users.parquet", users, schema.user_table)

    def add_session(self, session: Session) -> None:
        """Adds one session; its user and items must be known."""
        self._sessions.append(session)
        self._steps += len(session.steps)
        self._longest = max(self._longest, len(session.steps))
        if self._steps >= STEPS_PER_GROUP or len(self._sessions) >= SESSIONS_PER_GROUP:
            self._flush()

    def add_columns(self, name: str, table: pa.Table) -> None:
        """Adds rows of a table as columns in its schema of `TABLES`: the quick way where there are many.

        The same rules hold as for records. Steps come in whole sessions, after the sessions that they belong to.
        """
        self._flush()
        self._write(name, table)
        if name == "sessions.parquet":
            self._longest = max(self._longest, self._rules.sessions.longest)

    def add_picture(self, name: str, image: bytes) -> str:
        """Adds a picture file; returns the path to give as `Picture.file`, ``pictures/<name>``.

        Raises:
            DataError: The name is no plain file name, or is taken.
        """
        file = f"pictures/{name}"
        if Path(name).name != name or file in self._pictures:
            raise DataError(f"{self.path}: picture {name!r} is {'taken' if file in self._pictures else 'no file name'}")
        (self._folder / "pictures").mkdir(exist_ok=True)
        (self._folder / file).write_bytes(image)
        self._pictures.add(file)
        return file

    def add_file(self, name: str, content: bytes) -> None:
        """Adds a file of the caller's own beside the tables, for example a report; the manifest keeps its hash.

        Raises:
            DataError: The name is no plain file name, or is taken.
        """
        if Path(name).name != name or (self._folder / name).exists() or name in (MANIFEST, CARD, stamp.FOLDER):
            raise DataError(f"{self.path}: {name!r} is taken or no file name")
        (self._folder / name).write_bytes(content)
        self._beside.add(name)

    def add_screen(self, image: bytes, width: int, height: int) -> str:
        """Adds a recorded screenshot, once however often it comes; returns the id to give as `Step.screen_id`.

        Args:
            image: Bytes of a PNG or lossless WebP file.
            width: Pixels.
            height: Pixels.
        """
        if self._screens is None:
            self._screens = ScreenWriter(self._folder, self._rules.screens)
        return self._screens.add(image, width, height)

    def _add(self, name: str, records: Iterable[T], table: Callable[[Iterable[T]], pa.Table]) -> None:
        rest = iter(records)
        while group := list(islice(rest, ROWS_PER_GROUP)):
            self._write(name, table(group))

    def _flush(self) -> None:
        if self._screens is not None:
            self._screens.flush()
        if self._sessions:
            self._write("sessions.parquet", schema.session_table(self._sessions))
            self._write("steps.parquet", schema.step_table(self._sessions))
        self._sessions, self._steps = [], 0

    def _write(self, name: str, table: pa.Table) -> None:
        for problem in self._rules.tables[name](table):
            raise DataError(f"{self.path}: {problem}")
        self._tables[name].write_table(table)
        self._rows[name] += len(table)
        self._put_into_index(name, table)

    def _put_into_index(self, name: str, table: pa.Table) -> None:
        index, sessions, steps = self._index, self._rules.sessions, self._rules.steps
        if name == sessions.file:
            index.sessions(table, sessions.user_rows, sessions.feed_rows)
        elif name == steps.file:
            index.steps(table, steps.item_rows)
        else:
            index.catalog[name](table)

    def _describe(self) -> Manifest:
        """Writes the manifest and the card."""
        rows = {**self._rows, **dict.fromkeys(sorted(self._pictures | self._beside), 0)}
        if self._screens is not None:
            rows[screens.FILE] = self._screens.rows
        files = {}
        for name, count in rows.items():
            file = self._folder / name
            files[name] = FileEntry(sha256=sha256_of(file), rows=count, bytes=file.stat().st_size)
        manifest = self._manifest(files)
        (self._folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
        (self._folder / CARD).write_text(card.text(manifest), encoding="utf-8")
        return manifest

    def _appear(self) -> None:
        try:
            self._folder.rename(self.path)
        except OSError as error:
            raise DataError(f"{self.path} appeared meanwhile; give a new path") from error

    def _manifest(self, files: dict[str, FileEntry]) -> Manifest:
        counts = {name.removesuffix(".parquet"): rows for name, rows in self._rows.items()}
        counts |= {"screens": self._screens.rows if self._screens else 0, "longest_session": self._longest}
        manifest = parse_manifest({**self._head, "files": files, "counts": counts})
        if isinstance(manifest, Problem):
            raise DataError(f"{self.path}: {manifest}")
        return manifest
