"""A source that reads its table again for each count: it keeps only the findings of the survey."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, frozen

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import type_of
from ftree.data.coding import classes_of
from ftree.data.kinds import KindChoice
from ftree.data.missing_values import MISSING_WORDS, missing_among
from ftree.data.table import kind_of_each, target_name
from ftree.scan.batches import Batches, batches_of
from ftree.scan.bins import Bins
from ftree.scan.column_look import decided, sample_size
from ftree.scan.parts import Answer, Part
from ftree.scan.reading import EncodesRows, RawPart, RawTable, Reading, check_total, rows_with_weight
from ftree.scan.source import Source
from ftree.scan.table_look import LookAt, TableLook, used_columns
from ftree.tree.schema import Schema


@frozen(eq=False)
class RawParts:
    """Raw parts of a table, and their encoding; other machines keep the rows in code from the first scan on."""

    table: RawTable
    reading: Reading
    n_rows: int

    @property
    def in_this_process(self) -> bool:
        """Whether the parts are read here, and not on other machines."""
        return isinstance(self.table, Batches)

    @cached_property
    def kept(self) -> "KeptParts | None":
        """The parts in code, if other machines can keep them."""
        return self._kept(self.reading)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged.

        Raises a ValueError if the number of rows is not that of the survey.
        """
        if self.kept is not None:
            return self.kept.fold(function, merge)
        return _fold(self.table, self.reading, self.n_rows, function, merge)

    def encoded(self, encode: Callable[[Part], Part]) -> "KeptParts | None":
        """The parts in another code, if other machines can keep them; else None."""
        return self._kept(_Encoding(self.reading, encode))

    def _kept(self, encode: Callable[[RawPart], Part]) -> "KeptParts | None":
        kept = self.table.encoded(encode, self.n_rows) if isinstance(self.table, EncodesRows) else None
        return None if kept is None else KeptParts(kept, self.n_rows)


@frozen(eq=False)
class KeptParts:
    """Encoded parts that other machines keep."""

    parts: Any
    n_rows: int

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged. Raises a ValueError if the number of rows is not that of the survey."""
        return _fold(self.parts, rows_with_weight, self.n_rows, function, merge)

    def encoded(self, encode: Callable[[Part], Part]) -> "KeptParts":
        """The parts in another code."""
        return KeptParts(self.parts.encoded(encode), self.n_rows)


def _fold(parts: Any, reading: Callable[[Any], Part], n_rows: int, function: Callable[[Part], Answer], merge: Any) -> Answer:
    """The results for all parts, merged. Raises a ValueError unless they have so many rows."""
    answer: Answer
    answer, found = parts.fold(_Counted(reading, function), _merging(merge))
    if found != n_rows:
        message = f"source must have the same rows each time, got {found:,} after {n_rows:,} in the survey."
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
    """A source to grow from, after one scan of all rows of a table that need not fit in memory; options as in `from_frame`.

    A table is a path or a glob of Parquet files, a relation of DuckDB, anything that gives Arrow streams repeatedly, or
    another table in parts, such as `ftree.scan.dask_table`. Any number of `bins` gives the same tree.

    Raises the errors of `Dataset.from_frame`, and a ValueError for weights that are not whole numbers.

    >>> import pyarrow as pa
    >>> from ftree import grow
    >>> grow(survey(pa.table({"size": [1.5, 2.5, 3.5], "class": ["a", "a", "b"]})))
    <Tree for 'class': 3 nodes, 2 leaves>
    """
    require_whole_number("bins", bins, 2, most=60_000)
    raw: RawTable = table if hasattr(table, "fold") and hasattr(table, "names") else batches_of(table)
    name, is_missing = target_name(target, raw.names), missing_among(missing)
    used = used_columns(raw.names, name, features, weights)
    kind_of = kind_of_each(kinds, used, name)
    look = raw.fold(LookAt(name, used, kind_of, is_missing, weights, sample_size(bins)), TableLook.merged)
    check_total(look.labels.total())
    found = [decided(each, column, kind_of[each], is_missing, bins) for each, column in zip(used, look.columns, strict=True)]
    schema = Schema([feature for feature, _ in found], name, classes_of(name, list(look.labels), is_missing, classes))
    # A sample of rows shows nothing of the ranks of cases.
    bins_of = [own if weights is None or own is None else evolve(own, error=1.0) for _, own in found]
    summary = look.summary(schema, bins_of)
    # Other machines need the bins, and not the sample's shares.
    sent = evolve(summary, bins=tuple(None if own is None else Bins(own.edges, own.single) for own in bins_of))
    return Source(summary, RawParts(raw, Reading(name, weights, is_missing, sent), look.n_rows))


def parts_in_order(source: Source) -> Iterator[Part]:
    """The parts of a surveyed table one after another.

    Raises a TypeError for a source of a table that is not read in batches.
    """
    parts = getattr(source, "parts", source)
    if not isinstance(source, Source) or not isinstance(parts, RawParts) or not isinstance(parts.table, Batches):
        message = f"source must be a table that is read in batches, got {type_of(getattr(parts, 'table', parts))}."
        raise TypeError(message)
    return map(parts.reading, parts.table.ahead())


@frozen(eq=False)
class _Counted:
    """The result for a raw part, and its number of rows."""

    reading: Callable[[Any], Part]
    function: Callable[[Part], Any]

    def __call__(self, raw: RawPart) -> tuple[Any, int]:
        part = rows_with_weight(self.reading(raw))
        return self.function(part), len(part)


@frozen(eq=False)
class _Encoding:
    """A raw part in code, and then in another code."""

    reading: Callable[[Any], Part]
    encode: Callable[[Part], Part]

    def __call__(self, raw: Any) -> Part:
        return self.encode(self.reading(raw))


@frozen(eq=False)
class _merging:
    """Merges results, and adds numbers of rows."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
        return self.merge(one[0], other[0]), one[1] + other[1]
