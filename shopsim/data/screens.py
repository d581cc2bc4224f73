"""Recorded screenshots: ``screens/*.arrow``, uncompressed Arrow IPC files that are read in place (SPEC 3).

Each row is a screen: `screen_id` (SHA-256 of the image's bytes), `image` (PNG or lossless WebP), `width`, `height`. A
screen that shows many times is stored once. Importing this loads pyarrow.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from shopsim.data.manifest import Problem
from shopsim.data.rules import Ids, Piece
from shopsim.errors import DataError

FOLDER = "screens"
FILE = f"{FOLDER}/screens.arrow"
"""What the writer writes; a data set may have several files of any name in the folder."""
SCHEMA = pa.schema(
    [
        pa.field("screen_id", pa.string(), nullable=False),
        pa.field("image", pa.large_binary(), nullable=False),
        pa.field("width", pa.int32(), nullable=False),
        pa.field("height", pa.int32(), nullable=False),
    ]
)
BYTES_PER_BATCH = 16 * 2**20


class ScreenRules:
    """Ids are used once and are the image's hash; the image is PNG or lossless WebP; width and height are positive."""

    def __init__(self) -> None:
        self.ids = Ids(FOLDER, "screen_id")

    def check(self, file: str, table: pa.Table, start: int) -> Iterator[Problem]:
        """Problems of the next rows of a file, which begin at row `start`."""
        piece = Piece(file, start, table, lambda i: f"screen {table['screen_id'][i].as_py()!r}")
        yield from piece.nulls()
        for problem in self.ids.add(table, start):
            yield problem._replace(file=file)
        for row, screen in enumerate(table.to_pylist(), start):
            image = screen["image"] or b""
            if hashlib.sha256(image).hexdigest() != screen["screen_id"]:
                yield Problem(file, row, f"screen_id {screen['screen_id']!r} is not the SHA-256 of the image")
            if not (image.startswith(b"\x89PNG\r\n\x1a\n") or image[8:16] == b"WEBPVP8L"):
                yield Problem(file, row, "image is neither PNG nor lossless WebP")
            if not ((screen["width"] or 0) > 0 and (screen["height"] or 0) > 0):
                yield Problem(file, row, f"size is {screen['width']} x {screen['height']}, must be positive")


class ScreenWriter:
    """Writes one screens file as a stream.

    Args:
        folder: The data set's folder; the file goes into its ``screens/``.
        rules: What the screens are checked by.
        file: The file's name in the data set.
        known: Ids of screens that other files hold; those are not written again. New ones are added to it.
    """

    def __init__(self, folder: Path, rules: ScreenRules, file: str = FILE, known: set[str] | None = None) -> None:
        (folder / FOLDER).mkdir(exist_ok=True)
        self._writer = pa.ipc.new_file(str(folder / file), SCHEMA)
        self._rules = rules
        self._file = file
        self._known = set() if known is None else known
        self._batch: list[dict[str, object]] = []
        self._bytes = 0
        self.rows = 0

    def add(self, image: bytes, width: int, height: int) -> str:
        """Adds a screen unless it is there already; returns its id."""
        screen_id = hashlib.sha256(image).hexdigest()
        if screen_id not in self._known:
            self._known.add(screen_id)
            self._batch.append({"screen_id": screen_id, "image": image, "width": width, "height": height})
            self._bytes += len(image)
            if self._bytes >= BYTES_PER_BATCH:
                self.flush()
        return screen_id

    def flush(self) -> None:
        """Writes what is buffered.

        Raises:
            DataError: A screen breaks a rule.
        """
        if self._batch:
            table = pa.Table.from_pylist(self._batch, schema=SCHEMA)
            for problem in self._rules.check(self._file, table, self.rows):
                raise DataError(str(problem))
            self._writer.write_table(table)
            self.rows += len(table)
        self._batch, self._bytes = [], 0

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()


def tables(file: Path) -> Iterator[pa.Table]:
    """The batches of a screens file.

    Raises:
        DataError: Its columns are not those of `SCHEMA`.
    """
    with pa.memory_map(str(file)) as source, pa.ipc.open_file(source) as reader:
        if not reader.schema.equals(SCHEMA):
            raise DataError(f"columns must be {', '.join(f'{field.name} ({field.type})' for field in SCHEMA)}")
        for number in range(reader.num_record_batches):
            yield pa.Table.from_batches([reader.get_batch(number)])


class Place(NamedTuple):
    """Where a screen's image lies in its file, in bytes."""

    screen_id: str
    offset: int
    length: int


def places(file: Path) -> Iterator[Place]:
    """Where each image of a file lies, so that a reader needs no Arrow to fetch one.

    Raises:
        DataError: The file is compressed.
    """
    with pa.memory_map(str(file)) as source:
        whole = source.read_buffer()
        with pa.ipc.open_file(whole) as reader:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                images = batch.column("image")
                if not len(images):
                    continue
                _, offsets, values = images.buffers()
                start = values.address - whole.address
                if not 0 <= start < whole.size:
                    raise DataError("must not be compressed, since images are read in place")
                ends = memoryview(offsets).cast("q")
                for row, screen_id in enumerate(batch.column("screen_id").to_pylist()):
                    yield Place(screen_id, start + ends[row], ends[row + 1] - ends[row])
