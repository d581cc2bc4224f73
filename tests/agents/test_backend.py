"""Images, prompts and the scripted model."""

import gc

import numpy as np
import pytest

from shopsim.agents.backend import Image, Message, Prompt, Sampling, ScriptedBackend


def pixels(value: int, shape: tuple[int, int] = (4, 6)) -> np.ndarray:
    return np.full((*shape, 3), value, np.uint8)


def test_equal_pixels_are_one_object_while_held() -> None:
    array = pixels(7)
    image = Image.of(array)
    array[:] = 0
    assert Image.of(pixels(7)) is image
    assert (image.array == 7).all()
    assert Image.of(pixels(8)) != image
    with pytest.raises(ValueError, match="read-only"):
        image.array[0, 0, 0] = 1


def test_the_shape_is_part_of_the_identity() -> None:
    assert Image.of(pixels(7, (4, 6))).id != Image.of(pixels(7, (6, 4))).id


def test_images_nobody_holds_are_given_back() -> None:
    from shopsim.agents import backend

    image = Image.of(pixels(9))
    name = image.id
    assert name in backend._images
    del image
    gc.collect()
    assert name not in backend._images


def test_prompt_text_and_images_keep_their_order() -> None:
    a, b = Image.of(pixels(1)), Image.of(pixels(2))
    prompt = Prompt((Message("system", ("be",)), Message("user", ("x", b, "y", a))))
    assert prompt.text == "be\nx[screen]y[screen]"
    assert prompt.images == (b, a)


def test_scripted_answers_are_cut_and_flagged_at_the_limit() -> None:
    backend = ScriptedBackend(["abc", "abcdef"])
    prompt = Prompt((Message("user", ("hello",)),))
    short, long = backend.generate([prompt, prompt], [0, 1], Sampling(max_tokens=4))
    assert (short.text, short.truncated) == ("abc", False)
    assert (long.text, long.truncated, len(long.token_ids)) == ("abcd", True, 4)


def test_scripted_answers_may_depend_on_the_seed() -> None:
    backend = ScriptedBackend(lambda prompt, seed: f"{prompt.text}{seed}")
    prompt = Prompt((Message("user", ("n",)),))
    assert [c.text for c in backend.generate([prompt, prompt], [3, 5], Sampling())] == ["n3", "n5"]
