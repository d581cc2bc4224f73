"""Played sessions kept: a log that is never rewritten, and beside it the data set made from it. Ours.

A session is safe once its line is in the log. The data set, of source ``recorded``, is made anew from the log beside
the old one and then takes its place; where that was cut short, `Plays.mend` makes up for it.
"""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

from shopsim.data import DataSet
from shopsim.data.records import Category, Item, Session, Step, User
from shopsim.data.vocabulary import ACTION_BY_LABEL, PAGE_BY_LABEL
from shopsim.errors import DataError, InputError
from shopsim.server.play.game import Played

CONSENT = (
    "What is kept: what you opened, put into the cart and bought, where you touched, how far you scrolled, and the "
    "times. It is kept under a random name that says nothing about you; no address, no account, no other data. The "
    "sessions become part of a data set that may be shown, published and used to train and judge agents. Once "
    "published it cannot be taken back. Without your consent nothing is kept."
)
"""What a person agrees to before anything is kept."""

SPLIT = "test"
"""Of played sessions: people to compare agents with, never to learn from by default."""

_OF_BEHAVIOUR = frozenset({"impressions", "scrolls", "leaving"})
"""What an importer fills in where people were not watched; here they were."""

_PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")


def new_pseudonym() -> str:
    """A name for a person, by chance."""
    return f"p-{secrets.token_hex(6)}"


def is_pseudonym(text: str) -> bool:
    """Whether a text is a name that `new_pseudonym` could have given."""
    return _PSEUDONYM.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a session is kept."""

    folder: Path
    """Of the data set."""
    session_id: str


class Plays:
    """The folder in which played sessions are kept; threads may share it, processes may not.

    Args:
        folder: Made when the first session is saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

    def save(self, base: DataSet, base_name: str, played: Played, pseudonym: str) -> Saved:
        """Keeps a session and makes its data set anew.

        Args:
            base: The data set it was played in.
            base_name: How that is called.
            played: The session.
            pseudonym: Of the person.

        Raises:
            DataError: The folder cannot be written.
        """
        session_id = f"{played.session_id}-{secrets.token_hex(4)}"
        line = _line(session_id, pseudonym, played)
        with self._lock:
            log = self._log(base, base_name)
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                with open(log, "ab", buffering=0) as file:
                    _mend(file.tell(), log, file.fileno())
                    file.write(line)
                    os.fsync(file.fileno())
            except OSError as error:
                raise DataError(f"{log} cannot be written ({error.strerror})") from error
            return Saved(self._build(base, base_name), session_id)

    def mend(self, base: DataSet, base_name: str) -> None:
        """Makes the data set of a log that has none, since a kill came in between."""
        with self._lock:
            log = self._log(base, base_name)
            if log.exists() and not log.with_suffix("").exists():
                self._build(base, base_name)

    def _log(self, base: DataSet, base_name: str) -> Path:
        return self._folder / f"{self._name(base, base_name)}.jsonl"

    @staticmethod
    def _name(base: DataSet, base_name: str) -> str:
        return f"played-{re.sub(r'[^A-Za-z0-9_.-]', '_', base_name)}-{base.hash[:8]}"

    def _build(self, base: DataSet, base_name: str) -> Path:
        name = self._name(base, base_name)
        target, made, old = (self._folder / f"{before}{name}{after}" for before, after in _PLACES)
        for left in (made, old):
            shutil.rmtree(left, ignore_errors=True)
        _write(made, name, base, list(_sessions(self._log(base, base_name))))
        if target.exists():
            target.rename(old)
        made.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        return target


_PLACES = (("", ""), (".", ".new"), (".", ".old"))


def _line(session_id: str, pseudonym: str, played: Played) -> bytes:
    steps = [
        [s.action.label, s.page.label, s.scroll, s.timestamp.isoformat(), s.item_id, s.x, s.y] for s in played.steps
    ]
    kept = {
        "session_id": session_id,
        "user_id": pseudonym,
        "base": played.session_id,
        "started_at": played.started_at.isoformat(),
        "feed": played.feed,
        "steps": steps,
    }
    return json.dumps(kept, ensure_ascii=True).encode() + b"\n"


def _mend(size: int, log: Path, file: int) -> None:
    """Drops a line that a kill left torn at the end."""
    if size:
        content = log.read_bytes()
        if not content.endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)


def _sessions(log: Path) -> Iterator[Session]:
    content = log.read_bytes()
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].split(b"\n")[:-1], start=1):
        try:
            kept: dict[str, Any] = json.loads(line)
            steps = tuple(
                Step(ACTION_BY_LABEL[action], PAGE_BY_LABEL[page], scroll, datetime.fromisoformat(at), item, x, y)
                for action, page, scroll, at, item, x, y in kept["steps"]
            )
            started = datetime.fromisoformat(kept["started_at"])
            yield Session(kept["session_id"], kept["user_id"], SPLIT, started, tuple(kept["feed"]), steps)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{log} line {number} is no played session: {error!r}") from error


def _write(path: Path, name: str, base: DataSet, sessions: list[Session]) -> None:
    from shopsim.data import DataSetWriter

    rows = sorted({base.item_row(item) for session in sessions for item in session.feed})
    users = dict.fromkeys(session.user_id for session in sessions)
    with DataSetWriter(
        path,
        name=name,
        source="recorded",
        locale=base.locale,
        currency=base.currency,
        licence=base.licence,
        imputed=sorted(base.imputed - _OF_BEHAVIOUR),
        layout_version=base.layout_version,
        scroll_step=base.scroll_step,
    ) as writer:
        items = [base.item(row) for row in rows]
        writer.add_categories(_categories(base, items))
        writer.add_items([_with_picture(base, item, writer) for item in items])
        writer.add_users(User(user) for user in users)
        for session in sessions:
            writer.add_session(session)


def _categories(base: DataSet, items: Iterable[Item]) -> list[Category]:
    """The categories of items and those above them, parents first."""
    known = {c.category_id: c for c in map(base.category, range(int(base.label_codes.max(initial=-1)) + 1))}
    wanted: dict[str, Category] = {}
    todo = [label for item in items for label in (item.l1, item.l2, item.l3) if label is not None]
    while todo:
        label = todo.pop()
        if label not in wanted:
            wanted[label] = known[label]
            if (parent := known[label].parent_id) is not None:
                todo.append(parent)
    return sorted(wanted.values(), key=lambda category: (category.level, category.category_id))


def _with_picture(base: DataSet, item: Item, writer: Any) -> Item:
    """The item with its picture file, where it has one, in the new set."""
    if item.picture.file is None:
        return item
    try:
        image = (base.path / item.picture.file).read_bytes()
    except OSError as error:
        raise InputError(f"{base.path / item.picture.file} cannot be read ({error.strerror})") from error
    name = f"{base.item_row(item.item_id)}{Path(item.picture.file).suffix}"
    return item._replace(picture=item.picture._replace(file=writer.add_picture(name, image)))
