"""Validating a data set: its layout, and every session replayed through the shop (SPEC 3).

Each recorded action must be possible where the session has come to, and page and scroll must be recorded as the shop
has them, so that a human replay scores exactly 1 and 100. Loads pyarrow and pydantic.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq

from shopsim.data import DataSet, Problem, build_index, check, stamp
from shopsim.data.manifest import open_manifest
from shopsim.data.session_rules import MIN_FEED
from shopsim.data.vocabulary import PAGE_BY_LABEL, Page
from shopsim.envs import layout
from shopsim.envs.human import open_shop, refusal
from shopsim.envs.shop import Shop

FEED_PER_SEEN = 3
"""A feed is at least `MIN_FEED` items and this many times what was seen (SPEC 1), or all items there are."""

_STEPS = "steps.parquet"
_SESSIONS = "sessions.parquet"


def validate(path: str | Path, progress: Callable[[int, int], None] | None = None) -> list[Problem]:
    """Checks a data set and makes it ready to open, or makes `DataSet.open` refuse it.

    Args:
        path: The data set's folder.
        progress: Called with (sessions replayed, sessions in all).

    Returns:
        Everything wrong with the layout; if that is nothing, the first thing wrong with each session's replay.

    Raises:
        DataError: There is no data set that could be read at `path`.
    """
    path = Path(path)
    manifest = open_manifest(path)
    problems = list(check(path))
    if not problems and manifest.layout.version != layout.VERSION:
        cause = f"is version {manifest.layout.version}, this ShopSim replays version {layout.VERSION}"
        problems = [Problem("manifest.json", None, f"the page layout {cause}")]
    if not problems:
        build_index(path)
        dataset = DataSet.open(path)
        # A validation that is stopped in the middle leaves a set that does not open.
        stamped = stamp.withdraw(path)
        problems = list(replay_problems(dataset, progress))
        if not problems:
            stamp.restore(path, stamped)
    if problems:
        build_index(path, problems)
    return problems


def replay_problems(dataset: DataSet, progress: Callable[[int, int], None] | None = None) -> Iterator[Problem]:
    """The first thing wrong with each session's replay, in file order."""
    screens = _recorded_screens(dataset.path)
    start = 0
    for row in range(dataset.n_sessions):
        shop = open_shop(dataset, row)
        name = f"session {dataset.session_id(row)!r}"
        broken = _replay(dataset, row, shop, list(islice(screens, dataset.n_steps(row))))
        short = None if broken else _short_feed(shop, dataset.n_items)
        if broken is not None:
            step, cause = broken
            yield Problem(_STEPS, start + step, f"{name} step {step}: {cause}")
        if short is not None:
            yield Problem(_SESSIONS, row, f"{name}: {short}")
        start += dataset.n_steps(row)
        if progress is not None:
            progress(row + 1, dataset.n_sessions)


def _replay(dataset: DataSet, row: int, shop: Shop, screens: list[tuple[Page, int]]) -> tuple[int, str] | None:
    """Replays a session up to the first step that is not as recorded; its number and what is wrong."""
    for step, ((page, scroll), (action, item)) in enumerate(zip(screens, dataset.effects(row), strict=True)):
        if page is not shop.page:
            return step, f"page is {page.label}, the shop is on {shop.page.label}"
        if scroll != shop.scroll:
            return step, f"scroll is {scroll}, the shop's {shop.page.label} page is at {shop.scroll}"
        event = shop.follow(action, item)
        if event.effect is None:
            return step, refusal(event, dataset.item_id(item) if item >= 0 else None)
    return None


def _recorded_screens(path: Path) -> Iterator[tuple[Page, int]]:
    """Page and scroll of every step, in file order."""
    with pq.ParquetFile(path / _STEPS) as file:
        for batch in file.iter_batches(columns=["page", "scroll"]):
            pages = map(PAGE_BY_LABEL.__getitem__, batch.column("page").to_pylist())
            yield from zip(pages, batch.column("scroll").to_pylist(), strict=True)


def _short_feed(shop: Shop, n_items: int) -> str | None:
    seen = len(shop.trajectory.impressions)
    least = min(n_items, max(MIN_FEED, FEED_PER_SEEN * seen))
    if len(shop.feed) >= least:
        return None
    return f"the feed has {len(shop.feed)} items, must have at least {least}, since {seen} were seen"
