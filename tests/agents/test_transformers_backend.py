"""Sampling with a model in process: reproducible, exact, and the log-probabilities a trainer would compute."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from shopsim.agents.backend import Completion, Image, Message, Prompt, Sampling
from shopsim.agents.encoding import log_distribution
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.errors import InputError


def prompts(n: int = 6) -> list[Prompt]:
    """Prompts of different lengths with 0, 1 and 2 screens."""
    made = []
    for i in range(n):
        rng = np.random.default_rng(i)
        screens = [Image.of(rng.integers(0, 255, (320, 160, 3), dtype=np.uint8)) for _ in range(i % 3)]
        made.append(Prompt((Message("user", ("dress " * (5 + 7 * i), *screens, f"step {i}")),)))
    return made


def recompute(
    backend: TransformersBackend, asked: list[Prompt], given: list[Completion], temperature: float = 1.0
) -> list[Any]:
    """Log-probabilities by one plain forward pass, as a trainer does it."""
    rows = [(backend.encoder.encode(p), c.token_ids) for p, c in zip(asked, given, strict=True)]
    batch = backend.encoder.batch(rows, "right")
    with torch.no_grad():
        logits = backend.model(**batch.inputs).logits
    logprobs = log_distribution(logits[:, :-1], backend.encoder.suppressed, temperature)
    taken = logprobs.gather(-1, batch.input_ids[:, 1:, None])[..., 0]
    return [taken[i][batch.completion_mask[i, 1:]].numpy() for i in range(len(rows))]


@pytest.mark.parametrize("temperature", [1.0, 0.6, 0.0])
def test_a_batch_answers_as_each_prompt_alone(vlm: TransformersBackend, temperature: float) -> None:
    sampling = Sampling(temperature, 16)
    together = vlm.generate(prompts(), list(range(6)), sampling)
    alone = [vlm.generate([p], [i], sampling)[0] for i, p in enumerate(prompts())]
    backwards = vlm.generate(prompts()[::-1], list(range(6))[::-1], sampling)[::-1]
    for a, b, c in zip(together, alone, backwards, strict=True):
        assert a.token_ids == b.token_ids == c.token_ids
        assert a.prompt_tokens == b.prompt_tokens
        np.testing.assert_allclose(a.logprobs, b.logprobs, atol=1e-4)


def test_patches_by_a_matrix_are_those_of_the_convolution(vlm: TransformersBackend) -> None:
    patch = vlm.model.model.visual.patch_embed
    values = torch.randn((12, patch.proj.weight[0].numel()), generator=torch.Generator().manual_seed(0))
    assert "forward" in vars(patch)  # replaced
    with torch.no_grad():
        torch.testing.assert_close(patch.forward(values), type(patch).forward(patch, values), rtol=1e-4, atol=1e-5)


def test_splitting_into_smaller_batches_changes_nothing(vlm_path: Path, vlm: TransformersBackend) -> None:
    small = TransformersBackend.load(vlm_path, device="cpu", batch_size=2)
    a, b = (backend.generate(prompts(), [7] * 6, Sampling(1.0, 8)) for backend in (vlm, small))
    assert [x.token_ids for x in a] == [x.token_ids for x in b]


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_log_probabilities_are_those_of_a_plain_forward_pass(vlm: TransformersBackend, temperature: float) -> None:
    answers = vlm.generate(prompts(), list(range(6)), Sampling(temperature, 16))
    for answer, expected in zip(answers, recompute(vlm, prompts(), answers, temperature), strict=True):
        assert len(answer.logprobs) == len(answer.token_ids)
        np.testing.assert_allclose(answer.logprobs, expected, atol=1e-4)


def test_log_probabilities_depend_on_the_pixels(vlm: TransformersBackend) -> None:
    """An image that is dropped on the way would go unnoticed otherwise."""
    asked = prompts()[5]
    noise = Image.of(np.random.default_rng(99).integers(0, 255, (320, 160, 3), dtype=np.uint8))
    swapped = Prompt(
        tuple(Message(m.role, tuple(noise if isinstance(p, Image) else p for p in m.content)) for m in asked.messages)
    )
    answer = vlm.generate([asked], [0], Sampling(1.0, 16))
    true, other = recompute(vlm, [asked], answer)[0], recompute(vlm, [swapped], answer)[0]
    assert np.abs(true - other).max() > 1e-4


def test_the_seed_decides_and_eight_members_of_a_group_differ(vlm: TransformersBackend) -> None:
    asked = [prompts()[1]] * 8
    a, b = (vlm.generate(asked, list(range(8)), Sampling(1.0, 12)) for _ in range(2))
    assert a == b
    assert len({c.token_ids for c in a}) > 1
    assert len({c.token_ids for c in vlm.generate(asked, [5] * 8, Sampling(1.0, 12))}) == 1


def test_sampling_follows_the_distribution(vlm_path: Path) -> None:
    """Frequencies of the first token against its probabilities, by a chi-squared bound."""
    vlm = TransformersBackend.load(vlm_path, device="cpu", batch_size=4000)
    asked, n = prompts()[0], 4000
    first = [c.token_ids[0] for c in vlm.generate([asked] * n, list(range(n)), Sampling(1.0, 1))]
    batch = vlm.encoder.batch([(vlm.encoder.encode(asked), ())])
    with torch.no_grad():
        logits = vlm.model(**batch.inputs).logits[0, -1]
    expected = n * log_distribution(logits, vlm.encoder.suppressed).exp().double().numpy()
    seen = np.bincount(first, minlength=len(expected))
    assert seen[vlm.encoder.suppressed.numpy()].sum() == 0
    kept = expected > 0
    statistic = ((seen[kept] - expected[kept]) ** 2 / expected[kept]).sum()
    degrees = kept.sum() - 1
    assert statistic < degrees + 5 * np.sqrt(2 * degrees)


def test_top_p_draws_only_from_the_likeliest(vlm_path: Path) -> None:
    backend = TransformersBackend.load(vlm_path, device="cpu")
    with torch.no_grad():
        backend.model.lm_head.weight.mul_(60)  # a decided model
    greedy = backend.generate([prompts()[0]], [0], Sampling(0.0, 1))[0].token_ids
    narrow = backend.generate([prompts()[0]] * 50, list(range(50)), Sampling(1.0, 1, top_p=1e-6))
    assert {c.token_ids for c in narrow} == {greedy}


def _force(backend: TransformersBackend, token: int) -> None:
    """Makes the model want one token above all."""
    with torch.no_grad():
        backend.model.lm_head.weight.zero_()
        backend.model.model.language_model.norm.weight.zero_()
    backend.model.lm_head.register_forward_hook(
        lambda module, arguments, output: output.index_fill(-1, torch.tensor([token]), 100.0)
    )


def test_placeholders_and_padding_are_never_sampled(vlm_path: Path) -> None:
    for name in ("<|image_pad|>", "<|endoftext|>", "<|vision_start|>"):
        backend = TransformersBackend.load(vlm_path, device="cpu")
        token = backend.encoder.tokenizer.convert_tokens_to_ids(name)
        _force(backend, token)
        answers = backend.generate(prompts(3), [0, 1, 2], Sampling(1.0, 20))
        assert all(token not in answer.token_ids for answer in answers)


def test_the_end_token_is_part_of_the_answer_and_ends_it(vlm_path: Path) -> None:
    backend = TransformersBackend.load(vlm_path, device="cpu")
    end = backend.encoder.end_ids[0]
    _force(backend, end)
    for answer in backend.generate(prompts(3), [0, 1, 2], Sampling(1.0, 9)):
        assert answer.token_ids == (end,)
        assert len(answer.logprobs) == 1
        assert (answer.text, answer.truncated) == ("", False)


def test_an_answer_without_end_is_truncated(vlm_path: Path) -> None:
    backend = TransformersBackend.load(vlm_path, device="cpu")
    token = backend.encoder.tokenizer("a", add_special_tokens=False)["input_ids"][0]
    _force(backend, token)
    for answer in backend.generate(prompts(3), [0, 1, 2], Sampling(1.0, 9)):
        assert answer.token_ids == (token,) * 9
        assert (answer.text, answer.truncated) == ("a" * 9, True)


def test_the_checkpoints_own_sampling_defaults_are_ignored(
    vlm_path: Path, tmp_path: Path, vlm: TransformersBackend
) -> None:
    """Real checkpoints come with top-k, penalties and a temperature of their own."""
    import json
    import shutil

    copy = tmp_path / "model"
    shutil.copytree(vlm_path, copy)
    file = copy / "generation_config.json"
    own = {"do_sample": True, "top_k": 1, "temperature": 0.1, "repetition_penalty": 5.0, "max_new_tokens": 2}
    file.write_text(json.dumps(json.loads(file.read_text()) | own))
    a, b = (
        backend.generate(prompts(3), [0, 1, 2], Sampling(1.0, 12))
        for backend in (vlm, TransformersBackend.load(copy, device="cpu"))
    )
    assert a == b


def test_generating_leaves_training_mode_and_global_chance_alone(vlm_path: Path) -> None:
    backend = TransformersBackend.load(vlm_path, device="cpu")
    backend.model.train()
    torch.manual_seed(3)
    state, numpy_state = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    backend.generate(prompts(2), [0, 1], Sampling(1.0, 4))
    assert backend.model.training
    assert torch.equal(torch.get_rng_state(), state)
    assert (np.random.get_state()[1] == numpy_state).all()  # noqa: NPY002


def test_gradients_flow_after_generating(vlm_path: Path) -> None:
    backend = TransformersBackend.load(vlm_path, device="cpu")
    answers = backend.generate(prompts(3), [0, 1, 2], Sampling(1.0, 4))
    rows = [(backend.encoder.encode(p), c.token_ids) for p, c in zip(prompts(3), answers, strict=True)]
    backend.model(**backend.encoder.batch(rows, "right").inputs).logits.sum().backward()
    assert backend.model.model.visual.patch_embed.proj.weight.grad.abs().sum() > 0


def test_a_prompt_beyond_the_models_length_is_named(vlm: TransformersBackend) -> None:
    with pytest.raises(InputError, match=r"exceed the model's 4096; use fewer past screens"):
        vlm.generate(prompts(2), [0, 1], Sampling(1.0, 4090))


def test_what_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot load a model from"):
        TransformersBackend.load(tmp_path / "nothing")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="cannot load a model from"):
        TransformersBackend.load(tmp_path)


def test_answers_cannot_be_held_to_a_schema(vlm: TransformersBackend) -> None:
    with pytest.raises(InputError, match="transformers cannot hold answers to a JSON schema; use vllm:MODEL"):
        vlm.generate(prompts(1), [0], Sampling(schema="{}"))
