"""How a log is cleaned, cut into sessions and filled in: every rule with its default. Ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from shopsim.benchmark_usb.importers.imputation import FillIn
from shopsim.benchmark_usb.importers.log_table import CutRules
from shopsim.errors import InputError

_GROUPS = ("clean", "cut", "fill")
_CHOICES = {
    "duplicates": ("drop", "keep"),
    "float_ids": ("repair", "keep"),
    "ruined_ids": ("drop", "keep"),
    "bad_prices": ("unknown", "drop"),
    "price_unit": ("auto", "units", "micros"),
    "cut_end": ("drop", "refuse"),
}


@dataclass(frozen=True, slots=True)
class CleanRules:
    """What is done about dirt in a log. Whatever is dropped or changed is counted."""

    duplicates: str = "drop"
    """Rows equal to an earlier one in every column: ``drop`` or ``keep``. A shopper cannot do the same to the same
    item twice at one time."""
    float_ids: str = "repair"
    """Ids like ``266079.0``: ``repair`` takes the whole number, ``keep`` leaves them."""
    ruined_ids: str = "drop"
    """Ids like ``1.23E+08``, which a spreadsheet has rounded so that many became one: ``drop`` the row or ``keep`` it.
    Where no digit is lost (``1.5E+01``) the number is taken."""
    missing: tuple[str, ...] = ("", "(not set)", "(none)", "null", "none", "nan", "n/a", "undefined", "\\n", "<na>")
    """Words that mean nothing is told, in lower case."""
    bad_prices: str = "unknown"
    """Prices below 0 or not a number: ``unknown`` keeps the event without its price, ``drop`` drops it. A price of 0 is
    unknown."""
    price_unit: str = "auto"
    """``units``, ``micros`` (millionths), or ``auto``: micros where nearly all prices are whole multiples of 10,000
    and half of them above a million."""
    currency: str = ""
    """The set's; where empty the log's, or the one most of its prices are in. Other prices are converted by `rates`,
    else unknown."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """What one unit of another currency is worth in the set's."""
    time_zone: str = "UTC"
    """Of times that name none, for example ``Asia/Shanghai``. Times with a zone are taken by it, row by row."""
    time_format: str = ""
    """How times are written, as for `datetime.strptime`; where empty ISO 8601 and its cousins, and Unix time in
    seconds, milliseconds or microseconds, told apart by size."""
    earliest: datetime | None = None
    """Events before are dropped; 1970 where None."""
    latest: datetime | None = None
    """Events at or after are dropped; 2100 where None."""
    cut_end: str = "drop"
    """A last line that breaks off: ``drop`` it, or ``refuse`` the file."""


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """All rules of an import."""

    seed: int = 0
    """Decides splits, feeds and how far shoppers browse."""
    history_until: datetime | None = None
    """Events before this time become users' histories instead of sessions; None keeps every event in a session,
    so that histories begin empty and grow by the user's earlier sessions."""
    clean: CleanRules = field(default_factory=CleanRules)
    cut: CutRules = field(default_factory=CutRules)
    fill: FillIn = field(default_factory=FillIn)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"seed must not be negative, got {self.seed}")

    def changed(self, rules: Mapping[str, Any]) -> "ImportSettings":
        """These settings with other values for some rules, by their names.

        Args:
            rules: Values of their type, or texts that say them (``30``, ``2017-11-25``, ``EUR:1.1,GBP:1.3``).

        Raises:
            InputError: There is no such rule, or it cannot have that value.
        """
        homes = self._homes()
        changes: dict[str, dict[str, Any]] = {}
        for name, value in rules.items():
            if name not in homes:
                raise InputError(f"there is no import rule {name!r}; there are {', '.join(sorted(homes))}")
            before = getattr(getattr(self, homes[name]) if homes[name] else self, name)
            changes.setdefault(homes[name], {})[name] = _read(name, value, before)
        own = changes.pop("", {})
        return replace(self, **own, **{group: replace(getattr(self, group), **new) for group, new in changes.items()})

    def told(self) -> dict[str, Any]:
        """Every rule by name, as JSON can hold it."""
        return {
            name: _plain(getattr(getattr(self, group) if group else self, name))
            for name, group in self._homes().items()
        }

    def _homes(self) -> dict[str, str]:
        """For each rule the group it is in, empty for those of `ImportSettings` itself."""
        homes = {each.name: "" for each in fields(self) if each.name not in _GROUPS}
        return homes | {each.name: group for group in _GROUPS for each in fields(getattr(self, group))}


def _read(name: str, value: Any, before: Any) -> Any:
    """A rule's value out of what the user gave."""
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    try:
        if name in ("history_until", "earliest", "latest"):
            return _time(value)
        if isinstance(before, Mapping):
            pairs = value.items() if isinstance(value, Mapping) else (p.split(":") for p in value.split(","))
            return {str(code).strip(): _above_zero(rate) for code, rate in pairs}
        if isinstance(before, tuple):
            words = value.split(",") if isinstance(value, str) else value
            return tuple(str(word).strip().lower() for word in words)
        return _finite(value) if isinstance(before, float) else type(before)(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be {value!r} ({error})") from error


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("it must be finite")
    return number


def _above_zero(value: Any) -> float:
    number = _finite(value)
    if number <= 0:
        raise ValueError("a rate must be above 0")
    return number


def _time(value: Any) -> datetime | None:
    if value is None or value == "":
        return None
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(time, datetime):
        time = datetime(time.year, time.month, time.day)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
