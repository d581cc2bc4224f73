"""Processes under this one, read from /proc: for tests that kill browsers and look for what was left behind."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def descendants(pid: int | None = None) -> dict[int, str]:
    """Command lines of the processes below one, by process id."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name) state parent ...; the name may hold anything.
            number, rest = status.read_text(errors="replace").split(" ", 1)
            state, parent = rest.rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(number)] = int(parent)
    top = os.getpid() if pid is None else pid
    return {child: _command(child) for child in parents if child != top and top in _ancestors(child, parents)}


def browsers(pid: int | None = None) -> list[int]:
    """Process ids of the browsers below one, helpers included."""
    return [
        child
        for child, command in descendants(pid).items()
        if "--remote-debugging-pipe" in command or "--type=" in command
    ]


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Sends a signal to processes that may have ended meanwhile."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def alive(pids: Iterable[int]) -> list[int]:
    """Those that still run."""
    found = []
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()[0] != "Z":
                found.append(pid)
        except OSError:
            continue
    return found


def eventually(holds: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether something comes to hold within some seconds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _ancestors(pid: int, parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    while (pid := parents.get(pid, 0)) and pid not in found:
        found.add(pid)
    return found
