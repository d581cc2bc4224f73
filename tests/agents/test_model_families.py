"""The same path for other model families: small random models of each, saved and loaded like checkpoints."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen3_5Config,
    Qwen3_5ForConditionalGeneration,
)
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from shopsim.agents.backend import Image, Message, Prompt, Sampling
from shopsim.agents.encoding import log_distribution
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.errors import InputError

TEXT = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "tie_word_embeddings": False,
    "bos_token_id": None,
    "eos_token_id": None,
}
VISION = {"depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 4, "out_hidden_size": 64}


def qwen2_5(tokens: dict[str, int], size: int) -> Any:
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}
    vision = VISION | {"patch_size": 14, "fullatt_block_indexes": [1], "window_size": 112}
    config = Qwen2_5_VLConfig(
        text_config=TEXT | {"vocab_size": size, "rope_parameters": rope}, vision_config=vision, **tokens
    )
    return Qwen2_5_VLForConditionalGeneration(config), 14


def qwen3_5(tokens: dict[str, int], size: int) -> Any:
    rope = {
        "rope_type": "default",
        "rope_theta": 1e4,
        "mrope_section": [2, 1, 1],
        "mrope_interleaved": True,
        "partial_rotary_factor": 0.25,
    }
    linear = {"num_key_heads": 2, "num_value_heads": 4, "key_head_dim": 16, "value_head_dim": 16}
    text = TEXT | {"vocab_size": size, "head_dim": 32, "rope_parameters": rope}
    text |= {f"linear_{name}": value for name, value in linear.items()}
    vision = VISION | {"patch_size": 16, "num_position_embeddings": 400}
    return Qwen3_5ForConditionalGeneration(Qwen3_5Config(text_config=text, vision_config=vision, **tokens)), 16


def llama(tokens: dict[str, int], size: int) -> Any:
    return LlamaForCausalLM(LlamaConfig(vocab_size=size, **TEXT)), None


@pytest.fixture(params=[qwen2_5, qwen3_5, llama], ids=lambda make: make.__name__)
def family(request: Any, vlm_path: Path, tmp_path: Path) -> tuple[TransformersBackend, bool]:
    """A loaded model of another family with the tiny model's tokenizer, and whether it sees."""
    tokenizer = AutoTokenizer.from_pretrained(vlm_path)
    names = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    with torch.random.fork_rng():
        torch.manual_seed(0)
        tokens = {name: tokenizer.convert_tokens_to_ids(token) for name, token in names.items()}
        model, patch = request.param(tokens, len(tokenizer))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    if patch is not None:
        Qwen2VLImageProcessorPil(patch_size=patch, merge_size=2).save_pretrained(tmp_path)
    return TransformersBackend.load(tmp_path, device="cpu"), patch is not None


def ask(i: int, sees: bool) -> Prompt:
    rng = np.random.default_rng(i)
    screens = [Image.of(rng.integers(0, 255, (320, 160, 3), dtype=np.uint8)) for _ in range(i % 3 if sees else 0)]
    return Prompt((Message("user", ("dress " * (3 + 5 * i), *screens, "go")),))


def test_batches_and_log_probabilities_agree(family: tuple[TransformersBackend, bool]) -> None:
    backend, sees = family
    prompts = [ask(i, sees) for i in range(5)]
    together = backend.generate(prompts, range(5), Sampling(1.0, 10))
    alone = [backend.generate([p], [i], Sampling(1.0, 10))[0] for i, p in enumerate(prompts)]
    assert [c.token_ids for c in together] == [c.token_ids for c in alone]
    rows = [(backend.encoder.encode(p), c.token_ids) for p, c in zip(prompts, together, strict=True)]
    batch = backend.encoder.batch(rows, "right")
    with torch.no_grad():
        logits = backend.model(**batch.inputs).logits
    logprobs = log_distribution(logits[:, :-1], backend.encoder.suppressed)
    taken = logprobs.gather(-1, batch.input_ids[:, 1:, None])[..., 0][batch.completion_mask[:, 1:]]
    np.testing.assert_allclose(taken, np.concatenate([c.logprobs for c in together]), atol=1e-4)


def test_a_text_model_says_that_it_reads_no_images(family: tuple[TransformersBackend, bool]) -> None:
    backend, sees = family
    if sees:
        assert backend.generate([ask(1, True)], [0], Sampling(1.0, 2))[0].prompt_tokens > 50
    else:
        with pytest.raises(InputError, match="reads no images"):
            backend.generate([ask(1, True)], [0], Sampling(1.0, 2))
