"""The study's tables, for any database that SQLAlchemy speaks to. Ours.

A study holds everything that its raters see, pictures too, so that nothing that happens to data sets or recordings
later changes it. Secrets are kept as hashes.
"""

from sqlalchemy import (
    JSON,
    Column,
    Engine,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from shopsim.errors import InputError

tables = MetaData()

studies = Table(
    "studies",
    tables,
    Column("id", String(16), primary_key=True),
    Column("title", Text, nullable=False),
    Column("made_at", String(40), nullable=False),
    Column("seed", Integer, nullable=False),
    Column("owner_hash", String(64), nullable=False),
    Column("invite", String(32), nullable=False, unique=True),
    Column("per_rater", Integer, nullable=False),
    Column("checks", Integer, nullable=False),
    Column("sources", JSON, nullable=False),
)
"""`sources`: title and whether it is people, by number."""

screens = Table(
    "screens",
    tables,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("id", String(32), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

clips = Table(
    "clips",
    tables,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False, index=True),
    Column("source", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("start", String(32), nullable=False),
    Column("frames", JSON, nullable=False),
)
"""A session as raters see it. `name` says which session it is, `start` from which state it started."""

pairs = Table(
    "pairs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False, index=True),
    Column("twin", Integer, nullable=False),
    Column("left", ForeignKey("clips.id"), nullable=False),
    Column("right", ForeignKey("clips.id"), nullable=False),
    Column("wanted", String(8)),
)
"""Two rows with one `twin` are one pair in both orders. `wanted` is the answer that an attention check asks for."""

raters = Table(
    "raters",
    tables,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("key_hash", String(64), nullable=False, unique=True),
    Column("made_at", String(40), nullable=False),
    UniqueConstraint("study", "number"),
)

tasks = Table(
    "tasks",
    tables,
    Column("rater", ForeignKey("raters.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("pair", ForeignKey("pairs.id"), nullable=False),
)
"""What each rater is asked, in order, fixed when the rater begins."""

judgements = Table(
    "judgements",
    tables,
    Column("rater", ForeignKey("raters.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("choice", String(8), nullable=False),
    Column("seconds", Float),
    Column("made_at", String(40), nullable=False),
)
"""A rater's answer to the task of that number; the first one stays."""


def open_database(url: str) -> Engine:
    """The database of a URL, with its tables.

    Args:
        url: SQLAlchemy's, for example ``sqlite:///study.db`` or ``postgresql://user@host/name``.

    Raises:
        InputError: It cannot be opened.
    """
    try:
        at = make_url(url)
        if at.drivername == "postgresql":
            at = at.set(drivername="postgresql+psycopg")
        engine = create_engine(at, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _careful)
        tables.create_all(engine)
    except (ArgumentError, NoSuchModuleError, SQLAlchemyError, ImportError) as error:
        raise InputError(
            f"the study's database {_shown(url)} cannot be opened: {str(error).splitlines()[0]}"
        ) from error
    return engine


def _careful(connection: DBAPIConnection, _: object) -> None:
    """What is committed is on the disk; readers do not wait for the writer."""
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _shown(url: str) -> str:
    """The URL without its password."""
    try:
        return make_url(url).render_as_string()
    except ArgumentError:
        return "URL"
