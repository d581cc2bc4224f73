"""Made-up shelves for tests of the screens: a data source without files, and shops over it."""

from collections.abc import Sequence
from pathlib import Path

from shopsim.data.records import ASPECTS, Item, Picture, Review
from shopsim.data.vocabulary import Action
from shopsim.envs.shop import Shop

_TITLES = {
    "en": ("Organic cotton crew-neck T-shirt for every day of the year", "Mug", "Women's pleated midi skirt, summer"),
    "zh": ("男士纯棉圆领短袖T恤夏季新款宽松百搭上衣潮流", "马克杯", "法式复古碎花连衣裙"),
}


def item(i: int, locale: str = "en") -> Item:
    """Item number i: every third has one of the titles, every aspect comes, some know little of themselves."""
    rich = i % 5 != 4
    return Item(
        item_id=f"secret-{i}",
        title=_TITLES[locale][i % 3],
        price=9.99 + 101 * i,
        l1="hidden-root",
        l2="hidden-branch",
        l3="hidden-leaf",
        picture=Picture(
            ("tshirt", "mug", "skirt")[i % 3], ASPECTS[i * 7 % 3], "#c02040", "#f0e0a0", "dots", "cotton", seed=i
        ),
        brand="Norhaven" if rich else None,
        shop="Norhaven Store" if rich else None,
        rating=4.5 if rich else None,
        sales=12_345 if i % 2 and rich else 40 if rich else None,
        attributes={"Fit": "Regular", "Care": "Machine wash"} if rich else {},
        reviews=(Review(5, "Lovely."), Review(2, "Too small, and the seam broke on the very first day."))
        if rich
        else (),
        description="Soft. " * 60 if rich else "",
    )


class Shelf:
    """The items as a data set would give them."""

    path = Path("/nowhere")

    def __init__(self, items: Sequence[Item] | None = None, locale: str = "en", currency: str = "USD") -> None:
        self.items = list(items or (item(i, locale) for i in range(40)))
        self.locale, self.currency = locale, currency

    def item(self, row: int) -> Item:
        return self.items[row]

    def aspect(self, row: int) -> int:
        return ASPECTS.index(self.items[row].picture.aspect)

    def detail_counts(self, row: int) -> tuple[int, int]:
        return len(self.items[row].attributes), len(self.items[row].reviews)

    def with_item(self, row: int, **changes: object) -> "Shelf":
        """The same shelf with one item changed."""
        items = list(self.items)
        items[row] = items[row]._replace(**changes)  # type: ignore[arg-type]
        return Shelf(items, self.locale, self.currency)


def enter(shelf: Shelf, *effects: tuple[Action, int]) -> Shop:
    """A shop over the shelf after these effects."""
    shop = Shop(shelf, "s", range(len(shelf.items)))
    for effect, row in effects:
        assert shop.follow(effect, row).effect is effect
    return shop


def tour(shelf: Shelf) -> list[Shop]:
    """Shops on screens of every kind."""
    down, _, click, detail, _, cart, buy, _ = Action
    return [
        enter(shelf),
        enter(shelf, (down, -1)),
        enter(shelf, (click, 1)),
        enter(shelf, (click, 1), (cart, 1)),
        enter(shelf, (detail, 0)),
        enter(shelf, (detail, 0), (down, -1)),
        enter(shelf, (detail, 0), (down, -1), (buy, 0)),
    ]
