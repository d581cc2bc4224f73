"""Text in the two languages of the synthetic world."""

import tomllib
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from typing import Any, Literal, NamedTuple

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")


class Text(NamedTuple):
    """The same words in English and in Chinese."""

    en: str
    zh: str

    def to(self, locale: Locale) -> str:
        """The words in one language."""
        return self.zh if locale == "zh" else self.en


def text(raw: str) -> Text:
    """Reads "English|中文"; without a bar both languages read the same."""
    en, _, zh = raw.partition("|")
    return Text(en, zh or en)


def texts(raw: Iterable[str]) -> tuple[Text, ...]:
    """`text` of each."""
    return tuple(text(one) for one in raw)


def read_toml(file: Traversable) -> dict[str, Any]:
    """Reads one of the TOML files beside the code."""
    return tomllib.loads(file.read_text("utf-8"))
