"""What the batched environment says in numbers alone. Ours."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.data.vocabulary import Action
from shopsim.envs.layout import HEIGHT, WIDTH
from shopsim.envs.shop import Place, Shop, possible
from shopsim.envs.wrappers import N_SLOTS


def array_infos(shops: Sequence[Shop]) -> dict[str, NDArray[Any]]:
    """Masks and visible cards of N shops as fresh arrays, put together from bytes that are kept by place."""
    n = len(shops)
    rows = [_row(place := shop.place, place.item in shop.carted, place.item in shop.bought) for shop in shops]
    masks, boxes, items = (bytearray(b"".join(column)) for column in zip(*rows, strict=True))
    return {
        "action_mask": np.frombuffer(masks, np.bool_).reshape(n, len(Action)),
        "boxes": np.frombuffer(boxes, np.float32).reshape(n, N_SLOTS, 4),
        "item_rows": np.frombuffer(items, np.int32).reshape(n, N_SLOTS),
    }


@lru_cache(maxsize=8192)
def _row(place: Place, carted: bool, bought: bool) -> tuple[bytes, bytes, bytes]:
    """A shop's mask, boxes and item rows, where the open item is in the cart already or bought."""
    boxes, items = np.zeros((N_SLOTS, 4), np.float32), np.full(N_SLOTS, -1, np.int32)
    for slot, card in enumerate(place.cards):
        boxes[slot] = card.x / WIDTH, card.y / HEIGHT, (card.x + card.w) / WIDTH, (card.y + card.h) / HEIGHT
        items[slot] = card.item
    return bytes(possible(place, carted, bought)), boxes.tobytes(), items.tobytes()
