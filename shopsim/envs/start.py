"""How an episode begins: the data set, and in it the session drawn for a seed or asked for. Ours."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.errors import DataError, InputError

OPTIONS = ("session_id", "persona")
"""What ``reset(options=...)`` takes."""


def open_dataset(data: DataSet | str | PathLike[str] | None) -> DataSet:
    """A data set by itself, by folder or by hub id; the one that ships with ShopSim for None."""
    if data is None:
        return DataSet.bundled()
    if not isinstance(data, DataSet | str | PathLike) or data == "":
        raise InputError(f"data is {data!r}; it must be a data set, its folder or hub id, or None for the bundled one")
    return data if isinstance(data, DataSet) else DataSet.open(data)


class Start:
    """Draws sessions of one split, and of no other.

    Args:
        dataset: The data set.
        split: ``train``, ``validation``, ``test``, or None for all sessions.

    Raises:
        InputError: There is no such split, or it is empty.
    """

    def __init__(self, dataset: DataSet, split: str | None) -> None:
        self._dataset = dataset
        self._split = split
        self._rows = dataset.session_rows(split)
        if not len(self._rows):
            raise InputError(f"data set {dataset.name!r} has no sessions in split {split!r}")

    def draw(self, seed: int, options: Mapping[str, Any] | None) -> tuple[int, User]:
        """The session row and the user of an episode; the same for the same arguments.

        Raises:
            InputError: The options are no dict; one does not exist, is no text, or names a session outside the split.
        """
        wanted = {} if options is None else options
        if not isinstance(wanted, Mapping):
            raise InputError(f"reset options are {options!r}; they must be a dict of {', '.join(OPTIONS)}")
        for name, value in wanted.items():
            if name not in OPTIONS:
                raise InputError(f"reset has no option {name!r}; its options are {', '.join(OPTIONS)}")
            if not isinstance(value, str | None):
                raise InputError(f"option {name} is {value!r}; it must be text")
        session_id, persona = wanted.get("session_id"), wanted.get("persona")
        if session_id is None:
            row = int(self._rows[np.random.default_rng([seed, 1]).integers(len(self._rows))])
        else:
            row = self._row(session_id)
        user = self._dataset.user(self._dataset.user_row(row))
        return row, user if persona is None else user._replace(persona=persona)

    def _row(self, session_id: str) -> int:
        try:
            row = self._dataset.session_row(session_id)
        except DataError as error:
            known = ", ".join(repr(self._dataset.session_id(row)) for row in self._rows[:3].tolist())
            raise InputError(f"{error}; sessions here are {known} ...") from None
        own = self._dataset.split(row)
        if self._split not in (None, own):
            raise InputError(f"session {session_id!r} is in split {own!r}; this environment is over {self._split!r}")
        return row
