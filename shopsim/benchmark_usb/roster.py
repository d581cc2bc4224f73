"""Who can be run: agents by name, with a model's checkpoint or by a user's own import path (SPEC 5, 8)."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from shopsim.agents.backend import Sampling
from shopsim.agents.base import Agent
from shopsim.agents.checkpoint import AgentSetup, folder_of
from shopsim.agents.heuristic import HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.trivial import AlwaysAgent, CopyLastAgent, RandomAgent, most_frequent
from shopsim.benchmark_usb.shopper_agents import OwnRule, SecondDraw
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.errors import InputError

_BLIND: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    **{f"always-{label.replace('_', '-')}": partial(AlwaysAgent, action) for label, action in ACTION_BY_LABEL.items()},
    "copy-last": CopyLastAgent,
    "heuristic": HeuristicShopper,
}
_OF_DATA: dict[str, Callable[[DataSet], Callable[[], Agent]]] = {
    "human": lambda dataset: partial(HumanReplay, dataset),
    # Ceilings, on synthetic sets only: they know what the person had in mind.
    "second-draw": lambda dataset: partial(SecondDraw, dataset),
    "own-rule": lambda dataset: partial(OwnRule, dataset),
    "most-frequent": lambda dataset: partial(AlwaysAgent, most_frequent(dataset).action, "most-frequent"),
}

BUILT_IN: tuple[str, ...] = (*_BLIND, *_OF_DATA, "recverse")
"""Agents by name."""

TRIVIAL: tuple[str, ...] = ("always-click", "always-terminate", "most-frequent", "copy-last")
"""Policies without any idea of shopping that stand in every table of step scores (SPEC 4.3)."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent to run, by name."""

    kind: str
    """One of `BUILT_IN`, or the import path of an agent class, ``my.module:MyAgent``."""
    checkpoint: str | None = None
    """Model of ``recverse``: a folder, a training run's folder (its newest checkpoint), or a hub id."""
    label: str | None = None
    """What the results call it; the kind if not given."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the agent's class."""

    @property
    def name(self) -> str:
        """What the results call it."""
        return self.label or self.kind

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Reads ``[label=]kind[@checkpoint]``, for example ``trained=recverse@runs/grpo``."""
        label, given, rest = text.partition("=")
        kind, _, checkpoint = (rest if given else text).partition("@")
        return cls(kind, checkpoint or None, label if given else None)

    def maker(self, dataset: DataSet) -> Callable[[], Agent]:
        """A function that makes one such agent for each lane; a model is loaded once, here.

        Raises:
            InputError: There is no such agent, or it lacks its checkpoint.
        """
        if self.kind == "recverse":
            return self._with_model()
        if self.checkpoint is not None:
            raise InputError(f"agent {self.kind!r} takes no checkpoint")
        if self.kind in _OF_DATA:
            return _OF_DATA[self.kind](dataset)
        return partial(_BLIND.get(self.kind) or _load(self.kind), **self.settings)

    @property
    def sees(self) -> bool:
        """Whether it may look at screenshots; for the built-in agents that do not, none are drawn."""
        return self.kind not in _OF_DATA and self.kind not in _BLIND

    @property
    def size(self) -> tuple[int, int] | None:
        """Size of the screens it was trained on; None where nothing says."""
        return None if self.checkpoint is None else AgentSetup.of(folder_of(self.checkpoint)).size

    def _with_model(self) -> Callable[[], Agent]:
        if self.checkpoint is None:
            raise InputError(f"agent {self.kind!r} needs a model: {self.kind}@CHECKPOINT")
        # Only here, since most agents need no torch.
        from shopsim.agents.transformers_backend import TransformersBackend

        settings = dict(self.settings)
        sampling = settings.pop("sampling", None)
        folder = folder_of(self.checkpoint)
        backend = TransformersBackend.load(folder)
        return partial(
            AgentSetup.of(folder).make_agent,
            backend,
            None if sampling is None else Sampling(**sampling),
            name=self.name,
            **settings,
        )


def _load(path: str) -> Callable[..., Agent]:
    module, _, name = path.partition(":")
    choices = f"one of {', '.join(BUILT_IN)}, or an import path like my.module:MyAgent"
    if not name:
        raise InputError(f"there is no agent {path!r}; it must be {choices}")
    try:
        loaded: Callable[..., Agent] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"agent {path!r} cannot be imported ({error}); it must be {choices}") from error
    return loaded
