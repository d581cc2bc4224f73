"""From the texts of a log's fields to ids, times, prices, words and ages. Ours.

Texts are looked at once each, not row by row: a column is its distinct texts and a code for every row. Loads pyarrow.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.ragged import Ints
from shopsim.errors import InputError

_FLOAT = re.compile(r"([+-]?\d+)\.0*")
_EXPONENT = re.compile(r"([+-]?\d)(?:[.,](\d+))?[eE]\+(\d+)")
_NUMBER = re.compile(r"[+-]?\d+")
_SPACE = re.compile(r"\s+")
_AMOUNT = re.compile(r"([^\d.,+-]*)\s*([+-]?)\s*([^\d.,+-]*)\s*([\d.,' \u00a0]*\d[.,]?)\s*([^\d.,]*)")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNIX = r"^\d{6,17}(\.\d*)?$"
_FRACTION = r"^(?P<head>.*:\d\d)[.,](?P<fraction>\d+)(?P<tail>.*)$"
_UNITS = ((10**11, 1_000_000), (10**14, 1_000), (10**17, 1))
"""Unix times below the first are in a unit that long in microseconds: seconds until the year 5138, and so on."""
_TIME_FORMATS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S UTC",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M:%SZ",
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%d %H:%M:%S%z",
    "%Y-%m-%d %H:%M:%S %z",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d",
)


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

    def filled_by(self, other: "Coded", word: str) -> "Coded":
        """The column with the other's texts, behind a word, where its own are empty."""
        codes = np.where(self.is_nothing(), len(self.values) + other.codes, self.codes)
        return Coded(codes.astype(np.int32), [*self.values, *(f"{word} {text}" for text in other.values)])

    def arrow(self, rows: NDArray[np.bool_]) -> pa.DictionaryArray:
        """Some of the rows as an Arrow column, null where the text is empty; texts that are alike become one."""
        places: dict[str, int] = {}
        codes = self.rows_of(np.array([places.setdefault(text, len(places)) for text in self.values], np.int32))[rows]
        texts = pa.array(list(places), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes == places.get("", -1)), texts)


def coded(column: pa.ChunkedArray) -> Coded:
    """A column of any type as texts without spaces around them; what is missing is an empty text."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of a dictionary type in several chunks
        array = array.unify_dictionaries().combine_chunks()
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
    """None where the text is no number."""
    currency: str = ""
    """Word or sign beside the number."""


def read_price(text: str, missing: frozenset[str]) -> Price:
    """A price, with a point or a comma before its decimals and maybe its currency: ``12.50``, ``1.234,50 EUR``, ``$5``.

    A lone point or comma with three digits behind it is a decimal point if it is a point.
    """
    try:
        return Price(_finite(float(text)))
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
    return Price(_finite(float(sign + number)), currency)


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None


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


class Times(NamedTuple):
    """Times of rows."""

    microseconds: Ints
    """Since 1970, UTC; 0 where `good` is not."""
    good: NDArray[np.bool_]
    """Whether the time could be read."""
    zones: Mapping[str, int]
    """Rows by what they say of their zone: ``unix``, ``utc``, ``offset``, ``none``."""


def read_times(column: pa.ChunkedArray, zone: str, pattern: str = "") -> Times:
    """Times written in any of the usual ways, row by row.

    Args:
        column: Times, numbers or texts.
        zone: Name of the zone of times that do not say theirs.
        pattern: How texts are written, as for `datetime.strptime`; empty for the usual ways.
    """
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
        return _typed(array, zone)
    if not pa.types.is_string(array.type):
        array = array.cast(pa.float64() if pa.types.is_floating(array.type) else pa.int64())
        array = array.cast(pa.int64(), safe=False).cast(pa.string())
    array = pc.utf8_trim_whitespace(array.fill_null(""))
    found = _by_pattern(array, zone, pattern) if pattern else _usual(array, zone)
    return Times(found.time, found.good, found.zones)


class _Found:
    """Times found so far."""

    def __init__(self, n: int) -> None:
        self.time = np.zeros(n, np.int64)
        self.good = np.zeros(n, bool)
        self.zones: dict[str, int] = {}

    def put(self, rows: NDArray[np.intp], times: pa.Array, zone: str) -> None:
        """Takes those of the rows' times that are not null."""
        valid = times.is_valid().to_numpy(zero_copy_only=False)
        rows = rows[valid]
        self.time[rows] = times.cast(pa.int64()).fill_null(0).to_numpy()[valid]
        self.good[rows] = True
        if len(rows):
            self.zones[zone] = self.zones.get(zone, 0) + len(rows)

    def put_found(self, rows: NDArray[np.intp], other: "_Found", more: NDArray[np.int64]) -> None:
        """Takes what was found of these rows alone, and adds so many microseconds to each."""
        rows = rows[other.good]
        self.time[rows] = (other.time + more)[other.good]
        self.good[rows] = True
        for zone, count in other.zones.items():
            self.zones[zone] = self.zones.get(zone, 0) + count


def _typed(array: pa.Array, zone: str) -> Times:
    zoned = pa.types.is_timestamp(array.type) and array.type.tz is not None
    array = array.cast(pa.timestamp("us", array.type.tz if zoned else None), safe=False)
    found = _Found(len(array))
    found.put(np.arange(len(array)), array if zoned else _in_zone(array, zone), "utc" if zoned else "none")
    return Times(found.time, found.good, found.zones)


def _usual(array: pa.Array, zone: str) -> _Found:
    found = _Found(len(array))
    number = pc.match_substring_regex(array, _UNIX).to_numpy(zero_copy_only=False)
    if number.any():
        values = pc.cast(array.filter(pa.array(number)), pa.float64()).to_numpy()
        unit = np.select([values < limit for limit, _ in _UNITS], [length for _, length in _UNITS], 1)
        # Exact: seconds and milliseconds are whole here, and microseconds are below 2**53.
        found.put(np.flatnonzero(number), pa.array(np.rint(values * unit).astype(np.int64)), "unix")
    _by_formats(array, zone, found)
    rows = np.flatnonzero(~found.good)
    if len(rows):
        # What is left may have fractions of a second, which are read apart.
        parts = pc.extract_regex(array.take(pa.array(rows)), _FRACTION)
        rows, parts = rows[parts.is_valid().to_numpy(zero_copy_only=False)], parts.drop_null()
        tail = pc.utf8_ltrim_whitespace(parts.field("tail"))
        whole = _Found(len(rows))
        _by_formats(pc.binary_join_element_wise(parts.field("head"), tail, ""), zone, whole)
        fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(parts.field("fraction"), 6, "0"), 0, 6)
        found.put_found(rows, whole, pc.cast(fraction, pa.int64()).to_numpy())
    return found


def _by_formats(array: pa.Array, zone: str, found: _Found) -> None:
    """Tries each of the usual ways on what has not been found yet."""
    for pattern in _TIME_FORMATS:
        rows = np.flatnonzero(~found.good)
        if not len(rows):
            return
        texts = array if len(rows) == len(array) else array.take(pa.array(rows))
        times = pc.strptime(texts, format=pattern, unit="us", error_is_null=True)
        if times.null_count == len(times):
            continue
        if pattern.endswith("%z"):
            found.put(rows, times, "offset")
        elif pattern.endswith(("UTC", "Z")):
            found.put(rows, times, "utc")
        else:
            found.put(rows, _in_zone(times, zone), "none")


def _in_zone(times: pa.Array, zone: str) -> pa.Array:
    """Times of a place as times; of an hour that comes twice the first is meant."""
    if zone == "UTC":
        return times
    return pc.assume_timezone(times, zone, ambiguous="earliest", nonexistent="latest")


def _by_pattern(array: pa.Array, zone: str, pattern: str) -> _Found:
    place = zone_of(zone)
    coding = array.dictionary_encode()
    times: list[int | None] = []
    zoned = False
    for text in coding.dictionary.to_pylist():
        try:
            time = datetime.strptime(text, pattern)
        except ValueError:
            times.append(None)
            continue
        zoned |= time.tzinfo is not None
        time = time if time.tzinfo else time.replace(tzinfo=place)
        times.append(round((time - _EPOCH) / timedelta(microseconds=1)))
    found = _Found(len(array))
    found.put(np.arange(len(array)), pa.array(times, pa.int64()).take(coding.indices), "offset" if zoned else "none")
    return found


def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name.

    Raises:
        InputError: There is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InputError(f"there is no time zone {name!r}; Asia/Shanghai is one") from error
