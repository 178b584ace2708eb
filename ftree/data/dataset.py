"""A labelled table as a value: a schema, a read-only column for each feature, class codes and row weights.

Rows may have weights and missing values, but no missing labels. Its methods stand in chapters: those that make a dataset
here, its fields and what they say in `dataset_fields`, those that take rows in `cases`, those that change columns in `changes`.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Never, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from attrs import evolve

from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr, type_of
from ftree.data.cases import DatasetRows
from ftree.data.changes import DatasetChanges
from ftree.data.frames import as_table, columns_of_frame, columns_of_rows, omitted_names, split_off_target
from ftree.data.kinds import Kinds
from ftree.data.table import WeightsKind, code_table, weights_of_kind
from ftree.data.targets import ResponseChoice, target_names, targets_of
from ftree.data.values import MISSING_WORDS
from ftree.tree.schema import as_name, require_classes

if TYPE_CHECKING:
    from ftree.data.summary import Summary

# The formats of files that `Dataset.read` knows.
FileFormat: TypeAlias = Literal["csv", "parquet", "arrow", "jsonl", "arff"]


class Dataset(DatasetRows, DatasetChanges):
    """Features, labels and weights of rows; made by a `from_` function or `read`.

    - Make it: `from_rows`, `from_pairs`, `from_columns`, `from_frame`, `read`, `read_csv`.
    - Look at it: `dataset["name"]`, `labels`, `rows`, `summary`, `class_counts`, `counts_by`.
    - Take rows: `take`, `head`, `where`, `group_by`, `complete`, `incomplete`, `split`, `folds`, `shuffle`; `cases`, `part`.
    - Change columns: `binned`, `join_one_hot`, `merge_rare`, `recoded`, `missing_as_value`.
    - Convert it: `to_pandas`, `to_polars`, `to_arrow`.

    `columns` hold codes of values, or numbers, and so does `target_column`: codes of classes, or the numbers of a target of
    numbers. `weights` of a type of whole numbers are counts of cases, floats are importances (`weights_are`). `further_targets`
    are the other columns that a response reads, such as the exposure of events. `origins` say why columns have their kinds;
    equality ignores them.

    Raises a ValueError for columns that do not fit the schema.

    >>> fish = Dataset.from_rows([[1, 1], [1, 0], [0, 1]], ["yes", "no", "no"], features=["surfacing", "flippers"],
    ...                          kinds="nominal")
    >>> fish
    Dataset of 3 rows: surfacing nominal(2), flippers nominal(2) -> class: no 2, yes 1
    """

    __slots__ = ()

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
        events a row has; `ftree.responses.events("years")` also names the column of their exposure. A response of
        your own can name further columns in the same way.

        `weights_are` says what the weights are: "counts" of equal cases, which folds, splits and bags divide as if each were a
        row, or "importances", which stay with their row. By default they are counts if all are whole numbers.

        Raises a TypeError for a row that is not a sequence of values. Raises a ValueError for an empty table, rows of different
        lengths, missing labels, or text in a numeric column.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["S"], ["L"]], [0, 1], features=["size"], kinds={"size": ("S", "M", "L")})
        Dataset of 2 rows: size ordinal(3) -> class: 0 1, 1 1
        """
        columns, answers = columns_of_rows(rows, labels, features)
        weights = weights_of_kind(weights, weights_are)
        return cls(**code_table(columns, as_name(target), answers, kinds, classes, missing, weights=weights, response=response))

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        *,
        target: str | Sequence[str] = "class",
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
        weights_are: WeightsKind | None = None,
        response: ResponseChoice = None,
    ) -> Self:
        """A dataset of named columns (arrays, series, lists), one of which is the target; options as in `from_rows`.

        Float64 and float32 arrays are shared, not copied: do not write to them afterwards. `weights` may name a column. A list of
        names as `target` makes a tree of several numbers; a response that names its columns needs no `target`.

        Raises a KeyError for a column that does not exist, a ValueError for different lengths or two columns of one name.

        >>> import numpy as np
        >>> from ftree import Dataset
        >>> Dataset.from_columns({"age": np.array([20.0, 60.0]), "ill": [False, True]}, target="ill")
        Dataset of 2 rows: age numeric -> ill: False 1, True 1
        """
        names = columns if isinstance(columns, Collection) else ()
        target, response = targets_of(target_names(target, names), response, names, unless="class")
        features, labels, given = split_off_target(columns, as_name(target), weights)
        weights = weights_of_kind(given, weights_are)
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
        `target` is a column's name or number, by default the last one, or the labels themselves as a separate column; or a list
        of names, for several numbers. A response that names its columns, such as `survival("time", "died")`, needs no `target`.
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
        whole = as_table(table)
        target, response = targets_of(target, response, whole.names, unless=-1)
        columns, name, labels, given = columns_of_frame(whole, target, features, weights, omit, kinds)
        weights = weights_of_kind(given, weights_are)
        options: dict[str, Any] = {"response": response, "drop_missing_labels": drop_missing_labels}
        return cls(**code_table(columns, name, labels, kinds, classes, missing, weights=weights, **options))

    @classmethod
    def read(  # noqa: PLR0913  # one option each, by name
        cls,
        path: Any,
        *,
        target: str | int | Sequence[str] = -1,
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
        from ftree.files.delimited import CsvOptions  # noqa: PLC0415
        from ftree.files.read_files import first_target, read_file, refuse_options  # noqa: PLC0415

        refuse_options(unknown)
        csv = CsvOptions(header, delimiter, comment, decimal, {} if dates is None else dates, encoding)
        options: dict[str, Any] = {
            "target": first_target(target, response),
            "kinds": kinds,
            "classes": classes,
            "omit": omitted_names(omit),
        }
        table = read_file(path, format, csv, missing, **options)
        options |= {
            "target": target,
            "missing": table.missing,
            "weights": table.weights if weights is None else weights,
            "response": response,
        }
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

    # What was inferred, and other forms.

    def summary(self) -> "Summary":
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
        from ftree.data.summary import summary_of  # noqa: PLC0415  # only here

        return summary_of(self, self._all())

    def to_pandas(self) -> Any:
        """The table as a pandas frame: floats and categories, the target last, then "weights" if rows have weights."""
        from ftree.data.to_frames import to_pandas  # noqa: PLC0415  # few programs need it

        return to_pandas(self._all(weighted=True))

    def to_polars(self) -> Any:
        """The table as a polars frame: floats, categories and enums, the target last, then "weights" if rows have weights."""
        from ftree.data.to_frames import to_polars  # noqa: PLC0415  # as above

        return to_polars(self._all(weighted=True))

    def to_arrow(self) -> Any:
        """The table as an Arrow table: floats and dictionaries, the target last, then "weights" if rows have weights."""
        from ftree.data.to_frames import to_arrow  # noqa: PLC0415  # as above

        return to_arrow(self._all(weighted=True))


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
    return without_weightless(dataset)


def without_weightless(dataset: Dataset) -> Dataset:
    """The rows with a weight above 0, perhaps none."""
    weights = dataset.weights
    return dataset if weights is None or weights.all() else dataset.take(weights > 0)


def require_weight(weight: float, n: int) -> None:
    """Raise a ValueError for a dataset of n rows without weight, since no mean of them is defined."""
    if not weight:
        raise ValueError(f"dataset must have a row with a weight above 0, got {n} rows without one.")


Answer = TypeVar("Answer")


@runtime_checkable
class FoldsDatasets(Protocol):
    """A table in parts, each a dataset: sources of `ftree.scan` are such tables."""

    def fold_datasets(self, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; their order is arbitrary."""
        ...
