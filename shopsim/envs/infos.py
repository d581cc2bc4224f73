"""What the environments say in `info` beside the observation (SPEC 2.2). Every call makes new containers. Ours."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.data.vocabulary import ACTION_LABELS
from shopsim.envs.layout import HEIGHT, WIDTH, Box
from shopsim.envs.shop import Place, Shop
from shopsim.envs.trajectory import Event, StopReason, Trajectory


class VisibleItem(NamedTuple):
    """An item whose card shows on the screen."""

    item_id: str
    slot: int
    """Place in the feed, from 0."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom of the part of the card that shows, as shares of the screen."""
    title: str
    price: float


class PastItem(NamedTuple):
    """An item of the user's history."""

    item_id: str
    title: str
    price: float


class ItemNames:
    """Id, title and price of a data set's items; the last ones read are kept."""

    def __init__(self, dataset: DataSet) -> None:
        self._dataset = dataset
        self.of = lru_cache(maxsize=8192)(self._read)
        """Gives id, title and price of an item row."""
        self.visible = lru_cache(maxsize=4096)(self._name_cards)
        """Gives the items whose cards show at a `Place`, in feed order."""
        self.history = lru_cache(maxsize=256)(self._name_history)
        """Gives the items clicked and those bought before a session, by its row."""

    def __deepcopy__(self, memo: object) -> "ItemNames":
        return self  # serves a copied environment as well

    def __reduce__(self) -> tuple[type["ItemNames"], tuple[DataSet]]:
        return ItemNames, (self._dataset,)  # what was kept is read again

    def id(self, row: int) -> str | None:
        """The id of an item row, None for -1."""
        return self.of(row)[0] if row >= 0 else None

    def _name_cards(self, place: Place) -> tuple[VisibleItem, ...]:
        named = [(card, self.of(card.item)) for card in place.cards]
        return tuple(
            [VisibleItem(item_id, card.slot, _shares(card), title, price) for card, (item_id, title, price) in named]
        )

    def _name_history(self, session_row: int) -> tuple[tuple[PastItem, ...], tuple[PastItem, ...]]:
        prices = self._dataset.list_prices
        clicks, purchases = (
            tuple([PastItem(*self.of(row)[:2], float(prices[row])) for row in rows.tolist()])
            for rows in self._dataset.history(session_row)
        )
        return clicks, purchases

    def _read(self, row: int) -> tuple[str, str, float]:
        (title,) = self._dataset.titles([row])
        return self._dataset.item_id(row), title, float(self._dataset.prices[row])


def screen_info(shop: Shop, names: ItemNames, text: str, source: str | None) -> dict[str, Any]:
    """A step's info as far as the screen decides it: what shows, what is open, what is in the cart."""
    return {
        "items": names.visible(shop.place),
        "text": text,
        "page": shop.page.label,
        "cart": tuple(names.of(row)[0] for row in shop.cart),
        "open_item": names.id(shop.item),
        "screen_source": source,
    }


def step_info(
    screen: dict[str, Any], mask: NDArray[np.bool_], event: Event | None, reason: StopReason | None
) -> dict[str, Any]:
    """The whole of a step's info.

    Args:
        screen: Of `screen_info`.
        mask: Which actions some point makes effective now.
        event: What the last action did; None before the first.
        reason: Why the episode ended; None before its end.
    """
    return screen | {
        "effect": ACTION_LABELS[event.effect] if event and event.effect is not None else None,
        "invalid": str(event.invalid) if event and event.invalid else None,
        "stop_reason": str(reason) if reason else None,
        "action_mask": mask.copy(),
    }


def start_info(dataset: DataSet, names: ItemNames, session_row: int, user: User, seed: int) -> dict[str, Any]:
    """Who is shopping, and what they did before."""
    profile = {"age": user.age, "gender": user.gender, "persona": user.persona}
    clicks, purchases = names.history(session_row)
    return {
        "session_id": dataset.session_id(session_row),
        "seed": seed,
        "split": dataset.split(session_row),
        # Unknown facts are left out, since vector environments make one typed array of each fact.
        "user": {name: value for name, value in profile.items() if value is not None},
        "clicks": clicks,
        "purchases": purchases,
        "locale": dataset.locale,
        "currency": dataset.currency,
    }


def hidden_info(dataset: DataSet, names: ItemNames, shop: Shop, human: Trajectory) -> dict[str, Any]:
    """What no shopper can see: categories, and what the recorded person does in this session."""

    def categories(row: int) -> tuple[str | None, ...]:
        item = dataset.item(row)
        return item.l1, item.l2, item.l3

    return {
        "categories": tuple(categories(card.item) for card in shop.cards()),
        "open_item_categories": categories(shop.item) if shop.item >= 0 else None,
        "human": tuple(
            (event.effect.label, names.id(event.item)) for event in human.events if event.effect is not None
        ),
    }


def _shares(box: Box) -> tuple[float, float, float, float]:
    _, x, y, w, h, _, _ = box
    return x / WIDTH, y / HEIGHT, (x + w) / WIDTH, (y + h) / HEIGHT
