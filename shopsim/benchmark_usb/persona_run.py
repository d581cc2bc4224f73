"""Do personas change behaviour in the direction they name? The same sessions, with each persona and without. Ours.

Three measures, one for each built-in persona, each over the items opened in a session:

price
    Price over the median price of the items whose cards showed; averaged as a geometric mean. A bargain hunter's is
    lower than without a persona.
details read
    Share of the opened items whose detail page was entered. A spec reader's is higher.
picture-matched
    Share of the items opened from the feed whose picture is among the quarter, of all cards that showed, whose colours
    most recall those of the history's pictures (`shopsim.agents.probabilistic.recalled`); a quarter by chance. Higher
    for one who goes by looks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from shopsim.agents.personas import Persona
from shopsim.agents.probabilistic import recalled, rgb
from shopsim.agents.rollout import Rollout
from shopsim.benchmark_usb.bootstrap import Array, Bootstrap, Estimate, Statistic, mean_of
from shopsim.benchmark_usb.results import Head, RunFolder, key_of
from shopsim.benchmark_usb.roster import AgentSpec, Models
from shopsim.benchmark_usb.run import Cast, Progress, Spent
from shopsim.benchmark_usb.summary import Cost
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import InputError

MEASURES = ("price", "details read", "picture-matched")
NONE = "none"
"""Name of playing without a persona."""
QUARTER = 0.75


@dataclass(frozen=True, slots=True)
class PersonaScore:
    """One rollout."""

    agent: str
    """Of the form ``agent+persona``."""
    session_id: str
    user_id: str
    repetition: int
    fault: str | None
    opened: int
    """Items opened."""
    log_price: float
    """Sum over them of ln(price / median price of what showed)."""
    read: int
    """Those of them whose detail page was entered."""
    from_feed: int
    """Items opened from the feed."""
    matched: int
    """Those of them whose picture is of the quarter that most recalls the history's."""
    cost: Cost


@dataclass(frozen=True, slots=True)
class PersonaSummary:
    """One agent with one persona."""

    agent: str
    rollouts: int
    faults: int
    opened: float
    """Items opened a session."""
    measures: dict[str, Estimate]
    """By the names in `MEASURES`."""


@dataclass(frozen=True, slots=True)
class Shift:
    """What a persona does to one measure of one agent, on the same sessions."""

    agent: str
    persona: str
    measure: str
    value: Estimate
    """With the persona."""
    shift: Estimate
    """With it less without it; of prices, the ratio of the two."""


class PersonaResults(RunFolder[PersonaScore, PersonaSummary]):
    """A run of agents with personas and without."""

    FORMAT = "shopsim-persona-results"
    _head_type = Head[PersonaSummary]
    _line_type = PersonaScore

    def summary(self, agent: str, samples: int = 1000) -> PersonaSummary:
        """See `RunFolder.summary`."""
        scores = self.scores(agent)
        kept = [score for score in scores if score.fault is None]
        bootstrap = Bootstrap([s.user_id for s in kept], [s.session_id for s in kept], samples)
        measures = {name: bootstrap.estimate(_columns(kept, name), _statistic(name)) for name in MEASURES}
        opened = float(np.mean([score.opened for score in kept] or [0]))
        return PersonaSummary(agent, len(kept), len(scores) - len(kept), opened, measures)

    def shifts(self, samples: int = 1000) -> list[Shift]:
        """What each persona does to each measure of each agent, with paired intervals over users."""
        found = []
        for name in self.head.agents:
            agent, _, persona = name.rpartition("+")
            if persona == NONE:
                continue
            without = {key_of(score)[1:]: score for score in self.scores(f"{agent}+{NONE}") if score.fault is None}
            with_it = {key_of(score)[1:]: score for score in self.scores(name) if score.fault is None}
            pairs = [(without[key], with_it[key]) for key in sorted(without.keys() & with_it.keys())]
            users, sessions = [s.user_id for s, _ in pairs], [s.session_id for s, _ in pairs]
            bootstrap = Bootstrap(users, sessions, samples)
            for measure in MEASURES:
                columns = np.hstack([_columns([pair[i] for pair in pairs], measure) for i in (0, 1)])
                shift = bootstrap.estimate(columns, partial(_shift, measure))
                value = bootstrap.estimate(columns[:, 2:], _statistic(measure))
                found.append(Shift(agent, persona, measure, value, shift))
        return found


def run_personas(
    data: DataSet | str | Path | None,
    agents: Sequence[AgentSpec],
    personas: Mapping[str, Persona],
    out: str | Path,
    *,
    split: str = "test",
    sessions: int | Sequence[str] | None = None,
    repetitions: int = 1,
    seed: int = 0,
    lanes: int = 8,
    models: Models | None = None,
    progress: Progress | None = None,
    spent: Spent | None = None,
) -> PersonaResults:
    """Runs agents with each persona and without; the same call on the same folder goes on where it stopped.

    Args:
        data: The data set, its folder or hub id; None for the bundled one.
        agents: Who is run: ``heuristic``, ``probabilistic``, or agents with a model.
        personas: By name.
        out: Folder of the results.
        split: Which sessions.
        sessions: How many of them, drawn by `seed`; or their ids; None for all.
        repetitions: Rollouts of each session.
        seed: Of everything random; the same for every persona.
        lanes: Sessions played at the same time.
        models: The models that are loaded.
        progress: Called after each rollout.
        spent: Called after each batch of answers.

    Raises:
        InputError: Something given cannot be used; the folder holds another run.
        DataError: The data set cannot be used.
    """
    if NONE in personas:
        raise InputError(f"a persona cannot be called {NONE!r}")
    specs = [replace(spec, label=f"{spec.name}+{NONE}") for spec in agents]
    specs += [
        replace(spec, label=f"{spec.name}+{name}", persona=persona)
        for spec in agents
        for name, persona in personas.items()
    ]
    cast = Cast(data, specs, split, sessions, repetitions, seed, lanes, models)
    arguments = {"split": split, "reward": None}
    told = {name: persona.text(cast.dataset.locale) for name, persona in personas.items()}
    results = cast.begin(PersonaResults, out, "recorded", ("ShopSim-v0", arguments), {"personas": told})
    return cast.play(results, Measuring(cast.dataset).score, progress, spent)


class Measuring:
    """Takes the measures of rollouts.

    Args:
        dataset: The data set they were played in.
    """

    def __init__(self, dataset: DataSet) -> None:
        self._dataset = dataset
        self._colour = lru_cache(maxsize=16384)(lambda row: rgb(dataset.item(row).picture.color))

    def score(self, agent: str, rollout: Rollout, seconds: float) -> PersonaScore:
        """The measures of one rollout."""
        dataset, session_id = self._dataset, rollout.task.session_id
        assert session_id is not None
        row = dataset.session_row(session_id)
        events = rollout.trajectory.events if rollout.trajectory else []
        shown = sorted(rollout.trajectory.impressions) if rollout.trajectory else []
        opening = [e for e in events if e.effect in (Action.CLICK, Action.ENTER_DETAIL)]
        opened = sorted({e.item for e in opening})
        from_feed = {e.item for e in opening if e.page is Page.FEED}
        median = float(np.median(dataset.prices[shown])) if shown else 1.0
        past = np.concatenate(dataset.history(row))[-60:]
        colours = np.array([self._colour(int(item)) for item in past]).reshape(-1, 3)
        looks = {item: recalled(self._colour(item), colours) for item in {*shown, *from_feed}}
        bar = float(np.quantile([looks[item] for item in shown], QUARTER)) if shown else 0.0
        return PersonaScore(
            agent=agent,
            session_id=session_id,
            user_id=dataset.user(dataset.user_row(row)).user_id,
            repetition=rollout.task.member,
            fault=None if rollout.fault is None else str(rollout.fault),
            opened=len(opened),
            log_price=float(np.log(np.maximum(dataset.prices[opened], 0.01) / max(median, 0.01)).sum()),
            read=len({e.item for e in opening if e.effect is Action.ENTER_DETAIL}),
            from_feed=len(from_feed),
            matched=sum(looks[item] >= bar for item in from_feed),
            cost=Cost(rollout.prompt_tokens, rollout.answer_tokens, seconds),
        )


def _columns(scores: Sequence[PersonaScore], measure: str) -> Array:
    """What is summed for a measure, shape (n, 2)."""
    pairs = {
        "price": [(s.log_price, s.opened) for s in scores],
        "details read": [(s.read, s.opened) for s in scores],
        "picture-matched": [(s.matched, s.from_feed) for s in scores],
    }
    return np.array(pairs[measure], dtype=np.float64).reshape(-1, 2)


def _geometric(sums: Array) -> Array:
    result: Array = np.exp(mean_of(sums))
    return result


def _statistic(measure: str) -> Statistic:
    return _geometric if measure == "price" else mean_of


def _shift(measure: str, sums: Array) -> Array:
    """From the four sums of a pair to what the persona does."""
    without, with_it = mean_of(sums[..., :2]), mean_of(sums[..., 2:])
    result: Array = np.exp(with_it - without) if measure == "price" else with_it - without
    return result
