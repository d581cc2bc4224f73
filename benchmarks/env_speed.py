"""How fast the environments are, in copies of a screen: ``python benchmarks/env_speed.py``.

A figure is the median over rounds of a time divided by the time of a copy just before it. *Copy* is `numpy.copy` of
one screen, taken over the screens of some walks one after another, as an agent gets them: each is new to the processor.
(The same screen copied again and again stays in the processor's cache; that time is printed too.) Times are CPU seconds
of this process, so that other programs on the machine disturb less. Resets are not part of a step.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import shopsim
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import layout
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.layout import Box
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.envs.screens.paint_cache import VARIABLE
from shopsim.envs.screens.recording import record_screens
from shopsim.envs.screens.renderer import Renderer
from shopsim.errors import InputError

STEPS = 60
"""Steps of a walk."""
LANES = 64
"""Walks, and environments of a vector environment."""
ALONE = 8
"""Walks of a single environment."""
OPTIONS: dict[str, Any] = {"split": None, "max_steps": STEPS, "stuck_after": None}

Walk = list[dict[str, Any]]
Work = Callable[[], float]
"""Does something and returns the seconds that one unit of it took."""


def walk(dataset: DataSet, seed: int) -> Iterator[dict[str, Any]]:
    """A mixed policy: half of the actions change the screen; clicks go to things that can be clicked."""
    env = ShopSimEnv(dataset, pixels=False, reward=None, **OPTIONS)
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(STEPS):
        possible = info["action_mask"][: Action.TERMINATE]
        wanted = rng.random() < 0.5 or possible.all()
        number = rng.choice(np.flatnonzero(possible if wanted else ~possible))
        targets = env.shop.targets()
        point = targets[rng.integers(len(targets))].center() if wanted else (0.5, 0.01)
        action = {"action": number, "point": np.array(point, np.float32)}
        yield action
        info = env.step(action)[-1]


# What is measured


def copying(screens: list[NDArray[np.uint8]]) -> Work:
    """Copies the screens one after another."""

    def work() -> float:
        started = time.process_time()
        for screen in screens:
            copied = screen.copy()  # noqa: F841  (held until the next, as an agent holds a screen)
        return (time.process_time() - started) / len(screens)

    return work


def stepping(walks: list[Walk], **options: Any) -> Work:
    """Steps of one environment, walk after walk."""
    env = gym.make("ShopSim-v0", **OPTIONS, **options)

    def work() -> float:
        total = 0.0
        for seed, actions in enumerate(walks):
            env.reset(seed=seed)
            step = env.step
            started = time.process_time()
            for action in actions:
                result = step(action)  # noqa: F841
            total += time.process_time() - started
        return total / (len(walks) * STEPS)

    return work


def stepping_all(walks: list[Walk], **options: Any) -> Work:
    """Steps of a vector environment, one walk in each; the unit is a step of one environment."""
    env: Any = gym.make_vec("ShopSim-v0", num_envs=len(walks), **OPTIONS, **options)
    batches = [
        {name: np.stack([actions[i][name] for actions in walks]) for name in ("action", "point")} for i in range(STEPS)
    ]

    def work() -> float:
        env.reset(seed=list(range(len(walks))))
        started = time.process_time()
        for batch in batches:
            result = env.step(batch)  # noqa: F841
        return (time.process_time() - started) / (len(walks) * STEPS)

    return work


def resetting(**options: Any) -> Work:
    """Resets of one environment, its cards drawn before."""
    env = gym.make("ShopSim-v0", **OPTIONS, **options)
    env.reset(seed=0)

    def work() -> float:
        started = time.process_time()
        for _ in range(50):
            env.reset()
        return (time.process_time() - started) / 50

    return work


def painting(dataset: DataSet) -> Work:
    """Cards drawn for the first time; each call takes the next items, then goes round with an empty renderer."""
    rows = np.random.default_rng(0).permutation(dataset.n_items).tolist()
    boxes = [Box("card", 0, 0, layout.CARD_WIDTH, _height(dataset, row), row) for row in rows]
    renderer, at = Renderer(dataset), 0
    for box in boxes[-100:]:  # letters and the like are known after some cards
        renderer._card(("card", box.item, 156), box)

    def work() -> float:
        nonlocal renderer, at
        if at + 24 > len(boxes) - 100:
            renderer, at = Renderer(dataset), 0
        started = time.process_time()
        for box in boxes[at : at + 24]:
            renderer._card(("card", box.item, 156), box)
        at += 24
        return (time.process_time() - started) / 24

    return work


def _height(dataset: DataSet, row: int) -> int:
    return layout.PICTURE_HEIGHTS[dataset.aspect(row)] + layout.CARD_TEXT


def starting(code: str, cache: Path | None = None) -> Work:
    """A fresh interpreter that runs this; `cache` is where processes keep what they paint first."""
    folder = Path(tempfile.gettempdir()) / "shopsim-bytecode"
    variables = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder), "PYTHONPATH": str(Path(shopsim.__file__).parents[1])}
    variables |= {"OMP_NUM_THREADS": "1", VARIABLE: str(cache or "")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed, modules are compiled

    def spent() -> float:
        usage = getrusage(RUSAGE_CHILDREN)  # `os.times` counts in steps of 10 ms
        return usage.ru_utime + usage.ru_stime

    def work() -> float:
        before = spent()
        subprocess.run([sys.executable, "-c", code], env=variables, check=True)
        return spent() - before

    return work


# Tables


Times = list[tuple[float, float]]
"""By round, what a piece of work took, and what the unit took just before it."""


def measure(works: dict[str, Work], unit: Work, rounds: int) -> dict[str, Times]:
    """Measures each piece of work in turn; a round before the first fills the caches."""
    times: dict[str, Times] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            before = unit()
            took = work()
            if number:
                times[name].append((took, before))
    return times


def table(times: dict[str, Times], bounds: dict[str, float]) -> str:
    """The medians as lines of text."""
    lines = []
    for name, taken in times.items():
        ratio = statistics.median(took / unit for took, unit in taken)
        bound = f"   at most {bounds[name]:g}: {'yes' if ratio <= bounds[name] else 'NO'}" if name in bounds else ""
        typical = 1e6 * statistics.median(took for took, _ in taken)
        lines.append(f"{name:48} {typical:12,.1f} µs {ratio:8.2f} x{bound}")
    return "\n".join(lines)


def resident_mb(code: str) -> float:
    """Largest resident memory of a fresh interpreter that runs this (Linux)."""
    code += "\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    path = str(Path(shopsim.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[-1]) / 1024


def family(pid: str = "self") -> Iterator[str]:
    """All processes that a process has started, and those they have started (Linux)."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            children = file.read().split()
        for child in children:
            yield child
            yield from family(child)


def held_mb() -> float:
    """Memory of this process and of all it has started, shared pages counted once (Linux).

    Pages of files are left out: how many count as ours depends on who else runs the same browser.
    """
    kb = 0
    for pid in ("self", *family()):
        with open(f"/proc/{pid}/smaps_rollup") as file:
            kb += sum(int(line.split()[1]) for line in file if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return kb / 1024


def resetting_cold(dataset: DataSet) -> Work:
    """Resets onto cards that were never drawn, in a renderer that knows its bars and letters."""
    env = ShopSimEnv(dataset, theme="dark", **OPTIONS)  # the other environments share a light one
    renderer = env._view.renderer
    assert isinstance(renderer, Renderer)
    for seed in range(20):
        env.reset(seed=seed)

    def work() -> float:
        total = 0.0
        for seed in range(20, 30):
            renderer.forget()
            started = time.process_time()
            env.reset(seed=seed)
            total += time.process_time() - started
        return total / 10

    return work


def fetching(folder: Path) -> Work:
    """Steps onto screens that are recorded: each is looked up, decoded and copied."""
    shutil.copytree(DataSet.bundled().path, folder)
    record_screens(folder)
    env = ShopSimReplayEnv(folder, split=None, reward=None)

    def work() -> float:
        total, steps = 0.0, 0
        for seed in range(4):
            env.reset(seed=seed)
            for _ in range(len(env.human) - 1):  # the screen after the last step is no recorded one
                started = time.process_time()
                *_, info = env.step(None)
                total += time.process_time() - started
                steps += 1
                assert info["screen_source"] == "recorded"
        return total / steps

    return work


MEMORY = """
import gymnasium, shopsim
env = gymnasium.make_vec("ShopSim-v0", num_envs={n}, data={data!r}, split=None{more})
env.reset(seed=0)
env.action_space.seed(0)
for _ in range({steps}):
    result = env.step(env.action_space.sample())
"""


def steps_and_cards(dataset: DataSet, rounds: int, folder: Path) -> None:
    """The table of steps, resets, cards and screens."""
    walks = [list(walk(dataset, seed)) for seed in range(LANES)]
    env = ShopSimEnv(dataset, **OPTIONS)
    screens = []
    for seed, actions in enumerate(walks[:2]):
        screens.append(env.reset(seed=seed)[0]["screenshot"])
        screens += [env.step(action)[0]["screenshot"] for action in actions]
    print(f"{dataset}, {STEPS} steps a walk, half of them change the screen; medians of {rounds} rounds\n", flush=True)
    copy, sync, vector = "copy of a screen", f"SyncVectorEnv of {LANES}", f"vector of {LANES}"
    works = {
        copy: copying(screens),
        "copy of the same screen again": copying(screens[:1] * len(screens)),
        "ShopSim-v0": stepping(walks[:ALONE], data=dataset),
        "ShopSim-v0, no pixels": stepping(walks[:ALONE], data=dataset, pixels=False),
        f"{vector}, shared array": stepping_all(walks, data=dataset, copy=False),
        f"{vector}, shared array, infos of arrays": stepping_all(walks, data=dataset, copy=False, infos="arrays"),
        f"{vector}, arrays of one's own": stepping_all(walks, data=dataset),
        f"{vector}, no pixels": stepping_all(walks, data=dataset, pixels=False),
        f"{vector}, no pixels, infos of arrays": stepping_all(walks, data=dataset, pixels=False, infos="arrays"),
        sync: stepping_all(walks, data=dataset, vectorization_mode="sync"),
        "reset, cards drawn before": resetting(data=dataset),
        "reset, no pixels": resetting(data=dataset, pixels=False),
        "a card drawn for the first time": painting(dataset),
        "reset onto new cards": resetting_cold(dataset),
        "a recorded screen fetched and decoded": fetching(folder / "recorded"),
    }
    bounds = {
        "ShopSim-v0": 1.2,
        "ShopSim-v0, no pixels": 0.15,
        f"{vector}, shared array": 1.0,
        f"{vector}, arrays of one's own": 2.0,
        f"{vector}, no pixels, infos of arrays": 0.05,
        "a card drawn for the first time": 25.0,
        "reset onto new cards": 300.0,
        "a recorded screen fetched and decoded": 100.0,
    }
    times = measure(works, copying(screens), rounds)
    print(table(times, bounds))
    for name in works:
        if name.startswith("vector") and "no pixels" not in name:
            faster = statistics.median(a / b for (a, _), (b, _) in zip(times[sync], times[name], strict=True))
            print(f"{name}: {faster:.1f} times as fast as {sync} (at least 4)")


def starts(rounds: int, folder: Path) -> None:
    """The table of fresh interpreters."""
    print("\nA fresh interpreter, against importing Gymnasium\n", flush=True)
    base, whole, blind = "import gymnasium", "import, make, reset", "import, make, reset, no pixels"
    made = "import shopsim, gymnasium; env = gymnasium.make('ShopSim-v0'{}); env.reset(seed=0)"
    works = {
        base: starting(base),
        whole: starting(made.format(""), folder),  # the round that is not counted paints
        f"{whole}, a screen no process has shown": starting(made.format("")),
        blind: starting(made.format(", pixels=False")),
    }
    print(table(measure(works, starting(base), rounds), {whole: 1.2, blind: 1.2}))


def resets(path: str, n: int = 500) -> None:
    """The table of memory over many resets."""
    print(f"\nMemory of the process and its browser over {n} resets, each with one step\n", flush=True)
    for renderer in ("fast", "browser"):
        try:
            env = gym.make("ShopSim-v0", data=path, split=None, renderer=renderer)
        except InputError as reason:
            print(f"{renderer}: skipped, {reason}")
            continue
        held = []
        for number in range(1, n + 1):
            env.reset(seed=number)
            env.step({"action": Action.SCROLL_DOWN})
            if number % (n // 5) == 0:
                held.append(held_mb())
        env.close()
        print(f"{renderer}: {', '.join(f'{mb:,.0f}' for mb in held)} MB after each {n // 5}", flush=True)


def memory(path: str, steps: int = 300) -> None:
    """The table of resident memory."""
    print(f"\nLargest resident memory of a process, {steps} random steps\n", flush=True)
    for n, more in ((1, ""), (LANES, ""), (LANES, ", copy=False"), (LANES, ", pixels=False")):
        used = resident_mb(MEMORY.format(n=n, data=path, steps=steps, more=more))
        print(f"vector of {n}{more}: {used:,.0f} MB" + (" (at most 1,500)" if n == LANES else ""), flush=True)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=str(DataSet.bundled().path), help="a data set's folder")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=("steps", "start", "memory", "resets"), help="one of the tables")
    options = parser.parse_args()
    if options.only in (None, "steps"):
        with tempfile.TemporaryDirectory() as folder:
            steps_and_cards(DataSet.open(options.data), options.rounds, Path(folder))
    if options.only in (None, "start"):
        with tempfile.TemporaryDirectory() as folder:
            starts(options.rounds, Path(folder))
    if options.only in (None, "memory"):
        memory(options.data)
    if options.only in (None, "resets"):
        resets(options.data)


if __name__ == "__main__":
    main()
