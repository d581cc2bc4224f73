"""The rules of categories, items and users.

- Ids are present, not empty, and used once a table.
- Categories: `level` is 1, 2 or 3; the parent is a category of the level above that stands earlier in the file,
  level 1 has none; the name is not empty.
- Items: the title is not empty; `price` is finite and not negative; `rating` is 1-5 and `sales` not negative where
  given; `l1`, `l2`, `l3` name categories of their level, each under the one before, which must be given then; the
  picture has one of the shapes `ASPECTS` and colours like ``#1a2b3c``; a picture file is one of the manifest's
  files; reviews have 1-5 stars and a text.
- Users: `age` is 0-120 where given; items of the history are known.
"""

from collections.abc import Collection, Generator, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.manifest import Problem
from shopsim.data.records import ASPECTS
from shopsim.data.rules import Ids, as_array, found, member, nulls, outside, parents

LEVELS = ("l1", "l2", "l3")
MAX_AGE = 120
_COLOR = "^#[0-9a-fA-F]{6}$"


class CategoryRules:
    """Rules of ``categories.parquet``; keeps what the rules of items need."""

    file = "categories.parquet"

    def __init__(self) -> None:
        self.ids = Ids(self.file, "category_id")
        self._tree: dict[str, tuple[int, str | None]] = {}
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows. The tree is small, so row by row."""
        start, self._start = self._start, self._start + len(table)
        yield from nulls(self.file, start, table)
        yield from self.ids.add(table, start)
        for row, category in enumerate(table.to_pylist(), start):
            level, parent = category["level"], category["parent_id"]
            if category["name"] == "":
                yield Problem(self.file, row, "name is empty")
            if level not in (1, 2, 3):
                yield Problem(self.file, row, f"level is {level}, must be 1, 2 or 3")
            elif level == 1 and parent is not None:
                yield Problem(self.file, row, f"parent_id is {parent!r}, but level 1 has no parent")
            elif level > 1 and self._tree.get(parent, (0, None))[0] != level - 1:
                yield Problem(
                    self.file, row, f"parent_id {parent!r} is no category of level {level - 1} above this row"
                )
            if category["category_id"]:
                self._tree.setdefault(category["category_id"], (level, parent))

    def tree(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each id of `ids.array()`, its level and the position of its parent (-1 for none)."""
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
        start, self._start = self._start, self._start + len(table)
        yield from nulls(self.file, start, table)
        yield from self.ids.add(table, start)

        def bad(mask: NDArray[np.bool_], column: str, rule: str) -> Iterator[Problem]:
            return found(self.file, start, mask, lambda i: f"{column} is {table[column][i].as_py()!r}, {rule}")

        title = as_array(pc.equal(table["title"], "").fill_null(False))
        yield from found(self.file, start, title, "title is empty")
        yield from bad(outside(table, "price", 0.0), "price", "must be finite and not negative")
        yield from bad(outside(table, "rating", 1.0, 5.0), "rating", "must be 1 to 5")
        yield from bad(outside(table, "sales", 0), "sales", "must not be negative")
        yield from self._labels(table, start)
        yield from self._picture(table, start)
        yield from self._reviews(table, start)

    def _labels(self, table: pa.Table, start: int) -> Iterator[Problem]:
        levels, above = self._categories.tree()
        before = np.full(len(table), -1)
        for level, name in enumerate(LEVELS, 1):
            before = yield from self._label(table, start, name, (levels, above), level, before)

    def _label(
        self,
        table: pa.Table,
        start: int,
        name: str,
        tree: tuple[NDArray[np.int64], NDArray[np.int64]],
        level: int,
        before: NDArray[np.int64],
    ) -> Generator[Problem, None, NDArray[np.int64]]:
        """One label column; returns its categories' positions, of which the next level needs to be children."""
        places, unknown = self._categories.ids.find(table[name])
        # The appended entry is what position -1 reads.
        wrong = (places >= 0) & (np.append(tree[0], 0)[places] != level)
        apart = (places >= 0) & ~wrong & (np.append(tree[1], -1)[places] != before)

        def bad(mask: NDArray[np.bool_], rule: str) -> Iterator[Problem]:
            return found(self.file, start, mask, lambda i: f"{name} {table[name][i].as_py()!r} {rule}")

        yield from bad(unknown, "is no known category")
        yield from bad(wrong, f"is a category of another level, not of level {level}")
        if level > 1:
            yield from bad(apart, f"does not lie under this item's l{level - 1}")
        return places

    def _picture(self, table: pa.Table, start: int) -> Iterator[Problem]:
        def part(name: str) -> pa.ChunkedArray:
            return pc.struct_field(table["picture"], name)

        def bad(mask: NDArray[np.bool_], name: str, rule: str) -> Iterator[Problem]:
            return found(self.file, start, mask, lambda i: f"picture.{name} is {part(name)[i].as_py()!r}, {rule}")

        given = as_array(table["picture"].is_valid())
        for field in table.schema.field("picture").type:
            if field.name != "file":
                yield from bad(given & as_array(part(field.name).is_null()), field.name, "must be given")
        yield from bad(member(part("aspect"), ASPECTS)[1], "aspect", f"must be one of {', '.join(ASPECTS)}")
        for name in ("color", "accent", "background"):
            like = pc.match_substring_regex(part(name), _COLOR)
            yield from bad(as_array(pc.invert(like).fill_null(False)), name, "must look like '#1a2b3c'")
        yield from bad(member(part("file"), tuple(self._files))[1], "file", "which is no file of the manifest")

    def _reviews(self, table: pa.Table, start: int) -> Iterator[Problem]:
        reviews = table["reviews"]
        flat = pc.list_flatten(reviews)
        rating = pc.struct_field(flat, "rating").cast(pa.float64()).fill_null(0.0)
        bad = as_array(pc.or_(pc.less(rating, 1.0), pc.greater(rating, 5.0)))
        bad |= as_array(pc.struct_field(flat, "text").is_null())
        mask = np.zeros(len(table), bool)
        mask[parents(reviews)[bad]] = True
        yield from found(self.file, start, mask, "a review lacks its text or its rating of 1 to 5")


class UserRules:
    """Rules of ``users.parquet``."""

    file = "users.parquet"

    def __init__(self, items: ItemRules) -> None:
        self.ids = Ids(self.file, "user_id")
        self._items = items
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows."""
        start, self._start = self._start, self._start + len(table)
        yield from nulls(self.file, start, table)
        yield from self.ids.add(table, start)
        age = outside(table, "age", 0, MAX_AGE)
        cause = f"must be 0 to {MAX_AGE}"
        yield from found(self.file, start, age, lambda i: f"age is {table['age'][i].as_py()}, {cause}")
        for name in ("clicks", "purchases"):
            yield from unknown_items(self.file, start, table, name, self._items.ids)


def unknown_items(file: str, start: int, table: pa.Table, name: str, ids: Ids) -> Iterator[Problem]:
    """Rows whose list column `name` holds something that is no item id."""
    flat = pc.list_flatten(table[name])
    places, _ = ids.find(flat)
    bad = np.flatnonzero(places < 0)
    owners, first = np.unique(parents(table[name])[bad], return_index=True)
    mask = np.zeros(len(table), bool)
    mask[owners] = True
    example = dict(zip(owners.tolist(), bad[first].tolist(), strict=True))
    yield from found(file, start, mask, lambda i: f"unknown item {flat[example[i]].as_py()!r} in {name}")
