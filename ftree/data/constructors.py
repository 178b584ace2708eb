"""Constructors of a `Dataset` from data in memory: pairs, rows, columns, tables of any library."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self, cast

from ftree._lib.messages import short_repr
from ftree.data.missing_values import MISSING_WORDS
from ftree.data.table import Coded, Kinds, code_table, columns_of_frame, columns_of_rows, split_off_target
from ftree.tree.schema import as_name


class TableConstructors:
    """The `from_` functions of a `Dataset`."""

    __slots__ = ()

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Sequence[Any], Hashable]], **options: Any) -> Self:
        """A dataset of (row, label) pairs, where a row is a sequence of values; options as in `from_rows`.

        Raises a ValueError that gives the number of an item that is not a pair, a TypeError if `pairs` is not iterable.

        >>> from ftree import Dataset
        >>> Dataset.from_pairs([(("rainy", True), "no"), (("sunny", False), "yes")])
        Dataset of 2 rows: x0 nominal(2), x1 nominal(2) -> class: no 1, yes 1
        """
        if not isinstance(pairs, Iterable):
            message = f"pairs must be a sequence of (row, label), got {short_repr(pairs)}."
            raise TypeError(message)
        listed = list(pairs)
        for row, pair in enumerate(listed):
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:  # noqa: PLR2004  # a pair
                message = f"A pair must be (row, label), got {short_repr(pair)} as pair {row}."
                raise ValueError(message)
        return cls.from_rows([point for point, _ in listed], [label for _, label in listed], **options)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        labels: Iterable[Hashable],
        *,
        features: Sequence[str] | None = None,
        target: str = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> Self:
        """A dataset of rows of values and their labels; features are named x0, x1, ... unless `features` names them.

        Kinds are inferred unless `kinds` gives them: numbers, dates and times (in seconds since 1970) are numeric, ordered
        categories ordinal, everything else is nominal; `summary` gives the reason, and a doubt is a warning. `kinds` is one kind
        for all features, or a mapping of names to "nominal", "ordinal", "numeric" or an ordinal's values in order. Classes are
        sorted unless `classes` gives their order. None, NaN, masked values and those in `missing` (by default, the usual
        words for missing) are missing.

        Raises a TypeError for a row that is not a sequence of values. Raises a ValueError for an empty table, rows of different
        lengths, missing labels, or text in a numeric column.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        columns, answers = columns_of_rows(rows, labels, features)
        return cls._of_coded(code_table(columns, as_name(target), answers, kinds, classes, missing), weights)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        *,
        target: str = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> Self:
        """A dataset of named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 and float32 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column.

        Raises a KeyError for a column that does not exist, a ValueError for different lengths or two columns of one name.

        >>> import numpy as np
        >>> from ftree import Dataset
        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        features, labels, row_weights = split_off_target(columns, as_name(target), weights)
        return cls._of_coded(code_table(features, as_name(target), labels, kinds, classes, missing), row_weights)

    @classmethod
    def from_frame(
        cls,
        table: Any,
        target: str | int | Iterable[Hashable] = -1,
        *,
        features: Sequence[str] | None = None,
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> Self:
        """A dataset of any table, such as a frame of pandas, polars, PyArrow, DuckDB or another library that narwhals reads.

        Mappings of columns, arrays of two dimensions or with named fields, and sequences of rows or dicts are tables too.
        `target` is a column's name or number, by default the last one, or the labels themselves as a separate column.
        `features` names the columns to use, by default all others; `weights` may name a column. Other options as in `from_rows`.

        Columns of numbers are shared where the library allows it; categories keep their codes, and ordered ones their order.

        Raises a KeyError for a column that does not exist; a ValueError for two columns of one name, an empty table, missing
        labels or different lengths; a TypeError for anything that is not a table, and for nested or binary values.

        >>> from ftree import Dataset
        >>> Dataset.from_frame({"age": [20, 60], "ill": [False, True]})
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        columns, name, labels, row_weights = columns_of_frame(table, target, features, weights)
        return cls._of_coded(code_table(columns, name, labels, kinds, classes, missing), row_weights)

    @classmethod
    def _of_coded(cls, coded: Coded, weights: Any) -> Self:
        schema, cells, codes, origins = coded
        made: Self = cast("Any", cls)(schema, cells, codes, weights, origins=origins)  # a subclass has the fields
        return made
