"""The writer refuses what breaks a rule and never leaves a half-written set."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from shopsim.data import DataSet, DataSetWriter, check
from shopsim.data.records import Category, Item, Picture, Session, User
from shopsim.data.vocabulary import Action
from shopsim.data.writer import check_free
from shopsim.envs import layout
from shopsim.errors import DataError
from tests.data import factory


def left(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


REFUSALS: list[tuple[Callable[[Session], Session], str]] = [
    (lambda s: s._replace(user_id="u9"), "session 's0': unknown user 'u9'"),
    (lambda s: s._replace(split="dev"), "session 's0': split is 'dev'"),
    (
        lambda s: s._replace(split="test" if s.session_id == "s1" else s.split),
        "user 'u0' is in test here, but in train",
    ),
    (lambda s: s._replace(session_id="same"), "session_id 'same' was used before, in row 0"),
    (lambda s: s._replace(feed=("x9", *s.feed[1:])), "session 's0': unknown item 'x9' in feed"),
    (lambda s: s._replace(feed=(s.feed[1], *s.feed[1:])), "session 's0': the feed shows an item twice"),
    (lambda s: s._replace(feed=s.feed[:50]), "session 's0': the feed has 50 items, must have 60"),
    (lambda s: s._replace(steps=()), "session 's0': n_steps is 0, must be at least 1"),
    (lambda s: s._replace(steps=s.steps * 2), "session 's0' step 0: terminate before the session's last step"),
    (lambda s: s._replace(steps=s.steps[:-1] or s.steps), "session 's1' step 6: the session's last step must be"),
    (lambda s: s._replace(started_at=datetime(2026, 1, 1)), "(time 2026-01-01 00:00:00 has no time zone; use UTC)"),
    (lambda s: s._replace(steps=tuple(t._replace(x=0.5) for t in s.steps)), "x and y must both be given or neither"),
    (
        lambda s: s._replace(steps=tuple(t._replace(scroll=0.5) for t in s.steps)),
        "a record for steps.parquet holds a value of the",
    ),
    (lambda s: s._replace(steps=tuple(t._replace(screen_id="a") for t in s.steps)), "step 0: unknown screen 'a'"),
]


@pytest.mark.parametrize(("change", "words"), REFUSALS, ids=[r[1] for r in REFUSALS])
def test_bad_sessions_are_refused(tmp_path: Path, change: Callable[[Session], Session], words: str) -> None:
    with pytest.raises(DataError) as refused:
        factory.write_tiny(tmp_path / "set", change)
    assert words in str(refused.value)
    assert left(tmp_path) == []


def test_bad_catalogs_are_refused(tmp_path: Path) -> None:
    item = Item("a", "A", 1.0, "c0", None, None, Picture("cup"))

    def refusal(*items: Item, users: tuple[User, ...] = (), tree: tuple[Category, ...] = ()) -> str:
        def write() -> None:
            with DataSetWriter(tmp_path / "set", name="x") as w:
                w.add_categories([Category("c0", 1, None, "All"), *tree])
                w.add_items(items)
                w.add_users(users)

        with pytest.raises(DataError) as refused:
            write()
        assert left(tmp_path) == []
        return str(refused.value)

    assert "item 'a': l1 is 'c1', which is no known category" in refusal(item._replace(l1="c1"))
    assert "item_id 'a' was used before, in row 0" in refusal(item, item)
    assert "item 'a': price is -1.0" in refusal(item._replace(price=-1.0))
    assert "holds a value of the wrong kind" in refusal(item._replace(sales=1.5))  # type: ignore[arg-type]
    assert "holds a value of the wrong kind" in refusal(item._replace(title="\ud800"))
    assert "item 'a': title is missing" in refusal(item._replace(title=None))  # type: ignore[arg-type]
    assert "a record for items.parquet holds a value of the wrong kind" in refusal(item._replace(title=5))  # type: ignore[arg-type]
    assert "picture.file is 'a.png', which is no file" in refusal(item._replace(picture=Picture("cup", file="a.png")))
    assert "user 'u': unknown item 'b' in clicks" in refusal(item, users=(User("u", clicks=("b",)),))
    assert "category 'd': parent_id 'x' is no category of level 1" in refusal(tree=(Category("d", 2, "x", "D"),))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": ""}, "name: String should have at least 1 character"),
        ({"name": "x", "source": "dreamt"}, "source: Input should be"),
        ({"name": "x", "locale": "fr"}, "locale: Input should be 'en' or 'zh'"),
        ({"name": "x", "generator": {"seed": 1}}, "generator.settings: Field required"),
        ({"name": "x", "scroll_step": 0}, "layout.scroll_step: Input should be greater than or equal to 1"),
    ],
)
def test_a_bad_head_is_refused_before_any_work(tmp_path: Path, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(DataError) as refused:
        DataSetWriter(tmp_path / "set", **arguments)  # type: ignore[arg-type]
    assert words in str(refused.value)


def test_a_taken_path_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/mine.txt").write_text("keep")
    with pytest.raises(DataError, match="is not an empty folder"):
        factory.write_tiny(tmp_path / "set")
    (tmp_path / "file").write_text("keep")
    with pytest.raises(DataError, match="is not an empty folder"):
        factory.write_tiny(tmp_path / "file")
    for where in (tmp_path / "file/set", tmp_path / ("x" * 300), Path("/proc/none/set")):
        with pytest.raises(DataError, match="cannot be made"):
            factory.write_tiny(where)
        with pytest.raises(DataError, match="cannot be made"):
            check_free(where)
    check_free(tmp_path / "new/set")
    assert (tmp_path / "set/mine.txt").read_text() == (tmp_path / "file").read_text() == "keep"
    assert left(tmp_path) == ["file", "set"]


def test_an_empty_folder_or_none_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    factory.write_tiny(tmp_path / "empty")
    factory.write_tiny(tmp_path / "deep/er")
    assert left(tmp_path) == ["deep", "empty"]
    assert DataSet.open(tmp_path / "empty").hash == DataSet.open(tmp_path / "deep/er").hash


def test_an_exception_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(session: Session) -> Session:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        factory.write_tiny(tmp_path / "set", interrupt)
    assert left(tmp_path) == []


def test_a_kill_in_the_middle_leaves_no_set(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from tests.data import factory
def change(session):
    if session.session_id == "s5":
        os.kill(os.getpid(), signal.SIGKILL)
    return session
factory.write_tiny(factory.Path(sys.argv[1]), change)
"""
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "set"], cwd=Path(__file__).parents[2], check=False)
    assert run.returncode == -signal.SIGKILL
    assert not (tmp_path / "set").exists()
    assert all(name.endswith(".partial") for name in left(tmp_path))
    factory.write_tiny(tmp_path / "set")
    assert list(check(tmp_path / "set")) == []
    assert left(tmp_path) == ["set"], "the next writer clears up"


def test_of_two_writers_at_once_the_first_to_end_wins(tmp_path: Path) -> None:
    def meanwhile(session: Session) -> Session:
        if session.session_id == "s5":
            factory.write_tiny(tmp_path / "set")
        return session

    with pytest.raises(DataError, match="appeared meanwhile"):
        factory.write_tiny(tmp_path / "set", meanwhile)
    assert left(tmp_path) == ["set"]
    assert list(check(tmp_path / "set")) == []


def test_the_defaults_are_the_layout_of_the_shop(tiny: DataSet) -> None:
    assert tiny.scroll_step == layout.scroll_step()
    assert tiny.layout_version == layout.VERSION


def test_the_card_says_what_it_is_and_where_the_tables_are(tmp_path: Path) -> None:
    with DataSetWriter(
        tmp_path / "set",
        name='A "quoted" name',
        source="imported",
        locale="zh",
        currency="CNY",
        licence="terms: see the source",
        imputed=("titles", "scrolls"),
    ) as w:
        w.add_categories(factory.categories())
    card = (tmp_path / "set/README.md").read_text(encoding="utf-8")
    _, front, body = card.split("---\n", 2)
    lines = front.splitlines()
    assert json.loads(lines[0].removeprefix("pretty_name: ")) == 'A "quoted" name'
    assert 'license_name: "terms: see the source"' in lines
    assert "- zh" in lines
    assert [line.split(": ")[1] for line in lines if "data_files" in line] == [
        f"{name}.parquet" for name in ("categories", "items", "users", "sessions", "steps")
    ]
    assert "titles, scrolls" in body
    assert "CNY" in body


def test_memory_does_not_grow_with_the_steps(tmp_path: Path) -> None:
    """Buffered rows are written out; what stays is a little for each session."""
    with DataSetWriter(tmp_path / "set", name="x") as w:
        w.add_categories(factory.categories())
        w.add_items(factory.items())
        w.add_users(factory.users())
        session = factory.sessions()[1]
        many = tuple(session.steps[2]._replace(timestamp=session.started_at) for _ in range(9000))
        held = 0
        for k in range(8):
            leave = session.steps[-1]._replace(action=Action.TERMINATE)
            w.add_session(session._replace(session_id=f"n{k}", steps=(*many, leave)))
            held = max(held, sum(len(s.steps) for s in w._sessions))
        assert held < 4 * 9001
    assert DataSet.open(tmp_path / "set").step_starts[-1] == 8 * 9001


def test_a_file_beside_the_tables_is_part_of_the_set(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "set", name="t") as writer:
        writer.add_file("report.json", b"{}")
        for name in ("report.json", "manifest.json", "README.md", "index", "items.parquet", "a/b", "..", ""):
            with pytest.raises(DataError, match="taken or no file name"):
                writer.add_file(name, b"")
    assert (tmp_path / "set" / "report.json").read_bytes() == b"{}"
    assert list(check(tmp_path / "set")) == []
    (tmp_path / "set" / "report.json").write_bytes(b"[]")
    assert [problem.file for problem in check(tmp_path / "set")] == ["report.json"]
