"""A table comes in pieces; what is to be said of their rows is noted. Ours. Loads pyarrow."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.import_report import ImportReport

CUT_OFF = "is cut off at the end of the file"


class Piece(NamedTuple):
    """Some rows of a table."""

    table: pa.Table
    rows: NDArray[np.int64]
    """Number of each row in its file, from 1; the names of the columns count as a row where they stand in the file.
    It is the number of the line unless fields hold line breaks."""


@dataclass(frozen=True, slots=True)
class Note:
    """Takes down what happens to the rows of one file."""

    report: ImportReport
    file: str
    table: str = ""
    """Put before the causes of bad rows."""

    def rows(self, count: int) -> None:
        """So many rows more, good or bad."""
        self.report.file_rows[self.file] += count

    def bad(self, row: int, cause: str) -> None:
        """A row that is none."""
        self.report.bad_rows_of(self.file, [row], f"{self.table}: {cause}" if self.table else cause)

    def line_breaks(self, count: int) -> None:
        """So many line breaks inside fields."""
        self.report.line_breaks += max(0, count)

    def text(self, encoding: str, bom: bool) -> None:
        """How the file is written."""
        self.report.note_text(self.file, encoding, bom)
