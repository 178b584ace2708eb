"""Rows to predict, in any form, as columns of a schema.

Rows are a `Dataset`, a frame of any library or a mapping of columns (matched by feature name), an array or sequences of values
(in the schema's order), or dicts, where an absent feature is missing. One sequence or dict of values is a single row.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree.data.coding import decode, encode_unchecked
from ftree.data.column_changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.floats import require_finite
from ftree.data.given_rows import given_columns
from ftree.data.missing_values import USUALLY_MISSING
from ftree.data.times import check_times
from ftree.data.values import python_values
from ftree.tree.schema import Feature, Schema, names, position
from ftree.tree.splits.protocol import Columns

# One row: values by feature name, or in the schema's order. Values are hashable and rows are not, so a type checker can tell
# a list of values from a list of rows; a tuple of tuples may be either.
Row: TypeAlias = Mapping[str, Hashable] | Sequence[Hashable]
# A list of rows, an array of rows, and columns by name, as precisely as types can express it.
RowList: TypeAlias = Sequence[list[Any] | tuple[Any, ...] | Mapping[str, Any] | npt.NDArray[Any]]
_Arrays: TypeAlias = np.ndarray[tuple[int, int], np.dtype[Any]] | Mapping[str, list[Any] | npt.NDArray[Any]]
RowTable: TypeAlias = Dataset | _Arrays
# Several rows in any form except frames.
Rows: TypeAlias = RowTable | RowList


class Frame(Protocol):
    """A data frame of any library, as precisely as types can express it; results for it are of its library."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


def columns_of(schema: Schema, rows: Any) -> tuple[Columns, int, bool]:
    """Rows as columns in the schema's codes, the number of rows, and whether a single row was given.

    Columns of a frame or a mapping that the schema does not have are ignored.

    Raises a ValueError for rows of another length, a KeyError for a column of the schema that the table lacks.

    >>> from ftree import Feature
    >>> columns_of(Schema([Feature("age", "numeric")], "ill", (False, True)), [[20], [60]])
    ((array([20., 60.]),), 2, False)
    """
    columns, n, single, refuse_infinity = columns_to_route(schema, rows)
    if refuse_infinity is not None:
        refuse_infinity()
    return columns, n, single


def columns_to_route(schema: Schema, rows: Any) -> tuple[Columns, int, bool, Callable[[], None] | None]:
    """As `columns_of`, except that numbers may be infinite, with a function that raises the error if they are.

    It is None for a `Dataset`, which has no infinity. Callers that check each number anyway need not call it.
    """
    if isinstance(rows, Dataset):
        return recoded_columns(rows, schema.features), len(rows), False, None
    given, n, single = given_columns(schema, rows)
    columns = encode_unchecked(schema.features, given, USUALLY_MISSING)
    check_times(schema.features, given, columns)
    return columns, n, single, partial(require_finite, names(schema.features), columns)


def cells_of(schema: Schema, rows: Any) -> tuple[list[list[Any]], int, bool]:
    """As `columns_of`, but as raw values, None where a value is missing or the schema does not have it.

    >>> from ftree import Feature
    >>> cells_of(Schema([Feature("sky", "nominal", ("blue",))], "ride", ("no", "yes")), {"sky": "green"})
    ([['green']], 1, True)
    """
    if isinstance(rows, Dataset):
        own = [position(rows.schema, name) for name in names(schema.features)]
        return [decode(rows.schema.features[number], rows.columns[number]) for number in own], len(rows), False
    columns, n, single = given_columns(schema, rows)
    return [_known(feature, column) for feature, column in zip(schema.features, columns, strict=True)], n, single


def _known(feature: Feature, column: Any) -> list[Any]:
    is_missing = USUALLY_MISSING.but(feature.values)
    return [None if is_missing(cell) else cell for cell in python_values(column)]
