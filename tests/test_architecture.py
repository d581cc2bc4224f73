"""Imports only go down the floors, and heavy libraries stay out of the way until they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "shopsim"

BELOW = {
    "errors": set(),
    "data": {"errors"},
    "envs": {"errors", "data"},
    "memory": {"errors", "data", "envs"},
    "agents": {"errors", "data", "envs", "memory"},
    "benchmark_usb": {"errors", "data", "envs", "memory", "agents"},
    "trainers": {"errors", "data", "envs", "memory", "agents", "benchmark_usb"},
    "demo": {"errors", "data", "envs", "memory", "agents", "benchmark_usb", "trainers"},
    "server": {"errors", "data", "envs", "memory", "agents", "benchmark_usb", "trainers"},
    "commands": {"errors", "data", "envs", "memory", "agents", "benchmark_usb", "trainers", "server"},
    "cli": {"errors", "commands", "benchmark_usb", "demo"},
}
"""For each part of the package, the parts it may import. The package's root only registers the environments."""


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name"
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


def part(name: str) -> str | None:
    pieces = name.split(".")
    return pieces[1] if pieces[0] == "shopsim" and len(pieces) > 1 else None


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_go_down(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    own = relative.parts[0].removesuffix(".py")
    if own == "__init__":
        return
    allowed = BELOW[own] | {own}
    upward = {name for name in imports(path) if (floor := part(name)) is not None and floor not in allowed}
    assert not upward, f"{relative} imports {sorted(upward)}; it may import only {sorted(allowed)}"


def test_every_part_is_listed() -> None:
    parts = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert parts - {"__init__"} == set(BELOW)


HEAVY = ("torch", "transformers", "pyarrow", "PIL", "matplotlib", "pydantic", "typer", "rich", "jinja2")


@pytest.mark.parametrize(
    "module", ["shopsim", "shopsim.envs", "shopsim.data", "shopsim.agents", "shopsim.benchmark_usb"]
)
def test_import_brings_no_heavy_library(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
