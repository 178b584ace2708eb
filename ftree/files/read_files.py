"""A file of any format as columns: the suffix determines the format, and each format has its function.

pyarrow reads large regular delimited files where it is installed, Python's reader all others; both give each column as distinct
texts and codes, or as floats where all its cells are exact numbers, so the dataset does not depend on the reader. JSON lines are
one object of plain values on each line; a name that an object lacks is a missing value. Parquet and Arrow (Feather) hold columns
with types, and are read by pyarrow or polars. ARFF has a file of its own.
"""

import json
import re
import zlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice, zip_longest
from typing import IO, Any

from attrs import field, fields, frozen

from ftree._lib.fields import require_one_of
from ftree._lib.messages import how_to_install, joined, short_repr, type_of
from ftree.data.columns import Encoded, read_column
from ftree.data.frames import as_frame, is_index, target_name
from ftree.data.kinds import Doubt, Kinds, is_text_kind, warn_of
from ftree.data.targets import ResponseChoice, options_of_chosen, response_chosen
from ftree.data.values import missing_among, reads_as_number
from ftree.files.csv_by_arrow import BLOCK, Irregular, read_by_arrow
from ftree.files.csv_by_python import read_in_python, read_records
from ftree.files.csv_columns import ColumnPart, CsvLayout, Numbers, times_of_form, typed_texts
from ftree.files.sources import FileTable, InputFile, check_same_columns, format_of, in_utf_8, sources_of
from ftree.tree.schema import unknown_name


@frozen
class CsvOptions:
    """Options of delimited files, as `Dataset.read_csv` explains them."""

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None
    decimal: str = "."
    dates: Mapping[str, str] = field(factory=dict)
    encoding: str | None = None


# What to do in place of options that other readers have.
_OTHER_OPTIONS = {
    **dict.fromkeys(("sep", "delim_whitespace"), "Give delimiter=."),
    **dict.fromkeys(("na_values", "na_strings"), "Give missing=."),
    **dict.fromkeys(("parse_dates", "date_format"), "Give dates=, the formats of columns by name."),
    **dict.fromkeys(("drop", "index", "index_col"), "Give omit=, the names of columns to leave out."),
}


def refuse_options(unknown: Mapping[str, Any]) -> None:
    """Raise a TypeError for options of other readers that says what to do."""
    for name, value in unknown.items():
        remedy = _OTHER_OPTIONS.get(name, "Read it by pandas, and give the frame to from_frame.")
        raise TypeError(f"Dataset.read must be given options that it has, got {name}={short_repr(value)}. {remedy}")


def first_target(target: Any, response: ResponseChoice) -> Any:
    """The column that a file is read for: the first of several targets, or the one that the response names.

    >>> first_target(["time", "died"], None), first_target(-1, None)
    ('time', -1)
    """
    named = options_of_chosen(response_chosen(response)).target
    return target[0] if isinstance(target, (list, tuple)) and target else named if named and target == -1 else target


def read_file(path: Any, kind: str | None, options: CsvOptions, missing: Any, **choices: Any) -> FileTable:
    r"""The columns of files, before they are coded; `Dataset.read` explains the arguments, `read_delimited` the other ones.

    >>> read_file(b'{"sky": "grey"}', "jsonl", CsvOptions(), []).columns
    {'sky': ['grey']}
    """
    sources = sources_of(path)
    found = format_of(sources, kind)
    try:
        return _read(sources, found, options, missing, choices)
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = f"path must be a file that can be decompressed, got {joined(map(str, sources), at_most=5)}: {error}"
        raise ValueError(message) from error


def _read(sources: list[InputFile], found: str, options: CsvOptions, missing: Any, choices: Mapping[str, Any]) -> FileTable:
    if found == "csv":
        texts = sources if options.encoding is None else [in_utf_8(source, options.encoding) for source in sources]
        return read_delimited(texts, options, missing, **choices)
    if options != CsvOptions():
        names = joined(attribute.name for attribute in fields(CsvOptions))
        raise ValueError(f"{names} must be omitted for a file that is {found}, got {options}.")
    if found == "arff":
        from ftree.files.arff import read_arff  # noqa: PLC0415  # loaded for such files only

        return read_arff(sources, missing)
    if found == "jsonl":
        return read_json_lines(sources, missing)
    series = _columns([as_frame(_frame(source, found)) for source in sources], sources)
    # One by one, so that the library's memory for a column is free before the next one is read.
    return FileTable({name: read_column(series.pop(name)) for name in list(series)}, missing)


def read_json_lines(sources: Sequence[InputFile], missing: Any) -> FileTable:
    r"""The columns of files of JSON lines, in the order in which their names first occur.

    Raises a ValueError that gives the line for text that is not an object, and for values that are objects or lists.

    >>> read_json_lines(sources_of(b'{"sky": "grey", "wind": 3}\n{"sky": "blue"}\n'), []).columns
    {'sky': ['grey', 'blue'], 'wind': [3, None]}
    """
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for n_rows, row in enumerate(chain.from_iterable(map(_rows_of_objects, sources)), 1):
        for name, value in row.items():
            columns.setdefault(name, [None] * (n_rows - 1)).append(value)
        for name in columns.keys() - row.keys():
            columns[name].append(None)
    if not n_rows:
        raise ValueError(f"{sources[0]} must have at least one row, got an empty file.")
    return FileTable(columns, missing)


def _rows_of_objects(source: InputFile) -> Iterator[dict[str, Any]]:
    """The rows one by one: their dictionaries take several times the memory of their columns."""
    return (_object(source, number, line) for number, line in enumerate(source.lines(), 1) if line.strip())


def _object(source: InputFile, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # wrong syntax, but also a number that is too long or a list that is too deep
        got = f"{short_repr(line)} in line {number}: {str(error).partition(';')[0]}"
        raise ValueError(f"Every line of {source} must be a JSON object, got {got}.") from None
    if not isinstance(row, dict):
        message = f"Every line of {source} must be a JSON object, got {type_of(row)} in line {number}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text, not in an argument's type
    for name, value in row.items():
        if isinstance(value, (dict, list)):
            got = f"{type_of(value)} in line {number} of {source}"
            message = f"Values of {short_repr(name)} must be plain, got {got}. Flatten it beforehand."
            raise ValueError(message)  # noqa: TRY004  # as above
    return row


def _columns(frames: Sequence[Any], sources: Sequence[InputFile]) -> dict[str, Any]:
    """The columns of narwhals frames, one below the other."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for frames only

    for source, frame in zip(sources, frames, strict=True):
        check_same_columns(sources[0], frames[0].columns, source, frame.columns)
    if len(frames) > 1 and frames[0].implementation.is_pyarrow():
        tables = [frame.to_native() for frame in frames]
        schema = common_schema(sources, [table.schema for table in tables])
        frames = [as_frame(table.cast(schema)) for table in tables]
    whole = nw.concat(frames) if len(frames) > 1 else frames[0]
    return {name: whole.get_column(name) for name in whole.columns if not is_index(name)}


def common_schema(sources: Iterable[object], schemas: Sequence[Any]) -> Any:
    """The Arrow schema of the first file, with the type of each column that holds the values of all files.

    A column of nulls has the others' type, whole numbers beside floats are floats. Raises a ValueError for types that no type
    holds, such as numbers and texts.

    >>> import pyarrow as pa
    >>> common_schema("ab", [pa.schema({"x": pa.null()}), pa.schema({"x": pa.int64()})]).field("x").type
    DataType(int64)
    """
    import pyarrow as pa  # noqa: PLC0415  # loaded for such files only

    types = {each.name: each.type for each in schemas[0]}
    for source, schema in zip(sources, schemas, strict=True):
        for name in types.keys() & set(schema.names):
            both = [pa.schema({name: each}) for each in (types[name], schema.field(name).type)]
            try:
                types[name] = pa.unify_schemas(both, promote_options="permissive").types[0]
            except pa.ArrowTypeError:
                got = f"{both[1].types[0]} in {source} for {short_repr(name)}"
                message = f"All files must have values of one type in a column, got {got}"
                message += f" after {types[name]}. Write them as one type."
                raise ValueError(message) from None
    return pa.schema(types)


def _frame(source: InputFile, kind: str) -> Any:
    reader = next((read for name, read in _READERS.items() if find_spec(name)), None)
    if reader is None:
        raise ModuleNotFoundError(f"{source} needs pyarrow or polars, and neither is installed. {how_to_install('files')}")
    with source.open() as file:
        try:
            return reader(file, kind)
        except Exception as error:  # each library has its own
            reason = " ".join(str(error).split()).rstrip(".")
            raise ValueError(f"{source} must be a file of the format {kind!r}, got one that cannot be read: {reason}.") from error


def _by_pyarrow(file: IO[bytes], kind: str) -> Any:
    from pyarrow import feather, parquet  # noqa: PLC0415  # loaded for such files only

    if kind == "parquet":
        # Chunks are those of the file, and one chunk is not copied; `read_table` makes more of them.
        with parquet.ParquetFile(file) as opened:
            table = opened.read()
    else:
        table = feather.read_table(file)
    table.validate(full=True)  # positions and lengths of a damaged file lead outside of its memory, its texts may be none
    return table


def _by_polars(file: IO[bytes], kind: str) -> Any:
    import polars as pl  # noqa: PLC0415  # as above

    return pl.read_parquet(file) if kind == "parquet" else pl.read_ipc(file)


_READERS = {"pyarrow": _by_pyarrow, "polars": _by_polars}
# From this many bytes on, pyarrow reads faster than Python's reader, including the time to load it.
_LARGE, _PIECE = 1 << 20, 1 << 16
# A number with zeros before it, such as a zip code, and how many rows are looked at for one.
_CODE, _FIRST_ROWS = re.compile(r"0\d+"), 1000


def read_delimited(
    sources: Sequence[InputFile],
    options: CsvOptions,
    missing: Any,
    *,
    target: str | int = -1,
    kinds: Kinds = None,
    classes: Sequence[Hashable] | None = None,
    omit: Collection[str] = (),
    block: int | None = None,
) -> FileTable:
    r"""The columns of delimited files, as numbers or booleans if all cells are, with the texts for missing.

    The labels stay text if the given classes are texts, and a column if the values of its kind are. So does a nominal column of
    codes, numbers with zeros before them. Nobody doubts the columns `omit`.

    pyarrow reads `block` bytes at a time, Python all at once if it is 0; None leaves this to the size of the files.

    Raises a TypeError or a ValueError for invalid options, and as `read_in_python` does.

    >>> from ftree.files.sources import sources_of
    >>> read_delimited(sources_of(b"a,b\n1,x\n?,y\n"), CsvOptions(), ["?"]).columns["a"].tolist()
    [1.0, nan]
    """
    _check(options)
    is_missing = missing_among(missing)
    as_text = partial(_text_columns, target, kinds, options.dates)
    layout = CsvLayout(options.header, options.delimiter, options.comment, is_missing.listed, as_text, options.decimal)
    columns = _by_arrow(sources, layout, block) or read_in_python(sources, layout)
    for each in options.dates.keys() - columns.keys():
        raise KeyError(unknown_name(each, tuple(columns)))
    if options.header is True:
        warn_of([_doubt_of_names(list(columns))])
    name = target_name(target, tuple(columns))
    kind_of = {**(kinds if isinstance(kinds, Mapping) else dict.fromkeys(columns, kinds)), name: classes}
    read = {each: _typed(each, column, kind_of.get(each), layout, options.dates) for each, column in columns.items()}
    asked = [each for each in columns if each not in {name, *omit} and kind_of.get(each) is None]
    in_doubt = [each for each in asked if not _has_text(read[each])]
    warn_of(_doubts_of_codes(sources[0], layout, list(columns), in_doubt))
    missing_texts = {each: column.missing for each, column in columns.items() if isinstance(column, Numbers)}
    return FileTable(read, missing, missing_texts)


def _check(options: CsvOptions) -> None:
    if isinstance(options.header, str) or not isinstance(options.header, (bool, Sequence)):
        choices = "True (names in the first line), False (no names) or a list of names"
        raise TypeError(f"header must be {choices}, got {short_repr(options.header)}.")
    require_one_of("decimal", options.decimal, (".", ","))
    if not isinstance(options.dates, Mapping) or not all(isinstance(form, str) for form in options.dates.values()):
        wanted = "the formats of columns by name, such as {'day': '%d/%m/%Y'}"
        raise TypeError(f"dates must be {wanted}, got {short_repr(options.dates)}.")
    for name, value in (("delimiter", options.delimiter), ("comment", options.comment)):
        one = value.removesuffix(" ") if name == "delimiter" and isinstance(value, str) and len(value) > 1 else value
        if value is not None and not (isinstance(one, str) and len(one) == 1 and one not in '"\r\n'):
            raise ValueError(f"{name} must be one character other than a quote or the end of a line, got {short_repr(value)}.")


def _doubt_of_names(names: list[str]) -> Doubt | None:
    """A header with more numbers than texts is probably a row."""
    in_doubt = 2 * sum(map(reads_as_number, names)) > len(names)
    return Doubt(joined(names, at_most=5), "a row as names") if in_doubt else None


def _doubts_of_codes(source: InputFile, layout: CsvLayout, names: Sequence[str], in_doubt: Collection[str]) -> list[Doubt]:
    """Numbers that are written with zeros before them are probably codes; the first rows of a file tell."""
    records = read_records(source, layout, lambda records: list(islice(records, layout.header is True, _FIRST_ROWS)))
    cells = dict(zip(names, zip_longest(*(cells for _, cells in records), fillvalue=""), strict=False))
    codes = [(name, next(filter(_CODE.fullmatch, cells[name]), None)) for name in in_doubt]
    return [Doubt(name, "a code", code=code) for name, code in codes if code]


def _has_text(column: Any) -> bool:
    return any(isinstance(value, str) for value in getattr(column, "values", ()))


def _by_arrow(sources: Sequence[InputFile], layout: CsvLayout, block: int | None) -> Mapping[str, ColumnPart] | None:
    """The columns read by pyarrow; None if Python's reader must read them."""
    if block is None:
        block = BLOCK if find_spec("pyarrow") and any(map(_is_large, sources)) else 0
    if block == 0 or layout.decimal != ".":
        return None
    try:
        return read_by_arrow(sources, layout, block)
    except Irregular:
        return None


def _is_large(source: InputFile) -> bool:
    with source.open() as file:
        return all(len(file.read(_PIECE)) == _PIECE for _ in range(_LARGE // _PIECE))


def _text_columns(target: str | int, kinds: Kinds, dates: Collection[str], names: Sequence[str]) -> set[str]:
    """The columns that are never read as floats: the target, those whose texts are values, and dates."""
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(names, kinds)
    return {target_name(target, names), *dates} | {name for name in names if not _may_be_floats(kind_of.get(name))}


def _may_be_floats(kind: Any) -> bool:
    return kind is None or (isinstance(kind, str) and kind == "numeric")


def _typed(name: str, column: ColumnPart, kind: Any, layout: CsvLayout, dates: Mapping[str, str]) -> Any:
    """Floats, or texts as dates of the column's form, or as numbers or booleans if all of them are."""
    if isinstance(column, Numbers):
        return column.floats
    if name in dates:
        return Encoded(column.codes, times_of_form(name, column.values, layout.missing, dates[name]))
    if is_text_kind(kind) or (isinstance(kind, str) and kind == "nominal" and any(map(_CODE.fullmatch, column.values))):
        return column
    return Encoded(column.codes, typed_texts(column.values, layout.missing, layout.decimal))
