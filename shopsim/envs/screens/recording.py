"""Draws the screen of every recorded step of a data set and stores it there, without loss (SPEC 2.1, 3).

Screens are lossless WebP of the quickest kind: on ShopSim's screens a quarter smaller than PNG, and quicker to write
and to read. (Slower kinds of WebP save another fifth, at ten times the time.)
"""

import io
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from shopsim.data import DataSet
from shopsim.data.screen_update import Part, ScreenUpdate
from shopsim.envs import human, layout
from shopsim.envs.screens.choice import Chromium, RendererChoice, ScreenRenderer, make_renderer
from shopsim.envs.screens.pages import screen_key
from shopsim.errors import EnvironmentFault

SESSIONS_PER_PART = 50
"""Sessions after which a stop loses nothing. A browser starts afresh as often, which keeps its memory small."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What `record_screens` did.

    Attributes:
        steps: Steps that got a screen.
        screens: Different screens among these that the set did not hold before.
        bytes: Their size.
    """

    steps: int
    screens: int
    bytes: int


def record_screens(
    path: str | Path,
    *,
    renderer: RendererChoice = "fast",
    size: tuple[int, int] = (layout.WIDTH, layout.HEIGHT),
    theme: str = "light",
    pictures: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Recorded:
    """Gives every step of a data set a screen; steps that have one keep it.

    The set changes only at the end, all at once. A run that was stopped is taken up by the next one with the same
    arguments. An environment over the set shows these screens where they are (``info["screen_source"]``) and draws
    the others itself: make it with the same renderer, or screens will tell where the person went.

    Args:
        path: The data set's folder.
        renderer, size, theme, pictures: As of `shopsim.envs.ShopSimEnv`.
        progress: Told how many steps are done, of how many.

    Raises:
        InputError: Something asked for does not exist, or the set cannot be read or written.
        EnvironmentFault: The browser failed; what was drawn is kept for the next run.
    """
    kind = "browser" if isinstance(renderer, Chromium) else renderer
    settings = {"renderer": kind, "size": list(size), "theme": theme, "pictures": str(pictures) if pictures else None}
    update = ScreenUpdate(path, settings)
    dataset = DataSet.open(update.path)
    paint = make_renderer(dataset, size, theme, renderer, pictures)
    steps = sum(dataset.screen_ids(row).count(None) for row in range(dataset.n_sessions))
    if not steps:
        return Recorded(0, 0, 0)
    try:
        while update.sessions < dataset.n_sessions:
            first = update.sessions
            paint.begin()
            seen: dict[Hashable, str] = {}
            with update.part() as part:
                for row in range(first, min(first + SESSIONS_PER_PART, dataset.n_sessions)):
                    part.ids.append(_session(dataset, row, paint, part, seen))
                    if progress is not None:
                        progress(int(dataset.step_starts[row + 1]), int(dataset.step_starts[-1]))
    except EnvironmentFault as fault:
        raise EnvironmentFault(f"{fault}; what is drawn is kept, and the same call goes on from there") from fault
    finally:
        paint.close()
    recorded = Recorded(steps, *update.added)
    update.finish()
    return recorded


def _session(
    dataset: DataSet, row: int, paint: ScreenRenderer, part: Part, seen: dict[Hashable, str]
) -> list[str | None]:
    """Screen ids of a session's steps; draws those that have none and are not among the `seen`."""
    shop = human.open_shop(dataset, row)
    ids: list[str | None] = []
    for (effect, item), screen_id in zip(dataset.effects(row), dataset.screen_ids(row), strict=True):
        key = screen_key(shop)
        if screen_id is None and (screen_id := seen.get(key)) is None:
            pixels = paint.screen(shop)
            screen_id = seen[key] = part.add(encoded(pixels), pixels.shape[1], pixels.shape[0])
        ids.append(screen_id)
        shop.follow(effect, item)
    return ids


def encoded(pixels: NDArray[np.uint8]) -> bytes:
    """A screen (height, width, 3) as a lossless WebP file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "WEBP", lossless=True, quality=75, method=0)
    return file.getvalue()
