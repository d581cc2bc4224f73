"""Grounding, for a model whose eyes come from nothing: to tap where shows what memory asks for. Ours.

Recorded people tap some six thousand times in a set of USB's size, and each tap has many reasons; that a card was
tapped *because* it shows what the agent notes that it wants drowns among them. Here it is the only reason. Along the
feed of a recorded session the agent's preference memory is made to hold the name of a category that shows, and the
answer to learn is a click on a card of that category:

    L = - mean over questions of log π(point | screen, "want shoes")

Prompts and answers are the agent's own, so that imitation after it finds the skill in place; only the point is learned
(form and choice of the action are left to imitation). What the person did is not used.

Logged: ``loss`` (mean -log π per supervised token), ``entropy`` (nats), ``grad_norm`` (before clipping), ``lr``,
``tokens``, ``epoch``, ``time/step`` (seconds), and over validation sessions ``validation/accuracy`` (share of questions
for which the likeliest of the cards that show is of the category) and ``validation/chance`` (that of a blind guess).
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple
from zlib import crc32

import numpy as np
import torch

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import POINT_SCALE, Decision, to_json
from shopsim.envs.shop import Point
from shopsim.errors import InputError
from shopsim.trainers import parallel
from shopsim.trainers.config import Progress, TrainerConfig, TrainingResult
from shopsim.trainers.imitation import Example, accumulate
from shopsim.trainers.optimizer import apply_step, learning_rate
from shopsim.trainers.policy import Policy
from shopsim.trainers.recorded import SessionRows
from shopsim.trainers.rows import micro_batches
from shopsim.trainers.run import Run
from shopsim.trainers.sight import SCREENS, as_written, middles


@dataclass(frozen=True, kw_only=True)
class GroundingConfig(TrainerConfig):
    """Options of `train_grounding`."""

    steps: int = 1000
    """Optimizer steps."""
    batch: int = 16
    """Screens in one optimizer step."""
    questions: int = 4
    """Questions about each of them; it is encoded once for all."""
    warmup: int = 20
    """Steps over which the learning rate rises."""
    lr: float = 1e-3
    """Peak learning rate, for a model from nothing."""
    weight_decay: float = 0.01
    """AdamW's decay of weight matrices."""
    grid: int = 1
    """As for imitation."""
    shuffle_sessions: int = 64
    """Screens of so many sessions are shuffled among each other."""
    eval_every: int = 200
    """Measure on validation sessions every so many steps, and at the end; 0 for never."""
    eval_sessions: int = 20
    """Sessions of the validation split it is measured on, the first ones."""

    FREE: ClassVar[frozenset[str]] = TrainerConfig.FREE | {"eval_every", "eval_sessions"}

    LENGTH: ClassVar[str] = "steps"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "batch", "questions", "grid", "shuffle_sessions", "eval_sessions")
        self._at_least(0, "steps", "warmup", "eval_every")


class Question(NamedTuple):
    """A screen, with something wanted in memory."""

    clicks: tuple[Example, ...]
    """For each card that shows, a click on it as an answer, at a place that sight has a number for."""
    right: tuple[bool, ...]
    """Which of them are of the wanted category."""
    chosen: int
    """The one to learn."""


def train_grounding(config: GroundingConfig, progress: Progress | None = None) -> TrainingResult:
    """Teaches a model to find what memory asks for, or goes on with a run that was begun.

    Raises:
        InputError: The agent has no preference memory, the data set names no categories, or model, data set or the
            run's folder cannot be used.
    """
    dataset = config.dataset()
    run = Run(config, "grounding", dataset, progress)
    policy = run.policy
    training = Questions(config, dataset, policy, "train")
    validation = Questions(config, dataset, policy, "validation")

    with run:
        for step in run.steps():
            started = time.perf_counter()
            first = step * config.batch
            screens = training.take(range(first, first + config.batch))
            batch = [question.clicks[question.chosen] for question in chain.from_iterable(screens)]

            # Update
            loss, entropy, tokens = accumulate(policy, parallel.share(batch), config.micro_batch)
            rate = learning_rate(step, config.steps, config.lr, config.warmup, config.schedule)
            norm = apply_step(policy.model, run.optimizer, rate, config.max_grad_norm)

            # Log
            scalars = {
                "loss": loss,
                "entropy": entropy,
                "grad_norm": norm,
                "lr": rate,
                "tokens": float(tokens),
                "epoch": first / training.rows,
            }
            last = step + 1 == config.steps
            if config.eval_every and (last or (step + 1) % config.eval_every == 0):
                scalars |= measure(policy, chain.from_iterable(validation.first(config.eval_sessions)), config)
            run.end_step(scalars | {"time/step": time.perf_counter() - started})
    return run.result()


class Questions(SessionRows[Sequence[Question]]):
    """Questions about the first screens of the feeds of a split, screen by screen.

    Args:
        config: Says which agent is asked, on which screens.
        dataset: The data set.
        policy: Whose tokenizer turns answers into ids.
        split: Which sessions.

    Raises:
        InputError: The model reads no images, the agent has no preference memory, or no item has a category.
    """

    def __init__(self, config: GroundingConfig, dataset: DataSet, policy: Policy, split: str) -> None:
        if (dataset.label_codes < 0).all():
            raise InputError(f"{dataset.path}: no item has a category, so nothing can be asked for")
        self._config, self._dataset, self._encoder = config, dataset, policy.backend.encoder
        self._env = config.make_env(dataset, split, max_steps=None)
        self._agent = config.make_agent(policy.backend)
        if not policy.reads_images:
            raise InputError(f"{config.model} reads no images, so it cannot be asked where something shows")
        if not self._agent.memory.use_preference:
            raise InputError("grounding asks by preference memory, and the agent has none")
        self._places = [(x / POINT_SCALE, y / POINT_SCALE) for x, y in middles(policy, config.size, config.grid)]
        ids = [dataset.session_id(row) for row in dataset.session_rows(split).tolist()]
        super().__init__(ids, [SCREENS] * len(ids), config.seed, config.shuffle_sessions)

    def of_session(self, session_id: str) -> Sequence[Sequence[Question]]:
        """See `SessionRows.of_session`; nothing is asked about a screen without cards."""
        rng = np.random.default_rng([self._config.seed, crc32(session_id.encode())])
        observation, info = self._env.reset(seed=0, options={"session_id": session_id})
        self._agent.reset(info | {"clicks": (), "purchases": ()})  # reasons of other kinds, and half of the prompt
        screens = []
        for _ in range(SCREENS):
            self._agent.prompt(observation, info)
            screens.append([question for _ in range(self._config.questions) for question in self._ask(rng)])
            # The agent is not told of the scroll: without past screens a question costs half as much.
            observation, _, _, _, info = self._env.step(Decision(Action.SCROLL_DOWN).env_action())
        return screens

    def _ask(self, rng: np.random.Generator) -> Iterable[Question]:
        """A question about the current screen, if it shows a card whose category has a name."""
        taps: dict[int, list[Point]] = {}
        for place in self._places:
            if card := self._env.shop.target_at(place):
                taps.setdefault(card.item, []).append(place)
        items = list(taps)
        labels = self._dataset.label_codes[items]
        codes = labels[rng.integers(len(items))] if items else labels
        codes = codes[codes >= 0]
        if not len(codes):
            return
        code = rng.choice(codes)
        right = (labels == code).any(1)
        self._agent.memory.preference = (as_written(self._dataset, int(code)).strip(),)
        prompt = self._agent.ask()
        clicks = []
        for item in items:
            answer = to_json(self._agent.express(Decision(Action.CLICK, taps[item][rng.integers(len(taps[item]))])))
            point = answer.index('"point":'), answer.index("]") + 1
            clicks.append(Example(prompt, *self._encoder.answer(answer, [point])))
        yield Question(tuple(clicks), tuple(right.tolist()), int(rng.choice(np.flatnonzero(right))))


@torch.no_grad()
def measure(policy: Policy, questions: Iterable[Question], config: GroundingConfig) -> dict[str, float]:
    """How often the likeliest of the cards that show is of the wanted category, and how often any of them is."""
    asked = list(questions)
    scores: list[float] = []
    for part in micro_batches([click for question in asked for click in question.clicks], config.micro_batch):
        logprobs = policy.tokens([(click.prompt, click.ids) for click in part]).logprobs
        answers = torch.split(logprobs, [len(click.ids) for click in part])
        scores += [
            float(answer[torch.tensor(click.supervised)].sum()) for click, answer in zip(part, answers, strict=True)
        ]
    found, blind, start = 0, 0.0, 0
    for question in asked:
        of_cards = scores[start : start + len(question.clicks)]
        start += len(of_cards)
        found += question.right[int(np.argmax(of_cards))]
        blind += float(np.mean(question.right))
    return {"validation/accuracy": found / len(asked), "validation/chance": blind / len(asked)}
