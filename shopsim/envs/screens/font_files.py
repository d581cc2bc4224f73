"""Where the fonts are: they come from packages, not from this repository. Importing this does not load Pillow."""

import os
from functools import cache
from importlib.machinery import PathFinder

from shopsim.errors import InputError

LATIN = ("fontpkg_inter", "files/Inter[opsz,wght].ttf")
CHINESE = ("manimgx_fonts_cjk", "NotoSansCJK-VF.otf.ttc")


@cache
def find_package(name: str) -> str | None:
    """The folder of an installed package, None where there is none. It is not imported."""
    spec = PathFinder.find_spec(name)
    return os.path.dirname(spec.origin) if spec is not None and spec.origin is not None else None


@cache
def find_font(package: str, file: str) -> str | None:
    """The path of a package's font file, None where there is no such package or file."""
    folder = find_package(package)
    path = os.path.join(folder, file) if folder is not None else ""
    return path if os.path.exists(path) else None


@cache
def has_chinese() -> bool:
    """Whether a font with Chinese letters is installed."""
    return find_font(*CHINESE) is not None


def require_chinese() -> None:
    """Raises a clear error where Chinese letters could not be drawn."""
    if not has_chinese():
        raise InputError(
            "a Chinese data set needs a font with Chinese letters to be drawn; install it: pip install 'shopsim[zh]'"
        )
