"""Sight, for a model whose eyes come from nothing: a picture is to be worth the words that name it and its place. Ours.

Recorded clicks name what was clicked on far too seldom to teach a vision tower what products look like; the feeds show
thousands. Every image token of a feed's screen that lies on a card is a vector v; every category of the data set has a
name, and the mean of its tokens' embeddings is a vector e. Both towers learn by

    L = - mean over levels and tokens of log softmax_c( cos(v, e_c) / τ )   at the card's category of that level,

so that what the language model reads where a shoe shows resembles what it reads where "shoes" is written: the
contrastive loss of CLIP (2103.00020), for each place of a screen and with all categories of a level as the others. The
coarse levels are quick to learn and show the way to the fine ones. The numbers x and y of a tap right there are two
more such levels: told of categories alone, the vectors forget where on the screen they are, and what is seen cannot be
tapped. What the person did is not used: feeds alone are read, those of the train split.

Logged: ``loss``, ``accuracy/1`` to ``accuracy/3`` (share of tokens whose nearest name of a level is the card's),
``accuracy/x`` and ``accuracy/y`` (whose nearest number is that of their place),
``grad_norm``, ``lr``, ``tokens`` (that lie on a card), ``epoch``, ``time/step`` (seconds), and loss and accuracies over
validation sessions.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from shopsim.agents.backend import Image
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.envs.decision import POINT_SCALE
from shopsim.envs.view import View
from shopsim.errors import InputError
from shopsim.trainers import parallel
from shopsim.trainers.config import Progress, TrainerConfig, TrainingResult
from shopsim.trainers.optimizer import apply_step, learning_rate
from shopsim.trainers.policy import Policy
from shopsim.trainers.recorded import SessionRows
from shopsim.trainers.rows import micro_batches
from shopsim.trainers.run import Run

LEVELS = ("1", "2", "3", "x", "y")
"""What is told of each token: the category of the card it lies on, coarse to fine, and its place."""
SCREENS = 8
"""Screens of a session that are looked at: its first ones, scrolling down."""


@dataclass(frozen=True, kw_only=True)
class SightConfig(TrainerConfig):
    """Options of `train_sight`."""

    steps: int = 1000
    """Optimizer steps."""
    batch: int = 32
    """Screens in one optimizer step."""
    warmup: int = 20
    """Steps over which the learning rate rises."""
    lr: float = 1e-3
    """Peak learning rate, for a model from nothing."""
    weight_decay: float = 0.01
    """AdamW's decay of weight matrices."""
    tau: float = 0.07
    """τ, the temperature of the cosines; CLIP's value at its start."""
    grid: int = 1
    """As for imitation."""
    places: bool = True
    """Whether places are told, too."""
    shuffle_sessions: int = 64
    """Screens of so many sessions are shuffled among each other."""
    eval_every: int = 200
    """Measure on validation sessions every so many steps, and at the end; 0 for never."""
    eval_sessions: int = 8
    """Sessions of the validation split it is measured on, the first ones."""

    FREE: ClassVar[frozenset[str]] = TrainerConfig.FREE | {"eval_every", "eval_sessions"}

    LENGTH: ClassVar[str] = "steps"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "batch", "grid", "shuffle_sessions", "eval_sessions")
        self._at_least(0, "steps", "warmup", "eval_every")
        if not self.tau > 0:
            raise InputError(f"tau is {self.tau}; it must be above 0")


class Screen(NamedTuple):
    """A screen, and what each of its image tokens shows."""

    image: Image
    items: list[int]
    """The item row of the card a token lies on, -1 off the cards; token by token as the model reads them."""


def train_sight(config: SightConfig, progress: Progress | None = None) -> TrainingResult:
    """Teaches a model's vision tower and word embeddings to agree, or goes on with a run that was begun.

    Raises:
        InputError: The model reads no images, or model, data set or the run's folder cannot be used.
    """
    parallel.join(config.device)
    if parallel.size() > 1:
        raise InputError("sight trains in one process; start it without torchrun")
    dataset = config.dataset()
    run = Run(config, "sight", dataset, progress)
    policy = run.policy
    if not policy.backend.reads_images:
        raise InputError(f"{config.model} reads no images, so there is no sight to train")
    names = Names(dataset, policy, config)
    training = Screens(config, dataset, policy, "train")
    validation = list(Screens(config, dataset, policy, "validation").first(config.eval_sessions))

    with run:
        for step in run.steps():
            started = time.perf_counter()
            first = step * config.batch
            batch = training.take(range(first, first + config.batch))

            # Update
            loss, right = 0.0, np.zeros(len(LEVELS))
            counts = names.counts(batch)
            for part in micro_batches(batch, config.micro_batch):
                of_part, right_of_part = sight_loss(policy, names, part, counts, config.tau)
                of_part.backward()  # type: ignore[no-untyped-call]
                loss, right = loss + of_part.item(), right + right_of_part
            rate = learning_rate(step, config.steps, config.lr, config.warmup, config.schedule)
            norm = apply_step(policy.model, run.optimizer, rate, config.max_grad_norm)

            # Log
            scalars = _scalars(loss, right) | {
                "grad_norm": norm,
                "lr": rate,
                "tokens": float(sum(item >= 0 for screen in batch for item in screen.items)),
                "epoch": step * config.batch / training.rows,
            }
            last = step + 1 == config.steps
            if validation and config.eval_every and (last or (step + 1) % config.eval_every == 0):
                scalars |= {f"validation/{name}": v for name, v in measure(policy, names, validation, config).items()}
            run.end_step(scalars | {"time/step": time.perf_counter() - started})
    return run.result()


class Names:
    """The categories of a data set, level by level, and the numbers of points, as a model's tokenizer spells them."""

    def __init__(self, dataset: DataSet, policy: Policy, config: SightConfig) -> None:
        self._labels = dataset.label_codes
        spelled: list[dict[int, str]] = [
            {int(code): as_written(dataset, int(code)) for code in np.unique(of_level[of_level >= 0])}
            for of_level in self._labels.T
        ]
        if not any(spelled):
            raise InputError(f"{dataset.path}: no item has a category, so there are no names for what is seen")
        self._middles = middles(policy, config.size, config.grid)
        spelled += [
            {n: str(n) for n in sorted(numbers)} if config.places else {}
            for numbers in map(set, zip(*self._middles, strict=True))
        ]
        self._places = [{value: i for i, value in enumerate(of_level)} for of_level in spelled]
        tokenizer = policy.backend.encoder.tokenizer
        self._ids, self._offsets = [], []
        for of_level in spelled:
            ids = [tokenizer(name, add_special_tokens=False)["input_ids"] for name in of_level.values()]
            starts = np.cumsum([0, *map(len, ids)])[:-1]
            self._ids.append(torch.tensor([token for name in ids for token in name], dtype=torch.long))
            self._offsets.append(torch.tensor(starts[: len(ids)], dtype=torch.long))

    def of(self, screens: Sequence[Screen], level: int) -> list[int]:
        """For each token of some screens the position of what it shows among the names of a level, -1 for nothing."""
        places = self._places[level]
        return [
            -1 if item < 0 else places.get(int((*self._labels[item], *point)[level]), -1)
            for screen in screens
            for item, point in zip(screen.items, self._middles, strict=True)
        ]

    def counts(self, screens: Sequence[Screen]) -> list[int]:
        """How many tokens of some screens show something that has a name, by level."""
        return [sum(place >= 0 for place in self.of(screens, level)) for level in range(len(LEVELS))]

    def vectors(self, policy: Policy, level: int) -> Tensor:
        """The mean embedding of the tokens of each name of a level, (names, hidden)."""
        ids, offsets = (part.to(policy.device) for part in (self._ids[level], self._offsets[level]))
        return embedding_bag(ids, policy.model.get_input_embeddings().weight, offsets, mode="mean")


def sight_loss(
    policy: Policy, names: Names, screens: Sequence[Screen], counts: Sequence[int], tau: float
) -> tuple[Tensor, NDArray[np.float64]]:
    """A micro-batch's part of the loss, and of the share of tokens that are nearest to the right name, by level.

    Args:
        policy: The model.
        names: What can be seen.
        screens: The micro-batch.
        counts: `Names.counts` of the whole batch, which is averaged over.
        tau: τ.
    """
    processed = [policy.backend.encoder.screens(screen.image) for screen in screens]
    with policy.arithmetic():
        seen = policy.model.get_image_features(
            torch.cat([pixels for pixels, _ in processed]).to(policy.device),
            torch.cat([grid for _, grid in processed]).to(policy.device),
            return_dict=True,
        ).pooler_output
    vectors = normalize(torch.cat(list(seen)).float(), dim=-1)
    levels = [level for level in range(len(LEVELS)) if counts[level]]
    loss, right = vectors.new_zeros(()), np.zeros(len(LEVELS))
    for level in levels:
        shown = torch.tensor(names.of(screens, level), device=policy.device)
        logits = vectors[shown >= 0] @ normalize(names.vectors(policy, level).float(), dim=-1).T / tau
        wanted = shown[shown >= 0]
        loss = loss + cross_entropy(logits, wanted, reduction="sum") / (counts[level] * len(levels))
        right[level] = int((logits.argmax(-1) == wanted).sum()) / counts[level]
    return loss, right


@torch.no_grad()
def measure(policy: Policy, names: Names, screens: Sequence[Screen], config: SightConfig) -> dict[str, float]:
    """Loss and accuracies over screens that are not trained on."""
    loss, right, counts = 0.0, np.zeros(len(LEVELS)), names.counts(screens)
    for part in micro_batches(screens, config.micro_batch):
        of_part, right_of_part = sight_loss(policy, names, part, counts, config.tau)
        loss, right = loss + of_part.item(), right + right_of_part
    return _scalars(loss, right)


def _scalars(loss: float, right: NDArray[np.float64]) -> dict[str, float]:
    return {"loss": loss} | {f"accuracy/{level}": share for level, share in zip(LEVELS, right.tolist(), strict=True)}


class Screens(SessionRows[Screen]):
    """The first screens of the feeds of a split.

    Args:
        config: Says how screens look.
        dataset: The data set.
        policy: The model that looks.
        split: Which sessions.
    """

    def __init__(self, config: SightConfig, dataset: DataSet, policy: Policy, split: str) -> None:
        self._dataset = dataset
        self._view = View(dataset, config.size, "light")
        self._middles = middles(policy, config.size, config.grid)
        ids = [dataset.session_id(row) for row in dataset.session_rows(split).tolist()]
        super().__init__(ids, [SCREENS] * len(ids), config.seed, config.shuffle_sessions)

    def of_session(self, session_id: str) -> Sequence[Screen]:
        """See `SessionRows.of_session`; a feed that ends before shows its last screen again."""
        row = self._dataset.session_row(session_id)
        self._view.begin(row)
        shop, screens = human.open_shop(self._dataset, row), []
        for _ in range(SCREENS):
            image = Image.of(self._view.pixels(shop))
            cards = [shop.target_at((x / POINT_SCALE, y / POINT_SCALE)) for x, y in self._middles]
            screens.append(Screen(image, [-1 if card is None else card.item for card in cards]))
            shop.step(Action.SCROLL_DOWN)
        return screens


def middles(policy: Policy, size: tuple[int, int], grid: int) -> list[tuple[int, int]]:
    """The middle (x, y) of each image token of a screen, in thousandths, rounded to multiples of `grid`."""
    width, height = size
    _, patches = policy.backend.encoder.screens(Image.of(np.zeros((height, width, 3), np.uint8)))
    merge = int(policy.backend.encoder.image_processor.merge_size)
    rows, columns = (int(n) // merge for n in patches[0][1:])

    def number(share: float) -> int:
        return round(share * POINT_SCALE / grid) * grid

    return [(number((x + 0.5) / columns), number((y + 0.5) / rows)) for y in range(rows) for x in range(columns)]


def as_written(dataset: DataSet, code: int) -> str:
    """A category's name as it stands within a sentence of the set's language."""
    category = dataset.category(code)
    return (dataset.locale == "zh" and category.name_zh) or f" {category.name.lower()}"
