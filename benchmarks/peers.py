"""ShopSim beside other environments that show screens: ``python benchmarks/peers.py``.

ALE's Pong, MiniWoB++ and BrowserGym (on a local page, its deliberate waits off), each in a virtual environment of its
own under a cache folder, made on first use, and each in a process of its own; what cannot be installed or started here
is left out with the reason. They take turns, so that all see the same machine. Processor time is that of the process
and of all it started, browsers included; resets are not part of a step.
"""

import argparse
import inspect
import json
import os
import shutil
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from env_speed import family

from shopsim.envs.screens.choice import Chromium
from shopsim.errors import InputError

ROOT = Path(__file__).parents[1]

CLOCK = f"""
import itertools, json, os, sys, time
from collections.abc import Iterator
from importlib.metadata import version

{inspect.getsource(family)}"""
CLOCK += '''

def children_seconds():
    """Processor seconds of all processes this one has started and that still run."""
    ticks = 0
    for pid in family():
        with open(f"/proc/{pid}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(env, episodes, steps, package):
    """Prints the steps per second and per processor second; a tenth as many before them warm up.

    Episodes are pairs of a seed and actions; they are played again and again.
    """
    episodes = itertools.cycle(episodes)

    def play(steps):
        cpu = wall = 0.0
        while steps > 0:
            seed, actions = next(episodes)
            env.reset(seed=seed)
            cpu -= children_seconds() + time.process_time()
            wall -= time.perf_counter()
            for action in actions:
                *_, terminated, truncated, info = env.step(action)
                steps -= 1
                if terminated or truncated:
                    break
            wall += time.perf_counter()
            cpu += time.process_time() + children_seconds()
        return cpu, wall, -steps

    play(steps // 10)
    cpu, wall, more = play(steps)
    steps += more
    env.close()
    print("RESULT", json.dumps({"cpu": steps / cpu, "wall": steps / wall, "version": version(package)}))
'''

SHOPSIM = """
import gymnasium as gym, shopsim
from benchmarks.env_speed import OPTIONS, walk
from shopsim.data import DataSet
data = DataSet.bundled()
env = gym.make("ShopSim-v0", data=data, renderer={renderer!r}, **OPTIONS)
measure(env, [(seed, list(walk(data, seed))) for seed in range(8)], {steps}, "shopsim")
"""
"""The mixed policy of `env_speed`, on cards that were drawn before."""

ALE = """
import ale_py, gymnasium as gym
gym.register_envs(ale_py)
env = gym.make("ALE/Pong-v5")
env.action_space.seed(0)
measure(env, [(0, [env.action_space.sample() for _ in range(500)])], 3000, "ale-py")
"""

MINIWOB = """
import gymnasium as gym, miniwob, numpy as np
from miniwob.action import ActionTypes
gym.register_envs(miniwob)
env = gym.make("miniwob/click-checkboxes-v1", wait_ms=0)
rng = np.random.default_rng(0)
actions = [
    env.unwrapped.create_action(ActionTypes.CLICK_COORDS, coords=np.array([x, y], np.float32))
    for x, y in rng.uniform((5, 55), (155, 205), (200, 2))
]
measure(env, [(0, actions)], 100, "miniwob")
"""

BROWSERGYM = """
import browsergym.core, gymnasium as gym, numpy as np
from playwright.sync_api import BrowserType
launch = BrowserType.launch
BrowserType.launch = lambda self, **more: launch(self, executable_path=sys.argv[2], **more)
env = gym.make(
    "browsergym/openended", task_kwargs={"start_url": "file://" + sys.argv[1], "goal": "buy something"},
    headless=True, wait_for_user_message=False, slow_mo=0, pre_observation_delay=0,
    viewport={"width": 320, "height": 608},
)
moves = ["scroll(0, 400)", "scroll(0, -400)"]
moves += [f"mouse_click({x}, {y})" for x, y in np.random.default_rng(0).integers((10, 100), (310, 500), (2, 2))]
measure(env, [(0, moves * 10)], 30, "browsergym-core")
"""
"""`slow_mo` and `pre_observation_delay` are its waits. Its chat window starts a browser too."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An environment and how to measure it."""

    name: str
    folder: str
    """Of its virtual environment; none for our own."""
    packages: tuple[str, ...]
    code: str
    browser: bool = False


PEERS = (
    Peer("ShopSim-v0, 320×608", "", (), SHOPSIM.format(renderer="fast", steps=20_000)),
    Peer("ALE/Pong-v5, 160×210, 4 frames a step", "ale", ("ale-py", "gymnasium"), ALE),
    Peer("ShopSim-v0 in Chromium, 320×608", "", (), SHOPSIM.format(renderer="browser", steps=100), browser=True),
    Peer("MiniWoB++, click-checkboxes, 160×210", "miniwob", ("miniwob",), MINIWOB, browser=True),
    Peer("BrowserGym, local page, 320×608", "browsergym", ("browsergym-core",), BROWSERGYM, browser=True),
)


class Skip(Exception):
    """Why something cannot be measured here."""


def interpreter(peer: Peer, cache: Path) -> Path:
    """Python of the peer's virtual environment, which is made where it is not there yet."""
    if not peer.folder:
        return Path(sys.executable)
    home = cache / peer.folder
    python, ready = home / "bin" / "python", home / "ready"
    if not ready.exists():
        print(f"installing {', '.join(peer.packages)} into {home}", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        _run([python, "-m", "pip", "install", "-q", *peer.packages], "cannot be installed")
        ready.touch()
    return python


def measure(peer: Peer, cache: Path, browser: str | None, page: Path) -> dict[str, float]:
    """What the peer's process says of itself."""
    if peer.browser and browser is None:
        raise Skip("needs Chromium")
    variables = {"PYTHONPATH": str(ROOT)} if not peer.folder else {}
    if peer.folder == "miniwob":
        driver = shutil.which("chromedriver")
        if driver is None:
            raise Skip("needs chromedriver (apt-get install chromium-driver)")
        variables = {"MINIWOB_CHROME_BINARY": str(browser), "MINIWOB_CHROMEDRIVER": driver}
    said = _run(
        [interpreter(peer, cache), "-c", CLOCK + peer.code, str(page), str(browser)], "does not start", variables
    )
    results = [line for line in said.splitlines() if line.startswith("RESULT ")]
    result: dict[str, float] = json.loads(results[-1].removeprefix("RESULT "))
    return result


def _run(command: list[object], fails: str, variables: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env={**os.environ, **(variables or {})}
    )
    if done.returncode:
        lines = done.stderr.splitlines()
        errors = [line for line in lines if "Error" in line or "ERROR" in line] or lines or ["no message"]
        raise Skip(f"{fails}: {errors[-1].strip()}")
    return done.stdout


def shop_page(folder: Path) -> Path:
    """A page of sixty products, for BrowserGym."""
    card = "<a class=card href='#{0}'><h3>Product {0}</h3><p>A thing to buy, number {0}</p><b>${0}.99</b></a>"
    style = ".card{display:inline-block;width:150px;height:240px;margin:2px;background:#eee}"
    path = folder / "shop.html"
    cards = "".join(card.format(i) for i in range(60))
    path.write_text(f"<!doctype html><title>Shop</title><style>{style}</style><body>{cards}</body>", encoding="utf-8")
    return path


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "shopsim-peers")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    try:
        browser: str | None = Chromium().find()
    except InputError:
        browser = None
    page = shop_page(options.cache)
    results: dict[str, list[dict[str, float]]] = {}
    skipped: dict[str, str] = {}
    for _ in range(options.rounds):
        for peer in PEERS:
            if peer.name not in skipped:
                try:
                    result = measure(peer, options.cache, browser, page)
                    print(f"{peer.name}: {result['cpu']:,.1f} steps per second and core", file=sys.stderr)
                    results.setdefault(peer.name, []).append(result)
                except Skip as reason:
                    skipped[peer.name] = str(reason)
    print(f"{'steps per second':58} {'and core':>12} {'by the clock':>12}   core time of a step against ShopSim-v0")
    ours = results[PEERS[0].name]
    for name, runs in results.items():
        if name in skipped:
            continue
        cpu, wall = (statistics.median(run[kind] for run in runs) for kind in ("cpu", "wall"))
        ratio = statistics.median(own["cpu"] / run["cpu"] for own, run in zip(ours, runs, strict=True))
        print(f"{name + ' (' + str(runs[0]['version']) + ')':58} {cpu:12,.1f} {wall:12,.1f}   {ratio:,.1f} x")
    for name, reason in skipped.items():
        print(f"{name}: skipped, {reason}")


if __name__ == "__main__":
    main()
