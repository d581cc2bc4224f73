"""A broken set: `data validate` names file, row and cause, and everything that opens it refuses with those words."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import shopsim  # noqa: F401
from shopsim.data.stamp import FOLDER
from shopsim.errors import DataError
from tests.conftest import Run
from tests.data.factory import write_tiny
from tests.data.tamper import Rows, copied, edit_manifest, edit_rows, sign


def rows(file: str, edit: Callable[[Rows], object]) -> Callable[[Path], None]:
    """An edit of a table by somebody who makes the manifest fit again."""

    def spoil(path: Path) -> None:
        edit_rows(path, file, edit)
        sign(path)

    return spoil


def setting(row: int, **values: Any) -> Callable[[Rows], object]:
    return lambda table: table[row].update(values)


def swap(one: str, other: str) -> Callable[[Path], None]:
    """Two files in each other's place."""

    def spoil(path: Path) -> None:
        (path / one).rename(path / "between")
        (path / other).rename(path / one)
        (path / "between").rename(path / other)

    return spoil


def of_another_set(path: Path) -> None:
    """The steps of a set whose sessions are called the same and went otherwise."""
    other = write_tiny(path.parent / "other", lambda session: session)
    edit_rows(other, "steps.parquet", lambda table: table.reverse())
    shutil.copy(other / "steps.parquet", path / "steps.parquet")


def same_size(path: Path) -> None:
    content = bytearray((path / "items.parquet").read_bytes())
    content[100] ^= 255
    (path / "items.parquet").write_bytes(content)


BROKEN: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: os.truncate(path / "steps.parquet", 900), "steps.parquet: has 900 bytes where the manifest says "),
    (lambda path: (path / "users.parquet").unlink(), "users.parquet: missing, though the manifest names it"),
    (same_size, "items.parquet: its hash is not the manifest's"),
    (swap("steps.parquet", "sessions.parquet"), "sessions.parquet: has "),
    (of_another_set, "steps.parquet: "),
    (lambda path: edit_manifest(path, lambda m: m["counts"].update(steps=47)), "manifest.json: counts.steps is 47"),
    (
        lambda path: edit_manifest(path, lambda m: m["layout"].update(version=2)),
        "manifest.json: the page layout is version 2, this ShopSim replays version 1",
    ),
    (rows("steps.parquet", setting(1, item_id="x9")), "steps.parquet row 1: session 's1' step 0: unknown item 'x9'"),
    (rows("steps.parquet", setting(2, action="fly")), "steps.parquet row 2: session 's1' step 1: action is 'fly'"),
    (
        rows("steps.parquet", setting(2, action="scroll_down")),
        "steps.parquet row 2: session 's1' step 1: scroll_down is not possible on the preview page at scroll 0",
    ),
    (
        rows("steps.parquet", lambda table: table.insert(1, table.pop(2))),
        "steps.parquet row 1: session 's1' step 1: step is 1, must be 0",
    ),
    (rows("steps.parquet", lambda table: table.pop()), "steps.parquet row 46: session 's7' step 6: the session's last"),
    (rows("sessions.parquet", lambda table: table.reverse()), "steps.parquet row 1: session 's1' is out of the"),
    (rows("sessions.parquet", setting(2, user_id="u9")), "sessions.parquet row 2: session 's2': unknown user 'u9'"),
    (rows("items.parquet", setting(9, price=-1.0)), "items.parquet row 9: item 'i009': price is -1.0"),
]


@pytest.mark.parametrize(("spoil", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_what_validation_says_is_what_the_environment_says(
    run: Run, tiny_path: Path, tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    path = copied(tiny_path, tmp_path)
    spoil(path)
    code, out, err = run("data", "validate", path)
    first = out.splitlines()[0]
    assert (code, err.count("\n")) == (1, 1)
    assert first.startswith(f"{path}: {words}")
    code, _, err = run("benchmark", "run", "--data", path, "--agents", "human")
    assert (code, err) == (2, f"shopsim: {first}\n")
    with pytest.raises(DataError) as refused:
        gym.make("ShopSim-v0", data=path)
    assert str(refused.value) == first
    # Looked at again nothing is forgiven.
    assert run("data", "validate", path)[:2] == (1, out)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: (path / "manifest.json").unlink(), "manifest.json: missing, so "),
        (lambda path: (path / "manifest.json").write_text('{"format": "us'), "manifest.json: cannot be read as JSON"),
        (lambda path: edit_manifest(path, lambda m: m.update(version=2)), "manifest.json: version is 2, this ShopSim"),
        (lambda path: edit_manifest(path, lambda m: m.update(format="csv")), "manifest.json: format is 'csv', must be"),
        (lambda path: shutil.rmtree(path), "there is no such folder"),
    ],
)
def test_what_is_no_set_of_this_version_is_exit_2_everywhere(
    run: Run, tiny_path: Path, tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    path = copied(tiny_path, tmp_path)
    spoil(path)
    for command in (("data", "validate", path), ("data", "stats", path), ("benchmark", "run", "--data", path)):
        code, out, err = run(*command)
        assert (code, out, err.count("\n")) == (2, "", 1), command
        assert words in err


def test_a_folder_left_half_written_is_no_set(run: Run, tmp_path: Path) -> None:
    def killed(session: object) -> object:
        raise SystemExit(9)

    with pytest.raises(SystemExit):
        write_tiny(tmp_path / "set", killed)  # type: ignore[arg-type]
    assert run("data", "validate", tmp_path / "set")[0] == 2
    # As a process leaves it that is killed outright: tables without a manifest, under another name.
    partial = tmp_path / ".set.abc.partial"
    shutil.copytree(write_tiny(tmp_path / "whole"), partial)
    (partial / "manifest.json").unlink()
    shutil.rmtree(partial / FOLDER)
    code, _, err = run("benchmark", "run", "--data", partial)
    assert (code, err.count("\n"), "manifest.json: missing" in err) == (2, 1, True)


def test_a_set_changed_after_validation_is_refused_until_it_is_validated_again(
    run: Run, tiny_path: Path, tmp_path: Path
) -> None:
    path = copied(tiny_path, tmp_path)
    manifest = json.loads((path / "manifest.json").read_bytes())
    (path / "manifest.json").write_text(json.dumps({**manifest, "name": "renamed"}))
    code, _, err = run("benchmark", "run", "--data", path, "--agents", "human")
    assert (code, err.count("\n"), f"`shopsim data validate {path}`" in err) == (2, 1, True)
    assert run("data", "validate", path)[0] == 0
    assert run("data", "stats", path)[0] == 0
