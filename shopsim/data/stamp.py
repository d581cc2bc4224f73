"""The stamp of an index: which manifest and files it was built from, what the reader needs to know, what is wrong."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "index"
STAMP = "stamp.json"
VERSION = 1
"""Version of the index; another number here makes `DataSet.open` ask for a new index."""
SPLITS = ("train", "validation", "test")
"""Names of the splits; the position is the code in the index."""


def manifest_hash(path: "str | Path") -> str | None:
    """Hash of the manifest's bytes, which names the data set; None where there is no manifest."""
    try:
        with open(f"{path}/manifest.json", "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def write(path: "Path", folder: "Path", facts: Mapping[str, Any], problems: Sequence[str]) -> None:
    """Writes the stamp into an index folder that is otherwise complete.

    Args:
        path: The data set's folder.
        folder: The index folder, possibly still under its temporary name.
        facts: What the reader hands out without reading the manifest.
        problems: What is wrong with the data set, in words; empty when nothing is.
    """
    manifest = path / "manifest.json"
    try:
        named = sorted(json.loads(manifest.read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        named = []
    sizes = {name: (path / name).stat().st_size for name in named if (path / name).is_file()}
    sizes |= {f"{FOLDER}/{file.name}": file.stat().st_size for file in sorted(folder.iterdir())}
    content = {
        "version": VERSION,
        "manifest": manifest_hash(path),
        "sizes": sizes,
        "facts": dict(facts),
        "problems": list(problems),
    }
    (folder / STAMP).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def read(path: "str | Path") -> dict[str, Any] | None:
    """The stamp of a data set's index; None where there is none, or one of another version."""
    try:
        with open(f"{path}/{FOLDER}/{STAMP}", "rb") as file:
            content = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and content.get("version") == VERSION else None


def fits(path: "str | Path", content: Mapping[str, Any]) -> bool:
    """Whether the manifest, the files and the index itself are still what the stamp was made for."""
    if content["manifest"] != manifest_hash(path):
        return False
    try:
        return all(os.stat(f"{path}/{name}").st_size == size for name, size in content["sizes"].items())
    except OSError:
        return False


def withdraw(path: "Path") -> bytes:
    """Takes the stamp away and returns it. Without one an index counts as missing: `DataSet.open` refuses the set."""
    file = path / FOLDER / STAMP
    content = file.read_bytes()
    file.unlink()
    return content


def restore(path: "Path", content: bytes) -> None:
    """Puts a stamp back that `withdraw` took away."""
    file = path / FOLDER / STAMP
    partial = file.with_suffix(".partial")
    partial.write_bytes(content)
    partial.rename(file)
