"""A model from nothing for a data set: what `shopsim demo` and the benchmarks start from. Ours."""

from pathlib import Path

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.demonstrations import demonstrations
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.tiny_vlm import GRID, Size, make_tiny_vlm
from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv


def make_start_model(
    folder: str | Path,
    dataset: DataSet,
    seed: int = 0,
    size: Size = "default",
    sessions: int = 60,
    vocabulary: int = 1536,
) -> Path:
    """Makes an untrained tiny model whose tokenizer knows the data set's prompts and answers.

    Args:
        folder: Where it goes.
        dataset: The data set; only its train split is read.
        seed: Of the weights.
        size: As for `make_tiny_vlm`.
        sessions: Train sessions whose texts the tokenizer is trained on, the first ones.
        vocabulary: As for `make_tiny_vlm`.

    Returns:
        The folder.
    """
    env = ShopSimEnv(dataset, split="train", size=(160, 320), reward=None, max_steps=None)
    agent = RecVerseAgent.of(ScriptedBackend([""]), small=True)
    texts: list[str] = []
    for row in dataset.session_rows("train")[:sessions].tolist():
        for demo in demonstrations(env, dataset.session_id(row), agent, grid=GRID):
            texts += [demo.prompt.text.replace("[screen]", ""), demo.answer]
    return make_tiny_vlm(folder, texts, seed=seed, size=size, vocabulary=vocabulary)
