"""Finding what is wrong with a data set: manifest, files, hashes, schema, references, order (SPEC 3)."""

from collections.abc import Iterator
from pathlib import Path

from shopsim.data.manifest import Problem, file_problems, read_manifest, sha256_of


def check(path: str | Path) -> Iterator[Problem]:
    """Yields everything that is wrong with a data set, without driving the shop."""
    path = Path(path)
    manifest = read_manifest(path)
    if isinstance(manifest, Problem):
        yield manifest
        return
    broken = set()
    for problem in file_problems(path, manifest):
        broken.add(problem.file)
        yield problem
    for name, entry in manifest.files.items():
        if name not in broken and sha256_of(path / name) != entry.sha256:
            yield Problem(name, None, "its hash differs from the manifest's, so its content has changed")
