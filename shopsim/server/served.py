"""What the server may show: its data sets by name, and files under its folders. Ours."""

from functools import lru_cache
from pathlib import Path

from shopsim.data import DataSet
from shopsim.server.problems import Problem
from shopsim.server.settings import ServerSettings


class ServedData:
    """The data sets of a server by name; at a request ``request.app.state.data``.

    A name is the folder's, ``bundled`` where no folder was given; of folders named alike the later ones get a number.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._folders: dict[str, Path | None] = {}
        for folder in settings.data:
            name, number = folder.resolve().name, 1
            while name in self._folders:
                number += 1
                name = f"{folder.resolve().name}-{number}"
            self._folders[name] = folder
        if not self._folders:
            self._folders["bundled"] = None
        self._open = lru_cache(maxsize=None)(self._open_folder)
        for name in self._folders:  # now, so that one that cannot be read is named at the start
            self._open(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, the default first."""
        return tuple(self._folders)

    def get(self, name: str | None = None) -> DataSet:
        """A data set by name; None for the default.

        Raises:
            Problem: There is none of this name.
        """
        if name is None:
            name = self.names[0]
        if name not in self._folders:
            raise Problem(404, "UNKNOWN_DATA", f"there is no data set {name!r} here; there are {', '.join(self.names)}")
        return self._open(name)

    def _open_folder(self, name: str) -> DataSet:
        folder = self._folders[name]
        return DataSet.bundled() if folder is None else DataSet.open(folder)


def safe_child(root: Path, *parts: str) -> Path:
    """The path of something in a served folder; no name, link or trick leads out of it.

    Args:
        root: The folder.
        parts: Names below it, from a request; each is one name or several joined by ``/``.

    Raises:
        Problem: It lies outside, or there is none.
    """
    top = root.resolve()
    try:
        path = top.joinpath(*parts).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # none, a null byte, a loop of links
        path = None
    if path is None or not path.is_relative_to(top):
        raise Problem(404, "NOT_FOUND", f"there is no {'/'.join(parts)!r} here")
    return path
