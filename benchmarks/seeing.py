"""Does a small model see what it taps? Three questions to its checkpoints, on validation sessions.

- Where: from one image token's vector, which row and column of the screen does it lie in? (Share that a linear map
  fitted on other screens tells right.)
- What: asked for a category that shows (level 2 of 3), does the token whose vector resembles its name most lie on a
  card of it? (And would any token of a card?)
- Tap: how likely is the point of a recorded tap, and how likely where every product's picture is the same grey?

    python benchmarks/seeing.py --data runs/nano/data runs/nano/start runs/nano/sight runs/nano/imitation
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from evidence import paint_grey
from numpy.typing import NDArray
from torch.nn.functional import normalize

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.demonstrations import demonstrations
from shopsim.agents.tiny_vlm import GRID
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.env import ShopSimEnv
from shopsim.trainers.imitation import Example
from shopsim.trainers.policy import Policy
from shopsim.trainers.presets import SIGHT, TINY
from shopsim.trainers.rows import micro_batches
from shopsim.trainers.sight import LEVELS, Names, Screens, SightConfig, middles

Array = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("models", nargs="+", help="folders of checkpoints or runs")
    parser.add_argument("--sessions", type=int, default=150, help="whose taps are asked about; a sixth for the others")
    args = parser.parse_args()
    torch.set_num_threads(1)
    dataset = DataSet.open(args.data)
    with tempfile.TemporaryDirectory() as grey:
        paint_grey(dataset, Path(grey))
        print("| model | row | column | found | blind | tap, seen | tap, grey | difference |\n" + "|---" * 8 + "|")
        for model in args.models:
            policy = Policy.load(model, device="cpu")
            shares = [f"{share:.2f}" for share in eyes(policy, dataset, model, max(2, args.sessions // 6))]
            seen, unseen = (tap(policy, dataset, args.sessions, pictures) for pictures in (None, grey))
            difference = unseen - seen
            error = 1.96 * difference.std() / len(difference) ** 0.5
            taps = [f"{seen.mean():.3f}", f"{unseen.mean():.3f}", f"{difference.mean():+.4f} ± {error:.4f}"]
            print(f"| {model} | " + " | ".join(shares + taps) + " |", flush=True)


def eyes(policy: Policy, dataset: DataSet, model: str, sessions: int) -> list[float]:
    """Shares told rightly from image tokens alone: rows, columns; categories found, and by a blind guess."""
    own: dict[str, Any] = {"model": model, "out": "unused", "size": TINY.size}
    config = SightConfig(**own | SIGHT["tiny"])
    screens = list(Screens(config, dataset, policy, "validation").first(sessions))
    processed = [policy.backend.encoder.screens(screen.image) for screen in screens]
    names, level = Names(dataset, policy, config), LEVELS.index("2")
    with torch.no_grad():
        seen = policy.model.get_image_features(
            torch.cat([pixels for pixels, _ in processed]), torch.cat([grid for _, grid in processed]), return_dict=True
        ).pooler_output
        vectors = torch.stack(list(seen)).double()
        likeness = (normalize(vectors, dim=-1) @ normalize(names.vectors(policy, level).double(), dim=-1).T).numpy()
    column, row = where(vectors.numpy(), middles(policy, config.size, config.grid))
    found, blind = [], []
    for like, shown in zip(likeness, np.array(names.of(screens, level)).reshape(len(screens), -1), strict=True):
        for name in np.unique(shown[shown >= 0]):
            right = shown[shown >= 0] == name
            found.append(right[like[shown >= 0, name].argmax()])
            blind.append(right.mean())
    return [row, column, float(np.mean(found)), float(np.mean(blind))]


def where(vectors: Array, places: Sequence[tuple[int, int]]) -> list[float]:
    """Shares of tokens whose column, and row, a linear map tells; fitted on half of the screens.

    Args:
        vectors: (screens, tokens, hidden).
        places: (x, y) of each token.
    """
    fit, told = np.split(np.concatenate([vectors, np.ones_like(vectors[..., :1])], -1), [len(vectors) // 2])
    shares = []
    for numbers in zip(*places, strict=True):
        names, place = np.unique(numbers, return_inverse=True)
        x, y = fit.reshape(-1, fit.shape[-1]), np.tile(np.eye(len(names))[place], (len(fit), 1))
        ridge = 1e-3 * np.trace(x.T @ x) / len(x.T) * np.eye(len(x.T))
        weights = np.linalg.solve(x.T @ x + ridge, x.T @ y)
        shares.append(float(((told @ weights).argmax(-1) == place).mean()))
    return shares


def tap(policy: Policy, dataset: DataSet, sessions: int, pictures: str | None) -> Array:
    """-log π of the point of each recorded tap on a feed, nats."""
    env = ShopSimEnv(dataset, split="validation", size=TINY.size, reward=None, max_steps=None, pictures=pictures)
    found: list[float] = []
    for part in micro_batches(list(taps(env, policy, dataset, sessions)), 32):
        with torch.no_grad():
            logprobs = policy.tokens([(example.prompt, example.ids) for example in part]).logprobs
        answers = torch.split(logprobs, [len(example.ids) for example in part])
        found += [-float(a[torch.tensor(e.supervised)].sum()) for e, a in zip(part, answers, strict=True)]
    return np.array(found)


def taps(env: ShopSimEnv, policy: Policy, dataset: DataSet, sessions: int) -> Iterator[Example]:
    """The recorded taps of the first sessions, their points to be told."""
    agent = TINY.make_agent(ScriptedBackend([""]))
    for row in dataset.session_rows("validation")[:sessions].tolist():
        for shown in demonstrations(env, dataset.session_id(row), agent, "answer", GRID):
            if shown.decision.action is Action.CLICK:
                point = shown.answer.index('"point":'), shown.answer.index("]") + 1
                yield Example(shown.prompt, *policy.backend.encoder.answer(shown.answer, [point]))


if __name__ == "__main__":
    main()
