"""A part as a dataset, so that all that works on rows in memory works on a source, part by part."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.scan.folds import Answer
from ftree.scan.parts import CountedParts, Part, SourceSummary


def dataset_of(part: Part, summary: SourceSummary) -> Dataset:
    """The rows of a part."""
    triples = zip(part.codes, summary.numeric.tolist(), summary.n_codes.tolist(), strict=True)
    columns = [_codes(codes, n) if row < 0 else part.numbers[row] for codes, row, n in triples]
    return Dataset(summary.schema, columns, smallest_integers(part.labels, len(summary.schema.classes)), part.weights)


def fold_datasets(
    source: CountedParts, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer]
) -> Answer:
    """The answers of a function of datasets for all parts, merged."""
    of_part: Callable[[Part], Answer] = _OfDataset(function, source.summary)
    return source.fold(of_part, merge)


@frozen(eq=False)
class _OfDataset:
    """A function of datasets as one of parts."""

    function: Callable[[Dataset], Any]
    summary: SourceSummary

    def __call__(self, part: Part) -> Any:
        return self.function(dataset_of(part, self.summary))


def _codes(codes: Array, n_values: int) -> Array:
    known = codes.astype(np.int64)
    return smallest_integers(np.where(known == n_values, -1, known), n_values)
