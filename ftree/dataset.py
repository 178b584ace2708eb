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

from ftree.coding import Column, Wanted, encode, feature_of, in_order, missing_among, python_values, smallest_integers
from ftree.delimited import numbers_or_text, read_table
from ftree.schema import Feature, Schema, names, unknown_name

Kinds: TypeAlias = "str | Mapping[str, Wanted] | None"
Rows: TypeAlias = npt.NDArray[np.intp]

DEFAULT_MISSING = ("?", "")


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
    array = np.asarray(weights)
    whole = array.dtype.kind in "iub"
    numbers = array.astype(np.int64 if whole else np.float64)
    if numbers.size and (not np.isfinite(numbers).all() or numbers.min() < 0):
        row = int(np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))[0])
        message = f"Weights must be finite and not negative; row {row} has {numbers[row]}."
        raise ValueError(message)
    return _read_only(numbers)


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
        """Refuse columns of different lengths."""
        lengths = dict(zip((*names(self.schema.features), "labels"), map(len, (*self.columns, self.labels)), strict=True))
        if self.weights is not None:
            lengths["weights"] = len(self.weights)
        if len(set(lengths.values())) > 1:
            message = f"Columns must be equally long; they came as {lengths}."
            raise ValueError(message)

    # Making one ------------------------------------------------------------------------------------------------

    @staticmethod
    def from_pairs(pairs: Iterable[tuple[Sequence[Any], Hashable]], **options: Any) -> "Dataset":
        """Read (point, label) pairs, a point being a sequence of values; options as in `from_rows`.

        >>> Dataset.from_pairs([(("rainy", True), "no"), (("sunny", False), "yes")])
        Dataset of 2 rows: x0 nominal(2), x1 nominal(2) -> class: no 1, yes 1
        """
        listed = list(pairs)
        for row, pair in enumerate(listed):
            if not isinstance(pair, Sequence) or len(pair) != 2:  # noqa: PLR2004  # a pair
                message = f"A pair is (point, label); row {row} is {pair!r}."
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

        Raises a ValueError for no rows, rows of different lengths, missing labels, text in a numeric column.

        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        listed = [tuple(row) for row in rows]
        width = len(listed[0]) if listed else 0
        odd = next((number for number, row in enumerate(listed) if len(row) != width), None)
        if odd is not None:
            message = f"Rows must be equally long; row 0 has {width} values, row {odd} has {len(listed[odd])}."
            raise ValueError(message)
        called = tuple(features) if features is not None else tuple(f"x{number}" for number in range(width))
        if listed and len(called) != width:
            message = f"{len(called)} feature names came for rows of {width} values."
            raise ValueError(message)
        columns = list(zip(*listed, strict=True)) if listed else [()] * len(called)
        return _made(list(zip(called, columns, strict=True)), target, python_values(labels), kinds, missing, weights)

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

        Raises a KeyError when there is no such column, a ValueError when lengths differ.

        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        named = {str(name): column for name, column in columns.items()}
        for wanted in (target, weights) if isinstance(weights, str) else (target,):
            if wanted not in named:
                raise KeyError(unknown_name(wanted, tuple(named)))
        row_weights = _numbers(weights, named.pop(weights)) if isinstance(weights, str) else weights
        labels = python_values(named.pop(target))
        return _made(list(named.items()), target, labels, kinds, missing, row_weights)

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
        blank lines, and those that begin with `comment`, are skipped.

        Raises a ValueError that gives the line for one of another length.
        """
        called, lines = read_table(Path(path), header=header, delimiter=delimiter, comment=comment)
        columns = dict(zip(called, zip(*lines, strict=True), strict=True)) if lines else dict.fromkeys(called, ())
        labelled = called[target] if isinstance(target, int) else target
        wanted = dict.fromkeys(called, kinds) if kinds is None or isinstance(kinds, str) else kinds
        given = {
            name: column if wanted.get(name) else numbers_or_text(column, missing)
            for name, column in columns.items()
            if name != labelled
        }
        given |= {name: columns[name] for name in columns if name == labelled}
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
        shown = [f.name + (" numeric" if f.kind == "numeric" else f" {f.kind}({len(f.values)})") for f in self.schema.features]
        listed = ", ".join(shown[:20]) + (f", ... ({len(shown)} features)" if len(shown) > 20 else "")  # noqa: PLR2004  # a screenful
        sizes = zip(self.schema.classes, self.class_counts(), strict=True)
        weighted = ", weighted" if self.weights is not None else ""
        tally = ", ".join(f"{label} {size:g}" for label, size in sizes)
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
            message = f"The rows have the class {strange[0]!r}, which the schema does not; its classes are {schema.classes}."
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
    _check_lengths(named, labels)
    wanted = _wanted(kinds, tuple(name for name, _ in named))
    features = [feature_of(name, values, wanted[name], is_missing) for name, values in named]
    columns = [encode(feature, values, is_missing) for feature, (_, values) in zip(features, named, strict=True)]
    classes = _classes(target, labels, is_missing)
    code_of = {label: code for code, label in enumerate(classes)}
    codes = smallest_integers([code_of[label] for label in labels], len(classes))
    return Dataset(Schema(features, target, classes), columns, codes, weights)


def _check_lengths(named: list[tuple[str, Any]], labels: Sequence[Any]) -> None:
    if not len(labels):
        message = "A dataset needs at least one row, to know its values and classes; none came."
        raise ValueError(message)
    for name, values in named:
        if getattr(values, "ndim", 1) != 1 or len(values) != len(labels):
            came = f"shape {values.shape}" if hasattr(values, "shape") else f"{len(values)} values"
            message = f"Column {name!r} must have one value for each of the {len(labels)} labels; it came with {came}."
            raise ValueError(message)


def _wanted(kinds: Kinds, known: tuple[str, ...]) -> dict[str, Wanted]:
    if kinds is None or isinstance(kinds, str):
        return dict.fromkeys(known, kinds)
    for name in kinds:
        if name not in known:
            raise KeyError(unknown_name(name, known))
    return {name: kinds.get(name) for name in known}


def _classes(target: str, labels: Sequence[Any], is_missing: Any) -> tuple[Hashable, ...]:
    for row, label in enumerate(labels):
        if not isinstance(label, Hashable):
            message = f"Labels must be hashable (text, numbers, booleans); row {row} has {label!r}."
            raise TypeError(message)
        if is_missing(label):
            message = f"{target!r}, the target, is missing in row {row}; leave out the rows without a label."
            raise ValueError(message)
        if isinstance(label, float) and not label.is_integer():
            message = f"{target!r}, the target, is a measurement (row {row} has {label!r}); cut it into classes first."
            raise ValueError(message)
    return in_order(set(labels))


def _row_numbers(rows: npt.NDArray[Any], n: int) -> Rows:
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            message = f"A mask has one boolean for each of the {n} rows; it came with shape {rows.shape}."
            raise IndexError(message)
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        message = f"Rows are given as a boolean mask or as numbers from 0 to {n - 1}; {rows!r} came."
        raise IndexError(message)
    return numbers


def _with_none(feature: Feature, column: Column) -> tuple[Feature, Column]:
    if feature.kind != "nominal" or not (column < 0).any():
        return feature, column
    wider = evolve(feature, values=(*feature.values, None))
    codes = np.where(column < 0, len(feature.values), column)
    return wider, smallest_integers(codes, len(wider.values))


def _numbers(name: str, values: Any) -> Any:
    """A weights column as numbers, from text as well."""
    return encode(Feature(name, "numeric"), values, missing_among(())) if isinstance(values, tuple) else values
