"""The browser renderer: the same boxes and nearly the same pixels as the fast one, and no trouble left behind."""

import asyncio
import gc
import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from shopsim.data import DataSet
from shopsim.data.records import Review
from shopsim.data.vocabulary import Action
from shopsim.envs import Chromium, ShopSimEnv, ShopSimReplayEnv, layout
from shopsim.envs.layout import Box
from shopsim.envs.screens import choice, chromium
from shopsim.envs.screens.browser import BrowserRenderer
from shopsim.envs.screens.pages import Element, page_model
from shopsim.envs.screens.renderer import Renderer
from shopsim.envs.screens.scale import Scale
from shopsim.errors import EnvironmentFault, InputError
from tests.envs.driving import DOWN, click
from tests.envs.processes import alive, browsers, descendants, eventually, send
from tests.envs.similarity import structural_similarity
from tests.envs.window_shopping import Shelf, enter, tour

_ROOT = Path(__file__).parents[2]
_ALIKE = 0.98
"""Structural similarity of a screen by both renderers, at least."""

try:
    Chromium().find()
except InputError as error:
    pytestmark = pytest.mark.skip(reason=str(error))


@pytest.fixture(scope="module")
def paint() -> Iterator[BrowserRenderer]:
    renderer = BrowserRenderer(Shelf())
    yield renderer
    renderer.close()


@pytest.fixture
def env(tiny: DataSet) -> Iterator[ShopSimEnv]:
    made = ShopSimEnv(tiny, renderer="browser")
    yield made
    made.close()


# Both renderers show the same

_AT = """points => points.map(([x, y]) => {
    const found = document.elementFromPoint(x, y)?.closest("[data-kind]");
    return found ? [found.dataset.kind, Number(found.dataset.item), Number(found.dataset.slot)] : null;
})"""
_BOXES = """() => [...document.querySelectorAll("[data-kind]")].map(found => {
    const box = found.getBoundingClientRect();
    return [found.dataset.kind, box.left, box.top, box.right, box.bottom];
})"""


def _under(elements: tuple[Element, ...], x: float, y: float) -> list[Any] | None:
    """What the page model has under a point: the innermost and last element; the bars cover what scrolls."""
    for element in reversed(elements):
        box = element.box
        scrolls = box.y + box.h > layout.TOP and box.y < layout.BOTTOM
        if box.contains(x, y) and (not scrolls or layout.TOP <= y < layout.BOTTOM):
            return _under(element.children, x, y) or [box.kind, box.item, box.slot]
    return None


@pytest.mark.parametrize("place", range(7))
def test_the_same_box_is_under_the_same_point(paint: BrowserRenderer, place: int) -> None:
    shelf = Shelf()
    shop = tour(shelf)[place]
    tab = paint.begin()
    paint.screen(shop)
    points = [(x, y) for x in range(0, layout.WIDTH, 7) for y in range(0, layout.HEIGHT, 4)]
    elements = page_model(shelf, shop)
    expected = [_under(elements, x, y) for x, y in points]
    found = tab.run(_AT, points)
    differ = [(p, e, f) for p, e, f in zip(points, expected, found, strict=True) if e != f]
    assert not differ
    assert len({str(e) for e in expected}) > 10


@pytest.mark.parametrize("place", range(7))
def test_a_touch_reaches_what_the_shop_says_it_reaches(paint: BrowserRenderer, place: int) -> None:
    """Not the page model but the state machine itself: cards and buttons."""
    shop = tour(Shelf())[place]
    tab = paint.begin()
    paint.screen(shop)
    wanted: list[Box] = [*(card.clipped() for card in shop.cards()), *layout.BUTTONS[shop.page.label]]
    script = _AT.replace(
        'closest("[data-kind]")', 'closest("[data-kind=card], main > div, header > div, footer > div")'
    )
    for box in wanted:
        corners = [(x, y) for x in (box.x, box.x + box.w - 1) for y in (box.y, box.y + box.h - 1)]
        assert {tuple(found) for found in tab.run(script, corners)} == {(box.kind, box.item, box.slot)}


@pytest.mark.parametrize("size", [(320, 608), (160, 320), (640, 1216), (333, 601)])
def test_boxes_have_the_same_pixels_at_any_size(size: tuple[int, int]) -> None:
    shelf, scale = Shelf(), Scale(size[0] / layout.WIDTH, size[1] / layout.HEIGHT)
    paint = BrowserRenderer(shelf, *size)
    tab = paint.begin()

    def boxes(elements: tuple[Element, ...]) -> Iterator[list[Any]]:
        for element in elements:
            box = element.box
            yield [box.kind, scale.x(box.x), scale.y(box.y), scale.x(box.x + box.w), scale.y(box.y + box.h)]
            yield from boxes(element.children)

    for shop in tour(shelf):
        screen = paint.screen(shop)
        assert (screen.shape, screen.dtype) == ((size[1], size[0], 3), np.uint8)
        assert sorted(tab.run(_BOXES)) == sorted(boxes(page_model(shelf, shop)))
    paint.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en", "zh"])
def test_both_renderers_look_alike(locale: str, theme: str) -> None:
    shelf = Shelf(locale=locale)
    fast, browser = Renderer(shelf, theme=theme), BrowserRenderer(shelf, theme=theme)
    screens = [(fast.screen(shop), browser.screen(shop)) for shop in tour(shelf)]
    browser.close()
    assert min(structural_similarity(a, b) for a, b in screens) > _ALIKE
    # The measure tells screens apart: no screen is as like another one as it is like itself.
    assert max(structural_similarity(screens[i][0], screens[i + 1][1]) for i in (0, 1, 3, 4)) < 0.9


@pytest.mark.parametrize(("size", "bound"), [((640, 1216), _ALIKE), ((448, 800), 0.94)])
def test_both_renderers_look_alike_at_other_sizes(size: tuple[int, int], bound: float) -> None:
    """Where a unit is no whole number of pixels, the inside of a card may be off by one."""
    shelf = Shelf()
    fast, browser = Renderer(shelf, *size), BrowserRenderer(shelf, *size)
    for shop in tour(shelf):
        assert structural_similarity(fast.screen(shop), browser.screen(shop)) > bound
    browser.close()


# Pages


def test_same_state_same_bytes_in_fresh_arrays(paint: BrowserRenderer) -> None:
    def screens() -> list[NDArray[np.uint8]]:
        paint.begin()
        return [paint.screen(shop) for shop in tour(Shelf())]

    first, second = screens(), screens()
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))
    assert len({screen.tobytes() for screen in first}) == 7


_HOSTILE = (
    "<script>document.title = 'owned'</script>",
    '"><img src=x onerror="document.title = \'owned\'">',
    "</p></div></main><h1>owned</h1>",
    "</style><style>* { display: none }",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; &amp;amp; \u2028 \u0085 \u202e right to left",
)


@pytest.mark.parametrize("title", _HOSTILE)
def test_hostile_titles_stay_text(paint: BrowserRenderer, title: str) -> None:
    harmless = Shelf()
    hostile = harmless.with_item(
        1,
        title=title,
        shop=title,
        brand=title,
        description=title,
        attributes={title: title, title + "2": title},
        reviews=(Review(5, title), Review(1, title)),
    )
    seen = []
    for shelf in (harmless, hostile):
        renderer = BrowserRenderer(shelf)
        tab = renderer.begin()
        renderer.screen(enter(shelf, (Action.ENTER_DETAIL, 1), (Action.SCROLL_DOWN, -1)))
        seen.append(
            tab.run("() => [[...new Set([...document.querySelectorAll('*')].map(e => e.tagName))], document.title]")
        )
        text = tab.run("() => document.body.innerText")
        renderer.close()
    assert seen[0] == seen[1]
    assert " ".join(title.split())[:12] in text


def test_a_page_runs_no_scripts_and_reaches_no_network(paint: BrowserRenderer) -> None:
    tab = paint.begin()
    paint.screen(enter(Shelf()))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        image = (
            f"<img src='{address}x.png' onerror='document.title = 1'><img src='nothing' onerror='document.title = 2'>"
        )
        tab.run("html => { document.body.innerHTML = html; }", image)
        script = "Object.assign(document.createElement('script'), {text: 'document.title = 3'})"
        tab.run(f"() => {{ document.head.append({script}); }}")
        with pytest.raises(TimeoutError):
            server.accept()
    assert tab.run("() => document.title") == ""


def test_the_pixel_ratio_of_the_machine_does_not_matter(paint: BrowserRenderer) -> None:
    assert paint.begin().run("() => devicePixelRatio") == 1


# The environment


def test_an_environment_shows_what_the_browser_draws(tiny: DataSet, env: ShopSimEnv) -> None:
    fast = ShopSimEnv(tiny)
    for made in (env, fast):
        made.reset(seed=3)
    for action in (DOWN, click(fast), None):
        (seen, *_, info), (drawn, *_, same) = env.step(action), fast.step(action)
        assert seen in env.observation_space
        assert structural_similarity(seen["screenshot"], drawn["screenshot"]) > _ALIKE
        assert not np.array_equal(seen["screenshot"], drawn["screenshot"])
        assert info["text"] == same["text"]


def test_the_replay_environment_takes_a_browser_too(tiny: DataSet) -> None:
    env = ShopSimReplayEnv(tiny, renderer=Chromium(launch_timeout=90))
    observation, _ = env.reset(seed=0)
    assert not np.array_equal(observation["screenshot"], ShopSimReplayEnv(tiny).reset(seed=0)[0]["screenshot"])
    env.close()


def test_a_killed_browser_is_a_fault_and_the_next_reset_works(env: ShopSimEnv) -> None:
    first, _ = env.reset(seed=0)
    send(browsers(), signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(EnvironmentFault, match="browser"):
            env.step(DOWN)
    again, _ = env.reset(seed=0)
    assert np.array_equal(first["screenshot"], again["screenshot"])
    env.step(DOWN)


def test_a_killed_driver_is_a_fault_and_the_next_reset_works(env: ShopSimEnv) -> None:
    env.reset(seed=0)
    send([pid for pid in descendants() if pid not in browsers()], signal.SIGKILL)
    with pytest.raises(EnvironmentFault):
        env.step(DOWN)
    env.reset(seed=0)
    env.step(DOWN)


def test_a_hung_browser_is_a_fault_in_time_and_the_next_reset_works(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, renderer=Chromium(timeout=20))
    env.reset(seed=0)
    hung = browsers()
    send(hung, signal.SIGSTOP)
    start = time.monotonic()
    with pytest.raises(EnvironmentFault, match="within 20 s"):
        env.step(DOWN)
    assert time.monotonic() - start < 30
    env.reset(seed=0)
    env.step(DOWN)
    env.close()
    send(alive(hung), signal.SIGCONT)
    assert eventually(lambda: not alive(hung))


def test_a_closed_environment_leaves_no_process(tiny: DataSet) -> None:
    before = set(descendants())
    env = ShopSimEnv(tiny, renderer="browser")
    env.reset(seed=0)
    started = set(descendants()) - before
    assert started
    env.close()
    env.close()
    assert eventually(lambda: not alive(started))


def test_an_environment_nobody_holds_lets_go_of_its_page(tiny: DataSet, paint: BrowserRenderer) -> None:
    tab = paint.begin()
    browser = tab._page.context.browser
    assert browser is not None
    env = ShopSimEnv(tiny, renderer="browser")
    env.reset(seed=0)
    assert len(browser.contexts) == 2
    del env
    gc.collect()
    assert eventually(lambda: len(browser.contexts) == 1)


def test_every_episode_has_one_context_and_resets_pile_up_nothing(tiny: DataSet, env: ShopSimEnv) -> None:
    counts = set()
    for seed in range(12):
        env.reset(seed=seed)
        env.step(DOWN)
        tab = env._view.renderer._tab  # type: ignore[attr-defined]
        counts.add((len(tab._page.context.browser.contexts), len(tab._page.context.pages)))
        if seed == 3:
            early = len(browsers())
    assert len(counts) == 1
    assert eventually(lambda: len(browsers()) <= early)


def test_a_browser_that_has_opened_enough_pages_is_replaced(env: ShopSimEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    def mains() -> set[int]:
        return {
            pid
            for pid, command in descendants().items()
            if "--remote-debugging-pipe" in command and "--type=" not in command
        }

    def drivers() -> list[str]:
        return [command for command in descendants().values() if "run-driver" in command]

    monkeypatch.setattr(chromium, "_LIFETIME", 2)
    others, driving = mains(), len(drivers())
    screen = env.reset(seed=1)[0]["screenshot"]
    (first,) = mains() - others
    env.reset(seed=2)
    assert mains() - others == {first}
    assert np.array_equal(env.reset(seed=1)[0]["screenshot"], screen)
    (second,) = mains() - others
    assert second != first
    assert len(drivers()) == driving + 1
    env.step(DOWN)


def test_a_notebook_with_a_running_loop_can_use_it(env: ShopSimEnv) -> None:
    async def episode() -> Any:
        env.reset(seed=0)
        return env.step(DOWN)[0]["screenshot"]

    assert asyncio.run(episode()).shape == (608, 320, 3)


def test_a_screen_is_settled_when_it_is_handed_out(env: ShopSimEnv) -> None:
    env.reset(seed=0)
    seen = env.step(DOWN)[0]["screenshot"]
    tab = env._view.renderer._tab  # type: ignore[attr-defined]
    time.sleep(1)
    with Image.open(io.BytesIO(tab._engine.wait(tab._page.screenshot(), 30, "look again"))) as later:
        assert np.array_equal(seen, np.asarray(later.convert("RGB")))


@pytest.mark.slow
def test_sixteen_sessions_of_fifty_steps_at_once(tiny: DataSet) -> None:
    def play(seed: int) -> int:
        env = ShopSimEnv(tiny, renderer=Chromium(timeout=120), stuck_after=None)
        env.action_space.seed(seed)
        env.reset(seed=seed)
        for _ in range(50):
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert observation in env.observation_space
            if terminated or truncated:
                env.reset()
        env.close()
        return seed

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(play, range(16))) == list(range(16))


def test_many_threads_draw_at_once(tiny: DataSet) -> None:
    def episode(seed: int) -> list[bytes]:
        env = ShopSimEnv(tiny, renderer="browser")
        screens = [env.reset(seed=seed)[0]["screenshot"].tobytes()]
        screens += [env.step(DOWN)[0]["screenshot"].tobytes() for _ in range(3)]
        env.close()
        return screens

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(episode, range(4)))
    assert together == [episode(seed) for seed in range(4)]


_EPISODE = """
import sys
from shopsim.envs import ShopSimEnv
from tests.envs.processes import descendants
env = ShopSimEnv(renderer="browser")
env.reset(seed=0)
print(*descendants(), flush=True)
while True:
    env.step({"action": 0})
    env.reset()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_its_parent(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _EPISODE],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever started the tests may ignore interrupts, as shells do for what runs in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    started = [int(pid) for pid in process.stdout.readline().split()]
    assert started
    started += descendants(process.pid)
    os.kill(process.pid, number)
    assert process.wait(60) != 0
    assert eventually(lambda: not alive(started))
    process.communicate()


# What cannot be


def test_without_playwright_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_package", lambda name: None)
    with pytest.raises(InputError, match=r"shopsim\[browser\]"):
        BrowserRenderer(Shelf())


def test_without_chromium_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(choice.shutil, "which", lambda name: None)
    monkeypatch.setattr(choice, "_OWN", str(tmp_path / "*"))
    with pytest.raises(InputError, match="apt-get install chromium"):
        BrowserRenderer(Shelf())


def test_a_browser_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere/chromium.*no program"):
        BrowserRenderer(Shelf(), chromium=Chromium("/nowhere/chromium"))
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    with pytest.raises(EnvironmentFault, match="did not start"):
        BrowserRenderer(Shelf(), chromium=Chromium(fake)).begin()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [({"renderer": "pink"}, "'fast', 'browser'"), ({"theme": "pink"}, "light, dark"), ({"size": (40, 608)}, "40x608")],
)
def test_what_is_asked_for_wrongly_is_named(tiny: DataSet, arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        ShopSimEnv(tiny, **({"renderer": "browser"} | arguments))
