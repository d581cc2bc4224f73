"""A very small vision-language model made from nothing: Qwen3-VL's architecture, about a million weights. Ours.

It exists so that everything that works with a real checkpoint (loading, sampling, imitation, GRPO) runs on a
laptop within minutes. It is saved like a real one and loads by the same path. It knows nothing before it is trained.

The tokenizer is a byte-level BPE trained on given texts. So that short answers mean quick sampling and easy credit,
the fixed parts of a canonical answer (`shopsim.envs.decision.to_json`), the names of the actions and the coordinates
on a grid of 20 are tokens of their own: leaving costs 4 tokens, a click 8, the end token included.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3VLConfig, Qwen3VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from shopsim.agents.encoding import no_progress_bars
from shopsim.data.vocabulary import ACTION_LABELS

Size = Literal["test", "default", "nano", "large"]

GRID = 20
"""Coordinates that are multiples of this (of 0 to 1000) are one token each."""

EMBEDDED = 0.2
"""Spread of the first embeddings."""

PLACED = 1.0
"""Spread of the first embeddings of places on a screen. At that of words they are drowned while a model learns what
shows, and then it cannot say where (docs/results.md)."""

PATCH, MERGE = 16, 2
"""A screen's sides should be multiples of 32; 160 x 320 gives 50 image tokens, 320 x 608 gives 190."""


@dataclass(frozen=True)
class _Shape:
    hidden: int
    layers: int
    vision_hidden: int
    vision_layers: int


_SHAPES: dict[Size, _Shape] = {
    "test": _Shape(64, 2, 32, 1),
    "default": _Shape(128, 2, 64, 2),
    "nano": _Shape(128, 3, 96, 3),
    "large": _Shape(192, 3, 96, 3),
}

_SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)

_TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content -%}
{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}
{%- endfor %}{% endif %}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}
"""

_NOTHING_WRITTEN = ',"episodic":null,"preference":null}'
_ANSWER_PARTS = (
    '{"mind":"',
    '{"mind":"","action":{"type":"',
    '","action":{"type":"',
    '","point":[',
    '"}',
    '"}' + _NOTHING_WRITTEN,
    "]}" + _NOTHING_WRITTEN,
    '"},"episodic":',
    ']},"episodic":',
    ',"preference":',
    ',"preference":null}',
    "null",
)


def make_tiny_vlm(
    folder: str | Path, texts: Iterable[str], seed: int = 0, size: Size = "default", vocabulary: int = 1536
) -> Path:
    """Makes and saves an untrained model.

    Args:
        folder: Where it goes; replaced where it exists.
        texts: What the tokenizer is trained on: prompts and answers as the agent will see and give them.
        seed: Of the weights.
        size: "test" (about 0.4 M weights), "default" (1.1 M), "nano" (1.4 M) or "large" (2.4 M); a larger vocabulary
            adds to that.
        vocabulary: Most tokens; few texts give fewer.

    Returns:
        The folder; `shopsim.agents.transformers_backend.TransformersBackend.load` reads it.
    """
    folder = Path(folder)
    tokenizer = _tokenizer(texts, vocabulary)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3VLForConditionalGeneration(_config(tokenizer, _SHAPES[size]))
        _draw(model)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = Qwen2VLImageProcessorPil(
        patch_size=PATCH,
        merge_size=MERGE,
        temporal_patch_size=2,
        size={"shortest_edge": (PATCH * MERGE) ** 2, "longest_edge": 448 * 448},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with no_progress_bars():
        for part in (model, tokenizer, processor):
            part.save_pretrained(unfinished)
    weights = sum(p.numel() for p in model.parameters())
    card = _CARD.format(weights=weights / 1e6, size=size, seed=seed, tokens=len(tokenizer))
    (unfinished / "README.md").write_text(card, encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return folder


def _draw(model: torch.nn.Module) -> None:
    """Draws the weight matrices again, each so that what goes through it keeps its size.

    The usual spread of 0.02 is meant for layers of thousands; one of a hundred passes on little of what it gets.
    """
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear | torch.nn.Conv3d):
            torch.nn.init.normal_(module.weight, std=module.weight[0].numel() ** -0.5)
        elif isinstance(module, torch.nn.Embedding):
            torch.nn.init.normal_(module.weight, std=PLACED if name.endswith("pos_embed") else EMBEDDED)


def _tokenizer(texts: Iterable[str], vocabulary: int) -> Any:
    coordinates = [str(n) for n in range(0, 1001, GRID)]
    words = [AddedToken(word, single_word=True, normalized=False) for word in (*ACTION_LABELS, *coordinates)]
    parts = [AddedToken(part, normalized=False) for part in _ANSWER_PARTS]
    tokenizer = Tokenizer(models.BPE())
    words_digits_signs = Regex(r" ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(words_digits_signs, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(words) - len(parts),
        special_tokens=list(_SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens(words + parts)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=[token for token in _SPECIAL if token not in ("<|im_end|>", "<|endoftext|>")],
        chat_template=_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def _config(tokenizer: Any, shape: _Shape) -> Qwen3VLConfig:
    heads = 4
    head_dim = shape.hidden // heads
    third = head_dim // 6
    return Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": shape.hidden,
            "intermediate_size": 3 * shape.hidden,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": heads,
            "num_key_value_heads": heads // 2,
            "head_dim": head_dim,
            "max_position_embeddings": 4096,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_interleaved": True,
                "mrope_section": [head_dim // 2 - 2 * third, third, third],
            },
            "tie_word_embeddings": False,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={
            "depth": shape.vision_layers,
            "hidden_size": shape.vision_hidden,
            "intermediate_size": 3 * shape.vision_hidden,
            "num_heads": 4,
            "patch_size": PATCH,
            "spatial_merge_size": MERGE,
            "temporal_patch_size": 2,
            "out_hidden_size": shape.hidden,
            "num_position_embeddings": 400,
            "deepstack_visual_indexes": [],
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=tokenizer.convert_tokens_to_ids("<|vision_end|>"),
        tie_word_embeddings=False,
    )


_CARD = """\
---
license: apache-2.0
library_name: transformers
tags: [shopsim]
---
# A tiny vision-language model for ShopSim

Qwen3-VL's architecture with {weights:.2f} million weights (size "{size}", seed {seed}) and a byte-level BPE tokenizer
of {tokens} tokens. The weights are random: it was made from a configuration and has seen no data.

Intended use: trying ShopSim's agents and trainers on small machines. It is not a language model for any other use.
"""
