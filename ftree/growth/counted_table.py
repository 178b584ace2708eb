"""A table whose rows are not in memory: it has a summary, and starts its own engine."""

from typing import Protocol, TypeVar, runtime_checkable

from ftree._lib.fields import name_of
from ftree._lib.progress import Progress
from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import Engine, MissingRows
from ftree.growth.number_bins import Ends
from ftree.growth.prepared_table import prepared_table, require_policy
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary, summary_of
from ftree.policy import Policy
from ftree.splitters.missing_hooks import hook
from ftree.tree.nodes import Tree

Table = TypeVar("Table")


@runtime_checkable
class CountedTable(Protocol):
    """A table that `grow` accepts instead of a dataset; `ftree.scan` has such tables."""

    def prepared(self, policy: Policy, /) -> "tuple[CountedTable, Ends | None]":
        """The table as the policy bins its numbers and prepares missing values, and the ends of bins, None without bins."""
        ...

    def table_summary(self) -> TableSummary:
        """The schema, the class counts, and the features with missing values."""
        ...

    def at_observed(self, tree: Tree, /) -> Tree:
        """The tree with each numeric threshold moved down to the largest value of the table that is not above it."""
        ...

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows, /) -> Engine:
        """The engine at the root; it raises an error for a part of the policy that it does not support."""
        ...


@runtime_checkable
class ReportsLooks(Protocol):
    """A counted table that can report the progress of each scan of its rows."""

    def watched(self, line: Progress, /) -> CountedTable:
        """The table that reports to a progress line."""
        ...


def watched(table: Table, line: Progress) -> Table | CountedTable:
    """The table, which reports its progress to a line if it can, and the line is shown."""
    return table.watched(line) if line.stream is not None and isinstance(table, ReportsLooks) else table


def prepared(dataset: Dataset | CountedTable, policy: Policy) -> tuple[Dataset | CountedTable, Ends | None]:
    """A dataset as a policy prepares it, or a counted table, which prepares itself, and the ends of bins, None without bins.

    Raises the errors of `prepared_table`, and a ValueError for surrogates if numbers are binned and values are missing.
    """
    # A dataset first: checking whether an object has a protocol's methods takes 16 microseconds, a fiftieth of a small growth.
    table: Dataset | CountedTable
    if isinstance(dataset, Dataset) or not isinstance(dataset, CountedTable):
        table, ends = prepared_table(dataset, policy)
    else:
        require_policy(policy)
        table, ends = dataset.prepared(policy)
    if ends is not None and hook(policy.missing, "back") is not None and table_summary(table).gaps():
        message = (
            f"missing must be a policy without surrogates if numbers are binned, such as ignore(), got {name_of(policy.missing)}."
        )
        raise ValueError(message)
    return table, ends


def table_summary(table: Dataset | CountedTable) -> TableSummary:
    """The properties of a table that growth needs in addition to counts."""
    return summary_of(table) if isinstance(table, Dataset) else table.table_summary()
