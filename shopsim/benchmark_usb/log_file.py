"""Log files as text: plain or gzip, read once as a stream, with the line named where one is damaged. Ours."""

import codecs
import gzip
import io
import zlib
from pathlib import Path
from typing import IO

from shopsim.errors import DataError

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20


class LogFile(io.RawIOBase):
    """A log as a stream of UTF-8 bytes; a file object that pyarrow, csv and json readers take.

    Gzip is told by the file's first bytes, not by its name. Reading raises `DataError` where the file is not
    UTF-8 or its gzip stream is damaged or ends early.

    Args:
        path: The file.

    Raises:
        DataError: There is no such file, it is empty, or it is named ``.gz`` and is not gzip.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._breaks = 0
        self._tail = b""
        try:
            self._file = _open(path)
        except OSError as error:
            raise DataError(f"{path}: cannot be opened ({error.strerror or error})") from error

    @property
    def line(self) -> int:
        """Number of the line that the stream has come to, from 1."""
        return self._breaks + 1

    @property
    def unfinished(self) -> str:
        """What was read after the last line break; empty where the file ends in one. Its line is `line`."""
        return self._tail.decode()

    def readable(self) -> bool:
        """A stream to read from."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Reads the next bytes; see `io.RawIOBase`."""
        data = self._read(min(len(buffer), _CHUNK))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the file beneath."""
        self._file.close()
        super().close()

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except EOFError as error:
            raise DataError(f"{self.path} line {self.line}: the gzip stream ends early; get the whole file") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{self.path} line {self.line}: the gzip stream is damaged ({error})") from error
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            # The error counts from the bytes kept of the chunk before.
            line = self.line + error.object[: error.start].count(b"\n")
            raise DataError(f"{self.path} line {line}: is not UTF-8 text ({error.reason})") from error
        self._breaks += data.count(b"\n")
        self._tail = data.rpartition(b"\n")[2] if b"\n" in data else self._tail + data
        return data


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
