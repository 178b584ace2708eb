"""What growth needs to know of a table besides its counts: the schema, the class counts, and which features miss values.

So the rows need not be in memory: whatever counts them can tell this much.
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
    """The schema of a table, its class counts (K,), and a function that returns the features that miss values.

    Few policies need these, and finding them takes a look at every cell.
    """

    schema: Schema
    class_counts: Counts
    gaps: Callable[[], frozenset[int]] = frozenset

    @property
    def n_cases(self) -> float:
        """Number of cases: rows by weight."""
        return sum(self.class_counts)


def summary_of(dataset: Dataset) -> TableSummary:
    """The summary of a dataset.

    >>> summary_of(Dataset.from_rows([["a", 1.0], ["b", None]], [0, 1])).gaps()
    frozenset({1})
    """
    return TableSummary(dataset.schema, dataset.class_counts(), partial(_gaps, dataset))


def _gaps(dataset: Dataset) -> frozenset[int]:
    return frozenset(number for number, column in enumerate(dataset.columns) if missing_cells(column).any())
