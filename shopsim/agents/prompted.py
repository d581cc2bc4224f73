"""What agents that ask a model by template have in common: prompt, memory, and what came of each decision. Ours.

An agent is a class that says which templates it uses, how it sees, what its bounds are, and what it adds to a prompt.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar, NamedTuple, Self

from shopsim.agents.backend import Backend, Completion, Image, Prompt, Sampling
from shopsim.agents.base import ModelAgent
from shopsim.agents.prompt import SMALL, PromptBuilder, TextScreen, View, settings_hash
from shopsim.agents.schema import answer_schema
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action, Page
from shopsim.envs.decision import POINT_SCALE, Decision, ParseFailure, answer_fields, parse
from shopsim.envs.replay_env import HumanAction
from shopsim.errors import InputError
from shopsim.memory import ThreeTierMemory, shorten


class Did(NamedTuple):
    """A past step as one line: what was done, to what, and whether it worked."""

    step: int
    page: str
    action: str | None
    """None where the answer could not be read."""
    point: tuple[int, int] | None
    """In thousandths of the screen."""
    item: str
    """Title of the item it was about; empty where none."""
    invalid: str | None
    mind: str


class PromptedAgent(ModelAgent):
    """An agent whose prompts come from templates.

    In a teacher-forced environment (its infos carry ``human_action``) memory records what the person did in place of
    what the agent answered, since that is where the session goes on; thoughts and memory writes stay the agent's.

    Args:
        backend: The model.
        sampling: How answers are drawn; the class's own if not given.
        builder: How prompts are built; the class's own if not given.
        memory: Its bounds and switches; cleared at each reset. The class's own if not given.
        name: What results call it; the class's own if not given.
        constrained: Whether answers are held to the JSON schema of what is asked for, where the model's back end can.
    """

    label: ClassVar[str]
    """What results call it."""
    style: ClassVar[str]
    """Its templates."""
    view: ClassVar[View] = "pixels"
    tiers: ClassVar[Mapping[str, Any]] = {"use_episodic": False, "use_preference": False}
    """Arguments of its `ThreeTierMemory`."""
    drawn: ClassVar[Mapping[str, Any]] = {}
    """Arguments of its `Sampling`."""
    small: ClassVar[Mapping[str, Any]] = {**SMALL, "max_tokens": 48, "window": 1, "max_mind": 12, "max_event": 12}
    """What changes for tiny models, as options of `of`."""
    log: ClassVar[int] = 24
    """Past steps kept as one line each."""
    answer: ClassVar[tuple[str, ...]] = ("mind", "action", "episodic", "preference")
    """Keys of its answers, in the order its templates ask for them."""

    def __init__(
        self,
        backend: Backend,
        sampling: Sampling | None = None,
        builder: PromptBuilder | None = None,
        memory: ThreeTierMemory | None = None,
        name: str | None = None,
        constrained: bool = False,
    ) -> None:
        super().__init__(backend, sampling or Sampling(**self.drawn), name or self.label)
        self.constrained = constrained
        self.builder = builder or PromptBuilder(style=self.style, view=self.view)
        self.memory = memory or ThreeTierMemory(**self.tiers)

    @classmethod
    def of(cls, backend: Backend, small: bool = False, **options: Any) -> Self:
        """An agent with some bounds changed.

        Args:
            backend: The model.
            small: The bounds that fit tiny models: a short history, one past screen, short answers.
            **options: Of `Sampling`, `PromptBuilder`, `ThreeTierMemory` or the class, by name; ``max_statement`` is the
                memory's ``max_tokens``.

        Raises:
            InputError: There is no such option.
        """
        sampling: dict[str, Any] = dict(cls.drawn)
        builder: dict[str, Any] = {"style": cls.style, "view": cls.view}
        memory: dict[str, Any] = dict(cls.tiers)
        own: dict[str, Any] = {}
        for name, value in ({**cls.small, **options} if small else options).items():
            places = ((Sampling, sampling), (PromptBuilder, builder), (ThreeTierMemory, memory))
            if name == "max_statement":
                memory["max_tokens"] = value
                continue
            place = next((given for kind, given in places if name in {f.name for f in fields(kind) if f.init}), own)
            place[name] = value
        try:
            return cls(backend, Sampling(**sampling), PromptBuilder(**builder), ThreeTierMemory(**memory), **own)
        except TypeError as error:
            raise InputError(f"agent {cls.label!r}: {error}") from None

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        super().reset(info, seed)
        self.memory.clear()
        self.did: deque[Did] = deque(maxlen=self.log)
        """The last steps, oldest first."""
        self._decided: Decision | None = None
        self._failure: ParseFailure | None = None
        self._invalid: str | None = info["invalid"]
        self._titles: dict[str, str] = {}

    def prompt(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Prompt:
        """See `ModelAgent.prompt`."""
        self.settle(info)
        self._titles |= {item.item_id: item.title for item in info["items"]}
        self._observation, self._info = observation, info
        return self.ask()

    def ask(self, style: str | None = None, **more: Any) -> Prompt:
        """A prompt about the current screen, by the agent's own templates or others, with further names for them."""
        builder = self.builder if style is None else replace(self.builder, style=style)
        if self.constrained:
            self.sampling = replace(self.sampling, schema=answer_schema(*self.keys(builder.style)))
        text = TextScreen(self._info["text"])
        self._screen: Image | TextScreen = text if builder.view == "text" else Image.of(self._observation["screenshot"])
        return builder.build(
            self._start,
            self.memory.recall(),
            self._screen,
            self.memory.steps,
            self._failure,
            self._invalid,
            text.text if builder.view == "both" else None,
            {**self.names(), **more},
        )

    def names(self) -> dict[str, Any]:
        """What the agent's templates may use besides what all may."""
        return {}

    def keys(self, style: str) -> tuple[str, ...]:
        """Keys of the answer that templates ask for: `answer`, without what is switched off."""
        on = {"mind": self.builder.mind, "episodic": self.memory.use_episodic, "preference": self.memory.use_preference}
        return tuple(key for key in self.answer if on.get(key, True))

    def weigh(self, completion: Completion) -> Decision | Prompt:
        """See `ModelAgent.weigh`."""
        decision = parse(completion.text, completion.truncated)
        return decision if decision.failure else self.read(decision, answer_fields(completion.text))

    def read(self, decision: Decision, answer: Mapping[str, Any]) -> Decision | Prompt:
        """What a readable answer comes to, given all its keys; the decision in it, unless a subclass adds to that."""
        return decision

    def take(self, decision: Decision) -> None:
        """See `ModelAgent.take`."""
        self._decided = decision

    def settle(self, info: Mapping[str, Any]) -> None:
        """See `ModelAgent.settle`."""
        decision, self._decided = self._decided, None
        if decision is None:
            return
        self._failure, self._invalid = decision.failure, info["invalid"]
        # What was decided enters memory only now, since only now it is known what came of it.
        if "human_action" in info:
            decision, self._failure = _as_person(decision, info["human_action"]), None
        did = self._line(decision, info)
        self.did.append(did)
        past = TextScreen(self._info["text"]) if self.builder.view == "both" else self._screen
        self.memory.remember(past, decision)
        self.learn(did, info)

    def learn(self, did: Did, info: Mapping[str, Any]) -> None:
        """For agents with a memory of their own: what was done, and the info after it."""

    def express(self, decision: Decision) -> Decision:
        """See `ModelAgent.express`: no thought where none is asked for, and of the rest what memory would keep."""
        return self.memory.fitting(decision if self.builder.mind else replace(decision, mind=""))

    def snapshot(self) -> dict[str, Any]:
        """See `ModelAgent.snapshot`."""
        return self.memory.snapshot()

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`; `prompt_hash` is the hash of all that decides what prompts look like."""
        prompt = {"prompt": self.builder.settings(), "memory": self.memory.settings()}
        return super().settings() | prompt | {"prompt_hash": settings_hash(prompt), "constrained": self.constrained}

    def shorten(self, text: str, limit: int) -> str:
        """A text on one line, cut to so many tokens."""
        return shorten(" ".join(text.split()), limit, self.builder.count_tokens)[0]

    def _line(self, decision: Decision, info: Mapping[str, Any]) -> Did:
        x, y = decision.point or (-1.0, -1.0)
        on_card = self._info["page"] == Page.FEED.label and decision.action in (Action.CLICK, Action.ENTER_DETAIL)
        under = (item.title for item in self._info["items"] if _inside(x, y, item.box)) if on_card else ()
        item = next(iter(under), "") if on_card else self._titles.get(self._info["open_item"] or "", "")
        return Did(
            self.memory.steps,
            self._info["page"],
            None if decision.action is None else decision.action.label,
            None if decision.point is None else (round(x * POINT_SCALE), round(y * POINT_SCALE)),
            self.shorten(item, self.builder.max_title),
            info["invalid"],
            self.shorten(decision.mind, self.memory.max_mind),
        )


def grade(value: object, low: int, high: int, otherwise: int) -> int:
    """A number out of an answer, rounded and brought into a range; `otherwise` where it is none. Never raises."""
    if isinstance(value, str):
        try:
            value = float(value[:32])
        except ValueError:
            return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return otherwise
    return round(min(max(value, low), high))


def plain(value: object) -> str:
    """A text out of an answer; empty where it is none."""
    return value if isinstance(value, str) else ""


def _inside(x: float, y: float, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    return left <= x < right and top <= y < bottom


def _as_person(decision: Decision, human: HumanAction) -> Decision:
    """The decision with the person's action in place of its own."""
    return replace(decision, action=ACTION_BY_LABEL[human.label], point=human.point, failure=None)
