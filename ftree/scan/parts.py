"""Parts of a table that need not be in memory, and the findings about the whole.

Growth needs only sums over rows, such as class counts. So parts need one method: `fold` calls a function for
each part, and merges the results. It keeps no state, and parts may be on other machines.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.messages import type_of
from ftree.data.recoding import with_none
from ftree.growth.table_summary import TableSummary
from ftree.scan.bins import Bins
from ftree.tree.nodes import Counts
from ftree.tree.schema import Schema

Answer = TypeVar("Answer")


@frozen(eq=False, repr=False)
class Part:
    """Some rows of a table, encoded: codes (F, n), the numbers of numeric features (F', n), class codes (n,), weights (n,).

    A code is the value's number in the schema, or a number's bin; the missing value has the code after the last one.
    `numbers` has a row for each numeric feature, in order. Weights are whole numbers; None means that all are 1.

    >>> import numpy as np
    >>> len(Part(np.array([[0, 1]]), np.zeros((0, 2)), np.array([0, 1])))
    2
    """

    codes: Array = field(converter=read_only)
    numbers: Floats = field(converter=read_only)
    labels: Array = field(converter=read_only)
    weights: Array | None = field(default=None, converter=read_only)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def __repr__(self) -> str:
        """Its size."""
        return f"<Part of {len(self):,} rows and {len(self.codes)} features>"


def joined_parts(parts: Sequence[Part]) -> Part:
    """The rows of several parts, of which either all have weights or none.

    >>> import numpy as np
    >>> joined_parts([Part(np.array([[0, 1]]), np.zeros((0, 2)), np.array([0, 1]))] * 2)
    <Part of 4 rows and 1 features>
    """
    names = ("codes", "numbers", "labels") if parts[0].weights is None else ("codes", "numbers", "labels", "weights")
    return Part(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))


@frozen(eq=False, repr=False)
class SourceSummary:
    """The findings of one scan of all rows: the schema, class counts, features with missing values, and bins of numeric ones.

    `bins` has None for features with listed values. `n_rows` is the number of rows with a weight above 0.

    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> source.summary, source.summary.class_counts
    (<SourceSummary of 3 rows and 1 features for 'class'>, (1, 2))
    """

    schema: Schema
    class_counts: Counts
    gaps: frozenset[int]
    bins: tuple[Bins | None, ...]
    n_rows: int

    def __repr__(self) -> str:
        """Its size."""
        schema = self.schema
        return f"<SourceSummary of {self.n_rows:,} rows and {len(schema.features)} features for {schema.target!r}>"

    def missing_as_value(self) -> "SourceSummary":
        """The summary with None as a value of each nominal feature with missing values; the code of missing becomes its code."""
        pairs = enumerate(self.schema.features)
        features = [with_none(feature) if number in self.gaps else feature for number, feature in pairs]
        left = frozenset(number for number in self.gaps if features[number].kind != "nominal")
        return evolve(self, schema=evolve(self.schema, features=features), gaps=left)

    def for_growth(self) -> TableSummary:
        """The properties of the table that growth needs in addition to counts."""
        return TableSummary(self.schema, sum(self.class_counts), lambda: self.class_counts, lambda: self.gaps)

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The smallest type of codes for all features."""
        return np.uint16 if self.n_codes.max(initial=0) < 2**16 else np.uint32

    @property
    def label_type(self) -> type[np.integer[Any]]:
        """The type of class codes."""
        return np.uint8 if len(self.schema.classes) <= 2**8 else np.int32

    @property
    def n_codes(self) -> Array:
        """Number of codes of each feature, (F,), which is the code of its missing value."""
        pairs = zip(self.schema.features, self.bins, strict=True)
        return np.array([len(feature.values) if bins is None else bins.n for feature, bins in pairs], dtype=np.int64)

    @property
    def numeric(self) -> Array:
        """The row of each feature in `Part.numbers`, (F,), -1 for features with listed values."""
        mask = np.array([bins is not None for bins in self.bins], dtype=bool)
        return np.where(mask, np.cumsum(mask) - 1, -1)


class PartFold(Protocol):
    """Parts of a table, wherever they are; `in_this_process = True` declares that `fold` reads them in this process."""

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; the function can be pickled, and the order is arbitrary."""
        ...


@runtime_checkable
class RecodedParts(PartFold, Protocol):
    """Parts whose machines can keep them in another code."""

    def encoded(self, encode: Callable[[Part], Part], /) -> PartFold | None:
        """The parts in another code, which other machines keep; None if they cannot."""
        ...


@runtime_checkable
class CountedParts(PartFold, Protocol):
    """Parts of a table, and the findings about the table as a whole."""

    @property
    def summary(self) -> SourceSummary:
        """The findings of one scan of all rows."""
        ...


def check_same_counts(parts: Array, whole: Array) -> None:
    """Raise a ValueError if counts of parts do not add up to those of an earlier scan.

    >>> check_same_counts(np.array([3, 1]), np.array([3, 2]))
    Traceback (most recent call last):
    ValueError: source must have the same rows each time, got other counts than in an earlier scan. Write it to a file first.
    """
    if not np.array_equal(parts, whole):
        remedy = "Write it to a file first."
        message = f"source must have the same rows each time, got other counts than in an earlier scan. {remedy}"
        raise ValueError(message)


def require_source(source: Any) -> None:
    """Raise a TypeError for anything that is not a source.

    >>> require_source(3)
    Traceback (most recent call last):
    TypeError: source must be a Source, got an int. Make one with survey, or with source_of for a Dataset.
    """
    if not isinstance(source, CountedParts):
        message = f"source must be a Source, got {type_of(source)}. Make one with survey, or with source_of for a Dataset."
        raise TypeError(message)
