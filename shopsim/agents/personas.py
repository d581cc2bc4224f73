"""Kinds of shoppers: what a model is told of them, and what they weigh [paper 2608.20707's outlook]. Numbers ours."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from shopsim.agents.heuristic import Habits
from shopsim.agents.probabilistic import Taste
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError

BUILT_IN = Path(__file__).with_name("personas.toml")


@dataclass(frozen=True, slots=True)
class Persona:
    """A kind of shopper."""

    name: str
    texts: Mapping[str, str]
    """What a model is told, by locale."""
    taste: Taste = field(default_factory=Taste)
    """Of the probabilistic user."""
    habits: Habits = field(default_factory=Habits)
    """Of the heuristic shopper."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Weights w of the reward's item actions that differ from the default."""

    def text(self, locale: str) -> str:
        """What a model is told; in English where there is no text in the locale.

        Raises:
            InputError: There is neither.
        """
        found = self.texts.get(locale) or self.texts.get("en")
        if found is None:
            raise InputError(f"persona {self.name!r} has no text in {locale!r} or 'en'")
        return found

    def reward(self, base: TrajectoryReward | None = None) -> TrajectoryReward:
        """The trajectory reward with this persona's weights."""
        base = base or TrajectoryReward()
        own = {ACTION_BY_LABEL[label]: weight for label, weight in self.weights.items()}
        return replace(base, weights={**base.weights, **own})


def load_personas(path: str | Path | None = None) -> dict[str, Persona]:
    """The built-in personas, and those of a TOML file, which go before a built-in one of the same name.

    Raises:
        InputError: The file cannot be read, or says something that does not exist.
    """
    return _read(BUILT_IN) | (_read(Path(path)) if path is not None else {})


def _read(path: Path) -> dict[str, Persona]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as personas in TOML ({error})") from None
    return {name: _persona(path, name, said) for name, said in content.items()}


def _persona(path: Path, name: str, said: object) -> Persona:
    if not isinstance(said, dict):
        raise InputError(f"{path}: {name!r} is no table; a persona is a table like [bargain-hunter]")
    texts = {key: value for key, value in said.items() if isinstance(value, str)}
    if not texts or (unknown := said.keys() - texts.keys() - {"taste", "habits", "weights"}):
        what = f"has {', '.join(sorted(unknown))}" if texts else "has no text"
        raise InputError(f"{path}: persona {name!r} {what}; it takes a text for each locale, taste, habits and weights")
    try:
        persona = Persona(
            name, texts, Taste(**said.get("taste", {})), Habits(**said.get("habits", {})), dict(said.get("weights", {}))
        )
        persona.reward()
    except (TypeError, KeyError, InputError) as error:
        raise InputError(f"{path}: persona {name!r}: {error}") from None
    return persona
