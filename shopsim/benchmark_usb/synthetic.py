"""Makes a synthetic data set: the shop's world, its shoppers, their sessions (SPEC 3).

Same arguments, same bytes, on any machine and in any process. The same seed in another locale gives the same
items and behaviour in other words.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from shopsim.benchmark_usb.diary import Diary
from shopsim.benchmark_usb.moves import Move
from shopsim.benchmark_usb.recommender import Recommender
from shopsim.benchmark_usb.shopper import Shopper, draw_history, draw_intent, draw_shopper
from shopsim.benchmark_usb.shopping import ShoppingTrip
from shopsim.benchmark_usb.world import (
    LOCALES,
    Goods,
    Locale,
    Stock,
    World,
    item_id,
    load_world,
    make_goods,
    write_item,
)
from shopsim.data import DataSetWriter
from shopsim.data.records import Session, Step, User
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.envs import layout
from shopsim.errors import InputError

LICENCE = "CC0-1.0"
HISTORY = (40.0, 2.0)
"""Clicks and purchases before a user's first session, on average."""

BUNDLED_SESSIONS, BUNDLED_ITEMS, BUNDLED_HISTORY, BUNDLED_SEED = 40, 480, (20.0, 1.5), 22
"""What the data set shipped with the package is made of; the seed gives every split clicks, carts and purchases."""

_SESSIONS_OF_USER = (0.55, 0.3, 0.15)
"""Shares of users with one, two and three sessions."""
_HELD_OUT = 0.1
"""Share of users in validation, and in test."""
_SPREAD_CLICKS, _SHAPE_PURCHASES = 0.7, 2.0
_FIRST_DAY = datetime(2025, 3, 3, tzinfo=UTC)
_DAYS = 60

# Median seconds on a screen before acting, with the standard deviation of their logarithm.
_PACE = {Page.FEED: 5.0, Page.PREVIEW: 6.5, Page.DETAIL: 12.0}
_PACE_SPREAD = 0.75
_LEAST_GAP = 0.4

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Member:
    """A user of the set with what is not written into it."""

    record: User
    shopper: Shopper
    clicks: list[int]
    purchases: list[int]
    sessions: int
    split: str


def make_synthetic(
    path: str | Path,
    sessions: int = 300,
    seed: int = 0,
    locale: Locale = "en",
    progress: Progress | None = None,
    *,
    items: int | None = None,
    history: tuple[float, float] = HISTORY,
    name: str | None = None,
) -> None:
    """Writes a data set of made-up people shopping in a made-up shop.

    Args:
        path: Folder to make; must not exist, or be empty.
        sessions: Number of sessions.
        seed: Everything left to chance depends on this alone.
        locale: Language of titles, texts and labels, ``en`` or ``zh``.
        progress: Called with (sessions done, sessions in all).
        items: Number of items; 600 and 8 a session by default.
        history: Mean number of clicks and of purchases before a user's first session.
        name: The set's name.

    Raises:
        InputError: An argument makes no sense.
        DataError: `path` is taken.
    """
    if locale not in LOCALES:
        raise InputError(f"locale {locale!r} is not one of {', '.join(LOCALES)}")
    if sessions < 1:
        raise InputError(f"sessions is {sessions}; a data set needs at least 1")
    n_items = items if items is not None else 600 + 8 * sessions
    if n_items < 60:
        raise InputError(f"items is {n_items}; a feed needs at least 60")
    world = load_world()
    goods = make_goods(world, n_items, seed)
    stock = Stock(world, goods)
    members = _members(world, goods, stock, sessions, seed, history)
    settings = {"sessions": sessions, "locale": locale, "items": n_items, "history": list(history)}
    with DataSetWriter(
        path,
        name=name or f"synthetic-{locale}-{sessions}-{seed}",
        source="synthetic",
        locale=locale,
        currency="USD",
        licence=LICENCE,
        generator={"settings": settings, "seed": seed},
        layout_version=layout.VERSION,
        scroll_step=layout.scroll_step(),
    ) as writer:
        writer.add_categories(world.categories({int(leaf) for leaf in stock.leaves}))
        writer.add_items(write_item(world, goods, row, locale) for row in range(n_items))
        writer.add_users(member.record for member in members)
        done = 0
        for number, member in enumerate(members):
            for session in _sessions_of(member, number, done, world, goods, stock, locale, seed):
                writer.add_session(session)
                done += 1
                if progress is not None:
                    progress(done, sessions)


def make_bundled(path: str | Path) -> None:
    """Writes the data set shipped with the package: ``python -m shopsim.benchmark_usb.synthetic PATH`` does it too."""
    make_synthetic(path, BUNDLED_SESSIONS, BUNDLED_SEED, items=BUNDLED_ITEMS, history=BUNDLED_HISTORY, name="bundled")


def _members(
    world: World, goods: Goods, stock: Stock, sessions: int, seed: int, history: tuple[float, float]
) -> list[_Member]:
    """Users until there are enough sessions; the splits are shares of users."""
    rng = np.random.default_rng([seed, 3])
    counts: list[int] = []
    while sum(counts) < sessions:
        counts.append(min(1 + int(rng.choice(3, p=_SESSIONS_OF_USER)), sessions - sum(counts)))
    splits = _splits(len(counts), rng)
    # Some use the shop much more than others; the means are as asked for.
    busy = rng.lognormal(0.0, _SPREAD_CLICKS, len(counts))
    clicked = np.maximum(1, np.round(history[0] * busy / busy.mean()))
    eager = rng.gamma(_SHAPE_PURCHASES, size=len(counts))
    bought = rng.poisson(history[1] * eager / eager.mean())
    members = []
    for number, (count, split) in enumerate(zip(counts, splits, strict=True)):
        own = np.random.default_rng([seed, 4, number])
        shopper = draw_shopper(world, stock, own)
        clicks, purchases = draw_history(shopper, goods, stock, int(clicked[number]), int(bought[number]), own)
        record = User(
            user_id=f"u{number:05d}",
            age=shopper.age,
            gender=shopper.gender,
            clicks=tuple(item_id(row) for row in clicks),
            purchases=tuple(item_id(row) for row in purchases),
        )
        members.append(_Member(record, shopper, clicks, purchases, count, split))
    return members


def _splits(n: int, rng: np.random.Generator) -> list[str]:
    """The split of each of `n` users: 80/10/10, validation and test not empty where there are three users."""
    held_out = max(1, round(_HELD_OUT * n)) if n >= 3 else 0
    splits = ["validation"] * held_out + ["test"] * held_out + ["train"] * (n - 2 * held_out)
    return [splits[i] for i in rng.permutation(n)]


def _sessions_of(
    member: _Member,
    number: int,
    first: int,
    world: World,
    goods: Goods,
    stock: Stock,
    locale: Locale,
    seed: int,
) -> Iterator[Session]:
    """A user's sessions in the order of time, each knowing what was clicked and bought before."""
    clicks, purchases = list(member.clicks), list(member.purchases)
    rng = np.random.default_rng([seed, 5, number])
    days = np.sort(rng.choice(_DAYS, member.sessions, replace=False))
    for k, day in enumerate(days.tolist()):
        session_id = f"s{first + k:06d}"
        clicked, bought = goods.leaf[clicks], goods.leaf[purchases]
        intent = draw_intent(member.shopper, world, clicked, bought, rng)
        recommender = Recommender(world, goods, stock, member.shopper.audience, clicked, rng)
        trip = ShoppingTrip(session_id, goods, member.shopper, intent, recommender, rng)
        moves = trip.run()
        # The waking hours, with the evening busiest.
        hour = 8.0 + 15.5 * float(rng.beta(2.2, 1.3))
        begun = _FIRST_DAY + timedelta(days=day, milliseconds=round(hour * 3.6e6))
        entries = Diary(world, goods, locale, np.random.default_rng([seed, 6, first + k])).write(moves)
        times = _times(moves, begun, rng)
        steps = tuple(
            Step(
                action=move.action,
                page=move.page,
                scroll=move.scroll,
                timestamp=time,
                item_id=item_id(move.item) if move.action in ITEM_ACTIONS else None,
                x=move.point[0] if move.point else None,
                y=move.point[1] if move.point else None,
                mind=entry.mind,
                episodic=entry.episodic,
                preference=entry.preference,
            )
            for move, time, entry in zip(moves, times, entries, strict=True)
        )
        yield Session(
            session_id=session_id,
            user_id=member.record.user_id,
            split=member.split,
            started_at=begun,
            feed=tuple(item_id(row) for row in trip.feed()),
            steps=steps,
        )
        clicks += [m.item for m in moves if m.page is Page.FEED and m.action in (Action.CLICK, Action.ENTER_DETAIL)]
        purchases += [m.item for m in moves if m.action is Action.PURCHASE]


def _times(moves: list[Move], begun: datetime, rng: np.random.Generator) -> list[datetime]:
    """When each step was taken, milliseconds, never two at once."""
    times, now = [], begun
    for move in moves:
        seconds = _LEAST_GAP + _PACE[move.page] * float(rng.lognormal(0.0, _PACE_SPREAD))
        now += timedelta(milliseconds=round(1000 * seconds))
        times.append(now)
    return times


if __name__ == "__main__":
    make_bundled(sys.argv[1])
