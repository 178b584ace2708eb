"""The properties of a table that growth needs besides its counts: schema, class counts, features with missing values.

The rows need not be in memory, since anything that counts them can find these properties.
"""

from collections.abc import Callable
from functools import partial

from attrs import frozen

from ftree._lib.arrays import missing_cells
from ftree.data.dataset import Dataset
from ftree.tree.nodes import Counts
from ftree.tree.schema import Schema


@frozen(eq=False)
class TableSummary:
    """The schema of a table and its number of cases (rows by weight), and functions that return the rest.

    `class_counts()` are those of the table (K,), `gaps()` the numbers of the features with missing values. Few policies need
    these, and finding them takes a scan of all rows.

    >>> from ftree.datasets import xor
    >>> from ftree.growth import summary_of
    >>> summary_of(xor()).n_cases
    4
    """

    schema: Schema
    n_cases: float
    class_counts: Callable[[], Counts]
    gaps: Callable[[], frozenset[int]] = frozenset


def summary_of(dataset: Dataset) -> TableSummary:
    """The summary of a dataset.

    >>> summary = summary_of(Dataset.from_rows([["a", 1.0], ["b", None]], [0, 1]))
    >>> summary.n_cases, summary.class_counts(), summary.gaps()
    (2, (1, 1), frozenset({1}))
    """
    n_cases = len(dataset) if dataset.weights is None else sum(dataset.class_counts())
    return TableSummary(dataset.schema, n_cases, dataset.class_counts, partial(_gaps, dataset))


def _gaps(dataset: Dataset) -> frozenset[int]:
    return frozenset(number for number, column in enumerate(dataset.columns) if missing_cells(column).any())
