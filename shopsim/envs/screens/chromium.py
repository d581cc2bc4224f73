"""Chromium, driven through Playwright by one thread of its own (SPEC 2.3).

Playwright belongs to the thread that started it, and its plain interface refuses to run beside an event loop, as in a
notebook. So a thread with its own loop owns the browser; everybody else hands it work and waits, for a limited time.
Importing this loads nothing of Playwright.
"""

import asyncio
import atexit
import os
import signal
import tempfile
import weakref
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from shopsim.envs.screens.choice import Chromium
from shopsim.errors import EnvironmentFault

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright

T = TypeVar("T")

_ARGUMENTS = (
    "--disable-gpu",
    "--disable-lcd-text",  # grey edges, the same on every screen
    "--font-render-hinting=none",  # letters stand where the layout expects them
    "--force-color-profile=srgb",
)
_SHOW = """async html => {
    document.body.innerHTML = html;
    await Promise.all([...document.images].map(image => image.decode()));
    document.body.getBoundingClientRect();  // asks for the fonts that the new text needs
    await document.fonts.ready;
}"""
_CLOSING = 5.0
"""Seconds that closing may take before the browser is left to itself."""
_LIFETIME = 50
"""Pages that a browser opens. It and Playwright's driver keep a little of each that was closed; so the next page is
another browser's, and this one stops with its last."""


class Tab:
    """A page in a browser context of its own.

    Args:
        chromium: The browser; it starts with its first tab and stops with its last.
        document: The page as HTML.
        width, height: Its size in pixels.

    Raises:
        EnvironmentFault: The browser does not start or does not open the page in time.
    """

    def __init__(self, chromium: Chromium, document: str, width: int, height: int) -> None:
        self._engine = engine = _taken(chromium)
        self._timeout = chromium.timeout
        try:
            self._page = engine.wait(engine.open(document, width, height), self._timeout, "open a page")
        except BaseException:
            _given_back(engine)
            raise
        self._unclosed = weakref.finalize(self, engine.drop, self._page)

    def show(self, html: str) -> bytes:
        """Makes this the body of the page and returns a screenshot, a PNG file.

        Raises:
            EnvironmentFault: The browser is gone, or takes too long.
        """
        return self._engine.wait(_show(self._page, html), self._timeout, "draw a screen")

    def run(self, script: str, argument: object = None) -> Any:
        """What a JavaScript function says about the page."""
        return self._engine.wait(self._page.evaluate(script, argument), self._timeout, "run a script")

    def close(self) -> None:
        """Closes the page; with the last one the browser stops. Again does nothing."""
        if self._unclosed.detach() is not None:
            with suppress(EnvironmentFault):
                self._engine.wait(self._page.context.close(), _CLOSING, "close a page")
            _given_back(self._engine)


async def _show(page: "Page", html: str) -> bytes:
    await page.evaluate(_SHOW, html)
    return await page.screenshot()


class _Engine:
    """A running browser and the thread it belongs to."""

    def __init__(self, chromium: Chromium) -> None:
        executable = chromium.find()
        self._chromium = chromium
        self.users = 0
        """Tabs that are open or about to be."""
        self.opened = 0
        """Tabs there have been."""
        self._browser: Browser | None = None
        self._playwright: Playwright | None = None
        self._pid = 0
        self._broken = False
        self._dropped: list[Page] = []
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="shopsim-browser", daemon=True)
        self._thread.start()
        try:
            self.wait(self._launch(executable, chromium.launch_timeout), chromium.launch_timeout, "start")
        except BaseException:
            self.stop()
            raise

    @property
    def alive(self) -> bool:
        """Whether the browser is there and has not failed yet."""
        return self._browser is not None and self._browser.is_connected() and not self._broken

    @property
    def idle(self) -> bool:
        """Whether nobody uses it."""
        return self.users == len(self._dropped)

    def wait(self, work: Coroutine[Any, Any, T], seconds: float, doing: str) -> T:
        """Has the browser's thread do something and waits for it.

        Raises:
            EnvironmentFault: It failed, or took too long.
        """
        if not self._thread.is_alive():  # stopped, or on the other side of a fork
            work.close()
            raise EnvironmentFault(f"the browser did not {doing}: it is gone")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            self._broken = True
            raise EnvironmentFault(f"the browser did not {doing} within {seconds:g} s") from None
        except Exception as error:  # Playwright raises its own and, when its driver dies, plain ones
            self._broken = True
            line = (str(error).splitlines() or [type(error).__name__])[0]
            raise EnvironmentFault(f"the browser did not {doing}: {line}") from error
        finally:
            future.cancel()

    def drop(self, page: "Page") -> None:
        """Closes a page that nobody holds any more, without waiting: this may run in any thread at any time."""
        self._dropped.append(page)  # what others read under the lock, which this thread may hold, stays as it is
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(page.context.close(), self._loop)

    def stop(self) -> None:
        """Closes the browser and ends the thread."""
        _running.discard(self)
        if _engines.get(self._chromium) is self:
            del _engines[self._chromium]
        if not self._thread.is_alive():
            return
        if self._broken and self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)  # it may not listen any more
        with suppress(EnvironmentFault):
            self.wait(self._quit(), _CLOSING, "stop")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSING)
        if not self._thread.is_alive():
            self._loop.close()

    async def open(self, document: str, width: int, height: int) -> "Page":
        """A page in a new context: no scripts, no network, a pixel a pixel."""
        assert self._browser is not None
        context = await self._browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1,
            java_script_enabled=False,
            offline=True,
        )
        try:
            page = await context.new_page()
            # A file may use the fonts, which are files as well.
            with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
                file.write(document)
                file.flush()
                await page.goto(Path(file.name).as_uri())
        except BaseException:
            await context.close()
            raise
        return page

    async def _launch(self, executable: str, seconds: float) -> None:
        from playwright.async_api import async_playwright

        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=executable, args=_ARGUMENTS, timeout=1000 * seconds
        )
        tools = await self._browser.new_browser_cdp_session()
        running = (await tools.send("SystemInfo.getProcessInfo"))["processInfo"]
        self._pid = next(process["id"] for process in running if process["type"] == "browser")

    async def _quit(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()


_engines: dict[Chromium, _Engine] = {}
"""Where the next page opens."""
_running: set[_Engine] = set()
_lock = Lock()


def _taken(chromium: Chromium) -> _Engine:
    """The process's browser of these settings, started where it does not run, with one user more."""
    with _lock:
        engine = _engines.get(chromium)
        # One that failed, or has opened enough, stops with its last user.
        if engine is None or not engine.alive or engine.opened >= _LIFETIME:
            before, engine = engine, _Engine(chromium)
            _engines[chromium] = engine
            _running.add(engine)
            if before is not None and before.idle:
                before.stop()
        engine.users += 1
        engine.opened += 1
        return engine


def _given_back(engine: _Engine) -> None:
    """With its last user a browser stops."""
    with _lock:
        engine.users -= 1
        if engine.idle:
            engine.stop()


@atexit.register
def _stop_all() -> None:
    for engine in list(_running):
        engine.stop()


def _forget_all() -> None:
    _engines.clear()
    _running.clear()


os.register_at_fork(after_in_child=_forget_all)  # a thread does not survive a fork
