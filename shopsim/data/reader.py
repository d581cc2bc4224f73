"""Reading a data set through its index: quick to open, little memory whatever the size (SPEC 3).

Needs numpy and the standard library only.
"""

import json
import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shopsim.data import stamp
from shopsim.data.columns import Ragged, open_column
from shopsim.data.records import Category, Item, Picture, Review, Session, Step, User
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HUB_ID = r"[A-Za-z0-9][\w.-]*/[\w.-]+"
_OPENING = (Action.CLICK, Action.ENTER_DETAIL)


class DataSet:
    """A data set of layout "usb". Open one with `DataSet.open` or `DataSet.bundled`.

    Items, users and sessions are numbered by their row in the set's tables. A pickled data set is its path:
    it opens again where it is unpickled.

    Attributes:
        folder: The folder it was opened from; `path` is the same as a `Path`.
        name: The set's name.
        source: ``synthetic``, ``imported`` or ``recorded``.
        locale: Language of titles and texts, ``en`` or ``zh``.
        currency: Code of the currency of prices, for example ``USD``.
        licence: Terms of use.
        hash: SHA-256 of ``manifest.json``, which names every file's hash: equal hash, equal data.
        layout_version: Version of the page layout the scroll offsets rest on.
        scroll_step: Distance of one scroll in logical units.
        longest_session: Steps of the longest session.
        imputed: What the source did not hold and an importer filled in, for example ``titles``.
        n_items, n_users, n_sessions, n_screens: Numbers of rows.
        prices: float64 (n_items,).
        list_prices: float64 (n_items,); those of the time before the session. The same, but in a `Repriced` set.
        sales: int64 (n_items,), 0 where unknown.
        label_codes: int32 (n_items, 3), a category code for each level, -1 where missing. Equal code, same category.
        step_starts: int64 (n_sessions + 1,); from its entry up to the next lie a session's steps in the columns below.
        step_actions: int8 (steps in all,).
        step_items: int32 (steps in all,), item rows, -1 for none.
        step_pages: int8 (steps in all,), values of `Page`: where each action was taken.
        step_times: int64 (steps in all,), microseconds since 1970, UTC.
        step_imputed: bool (steps in all,).
    """

    def __init__(self, folder: str, content: dict[str, Any]) -> None:
        facts = content["facts"]
        self.folder = folder
        self.hash: str = content["manifest"]
        self.name: str = facts["name"]
        self.source: str = facts["source"]
        self.locale: str = facts["locale"]
        self.currency: str = facts["currency"]
        self.licence: str = facts["licence"]
        self.layout_version: int = facts["layout_version"]
        self.scroll_step: int = facts["scroll_step"]
        self.longest_session: int = facts["longest_session"]
        self.imputed: frozenset[str] = frozenset(facts["imputed"])

        index = f"{folder}/{stamp.FOLDER}"
        self._categories = Ragged(index, "category")
        self._item_ids = Ragged(index, "item_id")
        self._titles = Ragged(index, "item_title")
        self._item_rest = Ragged(index, "item_rest")
        self._item_order = open_column(index, "item_order")
        self._aspects = open_column(index, "item_aspect")
        self._counts = open_column(index, "item_counts")
        self.prices: NDArray[np.float64] = open_column(index, "item_price")
        self.list_prices = self.prices
        self.sales: NDArray[np.int64] = open_column(index, "item_sales")
        self.label_codes: NDArray[np.int32] = open_column(index, "item_labels")
        self._users = Ragged(index, "user")
        self._user_clicks = Ragged(index, "user_clicks")
        self._user_purchases = Ragged(index, "user_purchases")
        self._user_sessions = open_column(index, "user_sessions")
        self._session_ids = Ragged(index, "session_id")
        self._session_order = open_column(index, "session_order")
        self._session_user = open_column(index, "session_user")
        self._session_split = open_column(index, "session_split")
        self._session_start = open_column(index, "session_start")
        self._session_by_user = open_column(index, "session_by_user")
        self._feeds = Ragged(index, "session_feed")
        self._notes = Ragged(index, "session_notes")
        self._screen_ids = Ragged(index, "screen_id")
        self._screen_order = open_column(index, "screen_order")
        self._screen_places = open_column(index, "screen_place")
        self._screen_files: list[str] = facts["screen_files"]
        self.step_starts: NDArray[np.int64] = open_column(index, "step_start")
        self.step_actions = open_column(index, "step_action")
        self.step_items = open_column(index, "step_item")
        self.step_pages: NDArray[np.int8] = open_column(index, "step_page")
        self._step_scroll = open_column(index, "step_scroll")
        self.step_times: NDArray[np.int64] = open_column(index, "step_time")
        self._step_x = open_column(index, "step_x")
        self._step_y = open_column(index, "step_y")
        self.step_imputed: NDArray[np.bool_] = open_column(index, "step_imputed")

        self.n_items = len(self._item_ids)
        self.n_users = len(self._users)
        self.n_sessions = len(self._session_ids)
        self.n_screens = len(self._screen_ids)
        self._cached_item = lru_cache(maxsize=1024)(self._read_item)
        self._cached_user = lru_cache(maxsize=256)(self._read_user)

    @classmethod
    def open(cls, path_or_hub_id: str | os.PathLike[str]) -> "DataSet":
        """Opens a data set by folder or by hub id (``owner/name``, where no such folder exists).

        Checks sizes and the index's stamp; hashing everything is validation's.

        Raises:
            DataError: It cannot be used; one line that says what is wrong, in the words of `check`.
        """
        if path_or_hub_id == "":
            raise DataError("'' names no data set; give its folder")
        folder = os.fspath(path_or_hub_id)
        if isinstance(path_or_hub_id, str) and not os.path.exists(folder) and re.fullmatch(_HUB_ID, folder):
            folder = _download(folder)
        content = stamp.read(folder)
        if content is None or not stamp.fits(folder, content):
            raise DataError(_diagnose(folder))
        if content["problems"]:
            raise DataError(f"{folder}: {content['problems'][0]}")
        return cls(folder, content)

    @classmethod
    def bundled(cls) -> "DataSet":
        """The small data set that ships with ShopSim."""
        return cls.open(os.path.join(os.path.dirname(__file__), "bundled"))

    @cached_property
    def path(self) -> "Path":
        """The folder. An environment starts without: to load `pathlib` takes longer than to open a data set."""
        from pathlib import Path

        return Path(self.folder)

    def __repr__(self) -> str:
        return f"DataSet({self.name!r}, {self.n_items} items, {self.n_users} users, {self.n_sessions} sessions)"

    def __reduce__(self) -> tuple[Any, ...]:
        return DataSet.open, (self.folder,)

    def __deepcopy__(self, memo: object) -> "DataSet":
        return self  # it never changes

    # Items

    def item(self, row: int) -> Item:
        """The whole item of a row; the last ones read are kept."""
        return self._cached_item(int(row))

    def item_id(self, row: int) -> str:
        """The id of an item row."""
        return self._item_ids.text(row)

    def item_row(self, item_id: str) -> int:
        """The row of an item.

        Raises:
            DataError: There is no such item.
        """
        return self._find(item_id, self._item_ids, self._item_order, "item")

    def aspect(self, row: int) -> int:
        """Code of the item's picture shape, an index of `shopsim.data.records.ASPECTS`."""
        return int(self._aspects[row])

    def detail_counts(self, row: int) -> tuple[int, int]:
        """Number of the item's attributes and of its reviews."""
        attributes, reviews = self._counts[row].tolist()
        return attributes, reviews

    def labels(self, row: int) -> tuple[int, int, int]:
        """The item's category codes from level 1 to 3, -1 where missing."""
        l1, l2, l3 = self.label_codes[row].tolist()
        return l1, l2, l3

    def titles(self, rows: Iterable[int]) -> list[str]:
        """Titles of item rows."""
        return [self._titles.text(row) for row in rows]

    def category(self, code: int) -> Category:
        """The category of a code in `label_codes`."""
        return Category(**json.loads(self._categories.raw(code)))

    # Users

    def user(self, row: int) -> User:
        """The user of a row, as recorded: `clicks` and `purchases` precede the first session. The last are kept."""
        return self._cached_user(int(row))

    def user_row(self, session_row: int) -> int:
        """The row of a session's user."""
        return int(self._session_user[session_row])

    def history_lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of recorded clicks and purchases before the first session, each int64 (n_users,)."""
        return self._user_clicks.lengths(), self._user_purchases.lengths()

    def history(self, session_row: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """What the user did before a session: item rows (clicks, purchases), oldest first, repeats kept.

        The user's recorded lists, then the effects of the user's sessions that started earlier. An item opened
        on the feed is one click, whether its preview or at once its detail page opened.
        """
        user = self.user_row(session_row)
        clicks, purchases = [self._user_clicks[user]], [self._user_purchases[user]]
        for earlier in self._session_by_user[self._user_sessions[user] : self._user_sessions[user + 1]]:
            if earlier == session_row:
                break
            steps = self._steps(earlier)
            action, item = self.step_actions[steps], self.step_items[steps]
            clicks.append(item[np.isin(action, _OPENING) & (self.step_pages[steps] == Page.FEED)])
            purchases.append(item[action == Action.PURCHASE])
        return np.concatenate(clicks), np.concatenate(purchases)

    # Sessions

    def session_rows(self, split: str | None = None) -> NDArray[np.int64]:
        """Rows of the sessions of a split (all by default), in file order.

        Raises:
            DataError: There is no such split.
        """
        if split is None:
            return np.arange(self.n_sessions)
        if split not in stamp.SPLITS:
            raise DataError(f"there is no split {split!r}; splits are {', '.join(stamp.SPLITS)}")
        return np.flatnonzero(self._session_split == stamp.SPLITS.index(split))

    def session_row(self, session_id: str) -> int:
        """The row of a session.

        Raises:
            DataError: There is no such session.
        """
        return self._find(session_id, self._session_ids, self._session_order, "session")

    def session_id(self, row: int) -> str:
        """The id of a session row."""
        return self._session_ids.text(row)

    def split(self, row: int) -> str:
        """The split a session belongs to."""
        return stamp.SPLITS[self._session_split[row]]

    def n_steps(self, row: int) -> int:
        """Number of a session's steps."""
        return int(self.step_starts[row + 1] - self.step_starts[row])

    def feed(self, row: int) -> NDArray[np.int32]:
        """The item rows of a session's feed, in order; read-only."""
        return self._feeds[row]

    def effects(self, row: int) -> list[tuple[Action, int]]:
        """A session's recorded effects in order, each with its item row (-1 for none): what replay follows."""
        steps = self._steps(row)
        pairs = zip(self.step_actions[steps].tolist(), self.step_items[steps].tolist(), strict=True)
        return [(Action(action), item) for action, item in pairs]

    def session(self, row: int) -> Session:
        """The whole session of a row, with its steps."""
        start, end = self.step_starts[row], self.step_starts[row + 1]
        texts = self._texts(row)
        steps = tuple(
            self._step(number, {name: found.get(number - start) for name, found in texts.items()})
            for number in range(start, end)
        )
        return Session(
            session_id=self.session_id(row),
            user_id=json.loads(self._users.raw(self.user_row(row)))["user_id"],
            split=self.split(row),
            started_at=_time(self._session_start[row]),
            feed=tuple(self.item_id(item) for item in self.feed(row).tolist()),
            steps=steps,
        )

    def places(self, row: int) -> list[tuple[Page, int]]:
        """Page and scroll offset of each step of a session, before its action."""
        steps = self._steps(row)
        pairs = zip(self.step_pages[steps].tolist(), self._step_scroll[steps].tolist(), strict=True)
        return [(Page(page), scroll) for page, scroll in pairs]

    def screen_ids(self, row: int) -> list[str | None]:
        """Id of the recorded screen of each step of a session, None where there is none."""
        found = self._texts(row).get("screen_id", {})
        return [found.get(step) for step in range(self.n_steps(row))]

    def screen(self, screen_id: str) -> bytes:
        """A recorded screen: the bytes of a PNG or lossless WebP file.

        Raises:
            DataError: There is no such screen.
        """
        row = self._find(screen_id, self._screen_ids, self._screen_order, "screen")
        number, offset, length = self._screen_places[row].tolist()
        with open(f"{self.folder}/{self._screen_files[number]}", "rb") as file:
            file.seek(offset)
            image: bytes = file.read(length)
            return image

    # Inner workings

    def _texts(self, row: int) -> dict[str, dict[int, str]]:
        """The texts of a session's steps, by column and step."""
        notes = json.loads(self._notes.raw(row) or b"{}")
        return {name: dict(pairs) for name, pairs in notes.items()}

    def _steps(self, row: int) -> slice:
        return slice(self.step_starts[row], self.step_starts[row + 1])

    def _step(self, i: int, texts: dict[str, str | None]) -> Step:
        item = int(self.step_items[i])
        return Step(
            action=Action(self.step_actions[i]),
            page=Page(self.step_pages[i]),
            scroll=int(self._step_scroll[i]),
            timestamp=_time(self.step_times[i]),
            item_id=None if item < 0 else self.item_id(item),
            x=None if np.isnan(self._step_x[i]) else float(self._step_x[i]),
            y=None if np.isnan(self._step_y[i]) else float(self._step_y[i]),
            imputed=bool(self.step_imputed[i]),
            **texts,
        )

    def _read_item(self, row: int) -> Item:
        rest = json.loads(self._item_rest.raw(row))
        rest["picture"] = Picture(**rest["picture"])
        rest["reviews"] = tuple(Review(**review) for review in rest["reviews"])
        return Item(item_id=self.item_id(row), title=self._titles.text(row), price=float(self.prices[row]), **rest)

    def _read_user(self, row: int) -> User:
        clicks = tuple(self.item_id(item) for item in self._user_clicks[row].tolist())
        purchases = tuple(self.item_id(item) for item in self._user_purchases[row].tolist())
        return User(**json.loads(self._users.raw(row)), clicks=clicks, purchases=purchases)

    def _find(self, key: str, ids: Ragged, order: NDArray[np.int32], kind: str) -> int:
        wanted = key.encode()
        place = bisect_left(order, wanted, key=ids.raw)
        if place < len(order) and ids.raw(order[place]) == wanted:
            return int(order[place])
        raise DataError(f"data set {self.name!r} has no {kind} {key!r}")


def _time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=int(microseconds))


def _diagnose(folder: str) -> str:
    """Says why a folder cannot be opened, in the words `check` uses."""
    # Only on the way to an error: this loads pydantic.
    from pathlib import Path

    from shopsim.data.manifest import file_problems, open_manifest

    path = Path(folder)
    for problem in file_problems(path, open_manifest(path)):
        return f"{path}: {problem}"
    return f"{path}: the index is missing or out of date; run `shopsim data validate {path}`"


def _download(hub_id: str) -> str:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise DataError(
            f"there is no folder {hub_id}; to fetch a data set of that name from the hub, install huggingface_hub"
        ) from None
    try:
        return snapshot_download(hub_id, repo_type="dataset")
    except (OSError, ValueError) as error:
        raise DataError(f"there is no folder {hub_id}, and the hub does not give one ({error})") from error
