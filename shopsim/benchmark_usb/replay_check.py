"""Validating a data set: its layout, and every session replayed through the shop (SPEC 3).

Each recorded action must be possible where the session has come to, and page and scroll must be recorded as the shop
has them, so that a human replay scores exactly 1 and 100. Loads pyarrow and pydantic.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

from shopsim.data import DataSet, Problem, build_index, check
from shopsim.data.manifest import read_manifest
from shopsim.data.vocabulary import PAGE_BY_LABEL, Page
from shopsim.envs import layout
from shopsim.envs.human import open_shop, refusal
from shopsim.envs.shop import Shop
from shopsim.errors import DataError

MIN_FEED = 60
FEED_PER_SEEN = 3
"""A feed has at least `MIN_FEED` items and this many times what was seen (SPEC 1)."""

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
    manifest = read_manifest(path)
    if isinstance(manifest, Problem):
        raise DataError(f"{path}: {manifest}")
    problems = list(check(path))
    if not problems and manifest.layout.version != layout.VERSION:
        cause = f"is version {manifest.layout.version}, this ShopSim replays version {layout.VERSION}"
        problems = [Problem("manifest.json", None, f"the page layout {cause}")]
    if not problems:
        build_index(path)
        problems = list(replay_problems(DataSet.open(path), progress))
    if problems:
        build_index(path, problems)
    return problems


def replay_problems(dataset: DataSet, progress: Callable[[int, int], None] | None = None) -> Iterator[Problem]:
    """The first thing wrong with each session's replay, in file order."""
    screens = _recorded_screens(dataset.path)
    row = 0
    for session_row in range(dataset.n_sessions):
        shop = open_shop(dataset, session_row)
        problem = None
        for action, item in dataset.effects(session_row):
            recorded = next(screens)
            if problem is None:
                problem = _differs(shop, recorded, row)
            if problem is None:
                event = shop.follow(action, item)
                if event.effect is None:
                    problem = Problem(_STEPS, row, refusal(event, dataset.item_id(item) if item >= 0 else None))
            row += 1
        problem = problem or _short_feed(shop, session_row)
        if problem is not None:
            name = f"session {shop.trajectory.session_id!r}"
            step = f" step {len(shop.trajectory)}" if problem.file == _STEPS else ""
            yield problem._replace(cause=f"{name}{step}: {problem.cause}")
        if progress is not None:
            progress(session_row + 1, dataset.n_sessions)


def _recorded_screens(path: Path) -> Iterator[tuple[Page, int]]:
    """Page and scroll of every step, in file order."""
    with pq.ParquetFile(path / _STEPS) as file:
        for batch in file.iter_batches(columns=["page", "scroll"]):
            pages = map(PAGE_BY_LABEL.__getitem__, batch.column("page").to_pylist())
            yield from zip(pages, batch.column("scroll").to_pylist(), strict=True)


def _differs(shop: Shop, recorded: tuple[Page, int], row: int) -> Problem | None:
    page, scroll = recorded
    if page is not shop.page:
        return Problem(_STEPS, row, f"page is {page.label}, the shop is on {shop.page.label}")
    if scroll != shop.scroll:
        return Problem(_STEPS, row, f"scroll is {scroll}, the shop's {shop.page.label} page is at {shop.scroll}")
    return None


def _short_feed(shop: Shop, session_row: int) -> Problem | None:
    seen = len(shop.trajectory.impressions)
    least = max(MIN_FEED, FEED_PER_SEEN * seen)
    if len(shop.feed) >= least:
        return None
    cause = f"feed has {len(shop.feed)} items, must have at least {least} ({MIN_FEED}, and {FEED_PER_SEEN} x the {seen}"
    return Problem(_SESSIONS, session_row, f"{cause} seen), or its end tells where the person stopped")
