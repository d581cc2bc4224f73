"""One text for any model: a folder, an engine, a server."""

import sys
from pathlib import Path

import pytest

from shopsim.agents.checkpoint import AgentSetup
from shopsim.agents.models import is_server, load_backend, setup_of
from shopsim.errors import InputError


def test_a_folder_is_loaded_by_transformers_and_brings_its_setup(vlm_path: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run" / "checkpoint-000003"
    shutil.copytree(vlm_path, folder)
    AgentSetup("tiny", (96, 160)).write(folder)
    backend = load_backend(tmp_path / "run", device="cpu")
    assert backend.settings() == {"kind": "transformers", "model": str(folder), "dtype": "float32"}
    assert backend.reads_images
    for spec in (tmp_path / "run", f"vllm:{tmp_path / 'run'}"):
        assert setup_of(spec) == AgentSetup("tiny", (96, 160))


def test_a_server_brings_no_setup() -> None:
    assert setup_of("http://localhost:1/v1#some/model") == AgentSetup()
    assert is_server("https://host/v1")
    assert not is_server("owner/name")


@pytest.mark.parametrize("spec", ["nothing/here/at/all", "vllm:nothing/here/at/all"])
def test_what_is_not_there_is_named_before_anything_heavy_loads(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for heavy in ("transformers_backend", "vllm_backend"):
        monkeypatch.setitem(sys.modules, f"shopsim.agents.{heavy}", None)
    with pytest.raises(InputError, match="there is no folder nothing/here/at/all with a model"):
        load_backend(spec)
