"""A labelled table as a value: a schema, a read-only column for each feature, class codes and row weights.

Rows may have weights and missing values, but no missing labels. Columns share memory, where possible, with the arrays
from which they are made, and are never written to.
"""

from functools import partial
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr, type_of
from ftree.data.arrays import all_read_only, check_cells, check_codes, read_only
from ftree.data.column_changes import ColumnChanges
from ftree.data.file_constructors import FileConstructors
from ftree.data.origins import Origin
from ftree.data.table import weights_of
from ftree.data.table_view import TableView
from ftree.data.values import Column
from ftree.tree.schema import Schema, names


def _read_only_weights(weights: Any) -> Column | None:
    checked = weights_of(weights)
    return None if checked is None else read_only(checked)


def _equal(one: Column | None, other: Column | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@frozen(eq=False, repr=False)
class Dataset(FileConstructors, ColumnChanges, TableView):
    """Features, labels and weights of rows; made by a `from_` function or `read_csv`.

    `origins` say why columns have their kinds; equality ignores them.

    Raises a ValueError for columns that do not fit the schema.

    >>> fish = Dataset.from_rows([[1, 1], [1, 0], [0, 1]], ["yes", "no", "no"], features=["surfacing", "flippers"],
    ...                          kinds="nominal")
    >>> fish
    Dataset of 3 rows: surfacing nominal(2), flippers nominal(2) -> class: no 2, yes 1
    """

    schema: Schema
    columns: tuple[Column, ...] = field(converter=all_read_only)
    labels: Column = field(converter=read_only)
    weights: Column | None = field(default=None, converter=_read_only_weights)
    origins: tuple[Origin, ...] = field(default=(), converter=as_tuple, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check the lengths of columns, and that the schema has all codes."""
        if not isinstance(self.schema, Schema):
            message = f"schema must be a Schema, got {type_of(self.schema)}. Dataset.from_columns makes one of its columns."
            raise TypeError(message)
        if len(self.columns) != len(self.schema.features):
            message = f"columns must be one array for each of the {len(self.schema.features)} features, got {len(self.columns)}."
            raise ValueError(message)
        lengths = dict(zip((*names(self.schema.features), "labels"), map(len, (*self.columns, self.labels)), strict=True))
        if self.weights is not None:
            lengths["weights"] = len(self.weights)
        if len(set(lengths.values())) > 1:
            message = f"columns must be equally long, got lengths {short_repr(lengths)}."
            raise ValueError(message)
        for feature, column in zip(self.schema.features, self.columns, strict=True):
            check_cells(feature, column)
        check_codes(self.schema.target, self.labels, 0, len(self.schema.classes))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor, so that columns stay read-only."""
        return partial(Dataset, origins=self.origins), (self.schema, self.columns, self.labels, self.weights)

    def __eq__(self, other: object) -> bool:
        """Compare schemas, cells, labels and weights, in order."""
        if not isinstance(other, Dataset):
            return NotImplemented
        mine, theirs = (self.weights, self.labels, *self.columns), (other.weights, other.labels, *other.columns)
        return self.schema == other.schema and all(map(_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # its arrays are too large to hash at every lookup


def require_dataset(value: Any, name: str = "dataset") -> None:
    """Raise a TypeError for anything but a Dataset; `name` is the argument's.

    >>> require_dataset([[1, 2]])
    Traceback (most recent call last):
    TypeError: dataset must be a Dataset, got a list. Make one: Dataset.from_frame(table), Dataset.read(file).
    """
    if not isinstance(value, Dataset):
        remedy = "Make one: Dataset.from_frame(table), Dataset.read(file)."
        message = f"{name} must be a Dataset, got {type_of(value)}. {remedy}"
        raise TypeError(message)


def a_dataset(_: Any, attribute: Any, value: Any) -> None:
    """A validator: the value must be a Dataset."""
    require_dataset(value, attribute.name)
