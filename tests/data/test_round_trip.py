"""What is written is what is read."""

from pathlib import Path

from shopsim.data import DataSet
from tests.data import factory


def test_everything_written_is_read_back(tiny: DataSet) -> None:
    assert [tiny.item(row) for row in range(tiny.n_items)] == factory.items()
    assert [tiny.user(row) for row in range(tiny.n_users)] == factory.users()
    assert [tiny.session(row) for row in tiny.session_rows()] == factory.sessions()


def test_same_calls_write_the_same_bytes(tiny_path: Path, tmp_path: Path) -> None:
    again = factory.write_tiny(tmp_path / "other-name")
    files = {file.relative_to(again) for file in again.rglob("*") if file.is_file()}
    assert files == {file.relative_to(tiny_path) for file in tiny_path.rglob("*") if file.is_file()}
    assert [f for f in sorted(files) if (again / f).read_bytes() != (tiny_path / f).read_bytes()] == []
