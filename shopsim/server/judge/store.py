"""Studies in their database: made once, judged one answer at a time. Ours."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, Row, func, insert, select
from sqlalchemy.exc import IntegrityError

from shopsim.server.judge.clips import Clip, Source
from shopsim.server.judge.drawing import CHOICES, LEFT, RIGHT, deal
from shopsim.server.judge.tables import clips, judgements, open_database, pairs, raters, screens, studies, tasks
from shopsim.server.problems import Problem

_MOST_RATERS = 1000


@dataclass(frozen=True, slots=True)
class NewStudy:
    """A study about to be made."""

    title: str
    sources: tuple[Source, ...]
    pairs: tuple[tuple["NewClip", "NewClip"], ...]
    per_rater: int
    checks: int
    seed: int


@dataclass(frozen=True, slots=True)
class NewClip:
    """A session to be shown."""

    source: int
    name: str
    start: str
    clip: Clip


@dataclass(frozen=True, slots=True)
class Asked:
    """What a rater is asked now."""

    number: int
    total: int
    wanted: str | None
    """The answer that an attention check asks for."""
    left: Sequence[Mapping[str, Any]]
    right: Sequence[Mapping[str, Any]]


class Studies:
    """The studies of a server; threads may share it. At a request ``request.app.state.studies``.

    Args:
        url: Of the database.

    Raises:
        InputError: It cannot be opened.
    """

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_database(url)
        self._joining = Lock()

    def make(self, new: NewStudy) -> tuple[str, str]:
        """Makes a study; its id and its owner's key, which is kept nowhere."""
        study, key = secrets.token_hex(6), secrets.token_urlsafe(18)
        with self._engine.begin() as db:
            db.execute(
                insert(studies).values(
                    id=study, title=new.title, made_at=_now(), seed=new.seed, owner_hash=_hash(key),
                    invite=secrets.token_urlsafe(12), per_rater=new.per_rater, checks=new.checks,
                    sources=[{"title": s.title, "people": s.people, "key": s.key} for s in new.sources],
                )
            )  # fmt: skip
            content = {name: image for pair in new.pairs for c in pair for name, image in c.clip.screens.items()}
            db.execute(insert(screens), [{"study": study, "id": n, "content": image} for n, image in content.items()])
            known: dict[tuple[int, str], int] = {}
            twins = []
            for pair in new.pairs:
                twins.append(tuple(self._clip(db, study, one, known) for one in pair))
            for twin, (one, two) in enumerate(twins):
                for left, right in ((one, two), (two, one)):
                    self._pair(db, study, twin, left, right)
            rng = np.random.default_rng([new.seed, 1])
            for check in range(new.checks):
                one, two = twins[int(rng.integers(len(twins)))]
                self._pair(db, study, len(twins) + check, one, two, CHOICES[int(rng.integers(len(CHOICES)))])
        return study, key

    def owned(self, study: str, key: str) -> Row[Any]:
        """A study, for who has its owner's key.

        Raises:
            Problem: There is no such study, or this is not its key.
        """
        with self._engine.connect() as db:
            row = db.execute(select(studies).where(studies.c.id == study)).first()
        if row is None or not hmac.compare_digest(row.owner_hash, _hash(key)):
            raise Problem(404, "UNKNOWN_STUDY", "there is no such study, or this browser does not have its owner's key")
        return row

    def invited(self, invite: str) -> Row[Any]:
        """The study of an invitation.

        Raises:
            Problem: There is none.
        """
        with self._engine.connect() as db:
            row = db.execute(select(studies).where(studies.c.invite == invite)).first()
        if row is None:
            raise Problem(404, "UNKNOWN_STUDY", "this invitation is not known here; ask for the link again")
        return row

    def join(self, study: Row[Any]) -> str:
        """Takes in a rater and fixes what they will be asked; the rater's key.

        Raises:
            Problem: The study is full.
        """
        key = secrets.token_urlsafe(18)
        with self._joining, self._engine.begin() as db:
            number = db.scalar(select(func.count()).select_from(raters).where(raters.c.study == study.id)) or 0
            if number >= _MOST_RATERS:
                raise Problem(409, "STUDY_FULL", f"{number} people take part in this study; it takes no more")
            rater = db.execute(
                insert(raters)
                .values(study=study.id, number=number, key_hash=_hash(key), made_at=_now())
                .returning(raters.c.id)
            ).scalar_one()
            orders = db.execute(select(pairs.c.id, pairs.c.twin, pairs.c.wanted).where(pairs.c.study == study.id)).all()
            dealt = db.execute(
                select(tasks.c.pair, func.count()).join(pairs, pairs.c.id == tasks.c.pair)
                .where(pairs.c.study == study.id).group_by(tasks.c.pair)
            ).all()  # fmt: skip
            twins: dict[int, list[int]] = {}
            for order in orders:
                if order.wanted is None:
                    twins.setdefault(order.twin, []).append(order.id)
            asked = deal(
                {twin: (one, two) for twin, (one, two) in twins.items()},
                [order.id for order in orders if order.wanted is not None],
                {pair: int(count) for pair, count in dealt},
                study.per_rater,
                study.checks,
                np.random.default_rng([study.seed, 2, number]),
            )
            rows = [{"rater": rater, "number": place, "pair": pair} for place, pair in enumerate(asked)]
            db.execute(insert(tasks), rows)
        return key

    def rater(self, study: Row[Any], key: str) -> int | None:
        """The rater who has a key in a study."""
        with self._engine.connect() as db:
            found = select(raters.c.id).where(raters.c.study == study.id, raters.c.key_hash == _hash(key))
            rater: int | None = db.scalar(found)
            return rater

    def asked(self, rater: int) -> tuple[Asked | None, int]:
        """What a rater is asked next, None at the end; and how many tasks they have."""
        with self._engine.connect() as db:
            total = db.scalar(select(func.count()).select_from(tasks).where(tasks.c.rater == rater)) or 0
            done = select(judgements.c.number).where(judgements.c.rater == rater)
            task = db.execute(
                select(tasks.c.number, pairs.c.left, pairs.c.right, pairs.c.wanted)
                .join(pairs, pairs.c.id == tasks.c.pair)
                .where(tasks.c.rater == rater, tasks.c.number.not_in(done)).order_by(tasks.c.number).limit(1)
            ).first()  # fmt: skip
            if task is None:
                return None, total
            left, right = (db.scalar(select(clips.c.frames).where(clips.c.id == clip)) for clip in (task[1], task[2]))
            return Asked(task.number, total, task.wanted, left or (), right or ()), total

    def judge(self, rater: int, number: int, choice: str, seconds: float | None) -> None:
        """Keeps an answer; it is in the database when this returns. A second answer to the same task changes nothing.

        Raises:
            Problem: The rater has no such task, or this is no choice.
        """
        if choice not in CHOICES:
            raise Problem(422, "VALIDATION_ERROR", f"the answer must be one of {', '.join(CHOICES)}")
        try:
            with self._engine.begin() as db:
                task = select(tasks.c.number).where(tasks.c.rater == rater, tasks.c.number == number)
                if db.scalar(task) is None:
                    raise Problem(404, "UNKNOWN_TASK", "you are not asked this")
                row = {"rater": rater, "number": number, "choice": choice, "seconds": seconds, "made_at": _now()}
                db.execute(insert(judgements).values(**row))
        except IntegrityError:
            return

    def screen(self, study: Row[Any], name: str) -> bytes:
        """A picture of a study.

        Raises:
            Problem: It has none of this name.
        """
        with self._engine.connect() as db:
            content: bytes | None = db.scalar(
                select(screens.c.content).where(screens.c.study == study.id, screens.c.id == name)
            )
        if content is None:
            raise Problem(404, "UNKNOWN_SCREEN", "this study has no such screen")
        return content

    def judged(self, study: Row[Any]) -> list[dict[str, Any]]:
        """Every answer with what it was about, one row each, in the order of raters and tasks; the export."""
        left, right = clips.alias("l"), clips.alias("r")
        with self._engine.connect() as db:
            found = db.execute(
                select(
                    raters.c.number.label("rater"), judgements.c.number.label("task"), pairs.c.twin, pairs.c.wanted,
                    left.c.source.label("left"), right.c.source.label("right"), left.c.name.label("left_session"),
                    right.c.name.label("right_session"), left.c.start, judgements.c.choice, judgements.c.seconds,
                    judgements.c.made_at,
                )
                .select_from(judgements)
                .join(raters, raters.c.id == judgements.c.rater)
                .join(tasks, (tasks.c.rater == judgements.c.rater) & (tasks.c.number == judgements.c.number))
                .join(pairs, pairs.c.id == tasks.c.pair)
                .join(left, left.c.id == pairs.c.left).join(right, right.c.id == pairs.c.right)
                .where(raters.c.study == study.id).order_by(raters.c.number, judgements.c.number)
            ).mappings().all()  # fmt: skip
        titles = [source["title"] for source in study.sources]
        rows = []
        for row in found:
            picked = {LEFT: row["left"], RIGHT: row["right"]}.get(row["choice"])
            rows.append(
                {
                    **row,
                    "left_source": titles[row["left"]],
                    "right_source": titles[row["right"]],
                    "picked_source": None if picked is None else titles[picked],
                }
            )
        return rows

    def progress(self, study: Row[Any]) -> list[tuple[int, int, int]]:
        """For each rater: number, answers given, tasks."""
        with self._engine.connect() as db:
            given = select(judgements.c.rater, func.count().label("n")).group_by(judgements.c.rater).subquery()
            asked = select(tasks.c.rater, func.count().label("n")).group_by(tasks.c.rater).subquery()
            rows = db.execute(
                select(raters.c.number, func.coalesce(given.c.n, 0), func.coalesce(asked.c.n, 0))
                .select_from(raters).outerjoin(given, given.c.rater == raters.c.id)
                .outerjoin(asked, asked.c.rater == raters.c.id)
                .where(raters.c.study == study.id).order_by(raters.c.number)
            ).all()  # fmt: skip
            return [(int(number), int(done), int(total)) for number, done, total in rows]

    def n_pairs(self, study: Row[Any]) -> int:
        """Pairs of a study, attention checks left out."""
        with self._engine.connect() as db:
            twins = select(func.count(pairs.c.twin.distinct())).where(
                pairs.c.study == study.id, pairs.c.wanted.is_(None)
            )
            return db.scalar(twins) or 0

    def close(self) -> None:
        """Lets go of the database."""
        self._engine.dispose()

    # Inner workings

    @staticmethod
    def _clip(db: Connection, study: str, new: NewClip, known: dict[tuple[int, str], int]) -> int:
        key = new.source, new.name
        if key not in known:
            row = {"study": study, "source": new.source, "name": new.name, "start": new.start}
            made = insert(clips).values(**row, frames=list(new.clip.frames)).returning(clips.c.id)
            known[key] = db.execute(made).scalar_one()
        return known[key]

    @staticmethod
    def _pair(db: Connection, study: str, twin: int, left: int, right: int, wanted: str | None = None) -> None:
        db.execute(insert(pairs).values(study=study, twin=twin, left=left, right=right, wanted=wanted))


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
