"""A screen as text: what an agent without eyes reads (SPEC 2.2).

An indented accessibility tree of what can be seen and no more: what is cut off by the edge of the viewport
is left out, a title ends where it ends on the card, and pictures stay pictures (colour, pattern and shape are for
those who look). What reacts carries the middle of its visible part in thousandths of the screen, in the wire
format of an answer's point.
"""

from collections.abc import Iterator, Sequence

from shopsim.envs.layout import BOTTOM, BUTTONS, TOP, Box
from shopsim.envs.screens.lines import joined
from shopsim.envs.screens.pages import Element

_BUTTONS = frozenset(box.kind for buttons in BUTTONS.values() for box in buttons)
_BARS = frozenset({"search", "heading", "cart_icon", "shop_icon", "chat_icon"})
_QUOTED = frozenset({"title", "description", "review", "search", "heading", "icon"})
_NAMES = {"meta": "rating", "cart_icon": "cart", "shop_icon": "icon", "chat_icon": "icon"}
"""What kinds are called here, where their own name says little."""
_MOSTLY = 0.6
"""A line or a picture counts as seen when this share of it shows."""


def text_view(elements: Sequence[Element]) -> str:
    """The elements of a page model as text, one thing a line, parts indented under their whole.

    For example::

        search "Search products"
        card [250, 272] partly hidden
          picture
          title "Organic cotton crew-neck"
    """
    return "\n".join(line for element in elements for line in _written(element))


def _written(element: Element) -> Iterator[str]:
    box, kind = element.box, element.kind
    name = "heading" if kind.endswith("_header") else _NAMES.get(kind, kind)
    if kind == "card":
        yield f"card {_point(box.clipped())}" + (" partly hidden" if box.clipped().h < box.h else "")
        for part in element.children:
            yield from ("  " + line for line in _written(part))
    elif kind in _BUTTONS:
        text = f'"{element.lines[0]}"' if element.lines else name
        yield f"button {text} {_point(box)}" + ("" if element.active else " disabled")
    elif kind.startswith("tab_"):
        yield f'tab "{element.lines[0]}"' + _bubble(element) + (" selected" if element.active else "")
    elif kind == "picture":
        if _seen(box.y, box.h):
            yield name
    elif kind != "status" and (text := _text(element, name) + _bubble(element)):
        yield f"{name} {text.strip()}"


def _text(element: Element, name: str) -> str:
    """The stars and lines that show."""
    box, kind = element.box, element.kind
    height = element.line_height or box.h
    tops = [box.y + element.lead + i * element.line_height for i in range(len(element.lines))]
    lines = [line for line, top in zip(element.lines, tops, strict=True) if kind in _BARS or _seen(top, height)]
    text = []
    if element.rating is not None and _seen(box.y, element.lead or box.h):
        text.append(f"{round(element.rating, 1)} stars")
    if name in _QUOTED and lines:
        text.append(f'"{joined(lines)}"')
    else:
        text += lines
    return (": " if kind == "attribute" else ", ").join(text)


def _bubble(element: Element) -> str:
    return f" ({element.badge})" if element.badge else ""


def _seen(top: float, height: float) -> bool:
    return min(top + height, BOTTOM) - max(top, TOP) >= _MOSTLY * height


def _point(box: Box) -> str:
    x, y = box.center()
    return f"[{round(1000 * x)}, {round(1000 * y)}]"
