"""Small hand-made logs, and looking at what became of them."""

import gzip
import random
from pathlib import Path

from shopsim.benchmark_usb.importers.log_format import EventColumns, LogFormat
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.data import DataSet

HEADER = "event_time,event_type,product_id,category_id,category_code,brand,price,user_id,user_session"
"""Of a REES46 log."""

CATEGORIES = [
    ("100", "electronics.smartphone"),
    ("101", "electronics.smartphone"),
    ("102", "appliances.kitchen.kettle"),
    ("103", ""),
    ("104", "stationery"),
]

PLAIN = LogFormat(
    name="plain",
    events=EventColumns(time="time", item="item", user="user", session="session", kind="kind", price="price"),
    kinds={"view": Kind.VIEW, "cart": Kind.CART, "buy": Kind.PURCHASE, "leave": Kind.LEAVE, "fav": None},
)
"""A log of the plainest kind: columns time, item, user, session, kind, price."""


def rees46(
    time: str,
    kind: str = "view",
    product: int = 1,
    user: int = 7,
    session: str = "s1",
    price: str = "10.00",
    category: tuple[str, str] = CATEGORIES[0],
    brand: str = "acme",
) -> str:
    """A row of a REES46 log."""
    return f"2019-10-01 {time} UTC,{kind},{product},{category[0]},{category[1]},{brand},{price},{user},{session}"


def background() -> list[str]:
    """240 rows of a REES46 log: 120 products looked at by 30 users."""
    rng = random.Random(0)
    rows = []
    for minute in range(240):
        product, user = rng.randrange(1000, 1120), rng.randrange(100, 130)
        time = f"{minute // 60:02d}:{minute % 60:02d}:{rng.randrange(60):02d}"
        category = CATEGORIES[product % len(CATEGORIES)]
        rows.append(rees46(time, "view", product, user, f"u{user}-{minute // 20}", f"{product / 10:.2f}", category))
    return rows


def write(path: Path, rows: list[str], header: str = HEADER, end: str = "\n", encoding: str = "utf-8") -> Path:
    """Writes a log as CSV, gzip where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = ("\n".join([*([header] if header else []), *rows]) + end).encode(encoding)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def plain(folder: Path, *rows: str, columns: str = "time,item,user,session,kind,price") -> Path:
    """Writes a log in the plain format."""
    return write(folder / "log.csv", list(rows), columns)


def files(folder: Path) -> dict[str, bytes]:
    """Content of every file in a folder, by its path there."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def acts(dataset: DataSet, session_id: str) -> list[tuple[str, str | None, bool]]:
    """Action, item and whether it is imputed, of a session's steps but for scrolls."""
    steps = dataset.session(dataset.session_row(session_id)).steps
    return [(s.action.label, s.item_id, s.imputed) for s in steps if "scroll" not in s.action.label]


def recorded(dataset: DataSet, session_id: str) -> list[tuple[str, str | None]]:
    """Action and item of the steps that the log held."""
    return [(action, item) for action, item, imputed in acts(dataset, session_id) if not imputed]
