"""The model made from nothing: reproducible, loads like a real checkpoint, short answers."""

from pathlib import Path

import pytest
import torch

from shopsim.agents.tiny_vlm import GRID, make_tiny_vlm
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, to_json


def test_the_same_seed_makes_the_same_files(vlm_path: Path, texts: list[str], tmp_path: Path) -> None:
    state = torch.get_rng_state()
    again = make_tiny_vlm(tmp_path / "again", texts, size="test")
    other = make_tiny_vlm(tmp_path / "other", texts, seed=1, size="test")
    assert torch.equal(torch.get_rng_state(), state)
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        assert (again / name).read_bytes() == (vlm_path / name).read_bytes()
    assert (other / "model.safetensors").read_bytes() != (vlm_path / "model.safetensors").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again", "other"]


def test_the_default_size_is_about_a_million_weights(texts: list[str], tmp_path: Path) -> None:
    backend = TransformersBackend.load(make_tiny_vlm(tmp_path / "m", texts), device="cpu")
    assert 0.7e6 < sum(p.numel() for p in backend.model.parameters()) < 1.5e6
    assert not backend.model.config.tie_word_embeddings


@pytest.mark.parametrize("action", list(Action))
def test_canonical_answers_are_short(vlm: TransformersBackend, action: Action) -> None:
    points = [None] if action not in (Action.CLICK, Action.ENTER_DETAIL) else [(0.26, 0.44), (0.0, 1.0), (1.0, 0.02)]
    for point in points:
        answer = to_json(Decision(action, point))
        ids, _ = vlm.encoder.answer(answer)
        assert vlm.encoder.decode(ids) == answer
        assert len(ids) == (4 if point is None else 8)


def test_any_answer_survives_the_tokenizer(vlm: TransformersBackend) -> None:
    decision = Decision(Action.CLICK, (0.257, 0.441), 'say "hi" 红色 🥛\u2028', "saw 3 cups", "blue\nunder 40")
    answer = to_json(decision)
    assert vlm.encoder.decode(vlm.encoder.answer(answer)[0]) == answer


def test_coordinates_on_the_grid_are_one_token_and_split_no_other_number(vlm: TransformersBackend) -> None:
    for number in range(0, 1001, GRID):
        assert vlm.encoder.count(str(number)) == 1
    assert vlm.encoder.decode(vlm.encoder.tokenizer("2045", add_special_tokens=False)["input_ids"]) == "2045"
    assert (
        vlm.encoder.tokenizer("scroll_downward", add_special_tokens=False)["input_ids"]
        != (vlm.encoder.tokenizer("scroll_down", add_special_tokens=False)["input_ids"])
    )


def test_it_says_what_it_is(vlm_path: Path) -> None:
    card = (vlm_path / "README.md").read_text()
    assert "random" in card
    assert "license" in card
