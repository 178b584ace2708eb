"""What one looks at a table with: columns in values, the first rows, rows that fit, groups, ranges, other libraries' tables.

`Dataset` has all of it as methods; each answers a new value, and changes nothing.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np
from attrs import evolve

from ftree._lib.messages import short_repr
from ftree._lib.text_table import html_table
from ftree.data.arrays import row_numbers
from ftree.data.bins import divided
from ftree.data.coding import decode
from ftree.data.one_hot import joined_columns
from ftree.data.origins import Origin
from ftree.data.outward import NamedColumn, in_values, named_columns, to_arrow, to_pandas, to_polars
from ftree.data.values import Column
from ftree.data.where import fits_all
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature, Schema, unknown_name

# What a notebook shows of a table: the first rows, and of a wide one the first columns and the target.
_SHOWN_ROWS = 5
_SHOWN_COLUMNS = 12


class TableView:
    """The methods of a `Dataset` that look at it."""

    __slots__ = ()

    schema: Schema
    columns: tuple[Column, ...]
    labels: Column
    weights: Column | None
    origins: tuple[Origin, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def __getitem__(self, name: str) -> Column:
        """The column of a feature or of the target, in values: floats for a numeric feature, else objects, None where missing.

        Raises a KeyError for a column that does not exist.
        """
        return in_values(*self._column(name))

    def take(self, rows: Any) -> Self:
        """The rows that a boolean mask selects, or the rows with the given numbers, in that order.

        Raises an IndexError for a mask of another length or a row that does not exist.
        """
        picked = row_numbers(rows, len(self))
        weights = None if self.weights is None else self.weights[picked]
        return self._with(columns=[column[picked] for column in self.columns], labels=self.labels[picked], weights=weights)

    def head(self, n: int = 5) -> Self:
        """The first n rows, or all of them where there are fewer.

        Raises a ValueError for anything but a whole number from 0.
        """
        if not isinstance(n, (int, np.integer)) or n < 0:
            message = f"n must be a whole number from 0, got {short_repr(n)}."
            raise ValueError(message)
        return self.take(np.arange(min(n, len(self))))

    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dict of values by name, the target last; None where missing."""
        names, columns = zip(*((feature.name, decode(feature, column)) for feature, column in self._all()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def where(self, conditions: Mapping[str, Any] | None = None, /, **by_name: Any) -> Self:
        """The rows that fit all conditions, such as `where(outlook="sunny")`: what a split sends to one child.

        A condition is a value, several values, or a function that tells of a value whether it fits; None stands for missing.
        Names that are no words of Python go into a mapping.

        Raises a KeyError for a column that does not exist, a ValueError for a value that a nominal or ordinal one does not have.
        """
        wanted = {**(conditions or {}), **by_name}
        return self.take(fits_all({name: self._column(name) for name in wanted}, wanted, len(self)))

    def group_by(self, name: str) -> dict[Hashable, Self]:
        """The rows of each value of a nominal or ordinal feature, or of each class, in schema order; None for missing.

        Values without a row are left out. Raises a KeyError for a column that does not exist, a ValueError for a numeric one.
        """
        feature, column = self._column(name)
        if feature.kind == "numeric":
            message = (
                f"A column to group by must be nominal or ordinal, got {name!r}, which is numeric. Divide it by binned first."
            )
            raise ValueError(message)
        groups: dict[Hashable, Self] = {}
        for code in np.unique(column[column >= 0]).tolist():
            groups[feature.values[code]] = self.take(column == code)
        return groups | ({None: self.take(column < 0)} if (column < 0).any() else {})

    def binned(self, name: str, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> Self:
        """The same rows with a numeric feature, or a target of numbers, divided into ranges that end at the cuts.

        A feature becomes ordinal, and a target has the labels as classes, in order. Ranges include their ends, as `x <= cut`
        does. A target that is no whole number must be divided before the dataset is made, by `ftree.data.binned`.

        Raises a KeyError for a column that does not exist. Raises a ValueError for one that is not of numbers, for cuts that
        do not increase, and for labels that are not one more than cuts.
        """
        pairs = [divided(*pair, cuts, labels) if pair[0].name == name else pair for pair in self._all()]
        self._column(name)  # refuses a name that does not exist
        return self._of(pairs, self.schema.target)

    def join_one_hot(self, names: Sequence[str], *, into: str) -> Self:
        """The same rows with one-hot columns joined into one nominal column, whose values are their names.

        It stands in place of the first of them, or becomes the target where one of them is the target.

        Raises a KeyError for a column that does not exist, a ValueError for a row in which not exactly one of them is true.
        """
        listed = list(names)
        one_hot = [self._column(name) for name in listed]
        return self._of(joined_columns(self._all(), one_hot, into), into if self.schema.target in listed else self.schema.target)

    def to_pandas(self) -> Any:
        """The table as a pandas frame: floats and categories, the target last, then "weights" where rows have some."""
        return to_pandas(self._all(weighted=True))

    def to_polars(self) -> Any:
        """The table as a polars frame: floats, categories and enums, the target last, then "weights" where rows have some."""
        return to_polars(self._all(weighted=True))

    def to_arrow(self) -> Any:
        """The table as an Arrow table: floats and dictionaries, the target last, then "weights" where rows have some."""
        return to_arrow(self._all(weighted=True))

    def _repr_html_(self) -> str:
        """The first rows for a notebook, under a caption that says what `repr` does."""
        pairs = [(feature, column[:_SHOWN_ROWS]) for feature, column in self._all()]
        shown = [(feature.name, _texts(feature, column)) for feature, column in pairs]
        if len(shown) > _SHOWN_COLUMNS:
            shown = [*shown[: _SHOWN_COLUMNS - 2], ("...", ["..."] * len(shown[0][1])), shown[-1]]
        names, texts = zip(*shown, strict=True)
        return html_table(repr(self), names, zip(*texts, strict=True))

    def _all(self, *, weighted: bool = False) -> list[NamedColumn]:
        """All columns with their features, the target last as a nominal one; then weights, where there are some."""
        return named_columns(self.schema, self.columns, self.labels, self.weights if weighted else None)

    def _column(self, name: str) -> NamedColumn:
        by_name = {pair[0].name: pair for pair in self._all()}
        if name not in by_name:
            raise KeyError(unknown_name(name, tuple(by_name)))
        return by_name[name]

    def _of(self, pairs: Sequence[NamedColumn], target: str) -> Self:
        """The same rows of other columns, one of which is the target."""
        features, columns = zip(*(pair for pair in pairs if pair[0].name != target), strict=True)
        values, labels = next((feature.values, column) for feature, column in pairs if feature.name == target)
        unchanged = {feature.name for feature in features if feature in self.schema.features}
        origins = [origin for origin in self.origins if origin.name in unchanged]
        return self._with(schema=Schema(features, target, values), columns=columns, labels=labels, origins=origins)

    def _with(self, **fields: Any) -> Self:
        changed: Self = evolve(cast("Any", self), **fields)  # a subclass has the fields
        return changed


def _texts(feature: Feature, column: Column) -> list[str]:
    """Cells as a notebook shows them; nothing where missing."""
    shown = format_number if feature.kind == "numeric" and feature.time is None else str
    return ["" if cell is None else shown(cell) for cell in decode(feature, column)]
