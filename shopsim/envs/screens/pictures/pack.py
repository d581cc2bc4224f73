"""Photos in the place of drawings, for who has them. Ours."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from shopsim.data.records import Item
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.envs.screens.renderer import DrawableSource

_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp"})


class PicturePack:
    """A data set seen with the pictures of a folder.

    The folder holds, for items or whole categories, an image ``<id>.jpg`` (or png, jpeg, webp) or a folder ``<id>`` of
    images, from which each item takes one by its picture's seed. An item's own images go before those of its
    third-level category, these before the second's and the first's; where there are none the drawing stays. The
    shape of a picture is the data set's, so an image of another shape is fitted in.

    Args:
        dataset: The data set.
        folder: The images.

    Raises:
        InputError: There is no such folder, or no image in it.
    """

    def __init__(self, dataset: "DrawableSource", folder: str | PathLike[str]) -> None:
        self._dataset = dataset
        self.path, self.locale, self.currency = dataset.path, dataset.locale, dataset.currency
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder of pictures")
        self._images = {
            entry.stem if entry.is_file() else entry.name: images
            for entry in sorted(folder.absolute().iterdir())
            if (images := _images(entry))
        }
        if not self._images:
            raise InputError(f"{folder} holds no pictures; they are named <item or category id>.jpg, .png or .webp")

    def item(self, row: int) -> Item:
        """The item of a row, with its picture from the folder."""
        item = self._dataset.item(row)
        for name in (item.item_id, item.l3, item.l2, item.l1):
            if name is not None and (images := self._images.get(name)):
                file = images[item.picture.seed % len(images)]
                return item._replace(picture=item.picture._replace(file=str(file)))
        return item


def _images(entry: Path) -> list[Path]:
    files = sorted(entry.iterdir()) if entry.is_dir() else [entry]
    return [file for file in files if file.suffix.lower() in _IMAGES]
