from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file

from shopsim.errors import InputError
from shopsim.trainers import lora
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.policy import Policy
from tests.trainers.conftest import ANSWERS, prompt


@pytest.fixture
def config(options: dict[str, Any]) -> ImitationConfig:
    return ImitationConfig(**options | {"lr": 0.01}, steps=4, batch=4, supervise="answer", eval_every=0, lora_rank=2)


def logprobs(policy: Policy) -> torch.Tensor:
    ids = policy.backend.encoder.answer(ANSWERS[2])[0]
    with torch.no_grad():
        return policy.tokens([(prompt(0), ids), (prompt(1), ids)]).logprobs


def moved(policy: Policy) -> Policy:
    """With B no longer 0."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, p in policy.model.named_parameters():
            if ".lora_B." in name:
                p.copy_(torch.randn(p.shape, generator=generator) * 0.1)
    return policy


def test_a_new_adapter_changes_nothing_and_alone_is_trained(policy: Policy) -> None:
    before, drawn = logprobs(policy), torch.random.get_rng_state()
    policy.adapt(2, seed=0)
    assert torch.equal(torch.random.get_rng_state(), drawn)
    assert torch.equal(logprobs(policy), before)
    trained = [name for name, p in policy.model.named_parameters() if p.requires_grad]
    assert trained
    assert all(".lora_" in name for name in trained)
    assert any("visual" in name for name in trained)
    assert not any("lm_head" in name for name in trained)


def test_gradient_checkpointing_reaches_the_adapter(tiny_model: Path) -> None:
    def gradients(checkpointing: bool) -> torch.Tensor:
        policy = Policy.load(tiny_model, device="cpu", gradient_checkpointing=checkpointing)
        policy.adapt(2, seed=0)
        moved(policy).tokens([(prompt(0), policy.backend.encoder.answer(ANSWERS[2])[0])]).logprobs.sum().backward()
        return torch.cat([p.grad.flatten() for p in policy.model.parameters() if p.requires_grad])

    assert torch.allclose(gradients(True), gradients(False), atol=1e-5)
    assert gradients(True).abs().max() > 1e-3


def test_the_first_weights_follow_the_seed(tiny_model: Path) -> None:
    def first(seed: int) -> torch.Tensor:
        policy = Policy.load(tiny_model, device="cpu")
        policy.adapt(2, seed)
        return torch.cat([p.flatten() for name, p in policy.model.named_parameters() if ".lora_A." in name])

    assert torch.equal(first(0), first(0))
    assert not torch.equal(first(0), first(1))


def test_what_is_saved_is_a_plain_model_and_an_adapter_for_peft(
    policy: Policy, tiny_model: Path, tmp_path: Path
) -> None:
    plain = logprobs(policy)
    policy.adapt(2, seed=0)
    here = logprobs(moved(policy))
    assert not torch.allclose(here, plain, atol=1e-3)
    (tmp_path / "model").mkdir()
    policy.save(tmp_path / "model")
    assert torch.equal(logprobs(policy), here), "saving leaves the model as it is"
    loaded = Policy.load(tmp_path / "model", device="cpu")
    assert torch.allclose(logprobs(loaded), here, atol=1e-5)
    names = set(load_file(tmp_path / "model" / "model.safetensors"))
    assert names == set(load_file(tiny_model / "model.safetensors"))
    other = Policy.load(tiny_model, device="cpu")
    PeftModel.from_pretrained(other.model, tmp_path / "model" / lora.FOLDER)  # changes the model in place
    assert torch.allclose(logprobs(other), here, atol=1e-5)


def test_only_the_adapter_moves_and_a_run_that_goes_on_is_the_same_run(config: ImitationConfig, tmp_path: Path) -> None:
    train_imitation(replace(config, steps=2))
    resumed = train_imitation(config)
    straight = train_imitation(replace(config, out=str(tmp_path / "straight")))
    for name in ("model.safetensors", "optimizer.state", "adapter/adapter_model.safetensors"):
        assert (resumed.checkpoint / name).read_bytes() == (straight.checkpoint / name).read_bytes(), name
    before, after = (load_file(Path(folder) / "model.safetensors") for folder in (config.model, resumed.checkpoint))
    for name in ("model.language_model.embed_tokens.weight", "lm_head.weight"):
        if name in before:
            assert torch.equal(before[name], after[name])
    changed = [name for name in before if not torch.equal(before[name], after[name])]
    assert any("visual" in name for name in changed)
    assert all("proj" in name or "qkv" in name or "linear_fc" in name for name in changed)


def test_grpo_goes_on_from_it_with_an_adapter_of_its_own(
    config: ImitationConfig, options: dict[str, Any], tmp_path: Path
) -> None:
    imitated = train_imitation(replace(config, steps=1))
    more = options | {"model": str(imitated.checkpoint), "out": str(tmp_path / "grpo"), "lora_rank": 3}
    small = {"groups": 1, "num_generations": 2, "max_steps": 2, "max_tokens": 4, "beta": 0.1}
    result = train_grpo(GRPOConfig(**more, **small, iterations=1))
    adapter = load_file(result.checkpoint / "adapter" / "adapter_model.safetensors")
    assert {p.shape[0] for name, p in adapter.items() if ".lora_A." in name} == {3}


def test_a_broken_adapter_is_one_line(config: ImitationConfig) -> None:
    result = train_imitation(replace(config, steps=1))
    (result.checkpoint / "adapter" / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=r"adapter_model\.safetensors cannot be read"):
        train_imitation(config)


def test_a_run_with_another_rank_is_refused(config: ImitationConfig) -> None:
    train_imitation(replace(config, steps=1))
    with pytest.raises(InputError, match="lora_rank=2, now 0"):
        train_imitation(replace(config, lora_rank=0))
