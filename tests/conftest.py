"""Fixtures every folder of tests may use."""

from pathlib import Path

import pytest

from shopsim.data import DataSet
from tests.data.factory import write_tiny


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny legal data set: 72 items, 6 users, 8 sessions. Do not change it; copy it."""
    return write_tiny(tmp_path_factory.mktemp("data") / "tiny")


@pytest.fixture(scope="session")
def tiny(tiny_path: Path) -> DataSet:
    """The tiny data set, open."""
    return DataSet.open(tiny_path)
