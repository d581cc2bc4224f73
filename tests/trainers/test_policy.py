import math
import sys
from contextlib import nullcontext

import pytest
import torch

from shopsim.agents import transformers_backend
from shopsim.agents.backend import Message, Prompt, Sampling
from shopsim.agents.encoding import log_distribution
from shopsim.errors import InputError
from shopsim.trainers import parallel
from shopsim.trainers import policy as policy_module
from shopsim.trainers.policy import Policy
from tests.trainers.conftest import ANSWERS, prompt


def answers(policy: Policy, n: int) -> list[list[int]]:
    return [policy.backend.encoder.answer(ANSWERS[i % len(ANSWERS)])[0] for i in range(n)]


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_trainer_and_sampler_agree(policy: Policy, temperature: float) -> None:
    prompts = [prompt(0), prompt(1, images=2, words=9), prompt(2, words=1), prompt(3, images=0)]
    sampled = policy.backend.generate(prompts, range(4), Sampling(temperature, max_tokens=6))
    rows = [(p, c.token_ids) for p, c in zip(prompts, sampled, strict=True)]
    tokens = policy.tokens(rows, temperature)
    old = [logprob for c in sampled for logprob in c.logprobs]
    assert tokens.ids.tolist() == [token for c in sampled for token in c.token_ids]  # sum of masks = sampled tokens
    assert tokens.logprobs.tolist() == pytest.approx(old, abs=1e-4)
    assert 0 < tokens.entropy.max() <= math.log(policy.backend.encoder.vocabulary_size)


def test_a_row_does_not_feel_its_neighbours(policy: Policy) -> None:
    rows = list(zip([prompt(0), prompt(1, images=2, words=9), prompt(2, images=0)], answers(policy, 3), strict=True))
    together = policy.tokens(rows).logprobs
    alone = torch.cat([policy.tokens([row]).logprobs for row in rows])
    assert torch.allclose(together, alone, atol=1e-5)


def test_a_screen_that_rows_share_is_encoded_once(policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    screens = [prompt(seed).images[0] for seed in range(3)]
    shown = [[0, 1], [1, 2], [], [2, 1, 0], [1]]
    prompts = [Prompt((Message("user", ("red shoe", *(screens[i] for i in row))),)) for row in shown]
    rows = list(zip(prompts, answers(policy, 5), strict=True))
    encoded: list[int] = []
    policy.model.model.visual.register_forward_hook(
        lambda _, args, kwargs, output: encoded.append(len(kwargs["grid_thw"])), with_kwargs=True
    )

    def gradients() -> dict[str, torch.Tensor]:
        policy.model.zero_grad()
        (policy.tokens(rows).logprobs * torch.linspace(-1, 1, sum(len(ids) for _, ids in rows))).sum().backward()
        return {name: p.grad.clone() for name, p in policy.model.named_parameters()}

    def drawn() -> list[tuple[int, ...]]:
        return [c.token_ids for c in policy.generate(prompts, range(5), Sampling(1.0, max_tokens=4))]

    once, answered = gradients(), drawn()
    assert encoded == [3, 3]
    for module in (policy_module, transformers_backend):
        monkeypatch.setattr(module, "screens_once", lambda *_: nullcontext())
    each, answered_each = gradients(), drawn()
    assert encoded == [3, 3, 8, 8]
    assert answered == answered_each
    for name, value in each.items():
        assert value.any(), name
        assert torch.allclose(once[name], value, atol=1e-6, rtol=1e-3), name


def test_padding_side_changes_nothing(policy: Policy) -> None:
    rows = list(zip([prompt(0, words=9), prompt(1, images=2), prompt(2, words=1)], answers(policy, 3), strict=True))
    encoder = policy.backend.encoder
    right = encoder.batch([(encoder.encode(p), ids) for p, ids in rows], "right")
    logits = policy.model(**right.inputs).logits
    mask = right.completion_mask[:, 1:]
    ids = right.input_ids[:, 1:][mask]
    expected = log_distribution(logits[:, :-1][mask], encoder.suppressed).gather(-1, ids[:, None])[:, 0]
    assert torch.allclose(policy.tokens(rows).logprobs, expected, atol=1e-5)


def test_pad_equal_to_end_changes_nothing(policy: Policy) -> None:
    rows = list(zip([prompt(0, words=9), prompt(1, words=1)], answers(policy, 2), strict=True))
    separate = policy.tokens(rows)
    policy.backend.encoder.pad_id = policy.backend.encoder.end_ids[0]
    same = policy.tokens(rows)
    assert same.ids.tolist() == separate.ids.tolist()
    assert same.ids[-1] == policy.backend.encoder.pad_id  # the end token itself is trained
    assert torch.equal(same.logprobs, separate.logprobs)


def test_screens_reach_the_training_forward(policy: Policy) -> None:
    row = prompt(0)
    other = prompt(1)
    noise = type(row)((type(row.messages[0])("user", (row.messages[0].content[0], other.images[0])),))
    ids = answers(policy, 1)[0]
    assert not torch.allclose(policy.tokens([(row, ids)]).logprobs, policy.tokens([(noise, ids)]).logprobs, atol=1e-4)


def test_nan_at_masked_positions_is_harmless(policy: Policy) -> None:
    rows = list(zip([prompt(0, words=9), prompt(1, words=1)], answers(policy, 2), strict=True))
    rows[1] = (rows[1][0], rows[1][1][-2:])  # so that the shorter answer has masked positions before it
    clean = policy.tokens(rows).logprobs.sum()
    clean.backward()
    expected = {name: p.grad.clone() for name, p in policy.model.named_parameters() if p.grad is not None}
    policy.model.zero_grad()
    head = policy.model.lm_head
    longest = len(rows[0][1])

    def poison(module: torch.nn.Module, args: object, logits: torch.Tensor) -> torch.Tensor:
        mask = torch.zeros(logits.shape[:2], dtype=torch.bool)
        mask[0, -longest - 1 : -1] = True
        mask[1, -3:-1] = True
        return torch.where(mask[..., None], logits, torch.nan)

    hook = head.register_forward_hook(poison)
    poisoned = policy.tokens(rows).logprobs.sum()
    hook.remove()
    poisoned.backward()
    assert poisoned == clean
    for name, p in policy.model.named_parameters():
        if p.grad is not None:
            assert torch.allclose(p.grad, expected[name], atol=1e-6), name


def test_a_token_nobody_can_sample_is_not_trained(policy: Policy) -> None:
    ids = answers(policy, 1)[0]
    placeholder = policy.model.config.image_token_id
    broken = [ids[0], placeholder, *ids[1:]]
    assert policy.trainable(broken) == [True, False, *[True] * (len(ids) - 1)]
    assert policy.trainable(ids) == [True] * len(ids)
    tokens = policy.tokens([(prompt(0), broken)])
    assert tokens.ids.tolist() == ids
    assert tokens.logprobs.isfinite().all()


def test_gradient_checkpointing_and_bf16_change_arithmetic_only(policy: Policy, tiny_model) -> None:
    rows = list(zip([prompt(0), prompt(1)], answers(policy, 2), strict=True))
    plain = policy.tokens(rows).logprobs
    checkpointed = Policy.load(tiny_model, device="cpu", gradient_checkpointing=True).tokens(rows).logprobs
    assert torch.allclose(plain, checkpointed, atol=1e-5)
    checkpointed.sum().backward()
    half = Policy.load(tiny_model, device="cpu", bf16=True)
    tokens = half.tokens(rows)
    assert torch.allclose(plain, tokens.logprobs, atol=0.05)
    assert not torch.equal(plain, tokens.logprobs)
    assert {p.dtype for p in half.model.parameters()} == {torch.float32}
    sampled = half.generate([prompt(0)], [0], Sampling(max_tokens=6))[0]
    gap = half.tokens([(prompt(0), sampled.token_ids)]).logprobs - torch.tensor(sampled.logprobs)
    assert gap.abs().max() < 0.05


def test_saved_and_loaded_exactly(policy: Policy, tmp_path) -> None:
    with torch.no_grad():
        for p in policy.model.parameters():
            p.add_(torch.randn_like(p), alpha=0.01)
    policy.save(tmp_path / "model")
    again = Policy.load(tmp_path / "model", device="cpu")
    row = [(prompt(0), answers(policy, 1)[0])]
    assert torch.equal(policy.tokens(row).logprobs, again.tokens(row).logprobs)


def test_a_policy_answers_as_its_back_end(policy: Policy) -> None:
    policy.renew_sampler()  # the model is its own sampler: nothing to do
    asked = ([prompt(0), prompt(1)], range(2), Sampling(max_tokens=6))
    assert policy.generate(*asked) == policy.backend.generate(*asked)
    assert policy.settings() == policy.backend.settings()
    assert policy.sampling_seconds > 0


def test_what_vllm_cannot_sample_is_said_before_it_is_loaded(policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(InputError, match="needs vLLM, in an environment of its own"):
        policy.sample_by_vllm()
    with monkeypatch.context() as patch:
        patch.setattr(parallel, "size", lambda: 2)
        with pytest.raises(InputError, match="one process only"):
            policy.sample_by_vllm()
    policy.model.config.get_text_config().tie_word_embeddings = True
    with pytest.raises(InputError, match="has tied embeddings"):
        policy.sample_by_vllm()
