"""A Spark data frame as a table in parts: each task computes the result for its Arrow batches, and only counts are sent."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import type_of
from ftree.scan.folds import Answer, fold_answers
from ftree.scan.reading import RawPart


@frozen(eq=False)
class SparkTable:
    """A frame of Spark."""

    frame: Any = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.frame.columns)

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all batches, merged in each task, then here."""
        import pyarrow as pa  # noqa: PLC0415  # Spark needs it as well

        names = self.names

        def answers(batches: Iterator[Any]) -> Iterator[Any]:
            own = (function(dict(zip(names, batch.columns, strict=True))) for batch in batches if batch.num_rows)
            first = next(own, None)
            if first is not None:
                answer = fold_answers((first, *own), merge)
                yield pa.RecordBatch.from_pydict({"answer": [pickle.dumps(answer)]})

        # The results are this function's own, pickled by Spark's own workers.
        rows = self.frame.mapInArrow(answers, "answer binary").collect()
        if not rows:
            message = "source must have at least one row, got none."
            raise ValueError(message)
        found: Iterator[Answer] = (pickle.loads(row.answer) for row in rows)  # noqa: S301  # written above
        return fold_answers(found, merge)


def spark_table(frame: Any) -> SparkTable:
    """A Spark 4 data frame as a table for `survey`; cache it first, so that its files are read only once.

    Needs pyspark, pandas and pyarrow, and Java 17 or later.

    >>> from ftree.scan import survey
    >>> survey(spark_table(frame.cache()))  # doctest: +SKIP
    """
    if not (hasattr(frame, "columns") and hasattr(frame, "mapInArrow")):
        message = f"frame must be a data frame of Spark, got {type_of(frame)}."
        raise TypeError(message)
    return SparkTable(frame)
