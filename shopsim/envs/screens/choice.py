"""Which renderer draws the screens: the fast one, or a browser. Importing this loads neither."""

import os
import shutil
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shopsim.envs.screens.font_files import find_package
from shopsim.envs.shop import Shop
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.envs.screens.renderer import DrawableSource

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_OWN = "~/.cache/ms-playwright/chromium-*/chrome-linux*/chrome"
"""Where ``playwright install chromium`` puts its browser."""


class Chromium(NamedTuple):
    """Which browser draws, and how long it may take.

    Attributes:
        executable: Its path; None for one that is found on this machine.
        launch_timeout: Seconds that its start may take.
        timeout: Seconds that opening a page or drawing one screen may take.
    """

    executable: str | os.PathLike[str] | None = None
    launch_timeout: float = 60.0
    timeout: float = 30.0

    def find(self) -> str:
        """Path of the browser.

        Raises:
            InputError: There is no Playwright or no Chromium.
        """
        if find_package("playwright") is None:
            raise InputError("the browser renderer needs Playwright; install it: pip install 'shopsim[browser]'")
        if self.executable is not None:
            found = shutil.which(self.executable)
            if found is None:
                raise InputError(f"{str(self.executable)!r} is no program that can be started as a browser")
            return found
        from glob import glob

        installed = (shutil.which(name) for name in _NAMES)
        for path in (*installed, *sorted(glob(os.path.expanduser(_OWN)))):
            if path:
                return path
        raise InputError(
            "there is no Chromium on this machine; install one (apt-get install chromium, or playwright install "
            "chromium) or say where it is: ShopSimEnv(renderer=Chromium(executable=...))"
        )


RendererChoice = Literal["fast", "browser"] | Chromium
"""``fast``, ``browser``, or a `Chromium` with settings of one's own."""


class ScreenRenderer(Protocol):
    """Draws screens of shops over one data set."""

    def begin(self) -> object:
        """Gets ready for the next episode."""

    def screen(self, shop: Shop, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """What the phone shows now (height, width, 3): in `out`, or in a fresh array."""

    def close(self) -> None:
        """Gives back what is held; again does nothing."""


def make_renderer(
    dataset: "DrawableSource",
    size: tuple[int, int],
    theme: str = "light",
    renderer: RendererChoice = "fast",
    pictures: str | os.PathLike[str] | None = None,
) -> ScreenRenderer:
    """Makes the renderer asked for.

    Args:
        dataset: Where items come from.
        size: Width and height of the screen in pixels.
        theme: ``light`` or ``dark``.
        renderer: Which one.
        pictures: Folder of images in the place of drawn pictures; see `PicturePack`.

    Raises:
        InputError: Something asked for does not exist, here or at all.
    """
    if pictures is not None:
        from shopsim.envs.screens.pictures.pack import PicturePack

        dataset = PicturePack(dataset, pictures)
    if renderer == "fast":
        from shopsim.envs.screens.paint_cache import user_folder
        from shopsim.envs.screens.renderer import Renderer

        return Renderer(dataset, *size, theme, cache=user_folder())
    from shopsim.envs.screens.browser import BrowserRenderer

    if renderer == "browser":
        renderer = Chromium()
    if not isinstance(renderer, Chromium):
        raise InputError(f"renderer is {renderer!r}; it must be 'fast', 'browser' or a Chromium")
    return BrowserRenderer(dataset, *size, theme, renderer)
