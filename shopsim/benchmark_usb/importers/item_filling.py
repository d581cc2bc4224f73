"""What a log does not say of an item: its title, looks, rating, reviews, attributes and shop. Ours.

All of it is made up from the item's id, category words and brand by a generator of its own, so that an item looks
the same whatever else is imported. Nothing here rests on what shoppers did with the item.
"""

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeVar

import numpy as np

from shopsim.benchmark_usb.importers.archetypes import archetype_of
from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.data.records import Item, Picture, Review

T = TypeVar("T")

FILLED_INPUTS = ("titles", "pictures", "ratings", "reviews", "attributes", "shops", "descriptions")
"""What this module fills in, by the names of the manifest."""


class Draft(NamedTuple):
    """What a log says of an item."""

    item_id: str
    price: float
    labels: tuple[str | None, str | None, str | None] = (None, None, None)
    """Category ids, l1 to l3."""
    words: tuple[str, ...] = ()
    """The category's path in lower case, the most special level last; empty where the log has none."""
    brand: str | None = None
    """In any spelling."""
    title: str | None = None


_NORMAL = NormalDist()
_NUMBERS = 24
"""Most random numbers that an item takes."""
_LOOKS = 21
"""A purpose of chance."""
_REVIEW_COUNTS = (0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4)

_TALL = {"dress", "trousers", "shirt", "jacket", "skirt", "phone", "fridge", "washer", "blender", "speaker", "lamp"}
_WIDE = {"tv", "monitor", "laptop", "sofa", "bed", "keyboard", "printer", "bicycle", "car_part", "sneaker", "loafer"}
_WORN = {"dress", "skirt", "tshirt", "shirt", "sweater", "scarf", "socks", "bag", "umbrella", "blanket", "pillow"}
_FABRICS = ("cotton", "linen", "wool", "polyester", "denim")
_SOLIDS = ("plastic", "metal", "steel", "aluminium", "wood", "glass")
_PATTERNS = ("stripes", "dots", "checks", "floral", "geometric")

_COLOURS: tuple[tuple[str, str, str], ...] = (
    ("black", "#26262b", "#5a5a63"),
    ("white", "#f2f0ec", "#b9b4ab"),
    ("grey", "#8d9096", "#55585e"),
    ("silver", "#c3c7cc", "#7d8289"),
    ("blue", "#3465a8", "#1d3c68"),
    ("navy", "#23304f", "#8fa0c4"),
    ("red", "#b8343a", "#6f1c21"),
    ("green", "#4c8a54", "#2a5230"),
    ("brown", "#7a5538", "#c49a6c"),
    ("beige", "#d8c6a5", "#8e7c5a"),
    ("yellow", "#e2b93b", "#8f6e12"),
    ("pink", "#d98aa6", "#8f4562"),
)
_BACKGROUNDS = ("#f4f4f4", "#faf7f2", "#eef2f6", "#f3f6ef")
_LIGHTING = ("soft", "studio", "warm", "cool")
_LETTERS = "ABCDEFGHKLMNPRSTVX"
_SHOPS = ("Corner Market", "Northgate Store", "Bluebird Trade", "Old Harbour Goods", "Mira Outlet", "Parcel House")

_PRAISE = ("Works as described.", "Good for the price.", "Came quickly and well packed.", "Would buy again.")
_MIXED = ("Fine, nothing special.", "Does the job.", "Smaller than I thought, but usable.")
_BLAME = ("Not what the picture promised.", "Stopped working after a week.", "Too expensive for what it is.")


def fill_items(drafts: Sequence[Draft]) -> list[Item]:
    """Items with everything a log leaves out; each rests on its own draft alone."""
    keys = keys_of(0, ("|".join((draft.item_id, *draft.words, draft.brand or "")) for draft in drafts))
    owner = np.repeat(np.arange(len(drafts)), _NUMBERS)
    places = np.tile(np.arange(_NUMBERS), len(drafts))
    chance = Stream(keys[owner], _LOOKS, places).uniform().reshape(-1, _NUMBERS)
    return [_fill(draft, iter(numbers)) for draft, numbers in zip(drafts, chance.tolist(), strict=True)]


def _fill(draft: Draft, chance: Iterator[float]) -> Item:
    archetype = archetype_of(draft.words)
    noun = draft.words[-1].replace("_", " ") if draft.words else "article"
    maker = draft.brand.replace("-", " ").title() if draft.brand else None
    model = f"{_pick(chance, _LETTERS)}{_pick(chance, _LETTERS)}-{10 + int(next(chance) * 1990)}"
    colour, main, accent = _pick(chance, _COLOURS)
    worn = archetype in _WORN or archetype in _TALL & {"trousers", "jacket"}
    material = _pick(chance, _FABRICS if worn else _SOLIDS)
    pattern = _pick(chance, ("plain", "plain", "plain", *_PATTERNS) if worn else ("plain",))
    # A title names the colour less than half of the time: the rest has to be seen.
    words = [maker, noun if maker else noun.capitalize(), model, colour if next(chance) < 0.4 else None]
    rating = round(min(5.0, max(1.0, 4.4 + 0.35 * _bell(chance))), 1)
    attributes = {"Model": model, "Colour": colour, "Material": material}
    if maker:
        attributes = {"Brand": maker, **attributes}
    own_shop = next(chance) < 0.5
    shop = _pick(chance, _SHOPS)
    return Item(
        item_id=draft.item_id,
        title=draft.title or " ".join(word for word in words if word),
        price=draft.price,
        l1=draft.labels[0],
        l2=draft.labels[1],
        l3=draft.labels[2],
        brand=maker,
        shop=f"{maker} Store" if maker and own_shop else shop,
        rating=rating,
        attributes=attributes,
        picture=Picture(
            archetype=archetype,
            aspect="3:4" if archetype in _TALL else "4:3" if archetype in _WIDE else "1:1",
            color=main,
            accent=accent,
            pattern=pattern,
            material=material,
            background=_pick(chance, _BACKGROUNDS),
            lighting=_pick(chance, _LIGHTING),
            seed=int(next(chance) * 2**31),
        ),
        reviews=tuple(_review(chance, rating) for _ in range(_pick(chance, _REVIEW_COUNTS))),
        description=f"{noun.capitalize()} {model} in {colour} {material}.",
    )


def _pick(chance: Iterator[float], options: Sequence[T]) -> T:
    return options[int(next(chance) * len(options))]


def _bell(chance: Iterator[float]) -> float:
    """A normal number."""
    return _NORMAL.inv_cdf(min(1 - 1e-9, max(1e-9, next(chance))))


def _review(chance: Iterator[float], rating: float) -> Review:
    stars = min(5, max(1, round(rating + 0.9 * _bell(chance))))
    return Review(stars, _pick(chance, _PRAISE if stars >= 4 else _MIXED if stars == 3 else _BLAME))
