"""What the batched environment says in numbers alone. Ours."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.data.vocabulary import Action
from shopsim.envs.layout import HEIGHT, WIDTH
from shopsim.envs.shop import Place, Shop
from shopsim.envs.wrappers import N_SLOTS


class ArrayInfos:
    """Masks and visible cards of N shops as arrays, kept up to date where something has changed."""

    def __init__(self, n: int) -> None:
        self._mask = np.zeros((n, len(Action)), np.bool_)
        self._boxes = np.zeros((n, N_SLOTS, 4), np.float32)
        self._item_rows = np.full((n, N_SLOTS), -1, np.int32)

    def update(self, i: int, shop: Shop) -> None:
        """Takes note of the screen that shop `i` shows now."""
        self._mask[i] = shop.action_mask()
        self._boxes[i], self._item_rows[i] = _cards(shop.place)

    def of(self, shop: Shop) -> dict[str, NDArray[Any]]:
        """What one shop's screen shows now."""
        boxes, rows = _cards(shop.place)
        return {"action_mask": np.array(shop.action_mask()), "boxes": boxes.copy(), "item_rows": rows.copy()}

    def now(self) -> dict[str, NDArray[Any]]:
        """Fresh copies of all."""
        return {
            "action_mask": self._mask.copy(),
            "boxes": self._boxes.copy(),
            "item_rows": self._item_rows.copy(),
        }


@lru_cache(maxsize=4096)
def _cards(place: Place) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    boxes, rows = np.zeros((N_SLOTS, 4), np.float32), np.full(N_SLOTS, -1, np.int32)
    for slot, card in enumerate(place.cards):
        boxes[slot] = card.x / WIDTH, card.y / HEIGHT, (card.x + card.w) / WIDTH, (card.y + card.h) / HEIGHT
        rows[slot] = card.item
    return boxes, rows
