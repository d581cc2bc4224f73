"""A tiny untrained model, and prompts with screens for it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from shopsim.agents.backend import Image, Message, Prompt
from shopsim.agents.tiny_vlm import make_tiny_vlm
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, to_json
from shopsim.envs.reward import RewardParts
from shopsim.trainers.policy import Policy

# Two threads on so small tensors wait for each other more than they work.
torch.set_num_threads(1)

ANSWERS = [to_json(Decision(action, (0.2, 0.4) if action is Action.CLICK else None)) for action in Action]


def prompt(seed: int, images: int = 1, words: int = 3) -> Prompt:
    """A prompt with random screens of 64 x 96 and some words."""
    rng = np.random.default_rng(seed)
    screens = [Image.of(rng.integers(0, 256, (96, 64, 3), dtype=np.uint8)) for _ in range(images)]
    text = " ".join(rng.choice(["red", "shoe", "step", "want", "bag", "12"], words))
    return Prompt((Message("user", (text, *screens)),))


def unexplained(line: Mapping[str, float]) -> set[str]:
    """Logged names that docs/metrics.md does not explain."""
    text = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`([^`\n]+)`", text[text.index("## While training") :]))
    names = {name.removeprefix("validation/") for name in line} - {"step"}
    return {name for name in names - explained if not (name.startswith("reward/") and _part(name) in explained)}


def _part(name: str) -> str:
    """The reward part of a logged name; GRPO's are explained further up under their own names."""
    part = name.removeprefix("reward/").removesuffix("_std")
    return "reward/<part>" if part in {*RewardParts._fields, "total"} else part


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an untrained tiny model. Do not change it."""
    texts = [*ANSWERS, "red shoe step want bag 12"]
    return make_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny", texts, size="test")


@pytest.fixture
def options(tiny_model: Path, tiny_path: Path, tmp_path: Path) -> dict[str, Any]:
    """Options of a very small run, of either trainer."""
    return {
        "model": str(tiny_model),
        "data": str(tiny_path),
        "out": str(tmp_path / "run"),
        "agent": "tiny",
        "size": (64, 128),
        "device": "cpu",
        "lr": 1e-3,
    }


@pytest.fixture
def policy(tiny_model: Path) -> Policy:
    """The tiny model, loaded for training on the CPU."""
    return Policy.load(tiny_model, device="cpu")
