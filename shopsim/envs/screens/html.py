"""The page model as HTML and CSS: what `browser` shows (SPEC 2.3).

Every box of the layout becomes a positioned element, each of its edges rounded to a whole pixel as in the fast
renderer. Texts are escaped and the page runs no script, so a title may hold anything.
"""

from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.screens import fonts
from shopsim.envs.screens.icons import ICONS, icon_svg
from shopsim.envs.screens.pages import Element
from shopsim.envs.screens.scale import Scale
from shopsim.envs.screens.theme import Theme

PictureLink = Callable[[Element, int, int], str]
"""Gives the address of an element's picture at a width and height in pixels."""

_TOP = Box("top", 0, 0, layout.WIDTH, layout.TOP)
_VIEW = Box("view", 0, layout.TOP, layout.WIDTH, layout.VIEWPORT)
_BOTTOM = Box("bottom", 0, layout.BOTTOM, layout.WIDTH, layout.HEIGHT - layout.BOTTOM)


@cache
def _templates() -> Environment:
    loader = PackageLoader("shopsim.envs.screens")
    return Environment(loader=loader, autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True)


class Html:
    """Writes screens of one size and theme.

    Args:
        width, height: Size of the screen in pixels.
        theme: The colours.
        locale: Language of the texts.
        picture: Where the picture of an element is.
    """

    def __init__(self, width: int, height: int, theme: Theme, locale: str, picture: PictureLink) -> None:
        self._size = width, height
        self._theme = theme
        self._locale = locale
        self._picture = picture
        self._scale = Scale(width / layout.WIDTH, height / layout.HEIGHT)

    def document(self) -> str:
        """The page without content: fonts, colours, rules. What `screen` writes goes into its body."""
        width, height = self._size
        css = (
            _templates()
            .get_template("page.css")
            .render(
                width=width,
                height=height,
                scale=self._scale,
                colors={name.replace("_", "-"): color for name, color in self._theme._asdict().items()},
                weights={"regular": fonts.REGULAR, "medium": fonts.MEDIUM, "bold": fonts.BOLD},
                faces=fonts.faces(),
                icons={name: quote(icon_svg(name)) for name in ICONS},
            )
        )
        # The letters of Chinese, Japanese and Korean share their codes; the language chooses the form.
        language = "zh-Hans" if self._locale.startswith("zh") else self._locale
        return _templates().get_template("page.html").render(style=Markup(css), language=language)

    def screen(self, top: Sequence[Element], content: Sequence[Element], bottom: Sequence[Element]) -> str:
        """The body of the page: a bar, what scrolls under it, and the bar below."""
        parts = ("header", _TOP, top), ("main", _VIEW, content), ("footer", _BOTTOM, bottom)
        # The bars come after what they cover.
        order = sorted(parts, key=lambda part: part[0] != "main")
        screen = _templates().get_template("screen.html")
        return screen.render(parts=order, place=self._place, picture=self._link)

    def _place(self, box: Box, parent: Box | None = None) -> str:
        """Left, top, width, height as CSS: whole pixels, each edge rounded by itself."""
        x, y = self._scale.x, self._scale.y
        left, top = (x(parent.x), y(parent.y)) if parent else (0, 0)
        width, height = x(box.x + box.w) - x(box.x), y(box.y + box.h) - y(box.y)
        return f"left: {x(box.x) - left}px; top: {y(box.y) - top}px; width: {width}px; height: {height}px"

    def _link(self, element: Element) -> str:
        x, y, box = self._scale.x, self._scale.y, element.box
        return self._picture(element, x(box.x + box.w) - x(box.x), y(box.y + box.h) - y(box.y))
