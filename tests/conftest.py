"""Fixtures every folder of tests may use."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shopsim.data import DataSet
from tests.data.factory import write_tiny

os.environ["SHOPSIM_CACHE"] = ""  # no test reads what another run painted

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny legal data set: 72 items, 6 users, 8 sessions. Do not change it; copy it."""
    return write_tiny(tmp_path_factory.mktemp("data") / "tiny")


@pytest.fixture(scope="session")
def tiny(tiny_path: Path) -> DataSet:
    """The tiny data set, open."""
    return DataSet.open(tiny_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process: (exit code, stdout, stderr)."""
    from shopsim import cli
    from shopsim.commands import console

    monkeypatch.setattr(console, "LINE_EVERY", 3600.0)  # a busy machine makes no errors of more lines

    def go(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["shopsim", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return go
