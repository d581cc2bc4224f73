"""Sessions as film strips: every screen, where it was touched, what was thought and noted, the person beside agents.

A strip is shot by playing a session's actions through an environment, which is deterministic, so nothing but the
actions needs to have been kept.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from shopsim.agents.human import HumanReplay
from shopsim.agents.record import decision_of, environment_of, load
from shopsim.benchmark_usb.plots import N_COLORS
from shopsim.benchmark_usb.results import RECORDINGS, Results
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.decision import Decision
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.trajectory import Event, Invalid
from shopsim.errors import InputError

Pixels = NDArray[np.uint8]
Point = tuple[float, float]

QUALITY = 78
"""WebP; a report shows screens, it does not archive them."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image inside a page."""

    source: str
    """A data URI."""
    width: int
    height: int
    caption: str = ""

    @classmethod
    def of(cls, pixels: Pixels, caption: str = "") -> "Picture":
        """Embeds RGB pixels (height, width, 3)."""
        source = f"data:image/webp;base64,{base64.b64encode(webp(pixels)).decode()}"
        return cls(source, pixels.shape[1], pixels.shape[0], caption)


def webp(pixels: Pixels, effort: int = 4) -> bytes:
    """RGB pixels (height, width, 3) as a WebP file; more effort, 0 to 6, is smaller and slower."""
    out = BytesIO()
    Image.fromarray(pixels).save(out, "WEBP", quality=QUALITY, method=effort)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: the screen it was taken on, and what was done."""

    source: str
    width: int
    height: int
    alt: str
    """The screen in words."""
    caption: str
    """The action in words."""
    touch: Point | None = None
    """Where, as shares of the screen."""
    swipe: str | None = None
    """``down`` or ``up`` for a scroll."""
    leaves: bool = False
    failed: str | None = None
    """Why nothing happened."""
    mind: str = ""
    episodic: str | None = None
    preference: str | None = None
    link: str | None = None
    """Where the step is shown by itself."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One shopper's session."""

    who: str
    frames: tuple[Frame, ...]
    facts: tuple[tuple[str, str], ...] = ()
    """Numbers beside the name: reward parts, scores."""
    color: int | None = None
    """Number of the agent's colour; None for people."""


@dataclass(frozen=True, slots=True)
class SessionFilm:
    """A recorded session: the person's strip, then agents'."""

    title: str
    about: str
    strips: tuple[Strip, ...]


FAILURES: dict[Invalid, str] = {
    Invalid.SCROLL_END: "the page ends here",
    Invalid.NO_TARGET: "nothing reacts there",
    Invalid.OFF_SCREEN: "off the screen",
    Invalid.NOT_HERE: "not possible here",
    Invalid.ALREADY_DONE: "already done",
    Invalid.UNPARSED: "the answer could not be read",
}


def films_of(
    results: Results, data: DataSet | str | Path | None = None, limit: int | None = None, trust: bool = False
) -> list[SessionFilm]:
    """The recorded sessions of a run, in the order of its agents.

    Args:
        results: A run made with ``record``.
        data: Its data set, where it is no longer at the recorded place.
        limit: Most sessions; None for all that were recorded.
        trust: As of `shopsim.agents.record.environment_of`.

    Raises:
        DataError: A recording or the data set cannot be read.
        InputError: This is not the run's data set.
    """
    traces: dict[str, dict[str, dict[str, Any]]] = {}
    for file in sorted((results.path / RECORDINGS).glob("*/trace.json")):
        trace = load(file.parent)
        traces.setdefault(trace["session_id"], {})[trace["agent"]["label"]] = trace
    if not traces:
        return []
    path = next(iter(next(iter(traces.values())).values()))["data"]["path"]
    dataset = data if isinstance(data, DataSet) else DataSet.open(data or path)
    if dataset.hash != results.head.settings.data.hash:
        raise InputError(f"{dataset.path} is not the data set of {results.path}: their hashes differ")
    return [_film(results, dataset, session_id, traces[session_id], trust) for session_id in sorted(traces)[:limit]]


def _film(
    results: Results, dataset: DataSet, session_id: str, traces: Mapping[str, Mapping[str, Any]], trust: bool
) -> SessionFilm:
    strips = [person_strip(dataset, session_id)]
    for index, agent in enumerate(results.finished()):
        if agent not in traces or agent == "human":
            continue
        trace = traces[agent]
        env = environment_of(trace, dataset, trust, pixels=True)
        decisions = [decision_of(step) for step in trace["steps"]]
        facts = _facts(results, agent, session_id)
        strips.append(shoot(env, session_id, trace["task"]["env_seed"], decisions, agent, facts, index % N_COLORS))
    row = dataset.session_row(session_id)
    user = dataset.user(dataset.user_row(row))
    person = ", ".join(str(v) for v in (user.gender, user.age) if v is not None).capitalize()
    about = ". ".join(v.rstrip(".") for v in (person, user.persona) if v)
    return SessionFilm(f"Session {session_id}", about and f"{about}.", tuple(strips))


def _facts(results: Results, agent: str, session_id: str) -> list[tuple[str, str]]:
    """Scores of the agent's first rollout of a session."""
    score = next(s for s in results.scores(agent) if s.session_id == session_id and s.repetition == 0)
    facts = [("steps", str(score.behaviour.steps))]
    if score.intent is not None:
        facts += [
            ("item F1", f"{100 * score.intent.f1:.0f} %"),
            ("category overlap", f"{100 * score.intent.overlap:.0f} %"),
        ]
    return facts + [(f"reward {part}", f"{value:.2f}") for part, value in score.reward.items()]


def person_strip(dataset: DataSet, session_id: str) -> Strip:
    """What the recorded person did."""
    row = dataset.session_row(session_id)
    n_steps = len(dataset.effects(row))
    person = HumanReplay(dataset)
    person.reset({"session_id": session_id})
    env = ShopSimEnv(dataset, split=None, reward=None, max_steps=None, stuck_after=None)
    return shoot(
        env, session_id, 0, [person.act({}, {}) for _ in range(n_steps)], "the person", [("steps", str(n_steps))]
    )


def shoot(
    env: gym.Env[Any, Any],
    session_id: str,
    seed: int,
    decisions: Sequence[Decision],
    who: str,
    facts: Sequence[tuple[str, str]] = (),
    color: int | None = None,
) -> Strip:
    """Plays decisions through an environment and keeps every screen.

    Args:
        env: An environment like the one they were made in.
        session_id: The session.
        seed: Of the environment, as it was then.
        decisions: In order.
        who: Heading.
        facts: See `Strip`.
        color: See `Strip`.
    """
    core: Any = env.unwrapped
    observation, _ = env.reset(seed=seed, options={"session_id": session_id})
    frames = []
    for decision in decisions:
        screen = observation["screenshot"]
        observation, *_ = env.step(decision.env_action())
        frames.append(frame_of(core.dataset, core.trajectory.events[-1], decision, Picture.of(screen)))
    return Strip(who, tuple(frames), tuple(facts), color)


PAGES: dict[Page, str] = {
    Page.FEED: "The feed",
    Page.PREVIEW: "The preview of an item",
    Page.DETAIL: "The detail page of an item",
}


def frame_of(
    dataset: DataSet | None, event: Event, decision: Decision, picture: Picture, link: str | None = None
) -> Frame:
    """One step for people to look at.

    Args:
        dataset: Knows the items' titles; None where it is not at hand.
        event: What the step did.
        decision: What the shopper thought and noted.
        picture: The screen.
        link: See `Frame`.
    """
    done = event.action if event.effect is None else event.effect
    scrolls = {Action.SCROLL_DOWN: "down", Action.SCROLL_UP: "up"}
    caption = in_words(dataset, event)
    return Frame(
        picture.source,
        picture.width,
        picture.height,
        alt=f"{PAGES[event.page]}; the shopper {caption}",
        caption=caption,
        touch=touch_of(event),
        swipe=None if done is None else scrolls.get(done),
        leaves=done is Action.TERMINATE,
        failed=None if event.invalid is None else FAILURES[event.invalid],
        mind=decision.mind,
        episodic=decision.episodic,
        preference=decision.preference,
        link=link,
    )


def in_words(dataset: DataSet | None, event: Event) -> str:
    """What a step did (or tried to do), for people."""
    if event.action is None:
        return "says nothing that can be read"
    if event.effect is None:
        return f"tries to {event.action.label.replace('_', ' ')}"
    item = f"“{dataset.titles([event.item])[0]}”" if dataset and event.item >= 0 else "an item"
    return {
        Action.SCROLL_DOWN: "scrolls down",
        Action.SCROLL_UP: "scrolls up",
        Action.CLICK: f"opens {item}",
        Action.ENTER_DETAIL: f"enters the details of {item}",
        Action.BACK: "goes back",
        Action.ADD_TO_CART: f"adds {item} to the cart",
        Action.PURCHASE: f"buys {item}",
        Action.TERMINATE: "leaves",
    }[event.effect]


def touch_of(event: Event) -> Point | None:
    """Where a step touched: its own point, or the button that does the same."""
    if event.point is not None:
        return event.point if all(0 <= v <= 1 for v in event.point) else None
    names = {Action.ENTER_DETAIL: "details"}
    if event.effect is None:
        return None
    kind = names.get(event.effect, event.effect.label)
    button = next((box for box in layout.BUTTONS[event.page.label] if box.kind == kind), None)
    return button.center() if button else None
