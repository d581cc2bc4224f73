"""Ids of a table against a dictionary, also where hashes collide."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import rules
from shopsim.data.rules import Ids

values = st.none() | st.sampled_from(["", "a", "é", "0", "\0"]) | st.integers(0, 60).map(str)
pieces = st.lists(st.tuples(st.lists(values, max_size=12), st.lists(values, max_size=40)), max_size=6)


def check_against_dictionary(pieces: list[tuple[list[str | None], list[str | None]]]) -> None:
    ids, places, rows, start = Ids("f", "id"), dict[str, int](), list[int](), 0
    for column, asked in pieces:
        expected = []
        for row, value in enumerate(column, start):
            if value == "":
                expected.append((row, "id is empty"))
            elif value in places:
                expected.append((row, f"id {value!r} was used before, in row {rows[places[value]]}"))
            elif value is not None:
                places[value] = len(rows)
                rows.append(row)
        problems = ids.add(pa.table({"id": pa.array(column, pa.string())}), start)
        assert [(problem.row, problem.cause) for problem in problems] == expected
        start += len(column)
        assert len(ids) == len(places)
        for some in (asked, asked[:1]):
            found, unknown = ids.find(pa.chunked_array([some[:3], some[3:]], pa.string()))
            assert found.tolist() == [-1 if value is None else places.get(value, -1) for value in some]
            assert unknown.tolist() == [value is not None and value not in places for value in some]
        for value in asked:
            if value is not None:
                assert ids.row(value) == (rows[places[value]] if value in places else None)


@settings(deadline=None)
@given(pieces)
def test_ids_are_found_like_in_a_dictionary(pieces: list[tuple[list[str | None], list[str | None]]]) -> None:
    check_against_dictionary(pieces)


@settings(deadline=None, max_examples=50)
@given(pieces)
def test_ids_of_one_hash_stay_apart(pieces: list[tuple[list[str | None], list[str | None]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "hash", lambda value: len(value or "") % 2, raising=False)
        check_against_dictionary(pieces)
