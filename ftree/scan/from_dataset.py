"""A dataset in memory as a source in parts, for tests and for tables that are in memory already."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import require_whole_number
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.table_summary import summary_of
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.folds import fold_in_threads
from ftree.scan.parts import Answer, Part, SourceSummary
from ftree.scan.reading import codes_of
from ftree.scan.source import Source


@frozen(eq=False)
class PartsInMemory:
    """Parts in memory, which `n_jobs` threads count, by default one for each processor."""

    in_this_process: ClassVar[bool] = True

    parts: tuple[Part, ...] = field(repr=False)
    n_jobs: int | None = None

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged."""
        return fold_in_threads(len(self.parts), lambda number: function(self.parts[number]), merge, self.n_jobs)


def source_of(dataset: Dataset, *, bins: int = 4096, rows_per_part: int = 1_000_000) -> Source:
    """A dataset as a source; a tree grown from it equals the tree grown from the dataset.

    Raises a ValueError for weights that are not whole numbers.

    >>> from ftree.data.dataset import Dataset
    >>> source_of(Dataset.from_rows([[1.0], [2.0]], ["a", "b"])).summary.class_counts
    (1, 1)
    """
    require_dataset(dataset)
    require_whole_number("bins", bins, 2)
    require_whole_number("rows_per_part", rows_per_part, 1)
    if dataset.weights is not None:
        dataset = dataset.take(dataset.weights > 0)
        if dataset.weights is not None and dataset.weights.dtype.kind == "f":
            message = "weights of a source must be whole numbers, got fractions."
            raise ValueError(message)
    if not len(dataset):
        message = "dataset must have a row with a weight above 0, got none."
        raise ValueError(message)
    pairs = zip(dataset.schema.features, dataset.columns, strict=True)
    binned = tuple(
        bins_of_sample(column.astype(np.float64), bins, whole=True) if feature.kind == "numeric" else None
        for feature, column in pairs
    )
    return in_parts(dataset, binned, rows_per_part)


def in_parts(dataset: Dataset, bins: Sequence[Bins | None], rows_per_part: int) -> Source:
    """A dataset as a source with given bins."""
    known = summary_of(dataset)
    summary = SourceSummary(dataset.schema, known.class_counts(), known.gaps(), tuple(bins), len(dataset))
    edges = range(0, max(len(dataset), 1), rows_per_part)
    return Source(summary, PartsInMemory(tuple(_part(dataset, summary, slice(begin, begin + rows_per_part)) for begin in edges)))


def _part(dataset: Dataset, summary: SourceSummary, rows: slice) -> Part:
    columns = [column[rows] for column in dataset.columns]
    n = len(dataset.labels[rows])
    codes = [
        codes_of(column, n_codes, bins) for column, n_codes, bins in zip(columns, summary.n_codes, summary.bins, strict=True)
    ]
    numbers = [column for column, bins in zip(columns, summary.bins, strict=True) if bins is not None]
    weights = None if dataset.weights is None else dataset.weights[rows]
    return Part(
        np.array(codes, dtype=summary.code_type).reshape(-1, n),
        np.array(numbers, dtype=np.float64).reshape(-1, n),
        dataset.labels[rows].astype(summary.label_type),
        weights,
    )
