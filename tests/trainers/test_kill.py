"""kill -9 at any moment, resume, and the curve is that of a run nobody touched, bit for bit."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.trainers import grpo
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.logs import read
from shopsim.trainers.shop_r1 import ShopR1Config, train_shop_r1

SCRIPT = """
import json, sys, torch
torch.set_num_threads(1)
from {module} import {config}, {train}
from shopsim.trainers import grpo
grpo.contrasted = lambda rewards, _, groups, *__: [float(i) * (group % 3 == 1) for i, group in enumerate(groups)]
options = json.loads(sys.argv[1])
options["size"] = tuple(options["size"])
{train}({config}(**options), lambda done, total, scalars: print(done, flush=True))
print("finished", flush=True)
"""

IMITATION = {"steps": 8, "batch": 4, "supervise": "answer", "grid": 20, "save_every": 1, "eval_every": 3}
GRPO = {"iterations": 6, "groups": 2, "num_generations": 2, "max_steps": 3, "max_tokens": 6, "save_every": 1}
REFILLS = GRPO | {"refills": 2}  # of the groups 0, 1; 2; 4 those numbered 1 and 4 teach something, see SCRIPT
SHOP_R1 = {"iterations": 6, "groups": 2, "num_generations": 2, "max_tokens": 6, "save_every": 1}
SHOP_R1 |= {"alpha": 1.0, "certainty_over": "answer"}  # what an untrained model's answers differ in
TRAINERS: dict[type, Any] = {
    ImitationConfig: train_imitation,
    GRPOConfig: train_grpo,
    ShopR1Config: train_shop_r1,
}


def curve(out: Path) -> list[dict[str, Any]]:
    return [{name: v for name, v in line.items() if not name.startswith("time/")} for line in read(out)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "more"),
    [(ImitationConfig, IMITATION), (GRPOConfig, GRPO), (GRPOConfig, REFILLS), (ShopR1Config, SHOP_R1)],
    ids=["imitation", "grpo", "refills", "shop-r1"],
)
def test_killed_and_resumed_is_the_same_run(
    kind: type[Any], more: dict[str, Any], options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An untrained model's answers are all unreadable, so all rewards are equal: make some up, here and in the script.
    monkeypatch.setattr(
        grpo, "contrasted", lambda _, __, groups, *___: [float(i) * (group % 3 == 1) for i, group in enumerate(groups)]
    )
    train = TRAINERS[kind]
    names = {"module": train.__module__, "config": kind.__name__, "train": train.__name__}
    straight = train(kind(**options, **more))
    out = tmp_path / "killed"
    arguments = json.dumps({**options, **more, "out": str(out)})
    command = [sys.executable, "-c", SCRIPT.format(**names), arguments]
    rng = np.random.default_rng(0)
    kills, finished = 0, False
    while not finished:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            if kills < 2 and line and line != "finished\n":
                # Somewhere within the next step, its log line or its checkpoint.
                time.sleep(rng.uniform(0, 0.15))
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            finished = "finished" in (line + process.stdout.read())
        if kills:
            assert len(list(out.glob("checkpoint-*"))) >= 1
    assert kills == 2
    assert curve(out) == curve(straight.checkpoint.parent)
    resumed = next(out.glob("checkpoint-*"))
    for name in ("model.safetensors", "optimizer.state"):
        assert (resumed / name).read_bytes() == (straight.checkpoint / name).read_bytes()
