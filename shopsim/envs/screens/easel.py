"""Paints pieces of screens with Pillow. `renderer` loads this when it first has to paint."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from shopsim.data.records import Picture
from shopsim.envs import layout
from shopsim.envs.screens.canvas import Canvas
from shopsim.envs.screens.painter import Painter
from shopsim.envs.screens.pictures.gallery import picture_image
from shopsim.envs.screens.pieces import Piece
from shopsim.envs.screens.scale import Scale
from shopsim.envs.screens.theme import Theme


class Easel:
    """Paints pieces in one theme, at one scale.

    Args:
        folder: The data set's, which picture files are in.
        theme: The colours.
        scale: Pixels to units.
    """

    def __init__(self, folder: Path, theme: Theme, scale: Scale) -> None:
        self._folder, self._theme, self._scale = folder, theme, scale
        self._painter = Painter(theme, self._picture)

    def paint(self, piece: Piece) -> NDArray[np.uint8]:
        """The pixels of a piece (height, width, 3), read only."""
        canvas = Canvas(piece.width, piece.height, self._scale, piece.background, piece.top)
        if piece.line is not None:
            canvas.rect(0, piece.line, layout.WIDTH, 1, self._theme.hairline)
        for element in piece.elements:
            self._painter.paint(canvas, element)
        return canvas.array()

    def _picture(self, picture: Picture, width: int, height: int) -> Image.Image:
        return picture_image(self._folder, picture, width, height)
