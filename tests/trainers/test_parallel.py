"""Two processes started by torchrun give the update of one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from shopsim.errors import InputError
from shopsim.trainers import grpo, parallel
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.logs import read
from shopsim.trainers.shop_r1 import ShopR1Config, train_shop_r1

SCRIPT = """
import json, sys
import torch
from torch import distributed
torch.set_num_threads(1)
from shopsim.trainers import grpo
from shopsim.trainers.{module} import {config}, {train}
grpo.contrasted = lambda rewards, _, groups, *__: [float(i) * (group > 0) for i, group in enumerate(groups)]
options = json.loads(sys.argv[1])
options["size"] = tuple(options["size"])
{train}({config}(**options))
assert distributed.get_world_size() == 2, distributed.get_world_size()
print("one of two", flush=True)
distributed.destroy_process_group()
"""

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
IMITATION = {"steps": 2, "batch": 5, "micro_batch": 2, "supervise": "answer", "grid": 20, "eval_every": 2}
SHOP_R1 = {"iterations": 2, "groups": 3, "num_generations": 2, "max_tokens": 6, "eval_every": 2, "eval_sessions": 2}
SHOP_R1 |= {"alpha": 1.0, "certainty_over": "answer"}  # what an untrained model's answers differ in
# Three trajectories, so that one process has twice as many as the other. The first group teaches nothing, see SCRIPT.
GRPO = {
    "iterations": 2,
    "groups": 1,
    "num_generations": 3,
    "max_steps": 3,
    "max_tokens": 5,
    "mini_batches": 2,
    "refills": 2,
}


def test_one_process_is_a_team_of_one() -> None:
    assert (parallel.rank(), parallel.size()) == (0, 1)
    assert parallel.gather(parallel.share([1, 2, 3])) == [1, 2, 3]
    assert parallel.total([1.0, 2.0]) == [1.0, 2.0]


def test_fsdp_wants_several_processes_and_no_adapter(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="torchrun"):
        train_imitation(ImitationConfig(**options, fsdp=True))
    with pytest.raises(InputError, match="lora_rank=0"):
        ImitationConfig(**options, fsdp=True, lora_rank=4)


@pytest.mark.slow
@pytest.mark.parametrize("fsdp", [False, True])
@pytest.mark.parametrize("trainer", ["imitation", "grpo", "shop-r1"])
def test_two_processes_give_the_update_of_one(
    trainer: str, fsdp: bool, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An untrained model's answers are all unreadable, so all rewards are equal: make some up, here and in the script.
    monkeypatch.setattr(
        grpo, "contrasted", lambda _, __, groups, *___: [float(i) * (group > 0) for i, group in enumerate(groups)]
    )
    options |= {"max_grad_norm": 0.05}  # the norm is that of the whole gradient
    if trainer == "imitation":
        names = {"module": "imitation", "config": "ImitationConfig", "train": "train_imitation"}
        more: dict[str, Any] = IMITATION
        alone = train_imitation(ImitationConfig(**options, **more))
    elif trainer == "shop-r1":
        names = {"module": "shop_r1", "config": "ShopR1Config", "train": "train_shop_r1"}
        more = SHOP_R1
        alone = train_shop_r1(ShopR1Config(**options, **more))
    else:
        names = {"module": "grpo", "config": "GRPOConfig", "train": "train_grpo"}
        more = GRPO | {"beta": 0.1}
        alone = train_grpo(GRPOConfig(**options, **more))
    script = tmp_path / "two.py"
    script.write_text(SCRIPT.format(**names))
    out = tmp_path / "two"
    made = subprocess.run(
        [*TORCHRUN, str(script), json.dumps({**options, **more, "out": str(out), "fsdp": fsdp})],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    assert made.stdout.count("one of two") == 2
    (checkpoint,) = out.glob("checkpoint-*")
    assert checkpoint.name == alone.checkpoint.name
    weights = [load_file(path / "model.safetensors") for path in (alone.checkpoint, checkpoint)]
    moments = [load_file(path / "optimizer.state") for path in (alone.checkpoint, checkpoint)]
    for name, one in moments[0].items():
        assert one.any()
        assert torch.allclose(moments[1][name], one, atol=1e-3 * float(one.abs().max()), rtol=1e-2), name
    for name, one in weights[0].items():
        # Adam's first steps have the gradient's sign, whatever its size: where it is rounding, so is the sign.
        assert torch.isclose(weights[1][name], one, atol=1e-5).float().mean() > 0.97, name
    curves = [read(path) for path in (alone.checkpoint.parent, out)]
    for a, b in zip(*curves, strict=True):
        assert a.keys() == b.keys()
        for name in a:
            if not name.startswith("time/"):
                assert b[name] == pytest.approx(a[name], rel=1e-3, abs=1e-5), name
