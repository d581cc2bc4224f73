"""What is written is what is read, whatever the rows hold and however they are cut into groups."""

import pickle
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet, DataSetWriter, check, writer
from shopsim.data.catalog_rules import LARGEST_PRICE
from shopsim.data.records import ASPECTS, Item, Picture, Review, Session, Step, User
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from tests.data import factory


def test_everything_written_is_read_back(tiny: DataSet) -> None:
    assert [tiny.item(row) for row in range(tiny.n_items)] == factory.items()
    assert [tiny.user(row) for row in range(tiny.n_users)] == factory.users()
    assert [tiny.session(row) for row in tiny.session_rows()] == factory.sessions()
    tree = factory.categories()
    assert [tiny.category(code) for code in range(len(tree))] == tree


def test_same_calls_write_the_same_bytes(tiny_path: Path, tmp_path: Path) -> None:
    again = factory.write_tiny(tmp_path / "other-name")
    files = {file.relative_to(again) for file in again.rglob("*") if file.is_file()}
    assert files == {file.relative_to(tiny_path) for file in tiny_path.rglob("*") if file.is_file()}
    assert [f for f in sorted(files) if (again / f).read_bytes() != (tiny_path / f).read_bytes()] == []


def test_row_groups_do_not_show(tiny: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROWS_PER_GROUP", 5)
    monkeypatch.setattr(writer, "STEPS_PER_GROUP", 10)
    path = factory.write_tiny(tmp_path / "small-groups")
    assert pq.read_metadata(path / "items.parquet").num_row_groups == 15
    assert pq.read_metadata(path / "steps.parquet").num_row_groups > 2
    again = DataSet.open(path)
    assert [again.session(row) for row in range(8)] == [tiny.session(row) for row in range(8)]
    assert [again.item(row) for row in range(72)] == [tiny.item(row) for row in range(72)]


def test_a_session_longer_than_a_piece_keeps_its_texts_in_place(tmp_path: Path) -> None:
    short, n = factory.sessions()[1], 66_000
    step = Step(Action.SCROLL_DOWN, Page.FEED, 0, short.started_at)
    long = [step._replace(mind=f"thought {i}") if i in (0, 65_535, 65_536) else step for i in range(n)]
    long.append(step._replace(action=Action.TERMINATE, preference="none"))

    def change(session: Session) -> Session:
        return session._replace(steps=tuple(long)) if session.session_id == "s1" else session

    path = factory.write_tiny(tmp_path / "long", change)
    assert list(check(path)) == []
    steps = DataSet.open(path).session(1).steps
    assert [(i, s.mind) for i, s in enumerate(steps) if s.mind] == [(i, f"thought {i}") for i in (0, 65_535, 65_536)]
    assert [i for i, s in enumerate(steps) if s.preference] == [n]
    assert DataSet.open(path).longest_session == n + 1


def test_a_set_without_sessions_opens(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "empty", name="empty") as w:
        w.add_categories(factory.categories())
        w.add_items(factory.items())
    assert list(check(tmp_path / "empty")) == []
    empty = DataSet.open(tmp_path / "empty")
    assert (empty.n_items, empty.n_users, empty.n_sessions, empty.longest_session) == (72, 0, 0, 0)
    assert empty.session_rows().tolist() == empty.session_rows("test").tolist() == []


def test_nothing_at_all_still_makes_a_set(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "nothing", name="nothing"):
        pass
    assert list(check(tmp_path / "nothing")) == []
    assert DataSet.open(tmp_path / "nothing").n_items == 0


def test_a_pickled_set_opens_again(tiny: DataSet) -> None:
    again = pickle.loads(pickle.dumps(tiny))
    assert again.hash == tiny.hash
    assert again.session(3) == tiny.session(3)


def test_numpy_rows_and_python_rows_are_the_same(tiny: DataSet) -> None:
    row = np.int64(5)
    assert (tiny.item(row), tiny.item_id(row), tiny.session(row)) == (tiny.item(5), tiny.item_id(5), tiny.session(5))
    assert tiny.titles(np.array([5, 6])) == tiny.titles([5, 6])


texts = st.text(max_size=20)
optional = st.none() | texts
colors = st.from_regex(r"\A#[0-9a-f]{6}\Z")
pictures = st.builds(
    Picture,
    archetype=texts,
    aspect=st.sampled_from(ASPECTS),
    color=colors,
    accent=colors,
    background=colors,
    pattern=texts,
    material=texts,
    lighting=texts,
    seed=st.integers(-(2**63), 2**63 - 1),
    file=st.none(),
)
records = st.builds(
    Item,
    item_id=st.text(min_size=1, max_size=20),
    title=st.text(min_size=1, max_size=40),
    price=st.floats(0, LARGEST_PRICE),
    l1=st.none() | st.just("c0"),
    l2=st.none(),
    l3=st.none(),
    picture=pictures,
    brand=optional,
    shop=optional,
    rating=st.none() | st.floats(1, 5),
    sales=st.none() | st.integers(0, 2**63 - 1),
    attributes=st.dictionaries(texts, texts, max_size=4),
    reviews=st.lists(st.builds(Review, rating=st.integers(1, 5), text=texts), max_size=3).map(tuple),
    description=texts,
)
times = st.datetimes(datetime(1970, 1, 1), datetime(2099, 1, 1)).map(lambda t: t.replace(tzinfo=UTC))


@st.composite
def walks(draw: st.DrawFn, ids: list[str], start: datetime) -> tuple[Step, ...]:
    steps = []
    time = start
    for action in [*draw(st.lists(st.sampled_from(list(Action)[:-1]), max_size=6)), Action.TERMINATE]:
        time += timedelta(microseconds=draw(st.integers(0, 10**10)))
        share = st.floats(0, 1)
        x, y = draw(st.just((None, None)) | st.tuples(share, share))
        steps.append(
            Step(
                action=action,
                page=draw(st.sampled_from(Page)),
                scroll=draw(st.integers(0, 2**31 - 1)),
                timestamp=time,
                item_id=draw(st.sampled_from(ids)) if action in ITEM_ACTIONS else None,
                x=x,
                y=y,
                mind=draw(optional),
                episodic=draw(optional),
                preference=draw(optional),
                imputed=draw(st.booleans()),
            )
        )
    return tuple(steps)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_any_legal_rows_come_back_equal(data: st.DataObject) -> None:
    items = data.draw(st.lists(records, min_size=1, max_size=5, unique_by=lambda item: item.item_id))
    ids = [item.item_id for item in items]
    some = st.lists(st.sampled_from(ids), max_size=4).map(tuple)
    user = data.draw(
        st.builds(
            User,
            user_id=st.text(min_size=1, max_size=9),
            age=st.none() | st.integers(0, 120),
            gender=optional,
            persona=optional,
            clicks=some,
            purchases=some,
        )
    )
    sessions = []
    for name in data.draw(st.lists(st.text(min_size=1, max_size=9), max_size=3, unique=True)):
        start = data.draw(times)
        sessions.append(Session(name, user.user_id, "test", start, tuple(ids), data.draw(walks(ids, start))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set"
        with DataSetWriter(path, name="any") as w:
            w.add_categories(factory.categories())
            w.add_items(items)
            w.add_users([user])
            for session in sessions:
                w.add_session(session)
        assert list(check(path)) == []
        dataset = DataSet.open(path)
        assert [dataset.item(row) for row in range(dataset.n_items)] == items
        assert [dataset.item_row(item_id) for item_id in ids] == list(range(len(ids)))
        assert dataset.user(0) == user
        assert [dataset.session(row) for row in range(dataset.n_sessions)] == sessions
