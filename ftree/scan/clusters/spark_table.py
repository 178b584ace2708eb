"""A Spark data frame as a table in parts: each task computes the result for its rows, and only counts are sent."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any
from weakref import finalize

from attrs import field, frozen

from ftree._lib.messages import type_of
from ftree.scan.clusters.packed_part import packed
from ftree.scan.folding import CELLS, Answer, RawPart, fold_answers, groups_up_to
from ftree.scan.parts import Part


def spark_table(frame: Any) -> "SparkTable":
    """A Spark 4 data frame as a table for `survey`; cache it first, so that its files are read only once.

    The survey reads it twice, and the second time encodes it; Spark keeps the encoded rows, from which growth counts.

    Needs pyspark, pandas and pyarrow, and Java 17 or later.

    >>> from ftree.scan import survey
    >>> survey(spark_table(frame.cache()))  # doctest: +SKIP
    """
    if not (hasattr(frame, "columns") and hasattr(frame, "mapInArrow")):
        raise TypeError(f"frame must be a data frame of Spark, got {type_of(frame)}.")
    # Spark would parse names with dots and quotes.
    names = tuple(frame.columns)
    return SparkTable(names, frame.toDF(*(f"c{number}" for number in range(len(names)))), _Columns(names))


@frozen(eq=False)
class SparkTable:
    """A frame of Spark, or one of encoded parts, which Spark keeps as long as this is in use.

    `read` makes parts of the batches of a task. Spark makes kept parts from those of `origin` when it first needs them.
    """

    names: tuple[str, ...]
    frame: Any = field(repr=False)
    read: Callable[[Iterator[Any]], Iterator[Any]] = field(repr=False)
    origin: "SparkTable | None" = field(default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        """Let Spark drop kept parts once nothing refers to this."""
        if self.origin is not None:
            finalize(self, _drop, self.frame).atexit = False

    def fold(self, function: Callable[[Any], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged in each task, then here."""
        read = self.read  # Spark pickles what its functions refer to

        def answers(batches: Iterator[Any]) -> Iterator[Any]:
            own = map(function, read(batches))
            for first in own:
                yield _record("answer", fold_answers(chain((first,), own), merge))

        # `collect` would pickle the results again, which takes Java three times as long.
        found = self.frame.mapInArrow(answers, "answer binary").toArrow().column("answer")
        # The results are this function's own, pickled by Spark's own workers.
        answers_of_tasks: Iterator[Answer] = (pickle.loads(each.as_buffer()) for each in found)  # noqa: S301  # written above
        return fold_answers(answers_of_tasks, merge)

    def kept(self, encode: Callable[[Any], Part], _: int) -> "SparkTable":
        """The rows in code, which Spark makes once and keeps, in memory and on disk."""
        read = self.read

        def parts(batches: Iterator[Any]) -> Iterator[Any]:
            for part in map(encode, read(batches)):
                yield _record("part", packed(part))

        return SparkTable(self.names, self.frame.mapInArrow(parts, "part binary").persist(), _unpacked, self)


@frozen(eq=False)
class _Columns:
    """Arrow batches, which Spark makes of 10,000 rows, joined to larger ones and as columns by name."""

    names: tuple[str, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[RawPart]:
        filled = (batch for batch in batches if batch.num_rows)
        return map(self._joined, groups_up_to(filled, lambda batch: batch.num_rows * len(self.names), CELLS))

    def _joined(self, group: list[Any]) -> RawPart:
        import pyarrow as pa  # noqa: PLC0415  # Spark needs it as well

        (batch,) = pa.Table.from_batches(group).combine_chunks().to_batches()
        return dict(zip(self.names, batch.columns, strict=True))


def _record(name: str, value: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415  # as above

    return pa.RecordBatch.from_pydict({name: [pickle.dumps(value, protocol=5)]})


def _unpacked(batches: Iterator[Any]) -> Iterator[Part]:
    return (pickle.loads(part.as_buffer()).unpacked() for batch in batches for part in batch.column(0))  # noqa: S301  # as above


def _drop(frame: Any) -> None:
    with suppress(Exception):  # the session has ended
        frame.unpersist()
