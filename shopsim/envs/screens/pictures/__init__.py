"""Product pictures: drawn from the picture struct of an item, or read from a file."""

from shopsim.envs.screens.pictures.gallery import draw_picture, load_picture

__all__ = ["draw_picture", "load_picture"]
