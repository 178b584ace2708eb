"""Parts that report to a progress line how many rows of a scan, and how many bytes in all, have been read."""

from collections.abc import Callable
from threading import Lock
from typing import Any

from attrs import define, field, frozen

from ftree._lib.progress import Progress
from ftree.scan.parts import Answer, Part, PartFold


@define(eq=False)
class Meter:
    """Rows read in this scan, of a known total, and bytes read in all scans; threads count one after another."""

    line: Progress
    n_rows: int
    rows: int = 0
    n_bytes: int = 0
    lock: Any = field(factory=Lock)

    def begin(self) -> None:
        """Begin another scan."""
        self.rows = 0

    def add(self, part: Part) -> None:
        """Count a part, and report it."""
        with self.lock:
            self.rows += len(part)
            self.n_bytes += part.codes.nbytes + part.labels.nbytes
            self.line.rows(min(self.rows, self.n_rows), self.n_rows, self.n_bytes)


@frozen(eq=False)
class WatchedParts:
    """Parts that a meter counts when a function has returned for them."""

    parts: PartFold
    meter: Meter

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged."""
        self.meter.begin()

        def counted(part: Part) -> Answer:
            answer = function(part)
            self.meter.add(part)
            return answer

        return self.parts.fold(counted, merge)


def watched_parts(parts: PartFold, n_rows: int, line: Progress) -> PartFold:
    """The parts, counted if they are read in this process; parts on other machines are not counted."""
    return WatchedParts(parts, Meter(line, n_rows)) if getattr(parts, "in_this_process", False) else parts
