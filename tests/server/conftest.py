"""What the tests of the server share. All of them are skipped where its libraries are missing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra server")
pytest.importorskip("uvicorn", reason="needs the extra server")
pytest.importorskip("websockets", reason="needs the extra server")

from tests.server.serving import running


@pytest.fixture(scope="session")
def url(tiny_path: Path) -> Iterator[str]:
    """Address of a server over the tiny data set."""
    with running(data=(tiny_path,)) as address:
        yield address
