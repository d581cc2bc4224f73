"""GRPO with vLLM as its sampler: it draws from the weights as they are, in every iteration."""

from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: make vllm-check")

from shopsim.agents.backend import Prompt, Sampling
from shopsim.agents.models import load_backend
from shopsim.agents.vllm_backend import VLLMBackend
from shopsim.data import DataSet
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.logs import read

BOUND = 1e-5
"""Largest mean difference of a token's log-probability between trainer and sampler (float32, nats)."""


def test_every_iteration_draws_from_the_weights_as_they_are(
    model: Path, tiny: DataSet, prompts: list[Prompt], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two iterations as they should be, and a third for which the weights are held back, so that it is seen."""
    hand_over, asked = VLLMBackend.load_weights, []

    def load_weights(engine: VLLMBackend, folder: Path) -> None:
        asked.append(engine)
        if len(asked) < 3:
            hand_over(engine, folder)

    monkeypatch.setattr(VLLMBackend, "load_weights", load_weights)
    config = GRPOConfig(
        model=str(model), data=str(tiny.path), out=str(tmp_path / "run"), agent="tiny", size=(160, 320), device="cpu",
        sampler="vllm", groups=2, num_generations=4, max_steps=3, max_tokens=12, iterations=3,
        # An untrained model's answers are all worth the same: it is the decay that moves the weights.
        lr=1e-2, weight_decay=10.0,
    )  # fmt: skip
    result = train_grpo(config)
    gaps = [line["policy/logprob_gap"] for line in read(tmp_path / "run")]
    print("mean difference of log-probabilities, the third without new weights:", gaps)
    assert max(gaps[:2]) < BOUND
    assert gaps[2] > 100 * BOUND

    hand_over(asked[0], result.checkpoint)
    ours, theirs = (
        backend.generate(prompts, range(6), Sampling(0.0, 16))
        for backend in (load_backend(result.checkpoint, device="cpu"), asked[0])
    )
    assert [answer.token_ids for answer in theirs] == [answer.token_ids for answer in ours]
