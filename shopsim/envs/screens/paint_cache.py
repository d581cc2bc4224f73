"""What processes paint first, kept on disk: the next one shows its first screen without loading Pillow. Ours.

A piece is found by all that decides its pixels: what it holds, theme and scale, the source files that paint, the build
of Pillow, the fonts. So what is found is what would be painted, and nothing here ever has to be declared out of date.
"""

import os
import sys
import zlib
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from threading import get_ident

import numpy as np
from numpy.typing import NDArray

from shopsim.envs import layout
from shopsim.envs.screens.font_files import CHINESE, LATIN, find_font, find_package
from shopsim.envs.screens.pieces import Piece, has_photo

VARIABLE = "SHOPSIM_CACHE"
"""Environment variable with the folder; empty for no cache."""

_FIRST = 32
"""Pieces that are looked up. They make the first screens; whoever paints more has paid for Pillow long since."""
_MOST_BYTES = 64 << 20
_CHECK = 4
"""Bytes of the checksum that ends a file."""


class PaintCache:
    """The first pieces of one renderer, from disk where a process painted them before.

    Any number of processes may use a folder at once. One that cannot be written to, or is emptied, only costs time.

    Args:
        folder: Where the files are.
        look: What decides the pixels besides a piece and the programs: theme and scale.
    """

    def __init__(self, folder: str | os.PathLike[str], *look: object) -> None:
        self._folder = folder
        self._tools = _tools()
        self._look = repr((self._tools, look))
        self._left = _FIRST if self._tools else 0
        self._tidy = False

    def painted(
        self, piece: Piece, shape: tuple[int, int], paint: Callable[[Piece], NDArray[np.uint8]]
    ) -> NDArray[np.uint8]:
        """The pixels of a piece of (height, width), read only: from the folder, else painted and left there."""
        if not self._left or has_photo(piece.elements):
            return paint(piece)
        self._left -= 1
        path = f"{self._folder}/{blake2b(f'{self._look}{piece!r}'.encode(), digest_size=20).hexdigest()}"
        pixels = _read(path, shape)
        if pixels is None:
            pixels = paint(piece)
            self._write(path, pixels)
        return pixels

    def _write(self, path: str, pixels: NDArray[np.uint8]) -> None:
        partial = f"{path}.{os.getpid()}.{get_ident()}"
        try:
            self._make_room()
            with open(partial, "wb") as file:
                file.write(pixels.data)
                file.write(_checksum(pixels.data))
            os.replace(partial, path)
        except OSError:  # read only, full: then without
            self._left = 0

    def _make_room(self) -> None:
        """Once, before the first file: makes the folder, and halves one that has grown too large, oldest first."""
        if self._tidy:
            return
        self._tidy = True
        os.makedirs(self._folder, exist_ok=True)
        files = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(self._folder))
        held = sum(size for _, size, _ in files)
        if held > _MOST_BYTES:
            for _, size, path in files:
                os.unlink(path)
                held -= size
                if held <= _MOST_BYTES // 2:
                    break


def user_folder() -> str | None:
    """The folder of this user on this machine; None where there shall be none."""
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return chosen or None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.path.expanduser(base)  # leaves the tilde where there is no home
    return os.path.join(folder, "shopsim", "painted") if os.path.isabs(folder) else None


def _read(path: str, shape: tuple[int, int]) -> NDArray[np.uint8] | None:
    try:
        with open(path, "rb") as file:
            content = memoryview(file.read())
    except OSError:
        return None
    pixels = content[:-_CHECK]
    if len(pixels) != 3 * shape[0] * shape[1] or content[-_CHECK:] != _checksum(pixels):
        return None
    return np.frombuffer(pixels, np.uint8).reshape(*shape, 3)


def _checksum(pixels: memoryview) -> bytes:
    return zlib.crc32(pixels).to_bytes(_CHECK, "little")


@cache
def _tools() -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of every file that decides how things are painted; empty where that is not known."""
    pillow = find_package("PIL")
    if pillow is None:
        return ()
    # A Pillow that brings no FreeType of its own uses the system's, which may change by itself.
    if sys.platform != "win32" and not any(map(os.path.isdir, (f"{pillow}/../pillow.libs", f"{pillow}/.dylibs"))):
        return ()
    here = os.path.dirname(__file__)
    try:
        found = [
            (entry.name, entry.stat())
            for folder in (here, f"{here}/pictures", pillow)
            for entry in os.scandir(folder)
            if entry.name.endswith(".py" if folder is not pillow else (".so", ".pyd", "_version.py"))
        ]
        others = layout.__file__, find_font(*LATIN), find_font(*CHINESE)
        found += [(path, os.stat(path)) for path in others if path is not None]
    except OSError:  # not plain files
        return ()
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in found))
