"""One line on the way, overwritten as growth goes on; it works in a terminal and in a notebook."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from attrs import define, field


@define(eq=False)
class Progress:
    """What is reported: the level, its open nodes, and the share of the cases that have reached their leaf."""

    stream: TextIO | None
    width: int = field(default=0, init=False)

    def say(self, text: str) -> None:
        """Write over what stands there."""
        if self.stream is not None:
            self.stream.write("\r" + text.ljust(self.width))
            self.stream.flush()
            self.width = len(text)

    def level(self, depth: int, n_open: int, done: float) -> None:
        """Report a finished level."""
        self.say(f"level {depth}: {n_open:,} open nodes, {done:.0%} of the cases done")


@contextmanager
def progress(*, shown: bool) -> Iterator[Progress]:
    """A line on the standard error stream, ended by a new line; nothing at all when it is not to be shown.

    >>> with progress(shown=False) as line:
    ...     line.level(0, 1, 0.5)
    """
    line = Progress(sys.stderr if shown else None)
    try:
        yield line
    finally:
        if shown and line.width:
            sys.stderr.write("\n")
