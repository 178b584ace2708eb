"""A labelled table as a value: a schema, one read-only column a feature, class codes and row weights.

Rows may be weighted and cells may be missing; labels may not be missing. Columns are shared with the arrays they
came from where that is possible, and never written.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree.coding import (
    Column,
    Wanted,
    as_column,
    classes_of,
    encode,
    feature_of,
    is_number_array,
    is_ordered,
    missing_among,
    python_values,
    smallest_integers,
)
from ftree.delimited import numbers_or_text, read_table
from ftree.schema import Feature, Schema, names, several, shown, unknown_name

Kinds: TypeAlias = "str | Mapping[str, Wanted] | None"
Rows: TypeAlias = npt.NDArray[np.intp]

DEFAULT_MISSING = ("?", "")

# Sums of whole weights below this are exact in floats, and so are class counts.
_TOO_HEAVY = 2**53


def _read_only(column: Any) -> Column:
    view = np.asarray(column).view()
    view.flags.writeable = False
    return view


def _all_read_only(columns: Iterable[Any]) -> tuple[Column, ...]:
    return tuple(map(_read_only, columns))


def _weights(weights: Any) -> Column | None:
    """Weights as a read-only array of whole numbers or floats, or None when every row counts once."""
    if weights is None:
        return None
    column = as_column("weights", weights)
    array = np.asarray(column if is_number_array(column) else [_weight(*pair) for pair in enumerate(python_values(column))])
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        message = f"Weights must be finite and not negative; row {bad[0]} has {array[bad[0]]}."
        raise ValueError(message)
    with np.errstate(over="ignore"):
        total = array.sum(dtype=np.float64)
    if total >= _TOO_HEAVY:
        message = f"Weights must sum to less than 2**53, so that counts are exact; they sum to {total:g}. Divide them all."
        raise ValueError(message)
    return _read_only(array.astype(np.int64 if array.dtype.kind in "iub" else np.float64))


def _weight(row: int, weight: Any) -> float:
    """One weight as a number, from text as well; None is NaN, and refused with it."""
    try:
        whole = isinstance(weight, int) and abs(weight) < _TOO_HEAVY
        return int(weight) if whole else float("nan" if weight is None else weight)
    except (TypeError, ValueError, OverflowError):
        message = f"Weights must be numbers; row {row} has {shown(weight)}."
        raise ValueError(message) from None


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
    weights: Column | None = field(default=None, converter=_weights)

    def __attrs_post_init__(self) -> None:
        """Refuse columns of different lengths, and codes that the schema does not have."""
        if len(self.columns) != len(self.schema.features):
            message = f"A dataset has one column a feature; {len(self.columns)} came for {len(self.schema.features)} features."
            raise ValueError(message)
        lengths = dict(zip((*names(self.schema.features), "labels"), map(len, (*self.columns, self.labels)), strict=True))
        if self.weights is not None:
            lengths["weights"] = len(self.weights)
        if len(set(lengths.values())) > 1:
            message = f"Columns must be equally long; they came as {shown(lengths)}."
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
                message = f"A pair is (point, label); row {row} is {shown(pair)}."
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
        missing: Collection[Hashable] = (),
        weights: Any = None,
    ) -> "Dataset":
        """Read rows of values and their labels; features are named x0, x1, ... unless names are given.

        Kinds are inferred (numbers numeric, everything else nominal) unless `kinds` gives one for all, or a
        mapping of names to "nominal", "ordinal", "numeric" or an ordinal's values in order. None and NaN are
        missing, and so is what `missing` lists.

        Raises a TypeError for a row that is no sequence of values, a ValueError for no rows, rows of different
        lengths, missing labels, text in a numeric column.

        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        points = _points(rows)
        width = len(points[0]) if points else 0
        odd = next((row for row, point in enumerate(points) if len(point) != width), None)
        if odd is not None:
            message = f"Rows must be equally long; row 0 has {width} values, row {odd} has {len(points[odd])}."
            raise ValueError(message)
        called = _called(features, width)
        if points and len(called) != width:
            message = f"{len(called)} feature names came for rows of {width} values."
            raise ValueError(message)
        answers = python_values(as_column("labels", labels))
        if len(answers) != len(points):
            message = f"Each row has one label; {len(points)} rows and {len(answers)} labels came."
            raise ValueError(message)
        columns = zip(*points, strict=True) if points else [()] * len(called)
        return _made(list(zip(called, columns, strict=True)), str(target), answers, kinds, missing, weights)

    @staticmethod
    def from_columns(
        columns: Mapping[str, Any],
        *,
        target: str = "class",
        kinds: Kinds = None,
        missing: Collection[Hashable] = (),
        weights: Any = None,
    ) -> "Dataset":
        """Read named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column.

        Raises a KeyError when there is no such column, a ValueError when lengths differ or two columns have one name.

        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        named = _named(columns)
        labelled = str(target)
        for wanted in (labelled, weights) if isinstance(weights, str) else (labelled,):
            if wanted not in named:
                raise KeyError(unknown_name(wanted, tuple(named)))
        labels = python_values(as_column(labelled, named.pop(labelled)))
        if isinstance(weights, str):
            if weights == labelled:
                message = f"{weights!r} is the target; the column of weights must be another one."
                raise ValueError(message)
            weights = named.pop(weights)
        return _made(list(named.items()), labelled, labels, kinds, missing, weights)

    @staticmethod
    def read_csv(
        path: str | Path,
        *,
        target: str | int = -1,
        header: bool | Sequence[str] = True,
        kinds: Kinds = None,
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
        called, lines = read_table(Path(path), header=header, delimiter=delimiter, comment=comment)
        labelled = _target_name(target, called)
        wanted = kinds if isinstance(kinds, Mapping) else dict.fromkeys(called, kinds)
        listed = missing_among(missing).listed
        given = {
            name: cells if name == labelled or _is_text(wanted.get(name)) else numbers_or_text(cells, listed)
            for name, cells in zip(called, zip(*lines, strict=True), strict=True)
        }
        return Dataset.from_columns(given, target=labelled, kinds=kinds, missing=missing, weights=weights)

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
            known = several(map(shown, schema.classes))
            message = f"The rows have the class {shown(strange[0])}, which the schema does not; its classes are {known}."
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
            gaps |= np.isnan(column) if column.dtype.kind == "f" else column < 0
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


def _made(
    named: list[tuple[str, Any]],
    target: str,
    labels: Sequence[Any],
    kinds: Kinds,
    missing: Collection[Hashable],
    weights: Any,
) -> Dataset:
    is_missing = missing_among(missing)
    given = [(name, as_column(name, values)) for name, values in named]
    _check_lengths(given, labels)
    wanted = _wanted(kinds, tuple(name for name, _ in given), target)
    features = [feature_of(name, values, wanted[name], is_missing) for name, values in given]
    columns = [encode(feature, values, is_missing) for feature, (_, values) in zip(features, given, strict=True)]
    classes = classes_of(target, labels, is_missing)
    code_of = {label: code for code, label in enumerate(classes)}
    codes = smallest_integers([code_of[label] for label in labels], len(classes))
    return Dataset(Schema(features, target, classes), columns, codes, weights)


def _check_lengths(named: list[tuple[str, Any]], labels: Sequence[Any]) -> None:
    if not len(labels):
        message = "A dataset needs at least one row, to know its values and classes; none came."
        raise ValueError(message)
    for name, values in named:
        if len(values) != len(labels):
            message = f"Column {name!r} must have one value for each of the {len(labels)} labels; it came with {len(values)}."
            raise ValueError(message)


def _wanted(kinds: Kinds, known: tuple[str, ...], target: str) -> dict[str, Wanted]:
    if kinds is None or isinstance(kinds, str):
        return dict.fromkeys(known, kinds)
    if not isinstance(kinds, Mapping):
        message = f"kinds is one word for all features, or a mapping of names to kinds; it came as {shown(kinds)}."
        raise TypeError(message)
    for name in kinds:
        if name == target:
            message = f"kinds are the features'; {name!r} is the target, and its values are the classes. Leave it out."
            raise ValueError(message)
        if name not in known:
            raise KeyError(unknown_name(name, known))
    return {name: kinds.get(name) for name in known}


def _points(rows: Any) -> list[tuple[Any, ...]]:
    if not is_ordered(rows):
        message = f"rows is a sequence of rows; {shown(rows)} came. Columns by name go to from_columns."
        raise TypeError(message)
    listed = list(rows)
    for row, values in enumerate(listed):
        if not is_ordered(values):
            message = (
                f"A row is a sequence of values; row {row} is {shown(values)}."
                " A single value stands in a list of one; columns by name go to from_columns."
            )
            raise TypeError(message)
    return list(map(tuple, listed))


def _called(features: Any, width: int) -> list[str]:
    if features is None:
        return [f"x{number}" for number in range(width)]
    if not is_ordered(features):
        message = f"features is a sequence of names, such as ['sky', 'wind']; it came as {shown(features)}."
        raise TypeError(message)
    return list(map(str, features))


def _named(columns: Any) -> dict[str, Any]:
    """Columns by name, the names as text."""
    if not hasattr(columns, "items"):
        message = f"columns is a mapping of names to columns; {shown(columns)} came. Rows go to from_rows."
        raise TypeError(message)
    named: dict[str, Any] = {}
    for name, column in columns.items():
        if str(name) in named:
            message = f"Two columns are named {str(name)!r}; names are compared as text."
            raise ValueError(message)
        named[str(name)] = column
    return named


def _target_name(target: str | int, called: Sequence[str]) -> str:
    if isinstance(target, str):
        return target
    if not isinstance(target, (int, np.integer)) or not -len(called) <= target < len(called):
        message = (
            f"The target is a column's name, or a number from 0 to {len(called) - 1} (-1 is the last); {shown(target)} came."
        )
        raise ValueError(message)
    return called[target]


def _is_text(wanted: Any) -> bool:
    """Whether cells of a column of that kind are to stay text: an ordinal's are what its order lists."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        return wanted == "nominal"
    return all(isinstance(value, str) for value in wanted)


def _check_cells(feature: Feature, column: Column) -> None:
    if feature.kind != "numeric":
        _check_codes(feature.name, column, -1, len(feature.values))
    elif column.ndim != 1 or column.dtype.kind != "f":
        message = f"{feature.name!r} is numeric, so its column is an array of floats; {shown(column)} came."
        raise ValueError(message)


def _check_codes(name: str, codes: Column, least: int, n_values: int) -> None:
    fits = codes.ndim == 1 and (not codes.size or (codes.dtype.kind in "iu" and least <= codes.min() <= codes.max() < n_values))
    if not fits:
        message = f"The codes of {name!r} are integers from {least} to {n_values - 1}; {shown(codes)} came."
        raise ValueError(message)


def _counted(texts: Sequence[str], what: str) -> str:
    listed = several(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _visible(label: Hashable) -> str:
    """A label as text; in quotes where blanks around it would not be seen, and cut where it is long."""
    text = str(label)
    quoted = shown(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted


def _row_numbers(rows: npt.NDArray[Any], n: int) -> Rows:
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            message = f"A mask has one boolean for each of the {n} rows; it came with shape {rows.shape}."
            raise IndexError(message)
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        message = f"Rows are given as a boolean mask or as numbers from 0 to {n - 1}; {shown(rows)} came."
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
