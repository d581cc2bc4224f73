"""Log files as text: plain or gzip, in any encoding, read once as a stream; where one is damaged the line is named."""

import codecs
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from shopsim.errors import DataError

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20
_SAMPLE = 4 << 20
"""Bytes looked at to tell the encoding."""
_KEPT = 1 << 16
"""Bytes of the file's end that are kept."""


class TextFile(io.RawIOBase):
    """A log as a stream of UTF-8 bytes; a file object that pyarrow, csv and json readers take.

    Gzip is told by the file's first bytes, not by its name. A byte order mark is left out. Reading raises `DataError`
    where the file is not in its encoding or its gzip stream is damaged or ends early.

    Args:
        path: The file.
        encodings: The encodings it may have, by their Python names; the first that fits the file's head is taken.

    Raises:
        DataError: There is no such file, it is empty, or it is named ``.gz`` and is not gzip.
    """

    def __init__(self, path: Path, encodings: Sequence[str] = ("utf-8",)) -> None:
        super().__init__()
        self.path = path
        self._breaks = 0
        self._end = self._sample = b""
        self._ready = memoryview(b"")
        try:
            self._file = _open(path)
        except OSError as error:
            raise DataError(f"{path}: cannot be opened ({error.strerror or error})") from error
        self._sample = self._raw(_SAMPLE)
        self.encoding = _encoding_of(self._sample, encodings)
        self._decoder = codecs.getincrementaldecoder(self.encoding)()
        self.bom = self._sample.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        """Whether the file begins with a byte order mark."""

    @property
    def line(self) -> int:
        """Number of the line that the stream has come to, from 1."""
        return self._breaks + 1

    @property
    def lines(self) -> int:
        """Lines read, the last one too where no line break follows it."""
        return self._breaks + (not self._end.endswith(b"\n"))

    @property
    def end(self) -> str:
        """The text read last, at least the last few lines once all is read; empty where the file ends in a line break.

        The last of its lines is the one that no line break follows; its number is `line`.
        """
        return "" if self._end.endswith(b"\n") else self._end.decode(errors="replace")

    def readable(self) -> bool:
        """A stream to read from."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Reads the next bytes; see `io.RawIOBase`."""
        if not self._ready:
            self._ready = memoryview(self._read())
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def close(self) -> None:
        """Closes the file beneath."""
        self._file.close()
        super().close()

    def _read(self) -> bytes:
        """The next bytes as UTF-8; empty at the end of the file."""
        while True:
            raw = self._raw(_CHUNK)
            try:
                text = self._decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                # The error counts from the bytes kept of the chunk before.
                line = self.line + error.object[: error.start].count(b"\n")
                cause = f"is not {self.encoding.upper()} text ({error.reason})"
                raise DataError(f"{self.path} line {line}: {cause}; name its encoding") from error
            data = raw if self.encoding == "utf-8" else text.encode()
            if self.bom and not self._end:
                data = data.removeprefix(codecs.BOM_UTF8)
            if data or not raw:
                break
        self._breaks += data.count(b"\n")
        self._end = data[-_KEPT:] if len(data) >= _KEPT else (self._end + data)[-_KEPT:]
        return data

    def _raw(self, size: int) -> bytes:
        if self._sample:
            data, self._sample = self._sample[:size], self._sample[size:]
            return data
        try:
            return self._file.read(size)
        except EOFError as error:
            raise DataError(f"{self.path} line {self.line}: the gzip stream ends early; get the whole file") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{self.path} line {self.line}: the gzip stream is damaged ({error})") from error


def _open(path: Path) -> IO[bytes] | gzip.GzipFile:
    file = path.open("rb")
    magic = file.read(len(_GZIP_MAGIC))
    file.seek(0)
    if not magic:
        file.close()
        raise DataError(f"{path}: is empty")
    if magic == _GZIP_MAGIC:
        return gzip.GzipFile(fileobj=file)
    if path.suffix == ".gz":
        file.close()
        raise DataError(f"{path}: is named .gz but is not gzip")
    return file


def _encoding_of(sample: bytes, encodings: Sequence[str]) -> str:
    """The first encoding that the sample is in; the first of all where none fits."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding in encodings:
        try:
            codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        return codecs.lookup(encoding).name
    return codecs.lookup(encodings[0]).name
