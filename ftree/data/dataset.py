"""A labelled table as a value: a schema, one read-only column a feature, class codes and row weights.

Rows may be weighted and cells may be missing; labels may not be missing. Columns are shared with the arrays they
came from where that is possible, and never written.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import joined, short_repr
from ftree.data.coding import Column, encode, missing_among, smallest_integers
from ftree.data.table import Kinds, coded, columns_of_file, columns_of_rows, divided, weights_of
from ftree.tree.schema import Feature, Schema, names, position, unknown_name

Rows: TypeAlias = npt.NDArray[np.intp]

DEFAULT_MISSING = ("?", "")


def _read_only(column: Any) -> Column:
    view = np.asarray(column).view()
    view.flags.writeable = False
    return view


def _all_read_only(columns: Iterable[Any]) -> tuple[Column, ...]:
    return tuple(map(_read_only, columns))


def _read_only_weights(weights: Any) -> Column | None:
    checked = weights_of(weights)
    return None if checked is None else _read_only(checked)


def _equal(one: Column | None, other: Column | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@frozen(eq=False, repr=False)
class Dataset:
    """Features, labels and weights of some rows; made by one of the `from_` functions or `read_csv`.

    >>> fish = Dataset.from_rows([[1, 1], [1, 0], [0, 1]], ["yes", "no", "no"], features=["surfacing", "flippers"],
    ...                          kinds="nominal")
    >>> fish
    Dataset of 3 rows: surfacing nominal(2), flippers nominal(2) -> class: no 2, yes 1
    """

    schema: Schema
    columns: tuple[Column, ...] = field(converter=_all_read_only)
    labels: Column = field(converter=_read_only)
    weights: Column | None = field(default=None, converter=_read_only_weights)

    def __attrs_post_init__(self) -> None:
        """Refuse columns of different lengths, and codes that the schema does not have."""
        if len(self.columns) != len(self.schema.features):
            message = f"A dataset has one column a feature; {len(self.columns)} came for {len(self.schema.features)} features."
            raise ValueError(message)
        lengths = dict(zip((*names(self.schema.features), "labels"), map(len, (*self.columns, self.labels)), strict=True))
        if self.weights is not None:
            lengths["weights"] = len(self.weights)
        if len(set(lengths.values())) > 1:
            message = f"Columns must be equally long; they came as {short_repr(lengths)}."
            raise ValueError(message)
        for feature, column in zip(self.schema.features, self.columns, strict=True):
            _check_cells(feature, column)
        _check_codes(self.schema.target, self.labels, 0, len(self.schema.classes))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor, so that columns stay read-only."""
        return Dataset, (self.schema, self.columns, self.labels, self.weights)

    # Making one ------------------------------------------------------------------------------------------------

    @staticmethod
    def from_pairs(pairs: Iterable[tuple[Sequence[Any], Hashable]], **options: Any) -> "Dataset":
        """Read (point, label) pairs, a point being a sequence of values; options as in `from_rows`.

        Raises a ValueError that gives the row for what is no pair.

        >>> Dataset.from_pairs([(("rainy", True), "no"), (("sunny", False), "yes")])
        Dataset of 2 rows: x0 nominal(2), x1 nominal(2) -> class: no 1, yes 1
        """
        listed = list(pairs)
        for row, pair in enumerate(listed):
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:  # noqa: PLR2004  # a pair
                message = f"A pair is (point, label); row {row} is {short_repr(pair)}."
                raise ValueError(message)
        return Dataset.from_rows([point for point, _ in listed], [label for _, label in listed], **options)

    @staticmethod
    def from_rows(
        rows: Iterable[Sequence[Any]],
        labels: Iterable[Hashable],
        *,
        features: Sequence[str] | None = None,
        target: str = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = (),
        weights: Any = None,
    ) -> "Dataset":
        """Read rows of values and their labels; features are named x0, x1, ... unless names are given.

        Kinds are inferred (numbers numeric, everything else nominal) unless `kinds` gives one for all, or a
        mapping of names to "nominal", "ordinal", "numeric" or an ordinal's values in order. Classes stand in their own
        order unless `classes` gives one. None and NaN are missing, and so is what `missing` lists.

        Raises a TypeError for a row that is no sequence of values, a ValueError for no rows, rows of different
        lengths, missing labels, text in a numeric column.

        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        columns, answers = columns_of_rows(rows, labels, features)
        return Dataset(*coded(columns, str(target), answers, kinds, classes, missing), weights)

    @staticmethod
    def from_columns(
        columns: Mapping[str, Any],
        *,
        target: str = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = (),
        weights: Any = None,
    ) -> "Dataset":
        """Read named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 and float32 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column.

        Raises a KeyError when there is no such column, a ValueError when lengths differ or two columns have one name.

        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        features, labels, row_weights = divided(columns, str(target), weights)
        return Dataset(*coded(features, str(target), labels, kinds, classes, missing), row_weights)

    @staticmethod
    def read_csv(
        path: str | PathLike[str],
        *,
        target: str | int = -1,
        header: bool | Sequence[str] = True,
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[str] = DEFAULT_MISSING,
        weights: str | None = None,
        delimiter: str | None = None,
        comment: str | None = None,
    ) -> "Dataset":
        """Read a text table; the target is a column's name, or its number (the last one by default).

        `header` is True when the first line has the names, False when there are none (they become x0, x1, ...),
        or the names themselves. Fields are separated by tabs if the first line has one, by commas otherwise;
        blank lines, and those that begin with `comment`, are skipped. Labels stay text.

        Raises a KeyError when there is no such column, a ValueError that gives the line for one of another length,
        and for a file that is empty, not UTF-8, or of one column only.
        """
        columns, labelled = columns_of_file(path, target, kinds, missing, header=header, delimiter=delimiter, comment=comment)
        return Dataset.from_columns(columns, target=labelled, kinds=kinds, classes=classes, missing=missing, weights=weights)

    # Using one -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        """Same schema, cells, labels and weights, in the same order."""
        if not isinstance(other, Dataset):
            return NotImplemented
        mine, theirs = (self.weights, self.labels, *self.columns), (other.weights, other.labels, *other.columns)
        return self.schema == other.schema and all(map(_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # compared by its arrays, which are too large to hash on every look

    def __repr__(self) -> str:
        """One line: the rows, the features with their kinds, the classes with their sizes."""
        described = [f"{f.name} {f.kind}" + ("" if f.kind == "numeric" else f"({len(f.values)})") for f in self.schema.features]
        sizes = zip(self.schema.classes, self.class_counts(), strict=True)
        weighted = ", weighted" if self.weights is not None else ""
        listed = _counted(described, "features")
        tally = _counted([f"{_visible(label)} {size:g}" for label, size in sizes], "classes")
        return f"Dataset of {len(self)} rows{weighted}: {listed} -> {self.schema.target}: {tally}"

    def class_counts(self) -> tuple[float, ...]:
        """Weight of each class, in schema order."""
        counts = np.bincount(self.labels, weights=self.weights, minlength=len(self.schema.classes))
        return tuple(int(count) if float(count).is_integer() else count for count in counts.tolist())

    def counts_by(self, feature: str) -> dict[Hashable, tuple[float, ...]]:
        """Class counts of each value that a nominal or ordinal feature has in these rows, in schema order.

        Raises a KeyError for a feature that is not there, a ValueError for a numeric one.

        >>> Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "no", "yes"]).counts_by("x0")
        {'a': (1, 1), 'b': (1, 0)}
        """
        number = position(self.schema, feature)
        values, column = self.schema.features[number].values, self.columns[number]
        if column.dtype.kind == "f":
            message = f"{feature!r} is numeric: it has measurements in place of values to count by."
            raise ValueError(message)
        return {values[code]: self.take(column == code).class_counts() for code in np.unique(column).tolist() if code >= 0}

    def take(self, rows: npt.ArrayLike) -> "Dataset":
        """The rows that a boolean mask marks, or those with the given numbers, in that order.

        Raises an IndexError for a mask of another length or a row that is not there.
        """
        picked = _row_numbers(np.asarray(rows), len(self))
        weights = None if self.weights is None else self.weights[picked]
        return evolve(self, columns=[column[picked] for column in self.columns], labels=self.labels[picked], weights=weights)

    def complete(self) -> "Dataset":
        """The rows without a missing value."""
        return self.take(~self._incomplete())

    def incomplete(self) -> "Dataset":
        """The rows with a missing value."""
        return self.take(self._incomplete())

    def split(self, fraction: float, *, seed: int) -> "tuple[Dataset, Dataset]":
        """Two parts drawn at random: the first has `fraction` of the rows (rounded), the second the others.

        Raises a ValueError for a fraction outside 0 to 1.
        """
        if not 0 <= fraction <= 1:
            message = f"fraction is a share between 0 and 1; it came as {fraction}."
            raise ValueError(message)
        order = np.random.default_rng(seed).permutation(len(self))
        cut = round(fraction * len(self))
        return self.take(np.sort(order[:cut])), self.take(np.sort(order[cut:]))

    def folds(self, n: int, *, seed: int) -> "Iterator[tuple[Dataset, Dataset]]":
        """Each of n random folds in turn, as the rows of the other folds and its own.

        Folds are stratified: each has its share of every class, give or take one.

        Raises a ValueError for fewer than 2 folds, or more than there are rows.

        >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
        >>> [(len(train), test.class_counts()) for train, test in data.folds(4, seed=0)]
        [(15, (3, 2)), (15, (3, 2)), (15, (2, 3)), (15, (2, 3))]
        """
        if not (isinstance(n, (int, np.integer)) and 2 <= n <= len(self)):  # noqa: PLR2004  # one to learn from, one to test on
            message = f"folds is between 2 and the number of rows, {len(self)}; {n!r} came."
            raise ValueError(message)
        order = np.random.default_rng(seed).permutation(len(self))
        by_class = order[np.argsort(self.labels[order], kind="stable")]
        fold_of = np.empty(len(self), dtype=np.intp)
        fold_of[by_class] = np.arange(len(self)) % n
        return ((self.take(fold_of != fold), self.take(fold_of == fold)) for fold in range(n))

    def shuffle(self, *, seed: int) -> "Dataset":
        """The same rows in another order."""
        return self.take(np.random.default_rng(seed).permutation(len(self)))

    def recoded(self, schema: Schema) -> "Dataset":
        """The same rows in the codes of another schema, features matched by name; unknown values become missing.

        Raises a KeyError for a feature, a ValueError for a class, that one side does not have.
        """
        if schema == self.schema:
            return self
        unknown = [label for label in self.schema.classes if label not in set(schema.classes)]
        present = {self.schema.classes[code] for code in np.unique(self.labels)}
        strange = [label for label in unknown if label in present]
        if strange:
            known = joined(map(short_repr, schema.classes))
            message = f"The rows have the class {short_repr(strange[0])}, which the schema does not; its classes are {known}."
            raise ValueError(message)
        code_of = {label: code for code, label in enumerate(schema.classes)}
        codes = np.array([code_of.get(label, -1) for label in self.schema.classes], dtype=np.intp)
        return evolve(self, schema=schema, columns=recoded_columns(self, schema.features), labels=codes[self.labels])

    def missing_as_value(self) -> "Dataset":
        """The same rows with "missing" as a value (None) of each nominal feature that has missing cells.

        >>> Dataset.from_rows([["a"], [None]], [0, 1]).missing_as_value().schema.features[0].values
        ('a', None)
        """
        pairs = [_with_none(feature, column) for feature, column in zip(self.schema.features, self.columns, strict=True)]
        schema = evolve(self.schema, features=[feature for feature, _ in pairs])
        return evolve(self, schema=schema, columns=[column for _, column in pairs])

    def _incomplete(self) -> npt.NDArray[np.bool_]:
        gaps = np.zeros(len(self), dtype=bool)
        for column in self.columns:
            gaps |= missing_cells(column)
        return gaps


def recoded_columns(dataset: Dataset, features: Sequence[Feature]) -> tuple[Column, ...]:
    """Columns of a dataset in the codes of other features of the same names.

    Raises a KeyError for a feature that the dataset does not have, a ValueError for one of another kind.
    """
    own = {feature.name: number for number, feature in enumerate(dataset.schema.features)}
    for feature in features:
        if feature.name not in own:
            raise KeyError(unknown_name(feature.name, tuple(own)))
    return tuple(
        _recoded(dataset.schema.features[own[feature.name]], feature, dataset.columns[own[feature.name]]) for feature in features
    )


def _recoded(old: Feature, new: Feature, column: Column) -> Column:
    if (old.kind == "numeric") != (new.kind == "numeric"):
        message = (
            f"{new.name!r} is {new.kind} here and {old.kind} in the dataset; read it with kinds={{{new.name!r}: {new.kind!r}}}."
        )
        raise ValueError(message)
    if old.kind == "numeric" or old.values == new.values:
        return column
    codes = encode(new, [*old.values, None], missing_among(()))
    return codes[column]


def _check_cells(feature: Feature, column: Column) -> None:
    if feature.kind != "numeric":
        _check_codes(feature.name, column, -1, len(feature.values))
    elif column.ndim != 1 or column.dtype.kind != "f":
        message = f"{feature.name!r} is numeric, so its column is an array of floats; {short_repr(column)} came."
        raise ValueError(message)


def _check_codes(name: str, codes: Column, least: int, n_values: int) -> None:
    fits = codes.ndim == 1 and (not codes.size or (codes.dtype.kind in "iu" and least <= codes.min() <= codes.max() < n_values))
    if not fits:
        message = f"The codes of {name!r} are integers from {least} to {n_values - 1}; {short_repr(codes)} came."
        raise ValueError(message)


def _counted(texts: Sequence[str], what: str) -> str:
    listed = joined(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _visible(label: Hashable) -> str:
    """A label as text; in quotes where blanks around it would not be seen, and cut where it is long."""
    text = str(label)
    quoted = short_repr(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted


def _row_numbers(rows: npt.NDArray[Any], n: int) -> Rows:
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            message = f"A mask has one boolean for each of the {n} rows; it came with shape {rows.shape}."
            raise IndexError(message)
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        message = f"Rows are given as a boolean mask or as numbers from 0 to {n - 1}; {short_repr(rows)} came."
        raise IndexError(message)
    return numbers


def _with_none(feature: Feature, column: Column) -> tuple[Feature, Column]:
    if feature.kind != "nominal" or not (column < 0).any():
        return feature, column
    # None may be a value already: then what is left without a code was never declared, which is as good as missing.
    wider = feature if None in feature.values else evolve(feature, values=(*feature.values, None))
    # Widened first: the new code may be beyond the column's own integers.
    codes = np.where(column < 0, wider.values.index(None), column.astype(np.intp))
    return wider, smallest_integers(codes, len(wider.values))


def a_dataset(_: Any, attribute: Any, value: Any) -> None:
    """A validator of fields that hold rows with labels."""
    if not isinstance(value, Dataset):
        message = f"{attribute.name} is a Dataset, made by Dataset.from_rows and others; a {type(value).__name__} came."
        raise TypeError(message)
