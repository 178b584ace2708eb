"""A source that reads its table anew for each count: nothing is kept but what the survey has found."""

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.scan.engine import Scanned, start_engine
from ftree.scan.folds import fold_answers
from ftree.scan.reading import Reading
from ftree.scan.rows_of_nodes import most_rows_within, rows_at
from ftree.scan.source import Answer, Part, SourceSummary
from ftree.tree.nodes import Path, Tree


@frozen(eq=False)
class Streamed:
    """A table that is read in batches."""

    reading: Reading

    @property
    def summary(self) -> SourceSummary:
        """What the survey has found."""
        return self.reading.summary

    def table_summary(self) -> TableSummary:
        """What growth needs to know besides counts."""
        return self.summary.for_growth()

    def start_engine(self, policy: Policy, terms: Terms, missing: MissingRows) -> Scanned:
        """The engine at the root."""
        return start_engine(self, policy, terms, missing)

    def most_rows(self, memory: int) -> int:
        """The number of rows whose growth takes no more than so many bytes."""
        return most_rows_within(memory, self.summary)

    def rows_at(self, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
        """The rows of leaves."""
        return rows_at(self, tree, paths, most_rows)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers for all batches, merged.

        Raises a ValueError where the rows are not those of the survey.
        """
        return fold_answers(map(function, self._parts()), merge)

    def _parts(self) -> Iterator[Part]:
        n_rows = 0
        for batch in self.reading.batches.read():
            part = self.reading.part(batch)
            n_rows += len(part)
            yield part
        if n_rows != self.summary.n_rows:
            message = f"source must have the same rows each time, got {n_rows:,} after {self.summary.n_rows:,} in the survey."
            raise ValueError(message)
