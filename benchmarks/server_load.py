"""What the server carries: ``python benchmarks/server_load.py``, and with ``--soak 600`` whether its memory stays flat.

A server, its clients (one process for all sessions) and a process that asks for ``/health`` share this machine. Each
client sends its next action when it has the answer to the last, so the figures are those of a server that is never
idle; each plays one episode of its own again and again, so that cards are drawn before. Steps a second are by the
clock, and suffer from whatever else runs here; the CPU milliseconds of a step, the server's and the clients' apart,
suffer less. *In process* is the same walk in an environment without a server.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from typing import Any, NamedTuple

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from shopsim.envs.env import ShopSimEnv

STEPS = 60
"""Steps of an episode."""
OPTIONS: dict[str, Any] = {"split": None, "max_steps": STEPS, "stuck_after": None}
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Load(NamedTuple):
    """What was measured over some seconds."""

    sessions: int
    pixels: bool
    steps: int
    seconds: float
    server_cpu: float
    client_cpu: float
    health: list[float]
    """Seconds that each question for health took."""


def walk(seed: int) -> list[dict[str, Any]]:
    """Actions that scroll, open things and go back, and never leave."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice(7, STEPS, p=[0.35, 0.1, 0.3, 0.05, 0.15, 0.03, 0.02])
    points = rng.random((STEPS, 2))
    return [{"action": int(n), "point": point.tolist()} for n, point in zip(numbers, points, strict=True)]


@contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own; the process and its address."""
    command = [sys.executable, "-c", "from shopsim.cli import main; main()", "serve", "--port", "0", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server, server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait(20)


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far, all its threads."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory_of(pid: int) -> float:
    """Resident memory of a process in MiB."""
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * _PAGE / 2**20


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ask_for_health(url: str, stop: Event, took: Any) -> None:
    """Asks twenty times a second; puts the seconds of each answer into a queue."""
    times = []
    while not stop.wait(0.05):
        started = time.perf_counter()
        with urllib.request.urlopen(f"{url}/health") as answer:
            answer.read()
        times.append(time.perf_counter() - started)
    took.put(times)


async def _say(socket: ClientConnection, kind: str, data: Any) -> None:
    await socket.send(json.dumps({"type": kind, "data": data}))
    answer = await socket.recv(decode=False)
    if b'"type":"observation"' not in answer[:40]:
        raise RuntimeError(str(answer[:300]))


async def play(url: str, sessions: int, pixels: bool, seconds: float, every: float = 0.0, pid: int = 0) -> Any:
    """Plays in so many sessions at once.

    Args:
        url: The server's address.
        sessions: How many.
        pixels: Whether with screens.
        seconds: For how long, after every session has played an episode.
        every: Prints the memory of `pid` as often, in seconds; 0 for never.
        pid: The server's process.

    Returns:
        Steps, seconds, CPU seconds of the server and of this process.
    """
    address = url.replace("http", "ws") + "/ws"
    steps, warm, stopping = 0, 0, False
    ready, go = asyncio.Event(), asyncio.Event()

    async def shop(number: int) -> None:
        nonlocal steps, warm
        async with connect(address, max_size=None, compression=None, proxy=None) as socket:
            await _say(socket, "reset", {**OPTIONS, "pixels": pixels, "seed": number})
            for action in walk(number):
                await _say(socket, "step", action)
            warm += 1
            if warm == sessions:
                ready.set()
            await go.wait()
            while not stopping:
                await _say(socket, "reset", {"seed": number})
                for action in walk(number):
                    if stopping:
                        break
                    await _say(socket, "step", action)
                    steps += 1

    async with asyncio.TaskGroup() as group:
        for number in range(sessions):
            group.create_task(shop(number))
        await ready.wait()
        started, server, own = time.perf_counter(), cpu_of(pid), _own_cpu()
        go.set()
        while (passed := time.perf_counter() - started) < seconds:
            await asyncio.sleep(min(every or seconds, seconds - passed))
            if every:
                passed = time.perf_counter() - started
                print(f"  {passed:5.0f} s  {steps:8d} steps  {memory_of(pid):7.1f} MiB", flush=True)
        result = steps, time.perf_counter() - started, cpu_of(pid) - server, _own_cpu() - own
        stopping = True
    return result


def loaded(sessions: int, pixels: bool, seconds: float) -> Load:
    """One row of the table: a server of its own, warm."""
    with serving() as (server, url):
        context = multiprocessing.get_context("spawn")
        stop, took = context.Event(), context.Queue()
        asking = context.Process(target=ask_for_health, args=(url, stop, took))
        asking.start()
        played = asyncio.run(play(url, sessions, pixels, seconds, pid=server.pid))
        stop.set()
        health = took.get(timeout=30)
        asking.join()
    return Load(sessions, pixels, *played, health)


def in_process(pixels: bool, seconds: float) -> tuple[float, float]:
    """Steps a second and CPU milliseconds a step without a server."""
    env = ShopSimEnv(pixels=pixels, **OPTIONS)
    spent = cpu = 0.0
    rounds = 0
    while spent < seconds:
        started, own = time.perf_counter(), time.process_time()
        for seed in range(16):
            env.reset(seed=seed)
            for action in walk(seed):
                env.step(action)
        if rounds:  # the first draws the cards
            spent, cpu = spent + time.perf_counter() - started, cpu + time.process_time() - own
        rounds += 1
    steps = 16 * STEPS * (rounds - 1)
    return steps / spent, 1000 * cpu / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each row is measured")
    parser.add_argument("--soak", type=float, default=0.0, help="instead: seconds at 64 sessions, with screens")
    args = parser.parse_args()
    if args.soak:
        soak(args.soak)
        return
    print("| sessions | screens | steps/s | server CPU ms/step | clients' CPU ms/step | /health p50, p99 ms |")
    print("|---|---|---|---|---|---|")
    for pixels in (False, True):
        rate, cost = in_process(pixels, args.seconds / 2)
        shown = "PNG" if pixels else "none"
        print(f"| in process | {'array' if pixels else 'none'} | {rate:.0f} | {cost:.2f} | | |", flush=True)
        for sessions in (1, 16, 64):
            load = loaded(sessions, pixels, args.seconds)
            cuts = statistics.quantiles(load.health, n=100)
            print(
                f"| {sessions} | {shown} | {load.steps / load.seconds:.0f} | {1000 * load.server_cpu / load.steps:.2f} "
                f"| {1000 * load.client_cpu / load.steps:.2f} | {1000 * cuts[49]:.0f}, {1000 * cuts[98]:.0f} |",
                flush=True,
            )


def soak(seconds: float) -> None:
    """Prints the server's memory while 64 sessions play, with screens."""
    with serving() as (server, url):
        print(f"start: {memory_of(server.pid):.1f} MiB")
        steps, spent, server_cpu, client_cpu = asyncio.run(play(url, 64, True, seconds, 15.0, server.pid))
        print(f"{steps} steps in {spent:.0f} s; CPU seconds: server {server_cpu:.0f}, clients {client_cpu:.0f}")
        time.sleep(2)
        print(f"all sessions closed: {memory_of(server.pid):.1f} MiB")


if __name__ == "__main__":
    main()
