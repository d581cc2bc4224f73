"""The synthetic USB set at full size: its exact figures, what is planted in it, time and memory.

    python benchmarks/usb.py --out runs/usb

makes the set three times, in processes of their own (twice alike but for PYTHONHASHSEED, once in Chinese), and prints
every figure beside what it must be. ``--set FOLDER`` takes a set that is there in place of the first; ``--once`` makes
no further ones; ``--sessions N`` does the same for another size. Seconds are of the processor, so that a busy machine
does not count.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from memory import peak_mb

CATEGORIES = (41, 517, 2256)
READ = 1000
"""Sessions read to time one."""


def measured(work: str, *arguments: object, hash_seed: int = 0) -> dict[str, float]:
    """What a piece of this script says, and its processor seconds and peak memory (GB), in a process of its own."""
    command = [sys.executable, __file__, "--work", work, *map(str, arguments)]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return dict(json.loads(result.stdout))


def make(path: str, sessions: str, locale: str) -> dict[str, float]:
    from shopsim.benchmark_usb.synthetic import make_synthetic

    make_synthetic(path, int(sessions), locale=locale)  # type: ignore[arg-type]
    return {}


def reach(path: str) -> dict[str, float]:
    """Opens a set, and reads sessions all over it."""
    from shopsim.data import DataSet

    start = time.process_time()
    dataset = DataSet.open(path)
    opened = time.process_time()
    rows = [row * 7919 % dataset.n_sessions for row in range(READ)]
    dataset.session(rows[0])
    held = peak_mb() / 1e3
    for row in rows:
        dataset.session(row)
    return {"open": opened - start, "reach": 1000 * (time.process_time() - opened) / READ, "held": held}


def score(path: str) -> dict[str, float]:
    """Scores everybody, as if each had been run in the place of the one before, with 1,000 resamples."""
    from shopsim.benchmark_usb.fidelity import behaviour
    from shopsim.benchmark_usb.intent import intent_score
    from shopsim.benchmark_usb.summary import SessionScore, summarise
    from shopsim.data import DataSet
    from shopsim.envs.human import replay

    dataset = DataSet.open(path)
    people = [replay(dataset, row) for row in range(dataset.n_sessions)]
    start = time.process_time()
    scores = [
        SessionScore(
            agent="shifted", session_id=dataset.session_id(row), user_id=str(dataset.user_row(row)), repetition=0,
            seeds=(0, 0), fault=None, behaviour=behaviour(did), human=behaviour(person),
            intent=intent_score(did.interacted, person.interacted, dataset.labels) if person.interacted else None,
            active=bool(did.interacted), reward={}, stop_reason="terminate",
        )
        for row, (person, did) in enumerate(zip(people, [people[-1], *people[:-1]], strict=True))
    ]  # fmt: skip
    summarise("shifted", scores, samples=1000)
    return {"score": time.process_time() - start}


def digest(path: Path) -> str:
    """Of all files of a folder."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def behaviour_in(path: Path) -> list[Any]:
    """What must not differ between the languages."""
    import pyarrow.parquet as pq

    columns = ["session_id", "step", "action", "item_id", "x", "y", "page", "scroll", "timestamp"]
    items = pq.read_table(path / "items.parquet", columns=["item_id", "price", "l3", "picture", "rating", "sales"])
    return [items, pq.read_table(path / "steps.parquet", columns=columns), pq.read_table(path / "sessions.parquet")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to make the sets in; emptied first")
    parser.add_argument("--sessions", type=int, default=5274)
    parser.add_argument("--set", type=Path, help="a set made by `shopsim data make usb`")
    parser.add_argument("--once", action="store_true", help="make no second and no Chinese set")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    again, chinese = options.out / "again", options.out / "zh"
    first, made = options.set or options.out / "en", None
    if options.set is None:
        made = measured("make", first, options.sessions, "en")
    rows = figures_of(first, options.sessions)
    if made is not None:
        rows.append(("seconds to make", made["seconds"], "at most 180"))
        rows.append(("GB to make", made["memory"], "at most 2"))
    if not options.once:
        measured("make", again, options.sessions, "en", hash_seed=1)
        measured("make", chinese, options.sessions, "zh")
        rows.append(("same seed, same files, other PYTHONHASHSEED", digest(first) == digest(again), "True"))
        rows.append(("en and zh: same items, feeds and steps", behaviour_in(first) == behaviour_in(chinese), "True"))
    for name, value, wanted in rows:
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        print(f"{name:<46} {shown:>24}  {wanted}")


def figures_of(path: Path, sessions: int) -> list[tuple[str, object, str]]:
    """Figure, value, what it must be."""
    from shopsim.benchmark_usb.quota import STEPS
    from shopsim.benchmark_usb.structure import BOUNDS, structure
    from shopsim.benchmark_usb.synthetic import USB_HISTORY, USB_ITEMS, USB_SESSIONS
    from shopsim.data import DataSet
    from shopsim.data.stats import describe

    full = sessions == USB_SESSIONS
    dataset = DataSet.open(path)
    stats = describe(dataset)
    users = stats["counts"]["users"]
    start = time.process_time()
    planted = structure(dataset)
    seconds = time.process_time() - start
    reached, scored = measured("reach", path), measured("score", path)
    return [
        ("sessions", stats["counts"]["sessions"], str(sessions)),
        ("steps", stats["counts"]["steps"], str(round(STEPS * sessions))),
        ("items", stats["counts"]["items"], str(USB_ITEMS) if full else ""),
        ("categories in use", tuple(stats["categories"].values()), str(CATEGORIES) if full else ""),
        ("history, clicks", f"{stats['history']['clicks']:.2f}", str(USB_HISTORY[0])),
        ("history, purchases", f"{stats['history']['purchases']:.2f}", str(USB_HISTORY[1])),
        ("users by split", [round(s["users"] / users, 3) for s in stats["splits"].values()], "[0.8, 0.1, 0.1]"),
        ("steps at the same moment as another", stats["ties"], "0"),
        ("longest session", stats["steps_per_session"]["longest"], ""),
        *((name, v, f"at least {BOUNDS[name]:.3g}" if name in BOUNDS else "") for name, v in planted.items()),
        ("seconds to measure what is planted", seconds, ""),
        ("seconds to open", reached["open"], "at most 0.5"),
        ("milliseconds to reach a session", reached["reach"], "at most 1"),
        ("GB to open and read a session", reached["held"], "at most 0.3"),
        ("seconds to score all, 1,000 resamples", scored["score"], "at most 20"),
        ("MB on disk", round(sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) / 1e6), ""),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        said = {"make": make, "reach": reach, "score": score}[sys.argv[2]](*sys.argv[3:])
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({**said, "seconds": usage.ru_utime + usage.ru_stime, "memory": peak_mb() / 1e3}))
    else:
        main()
