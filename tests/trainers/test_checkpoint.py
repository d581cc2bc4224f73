import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from shopsim.agents.checkpoint import folder_of, latest
from shopsim.errors import InputError
from shopsim.trainers import checkpoint
from shopsim.trainers.checkpoint import Identity
from shopsim.trainers.optimizer import apply_step, make_optimizer

IDENTITY = Identity("grpo", "a" * 64, "b" * 64, {"lr": 0.1, "seed": 0})


def trained(steps: int, model: nn.Module | None = None, optimizer=None) -> tuple[nn.Module, torch.optim.Optimizer]:
    if model is None:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = make_optimizer(model, 0.01)
    for _ in range(steps):
        (model(torch.ones(2, 3)) - 1).square().sum().backward()
        apply_step(model, optimizer, 0.1, 1.0)
    return model, optimizer


def writer(model: nn.Module):
    def write(folder: Path) -> None:
        (folder / "config.json").write_text("{}")
        checkpoint.save_file(model.state_dict(), folder / "model.safetensors")

    return write


def save(out: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer) -> Path:
    return checkpoint.save(out, step, IDENTITY, writer(model), checkpoint.optimizer_state(model, optimizer))


def test_resuming_is_exact(tmp_path: Path) -> None:
    straight, _ = trained(7)
    path = save(tmp_path, 3, *trained(3))
    model, optimizer = trained(0)
    model.load_state_dict(checkpoint.load_file(path / "model.safetensors"))
    checkpoint.load_optimizer(path, model, optimizer)
    assert checkpoint.step_of(path, IDENTITY) == 3
    trained(4, model, optimizer)
    for a, b in zip(straight.parameters(), model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_one_complete_checkpoint_remains(tmp_path: Path) -> None:
    assert latest(tmp_path) is None
    for step in (0, 9, 10, 10):
        save(tmp_path, step, *trained(1))
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-000010"]
    assert latest(tmp_path) == tmp_path / "checkpoint-000010"
    assert folder_of(tmp_path) == tmp_path / "checkpoint-000010"


@pytest.mark.parametrize("died_in", ["write_model", "save_file", "rename", "rmtree"])
def test_dying_anywhere_leaves_a_complete_one(tmp_path: Path, died_in: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, optimizer = trained(1)
    save(tmp_path, 1, model, optimizer)

    def die(*args, **kwargs):
        raise KeyboardInterrupt

    write = writer(model)
    if died_in == "write_model":
        write = die
    elif died_in == "save_file":
        monkeypatch.setattr(checkpoint, "save_file", die)
        write = lambda folder: None  # noqa: E731
    elif died_in == "rename":
        monkeypatch.setattr(Path, "rename", die)
    else:
        real = checkpoint.shutil.rmtree
        monkeypatch.setattr(
            checkpoint.shutil, "rmtree", lambda path, **kw: real(path, **kw) if kw else die()
        )  # the deletion of the old one, not the clearing of leftovers
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(tmp_path, 2, IDENTITY, write, checkpoint.optimizer_state(model, optimizer))
    monkeypatch.undo()
    step = 2 if died_in == "rmtree" else 1
    found = latest(tmp_path)
    assert found is not None
    assert checkpoint.step_of(found, IDENTITY) == step
    save(tmp_path, 3, model, optimizer)  # and leftovers do not stand in the way
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("checkpoint")] == ["checkpoint-000003"]
    assert not (tmp_path / ".writing").exists()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(IDENTITY, trainer="imitation"), "another trainer"),
        (replace(IDENTITY, model="c" * 64), "another model"),
        (replace(IDENTITY, data="c" * 64), "another data"),
        (replace(IDENTITY, settings={"lr": 0.2, "seed": 0}), "lr=0.1, now 0.2"),
    ],
)
def test_another_run_is_refused_in_one_line(tmp_path: Path, other: Identity, named: str) -> None:
    path = save(tmp_path, 1, *trained(1))
    with pytest.raises(InputError, match=named) as error:
        checkpoint.step_of(path, other)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [None, "not json", "[]", json.dumps({"format": 1}), json.dumps({"format": 99})])
def test_unreadable_state_is_an_input_error(tmp_path: Path, content: str | None) -> None:
    path = save(tmp_path, 1, *trained(1))
    (path / checkpoint.STATE).unlink()
    if content is not None:
        (path / checkpoint.STATE).write_text(content)
    with pytest.raises(InputError):
        checkpoint.step_of(path, IDENTITY)


@pytest.mark.parametrize("keep", [None, 0, 40])
def test_an_unreadable_optimizer_is_an_input_error(tmp_path: Path, keep: int | None) -> None:
    path = save(tmp_path, 1, *trained(1))
    whole = (path / checkpoint.OPTIMIZER).read_bytes()
    (path / checkpoint.OPTIMIZER).unlink()
    if keep is not None:
        (path / checkpoint.OPTIMIZER).write_bytes(whole[:keep])
    with pytest.raises(InputError, match=r"optimizer\.state cannot be read"):
        checkpoint.load_optimizer(path, *trained(0))


def test_model_hash_is_of_configuration_and_weights_only(tmp_path: Path) -> None:
    model, optimizer = trained(1)
    path = save(tmp_path, 1, model, optimizer)
    before = checkpoint.model_hash(path)
    (path / checkpoint.STATE).write_text("{}")
    (path / checkpoint.OPTIMIZER).write_bytes(b"")
    assert checkpoint.model_hash(path) == before
    model2, _ = trained(2)
    writer(model2)(path)
    assert checkpoint.model_hash(path) != before


def test_a_folder_without_a_model_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a model"):
        folder_of(tmp_path)
