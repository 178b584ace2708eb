"""A table whose rows are not in memory, for `grow` and for passes: a summary, parts that are counted, progress."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np
from attrs import evolve, field, frozen
from attrs.converters import optional
from toolz import compose

from ftree._lib.fields import is_finite, require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset, require_dataset, rows_with_weight, without_weightless
from ftree.growth.given_table import Ends, bins_of
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.routing.counting import at_values
from ftree.scan.answers import count_nodes, observed_values
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.counting_engine import Scanned, start_engine
from ftree.scan.folding import Answer, fold_in_threads
from ftree.scan.number_bins import source_in_bins
from ftree.scan.parts import Part, SourceSummary, dataset_of
from ftree.scan.reading import encoded_cells
from ftree.scan.table_parts import TableParts
from ftree.scan.within_memory import Grow, grown_within, rows_at
from ftree.splitters import as_value
from ftree.tree.nodes import Path as NodePath
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, require_classes

# The bytes that growth in memory takes for a cell, including the waiting rows of other nodes.
_BYTES_PER_CELL = 40


# The power of 1000, or of 1024 with an i, of each unit.
_THOUSANDS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}


def bytes_of(memory: float | str) -> int:
    """A number of bytes, such as 500 * 10**6 or "500MB"; kB (or KB), MB, GB and TB are powers of 1000, KiB to TiB of 1024.

    Raises a ValueError for anything else.

    >>> bytes_of("1.5GB"), bytes_of("500KB"), bytes_of("2MiB")
    (1500000000, 500000, 2097152)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(?:([kKMGT])(i?))?B", memory) if isinstance(memory, str) else None
    number: Any = memory if found is None else float(found[1]) * (1024.0 if found[3] else 1000.0) ** _THOUSANDS[found[2] or ""]
    if not (is_finite(number) and 1 <= number < 2**63):
        wanted = 'a number of bytes, or a text such as "500MB", with B, kB, MB, GB, TB, or KiB to TiB'
        raise ValueError(f"memory must be {wanted}, got {short_repr(memory)}.")
    return int(number)


@frozen(eq=False)
class Source:
    """A table in parts: `grow(source, policy)` grows the tree of the whole table, `==`, whatever the parts and bins.

    A level is counted in cells, at most `most_cells` for a number; fewer cells take less memory, and more scans of the rows. None
    means 512, or more if there are few nodes and many rows.

    Nodes grow in memory once their rows fit in `memory` bytes, such as 2 * 10**9 or "2GB": `evolve(source, memory="2GB")`; with
    None, all grow from counts.

    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> source
    Source(summary=<SourceSummary of 3 rows and 1 features for 'class'>)
    """

    summary: SourceSummary
    parts: TableParts = field(repr=False)
    most_cells: int | None = field(default=None, repr=False)
    memory: int | None = field(default=None, repr=False, converter=optional(bytes_of))

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function for all parts, merged."""
        return self.parts.fold(function, merge)

    def fold_datasets(self, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function of datasets for all parts, merged."""
        answer: Answer = self.fold(compose(function, partial(dataset_of, summary=self.summary)), merge)
        return answer

    def prepared(self, policy: Policy) -> tuple["Source", Ends | None]:
        """The source as a policy prepares it, and the ends of its bins.

        Numbers are binned if the policy requests it, and `as_value` makes missing a value of nominal features.
        """
        if self.memory is not None and self.summary.response is not None:
            raise ValueError(f"memory must be None for a target of numbers, got {self.memory}.")
        most, table, ends = bins_of(policy), self, None
        if most is not None:
            summary, parts, ends = source_in_bins(self.summary, self.parts, most)
            table = evolve(self, summary=summary, parts=parts)
        if is_exactly(policy.missing, as_value):
            table = evolve(table, summary=table.summary.missing_as_value())
        return table, ends

    def at_observed(self, tree: Tree) -> Tree:
        """The tree with each numeric threshold moved down to the largest value of the table not above it; one scan."""
        return at_values(tree, observed_values(tree, self))

    def watched(self, line: Progress) -> "Source":
        """The source that reports the rows and bytes that it reads to a progress line, if it reads them itself."""
        return evolve(self, parts=self.parts.watched(line))

    @property
    def schema(self) -> Schema:
        """The features and the classes, or the response of numbers."""
        return self.summary.schema_of_trees

    @property
    def n_cases(self) -> float:
        """Number of cases: rows by weight."""
        return sum(self.summary.class_counts)

    def class_counts(self) -> Counts:
        """Cases of each class."""
        return self.summary.class_counts

    def gaps(self) -> frozenset[int]:
        """The numbers of the features with missing values."""
        return self.summary.gaps

    def start_engine(self, policy: Policy, settings: SearchSettings) -> Scanned:
        """The engine at the root. Raises a ValueError for a part of the policy that a source does not support."""
        return start_engine(self, policy, settings, most_cells=self.most_cells)

    def count_nodes(self, tree: Tree) -> list[Counts]:
        """Class counts of each node of a tree, as for a pruning set."""
        return count_nodes(tree, self)

    def most_rows(self) -> int:
        """The number of rows whose growth takes at most `memory` bytes."""
        return (self.memory or 0) // (_BYTES_PER_CELL * (len(self.summary.bins) + 1))

    def grown_within_memory(self, policy: Policy, start: Any, grown: Grow) -> Tree:
        """The tree grown from counts while nodes are large, and from rows once these fit in `memory` bytes."""
        return grown_within(self, policy, start, grown)

    def rows_at(self, tree: Tree, paths: Sequence[NodePath], most_rows: int) -> Iterator[tuple[NodePath, Dataset]]:
        """The rows of the leaves with these paths, at most `most_rows` at a time."""
        return rows_at(self, tree, paths, most_rows)


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
    dataset = without_weightless(dataset)
    if dataset.weights is not None and dataset.weights.dtype.kind == "f":
        raise ValueError("weights of a source must be whole numbers, got fractions.")
    if not len(dataset):
        raise ValueError("dataset must have a row with a weight above 0, got none.")
    pairs = zip(dataset.schema.features, dataset.columns, strict=True)
    binned = tuple(
        bins_of_sample(column.astype(np.float64), bins, whole=True) if feature.kind == "numeric" else None
        for feature, column in pairs
    )
    return (in_parts if dataset.schema.has_classes else _of_numbers)(dataset, binned, rows_per_part)


def _of_numbers(dataset: Dataset, binned: Sequence[Bins | None], rows_per_part: int) -> Source:
    """`in_parts` for a target of numbers: each distinct number is a class of the source."""
    require_classes(dataset.schema, "A source", what="a table", remedy="Use grow(dataset, CART).", or_numbers=True)
    distinct, place = np.unique(dataset.target_column, return_inverse=True)
    schema = Schema(dataset.schema.features, dataset.schema.target, tuple(distinct.tolist()))
    source = in_parts(Dataset(schema, dataset.columns, place, dataset.weights), binned, rows_per_part)
    return evolve(source, summary=evolve(source.summary, response=cast("Any", dataset.schema.response)))


def in_parts(dataset: Dataset, bins: Sequence[Bins | None], rows_per_part: int) -> Source:
    """The rows of a dataset that have a weight above 0 as a source with given bins."""
    dataset = rows_with_weight(dataset)
    counts, n_rows = dataset.class_counts(), len(dataset)
    summary = SourceSummary(schema=dataset.schema, class_counts=counts, gaps=dataset.gaps(), bins=tuple(bins), n_rows=n_rows)
    edges = range(0, len(dataset), rows_per_part)
    parts = PartsInMemory(tuple(_part(dataset, summary, slice(begin, begin + rows_per_part)) for begin in edges))
    return Source(summary, TableParts(parts, len(dataset)))


def _part(dataset: Dataset, summary: SourceSummary, rows: slice) -> Part:
    labels = dataset.target_column[rows].astype(summary.label_type)
    codes, numbers = encoded_cells((column[rows] for column in dataset.columns), len(labels), summary)
    return Part(codes, numbers, labels, None if dataset.weights is None else dataset.weights[rows])
