"""Times as logs write them: many ways, many zones, row by row. Ours. Loads pyarrow."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.ragged import Ints
from shopsim.benchmark_usb.importers.values import one_array
from shopsim.errors import InputError

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
    array = one_array(column)
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
