"""A tiny data set made by driving the shop itself, so that every recorded step is legal and replays."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from shopsim.data import DataSet, DataSetWriter
from shopsim.data.records import ASPECTS, Category, Item, Picture, Review, Session, Step, User
from shopsim.data.vocabulary import Action
from shopsim.envs.shop import Shop

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
N_ITEMS = 72

Script = Sequence[tuple[Action, int]]
"""Effects in order; the number is an item row (-1: none)."""


def categories() -> list[Category]:
    """Two L1, each with two L2, each with two L3."""
    tree = []
    for a in range(2):
        tree.append(Category(f"c{a}", 1, None, f"Department {a}", f"部门{a}"))
        for b in range(2):
            tree.append(Category(f"c{a}{b}", 2, f"c{a}", f"Aisle {a}.{b}"))
            tree += [Category(f"c{a}{b}{c}", 3, f"c{a}{b}", f"Shelf {a}.{b}.{c}") for c in range(2)]
    return tree


def items() -> list[Item]:
    """Products over all categories and picture shapes; some have next to nothing, like a poor import."""
    made = []
    for i in range(N_ITEMS):
        a, b, c = i // 4 % 2, i // 2 % 2, i % 2
        rich = i % 5 != 4
        made.append(
            Item(
                item_id=f"i{i:03d}",
                title=f"Blue cotton dress no. {i}" if i % 3 else f"玻璃杯 {i} 🥛 two\u2028lines\u0085",
                price=round(3.5 + i * 1.37, 2),
                l1=f"c{a}",
                l2=f"c{a}{b}",
                l3=f"c{a}{b}{c}" if rich else None,
                picture=Picture(
                    archetype=("dress", "cup", "phone")[i % 3],
                    aspect=ASPECTS[i % len(ASPECTS)],
                    color="#3366cc",
                    seed=i,
                ),
                brand=f"Brand {i % 7}" if rich else None,
                shop=f"Shop {i % 4}" if rich else None,
                rating=3 + i % 20 / 10 if rich else None,
                sales=i * i if rich else None,
                attributes={"colour": "blue", "size": f"{i}"} if rich else {},
                reviews=tuple(Review(1 + (i + k) % 5, f"Review {k}") for k in range(i % 4)),
                description=f"Item number {i}." if rich else "",
            )
        )
    return made


def users() -> list[User]:
    """Six shoppers; the first has no history, the last no profile."""
    return [
        User("u0", 23, "female", "Buys only what is on sale."),
        User("u1", 35, "male", None, ("i001", "i002", "i001"), ("i002",)),
        User("u2", 61, "female", None, ("i010",)),
        User("u3", 19, "male", None, ("i020", "i021")),
        User("u4", 44, "other", None, (), ("i030",)),
        User("u5"),
    ]


def scripts() -> list[tuple[str, str, Script]]:
    """(user, split, effects) of eight sessions, from a person who leaves at once to a buyer."""
    down, up, click, enter, back, cart, buy, leave = Action
    end = (leave, -1)
    return [
        ("u0", "train", [end]),
        ("u0", "train", [(click, 0), (back, -1), (down, -1), (click, 6), (enter, 6), (down, -1), (back, -1), end]),
        ("u1", "train", [(down, -1), (up, -1), (click, 1), (cart, 1), (back, -1), (enter, 2), (buy, 2), end]),
        ("u2", "train", [(click, 1), (enter, 1), (cart, 1), (buy, 1), (back, -1), (back, -1), (down, -1), end]),
        ("u3", "train", [(down, -1), (down, -1), (down, -1), end]),
        ("u4", "validation", [(enter, 0), (back, -1), (click, 2), (buy, 2), (back, -1), end]),
        ("u5", "test", [(click, 3), (back, -1), (down, -1), (up, -1), end]),
        ("u5", "test", [(click, 0), (cart, 0), (enter, 0), (buy, 0), (back, -1), (back, -1), (click, 1), end]),
    ]


class Facts:
    """The catalog facts the shop needs, from records."""

    def __init__(self, records: Sequence[Item]) -> None:
        self._records = records

    def aspect(self, item: int) -> int:
        return ASPECTS.index(self._records[item].picture.aspect)

    def detail_counts(self, item: int) -> tuple[int, int]:
        return len(self._records[item].attributes), len(self._records[item].reviews)


def drive(shop: Shop, script: Script, start: datetime, ids: Sequence[str], mind: str | None = None) -> tuple[Step, ...]:
    """Steps recorded while the shop follows the script; a step it cannot do is an error of the script."""
    steps = []
    for number, (action, item) in enumerate(script):
        event = shop.follow(action, item)
        assert event.effect is action, f"step {number}: {event}"
        x, y = event.point or (None, None)
        steps.append(
            Step(
                action=action,
                page=event.page,
                scroll=event.scroll,
                timestamp=start + timedelta(seconds=3 * number),
                item_id=None if event.item < 0 else ids[event.item],
                x=x,
                y=y,
                mind=None if mind is None else f"{mind} {number}",
                preference="likes blue" if mind and number == 1 else None,
                imputed=action is Action.TERMINATE and mind is None,
            )
        )
    return tuple(steps)


def sessions() -> list[Session]:
    """The scripts, driven through the shop. A feed row r of session k shows item (r + k) mod 72 at place r."""
    records = items()
    ids = [item.item_id for item in records]
    made = []
    for k, (user, split, script) in enumerate(scripts()):
        feed = np.roll(np.arange(N_ITEMS), -k)[:66].tolist()
        shop = Shop(Facts(records), f"s{k}", feed)
        start = START + timedelta(hours=k)
        placed = [(action, -1 if place < 0 else feed[place]) for action, place in script]
        steps = drive(shop, placed, start, ids, mind="I look at" if k % 2 else None)
        made.append(Session(f"s{k}", user, split, start, tuple(ids[row] for row in feed), steps))
    return made


def write_tiny(path: Path, change: Callable[[Session], Session] = lambda session: session) -> Path:
    """Writes the tiny set; `change` may alter each session."""
    with DataSetWriter(path, name="tiny", generator={"settings": {"items": N_ITEMS}, "seed": 0}) as writer:
        writer.add_categories(categories())
        writer.add_items(items())
        writer.add_users(users())
        for session in sessions():
            writer.add_session(change(session))
    return path


def open_tiny(path: Path) -> DataSet:
    """Writes the tiny set and opens it."""
    return DataSet.open(write_tiny(path))
