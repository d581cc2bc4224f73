"""A session made ready to be shown: a person's or an agent's, as a strip and step by step. Ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from shopsim.agents.record import decision_of
from shopsim.benchmark_usb.film import Frame, Picture, Strip, frame_of
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action, Page
from shopsim.envs import layout
from shopsim.envs.decision import Decision
from shopsim.envs.human import replay
from shopsim.envs.trajectory import Event, Invalid
from shopsim.errors import DataError
from shopsim.server.viewer.library import Recording

SIGNS: dict[Action, str] = {
    Action.SCROLL_DOWN: "↓",
    Action.SCROLL_UP: "↑",
    Action.CLICK: "●",
    Action.ENTER_DETAIL: "◉",
    Action.BACK: "←",
    Action.ADD_TO_CART: "+",
    Action.PURCHASE: "$",
    Action.TERMINATE: "×",
}
"""A sign for each effect, for a session in one line."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A piece of a prompt: text, or the address of a screen."""

    text: str = ""
    screen: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to a model and its answer."""

    messages: tuple[tuple[str, tuple[PromptPart, ...]], ...]
    """Role and parts of each."""
    answer: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a memory holds, as lines."""

    working: tuple[str, ...] = ()
    episodic: tuple[str, ...] = ()
    preference: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step with all that is known of it."""

    number: int
    frame: Frame
    facts: tuple[tuple[str, str], ...]
    mind: str = ""
    before: Memory | None = None
    after: Memory | None = None
    exchanges: tuple[Exchange, ...] = ()
    """What the model was asked, in order; the last answer decided."""
    raw: str = ""
    """The answer that was read as an action."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A session to be shown."""

    who: str
    title: str
    link: str
    """Its own page; a step's is ``link/steps/NUMBER``."""
    steps: tuple[ShownStep, ...]
    facts: tuple[tuple[str, str], ...] = ()
    reward: tuple[tuple[str, float], ...] = ()
    color: int | None = None
    query: str = ""
    """What a step's address ends in: who is shown beside it."""

    @property
    def strip(self) -> Strip:
        """As a film strip."""
        return Strip(self.who, tuple(step.frame for step in self.steps), self.facts, self.color)


def path_of(*parts: object) -> str:
    """An address from names that may hold anything."""
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


def shown_person(name: str, dataset: DataSet, row: int) -> Shown:
    """The recorded person's session.

    Args:
        name: Of the data set, as served.
        dataset: The data set.
        row: The session's row.
    """
    session = dataset.session(row)
    link = path_of("data", name, "sessions", session.session_id)
    steps = []
    for number, (step, event) in enumerate(zip(session.steps, replay(dataset, row).events, strict=True)):
        source = f"{link}/screens/{number}.webp?v={dataset.hash[:12]}"
        picture = Picture(source, layout.WIDTH, layout.HEIGHT)
        decision = Decision(step.action, None, step.mind or "", step.episodic, step.preference)
        frame = frame_of(dataset, event, decision, picture, f"{link}/steps/{number}")
        facts = [("time", f"{step.timestamp:%Y-%m-%d %H:%M:%S}"), *_place(dataset, event)]
        if step.imputed:
            facts.append(("imputed", "filled in by the importer"))
        facts += [(what, text) for what, text in (("notes", step.episodic), ("now wants", step.preference)) if text]
        steps.append(ShownStep(number, frame, tuple(facts), step.mind or ""))
    who = "played here" if dataset.source == "recorded" else "the person"
    return Shown(who, f"Session {session.session_id}", link, tuple(steps), (("steps", str(len(steps))),))


def shown_agent(
    recording: Recording,
    trace: Mapping[str, Any],
    dataset: DataSet | None,
    color: int = 0,
    beside: Sequence[str] = (),
) -> Shown:
    """An agent's recorded session.

    Args:
        recording: In short.
        trace: All of it.
        dataset: Its data set; None where it is not served.
        color: Number of the agent's colour.
        beside: Names of recordings to be shown beside its steps.

    Raises:
        DataError: The recording is damaged.
    """
    link = path_of("recordings", recording.name)
    query = "?" + urlencode([("with", name) for name in beside]) if beside else ""
    try:
        stored: Sequence[Mapping[str, Any]] = trace["steps"]
        events = [event_of(step) for step in stored]
        # Older recordings hold only the memory before a step.
        before = [_memory(step["memory"]) for step in stored]
        after = [_memory(step.get("memory_after")) for step in stored]
        steps = []
        for number, (step, event) in enumerate(zip(stored, events, strict=True)):
            picture = _screen(link, step["screen"])
            decision = decision_of(step)
            frame = frame_of(dataset, event, decision, picture, f"{link}/steps/{number}{query}")
            steps.append(
                ShownStep(
                    number,
                    frame,
                    (*_place(dataset, event), *_answer(step)),
                    decision.mind,
                    before[number],
                    after[number] or (before[number + 1] if number + 1 < len(before) else None),
                    tuple(_exchange(link, asked) for asked in [*step.get("before", ()), step] if asked["prompt"]),
                    decision.raw,
                )
            )
        reward = tuple((str(part), float(value)) for part, value in (trace["reward"] or {}).items())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"recording {recording.name} is damaged: {error!r}") from error
    facts = [("steps", str(len(steps))), ("reward", f"{recording.total:.2f}"), ("end", recording.stop_reason or "none")]
    title = f"Session {recording.session_id}"
    return Shown(recording.agent, title, link, tuple(steps), tuple(facts), reward, color, query)


def event_of(step: Mapping[str, Any]) -> Event:
    """What a recorded step did."""
    decision = decision_of(step)
    effect = None if step["effect"] is None else ACTION_BY_LABEL[step["effect"]]
    invalid = None if step["invalid"] is None else Invalid(step["invalid"])
    page = Page(step["counts"]["page"])
    return Event(int(step["step"]), page, 0, decision.action, effect, int(step["item"]), invalid, decision.point)


def ribbon(effects: Sequence[tuple[Action, int]]) -> str:
    """A session in one line of signs."""
    return "".join(SIGNS[action] for action, _ in effects)


def _place(dataset: DataSet | None, event: Event) -> list[tuple[str, str]]:
    facts = [("page", event.page.label)]
    if event.action is not None:
        facts.append(("asked for", event.action.label))
    facts.append(("effect", event.effect.label if event.effect is not None else f"none ({event.invalid})"))
    if event.point is not None:
        facts.append(("point", f"{event.point[0]:.3f}, {event.point[1]:.3f}"))
    if event.item >= 0:
        known = dataset is not None and event.item < dataset.n_items
        facts.append(("item", dataset.item_id(event.item) if dataset is not None and known else str(event.item)))
    return facts


def _answer(step: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [("reward", f"{step['reward']:.3f}")]
    if failure := step["decision"]["failure"]:
        facts.append(("unread", str(failure).replace("_", " ")))
    if completion := step["completion"]:
        facts.append(("prompt", f"{completion['prompt_tokens']} tokens"))
        facts.append(("answer", f"{len(completion['token_ids'])} tokens"))
    return facts


def _screen(link: str, name: str | None) -> Picture:
    source = f"{link}/screens/{quote(name, safe='')}.png" if name else "/static/no-screen.svg"
    return Picture(source, layout.WIDTH, layout.HEIGHT)


def _memory(stored: Mapping[str, Any] | None) -> Memory | None:
    if not stored:
        return None
    working = tuple(
        f"{record['step'] + 1}. {record['action'] or 'no action'}" + (f": “{record['mind']}”" if record["mind"] else "")
        for record in stored.get("working") or ()
    )
    episodic = tuple(
        f"{entry['step'] + 1}. {entry['text']}" if isinstance(entry, Mapping) else str(entry)
        for entry in stored.get("episodic") or ()
    )
    return Memory(working, episodic, tuple(str(line) for line in stored.get("preference") or ()))


def _exchange(link: str, asked: Mapping[str, Any]) -> Exchange:
    messages = tuple(
        (
            str(message["role"]),
            tuple(
                PromptPart(part) if isinstance(part, str) else PromptPart(screen=_screen(link, part["screen"]).source)
                for part in message["content"]
            ),
        )
        for message in asked["prompt"]["messages"]
    )
    return Exchange(messages, str((asked["completion"] or {}).get("text", "")))
