from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.times import read_times, zone_of
from shopsim.errors import InputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(time: datetime) -> int:
    return round((time - EPOCH) / timedelta(microseconds=1))


def test_times_of_many_ways_and_zones_in_one_column() -> None:
    true = datetime(2019, 10, 1, 12, 30, 5, tzinfo=UTC)
    texts = {
        "2019-10-01 12:30:05 UTC": "utc",
        "2019-10-01T12:30:05Z": "utc",
        "2019-10-01T14:30:05+02:00": "offset",
        "2019-10-01 08:30:05 -0400": "offset",
        "2019-10-01 20:30:05": "none",
        "2019/10/01 20:30:05": "none",
        "2019-10-01T20:30:05.000": "none",
        "1569933005": "unix",
        "1569933005000": "unix",
        "1569933005000000": "unix",
        "1569933005.0": "unix",
    }
    found = read_times(pa.chunked_array([list(texts)]), "Asia/Shanghai")
    assert found.good.all()
    assert set(found.microseconds.tolist()) == {microseconds(true)}
    assert found.zones == {zone: list(texts.values()).count(zone) for zone in set(texts.values())}


def test_fractions_of_a_second_are_kept() -> None:
    column = pa.chunked_array([["2019-10-01T00:00:00.25Z", "2019-10-01 02:00:00.123456789 +0200", "1569888000123"]])
    base = microseconds(datetime(2019, 10, 1, tzinfo=UTC))
    assert (read_times(column, "UTC").microseconds - base).tolist() == [250_000, 123_456, 123_000]


def test_what_is_no_time_is_told_apart() -> None:
    column = pa.chunked_array([["2019-13-01 00:00:00", "soon", "", None, "2019-10-01 00:00:00x", "12"]])
    assert not read_times(column, "UTC").good.any()


def test_typed_times_and_a_pattern_of_ones_own() -> None:
    time = datetime(2019, 10, 1, 0, 0, 5, tzinfo=UTC)
    for column in (
        pa.chunked_array([[time.replace(tzinfo=None)]]),
        pa.chunked_array([pa.array([time], pa.timestamp("ms", "Europe/Berlin"))]),
        pa.chunked_array([[1_569_888_005]]),
        pa.chunked_array([[1_569_888_005.0]]),
    ):
        assert read_times(column, "UTC").microseconds.tolist() == [microseconds(time)]
    german = pa.chunked_array([["01.10.2019 02:00:05", "x"]])
    found = read_times(german, "Europe/Berlin", "%d.%m.%Y %H:%M:%S")
    assert (found.microseconds[0], found.good.tolist()) == (microseconds(time), [True, False])


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2099, 1, 1)).map(lambda t: t.replace(microsecond=0)),
    st.integers(-12, 12),
)
def test_an_offset_is_honoured(local: datetime, hours: int) -> None:
    time = local.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert read_times(pa.chunked_array([[time.isoformat()]]), "UTC").microseconds.tolist() == [microseconds(time)]


def test_an_unknown_time_zone_is_named() -> None:
    with pytest.raises(InputError, match="no time zone 'Mars/Base'"):
        zone_of("Mars/Base")
