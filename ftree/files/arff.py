"""Weka's ARFF files: nominal attributes with declared values, numbers, texts and dates.

Source: Witten, Frank, Hall & Pal, Data Mining (4th edition), section 2.4.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded, encoded_values
from ftree.data.values import missing_among
from ftree.files.csv_columns import times_of_form, typed_texts
from ftree.files.sources import FileTable, InputFile, check_same_columns

# A value: in quotes, with a backslash before each quote inside, or up to the next comma.
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")
_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.*)""", re.IGNORECASE)
# A comment after a blank, and the quoted values in which there is none; a row's weight, in braces at its end.
_COMMENT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<!\S)(%)""")
_WEIGHT = re.compile(r"(.*?)\s*,\s*\{\s*([^{}\s]+)\s*\}")
# An attribute's number and its value in a sparse row.
_SEPARATE = re.compile(r"""((?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"])*),""")
_PAIR = re.compile(r"""\s*(?P<place>\d{1,9})\s+(?P<value>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s'"][^'"]*?)\s*""")
# The value of an attribute that a sparse row does not list; a nominal attribute has its first value.
_UNLISTED = {"numeric": "0", "string": "?", "date": "?"}
_ESCAPED = re.compile(r"\\(.)")
_NUMERIC = ("numeric", "real", "integer")
# The letters of Java's date formats, and Python's equivalents.
_DATE_LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "'": ""}
_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
# A line's number, and the line without blanks around it.
Line: TypeAlias = tuple[int, str]


@frozen
class Attribute:
    """A declared column: its name, its type, and the values of a nominal one or the format of a date."""

    name: str
    type: str
    values: tuple[str, ...] = field(default=(), converter=as_tuple)


def read_arff(sources: Sequence[InputFile], missing: Any) -> FileTable:
    r"""The columns of ARFF files with the same attributes; declared values are known values, in declared order.

    A row may end with its weight, `, {5}`, and a line with a comment, ` % why`. A sparse row, in braces, lists the numbers of
    attributes with their values. Others are 0, or the first declared value; texts and dates are missing.

    Raises a ValueError that gives the line for text that is not ARFF, and for relational attributes.

    >>> from ftree.files.sources import sources_of
    >>> text = b"@relation r\n@attribute size {S, M, L}\n@attribute n numeric\n@data\nM, 1\n?, 2.5"
    >>> table = read_arff(sources_of(text), ["?"])
    >>> table.declared, table.columns["n"].tolist()
    ({'size': ('S', 'M', 'L')}, [1.0, 2.5])
    """
    attributes, rows = _read(sources[0])
    for source in sources[1:]:
        others, more = _read(source)
        check_same_columns(sources[0], _names(attributes), source, _names(others))
        rows += more
    if not rows:
        raise ValueError(f"{sources[0]} must have at least one row after @data, got none.")
    declared = {each.name: each.values for each in attributes if each.type == "nominal"}
    is_missing = missing_among(missing).but(value for values in declared.values() for value in values)
    lines, weights, listed = zip(*rows, strict=True)
    cells = zip(*listed, strict=True)
    columns = {each.name: _column(each, column, lines, is_missing.listed) for each, column in zip(attributes, cells, strict=True)}
    return FileTable(columns, is_missing.listed, declared=declared, weights=weights if set(weights) != {"1"} else None)


def _names(attributes: Sequence[Attribute]) -> list[str]:
    return [each.name for each in attributes]


def _read(source: InputFile) -> tuple[list[Attribute], list[tuple[int, str, list[str]]]]:
    """The attributes of a file, and its rows with their line numbers and weights."""
    numbered = ((number, _without_comment(line.strip())) for number, line in enumerate(source.lines(), 1))
    lines = ((number, line) for number, line in numbered if line)
    attributes = _attributes(source, lines)
    return attributes, [(number, *_row(source, attributes, number, line)) for number, line in lines]


def _without_comment(line: str) -> str:
    found = next(filter(lambda match: match[1], _COMMENT.finditer(line)), None) if "%" in line else None
    return line if found is None else line[: found.start()].rstrip()


def _attributes(source: InputFile, lines: Iterator[Line]) -> list[Attribute]:
    attributes: list[Attribute] = []
    for number, line in lines:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            return attributes
        if keyword == "@attribute":
            attributes.append(_attribute(source, number, line))
        elif keyword != "@relation":
            got = f"{short_repr(line)} in line {number}"
            raise ValueError(f"A line before @data in {source} must begin with @relation or @attribute, got {got}.")
    raise ValueError(f"{source} must have a line @data, got none.")


def _attribute(source: InputFile, number: int, line: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    *quoted, declared = match.groups() if match else ("", "")
    name = next((_unescaped(each) for each in quoted if each), "")
    kind, rest = [*declared.split(None, 1), "", ""][:2]
    if name and declared.startswith("{") and declared.endswith("}"):
        return Attribute(name, "nominal", _values(declared[1:-1]))
    if name and declared.lower() in (*_NUMERIC, "string"):
        return Attribute(name, "string" if declared.lower() == "string" else "numeric")
    if name and kind.lower() == "date":
        return Attribute(name, "date", [rest.strip().strip('"') or _ISO_DATE])
    raise ValueError(
        f"An attribute of {source} must have a name and a type, {{values}}, numeric, string or date, "
        f"got {short_repr(line)} in line {number}."
    )


def _row(source: InputFile, attributes: Sequence[Attribute], number: int, line: str) -> tuple[str, list[str]]:
    """The weight of a row, as text, and its values."""
    weighted = _WEIGHT.fullmatch(line) if line.endswith("}") else None
    line, weight = weighted.groups() if weighted else (line, "1")
    if line.startswith("{"):
        return weight, _sparse_row(source, attributes, number, line)
    values = _values(line)
    if len(values) != len(attributes):
        raise ValueError(f"Every row of {source} must have {len(attributes)} values, got {len(values)} in line {number}.")
    return weight, values


def _sparse_row(source: InputFile, attributes: Sequence[Attribute], number: int, line: str) -> list[str]:
    """The values of a row that lists only those other than 0, where 0 is the first declared value (Weka's manual)."""
    values = [_UNLISTED.get(each.type) or next(iter(each.values), "?") for each in attributes]
    inside = line[1:-1].strip()
    pairs = [_PAIR.fullmatch(pair) for pair in _SEPARATE.findall(inside + ",")] if inside else []
    places = [int(pair["place"]) for pair in pairs if pair]
    if not (line.endswith("}") and all(pairs) and places == sorted(set(places)) and all(each < len(values) for each in places)):
        wanted = f"{{number value, ...}}, with numbers of attributes below {len(values)}, increasing, each with a value"
        raise ValueError(f"A sparse row of {source} must be {wanted}, got {short_repr(line)} in line {number}.")
    for pair in filter(None, pairs):
        values[int(pair["place"])] = _values(pair["value"])[0]
    return values


def _values(text: str) -> list[str]:
    """The values of a line between commas, without quotes; none follow an open quote."""
    values, place = [], 0
    while place <= len(text) and (match := _VALUE.match(text, place)):
        values.append(next(_unescaped(each) for each in match.groups() if each is not None))
        place = match.end() + (not match.group().endswith(","))
    return values


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _column(attribute: Attribute, cells: Sequence[str], lines: Sequence[int], missing: Collection[Any]) -> Any:
    """The cells of an attribute, converted as it declares."""
    encoded = encoded_values(cells)
    if attribute.type == "nominal":
        strange = set(encoded.values) - set(missing) - set(attribute.values)
        _refuse(attribute, cells, lines, strange, f"among {joined(map(short_repr, attribute.values))}")
    if attribute.type == "numeric":
        typed = typed_texts(encoded.values, missing)
        others = {text for text, value in zip(encoded.values, typed, strict=True) if isinstance(value, str | bool)}
        strange = {text for text in others - set(missing) if isinstance(typed_texts([text], ())[0], str | bool)}
        _refuse(attribute, cells, lines, strange, "numbers, as declared")
        return Encoded(encoded.codes, typed)
    if attribute.type == "date":
        form = re.sub("|".join(_DATE_LETTERS), lambda found: _DATE_LETTERS[found.group()], attribute.values[0])
        return Encoded(encoded.codes, times_of_form(attribute.name, encoded.values, missing, form, attribute.values[0]))
    return encoded


def _refuse(attribute: Attribute, cells: Sequence[str], lines: Sequence[int], strange: Collection[str], wanted: str) -> None:
    """Raise a ValueError that gives the line of the first strange cell, if there is one."""
    if strange:
        row = next(row for row, cell in enumerate(cells) if cell in strange)
        got = f"{short_repr(cells[row])} in line {lines[row]}"
        raise ValueError(f"Values of {short_repr(attribute.name)} must be {wanted}, got {got}.")
