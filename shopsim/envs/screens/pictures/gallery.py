"""From a picture struct to an image."""

from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageOps

from shopsim.data.records import Picture
from shopsim.envs.screens.pictures import (
    accessories,
    appliances,
    beauty,
    desk,
    electronics,
    festive,
    fittings,
    food,
    footwear,
    garden,
    garments,
    hardware,
    hobby,
    home,
    instruments,
    kitchen,
    machines,
    media,
    outdoors,
    outfits,
    produce,
    sports,
    tools,
    toys,
    trinkets,
)
from shopsim.envs.screens.pictures.sketch import Sketch, darker, parse_color, rect
from shopsim.errors import DataError

Drawing = Callable[[Sketch], None]

_FAMILIES = (
    accessories,
    appliances,
    beauty,
    desk,
    electronics,
    festive,
    fittings,
    food,
    footwear,
    garden,
    garments,
    hardware,
    hobby,
    home,
    instruments,
    kitchen,
    machines,
    media,
    outdoors,
    outfits,
    produce,
    sports,
    tools,
    toys,
    trinkets,
)
DRAWINGS: dict[str, Drawing] = {name: draw for family in _FAMILIES for name, draw in family.DRAWINGS.items()}
"""What can be drawn, by archetype."""


def picture_image(folder: Path, picture: Picture, width: int, height: int) -> Image.Image:
    """The picture at a size in pixels: its file (relative to `folder`) where it names one, else drawn.

    Raises:
        DataError: The file is not there or is no image.
    """
    if picture.file is not None:
        return load_picture(folder, picture, width, height)
    return draw_picture(picture, width, height)


def draw_picture(picture: Picture, width: int, height: int) -> Image.Image:
    """Draws a picture; the same struct and size give the same pixels. An unknown archetype is a parcel."""
    sketch = Sketch(picture, width, height)
    (_swatch if picture.archetype == "swatch" else DRAWINGS.get(picture.archetype, _parcel))(sketch)
    return sketch.finish()


def load_picture(folder: Path, picture: Picture, width: int, height: int) -> Image.Image:
    """The picture's file, fitted into the size with its backdrop around it.

    Raises:
        DataError: The file is not there or is no image.
    """
    path = folder / (picture.file or "")
    try:
        with Image.open(path) as opened:
            image = opened.convert("RGB")
    except OSError as error:
        raise DataError(f"picture {path} cannot be read: {error}") from error
    return ImageOps.pad(image, (width, height), Image.Resampling.BOX, parse_color(picture.background))


def _swatch(s: Sketch) -> None:
    """The material and its pattern from close by, all over the picture."""
    s.zoom(1.6)
    s.body(rect(-20, -20, 120, 120), shadow=False, edge=False)


def _parcel(s: Sketch) -> None:
    """A plain cardboard parcel with a band in the product's colour."""
    s.floor(50, 80, 44, 6)
    s.body(rect(18, 34, 82, 80, 2), "side")
    s.body([(18, 34), (26, 22), (74, 22), (82, 34)], "flat", color=darker(s.main, 0.18))
    s.fill([(44, 22), (56, 22), (57, 34), (57, 80), (43, 80), (43, 34)], s.accent)
