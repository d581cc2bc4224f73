"""Shop-R1 and Customer-R1: GRPO on single answers, teacher forced (SPEC 6.4): ask, judge, score, advantages, update.

G answers to the same recorded screen are a group; each gets one reward for what it would have done there, against what
the person did, and from its group one advantage. The prompts are those of imitation: memory is rebuilt along the
recorded session, so that nothing an answer says changes the next question. Sources: Shop-R1 (2507.17842): rewards,
their weights, α, β, learning rate, temperature and batch; Customer-R1 (2510.07230): its table of rewards; neither gives
the group's size or the clip bounds, which are `UpdateConfig`'s.

Logged, besides what `shopsim.trainers.update` logs:

================================  ======================================================================================
``reward/<part>``, ``..._std``    mean and spread over the iteration's answers, parts as they are added up
``answers/exact_match``           share of answers whose effect and item are the person's; watch this one
``answers/type_match``            share of answers whose effect is the person's, on whatever item
``answers/unparsed``              share that could not be read
``answers/invalid``               share that would have done nothing, the unread ones included
``answers/left``                  share that would have left; beside it ``answers/people_left``
``answers/tokens``                mean length
``groups/zero_spread``            share of groups whose rewards were all equal: they teach nothing
``groups/swamped``                share of groups in which one part of the reward drowns others; warned of
``groups/cancelling``             groups whose parts of the reward vary while the sum does not
``validation/<name>``             of the above, on the validation split
``epoch``                         passes over the recorded steps so far
``time/sampling``                 seconds in which answers were drawn; with vLLM, new weights included
``time/scoring``, ``update``      seconds: questions, judging and rewards; optimizer steps
================================  ======================================================================================
"""

import math
import time
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import torch

from shopsim.agents.backend import Completion, Prompt, Sampling
from shopsim.agents.demonstrations import Demonstration
from shopsim.agents.encoding import Encoder
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.envs.decision import parse
from shopsim.envs.reward import StepRewardParts
from shopsim.envs.spaces import read_action
from shopsim.envs.step_reward import CustomerR1Reward, ItemFacts, ShopR1Reward, StepReward, exact_match
from shopsim.envs.trajectory import Event
from shopsim.trainers import parallel, sharding
from shopsim.trainers.advantages import advantages, cancelling_parts, swamped_parts
from shopsim.trainers.config import Progress, TrainingResult
from shopsim.trainers.policy import Policy
from shopsim.trainers.recorded import RecordedSteps
from shopsim.trainers.rows import Row, micro_batches
from shopsim.trainers.run import Run
from shopsim.trainers.update import UpdateConfig, update

T = TypeVar("T")

PARTS = "format", "type", "attribute", "value"
"""The parts of a step's reward that can be switched off; `alpha` does so for the thought's certainty."""


@dataclass(frozen=True, kw_only=True)
class ShopR1Config(UpdateConfig):
    """Options of `train_shop_r1`. Defaults are Shop-R1's where the paper gives them."""

    iterations: int = 500
    """Rounds of asking and updating (published)."""
    groups: int = 64
    """Recorded steps an iteration, G answers to each (published as the global batch)."""
    temperature: float = 0.6
    """Of sampling (published); what is trained is the distribution at this temperature. A weak model wants 1."""
    shuffle_sessions: int = 32
    """Steps of so many sessions are shuffled among each other; their screens are in memory at the same time."""

    # Reward

    reward: Literal["shop-r1", "customer-r1", "binary"] = "shop-r1"
    """`shop-r1`, `customer-r1`: the papers' tables (`shopsim.envs.step_reward`). `binary`: 1 where effect and item are
    the person's, beside Shop-R1's format; its ablation."""
    use_format: bool = True
    """Pay for answers that can be read. Without it Shop-R1's training collapsed (published: exact match 2.87 %)."""
    use_type: bool = True
    """Pay for the right kind of action (Shop-R1 only)."""
    use_attribute: bool = True
    """Pay for naming some card where the person touched one (Shop-R1 only)."""
    use_value: bool = True
    """Pay for the right target: Shop-R1's scaled similarity, Customer-R1's table, the binary 1."""
    use_dars: bool = True
    """Scale the value by 1000 (Shop-R1's difficulty-aware scaling), or not at all. In a group in which one answer has
    a value, nothing else is then learned: see `groups/swamped`."""
    similarity: Literal["category", "rouge_l"] = "category"
    """Of the card named to the person's (Shop-R1); see `ShopR1Reward.similarity`."""
    threshold: float = 0.75
    """Similarity from which the value pays (Shop-R1; published as an example)."""
    wrong_click: float = -1.0
    """Of an item action that is not the person's (Customer-R1; 0 in its runs without imitation first)."""
    alpha: float = 0.005
    """Weight of self-certainty (published); 0 leaves it out, and a forward pass with it."""
    certainty: Literal["uniform", "printed"] = "uniform"
    """`uniform`: mean KL(U ‖ p), as in its source (2502.18581). `printed`: Shop-R1's formula, KL(p ‖ U) / V, which is
    nil for any real vocabulary."""
    certainty_over: Literal["thought", "answer"] = "thought"
    """Tokens it is taken over: those before the action (an agent without thoughts has none), or the whole answer."""

    # Optimizer

    lr: float = 1e-7
    """Peak learning rate (published, for 0.5 to 3 billion weights); the tiny model wants about 3e-4."""
    beta: float = 0.001
    """Weight of the KL term to the model the run started from (published); 0 loads no reference."""

    # Watching

    eval_every: int = 0
    """Ask about validation sessions every so many iterations, and at the end; 0 for never."""
    eval_sessions: int = 16
    """How many of them, every step once, always with the same seeds."""

    FREE: ClassVar[frozenset[str]] = UpdateConfig.FREE | {"eval_every", "eval_sessions"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "groups", "shuffle_sessions", "eval_sessions")
        self._at_least(0, "eval_every", "alpha", "threshold")

    def step_reward(self) -> StepReward:
        """The reward of one answer, before switches and self-certainty."""
        if self.reward == "customer-r1":
            return CustomerR1Reward(wrong_click=self.wrong_click)
        shop_r1 = ShopR1Reward(self.similarity, threshold=self.threshold)
        if self.reward == "binary":
            return lambda answer, recorded, items: binary_reward(answer, recorded, items, shop_r1.format)
        return shop_r1 if self.use_dars else ShopR1Reward(self.similarity, dars=1.0, threshold=self.threshold)


class Question(NamedTuple):
    """One recorded step, as the model is asked about it."""

    prompt: Prompt
    session_row: int
    step: int


class Answer(NamedTuple):
    """One answer, judged."""

    group: int
    """Position of its question."""
    question: Question | None
    """None where another process asked it."""
    completion: Completion
    event: Event
    """What it would have done on the recorded screen."""
    recorded: Event
    """What the person did there."""


def train_shop_r1(config: ShopR1Config, progress: Progress | None = None) -> TrainingResult:
    """Trains a model by GRPO on single answers, or goes on with a run that was begun.

    Raises:
        InputError: The model, the data set or the run's folder cannot be used.
    """
    dataset = config.dataset()
    run = Run(config, "shop-r1", dataset, progress)
    policy = run.policy
    if config.sampler == "vllm":
        policy.sample_by_vllm(config.vllm_gpu_memory_utilization)
    reference = run.reference() if config.beta else None
    training = Questions(config, dataset, policy, "train", config.shuffle_sessions)
    watched = (
        list(Questions(config, dataset, policy, "validation", config.eval_sessions).first(config.eval_sessions))
        if config.eval_every
        else []
    )

    with run:
        for iteration in run.steps():
            started, sampled = time.perf_counter(), policy.sampling_seconds

            # Ask, judge, and score: one reward an answer.
            first = iteration * config.groups
            numbers = parallel.share(range(config.groups))
            questions = training.take(first + number for number in numbers)
            with sharding.whole(policy.model):
                mine = ask(policy, dataset, questions, config, config.num_generations, (1, iteration), numbers)
                paid = score(policy, dataset, mine, config)
            answers = everyones([answer._replace(question=None) for answer in mine], mine, config.num_generations)
            parts = everyones(paid, paid, config.num_generations)
            scalars = summary(answers, parts)

            # Advantages: one an answer, within the answers to the same question.
            groups = [answer.group for answer in answers]
            result = advantages([part["total"] for part in parts], groups, config.scale_rewards == "group")
            swamped = swamped_parts(parts, groups)
            if swamped is not None:
                warnings.warn(
                    f"reward part {swamped[0]!r} has 99 % or more of the spread in groups in which other parts vary "
                    "too; those are not learned there",
                    stacklevel=2,
                )

            # Rows: one an answer.
            rows = rows_of(answers, result.values)
            scored, sampled = time.perf_counter(), policy.sampling_seconds - sampled

            # Update
            scalars |= update(policy, run.optimizer, reference, rows, config, iteration)

            # Log
            scalars |= {
                "groups/zero_spread": result.zero_spread_groups / config.groups,
                "groups/swamped": (swamped[1] if swamped else 0) / config.groups,
                "groups/cancelling": float(cancelling_parts(parts, groups)),
                "epoch": iteration * config.groups / training.rows,
                "time/sampling": sampled,
                "time/scoring": scored - started - sampled,
                "time/update": time.perf_counter() - scored,
            }
            last = iteration + 1 == config.iterations
            if watched and (last or (iteration + 1) % config.eval_every == 0):
                with sharding.whole(policy.model):
                    asked = ask(policy, dataset, watched, config, 1, (3,))
                    found = summary(asked, score(policy, dataset, asked, config))
                scalars |= {f"validation/{name}": value for name, value in found.items()}
            run.end_step(scalars)
    return run.result()


def everyones(light: Sequence[T], mine: Sequence[T], answers: int) -> list[T]:
    """What all processes have, an item an answer, in the order of the questions; of the others their `light` items."""
    groups = parallel.gather(list(micro_batches(light, answers)))
    groups[parallel.rank() :: parallel.size()] = micro_batches(mine, answers)
    return [item for group in groups for item in group]


class Questions(RecordedSteps[Question]):
    """The recorded steps of a split as questions."""

    def make(self, demonstration: Demonstration) -> Question:
        """See `RecordedSteps.make`."""
        row = self.dataset.session_row(demonstration.session_id)
        return Question(demonstration.prompt, row, demonstration.step)


def ask(
    policy: Policy,
    dataset: DataSet,
    questions: Sequence[Question],
    config: ShopR1Config,
    answers: int,
    seed: tuple[int, ...],
    numbers: Sequence[int] | None = None,
) -> list[Answer]:
    """Has a policy answer each question so many times, and judges what each answer would have done.

    Args:
        policy: The policy.
        dataset: The data set.
        questions: What is asked.
        config: Says how answers are drawn.
        answers: To each question.
        seed: Together with the run's seed and a question's number, that of the draws.
        numbers: The questions' numbers, which are their answers' groups; their positions if not given.
    """
    numbers = range(len(questions)) if numbers is None else numbers
    seeds = [
        np.random.default_rng([config.seed, *seed, group]).integers(2**63, size=answers).tolist() for group in numbers
    ]
    policy.renew_sampler()
    completions = policy.generate(
        [question.prompt for question in questions for _ in range(answers)],
        [one for of_group in seeds for one in of_group],
        Sampling(config.temperature, config.max_tokens),
    )
    judged = []
    for group, question, given in zip(numbers, questions, micro_batches(completions, answers), strict=True):
        events, recorded = judge(dataset, question, given)
        judged += [
            Answer(group, question, completion, event, recorded)
            for completion, event in zip(given, events, strict=True)
        ]
    return judged


def judge(dataset: DataSet, question: Question, completions: Sequence[Completion]) -> tuple[list[Event], Event]:
    """What answers would have done on the recorded screen, and what the person did there, as in `ShopSimReplay-v0`."""
    shop = human.open_shop(dataset, question.session_row)
    effects = list(dataset.effects(question.session_row))
    for effect, item in effects[: question.step]:
        shop.follow(effect, item)
    events = []
    for completion in completions:
        action, point = read_action(parse(completion.text, completion.truncated).env_action())
        events.append(Event(question.step, shop.page, shop.scroll, action, *shop.judge(action, point), point))
    return events, shop.follow(*effects[question.step])


def score(policy: Policy, dataset: DataSet, answers: Sequence[Answer], config: ShopR1Config) -> list[dict[str, float]]:
    """The parts of each answer's reward by name, those switched off as 0, with their sum as ``total``."""
    reward = config.step_reward()
    certain = certainties(policy, answers, config) if config.alpha else [0.0] * len(answers)
    scored = []
    for answer, certainty in zip(answers, certain, strict=True):
        paid = reward(answer.event, answer.recorded, dataset)
        assert isinstance(paid, StepRewardParts)
        parts = {name: getattr(paid, name) if getattr(config, f"use_{name}") else 0.0 for name in PARTS}
        parts["certainty"] = config.alpha * certainty
        scored.append(parts | {"total": math.fsum(parts.values())})
    return scored


def binary_reward(answer: Event, recorded: Event, items: ItemFacts, format_: float) -> StepRewardParts:
    """1 for the person's effect and item, and `format_` for an answer that could be read."""
    read = format_ if answer.action is not None else 0.0
    right = float(exact_match(answer, recorded))
    return StepRewardParts(read, 0.0, 0.0, right, read + right)


@torch.no_grad()
def certainties(policy: Policy, answers: Sequence[Answer], config: ShopR1Config) -> list[float]:
    """Self-certainty of each answer under the policy as it is, at temperature 1; 0 where there are no tokens."""
    found = []
    for part in micro_batches(answers, config.micro_batch):
        given = [answer.completion.token_ids or () for answer in part]
        asked = [answer.question.prompt for answer in part if answer.question is not None]
        tokens = policy.tokens(list(zip(asked, given, strict=True)))
        values = tokens.certainty
        if config.certainty == "printed":
            values = (math.log(policy.choices) - tokens.entropy) / policy.choices
        for answer, of_answer in zip(part, torch.split(values, [len(ids) for ids in given]), strict=True):
            if config.certainty_over == "thought":
                of_answer = of_answer[: thought_tokens(policy.backend.encoder, answer.completion)]
            found.append(float(of_answer.mean()) if len(of_answer) else 0.0)
    return found


def thought_tokens(encoder: Encoder, completion: Completion) -> int:
    """How many of an answer's tokens stand wholly before its action; 0 where there is none."""
    # A thought that contains the word in quotes has them escaped.
    action = completion.text.find('"action"')
    ids = completion.token_ids or ()
    return 0 if action < 0 else bisect_right(range(1, len(ids) + 1), action, key=lambda n: len(encoder.decode(ids[:n])))


def rows_of(answers: Sequence[Answer], values: Sequence[float | None]) -> list[Row]:
    """One row an answer, with its advantage."""
    rows = []
    for i, (answer, advantage) in enumerate(zip(answers, values, strict=True)):
        ids, logprobs = answer.completion.token_ids, answer.completion.logprobs
        assert ids is not None
        assert logprobs is not None
        assert advantage is not None
        prompt = None if answer.question is None else answer.question.prompt
        rows.append(Row(i, prompt, ids, logprobs, advantage))
    return rows


def summary(answers: Sequence[Answer], parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Means over answers, as they are logged."""
    scalars: dict[str, float] = {}
    for name in parts[0]:
        values = np.array([part[name] for part in parts])
        scalars |= {f"reward/{name}": float(values.mean()), f"reward/{name}_std": float(values.std())}
    shares: dict[str, list[bool] | list[int]] = {
        "exact_match": [exact_match(answer.event, answer.recorded) for answer in answers],
        "type_match": [answer.event.effect is answer.recorded.effect for answer in answers],
        "unparsed": [answer.event.action is None for answer in answers],
        "invalid": [answer.event.invalid is not None for answer in answers],
        "left": [answer.event.effect is Action.TERMINATE for answer in answers],
        "people_left": [answer.recorded.effect is Action.TERMINATE for answer in answers],
        "tokens": [answer.completion.answer_tokens for answer in answers],
    }
    return scalars | {f"answers/{name}": sum(values) / len(values) for name, values in shares.items()}
