"""The browser renderer: Chromium shows the page model as HTML and CSS (SPEC 2.3).

For realism, and for screenshots to ship; some hundred times slower than the fast renderer.
"""

import base64
import io
from functools import lru_cache

import numpy as np
from PIL import Image

from shopsim.data.records import Picture
from shopsim.envs import layout
from shopsim.envs.screens import pages
from shopsim.envs.screens.choice import Chromium
from shopsim.envs.screens.chromium import Tab
from shopsim.envs.screens.html import Html
from shopsim.envs.screens.pages import Element
from shopsim.envs.screens.pictures.gallery import picture_image
from shopsim.envs.screens.renderer import DrawableSource, Pixels, require_drawable
from shopsim.envs.screens.theme import theme_of
from shopsim.envs.screens.words import words_of
from shopsim.envs.shop import Shop
from shopsim.errors import EnvironmentFault

_KEPT_PICTURES = 256


class BrowserRenderer:
    """Draws the screens of shops over one data set in Chromium.

    Every episode has a browser context of its own. After an `EnvironmentFault` only `begin` helps.

    Args:
        dataset: Where items come from.
        width, height: Size of the screen in pixels.
        theme: ``light`` or ``dark``.
        chromium: Which browser, and how long it may take.

    Raises:
        InputError: A size or theme that does not exist, no browser, or no font for the data set's locale.
    """

    def __init__(
        self,
        dataset: DrawableSource,
        width: int = layout.WIDTH,
        height: int = layout.HEIGHT,
        theme: str = "light",
        chromium: Chromium | None = None,
    ) -> None:
        require_drawable(dataset, width, height)
        self.width, self.height = width, height
        self._chromium = chromium or Chromium()
        self._chromium.find()
        self._dataset = dataset
        self._words = words_of(dataset.locale)
        self._html = Html(width, height, theme_of(theme), dataset.locale, self._picture)
        self._encoded = lru_cache(_KEPT_PICTURES)(self._encode)
        self._tab: Tab | None = None

    def begin(self) -> Tab:
        """Opens a fresh context for an episode and closes the one before.

        Raises:
            EnvironmentFault: The browser does not start or does not open a page.
        """
        before = self._tab
        try:
            self._tab = Tab(self._chromium, self._html.document(), self.width, self.height)
        finally:
            if before is not None:
                before.close()
        return self._tab

    def screen(self, shop: Shop, out: Pixels | None = None) -> Pixels:
        """What the phone shows now (height, width, 3): in `out`, or in a fresh array of uint8.

        Raises:
            EnvironmentFault: The browser is gone, or takes too long.
        """
        tab = self._tab or self.begin()
        html = self._html.screen(
            pages.top_bar(self._words, shop.page, len(shop.cart)),
            pages.content(self._dataset, shop),
            pages.bottom_bar(self._words, shop),
        )
        with Image.open(io.BytesIO(tab.show(html))) as image:
            if image.size != (self.width, self.height):
                raise EnvironmentFault(
                    f"the browser drew {image.width}x{image.height} pixels in place of {self.width}x{self.height}"
                )
            drawn = np.array(image.convert("RGB"))
        if out is None:
            return drawn
        out[:] = drawn
        return out

    def close(self) -> None:
        """Closes the context; again does nothing."""
        if self._tab is not None:
            self._tab.close()

    def _picture(self, element: Element, width: int, height: int) -> str:
        assert element.picture is not None
        return self._encoded(element.picture, width, height)

    def _encode(self, picture: Picture, width: int, height: int) -> str:
        file = io.BytesIO()
        picture_image(self._dataset.path, picture, width, height).save(file, "PNG", compress_level=1)
        return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
