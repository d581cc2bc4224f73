import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.values import (
    Age,
    Id,
    Price,
    coded,
    read_age,
    read_id,
    read_price,
    read_words,
)

MISSING = frozenset({"", "null", "(not set)"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("266079", Id("266079")),
        ("266079.0", Id("266079", repaired=True)),
        ("-3.00", Id("-3", repaired=True)),
        ("1.23E+08", Id("1.23E+08", ruined=True)),
        ("1,23E+08", Id("1,23E+08", ruined=True)),
        ("1e+05", Id("1e+05", ruined=True)),
        ("1.5E+01", Id("15", repaired=True)),
        ("1.23456789E+08", Id("123456789", repaired=True)),
        ("12E4", Id("12E4")),
        ("SKU.1", Id("SKU.1")),
        ("0012", Id("0012")),
        ("6280d577-25c8", Id("6280d577-25c8")),
        ("(Not Set)", Id(None)),
        ("", Id(None)),
    ],
)
def test_ids(text: str, found: Id) -> None:
    assert read_id(text, MISSING, repair=True) == found


@given(st.integers(0, 2**53))
def test_a_whole_number_survives_as_a_float_and_is_never_wrong_as_an_exponent(number: int) -> None:
    assert read_id(f"{number}.0", MISSING, True) == Id(str(number), repaired=True)
    for decimals in (2, 5, 17):
        found = read_id(f"{number:.{decimals}E}", MISSING, True)
        assert found.ruined or found.text == str(number) or "E-" in f"{number:.{decimals}E}"


def test_without_repair_ids_stay_as_they_are() -> None:
    assert read_id("12.0", MISSING, repair=False) == Id("12.0")
    assert read_id("1.5E+01", MISSING, repair=False) == Id("1.5E+01")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12.50", Price(12.5)),
        ("-3", Price(-3.0)),
        ("16990000", Price(16_990_000.0)),
        ("$5", Price(5.0, "$")),
        ("-$4.00", Price(-4.0, "$")),
        ("12,50", Price(12.5)),
        ("1,234", Price(1234.0)),
        ("1,234.50", Price(1234.5)),
        ("1.234,50 EUR", Price(1234.5, "EUR")),
        ("1'299.00 CHF", Price(1299.0, "CHF")),
        ("1 299 kr", Price(1299.0, "kr")),
        ("US$ 20", Price(20.0, "US$")),
        ("", Price(0.0)),
        ("(not set)", Price(0.0)),
        ("free", Price(None)),
        ("nan", Price(None)),
        ("inf", Price(None)),
        ("1e308", Price(None)),
    ],
)
def test_prices(text: str, found: Price) -> None:
    assert read_price(text, MISSING) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("33", Age(33)),
        ("33.0", Age(33)),
        ("26-35岁", Age(30, band=True)),
        ("56岁以上", Age(60, band=True)),
        ("15岁以下", Age(10, band=True)),
        ("65+", Age(69, band=True)),
        ("Under 25", Age(20, band=True)),
        ("-1", Age(None)),
        ("0", Age(None)),
        ("200", Age(None)),
        ("unknown", Age(None)),
    ],
)
def test_ages(text: str, found: Age) -> None:
    assert read_age(text) == found


def test_words_are_one_line_without_control_characters() -> None:
    assert read_words("Tea\u2028 Kettle\n\x00 2 l", MISSING) == "Tea Kettle 2 l"
    assert read_words("a\x85b\u2029c\td", MISSING) == "a b c d"
    assert read_words("小米 手机", MISSING) == "小米 手机"
    assert read_words("NULL", MISSING) == ""


def test_columns_of_any_type_are_coded_as_texts() -> None:
    for column in (
        pa.chunked_array([["7", " 7 "], [None]]),
        pa.chunked_array([[7, 7], [None]]),
        pa.chunked_array([pa.array(["7", "7"]).dictionary_encode(), pa.array([None], pa.string()).dictionary_encode()]),
    ):
        found = coded(column)
        assert [found.values[code] for code in found.codes.tolist()] == ["7", "7", ""]
