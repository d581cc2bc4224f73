"""What one environment's screens look like: as pixels, as text, and as frames for people to watch. Ours."""

import io
from collections.abc import Hashable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.envs import human
from shopsim.envs.infos import VisibleItem, visible_items
from shopsim.envs.screens.pages import page_model, screen_key
from shopsim.envs.screens.text_view import text_view
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Event

if TYPE_CHECKING:
    from shopsim.envs.screens.choice import RendererChoice, ScreenRenderer
    from shopsim.envs.window import Window


class Look(NamedTuple):
    """What a screen shows, apart from its pixels. Immutable, so that it can be handed out again."""

    items: tuple[VisibleItem, ...]
    text: str


class View:
    """The screens of shops over one data set.

    Args:
        dataset: The data set.
        size: Width and height of the screen in pixels.
        theme: ``light`` or ``dark``.
        renderer: Which renderer draws what is not recorded.
        pictures: Folder of images in the place of drawn pictures, or None.
    """

    def __init__(
        self,
        dataset: DataSet,
        size: tuple[int, int],
        theme: str,
        renderer: "RendererChoice" = "fast",
        pictures: str | Path | None = None,
    ) -> None:
        self._dataset = dataset
        self._renderer, self._pictures = renderer, pictures
        self._size = size[0], size[1]
        self._theme = theme
        self._looks: dict[Hashable, Look] = {}
        self._recorded: dict[Hashable, str] = {}

    def begin(self, session_row: int) -> None:
        """Forgets the session before and looks up the recorded screens of this one."""
        # Looks too: in another session the same card may stand elsewhere in the feed.
        self._looks.clear()
        self._recorded.clear()
        if self._dataset.n_screens:
            shop = human.open_shop(self._dataset, session_row)
            steps = zip(self._dataset.effects(session_row), self._dataset.screen_ids(session_row), strict=True)
            for (effect, item), screen_id in steps:
                if screen_id is not None:
                    self._recorded.setdefault(screen_key(shop), screen_id)
                shop.follow(effect, item)
        if "renderer" in self.__dict__:
            self.renderer.begin()

    @cached_property
    def renderer(self) -> "ScreenRenderer":
        """The renderer; it loads Pillow, so it is made on first use.

        Raises:
            InputError: What was asked for cannot be drawn.
        """
        from shopsim.envs.screens.choice import make_renderer

        return make_renderer(self._dataset, self._size, self._theme, self._renderer, self._pictures)

    @cached_property
    def _window(self) -> "Window | None":
        try:
            from shopsim.envs.window import open_window
        except ImportError:  # many servers have a Python without Tk
            return None
        return open_window()

    def look(self, shop: Shop) -> Look:
        """Items and text of the current screen, made once a session."""
        key = screen_key(shop)
        if key not in self._looks:
            text = text_view(page_model(self._dataset, shop))
            self._looks[key] = Look(visible_items(self._dataset, shop), text)
        return self._looks[key]

    def source(self, shop: Shop) -> str:
        """Where the current screen's pixels come from: ``recorded`` or ``renderer``."""
        return "recorded" if screen_key(shop) in self._recorded else "renderer"

    def pixels(self, shop: Shop) -> NDArray[np.uint8]:
        """The current screen, a fresh array (height, width, 3): as recorded where the data set has it, else drawn.

        A recorded screen of another size is resampled.
        """
        screen_id = self._recorded.get(screen_key(shop))
        if screen_id is None:
            return self.renderer.screen(shop)
        from PIL import Image

        with Image.open(io.BytesIO(self._dataset.screen(screen_id))) as image:
            shown = image.convert("RGB")
        if shown.size != self._size:
            shown = shown.resize(self._size, Image.Resampling.LANCZOS)
        return np.array(shown)

    def frame(self, shop: Shop, event: Event | None) -> NDArray[np.uint8]:
        """The phone, with the last touch and action."""
        from shopsim.envs.screens.overlay import decorate

        return decorate(self.pixels(shop), event.point if event else None, _caption(event))

    def page_of_text(self, shop: Shop, event: Event | None) -> str:
        """The text view under a line that says what was done last."""
        return f"{_caption(event)}\n{self.look(shop).text}"

    def show(self, shop: Shop, event: Event | None) -> None:
        """Shows the phone in a window; without a display, prints the text view."""
        if self._window is None:
            print(self.page_of_text(shop, event), flush=True)
        else:
            self._window.show(self.frame(shop, event))

    def close(self) -> None:
        """Closes the window and the browser, where there is one."""
        if "renderer" in self.__dict__:
            self.renderer.close()
        if "_window" in self.__dict__ and self._window is not None:
            self._window.close()


def _caption(event: Event | None) -> str:
    if event is None:
        return "start"
    asked = event.action.label if event.action is not None else "no action"
    return f"{event.step + 1}. {asked}" + (f" ({event.invalid})" if event.invalid else "")
