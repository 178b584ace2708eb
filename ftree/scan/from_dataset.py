"""A dataset in memory as a source in parts, for tests and for tables that are there already."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import require_whole_number
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary, summary_of
from ftree.policy import Policy
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.engine import Scanned, start_engine
from ftree.scan.folds import fold_in_threads
from ftree.scan.node_counts import count_nodes
from ftree.scan.reading import codes_of
from ftree.scan.rows_of_nodes import most_rows_within, rows_at
from ftree.scan.source import Answer, Part, SourceSummary
from ftree.tree.nodes import Counts, Path, Tree


@frozen(eq=False)
class Parts:
    """A source of parts in memory."""

    summary: SourceSummary
    parts: tuple[Part, ...] = field(repr=False)
    most_cells: int = 1024
    n_jobs: int | None = None

    def table_summary(self) -> TableSummary:
        """What growth needs to know besides counts."""
        return self.summary.for_growth()

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows) -> Scanned:
        """The engine at the root."""
        return start_engine(self, policy, terms, missing, most_cells=self.most_cells)

    def most_rows(self, memory: int) -> int:
        """The number of rows whose growth takes no more than so many bytes."""
        return most_rows_within(memory, self.summary)

    def rows_at(self, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
        """The rows of leaves."""
        return rows_at(self, tree, paths, most_rows)

    def count_nodes(self, tree: Tree) -> list[Counts]:
        """Class counts of each node of a tree, as for a pruning set."""
        return count_nodes(tree, self)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers for all parts, merged."""
        return fold_in_threads(len(self.parts), lambda number: function(self.parts[number]), merge, self.n_jobs)


def source_of(dataset: Dataset, *, bins: int = 4096, rows_per_part: int = 1_000_000) -> Parts:
    """A dataset as a source; a tree grown of it is the tree of the dataset.

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
            message = "weights of a source must be whole numbers, got others."
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


def in_parts(dataset: Dataset, bins: Sequence[Bins | None], rows_per_part: int) -> Parts:
    """A dataset as a source with given bins."""
    known = summary_of(dataset)
    summary = SourceSummary(dataset.schema, known.class_counts(), known.gaps(), tuple(bins), len(dataset))
    edges = range(0, max(len(dataset), 1), rows_per_part)
    return Parts(summary, tuple(_part(dataset, summary, slice(begin, begin + rows_per_part)) for begin in edges))


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
