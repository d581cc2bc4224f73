"""Paints elements of the page model with Pillow. What is painted is cached by `renderer`."""

from collections.abc import Callable

from PIL import Image

from shopsim.data.records import Picture
from shopsim.envs.screens.canvas import Canvas
from shopsim.envs.screens.fonts import BOLD, MEDIUM, REGULAR
from shopsim.envs.screens.pages import CAP_HEIGHT, DECIMALS, Element
from shopsim.envs.screens.theme import Color, Theme

PictureSource = Callable[[Picture, int, int], Image.Image]
"""Gives the image of a picture at a width and height in pixels."""

CARD_RADIUS = 8


class Painter:
    """Paints elements in one theme."""

    def __init__(self, theme: Theme, picture_source: PictureSource) -> None:
        self._theme = theme
        self._picture_source = picture_source

    def paint(self, canvas: Canvas, element: Element) -> None:
        """Paints one element, its parts included, at its box."""
        kind = element.kind
        if kind.startswith("tab_"):
            self._tab(canvas, element)
        elif kind.endswith("_header"):
            self._header(canvas, element)
        else:
            getattr(self, f"_{kind}")(canvas, element)

    # The bars

    def _status(self, canvas: Canvas, element: Element) -> None:
        box, color = element.box, self._theme.text
        canvas.text(element.lines[0], 22, _baseline(box.y, box.h, 12), 12, color, BOLD)
        for name, x in (("signal", 258), ("wifi", 276), ("battery", 297)):
            canvas.icon(name, x, box.y + box.h / 2, 18 if name == "battery" else 13, color)

    def _search(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        canvas.rounded(*_frame(element), box.h / 2, theme.field)
        canvas.icon("search", box.x + 17, box.y + box.h / 2, 15, theme.dim)
        canvas.text(element.lines[0], box.x + 30, _baseline(box.y, box.h, 12.5), 12.5, theme.faint)

    def _back(self, canvas: Canvas, element: Element) -> None:
        box = element.box
        canvas.icon("back", box.x + 20, box.y + box.h / 2, 20, self._theme.text)

    def _heading(self, canvas: Canvas, element: Element) -> None:
        box = element.box
        middle = box.x + box.w / 2
        canvas.text(element.lines[0], middle, _baseline(box.y, box.h, 15), 15, self._theme.text, MEDIUM, align=0.5)

    def _cart_icon(self, canvas: Canvas, element: Element) -> None:
        box = element.box
        cx, cy = box.x + box.w / 2 - 2, box.y + box.h / 2
        canvas.icon("cart", cx, cy, 21, self._theme.text)
        self._bubble(canvas, element.badge, cx + 10, cy - 9)

    def _tab(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        color = theme.accent if element.active else theme.dim
        middle = box.x + box.w / 2
        canvas.icon(element.kind.removeprefix("tab_"), middle, box.y + 16, 20, color)
        weight = MEDIUM if element.active else REGULAR
        canvas.text(element.lines[0], middle, box.y + 38, 9.5, color, weight, align=0.5)
        self._bubble(canvas, element.badge, middle + 11, box.y + 9)

    def _shop_icon(self, canvas: Canvas, element: Element) -> None:
        self._small_icon(canvas, element, "shop")

    def _chat_icon(self, canvas: Canvas, element: Element) -> None:
        self._small_icon(canvas, element, "chat")

    def _small_icon(self, canvas: Canvas, element: Element, icon: str) -> None:
        box, middle = element.box, element.box.x + element.box.w / 2 + 2
        canvas.icon(icon, middle, box.y + 16, 18, self._theme.dim)
        canvas.text(element.lines[0], middle, box.y + 37, 9, self._theme.dim, align=0.5)

    def _add_to_cart(self, canvas: Canvas, element: Element) -> None:
        self._button(canvas, element, self._theme.cart_button)

    def _purchase(self, canvas: Canvas, element: Element) -> None:
        self._button(canvas, element, self._theme.buy_button)

    def _button(self, canvas: Canvas, element: Element, fill: Color) -> None:
        box, theme = element.box, self._theme
        canvas.rounded(*_frame(element), box.h / 2, fill if element.active else theme.disabled)
        ink = theme.on_button if element.active else theme.on_disabled
        middle = box.x + box.w / 2
        if not element.active:
            canvas.icon("check", middle - 30, box.y + box.h / 2, 12, ink)
            middle += 7
        canvas.text(element.lines[0], middle, _baseline(box.y, box.h, 13), 13, ink, MEDIUM, align=0.5)

    def _bubble(self, canvas: Canvas, text: str, cx: float, cy: float) -> None:
        if text:
            width = 14 if len(text) == 1 else 8 + 6 * len(text)
            canvas.rounded(cx - width / 2, cy - 7, width, 14, 7, self._theme.accent)
            canvas.text(text, cx, _baseline(cy - 7, 14, 9), 9, self._theme.on_button, BOLD, align=0.5)

    # What stands on cards and pages

    def _card(self, canvas: Canvas, element: Element) -> None:
        canvas.rounded(*_frame(element), CARD_RADIUS, self._theme.surface)
        for part in element.children:
            if part.kind == "picture":
                self._picture(canvas, part, CARD_RADIUS)
            else:
                self.paint(canvas, part)

    def _picture(self, canvas: Canvas, element: Element, radius: float = 0) -> None:
        for part in element.children:  # a carousel
            self.paint(canvas, part)
        if element.children:
            return
        assert element.picture is not None
        x0, y0, x1, y1 = canvas.pixels(*_frame(element))
        image = self._picture_source(element.picture, x1 - x0, y1 - y0)
        canvas.picture(image, element.box.x, element.box.y, radius)

    def _dot(self, canvas: Canvas, element: Element) -> None:
        color = self._theme.accent if element.active else self._theme.faint
        canvas.rounded(*_frame(element), element.box.w / 2, color)

    def _thumbnail(self, canvas: Canvas, element: Element) -> None:
        x, y, w, h = _frame(element)
        canvas.rect(x - 2, y - 2, w + 4, h + 4, self._theme.accent if element.active else self._theme.hairline)
        self._picture(canvas, element)

    def _deal(self, canvas: Canvas, element: Element) -> None:
        self._label(canvas, element, self._theme.buy_button, self._theme.on_button)

    def _badge(self, canvas: Canvas, element: Element) -> None:
        self._label(canvas, element, self._theme.badge, self._theme.on_badge)

    def _label(self, canvas: Canvas, element: Element, fill: Color, ink: Color) -> None:
        box = element.box
        canvas.rounded(*_frame(element), 4, fill)
        baseline = _baseline(box.y, box.h, element.size)
        canvas.text(element.lines[0], box.x + box.w / 2, baseline, element.size, ink, MEDIUM, align=0.5)

    def _title(self, canvas: Canvas, element: Element) -> None:
        self._lines(canvas, element, self._theme.text, MEDIUM if element.size > 12 else REGULAR)

    def _price(self, canvas: Canvas, element: Element) -> None:
        assert element.money_parts is not None
        box, size, color = element.box, element.size, self._theme.price
        baseline, x = _baseline(box.y, box.h, size), float(box.x)
        for part, share in zip(element.money_parts, (DECIMALS, 1.0, DECIMALS), strict=True):
            if part:
                x += canvas.text(part, x, baseline, size * share, color, BOLD)

    def _old_price(self, canvas: Canvas, element: Element) -> None:
        box, color = element.box, self._theme.faint
        baseline = _baseline(box.y, box.h, element.size)
        canvas.text(element.lines[0], box.x, baseline, element.size, color)
        canvas.rect(box.x, box.y + box.h / 2, box.w, 1, color)

    def _meta(self, canvas: Canvas, element: Element) -> None:
        box, size, theme = element.box, element.size, self._theme
        baseline, x = _baseline(box.y, box.h, size), float(box.x)
        if element.rating is not None:
            x = self._stars(canvas, element.rating, x, box.y + box.h / 2, size) + 3
            x += canvas.text(f"{element.rating:.1f}", x, baseline, size, theme.text, MEDIUM) + 7
        for line in element.lines:
            canvas.text(line, x, baseline, size, theme.dim)

    def _stars(self, canvas: Canvas, rating: float, x: float, cy: float, size: float) -> float:
        """Five stars, filled to the nearest whole; returns where they end."""
        for i in range(5):
            color = self._theme.star if rating >= i + 0.5 else self._theme.star_empty
            canvas.icon("star", x + size / 2, cy - 0.5, size, color)
            x += size
        return x

    def _shop(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        if box.h < 40:  # a small line on a card or preview
            canvas.icon("shop", box.x + 5, box.y + box.h / 2, element.size, theme.faint)
            canvas.text(element.lines[0], box.x + 14, _baseline(box.y, box.h, element.size), element.size, theme.dim)
            return
        canvas.rect(12, box.y, box.w - 24, 1, theme.hairline)
        if element.lines:
            canvas.rounded(12, box.y + 8, 32, 32, 16, theme.badge)
            initial = element.lines[0][:1].upper()
            canvas.text(initial, 28, _baseline(box.y + 8, 32, 15), 15, theme.on_badge, BOLD, align=0.5)
            canvas.text(element.lines[0], 54, box.y + 21, 13, theme.text, MEDIUM)
            for brand in element.lines[1:]:
                canvas.text(brand, 54, box.y + 37, 11, theme.dim)
            canvas.icon("forward", box.w - 20, box.y + 24, 14, theme.faint)

    def _details(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        canvas.rounded(*_frame(element), box.h / 2, theme.accent)
        canvas.rounded(box.x + 1, box.y + 1, box.w - 2, box.h - 2, box.h / 2 - 1, theme.surface)
        middle = box.x + box.w / 2
        canvas.text(element.lines[0], middle, _baseline(box.y, box.h, 14), 14, theme.accent, MEDIUM, align=0.5)

    def _header(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        canvas.rect(0, box.y, 320, 6, theme.page)
        baseline = _baseline(box.y + 6, box.h - 6, element.size)
        canvas.text(element.lines[0], box.x, baseline, element.size, theme.text, MEDIUM)

    def _attribute(self, canvas: Canvas, element: Element) -> None:
        box, theme = element.box, self._theme
        baseline = _baseline(box.y, box.h, element.size)
        name, *value = element.lines
        canvas.text(name, box.x, baseline, element.size, theme.dim)
        if value:
            canvas.text(value[0], box.x + 112, baseline, element.size, theme.text)
        canvas.rect(box.x, box.y + box.h - 1, box.w, 1, theme.hairline)

    def _description(self, canvas: Canvas, element: Element) -> None:
        self._lines(canvas, element, self._theme.text)

    def _review(self, canvas: Canvas, element: Element) -> None:
        assert element.rating is not None
        box, theme = element.box, self._theme
        self._stars(canvas, element.rating, box.x, box.y + element.lead / 2 + 3, 12)
        self._lines(canvas, element, theme.text)
        canvas.rect(box.x, box.y + box.h - 1, box.w, 1, theme.hairline)

    def _lines(self, canvas: Canvas, element: Element, color: Color, weight: int = REGULAR) -> None:
        top = element.box.y + element.lead
        for i, line in enumerate(element.lines):
            baseline = _baseline(top + i * element.line_height, element.line_height, element.size)
            canvas.text(line, element.box.x, baseline, element.size, color, weight)


def _frame(element: Element) -> tuple[int, int, int, int]:
    return element.box.x, element.box.y, element.box.w, element.box.h


def _baseline(top: float, height: float, size: float) -> float:
    """Where text of this size stands when its capitals are centred in a row."""
    return top + (height + size * CAP_HEIGHT) / 2
