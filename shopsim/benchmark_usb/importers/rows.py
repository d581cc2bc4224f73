"""The rows of one piece of a log: which are still good, and why the others are not. Ours."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.import_report import ImportReport


class Rows:
    """Which rows of a piece are still good."""

    def __init__(self, file: str, numbers: NDArray[np.int64], report: ImportReport) -> None:
        self._file, self._numbers, self._report = file, numbers, report
        self.good = np.ones(len(numbers), bool)

    def drop(self, mask: NDArray[np.bool_], cause: str) -> None:
        """Drops rows for a cause, each for the first that fits."""
        bad = self.good & mask
        self.good &= ~bad
        self._report.bad_rows_of(self._file, self._numbers[bad], cause)

    def count(self, mask: NDArray[np.bool_]) -> int:
        """How many good rows these are."""
        return int((self.good & mask).sum())

    def tally(self, counts: Counter[str], name: str, mask: NDArray[np.bool_]) -> None:
        """Counts good rows under a name, if there are any."""
        if count := self.count(mask):
            counts[name] += count
