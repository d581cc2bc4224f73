import codecs
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.text_file import TextFile
from shopsim.errors import DataError

CHINESE = "编号,年龄\n1,26-35岁\n2,56岁以上\n"


def read(path: Path, *encodings: str) -> tuple[str, TextFile]:
    with TextFile(path, encodings or ("utf-8",)) as file:
        return file.read().decode(), file


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(st.characters(codec="gb18030", exclude_characters="\ufeff"), min_size=1, max_size=300),
    encoding=st.sampled_from(["utf-8", "gb18030", "utf-16", "latin-1"]),
    size=st.integers(3, 50),
)
def test_text_in_any_encoding_comes_as_utf_8_in_pieces_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, text: str, encoding: str, size: int
) -> None:
    path = tmp_path_factory.mktemp("text") / "log.csv"
    if encoding == "latin-1":
        text = text.encode("latin-1", "ignore").decode("latin-1") or "a"
    path.write_bytes(text.encode(encoding))
    with TextFile(path, (encoding,)) as file:
        pieces = []
        buffer = bytearray(size)
        while n := file.readinto(memoryview(buffer)):
            pieces.append(bytes(buffer[:n]))
        assert b"".join(pieces).decode() == text
        assert file.lines == text.count("\n") + (not text.endswith("\n"))
        assert file.end == ("" if text.endswith("\n") else text)


def test_the_first_encoding_that_fits_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(CHINESE.encode("gbk"))
    text, file = read(path, "utf-8", "gb18030")
    assert (text, file.encoding) == (CHINESE, "gb18030")
    path.write_bytes(CHINESE.encode())
    text, file = read(path, "utf-8", "gb18030")
    assert (text, file.encoding) == (CHINESE, "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_left_out(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(("a\ufeffb\n" * 3).encode(encoding))
    text, file = read(path)
    assert (text, file.bom) == ("a\ufeffb\n" * 3, True)


def test_gzip_is_told_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(gzip.compress(codecs.BOM_UTF8 + b"a,b\n1,2\n"))
    assert read(path)[0] == "a,b\n1,2\n"


def test_damage_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    with pytest.raises(DataError, match=r"cannot be opened \(No such file"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="is empty"):
        read(path)
    path.write_bytes(b"a,b\n")
    with pytest.raises(DataError, match=r"is named \.gz but is not gzip"):
        read(path)
    content = gzip.compress("".join(f"{i},{i * i % 9973}\n" for i in range(400_000)).encode())
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"line \d+: the gzip stream ends early"):
        read(path)
    path.write_bytes(content[:1000] + b"\xff" * 50 + content[1050:])
    with pytest.raises(DataError, match=r"line \d+: the gzip stream is damaged"):
        read(path)
    plain = tmp_path / "log.csv"
    plain.write_bytes(b"a\n" * 5_000_000 + b"caf\xe9 au lait\n")
    with pytest.raises(DataError, match=r"line 5000001: is not UTF-8 text .* name its encoding"):
        read(plain)
