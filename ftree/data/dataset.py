"""A labelled table as a value: a schema, a read-only column for each feature, class codes and row weights.

Rows may have weights and missing values, but no missing labels. Columns share memory, where possible, with the arrays
from which they are made, and are never written to.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import fsum
from numbers import Real
from typing import Any, Literal, Never, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import cmp_using, evolve, field, frozen
from attrs.converters import optional

from ftree._lib.arrays import has_missing_cells, missing_cells
from ftree._lib.faces import Grid
from ftree._lib.fields import as_tuple, is_finite, is_iterable, require_whole_number
from ftree._lib.messages import counted, joined, short_repr, type_of
from ftree._lib.objects import cached_by_identity
from ftree._lib.random_numbers import generator_of
from ftree.data import changes
from ftree.data.cases import DrawnCases, RowNumbers, RowsOrCases, WeightsKind, stratified_parts, weights_of_kind
from ftree.data.coding import array_of_labels, classes_of, decode
from ftree.data.columns import all_read_only, check_cells, frozen_column, require_codes
from ftree.data.frames import WEIGHTS, NamedColumn, in_values, named_columns, to_arrow, to_pandas, to_polars
from ftree.data.kinds import Origin, Summary, column_summary, is_missing_by_class
from ftree.data.missing_values import MISSING_WORDS, USUALLY_MISSING
from ftree.data.numeric_columns import measurements, require_measurements
from ftree.data.table import (
    Kinds,
    ResponseChoice,
    as_names,
    code_table,
    columns_of_frame,
    columns_of_rows,
    row_weights,
    split_off_target,
)
from ftree.data.values import Column, as_column, python_values
from ftree.tree.additive import response_of_sums
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature, Schema, as_name, names_of, position, require_classes, unknown_name

# The formats of files that `Dataset.read` knows.
FileFormat: TypeAlias = Literal["csv", "parquet", "arrow", "jsonl", "arff"]
# A notebook shows the first rows of a table, and of a wide table the first columns and the target.
_SHOWN_ROWS = 5
_SHOWN_COLUMNS = 12
# Bytes of a case while cases are drawn: its row, its place in a random order, its fold, and a copy of one of these.
_BYTES_OF_CASE = 32.0


def _read_only_weights(weights: Any) -> Column | None:
    checked = row_weights(weights)
    return None if checked is None else frozen_column(checked)


def _read_only_floats(column: Any) -> Column:
    try:
        return frozen_column(np.asarray(column, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"exposure must be a number for each row, got {short_repr(column)}.") from None


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


@frozen
class Dataset:
    """Features, labels and weights of rows; made by a `from_` function or `read`.

    - Make it: `from_rows`, `from_pairs`, `from_columns`, `from_frame`, `read`, `read_csv`.
    - Look at it: `dataset["name"]`, `labels`, `rows`, `summary`, `class_counts`, `counts_by`.
    - Take rows: `take`, `head`, `where`, `group_by`, `complete`, `incomplete`, `split`, `folds`, `shuffle`; `cases`, `part`.
    - Change columns: `binned`, `join_one_hot`, `merge_rare`, `recoded`, `missing_as_value`.
    - Convert it: `to_pandas`, `to_polars`, `to_arrow`.

    `columns` hold codes of values, or numbers, and so does `target_column`: codes of classes, or the numbers of a target of
    numbers. `weights` of a type of whole numbers are counts of cases, floats are importances (`weights_are`). `exposure` is that
    of the rows of a target of events. `origins` say why columns have their kinds; equality ignores them.

    Raises a ValueError for columns that do not fit the schema.

    >>> fish = Dataset.from_rows([[1, 1], [1, 0], [0, 1]], ["yes", "no", "no"], features=["surfacing", "flippers"],
    ...                          kinds="nominal")
    >>> fish
    Dataset of 3 rows: surfacing nominal(2), flippers nominal(2) -> class: no 2, yes 1
    """

    schema: Schema
    columns: tuple[Column, ...] = field(converter=all_read_only, eq=_ARRAYS)
    target_column: Column = field(converter=frozen_column, eq=_ARRAY)
    weights: Column | None = field(default=None, converter=_read_only_weights, eq=_WEIGHTS)
    origins: tuple[Origin, ...] = field(default=(), converter=as_tuple, kw_only=True, eq=False)
    exposure: Column | None = field(default=None, converter=optional(_read_only_floats), kw_only=True, eq=_ARRAY)

    def __attrs_post_init__(self) -> None:
        """Check the lengths of columns, and that the schema has all codes."""
        if not isinstance(self.schema, Schema):
            message = f"schema must be a Schema, got {type_of(self.schema)}. Dataset.from_columns makes one of its columns."
            raise TypeError(message)
        if len(self.columns) != len(self.schema.features):
            message = f"columns must be one array for each of the {len(self.schema.features)} features, got {len(self.columns)}."
            raise ValueError(message)
        columns = {**dict(zip(names_of(self.schema.features), self.columns, strict=True)), **self._of_rows()}
        lengths = {name: len(column) for name, column in columns.items() if column is not None}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns must be equally long, got lengths {short_repr(lengths)}.")
        for feature, column in zip(self.schema.features, self.columns, strict=True):
            check_cells(feature, column)
        if self.schema.has_classes:
            require_codes(self.schema.target, self.target_column, 0, len(self.schema.classes))
        else:
            require_measurements(self.schema.target, self.target_column)
        response, given = self.schema.response, self.exposure is not None
        if (response.exposure is not None) != given:
            got = "an array" if given else "None"
            raise ValueError(f"exposure must be the column {response.exposure!r} for a target of {response.kind}, got {got}.")
        getattr(response, "check", lambda *_: None)(self.target_column, self.exposure)

    # Make it.

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Sequence[Any], Hashable]], **options: Any) -> Self:
        """A dataset of (row, label) pairs, where a row is a sequence of values; options as in `from_rows`.

        Raises a ValueError that gives the number of an item that is not a pair, a TypeError if `pairs` is not iterable.

        >>> from ftree import Dataset
        >>> Dataset.from_pairs([(("rainy", True), "no"), (("sunny", False), "yes")])
        Dataset of 2 rows: x0 nominal(2), x1 nominal(2) -> class: no 1, yes 1
        """
        if not is_iterable(pairs):
            raise TypeError(f"pairs must be a sequence of (row, label), got {short_repr(pairs)}.")
        listed = list(pairs)
        for row, pair in enumerate(listed):
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:  # noqa: PLR2004  # a pair
                raise ValueError(f"A pair must be (row, label), got {short_repr(pair)} as pair {row}.")
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
        weights_are: WeightsKind | None = None,
        response: ResponseChoice = None,
    ) -> Self:
        """A dataset of rows of values and their labels; features are named x0, x1, ... unless `features` names them.

        Kinds are inferred unless `kinds` gives them: numbers, dates and times (in seconds since 1970) are numeric, ordered
        categories ordinal, everything else is nominal; `summary` gives the reason, and a doubt is a warning. `kinds` is one kind
        for all features, or a mapping of names to "nominal", "ordinal", "numeric" or an ordinal's values in order. Classes are
        sorted unless `classes` gives their order. None, NaN, masked values and those in `missing` (by default, the usual
        words for missing) are missing.

        Labels that are measurements, numbers with fractions or floats of more than 30 values, are no classes, but a target of
        numbers, for regression trees; `response` decides otherwise, "numbers" or "classes". With "events", a label is how many
        events a row has; `ftree.tree.events("years")` also names the column of their exposure. A response of your own is as good.

        `weights_are` says what the weights are: "counts" of equal cases, which folds, splits and bags divide as if each were a
        row, or "importances", which stay with their row. By default they are counts if all are whole numbers.

        Raises a TypeError for a row that is not a sequence of values. Raises a ValueError for an empty table, rows of different
        lengths, missing labels, or text in a numeric column.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        columns, answers = columns_of_rows(rows, labels, features)
        weights = weights_of_kind(row_weights(weights), weights_are)
        return cls(**code_table(columns, as_name(target), answers, kinds, classes, missing, weights=weights, response=response))

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
        weights_are: WeightsKind | None = None,
        response: ResponseChoice = None,
    ) -> Self:
        """A dataset of named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 and float32 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column.

        Raises a KeyError for a column that does not exist, a ValueError for different lengths or two columns of one name.

        >>> import numpy as np
        >>> from ftree import Dataset
        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        features, labels, given = split_off_target(columns, as_name(target), weights)
        weights = weights_of_kind(row_weights(given), weights_are)
        return cls(**code_table(features, as_name(target), labels, kinds, classes, missing, weights=weights, response=response))

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
        weights_are: WeightsKind | None = None,
        response: ResponseChoice = None,
        omit: str | Sequence[str] = (),
        drop_missing_labels: bool = False,
    ) -> Self:
        """A dataset of any table, such as a frame of pandas, polars, PyArrow, DuckDB or another library that narwhals reads.

        Mappings of columns, arrays of two dimensions or with named fields, and sequences of rows or dicts are tables too.
        `target` is a column's name or number, by default the last one, or the labels themselves as a separate column.
        `features` names the columns to use, by default all others but those of `omit`. A first column without a name, such as the
        row names that pandas and R write to files, is left out too if its values are distinct. `weights` may name a column.
        `drop_missing_labels` leaves out the rows without a label. Other options as in `from_rows`.

        Columns of numbers are shared where the library allows it; categories keep their codes, and ordered ones their order.

        Raises a KeyError for a column that does not exist; a ValueError for two columns of one name, an empty table, missing
        labels or different lengths; a TypeError for anything that is not a table, and for nested or binary values.

        >>> from ftree import Dataset
        >>> Dataset.from_frame({"age": [20, 60], "ill": [False, True]})
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        columns, name, labels, given = columns_of_frame(table, target, features, weights, omit, kinds)
        weights = weights_of_kind(row_weights(given), weights_are)
        options: dict[str, Any] = {"response": response, "drop_missing_labels": drop_missing_labels}
        return cls(**code_table(columns, name, labels, kinds, classes, missing, weights=weights, **options))

    @classmethod
    def read(  # noqa: PLR0913  # one option each, by name
        cls,
        path: Any,
        *,
        target: str | int = -1,
        format: FileFormat | None = None,  # noqa: A002  # the usual name of this option
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
        weights_are: WeightsKind | None = None,
        header: bool | Sequence[str] = True,
        delimiter: str | None = None,
        comment: str | None = None,
        decimal: str = ".",
        dates: Mapping[str, str] | None = None,
        encoding: str | None = None,
        response: ResponseChoice = None,
        omit: str | Sequence[str] = (),
        drop_missing_labels: bool = False,
        **unknown: Never,
    ) -> Self:
        """A dataset from a file: CSV or TSV, Parquet, Arrow or Feather, JSON lines, ARFF; or from several files, given by a glob.

        `path` is a path, a glob such as `rides-*.csv`, bytes or an open file. The format is that of the suffix, before ".gz" or
        ".zst", unless `format` names it: "csv", "parquet", "arrow", "jsonl" or "arff". Other options are those of `from_frame`,
        and for delimited files those of `read_csv`. An ARFF file declares values and classes, and their order,
        and may have weights of rows.

        Raises a FileNotFoundError that says which path was tried, and a ModuleNotFoundError that says what to install.
        Raises a ValueError for an unknown suffix, for files with different columns, and as `read_csv`; a TypeError that names
        the remedy for options of other readers, such as `sep` and `na_values`.

        >>> from ftree import Dataset
        >>> Dataset.read(b'{"sky": "grey", "ride": true}', format="jsonl")
        Dataset of 1 row: sky nominal(1) -> ride: True 1
        """
        # Imported here, since only reading files needs it.
        from ftree.data.files import CsvOptions, read_file, refuse_options  # noqa: PLC0415

        refuse_options(unknown)
        csv = CsvOptions(header, delimiter, comment, decimal, {} if dates is None else dates, encoding)
        options: dict[str, Any] = {"target": target, "kinds": kinds, "classes": classes, "omit": as_names(omit)}
        table = read_file(path, format, csv, missing, **options)
        options |= {"missing": table.missing, "weights": table.weights if weights is None else weights, "response": response}
        options |= {"weights_are": weights_are, "drop_missing_labels": drop_missing_labels}
        read = cls.from_frame(table.columns, **options)
        # What only the file declares: its texts for missing values, and its values.
        told = evolve(read, origins=table.origins(read.origins))
        return told.recoded(table.schema(told.schema, keep_classes=classes is not None)) if table.declared else told

    @classmethod
    def read_csv(cls, path: Any, **options: Any) -> Self:
        """A dataset from a delimited text file; `target` is a column's name or number, by default the last one.

        `header` is True if the first line has the names, False if there are no names (they become x0, x1, ...), or a
        list of names. The delimiter is a tab if the first line has one, otherwise a comma; the blanks after it belong to it
        where each comma of that line has one, or where it is given as ", ". Blank lines, and lines that begin with `comment`,
        are skipped, but not inside quotes. `decimal` is the sign before decimals, "." or ",". `dates` has the formats of
        columns that are not in ISO form, such as `{"day": "%d/%m/%Y"}`. `encoding` is UTF-8 unless it is named.

        Cells have the types that frames give them: numbers and booleans, as labels too, and blanks around a text belong to it.
        Labels stay text if `classes` are texts. pyarrow reads large files where it is installed, as Python's reader does.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a line of another length and for a quote
        that is not closed (it gives the line), and for a file that is empty, of another encoding, or of one column only.
        """
        return cls.read(path, format="csv", **options)

    # Look at it.

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.target_column)

    def __getitem__(self, name: str) -> Column:
        """The column of a feature or of the target as values: floats for a numeric feature, else objects, None where missing.

        Raises a KeyError for a column that does not exist.
        """
        return in_values(*self._column(name))

    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dict of values by name, the target last; None where missing."""
        names, columns = zip(*((feature.name, decode(feature, column)) for feature, column in self._all()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def summary(self) -> Summary:
        """What was inferred: each column's kind with the reason, distinct and missing values, examples.

        Counts and examples describe these rows; the reason, and the values that meant missing, describe the table that was read.

        >>> from ftree import Dataset
        >>> print(Dataset.from_columns({"sky": ["red", "?", "grey"], "wind": [1, 2, 3], "class": ["no", "yes", "yes"]}).summary())
        3 rows
        column  kind     distinct  missing  examples       reason
        sky     nominal  2         1 ('?')  'red', 'grey'  text
        wind    numeric  3         0        1.0, 2.0, 3.0  numbers
        class   target   2         0        'no', 'yes'    the labels
        """
        origin_of = {origin.name: origin for origin in self.origins}
        pairs = zip(self.schema.features, self.columns, strict=True)
        features = [
            column_summary(
                origin_of.get(f.name, Origin(f.name)),
                f.kind,
                decode(f, column),
                missing_by_class=self.schema.has_classes and is_missing_by_class(column, self.target_column),
            )
            for f, column in pairs
        ]
        labels, reason = decode(*self._all()[-1]), "the labels" if self.schema.has_classes else "measurements"
        columns = [*features, column_summary(Origin(self.schema.target, reason), "target", labels)]
        return Summary(len(self), columns, weights=self._described_weights())

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
    def weights_are(self) -> WeightsKind | None:
        """What the weights are: "counts" of cases, or "importances" of rows; None without weights.

        >>> from ftree import Dataset
        >>> [Dataset.from_rows([["a"], ["b"]], [0, 1], weights=weights).weights_are for weights in ([700, 35], [0.5, 35])]
        ['counts', 'importances']
        """
        return None if self.weights is None else "importances" if self.weights.dtype.kind == "f" else "counts"

    def cases(self) -> RowNumbers:
        """The row of each case, (m,), in order: what folds, splits and bags draw. Rows of counts have several, others one each.

        Raises a MemoryError for more cases than can be drawn.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[3, 1]).cases().tolist()
        [0, 0, 0, 1]
        """
        if self.weights is None or self.weights_are == "importances":
            return np.arange(len(self))
        # Imported here, since it loads threads.
        from ftree._lib.machine import require_memory  # noqa: PLC0415

        total, remedy = int(self.weights.sum()), "Say weights_are='importances', or divide the weights."
        require_memory(_BYTES_OF_CASE * total, f"draws from {total:,} cases", remedy)
        return np.repeat(np.arange(len(self)), self.weights)

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

    def counts_by(self, feature: str) -> dict[Hashable, tuple[float, ...]]:
        """Class counts, in schema order, of each value of a nominal or ordinal feature that occurs in these rows.

        Raises a KeyError for a feature that does not exist, a ValueError for a numeric one.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "no", "yes"]).counts_by("x0")
        {'a': (1, 1), 'b': (1, 0)}
        """
        number = position(self.schema, feature)
        values, column = self.schema.features[number].values, self.columns[number]
        if column.dtype.kind == "f":
            raise ValueError(f"feature must be nominal or ordinal, got {feature!r}, which is numeric.")
        return {values[code]: self.take(column == code).class_counts() for code in np.unique(column).tolist() if code >= 0}

    def __repr__(self) -> str:
        """One line: the rows, the features with their kinds, the classes with their sizes."""
        described = [f"{f.name} {f.kind}" + ("" if f.kind == "numeric" else f"({len(f.values)})") for f in self.schema.features]
        weighted = ", weighted" if self.weights is not None else ""
        features = _listed(described, "features")
        return f"Dataset of {counted(len(self), 'row')}{weighted}: {features} -> {self.schema.target}: {self._described_target()}"

    def _described_weights(self) -> str:
        if self.weights is None:
            return ""
        return f"weights are {self.weights_are}" + (f": {self.n_cases:,.0f} cases" if self.weights_are == "counts" else "")

    def _described_target(self) -> str:
        if not self.schema.has_classes:
            kind = self.schema.response.kind
            return f"{kind} from {self.target_column.min():g} to {self.target_column.max():g}" if len(self) else kind
        sizes = zip(self.schema.classes, self.class_counts(), strict=True)
        return _listed([f"{_label_text(label)} {size:g}" for label, size in sizes], "classes")

    def _repr_html_(self) -> str:
        """The first rows for a notebook, with the text of `repr` as caption."""
        pairs = [(feature, column[:_SHOWN_ROWS]) for feature, column in self._all()]
        shown = [(feature.name, _texts(feature, column)) for feature, column in pairs]
        if len(shown) > _SHOWN_COLUMNS:
            shown = [*shown[: _SHOWN_COLUMNS - 2], ("...", ["..."] * len(shown[0][1])), shown[-1]]
        names, texts = zip(*shown, strict=True)
        return Grid(names, zip(*texts, strict=True), left=0, caption=repr(self)).html()

    # Take rows.

    def take(self, rows: Any) -> Self:
        """The rows that a boolean mask selects, or the rows with the given numbers, in that order; or some cases of each row.

        Raises an IndexError for a mask of another length or a row that does not exist, a ValueError for cases of another table.
        """
        if isinstance(rows, DrawnCases):
            return evolve(self, weights=rows.times).take(rows.times > 0)
        picked = changes.row_numbers(rows, len(self))
        taken: Any = {name: None if column is None else column[picked] for name, column in self._of_rows().items()}
        return evolve(self, columns=[column[picked] for column in self.columns], **taken)

    def part(self, rows: RowNumbers) -> RowsOrCases:
        """What `take` takes for some cases, given by the row of each: these rows, or, of counts, how many cases of each.

        >>> from ftree import Dataset
        >>> table = Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[3, 1])
        >>> table.take(table.part(table.cases()[1:])).class_counts()
        (2, 1)
        """
        return DrawnCases(np.bincount(rows, minlength=len(self))) if self.weights_are == "counts" else rows

    def head(self, n: int = 5) -> Self:
        """The first n rows, or all rows if there are fewer.

        Raises a ValueError for anything but a whole number from 0.
        """
        require_whole_number("n", n, 0)
        return self.take(np.arange(min(n, len(self))))

    def where(self, conditions: Mapping[str, Any] | None = None, /, **by_name: Any) -> Self:
        """The rows that fit all conditions, such as `where(outlook="sunny")`, like the rows that a split sends to one child.

        A condition is a value, several values, or a function that says whether a value fits; None stands for missing.
        Names that are not Python identifiers go into a mapping.

        Raises a KeyError for a column that does not exist, a ValueError for a value that a nominal or ordinal column lacks.
        """
        wanted = {**(conditions or {}), **by_name}
        found = np.ones(len(self), dtype=bool)
        for (feature, column), condition in [(self._column(name), each) for name, each in wanted.items()]:
            found &= changes.rows_that_fit(feature, column, condition)
        return self.take(found)

    def group_by(self, name: str) -> dict[Hashable, Self]:
        """The rows of each value of a nominal or ordinal feature, or of each class, in schema order; None for missing.

        Values without a row are omitted. Raises a KeyError for a column that does not exist, a ValueError for a numeric column,
        and for one in which None is a value and cells are missing besides.
        """
        feature, column = self._column(name)
        if feature.kind == "numeric":
            raise ValueError(
                f"A column to group by must be nominal or ordinal"
                f", got {short_repr(name)}, which is numeric. Divide it by binned first."
            )
        gaps = column < 0
        if gaps.any() and None in feature.values:
            raise ValueError(
                f"A column to group by must not have both missing cells and None as a value"
                f", got {short_repr(name)}. Take complete()."
            )
        present = np.unique(column[~gaps]).tolist()
        groups: dict[Hashable, Self] = {feature.values[code]: self.take(column == code) for code in present}
        return groups | ({None: self.take(gaps)} if gaps.any() else {})

    def complete(self) -> Self:
        """The rows without a missing value."""
        return self.take(~self._incomplete())

    def incomplete(self) -> Self:
        """The rows with a missing value."""
        return self.take(self._incomplete())

    def split(self, fraction: float, *, seed: int) -> tuple[Self, Self]:
        """Two random parts: the first has `fraction` of the rows (rounded), the second has the others; of counts, of the cases.

        Raises a ValueError for a fraction outside 0 to 1, and for a seed that is not a whole number from 0.
        """
        if not (isinstance(fraction, Real) and 0 <= fraction <= 1):
            raise ValueError(f"fraction must be between 0 and 1, got {short_repr(fraction)}.")
        cases = self.cases()
        order, cut = generator_of(seed).permutation(len(cases)), round(fraction * len(cases))
        first, second = (self.take(self.part(cases[np.sort(each)])) for each in (order[:cut], order[cut:]))
        return first, second

    def folds(self, n: int, *, seed: int) -> Iterator[tuple[Self, Self]]:
        """Training and test sets of n random folds: for each fold, the rows of the other folds and its own rows.

        Folds are stratified: the counts of a class differ by at most one between folds. The cases of a row of counts are divided
        among folds, as copies of the row would be.

        Raises a ValueError for fewer than 2 folds, or more folds than rows, or than cases of counts.

        >>> from ftree import Dataset
        >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
        >>> [(len(train), test.class_counts()) for train, test in data.folds(4, seed=0)]
        [(15, (3, 2)), (15, (3, 2)), (15, (2, 3)), (15, (2, 3))]
        """
        parts = stratified_parts(self, n, random=generator_of(seed))
        return ((self.take(train), self.take(test)) for train, test in parts)

    def shuffle(self, *, seed: int) -> Self:
        """Shuffle the rows."""
        return self.take(generator_of(seed).permutation(len(self)))

    # Change columns.

    def binned(self, name: str, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> Self:
        """Divide a numeric feature or target into ranges that end at the cuts.

        A feature becomes ordinal; a target gets the labels as classes, in order. Ranges include their ends, as `x <= cut`
        does. A target with fractions must be divided before the dataset is made, by `ftree.data.binned`.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a column that does not hold numbers, for cuts
        that do not increase, and for a wrong number of labels.
        """
        found = self._column(name)[0]
        pairs = [changes.in_ranges(*pair, cuts, labels) if pair[0].name == found.name else pair for pair in self._all()]
        return self._of(pairs, self.schema.target)

    def join_one_hot(self, names: Sequence[str], *, into: str) -> Self:
        """Join one-hot columns into one nominal column, whose values are their names.

        It takes the position of the first of them, or becomes the target if one of them is the target.

        Raises a KeyError for a column that does not exist, a ValueError for a row in which not exactly one of them is true.
        """
        one_hot = [self._column(name) for name in as_tuple(names)]
        target = into if self.schema.target in {feature.name for feature, _ in one_hot} else self.schema.target
        return self._of(changes.joined_columns(self._all(), one_hot, into), target)

    def keep_columns(self, names: Iterable[str]) -> Self:
        """Keep only these features, in this order, and the target.

        Raises a KeyError for a feature that does not exist, a ValueError for a name that occurs twice.

        >>> from ftree import datasets
        >>> [feature.name for feature in datasets.weather().keep_columns(["windy", "outlook"]).schema.features]
        ['windy', 'outlook']
        """
        kept = [pair for pair in map(self._column, as_tuple(names)) if pair[0].name != self.schema.target]
        return self._of([*kept, self._column(self.schema.target)], self.schema.target)

    def with_weights(self, weights: Iterable[float] | None, *, weights_are: WeightsKind | None = None) -> Self:
        """Set the weights of the rows; None counts each row once. `weights_are` is as in `from_rows`.

        Raises a ValueError for a weight that is not a finite number from 0, and for another number of weights than rows.
        """
        return evolve(self, weights=weights_of_kind(row_weights(weights), weights_are))

    def with_labels(self, labels: Iterable[Hashable], *, classes: Sequence[Hashable] | None = None) -> Self:
        """Replace the labels; `classes` are all classes in order, by default those that occur, sorted.

        Raises a ValueError for a missing label, for a label that is not in `classes`, and for another number of labels than rows.

        >>> from ftree import datasets
        >>> datasets.xor().with_labels(["a", "b", "a", "a"]).class_counts()
        (3, 1)
        """
        if not self.schema.has_classes and classes is None:
            numbers = measurements(self.schema.target, labels)
            response = response_of_sums(self.schema).of(numbers, self.exposure)
            return evolve(self, schema=evolve(self.schema, response=response), target_column=numbers)
        listed = python_values(as_column("labels", labels))
        order = classes_of(self.schema.target, listed, USUALLY_MISSING, classes)
        return evolve(
            self,
            schema=evolve(self.schema, classes=order, response=None),
            target_column=changes.codes_of_labels(listed, order),
            exposure=None,
        )

    def concatenate(self, *others: "Dataset") -> Self:
        """These rows and those of other datasets of the same columns; values and classes are those of any of them.

        Weights are counts if none of them are importances.

        Raises a ValueError for a dataset with other names or kinds of features, or another target.

        >>> from ftree import datasets
        >>> datasets.xor().concatenate(datasets.xor()).class_counts()
        (4, 4)
        """
        parts: list[Dataset] = [self, *others]
        schema = changes.schema_of_all([each.schema for each in parts])
        recoded = [each.recoded(schema) for each in parts]
        weighted = any(each.weights is not None for each in parts)
        weights = [np.ones(len(each), np.int64) if each.weights is None else each.weights for each in parts]
        labels = np.concatenate([each.target_column for each in recoded])
        exposure = None if self.exposure is None else np.concatenate([np.asarray(each.exposure) for each in recoded])
        return evolve(
            self,
            schema=schema if schema.has_classes else evolve(schema, response=response_of_sums(schema).of(labels, exposure)),
            exposure=exposure,
            columns=[np.concatenate(columns) for columns in zip(*(each.columns for each in recoded), strict=True)],
            target_column=labels,
            weights=np.concatenate(weights) if weighted else None,
        )

    def merge_rare(self, *, least: float, into: Hashable = "other") -> Self:
        """Merge the values of each nominal feature that have fewer cases than `least` into one.

        Other rows repeat it with `test.recoded(tree.schema, others="other")`: rare and unseen values are "other" there, if the
        schema has it.

        Raises a ValueError for a `least` that is not a number from 0, and for None or NaN as `into`.

        >>> from ftree import Dataset
        >>> days = Dataset.from_rows([["a"], ["b"], ["a"], ["c"]], [0, 1, 0, 1]).merge_rare(least=2)
        >>> days["x0"].tolist(), Dataset.from_rows([["d"]], [0]).recoded(days.schema, others="other")["x0"].tolist()
        (['a', 'other', 'a', 'other'], ['other'])
        """
        if not (is_finite(least) and least >= 0):
            raise ValueError(f"least must be a number of cases from 0, got {short_repr(least)}.")
        changes.require_value("into", into)
        pairs = zip(self.schema.features, self.columns, strict=True)
        merged = [changes.rare_merged(*pair, least, into, self.weights) for pair in pairs]
        schema = evolve(self.schema, features=[feature for feature, _ in merged])
        return evolve(self, schema=schema, columns=[column for _, column in merged])

    def recoded(self, schema: Schema, *, others: Hashable = None) -> Self:
        """Recode the rows for another schema; features are matched by name, and unknown values become missing.

        In a feature that has the value `others`, they become that one instead, as `merge_rare` makes it.

        Raises a KeyError for a feature that the dataset lacks, a ValueError for a class that the schema lacks.
        """
        if not isinstance(schema, Schema):
            raise TypeError(f"schema must be a Schema, such as that of another dataset, got {type_of(schema)}.")
        if others is not None:
            changes.require_value("others", others)
        if schema == self.schema:
            return self
        if self.schema.response.kind != schema.response.kind:
            raise ValueError(
                f"schema must be of {self.schema.response.kind}, as the dataset is, got one of {schema.response.kind}."
            )
        answers = self.target_column
        if schema.has_classes:
            answers = changes.codes_of_labels(self.schema.classes, schema.classes)[self.target_column]
            for row in np.flatnonzero(answers < 0)[:1].tolist():
                raise ValueError(changes.no_class(schema.classes, self.schema.classes[self.target_column[row]]))
        return evolve(self, schema=schema, columns=recoded_columns(self, schema.features, others=others), target_column=answers)

    def missing_as_value(self) -> Self:
        """Make None, for "missing", a value of each nominal feature that has missing values.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], [None]], [0, 1]).missing_as_value().schema.features[0].values
        ('a', None)
        """
        pairs = list(map(changes.missing_as_none, self.schema.features, self.columns))
        schema = evolve(self.schema, features=[feature for feature, _ in pairs])
        return evolve(self, schema=schema, columns=[column for _, column in pairs])

    # Convert it.

    def to_pandas(self) -> Any:
        """The table as a pandas frame: floats and categories, the target last, then "weights" if rows have weights."""
        return to_pandas(self._all(weighted=True))

    def to_polars(self) -> Any:
        """The table as a polars frame: floats, categories and enums, the target last, then "weights" if rows have weights."""
        return to_polars(self._all(weighted=True))

    def to_arrow(self) -> Any:
        """The table as an Arrow table: floats and dictionaries, the target last, then "weights" if rows have weights."""
        return to_arrow(self._all(weighted=True))

    # Pickle it.

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor, so that columns stay read-only."""
        make = partial(Dataset, origins=self.origins, exposure=self.exposure)
        return make, (self.schema, self.columns, self.target_column, self.weights)

    __hash__ = None  # type: ignore[assignment]  # its arrays are too large to hash at every lookup

    # Columns by name, for the methods above.

    def _all(self, *, weighted: bool = False) -> list[NamedColumn]:
        """All columns with their features; the target last, as a nominal or numeric one; then weights, if there are any."""
        of_rows = {self.schema.response.exposure or "": self.exposure, WEIGHTS: self.weights} if weighted else {}
        return named_columns(self.schema, self.columns, self.target_column, of_rows)

    def _of_rows(self) -> dict[str, Column | None]:
        return {"target_column": self.target_column, "weights": self.weights, "exposure": self.exposure}

    def _column(self, name: str) -> NamedColumn:
        by_name = {pair[0].name: pair for pair in self._all()}
        if not isinstance(name, str) or name not in by_name:
            raise KeyError(unknown_name(name, tuple(by_name)))
        return by_name[name]

    def _of(self, pairs: Sequence[NamedColumn], target: str) -> Self:
        """The dataset with other columns, one of which is the target."""
        kept = [pair for pair in pairs if pair[0].name != target]
        features, columns = [feature for feature, _ in kept], [column for _, column in kept]
        values, labels = next((feature.values, column) for feature, column in pairs if feature.name == target)
        unchanged = {feature.name for feature in features if feature in self.schema.features}
        origins = [origin for origin in self.origins if origin.name in unchanged]
        exposure = self.exposure if labels.dtype.kind == "f" else None
        response = response_of_sums(self.schema).of(labels, exposure) if labels.dtype.kind == "f" else None
        schema = Schema(features, target, values, response=response)
        return evolve(self, schema=schema, columns=columns, target_column=labels, origins=origins, exposure=exposure)

    def _incomplete(self) -> npt.NDArray[np.bool_]:
        gaps = np.zeros(len(self), dtype=bool)
        for column in self.columns:
            gaps |= missing_cells(column)
        return gaps


def require_dataset(value: Any, name: str = "dataset", *, of_classes: str = "") -> None:
    """Raise a TypeError for anything but a Dataset; `name` is the argument's.

    `of_classes` is the name of a function of datasets of classes: raises a ValueError for a target of numbers.

    >>> require_dataset([[1, 2]])
    Traceback (most recent call last):
    TypeError: dataset must be a Dataset, got a list. Make one: Dataset.from_frame(table), Dataset.read(file).
    """
    if not isinstance(value, Dataset):
        remedy = "Make one: Dataset.from_frame(table), Dataset.read(file)."
        raise TypeError(f"{name} must be a Dataset, got {type_of(value)}. {remedy}")
    if of_classes:
        require_classes(value.schema, of_classes, "a dataset")


def rows_with_weight(dataset: Dataset) -> Dataset:
    """The rows with a weight above 0. Raises a TypeError for anything but a dataset, a ValueError for one without cases."""
    require_dataset(dataset)
    weights = dataset.weights
    require_weight(len(dataset) if weights is None else float(weights.any()), len(dataset))
    # Rows of weight 0 would add missing values, and values between which a threshold could lie.
    return dataset if weights is None or weights.all() else dataset.take(weights > 0)


def require_weight(weight: float, n: int) -> None:
    """Raise a ValueError for a dataset of n rows without weight, since no mean of them is defined."""
    if not weight:
        raise ValueError(f"dataset must have a row with a weight above 0, got {n} rows without one.")


def recoded_columns(
    dataset: Dataset, features: Sequence[Feature], needed: Collection[int] | None = None, others: Hashable = None
) -> tuple[Column, ...]:
    """Columns of a dataset in the codes of other features of the same names; unknown values are `others`, where it is one.

    A feature that the dataset lacks is missing in all rows if it is none of the numbers `needed`, which by default are all.

    Raises a KeyError for another feature that the dataset lacks, a ValueError for a feature of another kind.
    """
    own = {feature.name: number for number, feature in enumerate(dataset.schema.features)}
    found = []
    for number, feature in enumerate(features):
        if feature.name in own:
            there = own[feature.name]
            found.append(changes.recoded_column(dataset.schema.features[there], feature, dataset.columns[there], others))
        elif needed is None or number in needed:
            raise KeyError(unknown_name(feature.name, tuple(own)))
        else:
            found.append(np.full(len(dataset), np.nan) if feature.kind == "numeric" else np.full(len(dataset), -1))
    return tuple(found)


def _texts(feature: Feature, column: Column) -> list[str]:
    """Cells as a notebook shows them; an empty text where missing."""
    shown = format_number if feature.kind == "numeric" and feature.time is None else str
    return ["" if cell is None else shown(cell) for cell in decode(feature, column)]


def _listed(texts: Sequence[str], what: str) -> str:
    listed = joined(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _label_text(label: Hashable) -> str:
    """A label as text: in quotes if it is empty or has blanks around it, shortened if it is long."""
    text = str(label)
    quoted = short_repr(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted
