"""Makes the pictures of this folder from the shop itself: ``python docs/make_pictures.py``.

The last one needs a browser (``pip install 'shopsim[browser]'`` and Chromium), the Chinese one ``shopsim[zh]``.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from shopsim.benchmark_usb import make_synthetic
from shopsim.benchmark_usb.synthetic import USB_ITEMS
from shopsim.benchmark_usb.world import open_market, write_item
from shopsim.data import DataSet
from shopsim.data.records import Picture
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.envs.screens.browser import BrowserRenderer
from shopsim.envs.screens.overlay import decorate
from shopsim.envs.screens.pictures.gallery import DRAWINGS, draw_picture
from shopsim.envs.screens.renderer import Renderer
from shopsim.envs.shop import Shop

HERE = Path(__file__).parent
BACKDROP = (232, 234, 239)

Pixels = NDArray[np.uint8]


def most_colourful(dataset: DataSet) -> int:
    """The session whose first screen shows the most different things, in the strongest colours."""
    paint = Renderer(dataset, 80, 152)

    def colour(row: int) -> tuple[int, float]:
        shop = human.open_shop(dataset, row)
        things = {dataset.item(card.item).picture.archetype for card in shop.cards()}
        return len(things), float(np.ptp(paint.screen(shop).astype(int), axis=2).mean())

    return max(dataset.session_rows().tolist(), key=colour)


def pages(dataset: DataSet) -> Iterator[tuple[str, Shop]]:
    """A shop on its feed, on a preview, and on both halves of a detail page, with what to call each."""
    session = most_colourful(dataset)
    feed = human.open_shop(dataset, session)
    item = max((card.item for card in feed.cards()), key=lambda row: len(dataset.item(row).reviews))
    yield "feed", feed
    for name, effects in (
        ("preview", (Action.CLICK,)),
        ("detail", (Action.ENTER_DETAIL,)),
        ("detail, scrolled", (Action.ENTER_DETAIL, Action.SCROLL_DOWN)),
    ):
        opened = human.open_shop(dataset, session)
        for effect in effects:
            opened.follow(effect, -1 if effect is Action.SCROLL_DOWN else item)
        yield name, opened


def side_by_side(pictures: Sequence[Pixels]) -> Image.Image:
    """Pictures of one height in a row."""
    return Image.fromarray(np.hstack(pictures))


def on_sale() -> dict[str, Picture]:
    """A picture of each archetype, as a shop of USB's size sells it."""
    market = open_market(USB_ITEMS, 0)
    found: dict[str, Picture] = {}
    for row in np.random.default_rng(0).permutation(USB_ITEMS).tolist():
        picture = write_item(market.world, market.goods, row, "en").picture
        found.setdefault(picture.archetype, picture)
        if len(found) == len(DRAWINGS):
            break
    return found


def contact_sheet(columns: int = 24, side: int = 64) -> Image.Image:
    """Every archetype once."""
    pictures = on_sale()
    sheet = Image.new("RGB", (columns * side, math.ceil(len(DRAWINGS) / columns) * side), BACKDROP)
    for i, archetype in enumerate(sorted(DRAWINGS)):
        picture = pictures.get(archetype, Picture(archetype, color="#3f7f4a"))
        sheet.paste(draw_picture(picture, side, side), (i % columns * side, i // columns * side))
    return sheet


def in_phones(dataset: DataSet, theme: str) -> Image.Image:
    """The pages of a data set, each in a phone."""
    paint = Renderer(dataset, theme=theme)
    return side_by_side([decorate(paint.screen(shop), caption=name) for name, shop in pages(dataset)])


def by_both_renderers(dataset: DataSet) -> Image.Image:
    """A feed and a detail page, by the fast renderer and by Chromium."""
    screens: tuple[tuple[str, Callable[[Shop], Pixels]], ...]
    fast, browser = Renderer(dataset), BrowserRenderer(dataset)
    screens = ("fast", fast.screen), ("browser", browser.screen)
    shown = [shop for name, shop in pages(dataset) if name in ("feed", "detail, scrolled")]
    row = [decorate(paint(shop), caption=name) for shop in shown for name, paint in screens]
    browser.close()
    return side_by_side(row)


def main() -> None:
    """Writes all pictures."""
    dataset = DataSet.bundled()
    in_phones(dataset, "light").save(HERE / "pages.png", optimize=True)
    contact_sheet().save(HERE / "contact-sheet.png", optimize=True)
    with TemporaryDirectory() as folder:
        make_synthetic(Path(folder) / "zh", sessions=30, locale="zh")
        in_phones(DataSet.open(Path(folder) / "zh"), "dark").save(HERE / "pages-zh-dark.png", optimize=True)
    by_both_renderers(dataset).save(HERE / "renderers.png", optimize=True)


if __name__ == "__main__":
    main()
