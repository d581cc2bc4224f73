"""From the texts of a log's fields to ids, prices, words and ages; `times` reads times. Ours.

Texts are looked at once each, not row by row: a column is its distinct texts and a code for every row. Loads pyarrow.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.data.catalog_rules import LARGEST_PRICE

_FLOAT = re.compile(r"([+-]?\d+)\.0*")
_EXPONENT = re.compile(r"([+-]?\d)(?:[.,](\d+))?[eE]\+(\d+)")
_NUMBER = re.compile(r"[+-]?\d+")
_SPACE = re.compile(r"\s+")
_AMOUNT = re.compile(r"([^\d.,+-]*)\s*([+-]?)\s*([^\d.,+-]*)\s*([\d.,' \u00a0]*\d[.,]?)\s*([^\d.,]*)")


class Coded(NamedTuple):
    """A column of texts: a code for each row, and the text of each code."""

    codes: NDArray[np.int32]
    values: list[str]

    def rows_of(self, per_value: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
        """For each row what is told of its text."""
        return np.asarray(per_value)[self.codes]

    def is_nothing(self) -> NDArray[np.bool_]:
        """Rows whose text is empty."""
        return self.rows_of([not text for text in self.values])

    def filled_by(self, other: "Coded", word: str, rows: NDArray[np.bool_]) -> "Coded":
        """The column with the other's texts, behind a word, where its own are empty in some of the rows."""
        empty = self.is_nothing() & rows
        used = np.unique(other.codes[empty])
        places = np.zeros(len(other.values), np.int32)
        places[used] = len(self.values) + np.arange(len(used))
        codes = np.where(empty, places[other.codes], self.codes)
        return Coded(codes, [*self.values, *(f"{word} {other.values[code]}" for code in used.tolist())])

    def only(self, rows: NDArray[np.bool_]) -> "Coded":
        """Some of the rows, and the texts that they have."""
        codes = self.codes[rows]
        used = np.zeros(len(self.values), bool)
        used[codes] = True
        places = np.cumsum(used, dtype=np.int32) - 1
        return Coded(places[codes], [self.values[code] for code in np.flatnonzero(used).tolist()])

    def arrow(self) -> pa.StringArray:
        """The texts row by row, null where they are empty."""
        return pa.array([text or None for text in self.values], pa.string()).take(pa.array(self.codes))


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    array = column.combine_chunks()
    # Of a dictionary type it may still be in several, each with a dictionary of its own.
    return array.unify_dictionaries().combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def coded(column: pa.ChunkedArray) -> Coded:
    """A column of any type as texts without spaces around them; what is missing is an empty text."""
    array = one_array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    texts = array.dictionary.cast(pa.string()).to_pylist()
    codes = array.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.int32)
    return Coded(codes, [text.strip() if text is not None else "" for text in texts] + [""])


class Id(NamedTuple):
    """What was read of an id's text."""

    text: str | None
    """The id, None where there is none."""
    repaired: bool = False
    """It was written as a float."""
    ruined: bool = False
    """It has lost digits."""


def read_id(text: str, missing: frozenset[str], repair: bool) -> Id:
    """An id.

    Args:
        text: The field.
        missing: Words for nothing, in lower case.
        repair: Whether ``12.0`` is read as ``12``.
    """
    if text.lower() in missing:
        return Id(None)
    if text.isdecimal():
        return Id(text)
    if "." not in text and "+" not in text:
        return Id(text)
    if repair and (match := _FLOAT.fullmatch(text)):
        return Id(match[1], repaired=True)
    if match := _EXPONENT.fullmatch(text):
        digits, power = match[2] or "", int(match[3])
        if len(digits.rstrip("0")) > power or len(digits) < power:
            return Id(text, ruined=True)
        whole = match[1] + digits[:power]
        return Id(whole, repaired=True) if repair else Id(text)
    return Id(text)


def is_whole_number(text: str) -> bool:
    """Whether an id is a whole number."""
    return _NUMBER.fullmatch(text) is not None


class Price(NamedTuple):
    """What was read of a price's text."""

    amount: float | None
    """None where the text is no number, or one beyond any price."""
    currency: str = ""
    """Word or sign beside the number."""


def read_price(text: str, missing: frozenset[str]) -> Price:
    """A price, with a point or a comma before its decimals and maybe its currency: ``12.50``, ``1.234,50 EUR``, ``$5``.

    A lone point or comma with three digits behind it is a decimal point if it is a point.
    """
    try:
        return Price(_possible(float(text)))
    except ValueError:
        pass
    if text.lower() in missing:
        return Price(0.0)
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return Price(None)
    before, sign, between, number, after = match.groups()
    for space in (" ", "'", "\u00a0"):
        number = number.replace(space, "")
    point = max(number.rfind("."), number.rfind(","))
    lone = number.count(".") + number.count(",") == 1
    if (
        point >= 0
        and (number[point] not in number[:point])
        and not (lone and number[point] == "," and len(number) - point == 4)
    ):
        number = number[:point].replace(".", "").replace(",", "") + "." + number[point + 1 :]
    else:
        number = number.replace(",", "").replace(".", "")
    currency = (before + between + after).strip()
    return Price(_possible(float(sign + number)), currency)


def _possible(number: float) -> float | None:
    return number if abs(number) <= LARGEST_PRICE else None


def read_words(text: str, missing: frozenset[str]) -> str:
    """A text in one line: no line breaks of any alphabet, no control characters, single spaces."""
    if text.lower() in missing:
        return ""
    if text.isprintable() and "  " not in text:
        return text
    return _SPACE.sub(" ", "".join(c if c.isprintable() or c.isspace() else " " for c in text)).strip()


class Age(NamedTuple):
    """What was read of an age's text."""

    years: int | None
    band: bool = False
    """It was a band of years; `years` is its middle, of an open band as if it were ten years wide."""


def read_age(text: str) -> Age:
    """An age in years or a band of ages (``26-35``, ``65+``, ``56岁以上``); what cannot be an age is unknown."""
    numbers = [int(n) for n in re.findall(r"\d+", re.sub(r"\.0*$", "", text))]
    if not numbers or text.startswith("-") or not all(0 < n <= 120 for n in numbers):
        return Age(None)
    if len(numbers) == 2:
        return Age(sum(numbers) // 2, band=True)
    if re.search(r"\+|以上|>|over|older|up", text, re.I):
        return Age(min(120, numbers[0] + 4), band=True)
    if re.search(r"以下|<|under|younger|below", text, re.I):
        return Age(max(1, numbers[0] - 5), band=True)
    return Age(numbers[0])
