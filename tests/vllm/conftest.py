"""One tiny model by transformers, by vLLM in process and behind vLLM's server: ``make vllm-check`` runs these tests."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.agents.backend import Image, Message, Prompt
from shopsim.agents.checkpoint import AgentSetup
from shopsim.data import DataSet

IMAGES = 3
"""Most images in a prompt of these tests."""


@pytest.fixture(scope="session")
def model(tiny: DataSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an untrained tiny model, with the further file of a trainer's checkpoint in it."""
    import torch
    from safetensors.torch import save_file

    from shopsim.trainers.checkpoint import OPTIMIZER
    from shopsim.trainers.tiny import make_start_model

    folder = make_start_model(tmp_path_factory.mktemp("model") / "tiny", tiny)
    AgentSetup("tiny", (160, 320)).write(folder)
    save_file({"lm_head.weight/exp_avg": torch.zeros(2)}, folder / OPTIMIZER)
    return folder


@pytest.fixture(scope="session")
def plain(model: Path) -> Any:
    """The model by transformers."""
    from shopsim.agents.models import load_backend

    return load_backend(model, device="cpu")


@pytest.fixture(scope="session")
def engine(model: Path) -> Any:
    """The model by vLLM in this process."""
    from shopsim.agents.models import load_backend

    return load_backend(f"vllm:{model}", max_images=IMAGES)


class VLLMServer:
    """vLLM's own server over a model; `start` waits until it answers."""

    def __init__(self, model: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        limits = json.dumps({"image": IMAGES, "video": 0})
        self._command = [
            sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--port", str(self.port),
            "--host", "127.0.0.1", "--served-model-name", "tiny", "--dtype", "float32", "--enforce-eager",
            "--limit-mm-per-prompt", limits, "--generation-config", "vllm", "--kv-cache-memory-bytes", str(2**28),
            "--logprobs-mode", "processed_logprobs",
            "--structured-outputs-config", json.dumps({"backend": "xgrammar", "disable_any_whitespace": True}),
        ]  # fmt: skip
        self._log = model.parent / "server.log"

    def start(self, patience: float = 900.0) -> None:
        # In a session of its own: its engine is a child that must go with it.
        with self._log.open("a") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + patience
        while time.monotonic() < end and self._process.poll() is None:
            try:
                return urllib.request.urlopen(f"{self.url}/models", timeout=5).close()
            except OSError:
                time.sleep(1)
        self.kill()
        pytest.fail(f"vLLM's server did not start: {self._log.read_text()[-2000:]}")

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@pytest.fixture(scope="session")
def server(model: Path) -> Iterator[VLLMServer]:
    """vLLM's server over the model."""
    server = VLLMServer(model)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def prompts() -> list[Prompt]:
    """Prompts of different lengths with 0, 1 and 2 screens."""
    made = []
    for i in range(6):
        rng = np.random.default_rng(i)
        screens = [Image.of(rng.integers(0, 255, (320, 160, 3), dtype=np.uint8)) for _ in range(i % 3)]
        made.append(Prompt((Message("user", ("dress " * (5 + 7 * i), *screens, f"step {i}")),)))
    return made
