"""How fast logs are imported, and in how much memory: ``python benchmarks/importers.py LOG.csv.gz``.

A REES46 log is repeated, each time with users and sessions of its own and a day later, until it has as many events as
asked for; each size runs in a process of its own. *Read* is from the file to sessions (read, clean, sort, cut), *write*
from there to the finished data set (items, users, feeds, files, index). Seconds are CPU seconds of the process, so that
other programs on the machine disturb less; wall seconds stand beside them. *Peak* is the most resident memory so far.
"""

import argparse
import gzip
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from memory import peak_mb

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imported_set import write_imported
from shopsim.benchmark_usb.importers.importing import catalog_of, cut_log, info_of, users_of
from shopsim.benchmark_usb.importers.rees46 import REES46
from shopsim.data.writer import unfinished

LEAST_READ, LEAST_WRITTEN = 200_000, 30_000
"""Events a second."""


def repeated(log: Path, events: int, out: Path) -> None:
    """Writes a log that repeats another one until it has so many events."""
    with gzip.open(log, "rt", encoding="utf-8") as file:
        header, *lines = file.read().splitlines()
    with out.open("w", encoding="utf-8") as file:
        file.write(header + "\n")
        for number in range(-(-events // len(lines))):
            day = date(2019, 10, 1) + timedelta(days=number)
            for line in lines[: events - number * len(lines)]:
                head, user, session = line.rsplit(",", 2)
                file.write(f"{day}{head[10:]},{int(user) + number * 10**10},{session[:-4]}{number:04x}\n")


def measure(log: Path, out: Path) -> None:
    """Imports a log and prints its figures."""
    report, settings = ImportReport(log="rees46"), REES46.settings
    with unfinished(out) as folder:
        clock = Clock()
        cut, tables = cut_log(REES46, [log], settings, report, folder)
        read, peak = clock.lap(), peak_mb()
        catalog = catalog_of(REES46, cut, tables, settings, report)
        users = users_of(REES46, cut, tables, settings, report, folder)
        write_imported(out, cut, catalog, users, settings, report, info_of(REES46, report))
        write = clock.lap()
    events = report.events.total()
    rates = " ".join(f"{events / cpu:10,.0f} {events / wall:10,.0f}" for cpu, wall in (read, write))
    print(
        f"{events:10,} {report.sessions:9,} {report.steps:10,} {rates} {peak:8,.0f} {peak_mb():8,.0f}",
        flush=True,
    )


class Clock:
    """Tells CPU and wall seconds since it was asked last."""

    def __init__(self) -> None:
        self._last = (time.process_time(), time.perf_counter())

    def lap(self) -> tuple[float, float]:
        now = (time.process_time(), time.perf_counter())
        since = (now[0] - self._last[0], now[1] - self._last[1])
        self._last = now
        return since


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path, help="a REES46 log, gzip")
    parser.add_argument("--events", type=int, nargs="+", default=[500_000, 1_000_000, 2_000_000, 4_000_000])
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return measure(arguments.log, arguments.one)
    print(f"asked for: {LEAST_READ:,} events read and {LEAST_WRITTEN:,} written a second")
    print(f"{'':31} {'events read a second':>21} {'written a second':>21} {'peak megabytes':>17}")
    titles = "".join(f"{name:>11}" for name in ("cpu", "wall", "cpu", "wall"))
    print(f"{'events':>10} {'sessions':>9} {'steps':>10}{titles} {'read':>8} {'written':>8}")
    for events in arguments.events:
        with TemporaryDirectory() as scratch:
            log = Path(scratch) / "log.csv"
            repeated(arguments.log, events, log)
            command = [sys.executable, __file__, str(log), "--one", str(Path(scratch) / "set")]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
