"""What a log does not say of an item: its title, looks, rating, reviews, attributes and shop. Ours.

All of it is made up from the item's id, category words and brand by a generator of its own, so that an item looks
the same whatever else is imported. Nothing here rests on what shoppers did with the item.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from shopsim.data.records import Item, Picture, Review

FILLED_INPUTS = ("titles", "pictures", "ratings", "reviews", "attributes", "shops", "descriptions")
"""What this module fills in, by the names of the manifest."""

UNKNOWN_ARCHETYPE = "box"

ARCHETYPES: dict[str, str] = {
    "bag": "bag",
    "umbrella": "umbrella",
    "wallet": "wallet",
    "costume": "jacket",
    "dress": "dress",
    "jacket": "jacket",
    "jeans": "trousers",
    "jumper": "sweater",
    "pajamas": "shirt",
    "scarf": "scarf",
    "shirt": "shirt",
    "shorts": "shorts",
    "skirt": "skirt",
    "sock": "socks",
    "trousers": "trousers",
    "tshirt": "tshirt",
    "underwear": "underwear",
    "ballet_shoes": "loafer",
    "espadrilles": "loafer",
    "keds": "sneaker",
    "moccasins": "loafer",
    "sandals": "sandal",
    "slipons": "loafer",
    "step_ins": "heel",
    "shoes": "sneaker",
    "air_conditioner": "fan",
    "air_heater": "fan",
    "fan": "fan",
    "vacuum": "vacuum",
    "iron": "iron",
    "ironing_board": "table",
    "blender": "blender",
    "coffee_grinder": "blender",
    "coffee_machine": "coffee_machine",
    "dishwasher": "washer",
    "washer": "washer",
    "grill": "pan",
    "hob": "pan",
    "juicer": "blender",
    "kettle": "kettle",
    "mixer": "blender",
    "microwave": "microwave",
    "oven": "microwave",
    "refrigerators": "fridge",
    "steam_cooker": "rice_cooker",
    "toster": "toaster",
    "hair_cutter": "razor",
    "massager": "massager",
    "scales": "scale",
    "compressor": "tool",
    "player": "speaker",
    "videoregister": "camera",
    "winch": "tool",
    "cooler": "fan",
    "desktop": "console",
    "ebooks": "tablet",
    "notebook": "laptop",
    "keyboard": "keyboard",
    "monitor": "monitor",
    "mouse": "mouse",
    "printer": "printer",
    "joystick": "controller",
    "camera": "camera",
    "faucet": "faucet",
    "drill": "drill",
    "light": "lamp",
    "lamp": "lamp",
    "saw": "saw",
    "screw": "screws",
    "welding": "tool",
    "tools": "tool",
    "cultivator": "shovel",
    "lawn_mower": "shovel",
    "hammok": "bed",
    "acoustic": "speaker",
    "headphone": "headphones",
    "microphone": "microphone",
    "subwoofer": "speaker",
    "piano": "piano",
    "photo": "camera",
    "video": "camera",
    "clocks": "watch",
    "smartphone": "phone",
    "tablet": "tablet",
    "telephone": "phone",
    "projector": "projector",
    "tv": "tv",
    "bath": "bowl",
    "bed": "bed",
    "blanket": "blanket",
    "pillow": "pillow",
    "chair": "chair",
    "table": "table",
    "cabinet": "cabinet",
    "shelving": "shelf",
    "sofa": "sofa",
    "carriage": "stroller",
    "dolls": "doll",
    "diapers": "diaper",
    "skates": "skates",
    "toys": "toy",
    "tonometer": "thermometer",
    "bicycle": "bicycle",
    "tennis": "racket",
    "trainer": "dumbbell",
    "tire": "tire",
    "cartrige": "printer",
}
"""Picture archetype by category word, as shops' category paths spell them."""

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


def fill_item(
    item_id: str,
    price: float,
    labels: tuple[str | None, str | None, str | None],
    category_words: tuple[str, ...] = (),
    brand: str | None = None,
) -> Item:
    """An item with everything a log leaves out.

    Args:
        item_id: The log's id.
        price: The log's price.
        labels: Category ids, l1 to l3.
        category_words: The category's path in words, the most special last; empty where the log has none.
        brand: The log's brand in any spelling.
    """
    key = "|".join((item_id, *category_words, brand or ""))
    rng = np.random.default_rng(int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big"))
    archetype = archetype_of(category_words)
    noun = category_words[-1].replace("_", " ") if category_words else "article"
    maker = brand.replace("-", " ").title() if brand else None
    model = f"{_pick(rng, _LETTERS)}{_pick(rng, _LETTERS)}-{rng.integers(10, 2000)}"
    colour, main, accent = _COLOURS[rng.integers(len(_COLOURS))]
    worn = archetype in _WORN or archetype in _TALL & {"trousers", "jacket"}
    material = _pick(rng, _FABRICS if worn else _SOLIDS)
    pattern = _pick(rng, _PATTERNS) if worn and rng.random() < 0.4 else "plain"
    # A title names the colour less than half of the time: the rest has to be seen.
    words = [maker, noun if maker else noun.capitalize(), model, colour if rng.random() < 0.4 else None]
    rating = round(float(np.clip(rng.normal(4.4, 0.35), 1, 5)), 1)
    attributes = {"Model": model, "Colour": colour, "Material": material}
    if maker:
        attributes = {"Brand": maker, **attributes}
    return Item(
        item_id=item_id,
        title=" ".join(word for word in words if word),
        price=price,
        l1=labels[0],
        l2=labels[1],
        l3=labels[2],
        brand=maker,
        shop=f"{maker} Store" if maker and rng.random() < 0.5 else _pick(rng, _SHOPS),
        rating=rating,
        attributes=attributes,
        picture=Picture(
            archetype=archetype,
            aspect="3:4" if archetype in _TALL else "4:3" if archetype in _WIDE else "1:1",
            color=main,
            accent=accent,
            pattern=pattern,
            material=material,
            background=_pick(rng, _BACKGROUNDS),
            lighting=_pick(rng, _LIGHTING),
            seed=int(rng.integers(2**31)),
        ),
        reviews=tuple(_review(rng, rating) for _ in range(min(4, rng.poisson(1.5)))),
        description=f"{noun.capitalize()} {model} in {colour} {material}.",
    )


def archetype_of(category_words: tuple[str, ...]) -> str:
    """The picture of a category path: of its most special word that has one, else a plain box."""
    return next((ARCHETYPES[word] for word in reversed(category_words) if word in ARCHETYPES), UNKNOWN_ARCHETYPE)


def _pick(rng: np.random.Generator, options: Sequence[str]) -> str:
    return options[int(rng.integers(len(options)))]


def _review(rng: np.random.Generator, rating: float) -> Review:
    stars = int(np.clip(round(rng.normal(rating, 0.9)), 1, 5))
    texts = _PRAISE if stars >= 4 else _MIXED if stars == 3 else _BLAME
    return Review(stars, _pick(rng, texts))
