"""The RecVerse prompt: person, memory, screens and the question, from templates one can read and replace (SPEC 5).

What the prompt is made of is RecVerse's [paper 2608.20707]: profile and history, preference memory, episodic memory,
working memory, the current screen. The words, the order and the bounds are ours. The order goes from what never
changes in a session to what changes at every step, so that models which cache beginnings can reuse them.

Templates are the Jinja files in the folder ``templates``, named ``<style>.<locale>.jinja``, each with a block
``system`` and a block ``user``; what several share lies in ``templates/parts`` and is included. They may use:

    age, gender, persona       of the person; none where unknown
    mind                       whether a thought is asked for
    clicks, purchases          items of the history, oldest first: title, price ("38.99"), price_rounded ("39")
    currency, actions          the currency's code; the eight action names
    statements                 preference memory, a list of texts; none where that tier is off
    events                     episodic memory, a list of (step, text); none where off
    records                    working memory, a list of (step, screen, mind, action, point); none where off
    step, screen               of now
    text                       the text view of now, where the view is ``both``; else none
    failure, feedback, invalid of the last answer: the parser's word and what to tell the model, or what the
                               environment could not do; none where it went well

and what an agent adds of its own (its docstring lists it).

A memory tier that is switched off takes out its section of the user message and its line and key in the answer
format, nothing else. Points are in thousandths of the screen. A screen is written as ``{{ screen }}`` and becomes an
image, or the text view of the screen.

Bounds, so that a prompt has a largest size whatever the session: the newest items of the history, each title cut to
its first words; what memory gives is bounded by itself; the text view is cut at its end. `Prompt.trimmed` names the
blocks that were cut. Images are never cut.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from shopsim.agents.backend import Image, Message, Prompt
from shopsim.data.vocabulary import ACTION_LABELS
from shopsim.envs.decision import POINT_SCALE, ParseFailure, feedback
from shopsim.errors import InputError
from shopsim.memory import Recall, Record, shorten
from shopsim.memory.budget import CountTokens, count_words

View = Literal["pixels", "text", "both"]

TEMPLATES = Path(__file__).parent / "templates"

SMALL: Mapping[str, Any] = {"clicks": 4, "purchases": 2, "max_title": 5, "max_view": 80, "grid": 20}
"""Bounds of `PromptBuilder` that fit tiny models."""

_MARK = "\x00"
"""Stands around the number of an image while the template is filled; taken out of all other text."""


@dataclass(frozen=True, slots=True)
class TextScreen:
    """A screen as a text view, for models that read no images."""

    text: str

    @property
    def id(self) -> str:
        """Hash of the text."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class PromptBuilder:
    """Builds the prompt of one step. Holds no state.

    `PromptBuilder.compact()` gives the bounds that fit tiny models.
    """

    style: str = "full"
    """Which templates. Of RecVerse: ``full`` explains everything to a pretrained model, ``compact`` spends few tokens;
    each other agent has its own."""
    locale: str | None = None
    """Language of the templates; by default that of the data set."""
    view: View = "pixels"
    """Whether screens are images or text views; with ``both`` past screens are text, and now is an image and text."""
    mind: bool = True
    """Whether answers shall hold a thought."""
    clicks: int = 12
    """Newest clicked items told."""
    purchases: int = 6
    """Newest bought items told."""
    max_title: int = 16
    """Most tokens of a title in the history."""
    max_view: int = 600
    """Most tokens of one text view."""
    grid: int = 1
    """Points of past actions are rounded to multiples of this number of thousandths."""
    templates: Path = TEMPLATES
    """Folder of the templates."""
    count_tokens: CountTokens = field(default=count_words, repr=False, compare=False)
    """How lengths are counted; words by default (`shopsim.memory.budget`)."""

    @classmethod
    def compact(cls, **settings: Any) -> "PromptBuilder":
        """Few tokens, for tiny models: 60 to 120 a prompt besides the images."""
        return cls(style="compact", **(dict(SMALL) | settings))

    def build(
        self,
        person: Mapping[str, Any],
        recall: Recall,
        screen: Image | TextScreen,
        step: int,
        failure: ParseFailure | None = None,
        invalid: str | None = None,
        text: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Prompt:
        """The prompt of one step.

        Args:
            person: The info of the session's reset: user, clicks, purchases, locale, currency.
            recall: What memory gives.
            screen: The current screen.
            step: Its number, from 0.
            failure: Why the last answer could not be read.
            invalid: Why the last action could not be done.
            text: The text view beside an image.
            more: Further names for the templates.
        """
        filling = _Filling(self)
        user = person["user"]
        names = {
            "age": user.get("age"),
            "gender": user.get("gender"),
            "persona": user.get("persona"),
            "mind": self.mind,
            "clicks": filling.items(person["clicks"], self.clicks),
            "purchases": filling.items(person["purchases"], self.purchases),
            "currency": person["currency"],
            "actions": ACTION_LABELS,
            "statements": recall.preference,
            "events": recall.episodic,
            "records": None if recall.working is None else [filling.record(record) for record in recall.working],
            "screen": filling.screen(screen),
            "step": step,
            "failure": failure,
            "feedback": None if failure is None else feedback(failure),
            "invalid": invalid,
            "text": None if text is None else filling.screen(TextScreen(text)),
            **(more or {}),
        }
        template = _template(self.templates, self.style, self.locale or person["locale"])
        messages = []
        for role in ("system", "user"):
            text = "".join(template.blocks[role](template.new_context(names))).strip("\n")
            if text.strip():
                messages.append(Message(role, filling.split(text)))
        return Prompt(tuple(messages), tuple(filling.trimmed))

    def settings(self) -> dict[str, Any]:
        """The bounds and choices, as plain JSON values, with a hash of the templates: what a result must name."""
        names = ("style", "locale", "view", "mind", "clicks", "purchases", "max_title", "max_view", "grid")
        sources = hashlib.sha256()
        for path in sorted([*self.templates.glob(f"{self.style}.*.jinja"), *self.templates.glob("parts/*.jinja")]):
            sources.update(path.name.encode() + b"\n" + path.read_bytes())
        return {name: getattr(self, name) for name in names} | {"templates": sources.hexdigest()[:16]}


def settings_hash(settings: Mapping[str, Any]) -> str:
    """Short hash of plain JSON settings, for example of a prompt and the memory behind it."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


class _Marked(str):
    """The place of an image in the text."""


class _Filling:
    """What one prompt collects while its template is filled."""

    def __init__(self, builder: PromptBuilder) -> None:
        self._builder = builder
        self._images: list[Image] = []
        self.trimmed: list[str] = []

    def screen(self, screen: Any) -> str:
        """An image's mark, or a text view."""
        if isinstance(screen, TextScreen):
            return self._shorten(screen.text, self._builder.max_view, "screen")
        self._images.append(screen)
        return _Marked(f"{_MARK}{len(self._images) - 1}{_MARK}")

    def record(self, record: Record) -> dict[str, Any]:
        """A record of working memory."""
        grid = self._builder.grid
        return {
            "step": record.step,
            "screen": self.screen(record.screen),
            "mind": record.mind,
            "action": None if record.action is None else record.action.label,
            "point": None if record.point is None else [round(v * POINT_SCALE / grid) * grid for v in record.point],
        }

    def items(self, past: Sequence[Any], limit: int) -> list[dict[str, str]]:
        """The newest items of a history, each once, oldest first."""
        newest = list({item.item_id: item for item in reversed(past)}.values())[:limit]
        return [
            {
                "title": self._shorten(" ".join(item.title.split()), self._builder.max_title, "history"),
                "price": f"{item.price:.2f}",
                "price_rounded": f"{item.price:.0f}",
            }
            for item in reversed(newest)
        ]

    def split(self, text: str) -> tuple[str | Image, ...]:
        """Puts the images in the places of their marks."""
        pieces = text.split(_MARK)
        parts = [self._images[int(piece)] if i % 2 else piece for i, piece in enumerate(pieces)]
        return tuple(part for part in parts if part != "")

    def _shorten(self, text: str, limit: int, name: str) -> str:
        text, cut = shorten(text, limit, self._builder.count_tokens)
        if cut and name not in self.trimmed:
            self.trimmed.append(name)
        return text


_templates: dict[tuple[Path, str], Any] = {}


def _template(folder: Path, style: str, locale: str) -> Any:
    name = f"{style}.{locale}.jinja"
    if (folder, name) not in _templates:
        # Jinja costs a tenth of a second, which agents without prompts need not pay.
        from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound

        environment = Environment(
            loader=FileSystemLoader(folder),
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            autoescape=False,
            finalize=lambda value: value if isinstance(value, _Marked) else str(value).replace(_MARK, ""),
        )
        try:
            template = environment.get_template(name)
        except TemplateNotFound:
            raise InputError(f"no prompt template {name} in {folder}") from None
        if missing := {"system", "user"} - template.blocks.keys():
            raise InputError(f"prompt template {folder / name} has no block {' and '.join(sorted(missing))}")
        _templates[folder, name] = template
    return _templates[folder, name]
