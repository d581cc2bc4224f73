"""Where a study's sessions come from, and how they are shown so that nothing but the shopping differs. Ours.

All are drawn by one renderer, in one size and theme. Only what had an effect is shown, as people's records hold
nothing else; a touch is drawn in the middle of what it hit, since a record need not say where a finger was; and no
thought is shown.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shopsim.benchmark_usb.film import Picture, frame_of
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action
from shopsim.envs import layout
from shopsim.envs.decision import Decision
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.human import open_shop
from shopsim.envs.shop import Shop
from shopsim.server.viewer.library import Library, Recording
from shopsim.server.viewer.pictures import Pictures

_FIRST = 24
"""Items of the feed that make the start: more than a screen shows."""


@dataclass(frozen=True, slots=True)
class Source:
    """Sessions of one kind: a data set's people, or one agent's."""

    key: str
    title: str
    people: bool
    sessions: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A session that could be shown."""

    source: int
    name: str
    start: str
    """From which state it starts: equal only for the same first screens."""
    steps: int
    row: int
    data: str
    """Name of its data set."""
    recording: Recording | None = None


@dataclass(frozen=True, slots=True)
class Clip:
    """A session as raters see it."""

    frames: tuple[Mapping[str, Any], ...]
    screens: Mapping[str, bytes]


def sources(library: Library) -> list[Source]:
    """Everything that sessions can come from."""
    found = [
        Source(f"people/{name}", f"people of {name}", True, dataset.n_sessions)
        for name, dataset in library.datasets().items()
    ]
    counts: dict[tuple[str, str], int] = {}
    for recording in library.recordings().values():
        key = recording.run or "", recording.agent
        counts[key] = counts.get(key, 0) + 1
    found += [
        Source(f"agent/{run}/{agent}", f"{agent}{f' of {run}' if run else ''}", False, count)
        for (run, agent), count in counts.items()
    ]
    return found


def candidates(library: Library, chosen: Sequence[Source]) -> list[Candidate]:
    """The sessions of some sources; those of agents only where they saw the recorded feed of a data set served."""
    found = []
    for number, source in enumerate(chosen):
        kind, _, name = source.key.partition("/")
        made = _of_people(library, number, name) if kind == "people" else _of_agent(library, number, source)
        found += list(made)
    return found


def make_clip(library: Library, pictures: Pictures, candidate: Candidate) -> Clip:
    """Draws a session.

    Args:
        library: Where its data set and recording are.
        pictures: Draws screens.
        candidate: The session.
    """
    dataset = library.dataset(candidate.data)
    if candidate.recording is None:
        shop = open_shop(dataset, candidate.row)
        return _draw(pictures, dataset, shop, dataset.effects(candidate.row))
    trace = library.trace(candidate.recording)
    effects = [
        (ACTION_BY_LABEL[step["effect"]], int(step["item"])) for step in trace["steps"] if step["effect"] is not None
    ]
    # The environment's shop, since the feed may have gone on behind the recorded one.
    fraction = trace["environment"]["arguments"].get("scroll_fraction")
    env = ShopSimEnv(dataset, split=None, reward=None, pixels=False, scroll_fraction=fraction)
    env.reset(seed=trace["task"]["env_seed"], options={"session_id": candidate.recording.session_id})
    return _draw(pictures, dataset, env.shop, effects)


def _draw(pictures: Pictures, dataset: DataSet, shop: Shop, effects: Sequence[tuple[Action, int]]) -> Clip:
    frames, screens = [], {}
    for effect, item in effects:
        content = pictures.draw(dataset, shop)
        name = hashlib.sha256(content).hexdigest()[:32]
        screens[name] = content
        event = shop.follow(effect, item)
        frame = frame_of(dataset, event, Decision(effect), Picture("", layout.WIDTH, layout.HEIGHT))
        frames.append(
            {
                "screen": name,
                "alt": frame.alt,
                "caption": frame.caption,
                "touch": frame.touch,
                "swipe": frame.swipe,
                "leaves": frame.leaves,
            }
        )
    return Clip(tuple(frames), screens)


def _of_people(library: Library, number: int, name: str) -> Iterator[Candidate]:
    dataset = library.dataset(name)
    for row in range(dataset.n_sessions):
        yield Candidate(number, dataset.session_id(row), _start(dataset, row), dataset.n_steps(row), row, name)


def _of_agent(library: Library, number: int, source: Source) -> Iterator[Candidate]:
    for recording in library.recordings().values():
        if f"agent/{recording.run or ''}/{recording.agent}" != source.key:
            continue
        found = library.dataset_of(recording.data)
        if found is None:
            continue
        if library.trace(recording)["environment"]["arguments"].get("feed", "recorded") != "recorded":
            continue
        name, dataset = found
        row = dataset.session_row(recording.session_id)
        yield Candidate(number, recording.name, _start(dataset, row), recording.steps, row, name, recording)


def _start(dataset: DataSet, row: int) -> str:
    first = [dataset.item_id(item) for item in dataset.feed(row)[:_FIRST].tolist()]
    return hashlib.sha256("\n".join([dataset.locale, str(dataset.scroll_step), *first]).encode()).hexdigest()[:32]
