import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from shopsim.benchmark_usb.replay_check import validate
from shopsim.data import DataSet, DataSetWriter
from shopsim.data.records import Session, Step
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import DataError
from tests.data import factory


def changed_step(session_id: str, number: int, **changes: object) -> Callable[[Session], Session]:
    """A change for `write_tiny` to one step of one session."""

    def change(session: Session) -> Session:
        if session.session_id != session_id:
            return session
        steps: list[Step] = list(session.steps)
        steps[number] = steps[number]._replace(**changes)  # type: ignore[arg-type]
        return session._replace(steps=tuple(steps))

    return change


def test_a_good_set_has_no_problems_and_opens(tiny_path: Path, tmp_path: Path) -> None:
    path = copytree(tiny_path, tmp_path / "set")
    done = []
    assert validate(path, lambda *counts: done.append(counts)) == []
    assert done == [(i + 1, 8) for i in range(8)]
    assert DataSet.open(path).n_sessions == 8


def test_a_missing_index_is_made(tiny_path: Path, tmp_path: Path) -> None:
    path = copytree(tiny_path, tmp_path / "set")
    (path / "index" / "stamp.json").unlink()
    with pytest.raises(DataError, match="index is missing"):
        DataSet.open(path)
    assert validate(path) == []
    DataSet.open(path)


def test_a_validation_that_is_stopped_leaves_a_set_that_does_not_open(tiny_path: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    path = copytree(tiny_path, tmp_path / "set")
    with pytest.raises(KeyboardInterrupt):
        validate(path, stop)
    with pytest.raises(DataError, match="index is missing"):
        DataSet.open(path)
    assert validate(path) == []
    DataSet.open(path)


# Session s1 of the tiny set has its steps in rows 1-8 of steps.parquet, after the one step of s0.
@pytest.mark.parametrize(
    ("number", "changes", "row", "cause"),
    [
        (1, {"page": Page.DETAIL}, 2, "page is detail, the shop is on preview"),
        (2, {"scroll": 400}, 3, "scroll is 400, the shop's feed page is at 0"),
        (1, {"action": Action.SCROLL_DOWN}, 2, "scroll_down is not possible on the preview page at scroll 0"),
        (4, {"action": Action.BACK, "item_id": None}, 6, "page is detail, the shop is on feed"),
    ],
)
def test_the_first_step_that_differs_is_named(
    tmp_path: Path, number: int, changes: dict[str, object], row: int, cause: str
) -> None:
    path = factory.write_tiny(tmp_path / "set", changed_step("s1", number, **changes))
    problems = validate(path)
    assert [(p.file, p.row) for p in problems] == [("steps.parquet", row)]
    assert cause in problems[0].cause
    assert problems[0].cause.startswith(f"session 's1' step {row - 1}: ")
    with pytest.raises(DataError, match=r"steps\.parquet row"):
        DataSet.open(path)


def test_an_item_out_of_sight_cannot_have_been_opened(tmp_path: Path) -> None:
    path = factory.write_tiny(tmp_path / "set", changed_step("s3", 0, item_id="i068"))
    (problem,) = validate(path)
    assert "click 'i068' is not possible on the feed page at scroll 0 (no_target)" in problem.cause


def test_every_broken_session_is_named_once(tmp_path: Path) -> None:
    def change(session: Session) -> Session:
        if session.session_id not in ("s1", "s4", "s7"):
            return session
        return session._replace(steps=tuple(step._replace(scroll=step.scroll + 1) for step in session.steps))

    problems = validate(factory.write_tiny(tmp_path / "set", change))
    assert [p.cause.split()[1] for p in problems] == ["'s1'", "'s4'", "'s7'"]


def test_a_feed_that_ends_near_what_was_seen_is_refused(tmp_path: Path) -> None:
    def change(session: Session) -> Session:
        return session._replace(feed=session.feed[:61])

    # 72 items in the set: 61 are enough for who saw 20 items, and too few for who saw 21.
    path = factory.write_tiny(tmp_path / "short", change)
    assert validate(path) == []
    session = factory.sessions()[4]
    down, leave = session.steps[0], session.steps[-1]
    steps = tuple(down._replace(scroll=400 * i) for i in range(8))
    longer = session._replace(feed=session.feed[:61], steps=(*steps, leave._replace(scroll=3200)))

    def longer_s4(other: Session) -> Session:
        return longer if other.session_id == "s4" else other

    (problem,) = validate(factory.write_tiny(tmp_path / "set", longer_s4))
    assert (problem.file, problem.row) == ("sessions.parquet", 4)
    assert "session 's4': the feed has 61 items" in problem.cause


def test_a_changed_file_is_a_problem_and_is_not_replayed(tiny_path: Path, tmp_path: Path) -> None:
    path = copytree(tiny_path, tmp_path / "set")
    with (path / "steps.parquet").open("ab") as file:
        file.write(b"x")
    problems = validate(path, lambda *_: pytest.fail("must not replay"))
    assert problems
    assert problems[0].file == "steps.parquet"
    with pytest.raises(DataError, match=r"steps\.parquet"):
        DataSet.open(path)


def test_another_layout_version_is_refused(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "set", name="future", layout_version=99) as writer:
        writer.add_categories(factory.categories())
        writer.add_items(factory.items())
        writer.add_users(factory.users())
        for session in factory.sessions():
            writer.add_session(session)
    (problem,) = validate(tmp_path / "set")
    assert "version 99, this ShopSim replays version 1" in str(problem)


def test_what_is_no_data_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"^{tmp_path}/nowhere: there is no such folder"):
        validate(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"manifest\.json: missing"):
        validate(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"format": "usb", "version": 7}))
    with pytest.raises(DataError, match="version is 7"):
        validate(tmp_path)
