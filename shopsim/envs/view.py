"""What one environment's screens look like: as pixels, as text, and as frames for people to watch. Ours."""

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.envs.infos import VisibleItem, visible_items
from shopsim.envs.screens.pages import page_model, screen_key
from shopsim.envs.screens.text_view import text_view
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Event

if TYPE_CHECKING:
    from shopsim.envs.screens.renderer import Renderer
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
    """

    def __init__(self, dataset: DataSet, size: tuple[int, int], theme: str) -> None:
        self._dataset = dataset
        self._size = size
        self._theme = theme
        self._looks: dict[Hashable, Look] = {}

    @cached_property
    def renderer(self) -> "Renderer":
        """The renderer; it loads Pillow, so it is made on first use.

        Raises:
            InputError: The size or the theme cannot be drawn.
        """
        from shopsim.envs.screens.renderer import Renderer

        width, height = self._size
        return Renderer(self._dataset, width, height, self._theme)

    @cached_property
    def _window(self) -> "Window | None":
        from shopsim.envs.window import open_window

        return open_window()

    def look(self, shop: Shop) -> Look:
        """Items and text of the current screen, kept until `forget`."""
        key = screen_key(shop)
        if key not in self._looks:
            text = text_view(page_model(self._dataset, shop))
            self._looks[key] = Look(visible_items(self._dataset, shop), text)
        return self._looks[key]

    def forget(self) -> None:
        """Drops what `look` kept; needed between sessions, where the same card may stand elsewhere in the feed."""
        self._looks.clear()

    def frame(self, shop: Shop, event: Event | None) -> NDArray[np.uint8]:
        """The phone, with the last touch and action."""
        from shopsim.envs.screens.overlay import decorate

        return decorate(self.renderer.screen(shop), event.point if event else None, _caption(event))

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
        """Closes the window, if there is one."""
        if "_window" in self.__dict__ and self._window is not None:
            self._window.close()


def _caption(event: Event | None) -> str:
    if event is None:
        return "start"
    asked = event.action.label if event.action is not None else "no action"
    return f"{event.step + 1}. {asked}" + (f" ({event.invalid})" if event.invalid else "")
