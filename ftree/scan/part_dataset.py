"""A part as a dataset, so that all functions of rows in memory work on a source, part by part."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.scan.bins import Bins
from ftree.scan.folds import Answer
from ftree.scan.parts import CountedParts, Part, SourceSummary, require_source


def dataset_of(part: Part, summary: SourceSummary) -> Dataset:
    """The rows of a part."""
    rows = zip(part.codes, summary.numeric.tolist(), summary.n_codes.tolist(), summary.bins, strict=True)
    columns = [_codes(codes, n) if bins is None else numbers_of(codes, part.numbers[row], bins) for codes, row, n, bins in rows]
    return Dataset(summary.schema, columns, smallest_integers(part.labels, len(summary.schema.classes)), part.weights)


def numbers_of(codes: Array, numbers: Floats, bins: Bins) -> Floats:
    """The numbers of a feature as growth sees them: if bins are exact, those of the bins."""
    return np.append(bins.upper, np.nan)[codes] if bins.exact else numbers


def fold_datasets(
    source: CountedParts, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer]
) -> Answer:
    """The results of a function of datasets for all parts, merged. Raises a TypeError for anything but a source."""
    require_source(source)
    of_part: Callable[[Part], Answer] = _OfDataset(function, source.summary)
    return source.fold(of_part, merge)


@frozen(eq=False)
class _OfDataset:
    """A function of datasets as a function of parts."""

    function: Callable[[Dataset], Any]
    summary: SourceSummary

    def __call__(self, part: Part) -> Any:
        return self.function(dataset_of(part, self.summary))


def _codes(codes: Array, n_values: int) -> Array:
    known = codes.astype(np.int64)
    return smallest_integers(np.where(known == n_values, -1, known), n_values)
