"""Delimited files as columns: which reader reads them, which columns stay text, and what is doubted.

pyarrow reads large regular files where it is installed, Python's reader all others; both give each column as distinct texts and
codes, or as floats where all its cells are exact numbers, so the dataset does not depend on the reader.
"""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice, zip_longest
from typing import Any

from attrs import field, frozen

from ftree._lib.fields import require_one_of
from ftree._lib.messages import joined, short_repr, warn_of
from ftree.data.columns import Encoded
from ftree.data.doubts import Doubt
from ftree.data.frames import target_name
from ftree.data.kinds import Kinds, is_text_kind
from ftree.data.values import missing_among, reads_as_number
from ftree.files.csv_by_arrow import BLOCK, Irregular, read_by_arrow
from ftree.files.csv_by_python import read_in_python, read_records
from ftree.files.csv_columns import ColumnPart, CsvLayout, Numbers, times_of_form, typed_texts
from ftree.files.sources import FileTable, InputFile
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
    as_text, listed = partial(_text_columns, target, kinds, options.dates), missing_among(missing).listed
    layout = CsvLayout(options.header, options.delimiter, options.comment, listed, as_text, options.decimal)
    columns = _by_arrow(sources, layout, block) or read_in_python(sources, layout)
    for each in options.dates.keys() - columns.keys():
        raise KeyError(unknown_name(each, tuple(columns)))
    if options.header is True:
        warn_of([_doubt_of_names(list(columns))])
    name = target_name(target, tuple(columns))
    kind_of = {**_kind_of_each(kinds, columns), name: classes}
    read = {each: _typed(each, column, kind_of.get(each), layout, options.dates) for each, column in columns.items()}
    inferred = [each for each in columns if each not in {name, *omit} and kind_of.get(each) is None]
    warn_of(_doubts_of_codes(sources[0], layout, list(columns), [each for each in inferred if not _has_text(read[each])]))
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
    in_doubt, shown = 2 * sum(map(reads_as_number, names)) > len(names), joined(names, at_most=5)
    text = f"The first line was taken for names, {shown}. If it is a row, write header=False."
    return Doubt("a row as names", shown, text) if in_doubt else None


def _doubts_of_codes(source: InputFile, layout: CsvLayout, names: Sequence[str], in_doubt: Collection[str]) -> list[Doubt]:
    """Numbers that are written with zeros before them are probably codes; the first rows of a file tell."""
    records = read_records(source, layout, lambda records: list(islice(records, layout.header is True, _FIRST_ROWS)))
    cells = dict(zip(names, zip_longest(*(cells for _, cells in records), fillvalue=""), strict=False))
    codes = [(name, next(filter(_CODE.fullmatch, cells[name]), None)) for name in in_doubt]
    return [Doubt("a code", name, _text_of_code(name, code)) for name, code in codes if code]


def _text_of_code(name: str, code: str) -> str:
    remedy = f"If it is a code, give kinds={{{name!r}: 'nominal'}}."
    return f"Feature {name!r} is numeric, and {code!r} is read as a number. {remedy}"


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
    kind_of = _kind_of_each(kinds, names)
    return {target_name(target, names), *dates} | {name for name in names if not _may_be_floats(kind_of.get(name))}


def _kind_of_each(kinds: Kinds, names: Iterable[str]) -> Mapping[str, Any]:
    """The kind of each column that is given one: one kind is that of all."""
    return kinds if isinstance(kinds, Mapping) else dict.fromkeys(names, kinds)


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
