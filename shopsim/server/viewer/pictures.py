"""Screens as picture files: drawn when somebody looks, the last ones kept, named by what is on them. Ours."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from shopsim.data import DataSet
from shopsim.envs import layout
from shopsim.envs.human import open_shop
from shopsim.envs.shop import Shop
from shopsim.envs.view import View
from shopsim.server.problems import Problem

_KEPT_BYTES = 64 << 20
_EFFORT = 1  # 5 ms a screen; 4 takes 16 for a fifth less


class Pictures:
    """Draws screens for pages; threads may share it. At a request ``request.app.state.pictures``."""

    def __init__(self) -> None:
        self._views: dict[str, View] = {}
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._drawing = Lock()

    def of_person(self, dataset: DataSet, row: int, step: int) -> bytes:
        """The screen that the recorded person saw before a step; after the last one the one left behind.

        Raises:
            Problem: The session has no such step.
        """
        effects = dataset.effects(row)
        if not 0 <= step <= len(effects):
            raise Problem(404, "UNKNOWN_STEP", f"this session has steps 0 to {len(effects)}")

        def draw() -> bytes:
            shop = open_shop(dataset, row)
            for action, item in effects[:step]:
                shop.follow(action, item)
            return self.draw(dataset, shop, row)

        return self._keep((dataset.hash, row, step), draw)

    def draw(self, dataset: DataSet, shop: Shop, row: int | None = None) -> bytes:
        """What a shop shows now, as a WebP file.

        Args:
            dataset: Its data set.
            shop: The shop.
            row: The session whose recorded screens are shown where there are any; None to draw all.
        """
        from shopsim.benchmark_usb.film import webp

        with self._drawing:
            view = self._views.get(dataset.hash)
            if view is None:
                view = self._views[dataset.hash] = View(dataset, (layout.WIDTH, layout.HEIGHT), "light")
            if row is None or not dataset.n_screens:
                pixels = view.renderer.screen(shop)
            else:
                view.begin(row)
                pixels = view.pixels(shop)
        return webp(pixels, _EFFORT)

    def _keep(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._bytes += len(made)
            while self._bytes > _KEPT_BYTES:
                self._bytes -= len(self._kept.popitem(last=False)[1])
        return made


def picture_response(
    request: Request, content: bytes, media_type: str = "image/webp", forever: bool = True
) -> Response:
    """A picture with the headers that let a browser keep it.

    Args:
        request: What was asked.
        content: The file.
        media_type: Of the file.
        forever: The address names the content, so that it need never be asked for again.
    """
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": f"private, {'max-age=31536000, immutable' if forever else 'no-cache'}"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)
