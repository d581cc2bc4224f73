"""A virtual A/B test: two variants of a shop, the same agents, sessions and seeds in both (SPEC 7). Ours.

Arm A is played twice, by another chance of the agents each time: the second half is the A/A run, whose true effect is
0, so that what it shows is what chance alone does (`shopsim.benchmark_usb.ab_effects`). Each arm has a folder of its
own; the same call on the same folder goes on where it stopped.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym

from shopsim.agents.rollout import Rollout
from shopsim.benchmark_usb.ab_effects import ABReport, analyse
from shopsim.benchmark_usb.fidelity import Behaviour, behaviour
from shopsim.benchmark_usb.provenance import differences
from shopsim.benchmark_usb.results import Head, RunFolder, key_of
from shopsim.benchmark_usb.roster import AgentSpec, Models
from shopsim.benchmark_usb.run import Cast, Progress, Spent
from shopsim.data import DataSet
from shopsim.data.repriced import Repriced
from shopsim.data.vocabulary import Action
from shopsim.envs.trajectory import Trajectory
from shopsim.errors import InputError

DEFAULT_AGENTS = (AgentSpec("probabilistic"), AgentSpec("heuristic"))
MAY_DIFFER = ("feed", "repetitions", "data.hash", "environment.variant")
"""What two arms may differ in; anything else makes them unlike."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One arm's shop, in what it departs from the recorded one."""

    feed: str = "recorded"
    """Feed policy, by name or import path (`shopsim.envs.feed`)."""
    price: float = 1.0
    """Factor on prices, shown and paid; what a user bought before keeps its price."""
    category: str | None = None
    """Whose prices the factor is for, by id or name; None for all."""
    theme: str | None = None
    """``light`` or ``dark``; None for the environment's default."""
    size: tuple[int, int] | None = None
    """Width and height of the screens in pixels; None for the environment's, or the agent's own."""

    @classmethod
    def parse(cls, text: str) -> "Variant":
        """Reads ``feed=NAME,price=FACTOR[@CATEGORY],theme=NAME,size=WIDTHxHEIGHT``, each part at most once.

        Raises:
            InputError: It cannot be read so.
        """
        found: dict[str, Any] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals or not value or name not in ("feed", "price", "theme", "size") or name in found:
                raise InputError(f"variant {text!r}: {part!r} must be one of {_FORM}, each once")
            found[name] = value
        try:
            if "price" in found:
                factor, _, category = found["price"].partition("@")
                found["price"], found["category"] = float(factor), category or None
            if "size" in found:
                width, height = found["size"].split("x")
                found["size"] = int(width), int(height)
        except ValueError:
            raise InputError(f"variant {text!r} cannot be read; its parts are {_FORM}") from None
        return cls(**found)

    @property
    def looks(self) -> dict[str, Any]:
        """What it changes for the eye alone: arguments of the environment."""
        return {name: value for name in ("theme", "size") if (value := getattr(self, name)) is not None}

    def __str__(self) -> str:
        price = "" if self.price == 1 else f"price={self.price:g}" + (f"@{self.category}" if self.category else "")
        size = f"size={self.size[0]}x{self.size[1]}" if self.size else ""
        return ", ".join(filter(None, [f"feed={self.feed}", price, f"theme={self.theme}" * bool(self.theme), size]))


_FORM = "feed=NAME, price=FACTOR or price=FACTOR@CATEGORY, theme=NAME, size=WIDTHxHEIGHT"


@dataclass(frozen=True, slots=True)
class ABScore:
    """One rollout in one arm. Without its time, so that the same test always leaves the same results."""

    agent: str
    session_id: str
    user_id: str
    repetition: int
    fault: str | None
    behaviour: Behaviour
    priced: float
    """Sum of the prices of the items visited, each once, as this arm shows them."""
    tokens: int
    """Of prompts and answers."""


@dataclass(frozen=True, slots=True)
class ABSummary:
    """One agent in one arm."""

    rollouts: int
    faults: int
    tokens: int


class ABArm(RunFolder[ABScore, ABSummary]):
    """One arm's rollouts."""

    FORMAT = "shopsim-ab-arm"
    _head_type = Head[ABSummary]
    _line_type = ABScore

    def summary(self, agent: str, samples: int = 1000) -> ABSummary:
        """See `RunFolder.summary`."""
        scores = self.scores(agent)
        faults = sum(score.fault is not None for score in scores)
        return ABSummary(len(scores) - faults, faults, sum(score.tokens for score in scores))


def run_ab(
    data: DataSet | str | Path | None,
    a: Variant,
    b: Variant,
    out: str | Path,
    *,
    agents: Sequence[AgentSpec] = DEFAULT_AGENTS,
    split: str = "test",
    sessions: int | Sequence[str] | None = None,
    repetitions: int = 1,
    seed: int = 0,
    lanes: int = 8,
    models: Models | None = None,
    progress: Progress | None = None,
    spent: Spent | None = None,
) -> ABReport:
    """Plays both arms, A twice, and says what differs.

    Args:
        data: The data set, its folder or hub id; None for the bundled one.
        a: The control.
        b: What is tried.
        out: Folder of the arms, ``a`` and ``b``.
        agents: The population; each plays every session in both arms.
        split: Which sessions.
        sessions: How many of them, drawn by `seed`; or their ids; None for all.
        repetitions: Rollouts of each session by each agent in an arm; the A/A run has as many on top.
        seed: Of everything random; the same in both arms.
        lanes: Sessions played at the same time.
        models: The models that are loaded.
        progress: Called after each rollout.
        spent: Called after each batch of answers.

    Raises:
        InputError: Something given cannot be used, the variants differ in what no agent sees, the folder holds
            another test, or the sessions are of fewer than two users.
        DataError: The data set cannot be used.
        BudgetSpent: A model's budget is spent; what has finished is kept.
    """
    base = data if isinstance(data, DataSet) else DataSet.bundled() if data is None else DataSet.open(data)
    models = models or Models()
    blind = [spec.name for spec in agents if not spec.sees]
    if blind and a != b and replace(a, theme=None, size=None) == replace(b, theme=None, size=None):
        raise InputError(f"the variants differ in looks alone, and {blind[0]!r} looks at no screens")
    arms = []
    for variant, folder, times in ((a, "a", 2 * repetitions), (b, "b", repetitions)):
        shop = Repriced(base, variant.price, variant.category)
        cast = Cast(shop, agents, split, sessions, times, seed, lanes, models)
        if len({shop.user_row(shop.session_row(session_id)) for session_id in cast.sessions}) < 2:
            raise InputError("the sessions are all of one user; an A/B test needs at least two, for its intervals")
        arguments = {"data": shop, "split": split, "feed": variant.feed, "reward": None, **variant.looks}
        # Whatever is wrong with B shows before A has cost anything, and looks before an agent looks.
        gym.make("ShopSim-v0", disable_env_checker=True, pixels=bool(variant.looks), **arguments).close()
        described = {"variant": asdict(variant), "data": base.hash}
        begin = partial(cast.begin, ABArm, Path(out) / folder, variant.feed, ("ShopSim-v0", arguments), described)
        arms.append((begin, cast, shop))
    begun = [begin() for begin, _, _ in arms]
    _refuse_unlike(*begun)
    total, before = len(begun[0].head.agents) * sum(cast.n_rollouts for _, cast, _ in arms), 0
    for arm, (_, cast, shop) in zip(begun, arms, strict=True):
        cast.play(arm, partial(ab_score, shop), _shifted(progress, before, total), spent)
        before = len(arm.head.agents) * cast.n_rollouts
    return analyse_arms(*begun)


def open_ab(folder: str | Path) -> ABReport:
    """What a test says whose arms have been played.

    Raises:
        InputError: The folder holds no such test, an arm has not finished, or the arms are unlike.
    """
    return analyse_arms(ABArm.open(Path(folder) / "a"), ABArm.open(Path(folder) / "b"))


def analyse_arms(a: ABArm, b: ABArm) -> ABReport:
    """What differs between two arms.

    Raises:
        InputError: They are unlike (every difference is named), or have not finished.
    """
    _refuse_unlike(a, b)
    if a.head.agents.keys() != a.finished().keys() or b.head.agents.keys() != b.finished().keys():
        raise InputError(f"{a.path.parent}: an arm has not finished; run the same command again to complete it")
    repetitions = b.head.settings.repetitions
    triples = {}
    for agent in a.head.agents:
        ours = {key_of(score)[1:]: score for score in a.scores(agent) if score.fault is None}
        theirs = {key_of(score)[1:]: score for score in b.scores(agent) if score.fault is None}
        again = {(session, number - repetitions): score for (session, number), score in ours.items()}
        whole = sorted(ours.keys() & theirs.keys() & again.keys())
        triples[agent] = [(ours[key], theirs[key], again[key]) for key in whole]
    variants = [str(_variant(arm)) for arm in (a, b)]
    return analyse(triples, variants[0], variants[1], a.head.settings, a.head.provenance)


def ab_score(dataset: DataSet, agent: str, rollout: Rollout, seconds: float) -> ABScore:
    """What one rollout adds to the test."""
    session_id = rollout.task.session_id
    assert session_id is not None
    did = rollout.trajectory or Trajectory(session_id)
    visited = sorted({e.item for e in did.events if e.effect in (Action.CLICK, Action.ENTER_DETAIL)})
    return ABScore(
        agent=agent,
        session_id=session_id,
        user_id=dataset.user(dataset.user_row(dataset.session_row(session_id))).user_id,
        repetition=rollout.task.member,
        fault=None if rollout.fault is None else str(rollout.fault),
        behaviour=behaviour(did),
        priced=float(dataset.prices[visited].sum()),
        tokens=rollout.prompt_tokens + rollout.answer_tokens,
    )


def _refuse_unlike(a: ABArm, b: ABArm) -> None:
    unlike = differences(a.head.settings, b.head.settings) + differences(a.head.provenance, b.head.provenance)
    unlike = [line for line in unlike if not line.startswith(MAY_DIFFER)]
    unlike += differences(a.head.agents, b.head.agents, "agents")
    times = a.head.settings.repetitions, b.head.settings.repetitions
    if times[0] != 2 * times[1]:
        unlike.append(f"repetitions: {times[0]} / {times[1]}, where A must have twice B's")
    if unlike:
        raise InputError(f"{a.path} and {b.path} are unlike: {'; '.join(unlike)}")


def _variant(arm: ABArm) -> Variant:
    found = dict(arm.head.settings.environment["variant"])
    return Variant(**found | {"size": tuple(found["size"]) if found["size"] else None})


def _shifted(progress: Progress | None, before: int, total: int) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, _: progress(before + done, total)
