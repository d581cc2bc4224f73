"""The rules of categories, items and users.

- Ids are present, not empty, and used once a table.
- Categories: `level` is 1, 2 or 3; the parent is a category of the level above that stands earlier in the file,
  level 1 has none; the name is not empty.
- Items: the title is not empty; `price` is 0 to `LARGEST_PRICE`; `rating` is 1-5 and `sales` not negative where
  given; `l1`, `l2`, `l3` name categories of their level, each under the one before, which must be given then; the
  picture has one of the shapes `ASPECTS` and colours like ``#1a2b3c``; a picture file is one of the manifest's
  files; attributes have distinct keys and a value; reviews have 1-5 stars and a text.
- Users: `age` is 0-120 where given; items of the history are known.
"""

from collections.abc import Collection, Generator, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.manifest import Problem
from shopsim.data.records import ASPECTS
from shopsim.data.rules import LARGEST, Ids, Mask, Piece, as_array, member, parents

LEVELS = ("l1", "l2", "l3")
MAX_AGE = 120
LARGEST_PRICE = 1e15
"""Above every price in every currency; what a log has beyond is no price."""


class CategoryRules:
    """Rules of ``categories.parquet``; keeps what the rules of items need."""

    file = "categories.parquet"

    def __init__(self) -> None:
        self.ids = Ids(self.file, "category_id")
        self._tree: dict[str, tuple[int, str | None]] = {}
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows. The tree is small, so row by row."""
        piece = Piece(self.file, self._start, table, lambda i: f"category {table['category_id'][i].as_py()!r}")
        self._start += len(table)
        yield from piece.nulls()
        yield from self.ids.add(table, piece.start)
        for row, category in enumerate(table.to_pylist(), piece.start):
            level, parent = category["level"], category["parent_id"]
            cause = None
            if category["name"] == "":
                cause = "name is empty"
            elif level not in (1, 2, 3):
                cause = f"level is {level}, must be 1, 2 or 3"
            elif level == 1 and parent is not None:
                cause = f"parent_id is {parent!r}, but level 1 has no parent"
            elif level > 1 and self._tree.get(parent, (0, None))[0] != level - 1:
                cause = f"parent_id {parent!r} is no category of level {level - 1} above this row"
            if cause is not None:
                yield Problem(self.file, row, f"category {category['category_id']!r}: {cause}")
            if category["category_id"]:
                self._tree.setdefault(category["category_id"], (level, parent))

    def tree(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each of `ids` in file order, its level and the position of its parent (-1 for none)."""
        place = {category: i for i, category in enumerate(self._tree)}
        levels = [level or 0 for level, _ in self._tree.values()]
        above = [place.get(parent or "", -1) for _, parent in self._tree.values()]
        return np.array(levels, np.int64), np.array(above, np.int64)


class ItemRules:
    """Rules of ``items.parquet``.

    Args:
        categories: The rules that have seen the categories.
        files: Names of the data set's files, among which picture files must be.
    """

    file = "items.parquet"

    def __init__(self, categories: CategoryRules, files: Collection[str]) -> None:
        self.ids = Ids(self.file, "item_id")
        self._files = files
        self._categories = categories
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows."""
        piece = Piece(self.file, self._start, table, lambda i: f"item {table['item_id'][i].as_py()!r}")
        self._start += len(table)
        yield from piece.nulls()
        yield from self.ids.add(table, piece.start)
        yield from piece.found(as_array(pc.equal(table["title"], "").fill_null(False)), "title is empty")
        yield from piece.outside("price", 0.0, LARGEST_PRICE, f"must be 0 to {LARGEST_PRICE:g}")
        yield from piece.outside("rating", 1.0, 5.0, "must be 1 to 5")
        yield from piece.outside("sales", 0.0, LARGEST, "must not be negative")
        yield from self._labels(piece)
        yield from self._picture(piece)
        yield from _attributes(piece)
        yield from _reviews(piece)

    def _labels(self, piece: Piece) -> Iterator[Problem]:
        tree = self._categories.tree()
        before = np.full(len(piece.table), -1)
        for level, name in enumerate(LEVELS, 1):
            before = yield from self._label(piece, name, level, tree, before)

    def _label(
        self,
        piece: Piece,
        name: str,
        level: int,
        tree: tuple[NDArray[np.int64], NDArray[np.int64]],
        before: NDArray[np.int64],
    ) -> Generator[Problem, None, NDArray[np.int64]]:
        """One label column; returns its categories' positions, of which the next level's must be children."""
        places, unknown = self._categories.ids.find(piece.table[name])
        # The appended entry is what position -1 reads.
        wrong = (places >= 0) & (np.append(tree[0], 0)[places] != level)
        apart = (places >= 0) & ~wrong & (np.append(tree[1], -1)[places] != before)
        yield from piece.bad(unknown, name, "which is no known category")
        yield from piece.bad(wrong, name, f"which is no category of level {level}")
        if level > 1:
            yield from piece.bad(apart, name, f"which does not lie under the item's l{level - 1}")
        return places

    def _picture(self, piece: Piece) -> Iterator[Problem]:
        pictures = piece.table["picture"]

        def bad(mask: Mask, name: str, rule: str) -> Iterator[Problem]:
            return piece.found(mask, lambda i: f"picture.{name} is {pictures[i].as_py()[name]!r}, {rule}")

        given = as_array(pictures.is_valid())
        for field in pictures.type:
            if field.name != "file":
                yield from bad(
                    given & as_array(pc.struct_field(pictures, field.name).is_null()), field.name, "must be given"
                )
        aspect, file = pc.struct_field(pictures, "aspect"), pc.struct_field(pictures, "file")
        yield from bad(member(aspect, ASPECTS)[1], "aspect", f"must be one of {', '.join(ASPECTS)}")
        yield from bad(member(file, tuple(self._files))[1], "file", "which is no file of the manifest")
        for name in ("color", "accent", "background"):
            like = pc.match_substring_regex(pc.struct_field(pictures, name), "^#[0-9a-fA-F]{6}$")
            yield from bad(as_array(pc.invert(like).fill_null(False)), name, "must look like '#1a2b3c'")


def _attributes(piece: Piece) -> Iterator[Problem]:
    lists = piece.table["attributes"]
    flat, owners = pc.list_flatten(lists), parents(lists)
    keys, values = pc.struct_field(flat, "key"), pc.struct_field(flat, "value")
    lacking = np.zeros(len(piece.table), bool)
    lacking[owners[as_array(pc.or_(keys.is_null(), values.is_null()))]] = True
    yield from piece.found(lacking, "an attribute lacks its key or value")
    codes = as_array(pc.index_in(keys, value_set=pc.unique(keys)).fill_null(-1)).astype(np.int64)
    pairs, counts = np.unique(owners * (len(codes) + 1) + codes, return_counts=True)
    twice = np.zeros(len(piece.table), bool)
    twice[pairs[counts > 1] // (len(codes) + 1)] = True
    yield from piece.found(twice & ~lacking, "an attribute's key is there twice")


def _reviews(piece: Piece) -> Iterator[Problem]:
    reviews = piece.table["reviews"]
    flat = pc.list_flatten(reviews)
    rating = pc.struct_field(flat, "rating").cast(pa.float64()).fill_null(0.0)
    bad = as_array(pc.or_(pc.less(rating, 1.0), pc.greater(rating, 5.0)))
    bad |= as_array(pc.struct_field(flat, "text").is_null())
    mask = np.zeros(len(piece.table), bool)
    mask[parents(reviews)[bad]] = True
    yield from piece.found(mask, "a review lacks its text or its rating of 1 to 5")


class UserRules:
    """Rules of ``users.parquet``."""

    file = "users.parquet"

    def __init__(self, items: ItemRules) -> None:
        self.ids = Ids(self.file, "user_id")
        self._items = items
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows."""
        piece = Piece(self.file, self._start, table, lambda i: f"user {table['user_id'][i].as_py()!r}")
        self._start += len(table)
        yield from piece.nulls()
        yield from self.ids.add(table, piece.start)
        yield from piece.outside("age", 0, MAX_AGE, f"must be 0 to {MAX_AGE}")
        for name in ("clicks", "purchases"):
            places, _ = self._items.ids.find(pc.list_flatten(piece.table[name]))
            yield from piece.unknown_in(name, places)
