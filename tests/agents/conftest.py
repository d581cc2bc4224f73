"""An environment over the tiny data set, and a tiny model made for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import shopsim  # noqa: F401  (registers the environments)
from shopsim.agents.backend import Backend, ScriptedBackend
from shopsim.agents.demonstrations import demonstrations
from shopsim.agents.recverse import RecVerseAgent
from shopsim.data import DataSet

MakeEnv = Callable[..., gym.Env[Any, Any]]

SCROLL = '{"mind":"","action":{"type":"scroll_down"},"episodic":null,"preference":null}'


@pytest.fixture(scope="session")
def make_env(tiny_path: Path) -> MakeEnv:
    """Makes ShopSim-v0 over all sessions of the tiny data set, at 160 x 320 pixels."""

    def make(name: str = "ShopSim-v0", **arguments: Any) -> gym.Env[Any, Any]:
        settings = {"data": str(tiny_path), "split": None, "size": (160, 320)} | arguments
        return gym.make(name, disable_env_checker=True, **settings)

    return make


@pytest.fixture(scope="session")
def sessions(tiny: DataSet) -> list[str]:
    """All session ids of the tiny data set."""
    return [tiny.session_id(row) for row in tiny.session_rows().tolist()]


@pytest.fixture(scope="session")
def texts(make_env: MakeEnv, sessions: list[str]) -> list[str]:
    """Prompts and answers along all sessions: what the tiny model's tokenizer is made from."""
    agent = RecVerseAgent.of(ScriptedBackend([SCROLL]), small=True)
    found = []
    env = make_env()
    for session in sessions:
        for sample in demonstrations(env, session, agent, grid=20):
            found += [sample.prompt.text, sample.answer]
    return found


@pytest.fixture(scope="session")
def vlm_path(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an untrained tiny model."""
    from shopsim.agents.tiny_vlm import make_tiny_vlm

    return make_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny", texts, size="test")


@pytest.fixture(scope="session")
def vlm(vlm_path: Path) -> Any:
    """The tiny model, loaded. Do not change its weights; load your own."""
    from shopsim.agents.transformers_backend import TransformersBackend

    return TransformersBackend.load(vlm_path, device="cpu")


@pytest.fixture
def scroller() -> Backend:
    """A model that always scrolls down."""
    return ScriptedBackend([SCROLL])
