"""Recorded screenshots and picture files."""

import hashlib
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from shopsim.data import DataSet, DataSetWriter, build_index, check
from shopsim.errors import DataError
from tests.data import factory
from tests.data.tamper import edit_manifest


def png(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 8, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def write(path: Path, image: bytes | None = None) -> Path:
    """The tiny set with a screen for each step of its sessions, equal ones every third step, and a picture file."""
    items = factory.items()
    with DataSetWriter(path, name="seen") as w:
        w.add_categories(factory.categories())
        file = w.add_picture("cup.png", png(99))
        w.add_items([items[0]._replace(picture=items[0].picture._replace(file=file)), *items[1:]])
        w.add_users(factory.users())
        for session in factory.sessions():
            ids = [w.add_screen(image or png(i % 3), 8, 12) for i in range(len(session.steps))]
            steps = tuple(step._replace(screen_id=i) for step, i in zip(session.steps, ids, strict=True))
            w.add_session(session._replace(steps=steps))
    return path


def test_screens_come_back_bit_for_bit_and_are_stored_once(tmp_path: Path) -> None:
    path = write(tmp_path / "set")
    assert list(check(path)) == []
    seen = DataSet.open(path)
    assert seen.n_screens == 3
    for row in range(seen.n_sessions):
        ids = seen.screen_ids(row)
        assert ids == [step.screen_id for step in seen.session(row).steps]
        assert [seen.screen(i) for i in ids if i] == [png(k % 3) for k in range(len(ids))]
    assert seen.screen_ids(0) == [hashlib.sha256(png(0)).hexdigest()]
    with pytest.raises(DataError, match="has no screen 'ab'"):
        seen.screen("ab")


def test_a_set_without_screens_has_none(tiny: DataSet) -> None:
    assert tiny.n_screens == 0
    assert tiny.screen_ids(1) == [None] * 8


def test_picture_files_are_part_of_the_set(tmp_path: Path) -> None:
    path = write(tmp_path / "set")
    file = DataSet.open(path).item(0).picture.file
    assert file == "pictures/cup.png"
    assert (path / file).read_bytes() == png(99)
    (path / file).write_bytes(b"")
    assert [p.file for p in check(path)] == [file]
    with pytest.raises(DataError, match=r"pictures/cup.png: has 0 bytes"):
        DataSet.open(path)


def test_bad_pictures_and_screens_are_refused(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "set", name="x") as w:
        w.add_picture("a.png", b"a")
        for name, words in (("a.png", "is taken"), ("../a.png", "is no file name"), ("b/a.png", "is no file name")):
            with pytest.raises(DataError, match=words):
                w.add_picture(name, b"a")
    with pytest.raises(DataError, match="neither PNG nor lossless WebP"):
        write(tmp_path / "jpeg", image=b"\xff\xd8\xff\xe0")
    assert not (tmp_path / "jpeg").exists()


def test_a_changed_screen_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "set")
    file = path / "screens/screens.arrow"
    content = file.read_bytes()
    file.write_bytes(content.replace(png(1), png(1)[:-1] + b"?"))
    found = [(p.file, p.row, p.cause.split(" '")[0]) for p in check(path)]
    name = "screens/screens.arrow"
    assert (name, None, "its hash is not the manifest's, so its content has changed") in found
    assert (name, 1, "screen_id") in found


def test_a_truncated_screens_file_is_one_problem_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path / "set")
    file = path / "screens/screens.arrow"
    file.write_bytes(file.read_bytes()[:-20])
    problems = list(check(path))
    assert "truncated or changed" in problems[0].cause
    assert [p for p in problems[1:] if p.file == "screens/screens.arrow"] == []


def test_compressed_screens_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "set")
    file = path / "screens/screens.arrow"
    with pa.ipc.open_file(file) as reader:
        table = reader.read_all()
    with pa.ipc.new_file(str(file), table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(table)
    size = file.stat().st_size
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    edit_manifest(path, lambda m: m["files"]["screens/screens.arrow"].update(bytes=size, sha256=digest))
    problems = list(check(path))
    assert ["must not be compressed" in p.cause for p in problems] == [True]
    build_index(path, problems)
    with pytest.raises(DataError, match="must not be compressed"):
        DataSet.open(path)
