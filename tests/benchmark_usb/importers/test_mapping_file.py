from pathlib import Path

import pytest

from shopsim.benchmark_usb.importers.kinds import KINDS, log_of_kind
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.mapping_file import read_mapping
from shopsim.errors import DataError, InputError

WHOLE = """
name = "corner shop"

[file]
format = "csv"
encodings = ["utf-8", "latin-1"]
delimiter = ";"
header = ["when", "who", "what", "did", "kind of", "cost"]

[events]
time = "when"
user = "who"
item = "what"
kind = "did"
price = "cost"
category = "kind of"
category_separator = "/"

[kinds]
view = ["look", "Peek"]
cart = "basket"
purchase = ["pay"]
ignore = ["wish"]

[users]
user = "who"
age = "years"
gender = "sex"

[genders]
female = ["w"]

[set]
currency = "EUR"
licence = "mine"

[rules]
gap_minutes = 45
time_zone = "Europe/Berlin"
earliest = 2020-01-01
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_mapping_is_a_format(tmp_path: Path) -> None:
    log = read_mapping(write(tmp_path / "shop.toml", WHOLE))
    assert (log.name, log.currency, log.licence, log.category_separator) == ("corner shop", "EUR", "mine", "/")
    assert log.kinds == {
        "look": Kind.VIEW, "peek": Kind.VIEW, "basket": Kind.CART, "pay": Kind.PURCHASE, "wish": None,
    }  # fmt: skip
    assert log.events.category == ("kind of",)
    assert (log.shape.header[0], log.shape.encodings) == ("when", ("utf-8", "latin-1"))
    assert log.users is not None
    assert (log.users.age, log.genders) == ("years", {"w": "female"})
    assert (log.settings.cut.gap_minutes, log.settings.clean.time_zone) == (45.0, "Europe/Berlin")
    assert log.settings.clean.earliest is not None
    assert log.settings.clean.earliest.isoformat() == "2020-01-01T00:00:00+00:00"


def test_the_least_mapping_names_time_item_and_who(tmp_path: Path) -> None:
    text = '[events]\ntime = "t"\nitem = "i"\nsession = "s"\n'
    log = read_mapping(write(tmp_path / "shop.toml", text))
    assert (log.name, log.kinds) == ("shop", {"": Kind.VIEW})
    bought = read_mapping(write(tmp_path / "b.toml", text + "[kinds]\npurchase = []\n"))
    assert bought.kinds == {"": Kind.PURCHASE}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[event]\n", "the file has no 'event'; it may have name, file, events"),
        ("name = 'x'\n", r"\[events\] is missing"),
        ("[events]\ntime = 't'\nuser = 'u'\n", r"\[events\] must name the column item"),
        ("[events]\ntime = 't'\nitem = 'i'\n", r"\[events\] must name a column user or session"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\ncolour = 'c'\n", r"\[events\] has no 'colour'"),
        ("[events]\ntime = 't'\nitem = 3\nuser = 'u'\n", r"\[events\] item must be a text, got 3"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\nkind = 'k'\n", r"\[kinds\] must say which words mean what"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\n[kinds]\nview=[]\ncart=[]\n", "must name one kind alone"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\n[kinds]\nbuy=['b']\n", r"\[kinds\] has no 'buy'"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\n[users]\nage='a'\n", r"\[users\] must name the column user"),
        ("[events]\ntime = 't'\nitem = 'i'\nuser = 'u'\n[rules]\ngap = 3\n", "there is no import rule 'gap'"),
        ("events = 3\n", "must be a table, got 3"),
    ],
)
def test_what_no_format_has_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path / "shop.toml", text)
    with pytest.raises(InputError, match=words) as caught:
        read_mapping(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"shop\.toml: cannot be read \(No such file"):
        log_of_kind(str(tmp_path / "shop.toml"))
    with pytest.raises(DataError, match=r"shop\.toml: is not TOML"):
        log_of_kind(str(write(tmp_path / "shop.toml", "[events\n")))
    (tmp_path / "shop.toml").write_bytes(b"\xff\xfe[")
    with pytest.raises(DataError, match=r"shop\.toml: is not TOML"):
        log_of_kind(str(tmp_path / "shop.toml"))


def test_kinds_are_known_by_name() -> None:
    assert log_of_kind("otto") is KINDS["otto"]
    with pytest.raises(InputError, match="no importer for 'moon' logs; it must be rees46, jdata"):
        log_of_kind("moon")
