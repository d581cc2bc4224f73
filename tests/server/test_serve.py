"""`shopsim serve` as a user starts and stops it."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shopsim.errors import EnvironmentFault
from shopsim.server.remote import RemoteShopSimEnv
from tests.envs.driving import BACK

COMMAND = [sys.executable, "-c", "from shopsim.cli import main; main()", "serve"]


@contextmanager
def serving(*arguments: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command while the block runs, and the address it says."""
    environment = {**os.environ, **variables}
    server = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert server.stdout is not None
        yield server, server.stdout.readline().split()[1]
    finally:
        server.kill()
        server.wait()


def refused(*arguments: str) -> str:
    """What the command says to what it refuses."""
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_stops_when_told(tiny_path: Path, stop: signal.Signals) -> None:
    with serving("--port", "0", "--data", str(tiny_path)) as (server, url):
        with urllib.request.urlopen(f"{url}/metadata") as answer:
            assert json.load(answer)["data"] == ["tiny"]
        env = RemoteShopSimEnv(url, pixels=False)
        env.reset(seed=0)
        server.send_signal(stop)
        _, said = server.communicate(timeout=30)
        assert server.returncode == 0
        assert "Traceback" not in said
        with pytest.raises(EnvironmentFault, match="hung up"):
            env.step(BACK)


@pytest.mark.slow
def test_it_refuses_what_is_unsafe_or_impossible(tiny_path: Path, tmp_path: Path) -> None:
    assert "token" in refused("--host", "0.0.0.0", "--port", "0")
    assert "nothing" in refused("--data", str(tmp_path / "nothing"))
    with serving("--port", "0", "--data", str(tiny_path), SHOPSIM_TOKEN="from outside") as (_, url):
        assert "cannot listen" in refused("--port", url.rpartition(":")[2], "--data", str(tiny_path))
        RemoteShopSimEnv(url, token="from outside", pixels=False).close()
