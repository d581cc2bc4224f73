"""Who can be run: agents by name, with a model, or by a user's own import path (SPEC 5, 8)."""

import ast
import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from shopsim.agents.ab_agent import ABAgent
from shopsim.agents.agent4rec import Agent4Rec
from shopsim.agents.align_user import AlignUserAgent
from shopsim.agents.backend import Backend
from shopsim.agents.base import Agent
from shopsim.agents.customer_r1 import CustomerR1Agent
from shopsim.agents.heuristic import HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.models import load_backend, setup_of
from shopsim.agents.opera import OperaAgent
from shopsim.agents.personas import Persona
from shopsim.agents.probabilistic import ProbabilisticUser
from shopsim.agents.prompted import PromptedAgent
from shopsim.agents.rec_agent import RecAgent
from shopsim.agents.recverse import RecVerseAgent, RecVerseTextAgent
from shopsim.agents.shop_r1 import ShopR1Agent
from shopsim.agents.spending import Budget
from shopsim.agents.sta import STAAgent
from shopsim.agents.trivial import AlwaysAgent, CopyLastAgent, RandomAgent, most_frequent
from shopsim.benchmark_usb.shopper_agents import OwnRule, SecondDraw
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.errors import InputError

_OF_DATA: dict[str, Callable[[DataSet], Callable[..., Agent]]] = {
    "human": lambda dataset: partial(HumanReplay, dataset),
    # Ceilings, on synthetic sets only: they know what the person had in mind.
    "second-draw": lambda dataset: partial(SecondDraw, dataset),
    "own-rule": lambda dataset: partial(OwnRule, dataset),
    "probabilistic": lambda dataset: partial(ProbabilisticUser, dataset),
    "most-frequent": lambda dataset: partial(AlwaysAgent, most_frequent(dataset).action, "most-frequent"),
}
_PROMPTED: dict[str, type[PromptedAgent]] = {
    kind.label: kind
    for kind in (
        RecVerseAgent,
        RecVerseTextAgent,
        STAAgent,
        ABAgent,
        ShopR1Agent,
        CustomerR1Agent,
        OperaAgent,
        AlignUserAgent,
        RecAgent,
        Agent4Rec,
    )
}
_BLIND: dict[str, Callable[..., Agent]] = {
    "heuristic": HeuristicShopper,
    "random": RandomAgent,
    "copy-last": CopyLastAgent,
    **{f"always-{label.replace('_', '-')}": partial(AlwaysAgent, action) for label, action in ACTION_BY_LABEL.items()},
}

ASKING: tuple[str, ...] = tuple(_PROMPTED)
"""Those that ask a model."""

BUILT_IN: tuple[str, ...] = (*_OF_DATA, *ASKING, *_BLIND)
"""Agents by name."""

TRIVIAL: tuple[str, ...] = ("always-click", "always-terminate", "most-frequent", "copy-last")
"""Policies without any idea of shopping that stand in every table of step scores (SPEC 4.3)."""

FLOOR, CEILINGS = ("random", "heuristic"), ("second-draw", "own-rule")
"""Agents without which no score of a run can be judged; the ceilings are known of synthetic sets only."""

ALL = "all"
"""Stands for every built-in agent that can run."""


class Models:
    """The models of a run: each is loaded once, whoever asks it.

    Args:
        budget: What each of them may spend.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget
        self._loaded: dict[str, Backend] = {}

    def load(self, spec: str) -> Backend:
        """The back end of a model, named as for `shopsim.agents.models.load_backend`.

        Raises:
            InputError: It cannot be loaded.
        """
        if spec not in self._loaded:
            self._loaded[spec] = load_backend(spec, budget=self._budget)
        return self._loaded[spec]


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent to run, by name."""

    kind: str
    """One of `BUILT_IN`, or the import path of an agent class, ``my.module:MyAgent``."""
    checkpoint: str | None = None
    """Its model: a folder, a training run's folder (its newest checkpoint), a hub id, ``vllm:FOLDER`` or a server's
    address; see `shopsim.agents.models.load_backend`. An agent of one's own gets the back end as ``backend``."""
    label: str | None = None
    """What the results call it; the kind, with its arguments, if not given."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the agent's class; of an agent that asks by template, options of `PromptedAgent.of`."""
    persona: Persona | None = None
    """What kind of shopper it plays in place of the user's own persona."""
    optional: bool = False
    """Whether a run goes on without it where it cannot run."""

    @property
    def name(self) -> str:
        """What the results call it."""
        if self.label:
            return self.label
        arguments = ",".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{self.kind}({arguments})" if arguments else self.kind

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Reads ``[label=]kind[(name=value, ...)][@model]``, for example ``trained=recverse(window=4)@runs/grpo``.

        Values are Python literals.

        Raises:
            InputError: It cannot be read so.
        """
        found = _SPEC.fullmatch(text.strip())
        if found is None:
            raise InputError(f"agent {text!r} cannot be read; write [label=]kind[(name=value, ...)][@model]")
        label, kind, arguments, checkpoint = found.groups()
        if label is not None and not label.strip(" ."):
            raise InputError(f"agent {text!r}: its label needs a letter or a number")
        return cls(kind, checkpoint, label, _arguments(text, arguments or "()"))

    @classmethod
    def parse_all(cls, text: str, model: str | None = None, constrained: bool = False) -> "list[AgentSpec]":
        """Reads a list with commas between the agents, or `ALL`.

        Args:
            text: The list.
            model: For those agents that need a model and name none.
            constrained: Whether answers of those that ask a model are held to a JSON schema.

        Raises:
            InputError: It cannot be read.
        """
        specs: list[AgentSpec] = []
        for part in _COMMA.split(text):
            if not part.strip():
                raise InputError(f"agents {text!r}: between commas there must be an agent")
            if part.strip() == ALL:
                specs += [cls(kind, optional=True) for kind in BUILT_IN]
            else:
                specs.append(cls.parse(part))
        held = {"constrained": True} if constrained else {}
        return [
            replace(spec, checkpoint=spec.checkpoint or model, settings={**held, **spec.settings})
            if spec.kind in _PROMPTED
            else spec
            for spec in specs
        ]

    @classmethod
    def beside(cls, specs: "Sequence[AgentSpec]") -> "list[AgentSpec]":
        """`FLOOR` and `CEILINGS`, as far as they are not among the agents already."""
        given = {spec.kind for spec in specs} | {spec.name for spec in specs}
        return [cls(kind, optional=True) for kind in (*FLOOR, *CEILINGS) if kind not in given]

    def maker(self, dataset: DataSet, models: Models | None = None) -> Callable[[], Agent]:
        """A function that makes one such agent for each lane; a model is loaded once, here.

        Raises:
            InputError: There is no such agent, it lacks its model, or the model cannot read what it would be asked.
        """
        models = models or Models()
        settings = dict(self.settings)
        if self.kind in _PROMPTED:
            return self._prompted(_PROMPTED[self.kind], models)
        if self.kind in BUILT_IN:
            if self.checkpoint is not None:
                raise InputError(f"agent {self.kind!r} takes no model")
            if self.persona is not None:
                settings |= self._weights(self.persona)
            make = _OF_DATA[self.kind](dataset) if self.kind in _OF_DATA else _BLIND[self.kind]
        else:
            make = _load(self.kind)
            if self.checkpoint is not None:
                settings["backend"] = models.load(self.checkpoint)
        return partial(_made, self.kind, make, settings)

    @property
    def sees(self) -> bool:
        """Whether it may look at screenshots; for the built-in agents that do not, none are drawn."""
        if self.kind in _PROMPTED:
            return bool(self.settings.get("view", _PROMPTED[self.kind].view) != "text")
        return self.kind not in BUILT_IN

    @property
    def size(self) -> tuple[int, int] | None:
        """Size of the screens its model was trained on; None where nothing says."""
        return None if self.checkpoint is None else setup_of(self.checkpoint).size

    def _prompted(self, kind: type[PromptedAgent], models: Models) -> Callable[[], Agent]:
        if self.checkpoint is None:
            raise InputError(f"agent {self.kind!r} needs a model: {self.kind}@MODEL")
        backend = models.load(self.checkpoint)
        if self.sees and not backend.reads_images:
            raise InputError(f"agent {self.kind!r} shows screenshots, and {self.checkpoint} reads no images")
        setup = setup_of(self.checkpoint)
        trained = setup.options if kind is RecVerseAgent else {}  # the trainers train no other
        return partial(kind.of, backend, setup.style == "tiny", **{"name": self.name, **trained, **self.settings})

    def _weights(self, persona: Persona) -> dict[str, Any]:
        of_kind: dict[str, dict[str, Any]] = {
            "probabilistic": {"taste": persona.taste},
            "heuristic": {"habits": persona.habits},
        }
        if self.kind not in of_kind:
            raise InputError(
                f"agent {self.kind!r} plays no personas; heuristic, probabilistic and agents with a model do"
            )
        return of_kind[self.kind]


_SPEC = re.compile(r"(?:([\w.+ -]+)=)?([\w.-]+(?::[\w.]+)?)\s*(\(.*\))?(?:@(.+))?", re.DOTALL)
_COMMA = re.compile(r",(?![^(]*\))")
"""A comma outside parentheses."""


def _arguments(text: str, arguments: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or any(keyword.arg is None for keyword in call.keywords):
            raise ValueError("arguments need names")
        return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise InputError(f"agent {text!r}: its arguments must be name=value with plain values ({error})") from None


def _made(kind: str, make: Callable[..., Agent], settings: Mapping[str, Any]) -> Agent:
    try:
        made = make(**settings)
    except TypeError as error:
        raise InputError(f"agent {kind!r}: {error}") from error
    if missing := [name for name in ("name", "reset", "act", "settings") if not hasattr(made, name)]:
        raise InputError(f"agent {kind!r} has no {', '.join(missing)}; see shopsim.agents.Agent")
    try:
        json.dumps(made.settings())
    except (TypeError, ValueError) as error:
        raise InputError(f"agent {kind!r}: what settings() returns is not JSON ({error})") from None
    return made


def _load(path: str) -> Callable[..., Agent]:
    module, _, name = path.partition(":")
    choices = f"one of {', '.join(BUILT_IN)}, {ALL}, or an import path like my.module:MyAgent"
    if not name:
        raise InputError(f"there is no agent {path!r}; it must be {choices}")
    try:
        loaded: Callable[..., Agent] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"agent {path!r} cannot be imported ({error}); it must be {choices}") from error
    return loaded
