"""The notebooks run from top to bottom, show pictures, and stay small in the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def pictures(cells: list[dict[str, Any]]) -> int:
    return sum("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_from_top_to_bottom_in_any_folder(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "needs nbclient and ipykernel: pip install shopsim[dev]"
    nbformat = pytest.importorskip("nbformat", reason=reason)
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    monkeypatch.setenv("PYTHONPATH", str(path.parents[1]))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert pictures(notebook.cells) >= 4
    errors = [o for cell in notebook.cells for o in cell.get("outputs", ()) if o.get("name") == "stderr"]
    assert not errors, "no warnings either"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_small_and_shows_pictures(path: Path) -> None:
    assert path.stat().st_size < 400_000
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert pictures(cells) >= 4
    counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1)), "stored as run once, from top to bottom"


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first_steps"]
