"""A Spark data frame as a table in parts: each task computes the result for its rows, and only counts are sent."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any
from weakref import finalize

from attrs import field, frozen

from ftree._lib.messages import type_of
from ftree.scan.batches import CELLS, Answer, fold_answers, groups_up_to
from ftree.scan.parts import Part
from ftree.scan.reading import RawPart, packed


@frozen(eq=False)
class SparkTable:
    """A frame of Spark, and the names of its columns in the table."""

    names: tuple[str, ...]
    frame: Any = field(repr=False)

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all rows, merged in each task, then here."""
        return _fold(self.frame, _Columns(self.names), function, merge)

    def encoded(self, encode: Callable[[RawPart], Part], _: int) -> "SparkParts":
        """The rows in code, which Spark makes once and keeps, in memory and on disk."""
        return _kept(self.frame, _Columns(self.names), encode)


@frozen(eq=False)
class SparkParts:
    """A frame of encoded parts, which Spark keeps as long as this is in use."""

    frame: Any = field(repr=False)
    # Spark makes these parts of others when it first needs them.
    origin: "SparkParts | None" = field(default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        """Let Spark drop the parts once nothing refers to this."""
        finalize(self, _drop, self.frame).atexit = False

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged in each task, then here."""
        return _fold(self.frame, _unpacked, function, merge)

    def encoded(self, encode: Callable[[Part], Part]) -> "SparkParts":
        """The parts in another code, which Spark makes once and keeps."""
        return _kept(self.frame, _unpacked, encode, self)


def spark_table(frame: Any) -> SparkTable:
    """A Spark 4 data frame as a table for `survey`; cache it first, so that its files are read only once.

    The survey reads it twice, and the second time encodes it; Spark keeps the encoded rows, from which growth counts.

    Needs pyspark, pandas and pyarrow, and Java 17 or later.

    >>> from ftree.scan import survey
    >>> survey(spark_table(frame.cache()))  # doctest: +SKIP
    """
    if not (hasattr(frame, "columns") and hasattr(frame, "mapInArrow")):
        raise TypeError(f"frame must be a data frame of Spark, got {type_of(frame)}.")
    # Spark would parse names with dots and quotes.
    return SparkTable(tuple(frame.columns), frame.toDF(*(f"c{number}" for number in range(len(frame.columns)))))


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


def _kept(
    frame: Any, items: Callable[[Iterator[Any]], Iterator[Any]], encode: Callable[[Any], Part], origin: SparkParts | None = None
) -> SparkParts:
    """The items of a frame's batches as parts that Spark keeps."""

    def parts(batches: Iterator[Any]) -> Iterator[Any]:
        for part in map(encode, items(batches)):
            yield _record("part", packed(part))

    return SparkParts(frame.mapInArrow(parts, "part binary").persist(), origin)


def _fold(
    frame: Any, items: Callable[[Iterator[Any]], Iterator[Any]], function: Any, merge: Callable[[Answer, Answer], Answer]
) -> Answer:
    """The results of a function for all items of a frame's batches, merged in each task, then here."""

    def answers(batches: Iterator[Any]) -> Iterator[Any]:
        own = map(function, items(batches))
        for first in own:
            yield _record("answer", fold_answers(chain((first,), own), merge))

    # `collect` would pickle the results again, which takes Java three times as long.
    found = frame.mapInArrow(answers, "answer binary").toArrow().column("answer")
    # The results are this function's own, pickled by Spark's own workers.
    answers_of_tasks: Iterator[Answer] = (pickle.loads(each.as_buffer()) for each in found)  # noqa: S301  # written above
    return fold_answers(answers_of_tasks, merge)


def _record(name: str, value: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415  # as above

    return pa.RecordBatch.from_pydict({name: [pickle.dumps(value, protocol=5)]})


def _unpacked(batches: Iterator[Any]) -> Iterator[Part]:
    return (pickle.loads(part.as_buffer()).unpacked() for batch in batches for part in batch.column(0))  # noqa: S301  # as above


def _drop(frame: Any) -> None:
    with suppress(Exception):  # the session has ended
        frame.unpersist()
