"""kill -9 in the middle of a benchmark: at most the sessions at hand are lost, and the run ends the same."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shopsim.benchmark_usb.results import LINES, Results
from shopsim.benchmark_usb.summary import Cost, SessionScore

ROOT = Path(__file__).parents[2]

SLOW = """
import time
from shopsim.agents.trivial import RandomAgent

class Slow(RandomAgent):
    def act(self, observation, info):
        time.sleep(0.05)
        return super().act(observation, info)
"""


def command(tiny_path: Path, out: Path, lanes: int) -> list[str]:
    arguments = [
        "benchmark",
        "run",
        "--alone",
        "--agents",
        "slow_shopper:Slow",
        "--data",
        str(tiny_path),
        "--split",
        "train",
    ]
    arguments += ["--repetitions", "3", "--lanes", str(lanes), "-o", str(out), "--json"]
    return [sys.executable, "-P", "-c", "from shopsim.cli import main; main()", *arguments]


def untimed(out: Path) -> list[SessionScore]:
    return [replace(score, cost=Cost()) for score in Results.open(out).scores("slow_shopper:Slow")]


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_killed_run_loses_at_most_the_sessions_at_hand(tiny_path: Path, tmp_path: Path, lanes: int) -> None:
    (tmp_path / "slow_shopper.py").write_text(SLOW, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = tmp_path / "killed"
    lines, before = out / LINES, 0
    for _ in range(2):
        with subprocess.Popen(command(tiny_path, out, lanes), cwd=tmp_path, env=env, stderr=subprocess.DEVNULL) as run:
            while not lines.exists() or lines.read_bytes().count(b"\n") < before + 3:
                assert run.poll() is None, "the run ended before it could be killed"
                time.sleep(0.01)
            run.send_signal(signal.SIGKILL)
        # Every finished rollout is a whole line; at most the end is torn.
        after = lines.read_bytes().count(b"\n")
        assert after >= before + 3
        assert len(untimed(out)) == after
        before = after
    kept = untimed(out)
    done = subprocess.run(
        command(tiny_path, out, lanes), cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    whole = untimed(out)
    assert len(whole) == 15 == len(lines.read_bytes().splitlines()), "nothing was played twice"
    assert all(score in whole for score in kept)
    straight = tmp_path / "straight"
    subprocess.run(command(tiny_path, straight, lanes), cwd=tmp_path, env=env, capture_output=True, check=True)
    assert untimed(straight) == whole
