"""A Ray dataset as a table in parts: each task computes the result for its batch, and only counts are sent."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import type_of
from ftree.scan.folding import Answer, RawPart, fold_answers


@frozen(eq=False)
class RayTable:
    """A Ray dataset, in batches of a given number of rows."""

    dataset: Any = field(repr=False)
    names: tuple[str, ...]
    rows: int = 1_000_000

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all batches, merged here."""

        def answer(batch: Any) -> dict[str, list[bytes]]:
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            return {"answer": [pickle.dumps(function(columns))] if len(batch) else []}

        batches = self.dataset.map_batches(answer, batch_size=self.rows, batch_format="pyarrow")
        # The results are this function's own, pickled by Ray's own workers.
        found: Iterator[Answer] = (pickle.loads(row["answer"]) for row in batches.iter_rows())  # noqa: S301  # written above
        return fold_answers(found, merge)


def ray_table(dataset: Any) -> RayTable:
    """A Ray dataset as a table for `survey`; materialize it first, so that its files are read only once.

    Needs ray with its datasets, and pyarrow.

    >>> from ftree.scan import survey
    >>> survey(ray_table(dataset.materialize()))  # doctest: +SKIP
    """
    if not (hasattr(dataset, "map_batches") and hasattr(dataset, "iter_rows")):
        raise TypeError(f"dataset must be a dataset of Ray, got {type_of(dataset)}.")
    return RayTable(dataset, tuple(dataset.columns()))
