"""What was inferred from a table: each column's kind with the reason, its values, and the values that meant missing."""

from collections.abc import Hashable, Sequence

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import aligned, joined, short_repr
from ftree.data.kinds import Origin
from ftree.data.values import TEMPORAL

_HEADER = ("column", "kind", "distinct", "missing", "examples", "reason")
_N_EXAMPLES = 3
_WIDTH = 40


@frozen
class ColumnSummary:
    """One column: name, kind ("target" for the labels), numbers of distinct and of missing values, and up to three examples.

    `reason` says why it has its kind, `missing_values` which values meant missing when the table was read, None for null.

    >>> from ftree.datasets import weather
    >>> weather().summary().columns[0].distinct
    3
    """

    name: str
    kind: str
    distinct: int
    missing: int
    examples: tuple[Hashable, ...] = field(converter=as_tuple)
    reason: str
    missing_values: tuple[Hashable, ...] = field(default=(), converter=as_tuple)


@frozen(repr=False)
class Summary:
    """A table's columns, and its number of rows; prints as a table.

    >>> from ftree.datasets import xor
    >>> print(xor().summary())
    4 rows
    column  kind     distinct  missing  examples     reason
    bit0    nominal  2         0        0, 1         given
    bit1    nominal  2         0        0, 1         given
    odd     target   2         0        False, True  the labels
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...] = field(converter=as_tuple)

    def __repr__(self) -> str:
        """A line for each column."""
        return f"{self.n_rows} rows\n{aligned([_HEADER, *map(_cells, self.columns)])}"


def column_summary(origin: Origin, kind: str, values: Sequence[Hashable]) -> ColumnSummary:
    """The summary of a column of raw values, None where missing.

    >>> column_summary(Origin("sky"), "nominal", ["grey", None, "blue", "grey"]).examples
    ('grey', 'blue')
    """
    known = dict.fromkeys(value for value in values if value is not None)
    missing = sum(value is None for value in values)
    return ColumnSummary(origin.name, kind, len(known), missing, list(known)[:_N_EXAMPLES], origin.reason, origin.missing)


def _cells(column: ColumnSummary) -> tuple[str, ...]:
    examples = joined(map(_short, column.examples))
    if column.distinct > len(column.examples):
        examples += ", ..."
    taken = ["null" if value is None else _short(value) for value in column.missing_values]
    missing = f"{column.missing} ({joined(taken, at_most=5)})" if taken else str(column.missing)
    return column.name, column.kind, str(column.distinct), missing, examples, column.reason


def _short(value: Hashable) -> str:
    text = str(value) if isinstance(value, TEMPORAL) else short_repr(value)
    return text if len(text) <= _WIDTH // 2 else f"{text[: _WIDTH // 2 - 3]}..."
