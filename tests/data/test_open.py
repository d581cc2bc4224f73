"""Opening: quick, light, and refusing with one clear line."""

import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import shopsim.data
from shopsim.data import DataSet, build_index
from shopsim.errors import DataError
from tests.data.tamper import copied


def test_opening_and_reading_load_neither_pyarrow_nor_pydantic(tiny_path: Path) -> None:
    code = """
import sys
from shopsim.data import DataSet
tiny = DataSet.open(sys.argv[1])
tiny.session(1), tiny.item(3), tiny.user(1), tiny.history(2), tiny.category(0), tiny.item_row("i003")
print([name for name in ("pyarrow", "pydantic", "torch", "PIL", "pandas") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code, tiny_path], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_the_package_offers_its_names_lazily() -> None:
    for name in shopsim.data.__all__:
        assert getattr(shopsim.data, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        shopsim.data.nothing  # noqa: B018


def test_the_hash_names_the_data(tiny: DataSet, tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    assert DataSet.open(path).hash == tiny.hash
    manifest = json.loads((path / "manifest.json").read_bytes())
    (path / "manifest.json").write_text(json.dumps({**manifest, "name": "other"}))
    build_index(path)
    assert DataSet.open(path).hash != tiny.hash
    assert DataSet.open(path).name == "other"


def test_a_missing_index_says_what_to_run(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    shutil.rmtree(path / "index")
    with pytest.raises(DataError, match=f"run `shopsim data validate {path}`"):
        DataSet.open(path)
    build_index(path)
    assert DataSet.open(path).n_sessions == 8


@pytest.mark.parametrize("spoil", ["no stamp", "garbled stamp", "old stamp", "short column", "lost column", "manifest"])
def test_an_index_that_does_not_fit_counts_as_missing(tiny_path: Path, tmp_path: Path, spoil: str) -> None:
    path = copied(tiny_path, tmp_path)
    stamp, column = path / "index/stamp.json", path / "index/item_title.npy"
    if spoil == "no stamp":
        stamp.unlink()
    elif spoil == "garbled stamp":
        stamp.write_text(stamp.read_text()[:50])
    elif spoil == "old stamp":
        stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "version": 0}))
    elif spoil == "short column":
        os.truncate(column, column.stat().st_size - 1)
    elif spoil == "lost column":
        column.unlink()
    else:
        (path / "manifest.json").write_bytes((path / "manifest.json").read_bytes() + b"\n")
    with pytest.raises(DataError, match="index is missing or out of date"):
        DataSet.open(path)


def test_no_pickle_is_ever_loaded(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    column = path / "index/item_sales.npy"
    size = column.stat().st_size
    np.save(column, np.array([{}], object), allow_pickle=True)
    with column.open("ab") as file:
        file.write(bytes(size - column.stat().st_size))
    with pytest.raises(DataError, match=r"item_sales\.npy holds no numbers of type <i8"):
        DataSet.open(path)


def test_problems_without_a_readable_set_cannot_be_stamped(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        build_index(tmp_path / "none")


def test_a_failed_index_leaves_the_old_one_gone_and_nothing_half_made(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    os.truncate(path / "steps.parquet", 100)
    with pytest.raises(DataError, match="the index cannot be built"):
        build_index(path)
    assert not (path / "index.partial").exists()
    with pytest.raises(DataError, match=r"steps.parquet: has 100 bytes where the manifest says"):
        DataSet.open(path)


class FakeHub(types.ModuleType):
    """Stands for huggingface_hub; gives a folder or fails."""

    def __init__(self, answer: Path | Exception) -> None:
        super().__init__("huggingface_hub")
        self.asked: list[tuple[str, str]] = []
        self._answer = answer

    def snapshot_download(self, repo_id: str, repo_type: str) -> str:
        self.asked.append((repo_id, repo_type))
        if isinstance(self._answer, Exception):
            raise self._answer
        return str(self._answer)


def test_a_hub_id_is_fetched(tiny_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = FakeHub(tiny_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert DataSet.open("someone/tiny-shop").name == "tiny"
    assert hub.asked == [("someone/tiny-shop", "dataset")]


def test_a_hub_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", FakeHub(OSError("offline")))
    with pytest.raises(DataError, match=r"no folder someone/tiny-shop, and the hub does not give one \(offline\)"):
        DataSet.open("someone/tiny-shop")


def test_no_hub_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(DataError, match="install huggingface_hub"):
        DataSet.open("someone/tiny-shop")


def test_a_folder_comes_before_the_hub(tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    (tmp_path / "owner").mkdir()
    shutil.copytree(tiny_path, tmp_path / "owner/name")
    monkeypatch.chdir(tmp_path)
    assert DataSet.open("owner/name").name == "tiny"


@pytest.mark.parametrize("path", ["nowhere", "/not/there", "./a/b", "a/b/c"])
def test_what_is_no_hub_id_is_a_missing_folder(path: str) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        DataSet.open(path)
