"""GRPO with vLLM as its sampler: it draws from the weights as they are, in every iteration."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: make vllm-check")

import torch

from shopsim.agents.backend import Prompt, Sampling
from shopsim.agents.vllm_backend import VLLMBackend
from shopsim.data import DataSet
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy

BOUND = 1e-5
"""Largest mean difference of a token's log-probability between trainer and sampler (float32, nats)."""


@pytest.fixture
def gaps(model: Path, tiny: DataSet, tmp_path: Path) -> Callable[[], list[float]]:
    """Trains two iterations and tells the gap of each."""

    def train() -> list[float]:
        settings: dict[str, Any] = {"agent": "tiny", "size": (160, 320), "device": "cpu", "lr": 1e-2}
        settings |= {"groups": 2, "num_generations": 4, "max_steps": 3, "max_tokens": 12, "iterations": 2}
        config = GRPOConfig(
            model=str(model), data=str(tiny.path), out=str(tmp_path / "run"), sampler="vllm", **settings
        )
        train_grpo(config)
        lines = read(tmp_path / "run")
        assert all(line["policy/grad_norm"] > 0 for line in lines)
        assert all(line["time/sampling"] > 0 for line in lines)
        return [line["policy/logprob_gap"] for line in lines]

    return train


def test_trainer_and_sampler_agree_in_every_iteration(gaps: Callable[[], list[float]]) -> None:
    first, second = gaps()
    print("gaps:", first, second)
    assert first < BOUND
    assert second < BOUND


def test_weights_that_were_not_handed_over_would_be_seen(
    gaps: Callable[[], list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VLLMBackend, "load_weights", lambda *_: None)
    first, second = gaps()
    print("gaps without new weights:", first, second)
    assert first < BOUND
    assert second > 100 * BOUND


def test_a_policy_answers_alike_by_either_sampler(model: Path, prompts: list[Prompt]) -> None:
    policy = Policy.load(model, device="cpu")
    policy.sample_by_vllm()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in policy.model.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=generator))
    policy.renew_sampler()
    ours, theirs = (drawn.generate(prompts, range(6), Sampling(0.0, 16)) for drawn in (policy.backend, policy))
    assert policy.settings()["kind"] == "vllm"
    assert [answer.token_ids for answer in theirs] == [answer.token_ids for answer in ours]
