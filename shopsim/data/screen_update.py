"""Adding screens to a data set that exists: gathered in parts that survive a stop, put in place all at once. Ours.

Importing this loads pyarrow and pydantic.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data import card, screens, stamp
from shopsim.data.index import build_index
from shopsim.data.manifest import (
    MANIFEST,
    FileEntry,
    Generator,
    is_screens,
    open_manifest,
    sha256_of,
)
from shopsim.data.schema import UNREADABLE
from shopsim.data.screens import ScreenRules, ScreenWriter
from shopsim.data.writer import CARD
from shopsim.errors import DataError

STEPS = "steps.parquet"
_SETTINGS = "settings.json"


class Part(NamedTuple):
    """The screens of some sessions in a row."""

    add: Callable[[bytes, int, int], str]
    """Takes a PNG or lossless WebP file, its width and height; gives the screen's id. Equal ones are stored once."""
    ids: list[list[str | None]]
    """For each session, the screen id of each step, None for none; to be filled in."""


class ScreenUpdate:
    """Screens on their way into a data set.

    They gather in a folder beside the set, which is left alone until `finish`. A run that was stopped goes on from its
    last whole part, if it is asked for with the same settings.

    Args:
        path: The data set's folder.
        settings: How the screens are made; goes into the manifest's generator settings as ``screens``.

    Raises:
        DataError: There is no data set.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self.path = Path(path).resolve()
        self._beside(".before", restore=True)
        self._manifest = manifest = open_manifest(self.path)
        self._settings = {**settings, "data": stamp.manifest_hash(self.path)}
        self._work = self._beside(".screens")
        self._ids: list[list[str | None]] = []
        self._files: list[str] = []
        if self._read(_SETTINGS) == self._settings:
            while (ids := self._read(f"{len(self._files)}.json")) is not None:
                self._ids += ids
                self._files.append(self._file(len(self._files)))
        self._known = {
            place.screen_id
            for folder, names in ((self.path, filter(is_screens, manifest.files)), (self._work, self._files))
            for name in names
            for place in screens.places(folder / name)
        }

    @property
    def sessions(self) -> int:
        """How many sessions are done, counted from the set's first."""
        return len(self._ids)

    @property
    def added(self) -> tuple[int, int]:
        """How many screens there are so far, and their bytes."""
        places = [place for file in self._files for place in screens.places(self._work / file)]
        return len(places), sum(place.length for place in places)

    @contextmanager
    def part(self) -> Iterator[Part]:
        """Takes the screens of the next sessions; when the block ends without an exception, they are safe."""
        if not self._files:
            shutil.rmtree(self._work, ignore_errors=True)
            self._work.mkdir()
            self._write(_SETTINGS, self._settings)
        number, known = len(self._files), set(self._known)
        file = self._file(number)
        writer = ScreenWriter(self._work, ScreenRules(), file, known)
        part = Part(writer.add, [])
        try:
            yield part
            writer.flush()
        finally:
            writer.close()
        self._write(f"{number}.json", part.ids)
        self._files.append(file)
        self._ids += part.ids
        self._known = known

    def finish(self) -> None:
        """Makes the new data set beside the old one and puts it in its place.

        Raises:
            DataError: It cannot be written.
        """
        new = self._beside(".after")
        try:
            shutil.rmtree(new, ignore_errors=True)
            self._same_files(new)
            self._new_files(new)
            before = self._beside(".before")
            # A stop between these two lines is mended by the next `ScreenUpdate` of this path.
            self.path.rename(before)
            new.rename(self.path)
            shutil.rmtree(before)
            shutil.rmtree(self._work)
        except (OSError, *UNREADABLE) as error:
            raise DataError(f"{self.path}: the screens cannot be added ({error})") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)

    # Inner workings

    def _beside(self, ending: str, restore: bool = False) -> Path:
        beside = self.path.with_name(f".{self.path.name}{ending}")
        if restore and beside.exists() and not self.path.exists():
            beside.rename(self.path)
        return beside

    @staticmethod
    def _file(number: int) -> str:
        return f"{screens.FOLDER}/drawn-{number:05}.arrow"

    def _read(self, name: str) -> Any:
        try:
            return json.loads((self._work / name).read_bytes())
        except (OSError, ValueError):
            return None

    def _write(self, name: str, value: object) -> None:
        partial = self._work / f"{name}.partial"
        partial.write_text(json.dumps(value), encoding="utf-8")
        partial.rename(self._work / name)

    def _same_files(self, new: Path) -> None:
        """All that stays as it is, without a second copy where the file system allows."""
        present = [file.relative_to(self.path).as_posix() for file in sorted(self.path.rglob("*")) if file.is_file()]
        made = (MANIFEST, CARD, STEPS)
        stay = [name for name in present if name not in made and not name.startswith(f"{stamp.FOLDER}/")]
        for folder, names in ((self.path, stay), (self._work, self._files)):
            for name in names:
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                _link(folder / name, new / name)

    def _new_files(self, new: Path) -> None:
        ids = [screen_id for session in self._ids for screen_id in session]
        _with_screens(self.path / STEPS, new / STEPS, ids)
        rows = {file: sum(1 for _ in screens.places(new / file)) for file in self._files}
        rows[STEPS] = len(ids)
        manifest = self._manifest
        files = {
            name: FileEntry(sha256=sha256_of(new / name), rows=count, bytes=(new / name).stat().st_size)
            for name, count in rows.items()
        }
        made = manifest.generator or Generator(settings={}, seed=None)
        settings = {key: value for key, value in self._settings.items() if key != "data"}
        manifest = manifest.model_copy(
            update={
                "files": {**manifest.files, **files},
                "counts": manifest.counts.model_copy(update={"screens": len(self._known)}),
                "generator": made.model_copy(update={"settings": {**made.settings, "screens": settings}}),
            }
        )
        (new / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
        (new / CARD).write_text(card.text(manifest), encoding="utf-8")
        build_index(new)


def _with_screens(old: Path, new: Path, ids: Sequence[str | None]) -> None:
    """Copies ``steps.parquet`` with other screen ids, row group by row group."""
    with pq.ParquetFile(old) as steps, pq.ParquetWriter(new, steps.schema_arrow, compression="zstd") as out:
        column = steps.schema_arrow.get_field_index("screen_id")
        start = 0
        for number in range(steps.num_row_groups):
            table = steps.read_row_group(number)
            some = pa.array(ids[start : start + len(table)], pa.string())
            out.write_table(table.set_column(column, table.schema.field(column), some))
            start += len(table)


def _link(file: Path, new: Path) -> None:
    try:
        os.link(file, new)
    except OSError:  # another file system, or one without links
        shutil.copy2(file, new)
