"""What is behind a synthetic set and not written into it: who shops and what for, from the seed and a number.

`make_synthetic` draws people and intents here; `Backstage` draws the same ones again for a set on disk, for
ceilings and for measuring what was planted. Nothing of it reaches an agent that does not ask for it by name.
"""

import json
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.shopper import Intent, Shopper, draw_intent, draw_shopper
from shopsim.benchmark_usb.world import Market, open_market
from shopsim.data import DataSet
from shopsim.errors import InputError

MODEL = 3
"""Changes whenever the same seed gives other people, items or behaviour."""

# Streams of chance, each its own; the world has 1 and 2, the population 3.
_SHOPPER, HISTORY, _INTENT, FEED, BEHAVIOUR, TIME, WORDS = range(4, 11)


def shopper_of(market: Market, seed: int, user: int) -> Shopper:
    """The person behind a user, by the user's number."""
    return draw_shopper(market, np.random.default_rng([seed, _SHOPPER, user]))


def intent_of(
    market: Market,
    shopper: Shopper,
    clicks: NDArray[np.integer],
    purchases: NDArray[np.integer],
    seed: int,
    session: int,
    redrawn: int,
) -> Intent:
    """What a session is about, by the session's number.

    Args:
        market: The shop.
        shopper: Who.
        clicks: Rows of the items clicked before the session, oldest first.
        purchases: Rows of the items bought before it.
        seed: The set's.
        session: The session's number.
        redrawn: How many times the session was drawn anew.
    """
    rng = np.random.default_rng([seed, _INTENT, session, redrawn])
    return draw_intent(shopper, market, market.goods.leaf[clicks], market.goods.leaf[purchases], rng)


class Backstage:
    """The latent side of a synthetic data set.

    Args:
        dataset: A set made by `make_synthetic` of this version.

    Raises:
        InputError: It is not such a set.
    """

    def __init__(self, dataset: DataSet) -> None:
        generator = json.loads((dataset.path / "manifest.json").read_text("utf-8"))["generator"] or {}
        settings = generator.get("settings", {})
        if dataset.source != "synthetic" or "model" not in settings:
            raise InputError(
                f"data set {dataset.name!r} is {dataset.source}; what its people had in mind is known only of sets "
                f"made by `shopsim data make`"
            )
        self._dataset = dataset
        self._seed: int = generator["seed"]
        self._redrawn: dict[str, int] = settings["redrawn"]
        self.market = open_market(settings["items"], self._seed)
        if settings["model"] != MODEL or not np.array_equal(self.market.goods.price, dataset.prices):
            raise InputError(
                f"data set {dataset.name!r} was made by another version of the synthetic shop; make it again with "
                f"`shopsim data make usb --sessions {settings['sessions']} --seed {self._seed}`"
            )
        self._shopper = lru_cache(maxsize=1024)(lambda user: shopper_of(self.market, self._seed, user))

    def shopper(self, session_row: int) -> Shopper:
        """The person of a session."""
        found: Shopper = self._shopper(self._dataset.user_row(session_row))
        return found

    def intent(self, session_row: int) -> Intent:
        """What the person of a session wanted."""
        clicks, purchases = self._dataset.history(session_row)
        redrawn = self._redrawn.get(self._dataset.session_id(session_row), 0)
        return intent_of(self.market, self.shopper(session_row), clicks, purchases, self._seed, session_row, redrawn)


@lru_cache(maxsize=1)
def backstage(dataset: DataSet) -> Backstage:
    """The latent side of a data set; the last one asked for is kept.

    Raises:
        InputError: Not a synthetic set, or one of another version.
    """
    return Backstage(dataset)
