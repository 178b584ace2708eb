"""The fields of a dataset, what must hold of them, what they say, and how they print.

Columns share memory, where possible, with the arrays from which they are made, and are never written to.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import asdict, cmp_using, evolve, field, frozen

from ftree._lib.arrays import exact_unit, has_missing_cells
from ftree._lib.fields import as_tuple
from ftree._lib.messages import counted, short_repr, type_of
from ftree._lib.objects import cached_by_identity
from ftree.data.coding import array_of_labels, decode, require_measurements
from ftree.data.table import Origin, WeightsKind, row_weights
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema, names_of, require_classes, response_of_sums, unknown_name


def frozen_column(array: Any) -> Column:
    """A read-only view of the array on the same memory; only the owner of the array may still write to it.

    Raises a ValueError for an array with masked values, and for anything that is not an array.

    >>> frozen_column(np.zeros(2)).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if np.ma.is_masked(array):
        raise ValueError(f"A dataset's arrays must have no masked values, got {short_repr(array)}. Use Dataset.from_columns.")
    column = array_or_none(array)
    if not column.ndim:
        raise ValueError(
            f"A dataset's columns and labels must be arrays, got {short_repr(array)}. Dataset.from_columns takes other values."
        )
    if column.dtype.kind not in "iufb" or (isinstance(column.base, memoryview) and not column.flags.writeable):
        return column
    # A view could be made writable again, since its base is writable; a view of a read-only buffer cannot.
    return np.asarray(memoryview(column.data).toreadonly())


def array_or_none(values: Any) -> npt.NDArray[Any]:
    """The values as an array; an array of None, without axes, for rows of several lengths, or a list inside itself.

    >>> array_or_none([[1, 2], [3]]).shape
    ()
    """
    try:
        return np.asarray(values)
    except ValueError:
        return np.array(None)


def all_read_only(arrays: Iterable[Any]) -> tuple[Column, ...]:
    """`frozen_column` for each array."""
    return tuple(map(frozen_column, as_tuple(arrays)))


def _read_only_weights(weights: Any) -> Column | None:
    checked = row_weights(weights)
    return None if checked is None else frozen_column(checked)


def _read_only_floats(columns: Any) -> tuple[Column, ...]:
    listed: tuple[Any, ...] = as_tuple(columns)
    try:
        return tuple(frozen_column(np.asarray(column, dtype=np.float64)) for column in listed)
    except (TypeError, ValueError):
        raise ValueError(f"further_targets must be columns of a number for each row, got {short_repr(columns)}.") from None


def _equal(one: Column | None, other: Column | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _equal_weights(one: Column | None, other: Column | None) -> bool:
    """Whether rows have equal weights of one kind."""
    return _equal(one, other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)


# How datasets are equal: in cells, labels and weights, in order.
_ARRAY, _WEIGHTS = cmp_using(eq=_equal), cmp_using(eq=_equal_weights)
_ARRAYS = cmp_using(eq=lambda ones, others: len(ones) == len(others) and all(map(_equal, ones, others)))

NamedColumn: TypeAlias = tuple[Feature, Column]
# The column of a dataset's weights.
WEIGHTS = "weights"


@frozen
class DatasetFields:
    """What a `Dataset` holds; its docstring explains the fields."""

    schema: Schema
    columns: tuple[Column, ...] = field(converter=all_read_only, eq=_ARRAYS)
    target_column: Column = field(converter=frozen_column, eq=_ARRAY)
    weights: Column | None = field(default=None, converter=_read_only_weights, eq=_WEIGHTS)
    origins: tuple[Origin, ...] = field(default=(), converter=as_tuple, kw_only=True, eq=False)
    further_targets: tuple[Column, ...] = field(default=(), converter=_read_only_floats, kw_only=True, eq=_ARRAYS)

    def __attrs_post_init__(self) -> None:
        """Check the lengths of columns, and that the schema has all codes."""
        if not isinstance(self.schema, Schema):
            message = f"schema must be a Schema, got {type_of(self.schema)}. Dataset.from_columns makes one of its columns."
            raise TypeError(message)
        if len(self.columns) != len(self.schema.features):
            message = f"columns must be one array for each of the {len(self.schema.features)} features, got {len(self.columns)}."
            raise ValueError(message)
        self._check_lengths()
        for feature, column in zip(self.schema.features, self.columns, strict=True):
            check_cells(feature, column)
        if self.schema.has_classes:
            require_codes(self.schema.target, self.target_column, 0, len(self.schema.classes))
        else:
            require_measurements(self.schema.target, self.target_column)
        self._check_response()

    def _check_lengths(self) -> None:
        further = dict(zip(self.schema.response.further_targets, self.further_targets, strict=False))
        columns = {**dict(zip(names_of(self.schema.features), self.columns, strict=True)), **further, **self._of_rows()}
        lengths = {name: len(column) for name, column in columns.items() if column is not None}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns must be equally long, got lengths {short_repr(lengths)}.")

    def _check_response(self) -> None:
        """Raise an error for columns that the response does not read, or lacks, and for numbers that it refuses."""
        response: Any = self.schema.response
        if len(response.further_targets) != len(self.further_targets):
            wanted = f"the columns {response.further_targets!r} for a target of {response.kind}"
            raise ValueError(f"further_targets must be {wanted}, got {counted(len(self.further_targets), 'column')}.")
        if not self.schema.has_classes:
            response.check(self.target_column, *self.further_targets)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.target_column)

    def __getitem__(self, name: str) -> Column:
        """The column of a feature or a target as values: floats for a numeric feature, else objects, None where missing.

        Raises a KeyError for a column that does not exist.
        """
        further = self.schema.response.further_targets
        if name in further and name not in names_of(self.schema.features):
            return self.further_targets[further.index(name)]
        return in_values(*self._column(name))

    @property
    def weights_are(self) -> WeightsKind | None:
        """What the weights are: "counts" of cases, or "importances" of rows; None without weights.

        >>> from ftree import Dataset
        >>> [Dataset.from_rows([["a"], ["b"]], [0, 1], weights=weights).weights_are for weights in ([700, 35], [0.5, 35])]
        ['counts', 'importances']
        """
        return None if self.weights is None else "importances" if self.weights.dtype.kind == "f" else "counts"

    def class_counts(self) -> tuple[float, ...]:
        """Weight of each class, in schema order. Raises a ValueError for a target of numbers."""
        require_classes(self.schema, "class_counts", "a dataset")
        counts = np.bincount(self.target_column, weights=self.weights, minlength=len(self.schema.classes))
        return tuple(int(count) if float(count).is_integer() else count for count in counts.tolist())

    @property
    def n_cases(self) -> float:
        """Number of cases: rows by weight."""
        if self.weights is None:
            return len(self.target_column)
        return sum(self.class_counts()) if self.schema.has_classes else fsum(self.weights)

    @property
    def labels(self) -> Column:
        """The label of each row, (n,), in an array of the labels' type, as `predict` answers; numbers for a target of numbers.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"]], ["yes", "no"]).labels
        array(['yes', 'no'], dtype=object)
        """
        return array_of_labels(self.schema.classes)[self.target_column] if self.schema.has_classes else self.target_column

    @cached_by_identity  # one table grows many trees
    def gaps(self) -> frozenset[int]:
        """The numbers of the features with missing values.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a", 1.0], ["b", None]], [0, 1]).gaps()
        frozenset({1})
        """
        return frozenset(number for number, column in enumerate(self.columns) if has_missing_cells(column))

    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dict of values by name, the target last; None where missing."""
        names, columns = zip(*((feature.name, decode(feature, column)) for feature, column in self._all()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def __repr__(self) -> str:
        """One line: the rows, the features with their kinds, the classes with their sizes."""
        from ftree.data.summary import line_of  # noqa: PLC0415  # loaded for those who look at a dataset

        return line_of(self)

    def _repr_html_(self) -> str:
        """The first rows for a notebook, with the text of `repr` as caption."""
        from ftree.data.summary import html_of  # noqa: PLC0415  # as above

        return html_of(self, self._all())

    # Pickle it.

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor, so that columns stay read-only."""
        return _made_again, (type(self), asdict(self, recurse=False))

    __hash__ = None  # type: ignore[assignment]  # its arrays are too large to hash at every lookup

    # Columns by name, for the methods of a dataset.

    def _all(self, *, weighted: bool = False) -> list[NamedColumn]:
        """All columns with their features; the target last, as a nominal or numeric one; then weights, if there are any."""
        response: Any = self.schema.response
        further = zip(response.further_targets, self.further_targets, strict=True)
        others = {name: column for name, column in further if name not in response.row_features}
        of_rows = {**others, WEIGHTS: self.weights} if weighted else {}
        return named_columns(self.schema, self.columns, self.target_column, of_rows)

    def _of_rows(self) -> dict[str, Column | None]:
        return {"target_column": self.target_column, "weights": self.weights}

    def _column(self, name: str) -> NamedColumn:
        by_name = {pair[0].name: pair for pair in self._all()}
        if not isinstance(name, str) or name not in by_name:
            of_rows = "" if isinstance(name, str) else " For rows, use rows() or take()."  # a loop asks for 0
            raise KeyError(unknown_name(name, tuple(by_name)) + of_rows)
        return by_name[name]

    def _of(self, pairs: Sequence[NamedColumn], target: str) -> Self:
        """The dataset with other columns, one of which is the target."""
        kept = [pair for pair in pairs if pair[0].name != target]
        features, columns = [feature for feature, _ in kept], [column for _, column in kept]
        values, labels = next((feature.values, column) for feature, column in pairs if feature.name == target)
        unchanged = {feature.name for feature in features if feature in self.schema.features}
        origins = [origin for origin in self.origins if origin.name in unchanged]
        further = self.further_targets if labels.dtype.kind == "f" else ()
        response = response_of_sums(self.schema).of(labels, *further) if labels.dtype.kind == "f" else None
        schema = Schema(features, target, values, response=response)
        return evolve(self, schema=schema, columns=columns, target_column=labels, origins=origins, further_targets=further)


def _made_again(kind: type["DatasetFields"], given: dict[str, Any]) -> "DatasetFields":
    return kind(**given)


def check_cells(feature: Feature, column: Column) -> None:
    """Raise a ValueError for an array that does not hold values of the feature."""
    if feature.kind != "numeric":
        require_codes(feature.name, column, -1, len(feature.values))
    elif column.ndim != 1 or column.dtype.kind != "f":
        message = (
            f"The column of the numeric feature {short_repr(feature.name)} must be an array of floats, got {array_text(column)}."
        )
        raise ValueError(message)


def require_codes(name: str, codes: Column, least: int, n_values: int) -> None:
    """Raise a ValueError for an array with anything but codes in that range."""
    fits = codes.ndim == 1 and (not codes.size or (codes.dtype.kind in "iu" and least <= codes.min() <= codes.max() < n_values))
    if not fits:
        raise ValueError(
            f"The codes of {short_repr(name)} must be integers from {least} to {n_values - 1}, got {array_text(codes)}."
        )


def array_text(array: Column) -> str:
    """The type of an array, and the range of its numbers."""
    numbers = array.dtype.kind in "iuf" and array.size
    text = f"{array.dtype} of shape {array.shape}"
    return f"{text} from {array.min()} to {array.max()}" if numbers else text


def named_columns(
    schema: Schema, columns: Iterable[Column], labels: Column, others: Mapping[str, Column | None]
) -> list[NamedColumn]:
    """All columns with their features, the target as a nominal or numeric one, and others that are given, as numeric ones.

    The others are further targets and weights. Raises a ValueError if another column has a name of theirs.
    """
    target = Feature(schema.target, "nominal", schema.classes) if schema.has_classes else Feature(schema.target, "numeric")
    named = list(zip((*schema.features, target), (*columns, labels), strict=True))
    for name, column in others.items():
        if column is not None:
            if name in {feature.name for feature, _ in named}:
                what = "weights" if name == WEIGHTS else "further targets"
                message = f"A dataset with {what} must not have a column {short_repr(name)}, which is the name of its {what}."
                raise ValueError(f"{message} Rename the column.")
            named.append((Feature(name, "numeric"), column))
    return named


def in_values(feature: Feature, column: Column) -> Column:
    """A column as values: the floats of a numeric feature, else an array of Python objects, such as dates, None where missing.

    >>> in_values(Feature("sky", "nominal", ("blue", "grey")), np.array([1, -1]))
    array(['grey', None], dtype=object)
    """
    if feature.time is not None:
        return np.array(decode(feature, column), dtype=object)
    if feature.kind == "numeric":
        return column
    return np.fromiter((*feature.values, None), object)[column]  # the last one, at code -1, is None


def unit_of(dataset: DatasetFields, total: float | None = None) -> float:
    """The unit of a dataset: parts of its cases are multiples of this power of two, so that their sums are exact.

    Sums are up to `total` cases, by default all.

    >>> from ftree import datasets
    >>> unit_of(datasets.xor()) == 2.0**-47
    True
    """
    if not dataset.schema.has_classes:
        part: float = response_of_sums(dataset.schema).part
        return part
    return exact_unit(float(dataset.n_cases) if total is None else total, len(dataset.columns))
