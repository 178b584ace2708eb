"""A table whose rows are not in memory: it says what is known of it, and starts an engine of its own."""

from typing import Protocol, runtime_checkable

from ftree.growth.engines.protocol import Engine, MissingRows
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy


@runtime_checkable
class CountedTable(Protocol):
    """What `grow` takes in place of a dataset; `ftree.scan` has such tables."""

    def prepared(self, policy: Policy, /) -> "CountedTable":
        """The table as the policy for missing values prepares it."""
        ...

    def table_summary(self) -> TableSummary:
        """The schema, the class counts, and which features miss values."""
        ...

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows, /) -> Engine:
        """The engine at the root; it raises an error for a part of the policy that it cannot serve."""
        ...
