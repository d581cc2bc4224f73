"""Makes a synthetic data set: the shop's world, its shoppers, their sessions (SPEC 3).

Same arguments, same bytes, on any machine and in any process. The same seed in another locale gives the same
items and behaviour in other words. People, then their sessions, are written as they are made, so memory
hardly grows with the number of sessions.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from shopsim.benchmark_usb.diary import Diary
from shopsim.benchmark_usb.history import draw_history
from shopsim.benchmark_usb.latent import BEHAVIOUR, FEED, HISTORY, MODEL, TIME, WORDS, intent_of, shopper_of
from shopsim.benchmark_usb.moves import Move
from shopsim.benchmark_usb.population import Population, draw_population
from shopsim.benchmark_usb.quota import STEPS, StepQuota
from shopsim.benchmark_usb.recommender import Recommender
from shopsim.benchmark_usb.shopper import Shopper
from shopsim.benchmark_usb.trip import ShoppingTrip
from shopsim.benchmark_usb.world import LOCALES, Locale, Market, item_id, open_market, write_item
from shopsim.data import DataSetWriter
from shopsim.data.records import Session, Step, User
from shopsim.data.stamp import SPLITS
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.data.writer import check_free
from shopsim.envs import layout
from shopsim.errors import InputError

LICENCE = "CC0-1.0"

# The figures published of USB (RecVerse, arXiv 2608.20707).
USB_SESSIONS, USB_ITEMS, USB_HISTORY = 5_274, 90_095, (356.48, 10.36)

LEAST_ITEMS = 600
"""Items of the smallest shop, if not asked for otherwise."""

BUNDLED_SESSIONS, BUNDLED_ITEMS, BUNDLED_HISTORY, BUNDLED_SEED = 40, 480, (20.0, 1.5), 25
"""What the data set shipped with the package is made of; the seed gives every split clicks, carts and purchases."""

USERS_AT_ONCE = 512
"""Users drawn and written together, before their sessions."""

_FIRST_DAY = datetime(2025, 3, 3, tzinfo=UTC)
_DAYS = 60

# Median seconds on a screen before acting, with the standard deviation of their logarithm.
_PACE = {Page.FEED: 5.0, Page.PREVIEW: 6.5, Page.DETAIL: 12.0}
_PACE_SPREAD = 0.75
_LEAST_GAP = 0.4
_INTERRUPTED, _PAUSE, _PAUSE_SPREAD, _LONGEST_PAUSE = 0.03, 75.0, 1.1, 1500.0
"""Chance that something else comes between two steps; its median seconds, their spread, and the most."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Member:
    """A user of the set with what is not written into it."""

    record: User
    shopper: Shopper
    clicks: list[int]
    purchases: list[int]
    sessions: range
    """Numbers of the user's sessions."""
    number: int
    split: str


def make_synthetic(
    path: str | Path,
    sessions: int = USB_SESSIONS,
    seed: int = 0,
    locale: Locale = "en",
    progress: Progress | None = None,
    *,
    items: int | None = None,
    history: tuple[float, float] = USB_HISTORY,
    name: str | None = None,
) -> None:
    """Writes a data set of made-up people shopping in a made-up shop, by default of exactly USB's size.

    Args:
        path: Folder to make; must not exist, or be empty.
        sessions: Number of sessions; they have `STEPS` steps on average, exactly but for rounding.
        seed: Everything left to chance depends on this alone.
        locale: Language of titles, texts and labels, ``en`` or ``zh``.
        progress: Called with (sessions done, sessions in all).
        items: Number of items; as many for each session as in USB by default, at least 600 and at most USB's.
        history: Mean number of clicks and of purchases before a user's first session, exactly but for rounding.
        name: The set's name.

    Raises:
        InputError: An argument makes no sense.
        DataError: `path` is taken, or cannot be made.
    """
    check_free(Path(path))
    if locale not in LOCALES:
        raise InputError(f"locale {locale!r} is not one of {', '.join(LOCALES)}")
    if sessions < 1:
        raise InputError(f"sessions is {sessions}; a data set needs at least 1")
    if items is None:
        items = min(USB_ITEMS, max(LEAST_ITEMS, round(sessions * USB_ITEMS / USB_SESSIONS)))
    if items < 60:
        raise InputError(f"items is {items}; a feed needs at least 60")
    if not 0 <= history[1] <= history[0]:
        raise InputError(f"history is {history}; it needs no fewer clicks than purchases, and not less than 0")
    market = open_market(items, seed)
    redrawn: dict[str, int] = {}
    settings: dict[str, Any] = {
        "model": MODEL,
        "sessions": sessions,
        "locale": locale,
        "items": items,
        "history": list(history),
        "redrawn": redrawn,
    }
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
        writer.add_categories(market.world.categories(set(market.stock.leaves.tolist())))
        writer.add_items(write_item(market.world, market.goods, row, locale) for row in range(items))
        population = draw_population(sessions, history, seed)
        done = 0
        scribe = _Scribe(market, locale, seed, sessions, redrawn)
        for start in range(0, len(population.sessions), USERS_AT_ONCE):
            members = list(_members(market, population, seed, start))
            writer.add_users(member.record for member in members)
            for member in members:
                for session in scribe.sessions_of(member):
                    writer.add_session(session)
                    done += 1
                    if progress is not None:
                        progress(done, sessions)


def make_bundled(path: str | Path) -> None:
    """Writes the data set shipped with the package: ``python -m shopsim.benchmark_usb.synthetic PATH`` does it too."""
    make_synthetic(path, BUNDLED_SESSIONS, BUNDLED_SEED, items=BUNDLED_ITEMS, history=BUNDLED_HISTORY, name="bundled")


def _members(market: Market, population: Population, seed: int, start: int) -> Iterator[_Member]:
    """The next users, from number `start`."""
    ends = np.cumsum(population.sessions)
    for number in range(start, min(start + USERS_AT_ONCE, len(ends))):
        shopper = shopper_of(market, seed, number)
        rng = np.random.default_rng([seed, HISTORY, number])
        clicked, bought = int(population.clicks[number]), int(population.purchases[number])
        clicks, purchases = draw_history(shopper, market, clicked, bought, rng)
        record = User(
            user_id=f"u{number:05d}",
            age=shopper.age,
            gender=shopper.gender,
            clicks=tuple(item_id(row) for row in clicks),
            purchases=tuple(item_id(row) for row in purchases),
        )
        sessions = range(int(ends[number] - population.sessions[number]), int(ends[number]))
        yield _Member(record, shopper, clicks, purchases, sessions, number, SPLITS[population.split[number]])


class _Scribe:
    """Has users shop, and writes down their sessions."""

    def __init__(self, market: Market, locale: Locale, seed: int, sessions: int, redrawn: dict[str, int]) -> None:
        self._market, self._locale, self._seed = market, locale, seed
        self._quota = StepQuota(sessions, round(sessions * STEPS))
        self._redrawn = redrawn
        # Every session keeps to moments of its own, so that no two steps of the set fall together.
        self._grid = max(sessions, 1000)

    def sessions_of(self, member: _Member) -> Iterator[Session]:
        """A user's sessions in the order of time, each knowing what was clicked and bought before."""
        clicks, purchases = list(member.clicks), list(member.purchases)
        rng = np.random.default_rng([self._seed, TIME, member.number])
        days = np.sort(rng.choice(_DAYS, len(member.sessions), replace=False)).tolist()
        for number, day in zip(member.sessions, days, strict=True):
            trip = self._trip(member, number, clicks, purchases)
            moves = trip.moves
            begun, times = self._times(moves, number, day, rng)
            words = np.random.default_rng([self._seed, WORDS, number])
            entries = Diary(self._market.world, self._market.goods, self._locale, words).write(moves)
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
                session_id=_session_id(number),
                user_id=member.record.user_id,
                split=member.split,
                started_at=begun,
                feed=tuple(item_id(row) for row in trip.feed()),
                steps=steps,
            )
            clicks += [m.item for m in moves if m.page is Page.FEED and m.action in (Action.CLICK, Action.ENTER_DETAIL)]
            purchases += [m.item for m in moves if m.action is Action.PURCHASE]

    def _trip(self, member: _Member, number: int, clicks: list[int], purchases: list[int]) -> ShoppingTrip:
        """A session, drawn anew until its length leaves a fair share to the rest."""
        market, shopper = self._market, member.shopper
        clicked, bought = np.array(clicks, np.int64), np.array(purchases, np.int64)
        redrawn = 0
        while True:
            intent = intent_of(market, shopper, clicked, bought, self._seed, number, redrawn)
            recommender = Recommender(
                market, shopper.audience, market.goods.leaf[clicked],
                np.random.default_rng([self._seed, FEED, number, redrawn]),
            )  # fmt: skip
            rng = np.random.default_rng([self._seed, BEHAVIOUR, number, redrawn])
            trip = ShoppingTrip(_session_id(number), market.goods, shopper, intent, recommender, rng)
            if self._quota.take(len(trip.run())):
                break
            redrawn += 1
        if redrawn:
            self._redrawn[_session_id(number)] = redrawn
        return trip

    def _times(
        self, moves: list[Move], number: int, day: int, rng: np.random.Generator
    ) -> tuple[datetime, list[datetime]]:
        """When the session began and each step was taken."""
        # The waking hours, with the evening busiest.
        hour = 8.0 + 15.5 * float(rng.beta(2.2, 1.3))
        waits = np.array([_PACE[move.page] for move in moves]) * rng.lognormal(0.0, _PACE_SPREAD, len(moves))
        waits += _LEAST_GAP
        pauses = np.minimum(_LONGEST_PAUSE, _PAUSE * rng.lognormal(0.0, _PAUSE_SPREAD, len(moves)))
        waits += pauses * (rng.random(len(moves)) < _INTERRUPTED)
        first = round((day * 24 + hour) * 3.6e9 / self._grid)
        passed = np.maximum(1, np.round(waits * 1e6 / self._grid).astype(np.int64))
        ticks = first + np.concatenate(([0], np.cumsum(passed)))
        begun, *times = (_FIRST_DAY + timedelta(microseconds=tick * self._grid + number) for tick in ticks.tolist())
        return begun, times


def _session_id(number: int) -> str:
    return f"s{number:06d}"


if __name__ == "__main__":
    make_bundled(sys.argv[1])
