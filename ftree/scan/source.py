"""A table whose rows are not in memory, for `grow` and for passes: a summary, and parts that are counted."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from ftree._lib.fields import path_of
from ftree._lib.progress import Progress
from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.number_bins import Ends, bins_of
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.routing.moved_thresholds import at_values
from ftree.scan.checkpoint_file import CheckpointFile
from ftree.scan.engine import Scanned, start_engine
from ftree.scan.node_counts import count_nodes
from ftree.scan.number_bins import in_bins
from ftree.scan.observed_values import observed_values
from ftree.scan.part_dataset import fold_datasets
from ftree.scan.parts import Answer, Part, PartFold, SourceSummary
from ftree.scan.rows_of_nodes import most_rows_within, rows_at
from ftree.scan.watched import watched_parts
from ftree.splitters import as_value
from ftree.tree.nodes import Counts, Tree
from ftree.tree.nodes import Path as NodePath


@frozen(eq=False)
class Source:
    """A table in parts: `grow(source, policy)` grows the tree of the whole table, `==`, whatever the parts and bins.

    A level is counted in cells, at most `most_cells` for a number; fewer cells take less memory, and more scans of the rows. None
    means 512, or more if there are few nodes and many rows.

    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> source
    Source(summary=<SourceSummary of 3 rows and 1 features for 'class'>)
    """

    summary: SourceSummary
    parts: PartFold = field(repr=False)
    most_cells: int | None = field(default=None, repr=False)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function for all parts, merged."""
        return self.parts.fold(function, merge)

    def fold_datasets(self, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function of datasets for all parts, merged."""
        return fold_datasets(self, function, merge)

    def prepared(self, policy: Policy) -> tuple["Source", Ends | None]:
        """The source as a policy prepares it, and the ends of its bins.

        Numbers are binned if the policy requests it, and `as_value` makes missing a value of nominal features.
        """
        most, table, ends = bins_of(policy), self, None
        if most is not None:
            summary, parts, ends = in_bins(self.summary, self.parts, most)
            table = evolve(self, summary=summary, parts=parts)
        if isinstance(policy.missing, as_value):
            table = evolve(table, summary=table.summary.missing_as_value())
        return table, ends

    def at_observed(self, tree: Tree) -> Tree:
        """The tree with each numeric threshold moved down to the largest value of the table not above it; one scan."""
        return at_values(tree, observed_values(tree, self))

    def watched(self, line: Progress) -> "Source":
        """The source that reports the rows and bytes that it reads to a progress line, if it reads them itself."""
        return evolve(self, parts=watched_parts(self.parts, self.summary.n_rows, line))

    def checkpoint(self, path: str | Path) -> CheckpointFile:
        """The file that keeps finished levels of growth, so that it can go on after an interruption."""
        return CheckpointFile(path_of(path, "resume"), self.summary)

    def table_summary(self) -> TableSummary:
        """The properties of the table that growth needs in addition to counts."""
        return self.summary.for_growth()

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows) -> Scanned:
        """The engine at the root. Raises a ValueError for a part of the policy that a source does not support."""
        return start_engine(self, policy, terms, missing, most_cells=self.most_cells)

    def count_nodes(self, tree: Tree) -> list[Counts]:
        """Class counts of each node of a tree, as for a pruning set."""
        return count_nodes(tree, self)

    def most_rows(self, memory: int) -> int:
        """The number of rows whose growth takes at most this many bytes."""
        return most_rows_within(memory, self.summary)

    def rows_at(self, tree: Tree, paths: Sequence[NodePath], most_rows: int) -> Iterator[tuple[NodePath, Dataset]]:
        """The rows of the leaves with these paths, at most `most_rows` at a time."""
        return rows_at(self, tree, paths, most_rows)
