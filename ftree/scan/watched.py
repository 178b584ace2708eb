"""Parts that tell a line of progress how many rows of a look, and how many bytes in all, have been read."""

from collections.abc import Callable
from threading import Lock
from typing import Any

from attrs import define, field, frozen

from ftree._lib.progress import Progress
from ftree.scan.parts import Answer, Part, PartFold


@define(eq=False)
class Meter:
    """Rows that have been read in this look, of so many, and bytes in all looks; threads count one after another."""

    line: Progress
    n_rows: int
    rows: int = 0
    n_bytes: int = 0
    lock: Any = field(factory=Lock)

    def begin(self) -> None:
        """Begin another look."""
        self.rows = 0

    def add(self, part: Part) -> None:
        """Count a part, and tell."""
        with self.lock:
            self.rows += len(part)
            self.n_bytes += part.codes.nbytes + part.labels.nbytes
            self.line.rows(min(self.rows, self.n_rows), self.n_rows, self.n_bytes)


@frozen(eq=False)
class WatchedParts:
    """Parts that a meter counts when a function has answered for them."""

    parts: PartFold
    meter: Meter

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers for all parts, merged."""
        self.meter.begin()

        def counted(part: Part) -> Answer:
            answer = function(part)
            self.meter.add(part)
            return answer

        return self.parts.fold(counted, merge)


def watched_parts(parts: PartFold, n_rows: int, line: Progress) -> PartFold:
    """The parts, counted where they are read in this process; parts on other machines are not."""
    return WatchedParts(parts, Meter(line, n_rows)) if getattr(parts, "in_this_process", False) else parts
