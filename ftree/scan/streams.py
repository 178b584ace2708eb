"""A source that reads its table anew for each count: nothing is kept but what the survey has found."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from ftree.data.dataset import Dataset
from ftree.data.kinds import KindChoice
from ftree.data.missing_values import MISSING_WORDS
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.search import Terms
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.scan.batches import batches_of
from ftree.scan.engine import Scanned, start_engine
from ftree.scan.node_counts import count_nodes
from ftree.scan.reading import RawPart, RawTable, Reading, look_over, rows_with_weight
from ftree.scan.rows_of_nodes import most_rows_within, rows_at
from ftree.scan.source import Answer, Part, SourceSummary
from ftree.tree.nodes import Counts, Path, Tree


@frozen(eq=False)
class Surveyed:
    """A table in raw parts, and how they are encoded."""

    table: RawTable = field(repr=False)
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

    def count_nodes(self, tree: Tree) -> list[Counts]:
        """Class counts of each node of a tree, as for a pruning set."""
        return count_nodes(tree, self)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers for all parts, merged.

        Raises a ValueError where there are not as many rows as in the survey.
        """
        answer: Answer
        answer, n_rows = self.table.fold(_Counted(self.reading, function), _merging(merge))
        if n_rows != self.summary.n_rows:
            message = f"source must have the same rows each time, got {n_rows:,} after {self.summary.n_rows:,} in the survey."
            raise ValueError(message)
        return answer


def survey(
    table: Any,
    target: str | int = -1,
    *,
    features: Sequence[str] | None = None,
    kinds: "str | Mapping[str, KindChoice] | None" = None,
    classes: Sequence[Hashable] | None = None,
    missing: Collection[Hashable] = MISSING_WORDS,
    weights: str | None = None,
    bins: int = 4096,
) -> Surveyed:
    """A table that need not fit into memory as a source to grow from, after one look at all rows; options as in `from_frame`.

    A table is a path or a glob of Parquet files, a relation of DuckDB, anything that gives Arrow streams again and again, or
    another table in parts, such as `ftree.scan.dask_table`. Any number of `bins` gives the same tree.

    Raises what `Dataset.from_frame` raises, and a ValueError for weights that are not whole numbers.

    >>> import pyarrow as pa
    >>> from ftree import grow
    >>> grow(survey(pa.table({"size": [1.5, 2.5, 3.5], "class": ["a", "a", "b"]})))
    <Tree for 'class': 3 nodes, 2 leaves>
    """
    parts = table if hasattr(table, "fold") and hasattr(table, "names") else batches_of(table)
    options = {"features": features, "kinds": kinds, "classes": classes, "missing": missing, "weights": weights, "bins": bins}
    return Surveyed(parts, look_over(parts, target, **options))  # type: ignore[arg-type]  # each has its own type


@frozen(eq=False)
class _Counted:
    """The answer for a raw part, and its number of rows."""

    reading: Reading
    function: Callable[[Part], Any]

    def __call__(self, raw: RawPart) -> tuple[Any, int]:
        part = rows_with_weight(self.reading(raw))
        return self.function(part), len(part)


@frozen(eq=False)
class _merging:
    """Merges answers, and adds numbers of rows."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
        return self.merge(one[0], other[0]), one[1] + other[1]
