"""OpenEnv's own client and validator pass against the server.

``openenv`` pins other versions than ours (and 480 MB of them), so it lives in an environment of its own:
``OPENENV_PYTHON`` names its Python, ``.ci/run`` makes one.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PYTHON = os.environ.get("OPENENV_PYTHON") or (sys.executable if find_spec("openenv") else None)


@pytest.mark.slow
@pytest.mark.skipif(PYTHON is None, reason="needs a Python with openenv, named by OPENENV_PYTHON")
def test_their_client_and_validator_pass(url: str) -> None:
    assert PYTHON is not None
    script = Path(__file__).with_name("openenv_client.py")
    done = subprocess.run([PYTHON, "-P", script, url], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["validation"]["passed"], [c for c in seen["validation"]["criteria"] if not c["passed"]]
    assert seen["validation"]["mode"] == "simulation"
    assert seen["steps"] == 16
    assert seen["same start"]
    assert seen["observation"] == ["cart", "page", "screenshot", "step"]
    assert seen["start"] == [None, False]
    assert seen["rewards"][:3] == [0.0, 0.0, 0.0]
    assert seen["done"]
    assert seen["state"]["step_count"] == 4
    assert seen["state"]["seed"] == 3
    assert "RESET_NEEDED" in seen["after the end"]
    assert seen["large"] > 1 << 18
