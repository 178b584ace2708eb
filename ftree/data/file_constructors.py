"""Constructors of a `Dataset` from files."""

from collections.abc import Collection, Hashable, Sequence
from typing import Any, Self

from attrs import evolve

from ftree.data.constructors import TableConstructors
from ftree.data.csv_engines import CsvReader
from ftree.data.file_table import FileTable
from ftree.data.missing_values import MISSING_WORDS
from ftree.data.sources import FileFormat
from ftree.data.table import Kinds


class FileConstructors(TableConstructors):
    """`read` and `read_csv` of a `Dataset`, in addition to its `from_` functions."""

    __slots__ = ()

    @classmethod
    def read(
        cls,
        path: Any,
        *,
        target: str | int = -1,
        format: FileFormat | None = None,  # noqa: A002  # the usual name of this option
        kinds: Kinds = None,
        classes: Sequence[Hashable] | None = None,
        missing: Collection[Hashable] = MISSING_WORDS,
        weights: Any = None,
        header: bool | Sequence[str] = True,
        delimiter: str | None = None,
        comment: str | None = None,
        engine: CsvReader | None = None,
    ) -> Self:
        """A dataset from a file: CSV or TSV, Parquet, Arrow or Feather, JSON lines, ARFF; or from several files, given by a glob.

        `path` is a path, a glob such as `rides-*.csv`, bytes or an open file. The format is that of the suffix, before ".gz" or
        ".zst", unless `format` names it: "csv", "parquet", "arrow", "jsonl" or "arff". Other options are those of `from_frame`,
        and for delimited files those of `read_csv`. An ARFF file declares values and classes, and their order.

        Raises a FileNotFoundError that says which path was tried, and a ModuleNotFoundError that says what to install.
        Raises a ValueError for an unknown suffix, for files with different columns, and as `read_csv`.

        >>> from ftree import Dataset
        >>> Dataset.read(b'{"sky": "grey", "ride": true}', format="jsonl")
        Dataset of 1 rows: sky nominal(1) -> ride: True 1
        """
        # Imported here, since only reading files needs it.
        from ftree.data.delimited import CsvOptions  # noqa: PLC0415
        from ftree.data.read import read_file  # noqa: PLC0415  # as above

        table = read_file(path, format, target, kinds, missing, CsvOptions(header, delimiter, comment, engine))
        options: dict[str, Any] = {"kinds": kinds, "classes": classes, "missing": table.missing, "weights": weights}
        read = cls.from_frame(table.columns, target=target, **options)
        told: Self = _as_declared(read, table, keep_classes=classes is not None)
        return told

    @classmethod
    def read_csv(cls, path: Any, **options: Any) -> Self:
        """A dataset from a delimited text file; `target` is a column's name or number, by default the last one.

        `header` is True if the first line has the names, False if there are no names (they become x0, x1, ...), or a
        list of names. The delimiter is a tab if the first line has one, otherwise a comma. Blank lines and lines that
        begin with `comment` are skipped, but not inside quotes. Labels stay text. `engine` is "pyarrow", "polars", "pandas" or
        "python"; without it, the first one installed reads large files. All make the same dataset, since the library's own rules
        decide about kinds and missing values; Python's reader reads whatever engines would read in different ways.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a line of another length and for a quote
        that is not closed (it gives the line), and for a file that is empty, not UTF-8, or of one column only.
        """
        return cls.read(path, format="csv", **options)


def _as_declared(read: Any, table: FileTable, *, keep_classes: bool) -> Any:
    """The dataset with what only the file declares: its texts for missing values, and its values."""
    told = evolve(read, origins=table.origins(read.origins))
    return told.recoded(table.schema(told.schema, keep_classes=keep_classes)) if table.declared else told
