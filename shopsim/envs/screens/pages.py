"""The page model: what a screen holds, as boxes with content (SPEC 2.3).

Every position on a page comes from `shopsim.envs.layout`; where things sit *inside* a card is decided here.
Renderers draw these elements and the text view writes them, so all of them show the same.
"""

from math import ceil
from typing import NamedTuple, Protocol

from shopsim.data.records import Item, Picture
from shopsim.data.vocabulary import Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.screens.lines import break_lines, text_width
from shopsim.envs.screens.offers import discount, old_price
from shopsim.envs.screens.words import Words, count, money, words_of
from shopsim.envs.shop import Shop

CLOCK = "9:41"
"""What the status bar shows, always: no screen depends on the time."""

# Type sizes in logical units.
TITLE_SIZE, PRICE_SIZE, SMALL_SIZE = 12, 16, 10
PAGE_TITLE_SIZE, PAGE_PRICE_SIZE, PAGE_OLD_PRICE_SIZE, HEADING_SIZE, TEXT_SIZE = 15, 22, 13, 14, 12
TITLE_LINE, PAGE_TITLE_LINE, TEXT_LINE = 16, 19, 17
REVIEW_LEAD = 26
CAP_HEIGHT = 0.73
"""Height of capital letters as a share of the type size; text is centred by it."""
DECIMALS = 0.68
"""Size of a price's symbol and decimals to that of its whole units."""

_LABEL = 16
"""Height of a badge."""
# The detail page's carousel: the first picture, dots on it, and below it all pictures small.
_FIRST_PICTURE, _THUMBNAIL, _DOT = 266, 42, 5
_WALLS = ("#e9d9c6", "#cfdcd3", "#d3dae6", "#e6d3d1")

_BESTSELLER_SALES = 10_000
_TOP_RATING, _TOP_RATING_SALES = 4.8, 100


class ItemSource(Protocol):
    """What the screens need of a data set. `shopsim.data.DataSet` provides it."""

    @property
    def locale(self) -> str:
        """``en``, ``zh`` ..."""

    @property
    def currency(self) -> str:
        """ISO code of the prices' currency."""

    def item(self, row: int) -> Item:
        """The item of a row."""


class Element(NamedTuple):
    """One thing on a screen.

    `box.kind` says what it is; the box is in logical units of the screen and, where the element scrolls, may
    reach beyond the viewport.
    """

    box: Box
    lines: tuple[str, ...] = ()
    """The text as it shows, line by line. A price has one line; `money_parts` splits it."""
    size: int = 0
    """Type size in logical units."""
    line_height: int = 0
    """Height of a line; 0 where one line has the whole box."""
    lead: int = 0
    """Room above the first line (a review's stars stand there)."""
    picture: Picture | None = None
    rating: float | None = None
    """Mean stars (1-5) where stars show."""
    active: bool = True
    """False for a button that does nothing now; of the tabs, the one that is open is active."""
    badge: str = ""
    """Text of the small red bubble on a cart icon."""
    money_parts: tuple[str, str, str] | None = None
    """Symbol, whole units, decimals of a price: they are set in different sizes."""
    children: tuple["Element", ...] = ()

    @property
    def kind(self) -> str:
        """What this is, for example ``card``, ``title``, ``add_to_cart``."""
        return self.box.kind


def screen_key(shop: Shop) -> tuple[object, ...]:
    """A hashable name of what shows: on one data set, equal keys mean the same pixels and the same text."""
    if shop.page is Page.FEED:
        return (Page.FEED, len(shop.cart), *((box.item, box.x, box.y) for box in shop.whole_cards()))
    item = shop.item
    return shop.page, len(shop.cart), shop.scroll, item, item in shop.carted, item in shop.bought


def page_model(dataset: ItemSource, shop: Shop) -> tuple[Element, ...]:
    """Everything that shows on the shop's current screen, from top to bottom."""
    words = words_of(dataset.locale)
    bars = top_bar(words, shop.page, len(shop.cart)), bottom_bar(words, shop)
    return (*bars[0], *content(dataset, shop), *bars[1])


def content(dataset: ItemSource, shop: Shop) -> tuple[Element, ...]:
    """What shows between the bars, in whole: what the bars cover in part reaches under them."""
    if shop.page is Page.FEED:
        return tuple(card(dataset, box) for box in shop.whole_cards())
    return page_content(dataset, shop.page, shop.item, shop.scroll)


def page_content(dataset: ItemSource, page: Page, item: int, scroll: int) -> tuple[Element, ...]:
    """What shows of an item's preview or detail page at a scroll offset."""
    if page is Page.PREVIEW:
        return preview(dataset, item)
    shown = detail(dataset, item, layout.TOP - scroll)
    return tuple(e for e in shown if e.box.y + e.box.h > layout.TOP and e.box.y < layout.BOTTOM)


def top_bar(words: Words, page: Page, in_cart: int) -> tuple[Element, ...]:
    """Status bar and search field or navigation bar."""
    status = Element(Box("status", 0, 0, layout.WIDTH, layout.STATUS_HEIGHT), (CLOCK,))
    if page is Page.FEED:
        return status, Element(layout.SEARCH_FIELD, (words.search,))
    heading = Box("heading", 44, layout.STATUS_HEIGHT, layout.WIDTH - 88, layout.TOP - layout.STATUS_HEIGHT)
    return (
        status,
        Element(layout.BACK_BUTTON),
        Element(heading, (words.preview if page is Page.PREVIEW else words.detail,)),
        Element(layout.CART_ICON, badge=_bubble(in_cart)),
    )


def bottom_bar(words: Words, shop: Shop) -> tuple[Element, ...]:
    """Tabs on the feed, the two buttons elsewhere."""
    if shop.page is Page.FEED:
        return tuple(
            Element(box, (word,), active=i == 0, badge=_bubble(len(shop.cart)) if box.kind == "tab_cart" else "")
            for i, (box, word) in enumerate(zip(layout.TABS, words.tabs, strict=True))
        )
    carted, bought = shop.item in shop.carted, shop.item in shop.bought
    return (
        Element(layout.SHOP_ICON, (words.shop,)),
        Element(layout.CHAT_ICON, (words.chat,)),
        Element(layout.CART_BUTTON, (words.in_cart if carted else words.add_to_cart,), active=not carted),
        Element(layout.BUY_BUTTON, (words.bought if bought else words.purchase,), active=not bought),
    )


def card(dataset: ItemSource, box: Box) -> Element:
    """An item's card in the feed, in this box."""
    item = dataset.item(box.item)
    picture_height = box.h - layout.CARD_TEXT
    left, top, room = box.x + 8, box.y + picture_height, box.w - 16
    parts = [Element(Box("picture", box.x, box.y, box.w, picture_height), picture=item.picture)]
    parts += _labels(left - 2, box.y + 6, box.x + box.w - 6, item, dataset.locale)
    title = break_lines(item.title, room, TITLE_SIZE, 2)
    parts.append(Element(Box("title", left, top + 6, room, 2 * TITLE_LINE), title, TITLE_SIZE, TITLE_LINE))
    parts += _prices(Box("price", left, top + 39, room, 20), item, dataset, PRICE_SIZE, SMALL_SIZE)
    parts.append(_meta(Box("meta", left, top + 60, room, 13), item, dataset.locale, SMALL_SIZE))
    if shop := break_lines(item.shop or "", room - 14, SMALL_SIZE, 1):
        parts.append(Element(Box("shop", left, top + 75, room, 13), shop, SMALL_SIZE))
    return Element(box, children=tuple(parts))


def preview(dataset: ItemSource, row: int) -> tuple[Element, ...]:
    """What the preview of an item shows between the bars."""
    item = dataset.item(row)
    words = words_of(dataset.locale)
    title = break_lines(item.title, layout.PREVIEW_TITLE.w, PAGE_TITLE_SIZE, 2, bold=True)
    return (
        Element(layout.PREVIEW_PICTURE, picture=item.picture),
        *_price_row(layout.PREVIEW_PRICE, item, dataset),
        Element(layout.PREVIEW_TITLE, title, PAGE_TITLE_SIZE, PAGE_TITLE_LINE),
        _meta(layout.PREVIEW_META, item, dataset.locale, TEXT_SIZE),
        *([Element(layout.PREVIEW_SHOP, shop, TEXT_SIZE)] if (shop := _one_line(item.shop, 270)) else []),
        Element(layout.DETAILS_BUTTON, (words.details,)),
    )


def detail(dataset: ItemSource, row: int, offset: int = 0) -> tuple[Element, ...]:
    """The whole content of an item's detail page; `offset` is where it starts on the screen."""
    item = dataset.item(row)
    words = words_of(dataset.locale)

    def at(box: Box) -> Box:
        return box._replace(y=box.y + offset)

    title = break_lines(item.title, layout.DETAIL_TITLE.w, PAGE_TITLE_SIZE, 3, bold=True)
    elements = [
        _carousel(at(layout.DETAIL_PICTURE), item.picture),
        *_price_row(at(layout.DETAIL_PRICE), item, dataset),
        Element(at(layout.DETAIL_TITLE), title, PAGE_TITLE_SIZE, PAGE_TITLE_LINE),
        _meta(at(layout.DETAIL_META), item, dataset.locale, TEXT_SIZE),
        Element(at(layout.DETAIL_SHOP), _one_line(item.shop, 220) + _one_line(item.brand, 220), TEXT_SIZE),
    ]
    attributes = list(item.attributes.items())
    for box in map(at, layout.detail_sections(len(attributes), len(item.reviews))):
        room = box.w
        if box.kind == "attributes_header":
            heading = words.attributes if attributes else words.no_attributes
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "attribute":
            name, value = attributes[box.slot]
            pair = (break_lines(name, 92, TEXT_SIZE, 1) or ("-",)) + break_lines(value, room - 112, TEXT_SIZE, 1)
            elements.append(Element(box, pair, TEXT_SIZE))
        elif box.kind == "description_header":
            heading = words.description if item.description else words.no_description
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "description":
            elements.append(Element(box, break_lines(item.description, room, TEXT_SIZE, 4), TEXT_SIZE, TEXT_LINE))
        elif box.kind == "reviews_header":
            heading = f"{words.reviews} ({len(item.reviews)})" if item.reviews else words.no_reviews
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "review":
            review = item.reviews[box.slot]
            lines = break_lines(review.text, room, TEXT_SIZE, 2)
            elements.append(Element(box, lines, TEXT_SIZE, TEXT_LINE, REVIEW_LEAD, rating=review.rating))
    return tuple(elements)


def _one_line(text: str | None, width: float) -> tuple[str, ...]:
    return break_lines(text or "", width, TEXT_SIZE, 1)


def _carousel(box: Box, picture: Picture) -> Element:
    """The pictures of a detail page. No action turns them: the first one is open, the others show small."""
    shots = pictures_of(picture)
    if len(shots) == 1:
        return Element(box, picture=picture)
    left = box.x + (box.w - (2 * len(shots) - 1) * _DOT) // 2
    top, gap = box.y + _FIRST_PICTURE, (box.h - _FIRST_PICTURE - _THUMBNAIL) // 2
    return Element(
        box,
        (f"1 of {len(shots)}",),
        children=(
            Element(box._replace(h=_FIRST_PICTURE), picture=picture),
            *(
                Element(Box("dot", left + 2 * i * _DOT, top - 2 * _DOT, _DOT, _DOT), active=i == 0)
                for i in range(len(shots))
            ),
            *(
                Element(
                    Box("thumbnail", box.x + 12 + i * (_THUMBNAIL + 8), top + gap, _THUMBNAIL, _THUMBNAIL),
                    picture=shot,
                    active=i == 0,
                )
                for i, shot in enumerate(shots)
            ),
        ),
    )


def pictures_of(picture: Picture) -> tuple[Picture, ...]:
    """What an item's carousel holds: the picture, the same thing in other light, and what it is made of or comes in.

    A photo stands alone.
    """
    if picture.file is not None:
        return (picture,)
    lit = picture._replace(background=_WALLS[picture.seed % len(_WALLS)], lighting="warm")
    close = "swatch" if picture.material or picture.pattern != "plain" else "parcel"
    return picture, lit, picture._replace(archetype=close)


def _price_row(box: Box, item: Item, dataset: ItemSource) -> list[Element]:
    """Prices and badges of a preview or detail page."""
    row = _prices(box, item, dataset, PAGE_PRICE_SIZE, PAGE_OLD_PRICE_SIZE)
    last = row[-1]
    end = last.box.x + (last.box.w if len(row) > 1 else _price_width(last))
    return row + _labels(end + 8, box.y + (box.h - _LABEL) // 2 + 2, box.x + box.w, item, dataset.locale)


def _prices(box: Box, item: Item, dataset: ItemSource, size: int, old_size: int) -> list[Element]:
    """The price and, where the item is on sale and there is room, what it cost before, on the same baseline."""
    parts = money(item.price, dataset.currency)
    price = Element(box, ("".join(parts),), size, money_parts=parts)
    if (width := _price_width(price)) > box.w:
        return [price._replace(size=size * box.w // width)]
    before = old_price(item)
    if before is None:
        return [price]
    old = "".join(money(before, dataset.currency)).removesuffix(".00")
    x, old_width = box.x + width + 6, round(text_width(old, old_size))
    if x + old_width > box.x + box.w:
        return [price]
    lower = round((size - old_size) * CAP_HEIGHT)
    return [price, Element(Box("old_price", x, box.y + lower, old_width, box.h - lower), (old,), old_size)]


def _price_width(price: Element) -> int:
    assert price.money_parts is not None
    shares = DECIMALS, 1.0, DECIMALS
    return round(sum(text_width(p, price.size * s, bold=True) for p, s in zip(price.money_parts, shares, strict=True)))


def _labels(x: int, y: int, end: int, item: Item, locale: str) -> list[Element]:
    """The discount and the badge, as far as there is room for them."""
    words, before = words_of(locale), old_price(item)
    said = (
        ("deal", discount(item.price, before, locale) if before is not None else ""),
        ("badge", _badge(item, words)),
    )
    labels = []
    for kind, text in said:
        width = round(text_width(text, SMALL_SIZE, bold=True)) + 10
        if text and x + width <= end:
            labels.append(Element(Box(kind, x, y, width, _LABEL), (text,), SMALL_SIZE))
            x += width + 4
    return labels


def _meta(box: Box, item: Item, locale: str, size: int) -> Element:
    """Rating and sales; each only where the item has it."""
    stars = 0 if item.rating is None else 5 * size + 3 + ceil(text_width("5.0", size, bold=True)) + 7
    sold = "" if item.sales is None else words_of(locale).sold.format(count(item.sales, locale))
    return Element(box, break_lines(sold, box.w - stars, size, 1), size, rating=item.rating)


def _badge(item: Item, words: Words) -> str:
    sales, rating = item.sales or 0, item.rating or 0.0
    if sales >= _BESTSELLER_SALES:
        return words.bestseller
    return words.top_rated if rating >= _TOP_RATING and sales >= _TOP_RATING_SALES else ""


def _bubble(number: int) -> str:
    return "" if number == 0 else str(number) if number < 100 else "99+"
