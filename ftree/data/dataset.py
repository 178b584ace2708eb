"""A labelled table as a value: a schema, a read-only column for each feature, class codes and row weights.

Rows may have weights and missing values, but no missing labels. Columns share memory with the arrays that they are made
of where that is possible, and are never written.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr, type_of
from ftree._lib.random_numbers import generator_of
from ftree.data.arrays import all_read_only, check_cells, check_codes, read_only
from ftree.data.coding import decode
from ftree.data.csv_engines import CsvReader
from ftree.data.folds import fold_numbers
from ftree.data.missing_values import MISSING_WORDS
from ftree.data.origins import Origin
from ftree.data.recoding import codes_of_labels, missing_as_none, recoded
from ftree.data.sources import FileFormat
from ftree.data.summary import Summary, column_summary
from ftree.data.table import Kinds, code_table, columns_of_frame, columns_of_rows, split_off_target, weights_of
from ftree.data.table_view import TableView
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema, as_name, names, position, unknown_name


def _read_only_weights(weights: Any) -> Column | None:
    checked = weights_of(weights)
    return None if checked is None else read_only(checked)


def _equal(one: Column | None, other: Column | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@frozen(eq=False, repr=False)
class Dataset(TableView):
    """Features, labels and weights of rows; made by a `from_` function or `read_csv`.

    `origins` tell why columns have their kinds; they make no difference to equality.

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
            message = (
                f"columns must have one array for each of the {len(self.schema.features)} features, got {len(self.columns)}."
            )
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

    # Constructors ----------------------------------------------------------------------------------------------

    @staticmethod
    def from_pairs(pairs: Iterable[tuple[Sequence[Any], Hashable]], **options: Any) -> "Dataset":
        """A dataset of (row, label) pairs, where a row is a sequence of values; options as in `from_rows`.

        Raises a ValueError that gives the number of what is no pair, a TypeError for something that has no items.

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
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> "Dataset":
        """A dataset of rows of values and their labels; features are named x0, x1, ... unless `features` names them.

        Kinds are inferred unless `kinds` gives them: numbers, dates and times (in seconds since 1970) are numeric, ordered
        categories ordinal, everything else is nominal; `summary` tells the reason, and a doubt is a warning. `kinds` is one kind
        for all features, or a mapping of names to "nominal", "ordinal", "numeric" or an ordinal's values in order. Classes are
        sorted unless `classes` gives their order. None, NaN, masked values and those in `missing`, by default the usual
        words, are missing.

        Raises a TypeError for a row that is no sequence of values. Raises a ValueError for no rows, rows of different
        lengths, missing labels, or text in a numeric column.

        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        columns, answers = columns_of_rows(rows, labels, features)
        schema, cells, codes, origins = code_table(columns, as_name(target), answers, kinds, classes, missing)
        return Dataset(schema, cells, codes, weights, origins=origins)

    @staticmethod
    def from_columns(
        columns: Mapping[str, Any],
        *,
        target: str = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> "Dataset":
        """A dataset of named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 and float32 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column.

        Raises a KeyError for a column that does not exist, a ValueError when lengths differ or two columns have one name.

        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        features, labels, row_weights = split_off_target(columns, as_name(target), weights)
        schema, cells, codes, origins = code_table(features, as_name(target), labels, kinds, classes, missing)
        return Dataset(schema, cells, codes, row_weights, origins=origins)

    @staticmethod
    def from_frame(
        table: Any,
        target: str | int | Iterable[Hashable] = -1,
        *,
        features: Sequence[str] | None = None,
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
    ) -> "Dataset":
        """A dataset of any table, such as a frame of pandas, polars, PyArrow, DuckDB or another library that narwhals reads.

        Mappings of columns, arrays of two dimensions or with named fields, and sequences of rows or dicts are tables too.
        `target` is a column's name or number, by default the last one, or the labels themselves: a column beside the table.
        `features` names the columns to use, by default all others; `weights` may name a column. Other options as in `from_rows`.

        Columns of numbers are shared where the library allows it, categories keep their codes, ordered ones their order.

        Raises a KeyError for a column that does not exist, a ValueError for two columns of one name, for no rows, missing
        labels or other lengths, a TypeError for what is no table, and for nested or binary values.

        >>> Dataset.from_frame({"age": [20, 60], "ill": [False, True]})
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        columns, name, labels, row_weights = columns_of_frame(table, target, features, weights)
        schema, cells, codes, origins = code_table(columns, name, labels, kinds, classes, missing)
        return Dataset(schema, cells, codes, row_weights, origins=origins)

    @staticmethod
    def read(
        path: Any,
        *,
        target: str | int = -1,
        format: FileFormat | None = None,  # noqa: A002  # the word for it
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
        header: bool | Sequence[str] = True,
        delimiter: str | None = None,
        comment: str | None = None,
        engine: CsvReader | None = None,
    ) -> "Dataset":
        """A dataset of a file: CSV or TSV, Parquet, Arrow or Feather, JSON lines, ARFF; of files with the same columns by a glob.

        `path` is a path, a glob such as `rides-*.csv`, bytes or an open file. The format is that of the suffix, before ".gz" or
        ".zst", unless `format` names it: "csv", "parquet", "arrow", "jsonl" or "arff". Other options are those of `from_frame`,
        and for delimited files those of `read_csv`. An ARFF file declares values and classes, and their order.

        Raises a FileNotFoundError that says what was looked for, and a ModuleNotFoundError that says what must be installed.
        Raises a ValueError for an unknown suffix, for files of different columns, and as `read_csv`.

        >>> Dataset.read(b'{"sky": "grey", "ride": true}', format="jsonl")
        Dataset of 1 rows: sky nominal(1) -> ride: True 1
        """
        # Imported here, since only reading files needs it.
        from ftree.data.delimited import CsvOptions  # noqa: PLC0415
        from ftree.data.read import read_file  # noqa: PLC0415  # as above

        table = read_file(path, format, target, kinds, missing, CsvOptions(header, delimiter, comment, engine))
        options: dict[str, Any] = {"kinds": kinds, "classes": classes, "missing": table.missing, "weights": weights}
        read = Dataset.from_frame(table.columns, target=target, **options)
        read = evolve(read, origins=table.origins(read.origins))
        return read.recoded(table.schema(read.schema, keep_classes=classes is not None)) if table.declared else read

    @staticmethod
    def read_csv(path: Any, **options: Any) -> "Dataset":
        """A dataset of a delimited text file; `target` is a column's name or number, by default the last one.

        `header` is True if the first line has the names, False if there are no names (they become x0, x1, ...), or a
        list of names. The delimiter is a tab if the first line has one, otherwise a comma. Blank lines and lines that
        begin with `comment` are skipped, but not inside quotes. Labels stay text. `engine` is "pyarrow", "polars" or
        "python"; without it a large file is read by the one that is installed. All make the same dataset, since our own rules
        decide about kinds and missing values; what engines would read in different ways is left to Python's reader.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a line of another length and for a quote
        that is not closed (it gives the line), and for a file that is empty, not UTF-8, or of one column only.
        """
        return Dataset.read(path, format="csv", **options)

    # Methods ---------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Compare schemas, cells, labels and weights, in order."""
        if not isinstance(other, Dataset):
            return NotImplemented
        mine, theirs = (self.weights, self.labels, *self.columns), (other.weights, other.labels, *other.columns)
        return self.schema == other.schema and all(map(_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # its arrays are too large to hash at every lookup

    def __repr__(self) -> str:
        """One line: the rows, the features with their kinds, the classes with their sizes."""
        described = [f"{f.name} {f.kind}" + ("" if f.kind == "numeric" else f"({len(f.values)})") for f in self.schema.features]
        sizes = zip(self.schema.classes, self.class_counts(), strict=True)
        weighted = ", weighted" if self.weights is not None else ""
        features = _listed(described, "features")
        classes = _listed([f"{_label_text(label)} {size:g}" for label, size in sizes], "classes")
        return f"Dataset of {len(self)} rows{weighted}: {features} -> {self.schema.target}: {classes}"

    def summary(self) -> Summary:
        """What was inferred: for each column its kind and the reason, distinct and missing values, examples.

        Numbers are of the rows of this dataset; the reason, and what was taken for missing, of the table that was read.

        >>> print(Dataset.from_columns({"sky": ["red", "?", "grey"], "wind": [1, 2, 3], "class": ["no", "yes", "yes"]}).summary())
        3 rows
        column  kind     distinct  missing  examples       reason
        sky     nominal  2         1 ('?')  'red', 'grey'  text
        wind    numeric  3         0        1.0, 2.0, 3.0  numbers
        class   target   2         0        'no', 'yes'    the labels
        """
        origin_of = {origin.name: origin for origin in self.origins}
        pairs = zip(self.schema.features, self.columns, strict=True)
        features = [column_summary(origin_of.get(f.name, Origin(f.name)), f.kind, decode(f, column)) for f, column in pairs]
        labels = [self.schema.classes[code] for code in self.labels]
        return Summary(len(self), [*features, column_summary(Origin(self.schema.target, "the labels"), "target", labels)])

    def class_counts(self) -> tuple[float, ...]:
        """Weight of each class, in schema order."""
        counts = np.bincount(self.labels, weights=self.weights, minlength=len(self.schema.classes))
        return tuple(int(count) if float(count).is_integer() else count for count in counts.tolist())

    def counts_by(self, feature: str) -> dict[Hashable, tuple[float, ...]]:
        """Class counts of each value of a nominal or ordinal feature that is in these rows, in schema order.

        Raises a KeyError for a feature that does not exist, a ValueError for a numeric one.

        >>> Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "no", "yes"]).counts_by("x0")
        {'a': (1, 1), 'b': (1, 0)}
        """
        number = position(self.schema, feature)
        values, column = self.schema.features[number].values, self.columns[number]
        if column.dtype.kind == "f":
            message = f"feature must be nominal or ordinal, got {feature!r}, which is numeric."
            raise ValueError(message)
        return {values[code]: self.take(column == code).class_counts() for code in np.unique(column).tolist() if code >= 0}

    def complete(self) -> "Dataset":
        """The rows without a missing value."""
        return self.take(~self._incomplete())

    def incomplete(self) -> "Dataset":
        """The rows with a missing value."""
        return self.take(self._incomplete())

    def split(self, fraction: float, *, seed: int) -> "tuple[Dataset, Dataset]":
        """Two random parts: the first has `fraction` of the rows (rounded), the second has the others.

        Raises a ValueError for a fraction outside 0 to 1, and for a seed that is no whole number from 0.
        """
        if not (isinstance(fraction, Real) and 0 <= fraction <= 1):
            message = f"fraction must be between 0 and 1, got {short_repr(fraction)}."
            raise ValueError(message)
        order = generator_of(seed).permutation(len(self))
        cut = round(fraction * len(self))
        return self.take(np.sort(order[:cut])), self.take(np.sort(order[cut:]))

    def folds(self, n: int, *, seed: int) -> "Iterator[tuple[Dataset, Dataset]]":
        """Training and test sets of n random folds: for each fold, the rows of the other folds and its own rows.

        Folds are stratified: the counts of a class differ by at most one between folds.

        Raises a ValueError for fewer than 2 folds, or more folds than rows.

        >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
        >>> [(len(train), test.class_counts()) for train, test in data.folds(4, seed=0)]
        [(15, (3, 2)), (15, (3, 2)), (15, (2, 3)), (15, (2, 3))]
        """
        if not (isinstance(n, (int, np.integer)) and 2 <= n <= len(self)):  # noqa: PLR2004  # one to learn from, one to test on
            message = f"folds must be a whole number from 2 to {len(self)}, the number of rows, got {short_repr(n)}."
            raise ValueError(message)
        fold_of = fold_numbers(self.labels, int(n), random=generator_of(seed))
        return ((self.take(fold_of != fold), self.take(fold_of == fold)) for fold in range(n))

    def shuffle(self, *, seed: int) -> "Dataset":
        """The same rows in random order."""
        return self.take(generator_of(seed).permutation(len(self)))

    def recoded(self, schema: Schema) -> "Dataset":
        """The same rows in the codes of another schema; features are matched by name, and unknown values become missing.

        Raises a KeyError for a feature that the dataset lacks, a ValueError for a class that the schema lacks.
        """
        if schema == self.schema:
            return self
        unknown = [label for label in self.schema.classes if label not in set(schema.classes)]
        present = {self.schema.classes[code] for code in np.unique(self.labels)}
        strange = [label for label in unknown if label in present]
        if strange:
            known = joined(map(short_repr, schema.classes))
            message = f"Labels must be classes of the schema ({known}), got {short_repr(strange[0])}."
            raise ValueError(message)
        codes = codes_of_labels(self.schema.classes, schema.classes)
        return evolve(self, schema=schema, columns=recoded_columns(self, schema.features), labels=codes[self.labels])

    def missing_as_value(self) -> "Dataset":
        """The same rows with None, for "missing", as a value of each nominal feature that has missing values.

        >>> Dataset.from_rows([["a"], [None]], [0, 1]).missing_as_value().schema.features[0].values
        ('a', None)
        """
        pairs = [missing_as_none(feature, column) for feature, column in zip(self.schema.features, self.columns, strict=True)]
        schema = evolve(self.schema, features=[feature for feature, _ in pairs])
        return evolve(self, schema=schema, columns=[column for _, column in pairs])

    def _incomplete(self) -> npt.NDArray[np.bool_]:
        gaps = np.zeros(len(self), dtype=bool)
        for column in self.columns:
            gaps |= missing_cells(column)
        return gaps


def recoded_columns(dataset: Dataset, features: Sequence[Feature]) -> tuple[Column, ...]:
    """Columns of a dataset in the codes of other features of the same names.

    Raises a KeyError for a feature that the dataset lacks, a ValueError for one of another kind.
    """
    own = {feature.name: number for number, feature in enumerate(dataset.schema.features)}
    for feature in features:
        if feature.name not in own:
            raise KeyError(unknown_name(feature.name, tuple(own)))
    return tuple(
        recoded(dataset.schema.features[own[feature.name]], feature, dataset.columns[own[feature.name]]) for feature in features
    )


def _listed(texts: Sequence[str], what: str) -> str:
    listed = joined(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _label_text(label: Hashable) -> str:
    """A label as text: in quotes where it is empty or has blanks around it, shortened where it is long."""
    text = str(label)
    quoted = short_repr(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted


def require_dataset(value: Any, name: str = "dataset") -> None:
    """Raise a TypeError for anything but a Dataset; `name` is the argument's.

    >>> require_dataset([[1, 2]])
    Traceback (most recent call last):
    TypeError: dataset must be a Dataset, got a list. Make one with Dataset.from_rows, from_columns or read_csv.
    """
    if not isinstance(value, Dataset):
        message = f"{name} must be a Dataset, got {type_of(value)}. Make one with Dataset.from_rows, from_columns or read_csv."
        raise TypeError(message)


def a_dataset(_: Any, attribute: Any, value: Any) -> None:
    """A validator: the value must be a Dataset."""
    require_dataset(value, attribute.name)
