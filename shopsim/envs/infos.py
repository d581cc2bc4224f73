"""What the environments say in `info` beside the observation (SPEC 2.2). Every call makes new containers. Ours."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.envs.layout import HEIGHT, WIDTH, Box
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Event, Trajectory


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


def step_info(dataset: DataSet, shop: Shop, event: Event | None) -> dict[str, Any]:
    """Where the shop is and what the last action did; `event` is None before the first."""
    reason = shop.trajectory.stop_reason
    return {
        "page": shop.page.label,
        "cart": tuple(map(dataset.item_id, shop.cart)),
        "open_item": _id_or_none(dataset, shop.item),
        "effect": event.effect.label if event and event.effect is not None else None,
        "invalid": str(event.invalid) if event and event.invalid else None,
        "stop_reason": str(reason) if reason else None,
        "action_mask": np.array(shop.action_mask()),
    }


def start_info(dataset: DataSet, session_row: int, user: User, seed: int) -> dict[str, Any]:
    """Who is shopping, and what they did before."""
    profile = {"age": user.age, "gender": user.gender, "persona": user.persona}
    clicks, purchases = dataset.history(session_row)
    return {
        "session_id": dataset.session_id(session_row),
        "seed": seed,
        "split": dataset.split(session_row),
        # Unknown facts are left out, since vector environments make one typed array of each fact.
        "user": {name: value for name, value in profile.items() if value is not None},
        "clicks": past_items(dataset, clicks),
        "purchases": past_items(dataset, purchases),
        "locale": dataset.locale,
        "currency": dataset.currency,
    }


def hidden_info(dataset: DataSet, shop: Shop, human: Trajectory) -> dict[str, Any]:
    """What no shopper can see: categories, and what the recorded person does in this session."""

    def categories(row: int) -> tuple[str | None, ...]:
        item = dataset.item(row)
        return item.l1, item.l2, item.l3

    return {
        "categories": tuple(categories(card.item) for card in shop.cards()),
        "open_item_categories": categories(shop.item) if shop.item >= 0 else None,
        "human": tuple(
            (event.effect.label, _id_or_none(dataset, event.item)) for event in human.events if event.effect is not None
        ),
    }


def _id_or_none(dataset: DataSet, row: int) -> str | None:
    return dataset.item_id(row) if row >= 0 else None


def visible_items(dataset: DataSet, shop: Shop) -> tuple[VisibleItem, ...]:
    """The items whose cards show on the shop's screen, in feed order; none off the feed."""
    cards = shop.cards()
    titles = dataset.titles(card.item for card in cards)
    return tuple(
        VisibleItem(dataset.item_id(card.item), card.slot, _shares(card), title, float(dataset.prices[card.item]))
        for card, title in zip(cards, titles, strict=True)
    )


def _shares(box: Box) -> tuple[float, float, float, float]:
    return box.x / WIDTH, box.y / HEIGHT, (box.x + box.w) / WIDTH, (box.y + box.h) / HEIGHT


def past_items(dataset: DataSet, rows: NDArray[np.integer]) -> tuple[PastItem, ...]:
    """Items of a history, by row."""
    prices = dataset.prices[rows].tolist()
    found = zip(rows.tolist(), dataset.titles(rows.tolist()), prices, strict=True)
    return tuple(PastItem(dataset.item_id(row), title, price) for row, title, price in found)
