"""A table whose rows are not in memory, for `grow` and for passes: a summary, and parts that are counted."""

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve, field, frozen

from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.scan.engine import Scanned, start_engine
from ftree.scan.node_counts import count_nodes
from ftree.scan.parts import Answer, Part, PartFold, SourceSummary
from ftree.scan.rows_of_nodes import most_rows_within, rows_at
from ftree.splitters import as_value
from ftree.tree.nodes import Counts, Path, Tree


@frozen(eq=False)
class Source:
    """A table in parts: `grow(source, policy)` grows the tree of the whole table, `==`, whatever the parts and bins.

    A level is counted in cells, at most `most_cells` for a number; fewer take less memory, and more looks at the rows.

    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> source
    Source(summary=<SourceSummary of 3 rows and 1 features for 'class'>)
    """

    summary: SourceSummary
    parts: PartFold = field(repr=False)
    most_cells: int = field(default=1024, repr=False)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers of a function for all parts, merged."""
        return self.parts.fold(function, merge)

    def prepared(self, policy: Policy) -> "Source":
        """The source as a policy for missing values prepares it: `as_value` makes missing a value of nominal features."""
        return evolve(self, summary=self.summary.missing_as_value()) if isinstance(policy.missing, as_value) else self

    def table_summary(self) -> TableSummary:
        """What growth needs to know besides counts."""
        return self.summary.for_growth()

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows) -> Scanned:
        """The engine at the root. Raises a ValueError for a part of the policy that a source cannot serve."""
        return start_engine(self, policy, terms, missing, most_cells=self.most_cells)

    def count_nodes(self, tree: Tree) -> list[Counts]:
        """Class counts of each node of a tree, as for a pruning set."""
        return count_nodes(tree, self)

    def most_rows(self, memory: int) -> int:
        """The number of rows whose growth takes no more than so many bytes."""
        return most_rows_within(memory, self.summary)

    def rows_at(self, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
        """The rows of the leaves with these paths, at most so many at a time."""
        return rows_at(self, tree, paths, most_rows)
