"""What a data set answers."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from shopsim.data import DataSet, DataSetWriter
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import DataError
from tests.data import factory


def test_ids_and_rows_are_inverse(tiny: DataSet) -> None:
    assert [tiny.item_row(tiny.item_id(row)) for row in range(tiny.n_items)] == list(range(tiny.n_items))
    assert [tiny.session_row(tiny.session_id(row)) for row in range(tiny.n_sessions)] == list(range(tiny.n_sessions))


@pytest.mark.parametrize("wrong", ["", "i", "i0000", "zzz", "\U0010ffff"])
def test_an_unknown_id_is_named(tiny: DataSet, wrong: str) -> None:
    with pytest.raises(DataError, match="has no item"):
        tiny.item_row(wrong)
    with pytest.raises(DataError, match="has no session"):
        tiny.session_row(wrong)


@pytest.mark.parametrize("row", [-1, 72])
def test_a_row_outside_the_table_is_no_item(tiny: DataSet, row: int) -> None:
    with pytest.raises(IndexError, match=f"row {row} is outside 0-71"):
        tiny.item(row)
    with pytest.raises(IndexError):
        tiny.item_id(row)


def test_splits_are_parts_of_the_whole(tiny: DataSet) -> None:
    parts = [tiny.session_rows(split).tolist() for split in ("train", "validation", "test")]
    assert parts == [[0, 1, 2, 3, 4], [5], [6, 7]]
    assert tiny.session_rows().tolist() == list(range(8))
    assert tiny.split(5) == "validation"
    with pytest.raises(DataError, match="no split 'dev'"):
        tiny.session_rows("dev")


def test_item_facts_without_reading_the_item(tiny: DataSet) -> None:
    items = factory.items()
    codes = {category.category_id: code for code, category in enumerate(factory.categories())}
    for row, item in enumerate(items):
        assert tiny.detail_counts(row) == (len(item.attributes), len(item.reviews))
        assert tiny.labels(row) == tuple(-1 if c is None else codes[c] for c in (item.l1, item.l2, item.l3))
        assert tiny.prices[row] == item.price
        assert tiny.sales[row] == (item.sales or 0)
    assert tiny.titles([0, 1]) == [items[0].title, items[1].title]


def test_effects_and_places_are_the_steps(tiny: DataSet) -> None:
    for row in range(tiny.n_sessions):
        session = tiny.session(row)
        effects = [(s.action, -1 if s.item_id is None else tiny.item_row(s.item_id)) for s in session.steps]
        assert tiny.effects(row) == effects
        assert tiny.places(row) == [(s.page, s.scroll) for s in session.steps]
        assert tiny.n_steps(row) == len(session.steps)
        assert [tiny.item_id(item) for item in tiny.feed(row)] == list(session.feed)
    assert tiny.effects(0) == [(Action.TERMINATE, -1)]
    assert (Page.DETAIL, 0) in tiny.places(2)


def test_history_grows_by_earlier_sessions(tiny: DataSet) -> None:
    def ids(row: int) -> tuple[list[str], list[str]]:
        clicks, purchases = tiny.history(row)
        return tiny_ids(clicks), tiny_ids(purchases)

    def tiny_ids(rows: np.ndarray) -> list[str]:
        return [tiny.item_id(row) for row in rows]

    assert ids(0) == ([], [])
    assert ids(2) == (["i001", "i002", "i001"], ["i002"])
    assert ids(6) == ([], [])
    assert ids(7) == ([tiny.item_id(tiny.effects(6)[0][1])], [])


def test_history_counts_an_opening_once_and_follows_time_not_file_order(tmp_path: Path) -> None:
    sessions = factory.sessions()
    first, second = sessions[7], sessions[6]  # the later one stands first in the file

    path = tmp_path / "swapped"
    with DataSetWriter(path, name="swapped") as w:
        w.add_categories(factory.categories())
        w.add_items(factory.items())
        w.add_users(factory.users())
        w.add_session(first)
        w.add_session(second)
    dataset = DataSet.open(path)
    assert [len(part) for part in dataset.history(1)] == [0, 0]
    clicks, purchases = dataset.history(0)
    assert [dataset.item_id(row) for row in clicks] == [second.steps[0].item_id]
    assert purchases.tolist() == []


def test_a_detail_page_entered_from_the_preview_is_no_second_click(tmp_path: Path) -> None:
    buyer = factory.sessions()[7]  # clicks i, carts it, enters its detail page, buys it, clicks j
    later = buyer._replace(
        session_id="later",
        started_at=buyer.started_at + timedelta(days=1),
        steps=tuple(s._replace(timestamp=s.timestamp + timedelta(days=1)) for s in buyer.steps),
    )
    path = tmp_path / "twice"
    with DataSetWriter(path, name="twice") as w:
        w.add_categories(factory.categories())
        w.add_items(factory.items())
        w.add_users(factory.users())
        w.add_session(buyer)
        w.add_session(later)
    clicks, purchases = DataSet.open(path).history(1)
    assert [f"i{row:03d}" for row in clicks] == [buyer.steps[0].item_id, buyer.steps[6].item_id]
    assert [f"i{row:03d}" for row in purchases] == [buyer.steps[0].item_id]


def test_what_is_handed_out_cannot_change_the_set(tiny: DataSet) -> None:
    with pytest.raises(ValueError, match="read-only"):
        tiny.feed(0)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        tiny.prices[0] = 1
