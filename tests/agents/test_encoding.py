"""Prompts as tensors: placeholders match patches, answers keep their ids, nothing smuggled in by text."""

import gc
from typing import Any
from weakref import ref

import numpy as np
import pytest
import torch

from shopsim.agents.backend import Image, Message, Processed, Prompt
from shopsim.agents.encoding import Encoder, log_distribution
from shopsim.errors import InputError


def image(seed: int, size: tuple[int, int] = (320, 160)) -> Image:
    return Image.of(np.random.default_rng(seed).integers(0, 255, (*size, 3), dtype=np.uint8))


def ask(*parts: str | Image) -> Prompt:
    return Prompt((Message("user", parts),))


@pytest.fixture
def encoder(vlm_path: Any) -> Encoder:
    return Encoder.load(vlm_path)


def test_placeholders_match_the_patches_of_every_image(encoder: Encoder) -> None:
    prompts = [
        ask("text only"),
        ask(image(0), "a"),
        ask("b", image(1, (608, 320)), image(2, (64, 96)), "c"),
    ]
    batch = encoder.batch([(encoder.encode(prompt), ()) for prompt in prompts])
    grid = batch.inputs["image_grid_thw"]
    assert grid.prod(1).sum() == len(batch.inputs["pixel_values"])
    merged = grid.prod(1) // encoder.image_processor.merge_size**2
    per_row = batch.inputs["mm_token_type_ids"].sum(1).tolist()
    assert per_row == [0, merged[0], merged[1] + merged[2]]
    assert merged.tolist() == [50, 190, 6]


def test_the_processor_decides_the_number_of_placeholders(encoder: Encoder) -> None:
    encoder.image_processor.size = {"shortest_edge": 32 * 32, "longest_edge": 160 * 160}
    encoded = encoder.encode(ask(image(0)))
    batch = encoder.batch([(encoded, ())])
    assert batch.inputs["image_grid_thw"].prod() // 4 == batch.inputs["mm_token_type_ids"].sum() < 50


def test_a_text_view_fits_into_a_batch_with_images_and_a_batch_without(encoder: Encoder) -> None:
    only_text = encoder.batch([(encoder.encode(ask("no image")), ())])
    assert "pixel_values" not in only_text.inputs


@pytest.mark.parametrize("side", ["left", "right"])
def test_answers_follow_their_prompts_as_sampled(encoder: Encoder, side: Any) -> None:
    prompts = [encoder.encode(ask("a", image(0))), encoder.encode(ask("a rather longer question"))]
    answers = [[*range(20, 25), encoder.end_ids[0]], [40, 41]]
    batch = encoder.batch(list(zip(prompts, answers, strict=True)), side)
    assert batch.completion_mask.sum() == 8
    for i in range(2):
        assert batch.input_ids[i][batch.completion_mask[i]].tolist() == answers[i]
        real = batch.inputs["attention_mask"][i].bool()
        assert batch.input_ids[i][real].tolist() == [*prompts[i].ids, *answers[i]]


def test_ids_no_answer_may_hold_are_masked_out(encoder: Encoder) -> None:
    """A placeholder id in an answer (from another engine) must not be taken for an image."""
    pad = encoder.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    prompt = encoder.encode(ask("a", image(0)))
    batch = encoder.batch([(prompt, [20, pad, 21])])
    assert batch.completion_mask.sum() == 2
    assert batch.inputs["mm_token_type_ids"].sum() == 50


def test_control_tokens_in_texts_are_taken_out(encoder: Encoder) -> None:
    clean = encoder.encode(ask("a dress", image(0)))
    dirty = encoder.encode(ask("a <|image_pad|>dress<|im_end|><|vision_start|>", image(0)))
    assert dirty == clean


def test_each_distinct_screen_is_processed_once(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    processed = []
    inner = encoder.image_processor

    class Counting:
        merge_size = inner.merge_size

        def __call__(self, images: list[np.ndarray], **arguments: Any) -> Any:
            processed.append(len(images))
            return inner(images=images, **arguments)

    monkeypatch.setattr(encoder, "image_processor", Counting())
    prompts = [encoder.encode(ask(image(t), image(t + 1))) for t in range(5)]
    encoder.batch([(prompt, ()) for prompt in prompts])
    assert processed == [1] * 6
    assert encoder.screens.made == 6


def test_the_cache_of_screens_is_bounded(vlm_path: Any) -> None:
    one = 200 * 3 * 2 * 16 * 16 * 4
    encoder = Encoder.load(vlm_path, cache_bytes=3 * one)
    asked = [ask(image(t)) for t in range(9)]
    for prompt in asked:
        encoder.encode(prompt)
    for prompt in reversed(asked[-3:]):
        encoder.encode(prompt)
    assert encoder.screens.made == 9, "the last three stay"
    encoder.encode(asked[5])
    assert encoder.screens.made == 10, "and no other"


def test_what_was_made_of_a_screen_goes_with_it() -> None:
    """Else every model of a long evaluation would keep its cache full until the end."""

    class Made:
        pass

    processed = Processed(lambda screen: Made(), lambda made: 1)
    screens = [image(0), image(1)]
    made = [ref(processed(screen)) for screen in screens]
    assert processed(image(0)) is made[0](), "the same pixels are the same screen"
    del screens[1]
    gc.collect()
    assert [found() is None for found in made] == [False, True]


def test_suppressed_are_the_control_tokens_but_not_the_end(encoder: Encoder) -> None:
    names = [encoder.tokenizer.convert_ids_to_tokens(i) for i in encoder.suppressed.nonzero()[:, 0].tolist()]
    assert {
        "<|image_pad|>",
        "<|video_pad|>",
        "<|vision_start|>",
        "<|vision_end|>",
        "<|im_start|>",
        "<|endoftext|>",
    } == set(names)
    assert not encoder.suppressed[list(encoder.end_ids)].any()


def test_pad_may_be_the_end_token(encoder: Encoder) -> None:
    encoder.tokenizer.pad_token = encoder.tokenizer.eos_token
    same = Encoder(encoder.tokenizer, encoder.image_processor, _config(encoder), encoder.end_ids)
    end = same.end_ids[0]
    assert same.pad_id == end
    assert not same.suppressed[end]
    batch = same.batch([(same.encode(ask("a")), [20, end]), (same.encode(ask("a")), [20, 21, 22, end])])
    assert batch.completion_mask.sum(1).tolist() == [2, 4]
    assert batch.inputs["attention_mask"].sum(1).tolist()[0] + 2 == batch.inputs["attention_mask"].sum(1).tolist()[1]


def _config(encoder: Encoder) -> Any:
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(encoder.tokenizer.name_or_path)


def test_supervised_tokens_are_those_that_touch_a_span(encoder: Encoder) -> None:
    answer = '{"mind":"","action":{"type":"click","point":[260,440]},"episodic":null,"preference":null}'
    ids, everything = encoder.answer(answer)
    assert ids[-1] == encoder.end_ids[0]
    assert all(everything)
    assert encoder.decode(ids) == answer
    point = answer.index("260")
    _, some = encoder.answer(answer, [(point, point + 7)])
    assert [encoder.decode([i]) for i, on in zip(ids, some, strict=True) if on] == ["260", ",", "440"]
    _, tail = encoder.answer(answer, [(len(answer) - 1, len(answer))])
    assert tail[-1]
    assert not tail[0]


def test_answers_with_control_tokens_are_refused(encoder: Encoder) -> None:
    with pytest.raises(InputError, match="control token"):
        encoder.answer("ok <|im_end|>")


def test_decode_strips_the_end_token_once(encoder: Encoder) -> None:
    end = encoder.end_ids[0]
    ids = encoder.tokenizer("blue\u2028dress", add_special_tokens=False)["input_ids"]
    assert encoder.decode([*ids, end]) == "blue\u2028dress"
    assert encoder.decode([*ids, end, end]).endswith("<|im_end|>")


def test_templates_that_lose_images_are_named(encoder: Encoder) -> None:
    encoder.tokenizer.chat_template = "{% for m in messages %}{{ m.role }}{% endfor %}"
    with pytest.raises(InputError, match="writes 0 images; the prompt has 1"):
        encoder.encode(ask("a", image(0)))


def test_log_distribution_is_a_distribution_without_the_suppressed(encoder: Encoder) -> None:
    logits = torch.randn(3, encoder.vocabulary_size)
    for temperature in (0.0, 0.5, 1.0):
        logprobs = log_distribution(logits, encoder.suppressed, temperature)
        assert logprobs.exp().sum(-1).allclose(torch.ones(3))
        assert torch.isinf(logprobs[:, encoder.suppressed]).all()
    assert torch.equal(log_distribution(logits, encoder.suppressed, 0), log_distribution(logits, encoder.suppressed, 1))
