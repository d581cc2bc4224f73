"""The colours of the interface, light and dark."""

from typing import NamedTuple

from shopsim.errors import InputError

Color = tuple[int, int, int]


class Theme(NamedTuple):
    """A colour table. Positions and sizes never depend on it."""

    page: Color
    surface: Color
    bar: Color
    field: Color
    text: Color
    dim: Color
    faint: Color
    hairline: Color
    accent: Color
    price: Color
    cart_button: Color
    buy_button: Color
    disabled: Color
    on_disabled: Color
    on_button: Color
    star: Color
    star_empty: Color
    badge: Color
    on_badge: Color


THEMES = {
    "light": Theme(
        page=(243, 243, 246),
        surface=(255, 255, 255),
        bar=(255, 255, 255),
        field=(240, 240, 243),
        text=(28, 28, 33),
        dim=(112, 112, 122),
        faint=(160, 160, 170),
        hairline=(228, 228, 233),
        accent=(242, 72, 34),
        price=(226, 49, 27),
        cart_button=(255, 164, 28),
        buy_button=(242, 72, 34),
        disabled=(222, 222, 227),
        on_disabled=(128, 128, 136),
        on_button=(255, 255, 255),
        star=(255, 171, 0),
        star_empty=(218, 218, 224),
        badge=(255, 236, 224),
        on_badge=(208, 66, 20),
    ),
    "dark": Theme(
        page=(16, 16, 19),
        surface=(32, 32, 37),
        bar=(26, 26, 30),
        field=(46, 46, 53),
        text=(238, 238, 243),
        dim=(165, 165, 176),
        faint=(120, 120, 132),
        hairline=(54, 54, 61),
        accent=(255, 106, 66),
        price=(255, 112, 82),
        cart_button=(224, 142, 20),
        buy_button=(226, 70, 36),
        disabled=(58, 58, 66),
        on_disabled=(140, 140, 150),
        on_button=(255, 255, 255),
        star=(255, 184, 40),
        star_empty=(70, 70, 79),
        badge=(84, 46, 30),
        on_badge=(255, 176, 138),
    ),
}


def theme_of(name: str) -> Theme:
    """The colour table of this name."""
    if name not in THEMES:
        raise InputError(f"theme {name!r} does not exist; choose one of {', '.join(THEMES)}")
    return THEMES[name]
