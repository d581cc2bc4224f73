"""With which code and packages a result was made, and how two descriptions of runs differ."""

import subprocess
import sys
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import shopsim

PACKAGES = ("shopsim", "gymnasium", "numpy", "pillow", "torch", "transformers", "vllm")
"""Packages whose versions can move a score."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """With which code a run was made."""

    commit: str | None
    """Of the checkout shopsim runs from, with ``+changes`` where its files differ from it; None outside git."""
    python: str
    packages: dict[str, str]
    """Versions of those of `PACKAGES` that are installed."""


@cache
def provenance() -> Provenance:
    """Of this process: the code it loaded stays the same, whatever is committed while it runs."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return Provenance(_commit(Path(shopsim.__file__).parent), sys.version.split()[0], versions)


def _commit(folder: Path) -> str | None:
    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    # A package installed inside somebody's own checkout is not part of that checkout.
    if git("ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    commit = git("rev-parse", "HEAD")
    return f"{commit}+changes" if commit and git("status", "--porcelain", "--", ".") else commit


def differences(this: Any, other: Any, name: str = "") -> list[str]:
    """Where two descriptions (dataclasses, dicts, plain values) differ: ``data.hash: 1f3a / 9c22``, one each."""
    if is_dataclass(this) and not isinstance(this, type) and type(this) is type(other):
        this, other = asdict(this), asdict(other)
    if isinstance(this, dict) and isinstance(other, dict):
        keys = dict.fromkeys([*this, *other])
        return [
            line for k in keys for line in differences(this.get(k), other.get(k), f"{name}.{k}" if name else str(k))
        ]
    return [] if this == other else [f"{name}: {_short(this)} / {_short(other)}"]


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else text[:12] + "…"
