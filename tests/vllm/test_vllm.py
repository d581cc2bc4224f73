"""vLLM, in process and behind its server, answers as transformers does. Not in the default environment: Makefile."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vllm", reason="vLLM has an environment of its own: make vllm-check")

import torch

from shopsim.agents.backend import Completion, Message, Prompt, Sampling
from shopsim.agents.encoding import log_distribution
from shopsim.agents.models import load_backend
from shopsim.agents.schema import answer_schema
from shopsim.agents.server_backend import ServerBackend
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.data import DataSet
from shopsim.envs.decision import parse
from tests.vllm.conftest import VLLMServer

BOUND = 1e-4
"""Largest difference of a log-probability (float32, nats)."""


def recompute(plain: Any, prompts: Sequence[Prompt], answers: Sequence[Completion], temperature: float) -> np.ndarray:
    """Log-probabilities of answers by one forward pass of the transformers model."""
    rows = [(plain.encoder.encode(p), c.token_ids) for p, c in zip(prompts, answers, strict=True)]
    batch = plain.encoder.batch(rows, "right")
    with torch.no_grad():
        logits = plain.model(**batch.inputs).logits
    logprobs = log_distribution(logits[:, :-1], plain.encoder.suppressed, temperature)
    return logprobs.gather(-1, batch.input_ids[:, 1:, None])[..., 0][batch.completion_mask[:, 1:]].numpy()


def close(answers: Sequence[Completion], expected: np.ndarray) -> float:
    """The largest difference, which is within the bound."""
    difference = float(np.abs(np.concatenate([answer.logprobs for answer in answers]) - expected).max())
    assert difference < BOUND
    return difference


def suppressing(plain: Any) -> dict[str, Any]:
    """What a server must be told, so that it never draws what our samplers never draw."""
    return {"logit_bias": {str(token): -100 for token in plain.encoder.suppressed.nonzero()[:, 0].tolist()}}


def test_greedy_answers_are_those_of_transformers(plain: Any, engine: Any, prompts: list[Prompt]) -> None:
    ours, theirs = (backend.generate(prompts, range(6), Sampling(0.0, 24)) for backend in (plain, engine))
    for a, b in zip(ours, theirs, strict=True):
        assert (a.token_ids, a.text, a.truncated, a.prompt_tokens) == (
            b.token_ids,
            b.text,
            b.truncated,
            b.prompt_tokens,
        )
    print("in process, greedy:", close(theirs, np.concatenate([answer.logprobs for answer in ours])))


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_drawn_answers_have_the_log_probabilities_a_trainer_computes(
    plain: Any, engine: Any, prompts: list[Prompt], temperature: float
) -> None:
    answers = engine.generate(prompts, range(6), Sampling(temperature, 24))
    print("in process, drawn:", close(answers, recompute(plain, prompts, answers, temperature)))


def test_the_seed_decides_whatever_else_is_in_the_batch(engine: Any, prompts: list[Prompt]) -> None:
    together = engine.generate(prompts, range(6), Sampling(1.0, 12))
    alone = [engine.generate([prompt], [i], Sampling(1.0, 12))[0] for i, prompt in enumerate(prompts)]
    assert [answer.token_ids for answer in together] == [answer.token_ids for answer in alone]
    members = engine.generate([prompts[1]] * 8, range(8), Sampling(1.0, 12))
    assert len({answer.token_ids for answer in members}) > 1


def test_more_than_one_forward_pass_of_long_prompts_is_answered(engine: Any) -> None:
    # Taken in by pieces, they would end the engine: its generators on a CPU know no offset.
    long = [Prompt((Message("user", ("dress " * 700 + f"step {i}",)),)) for i in range(12)]
    answers = engine.generate(long, range(12), Sampling(1.0, 4))
    assert sum(answer.prompt_tokens for answer in answers) > engine.engine.llm_engine.model_config.max_model_len
    assert [len(answer.token_ids) for answer in answers] == [answer.answer_tokens for answer in answers]


def test_what_may_never_be_drawn_is_not(engine: Any, prompts: list[Prompt]) -> None:
    never = set(engine.encoder.suppressed.nonzero()[:, 0].tolist())
    drawn = {
        token for answer in engine.generate(prompts * 4, range(24), Sampling(1.5, 48)) for token in answer.token_ids
    }
    assert not drawn & never


def test_log_probabilities_are_not_told_where_they_are_of_another_distribution(
    engine: Any, prompts: list[Prompt]
) -> None:
    assert engine.generate(prompts[:1], [0], Sampling(1.0, 4, top_p=0.5))[0].logprobs is None


def test_answers_follow_a_schema(engine: Any, prompts: list[Prompt]) -> None:
    schema = answer_schema("action")
    answers = engine.generate(prompts * 2, range(12), Sampling(1.0, 64, schema=schema))
    assert all(parse(answer.text, answer.truncated).failure is None for answer in answers)
    free = engine.generate(prompts * 2, range(12), Sampling(1.0, 64))
    assert any(parse(answer.text, answer.truncated).failure is not None for answer in free)


def test_weights_are_renewed_in_place(engine: Any, model: Path, prompts: list[Prompt], tmp_path: Path) -> None:
    other = load_backend(model, device="cpu")
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in other.model.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    other.model.save_pretrained(tmp_path)
    other.encoder.save(tmp_path)
    before = engine.generate(prompts, range(6), Sampling(0.0, 16))
    engine.load_weights(tmp_path)
    try:
        after = engine.generate(prompts, range(6), Sampling(0.0, 16))
        expected = other.generate(prompts, range(6), Sampling(0.0, 16))
        assert [answer.token_ids for answer in after] == [answer.token_ids for answer in expected]
        close(after, np.concatenate([answer.logprobs for answer in expected]))
    finally:
        engine.load_weights(model)
    assert engine.generate(prompts, range(6), Sampling(0.0, 16)) == before


def test_the_server_answers_as_transformers_does(plain: Any, server: VLLMServer, prompts: list[Prompt]) -> None:
    backend = ServerBackend(server.url, request=suppressing(plain))
    ours, theirs = (b.generate(prompts, range(6), Sampling(0.0, 24)) for b in (plain, backend))
    for a, b in zip(ours, theirs, strict=True):
        assert (a.token_ids, a.truncated, a.prompt_tokens) == (b.token_ids, b.truncated, b.prompt_tokens)
        assert a.answer_tokens == b.answer_tokens
    print("server, greedy:", close(theirs, np.concatenate([answer.logprobs for answer in ours])))
    drawn = backend.generate(prompts, range(6), Sampling(1.0, 24))
    print("server, drawn:", close(drawn, recompute(plain, prompts, drawn, 1.0)))


def test_the_server_holds_answers_to_a_schema(server: VLLMServer, prompts: list[Prompt]) -> None:
    schema = answer_schema("action")
    answers = load_backend(server.url).generate(prompts, range(6), Sampling(1.0, 200, schema=schema))
    assert all(parse(answer.text, answer.truncated).failure is None for answer in answers if not answer.truncated)
    assert any(not answer.truncated for answer in answers)


def test_a_benchmark_has_equal_scores_by_every_path(
    tiny: DataSet, model: Path, server: VLLMServer, tmp_path: Path
) -> None:
    paths = {"transformers": str(model), "vllm": f"vllm:{model}"}
    settings = {"temperature": 0.0, "max_tokens": 24}
    scores = {}
    for name, path in paths.items():
        spec = AgentSpec("recverse", checkpoint=path, label="agent", settings=settings)
        results = run_benchmark(tiny, [spec], tmp_path / name, split="train", lanes=4)
        scores[name] = results.summary("agent")
    compared = [(s.fidelity, s.intent, s.reward) for s in scores.values()]
    assert compared[0] == compared[1]


def test_a_run_goes_on_over_a_kill_of_the_server(plain: Any, server: VLLMServer, prompts: list[Prompt]) -> None:
    backend = ServerBackend(server.url, request=suppressing(plain), patience=900.0)
    before = backend.generate(prompts, range(6), Sampling(0.0, 8))
    server.kill()
    restart = threading.Thread(target=server.start)
    restart.start()
    during = backend.generate(prompts, range(6), Sampling(0.0, 8))
    restart.join()
    assert backend.retries > 0
    assert [answer.token_ids for answer in during] == [answer.token_ids for answer in before]
