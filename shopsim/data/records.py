"""One row of each table of the data layout (SPEC 3) as a plain named tuple.

Readers hand these out and writers take them. They hold no behaviour. Optional columns are None where a
data set has nothing; nothing here is ever invented by the reader.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from shopsim.data.vocabulary import Action, Page

ASPECTS: tuple[str, ...] = ("1:1", "3:4", "4:3")
"""Shapes a product picture can have, width to height; the position is the code in the index."""


class Picture(NamedTuple):
    """How an item's picture is drawn (the picture struct). Ours.

    A renderer draws `archetype` in these colours, or shows `file` where one is given. Renderers must accept
    any string in `archetype`, `pattern` and `material` (an unknown one falls back to a plain shape).
    """

    archetype: str
    """What is drawn, for example ``dress``, ``bottle``, ``phone``."""
    aspect: str = "1:1"
    """One of `ASPECTS`; it alone decides the height of the item's card in the feed."""
    color: str = "#888888"
    """Main colour, ``#rrggbb``."""
    accent: str = "#444444"
    """Second colour (pattern, trim), ``#rrggbb``."""
    pattern: str = "plain"
    """For example ``plain``, ``stripes``, ``dots``, ``checks``, ``floral``."""
    material: str = ""
    """For example ``cotton``, ``leather``, ``glass``; may change the shading."""
    background: str = "#f4f4f4"
    """Backdrop colour, ``#rrggbb``."""
    lighting: str = "soft"
    """For example ``soft``, ``studio``, ``warm``."""
    seed: int = 0
    """Small variations of shape; same struct, same pixels."""
    file: str | None = None
    """Path of an image file relative to the data set's folder; replaces the drawing."""


class Review(NamedTuple):
    """One review of an item: stars 1-5 and a short text."""

    rating: int
    text: str


class Category(NamedTuple):
    """A node of the three-level category tree; `parent_id` is None at level 1."""

    category_id: str
    level: int
    parent_id: str | None
    name: str
    name_zh: str | None = None


class Item(NamedTuple):
    """A product. `l1`, `l2`, `l3` are category ids, None where the source has none."""

    item_id: str
    title: str
    price: float
    l1: str | None
    l2: str | None
    l3: str | None
    picture: Picture
    brand: str | None = None
    shop: str | None = None
    rating: float | None = None
    """Mean stars, 1-5."""
    sales: int | None = None
    """Units sold, as shown on the card."""
    attributes: Mapping[str, str] = {}
    reviews: tuple[Review, ...] = ()
    description: str = ""


class User(NamedTuple):
    """A shopper; `clicks` and `purchases` (item ids, oldest first) precede the user's first session."""

    user_id: str
    age: int | None = None
    gender: str | None = None
    persona: str | None = None
    clicks: tuple[str, ...] = ()
    purchases: tuple[str, ...] = ()


class Step(NamedTuple):
    """One action and the screen it was taken on (page and scroll *before* the action).

    `action` is the effect: a tap on the cart button is stored as ``add_to_cart``, so ``click`` always means a
    card and carries its item. `item_id` and `scroll` are the truth; `x` and `y` are derived from the layout.
    """

    action: Action
    page: Page
    scroll: int
    """Offset of the page's viewport in logical units, on the step grid of `shopsim.envs.layout`."""
    timestamp: datetime
    item_id: str | None = None
    """The item acted on: the card clicked or entered, or the open item carted or bought."""
    x: float | None = None
    y: float | None = None
    screen_id: str | None = None
    mind: str | None = None
    episodic: str | None = None
    preference: str | None = None
    imputed: bool = False
    """True where a log did not hold this step and an importer filled it in."""


class Session(NamedTuple):
    """One shopper from entry to leaving. `steps` end in exactly one `terminate`."""

    session_id: str
    user_id: str
    split: str
    """``train``, ``validation`` or ``test``; by user."""
    started_at: datetime
    feed: tuple[str, ...]
    """Item ids in the order the shop would have shown them, much longer than what was seen."""
    steps: tuple[Step, ...] = ()
