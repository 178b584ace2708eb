"""A source that reads its table anew for each count: nothing is kept but what the survey has found."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from ftree._lib.messages import type_of
from ftree.data.kinds import KindChoice
from ftree.data.missing_values import MISSING_WORDS
from ftree.scan.batches import Batches, batches_of
from ftree.scan.parts import Answer, Part
from ftree.scan.reading import RawPart, RawTable, Reading, look_over
from ftree.scan.source import Source


@frozen(eq=False)
class RawParts:
    """Raw parts of a table, and how they are encoded."""

    table: RawTable
    reading: Reading

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The answers for all parts, merged.

        Raises a ValueError where there are not as many rows as in the survey.
        """
        answer: Answer
        answer, n_rows = self.table.fold(_Counted(self.reading, function), _merging(merge))
        found = self.reading.summary.n_rows
        if n_rows != found:
            message = f"source must have the same rows each time, got {n_rows:,} after {found:,} in the survey."
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
) -> Source:
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
    reading = look_over(parts, target, **options)  # type: ignore[arg-type]  # each has its own type
    return Source(reading.summary, RawParts(parts, reading))


def parts_in_order(source: Source) -> Iterator[Part]:
    """The parts of a surveyed table one after another.

    Raises a TypeError for a source of another table than one that is read in batches.
    """
    parts = source.parts
    if not isinstance(parts, RawParts) or not isinstance(parts.table, Batches):
        message = f"source must be a table that is read in batches, got {type_of(getattr(parts, 'table', parts))}."
        raise TypeError(message)
    return map(parts.reading, parts.table.read())


@frozen(eq=False)
class _Counted:
    """The answer for a raw part, and its number of rows."""

    reading: Reading
    function: Callable[[Part], Any]

    def __call__(self, raw: RawPart) -> tuple[Any, int]:
        part = self.reading(raw)
        return self.function(part), len(part)


@frozen(eq=False)
class _merging:
    """Merges answers, and adds numbers of rows."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
        return self.merge(one[0], other[0]), one[1] + other[1]
