"""What one environment's screens look like: as pixels, as text, and as frames for people to watch. Ours."""

import io
from collections import deque
from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.envs import human
from shopsim.envs.infos import ItemNames, screen_info
from shopsim.envs.screens.pages import screen_key
from shopsim.envs.screens.text_view import TextView
from shopsim.envs.shop import Aisle, Place, Shop
from shopsim.envs.trajectory import Event, Trajectory

if TYPE_CHECKING:
    from shopsim.envs.screens.choice import RendererChoice, ScreenRenderer
    from shopsim.envs.screens.renderer import Renderer
    from shopsim.envs.window import Window


class Look(NamedTuple):
    """What a screen shows, apart from its pixels; kept, so copy before changing it."""

    info: dict[str, Any]
    """What `screen_info` says; its values are immutable."""
    mask: NDArray[np.bool_]
    """Which actions some point makes effective here."""
    screen_id: str | None
    """The recorded screen that shows here, if there is one."""


class View:
    """The screens of shops over one data set.

    Views of one process over the same data, size and theme share what they draw and write.

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
        pictures: str | PathLike[str] | None = None,
    ) -> None:
        self._dataset = dataset
        self._renderer, self._pictures = renderer, pictures
        self._size = size[0], size[1]
        self._theme = theme
        self.names: ItemNames = self._share(lambda: ItemNames(dataset), "names")
        self.person: Callable[[int], Trajectory] = self._share(lambda: _replays(dataset), "persons")
        """Gives what the recorded person did in a session, by its row; one object for all who ask."""
        self.aisle: Callable[[int, int], Aisle] = self._share(lambda: _aisles(dataset), "aisles")
        """Gives the recorded feed of a session, by its row and the distance of one scroll."""
        self._texts: TextView = self._share(lambda: TextView(dataset), "texts")
        self._looks: dict[Place, Look] = {}
        self._deals = 0
        """The shop's deals at which `_looks` were taken; each changes what shows."""
        self._recorded: dict[Hashable, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self._dataset, self._size, self._theme, self._renderer, self._pictures
        return View, arguments, {"_recorded": self._recorded}  # the rest is drawn and written again

    def begin(self, session_row: int) -> None:
        """Forgets the session before and looks up the recorded screens of this one."""
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

        settings = self._size, self._theme, self._renderer, self._pictures
        if self._renderer != "fast":  # a browser's page shows one session
            return make_renderer(self._dataset, *settings)
        made: Renderer = self._share(lambda: make_renderer(self._dataset, *settings), settings)
        made.serve(self)
        _latest.append(made)
        return made

    @cached_property
    def _window(self) -> "Window | None":
        try:
            from shopsim.envs.window import open_window
        except ImportError:  # many servers have a Python without Tk
            return None
        return open_window()

    def look(self, shop: Shop) -> Look:
        """What the current screen shows; put together when it first shows in a session."""
        if shop.deals != self._deals:
            self._looks.clear()
            self._deals = shop.deals
        look = self._looks.get(shop.place)
        if look is None:
            screen_id = self._recorded.get(screen_key(shop)) if self._recorded else None
            source = "renderer" if screen_id is None else "recorded"
            info = screen_info(shop, self.names, self._texts.screen(shop), source)
            look = self._looks[shop.place] = Look(info, _mask(*shop.action_mask()), screen_id)
        return look

    def pixels(self, shop: Shop, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """The current screen: as recorded where the data set has it, else drawn.

        A recorded screen of another size is resampled.

        Args:
            shop: What is shown.
            out: Where it goes (height, width, 3); None for a fresh array.
        """
        screen_id = self.look(shop).screen_id if self._recorded else None
        if screen_id is None:
            return self.renderer.screen(shop, out)
        from PIL import Image

        with Image.open(io.BytesIO(self._dataset.screen(screen_id))) as image:
            shown = image.convert("RGB")
        if shown.size != self._size:
            shown = shown.resize(self._size, Image.Resampling.LANCZOS)
        if out is None:
            return np.array(shown)
        out[:] = np.asarray(shown)
        return out

    def frame(self, shop: Shop, event: Event | None) -> NDArray[np.uint8]:
        """The phone, with the last touch and action."""
        from shopsim.envs.screens.overlay import decorate

        return decorate(self.pixels(shop), event.point if event else None, _caption(event))

    def page_of_text(self, shop: Shop, event: Event | None) -> str:
        """The text view under a line that says what was done last."""
        return f"{_caption(event)}\n{self.look(shop).info['text']}"

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

    def _share(self, make: Callable[[], Any], *kind: Hashable) -> Any:
        """What another view of the same data uses already, else what `make` makes."""
        key = self._dataset.folder, self._dataset.hash, *kind
        found = _in_use.get(key)
        if found is None:
            found = _in_use[key] = make()
        return found


def _replays(dataset: DataSet) -> Callable[[int], Trajectory]:
    return lru_cache(maxsize=1024)(lambda session_row: human.replay(dataset, session_row))


def _aisles(dataset: DataSet) -> Callable[[int, int], Aisle]:
    def lay_out(session_row: int, scroll_step: int) -> Aisle:
        return Aisle(dataset, dataset.feed(session_row).tolist(), scroll_step)

    return lru_cache(maxsize=256)(lay_out)


@lru_cache(maxsize=256)
def _mask(*possible: bool) -> NDArray[np.bool_]:
    return np.array(possible)


_in_use: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_latest: deque["Renderer"] = deque(maxlen=1)
"""Outlives who drew with it: whoever plays batch after batch makes new environments for each, over the same cards."""


def _caption(event: Event | None) -> str:
    if event is None:
        return "start"
    asked = event.action.label if event.action is not None else "no action"
    return f"{event.step + 1}. {asked}" + (f" ({event.invalid})" if event.invalid else "")
