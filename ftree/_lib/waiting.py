"""A progress line for users who wait, which each report overwrites."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any, TextIO

from attrs import define, field

from ftree._lib.fields import require_boolean

# Characters of a bar.
_BAR = 30
# After so many seconds, a wait is reported where nobody is known to watch.
_PAUSE = 5.0


@define(eq=False)
class Progress:
    """A line on a stream; no output where the stream is None, or before the time `begins`.

    `width` is the length of the text written last, `last` the text of the last finished level or task. A notebook has an output
    that `shown` changes, since it would keep every line of a stream. In a log, a new line appears after `pause` seconds, the
    next after twice as many, and so on. A line that belongs to a step of a longer wait, `outer`, is written after its text.
    """

    stream: TextIO | None
    begins: float = 0.0
    pause: float = 0.0
    outer: "Progress | None" = None
    last: str = field(default="", init=False)
    width: int = field(default=0, init=False)
    shown: Any = field(default=None, init=False)

    def write(self, text: str) -> None:
        """Overwrite the line with a text, or add it as a line after a pause."""
        if self.outer is not None:
            self.outer.write("; ".join(filter(None, (self.outer.last, text))))
        if self.stream is None or perf_counter() < self.begins:
            return
        if self.pause:
            self.stream.write(f"{text}\n")
            self.begins, self.pause = perf_counter() + self.pause, 2 * self.pause
            return
        if _in_notebook():
            self._show({"text/plain": text})
            return
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def _show(self, text: dict[str, str]) -> None:
        """Change the notebook's output; the first text makes it."""
        if self.shown is None:
            self.shown = import_module("IPython.display").display(text, raw=True, display_id=True)  # ipykernel has it
        else:
            self.shown.update(text, raw=True)

    def level(self, depth: int, n_open: int, done: float) -> None:
        """Report a finished level: its depth, its open nodes, and the share of the cases that have reached a leaf."""
        self.last = f"level {depth}: {n_open:,} open nodes, {done:.0%} of the cases done"
        self.write(self.last)

    def bar(self, done: int, total: int) -> None:
        """Report how many of the tasks are done."""
        self.last = _bar(done, total)
        self.write(self.last)

    def rows(self, done: int, total: int, n_bytes: int) -> None:
        """Report how many rows of this scan and how many bytes of all scans are read, after the last finished level."""
        before = f"{self.last}; " if self.last else ""
        self.write(f"{before}{_bar(done, total)} rows, {n_bytes / 1e6:,.0f} MB read")


def _bar(done: int, total: int) -> str:
    filled = _BAR * done // total
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] {done:,} of {total:,}"


def is_watched() -> bool:
    """Whether a person watches the standard error stream: it is a terminal, or a notebook shows it.

    >>> is_watched() in (True, False)
    True
    """
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())  # None: a Windows program of windows only


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs here; a program that starts kernels has imported ipykernel as well."""
    interactive = sys.modules.get("IPython")
    return interactive is not None and getattr(interactive.get_ipython(), "kernel", None) is not None


@contextmanager
def progress(*, shown: bool, patience: float = 0.0) -> Iterator[Progress]:
    """A progress line on the standard error stream, ended by a newline; no output unless `shown`, or in the first `patience` s.

    Raises a TypeError where `shown` is neither True nor False.

    >>> with progress(shown=False) as line:
    ...     line.level(0, 1, 0.5)
    """
    require_boolean("progress", shown)
    line = Progress(sys.stderr if shown else None, perf_counter() + patience)
    try:
        yield line
    finally:
        if shown and line.width:
            sys.stderr.write("\n")


# The lines of those who wait without having asked for one, the longest wait first.
_WAITING: list[Progress] = []


def progress_of_wait(*, shown: bool | None) -> AbstractContextManager[Progress]:
    """A progress line if `shown`; if that is None, after a second where a person watches, and else after five seconds."""
    return _wait() if shown is None else progress(shown=shown)


def _is_worker() -> bool:
    """Whether this is a process of a pool, whose parent has the line."""
    module = sys.modules.get("multiprocessing")
    return module is not None and module.parent_process() is not None


@contextmanager
def _wait() -> Iterator[Progress]:
    """The line of a wait, or of a step of a wait that has one; a log gets lines after 5, 10, 20, ... seconds."""
    if _WAITING:
        yield Progress(None, outer=_WAITING[0])
        return
    watched = is_watched()
    with progress(shown=sys.stderr is not None and not _is_worker(), patience=1.0 if watched else _PAUSE) as line:
        line.pause = 0.0 if watched else _PAUSE
        _WAITING.append(line)
        try:
            yield line
        finally:
            _WAITING.remove(line)
