"""All parts of a table: the fold that checks their number of rows, the encoding of raw parts, and progress.

Growth needs only sums over rows, such as class counts. So a table in parts needs one method: `fold` calls a function for
each part, and merges the results. It keeps no state, and parts may be on other machines.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from threading import Lock
from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import define, evolve, field, frozen
from toolz import compose, identity

from ftree._lib.arrays import Array
from ftree._lib.messages import type_of
from ftree._lib.waiting import Progress
from ftree.scan.batches import Batches
from ftree.scan.folding import Answer, Foldable, KeepsParts
from ftree.scan.parts import Part, SourceSummary, part_with_weight


@frozen(eq=False)
class TableParts:
    """All parts of a table: `encode` makes each of a raw part, in each scan anew or once where other machines keep it.

    Invariant: each scan sees `n_rows` rows, those with a weight above 0, or raises. Others are left out: their values must not
    move thresholds.
    """

    table: Foldable
    n_rows: int
    encode: Callable[[Any], Part] = field(default=identity, repr=False)
    progress: "ScanProgress | None" = field(default=None, repr=False)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function for all parts, merged.

        Raises a ValueError if the number of rows is not that of the survey.
        """
        parts = self._kept or self
        function = function if self.progress is None else self.progress.of_scan(function, self.n_rows)
        answer: Answer
        answer, found = parts.table.fold(partial(_counted, parts.encode, function), partial(_merged, merge))
        if found != self.n_rows:
            raise ValueError(f"source must have the same rows each time, got {found:,} after {self.n_rows:,} in the survey.")
        return answer

    @cached_property
    def _kept(self) -> "TableParts | None":
        """The parts as other machines keep them, if there are such machines and the parts are not kept already."""
        return None if self.encode is identity else self.kept(identity)

    def kept(self, encode: Callable[[Part], Part]) -> "TableParts | None":
        """The parts in another code, which other machines make once and keep; None if no machine can."""
        table = self.table.kept(compose(encode, self.encode), self.n_rows) if isinstance(self.table, KeepsParts) else None
        return None if table is None else TableParts(table, self.n_rows)

    def recoded(self, encode: Callable[[Part], Part]) -> "TableParts":
        """The parts in another code, which is made anew in each scan."""
        return evolve(self, encode=compose(encode, self.encode))

    def watched(self, line: Progress) -> "TableParts":
        """The parts that report to a progress line what is read, if it is read in this process."""
        here = getattr(self.table, "in_this_process", False)
        return evolve(self, progress=ScanProgress(line)) if here else self

    def in_order(self) -> Iterator[Part]:
        """The parts with all rows, one after another. Raises a TypeError for a table that is not read in batches."""
        if not isinstance(self.table, Batches):
            raise TypeError(f"source must be a table that is read in batches, got {type_of(self.table)}.")
        return map(self.encode, self.table.ahead())


def _counted(encode: Callable[[Any], Part], function: Callable[[Part], Any], raw: Any) -> tuple[Any, int]:
    """The result for a raw part, and its number of rows."""
    part = part_with_weight(encode(raw))
    return function(part), len(part)


def _merged(merge: Callable[[Any, Any], Any], one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
    """Results merged, and numbers of rows added."""
    return merge(one[0], other[0]), one[1] + other[1]


@define(eq=False)
class ScanProgress:
    """The rows read in a scan, of a known total, and the bytes read in all scans, for a line of progress."""

    line: Progress
    rows: int = 0
    n_bytes: int = 0
    lock: Any = field(factory=Lock)

    def of_scan(self, function: Callable[[Part], Answer], n_rows: int) -> Callable[[Part], Answer]:
        """The function for a new scan; it reports each part for which it has returned."""
        self.rows = 0

        def reporting(part: Part) -> Answer:
            answer = function(part)
            with self.lock:  # threads count one after another
                self.rows += len(part)
                self.n_bytes += part.codes.nbytes + part.labels.nbytes
                self.line.rows(min(self.rows, n_rows), n_rows, self.n_bytes)
            return answer

        return reporting


@runtime_checkable
class CountedParts(Protocol):
    """Parts of a table, and the findings about the table as a whole: a source, or `InChannels`."""

    @property
    def summary(self) -> SourceSummary:
        """The findings of one scan of all rows."""
        ...

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any], /) -> Any:
        """The results of a function for all parts, merged; the function can be pickled, and the order is arbitrary."""
        ...


def check_same_counts(parts: Array, whole: Array) -> None:
    """Raise a ValueError if counts of parts do not add up to those of an earlier scan.

    >>> check_same_counts(np.array([3, 1]), np.array([3, 2]))
    Traceback (most recent call last):
    ValueError: source must have the same rows each time, got other counts than in an earlier scan. Write it to a file first.
    """
    if not np.array_equal(parts, whole):
        remedy = "Write it to a file first."
        raise ValueError(f"source must have the same rows each time, got other counts than in an earlier scan. {remedy}")


def require_source(source: Any) -> None:
    """Raise a TypeError for anything that is not a source.

    >>> require_source(3)
    Traceback (most recent call last):
    TypeError: source must be a Source, got an int. Make one with survey, or with source_of for a Dataset.
    """
    if not isinstance(source, CountedParts):
        raise TypeError(f"source must be a Source, got {type_of(source)}. Make one with survey, or with source_of for a Dataset.")
