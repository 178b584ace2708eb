"""Columns of delimited files, as both readers make them: how a file is read, and what its cells become.

A reader returns each column as floats where all its cells are numbers, else as distinct texts and the code of each row:

    a cell      is a number if `number_in_text` reads it, or pyarrow, which reads fewer forms; or it means missing
    a block     is numbers if each of its cells is, and a float holds each exactly (`CsvLayout.part`, `are_numbers`)
    a column    is numbers if all of its blocks are, and a value is known; else it is read again as text (`must_be_text`)

So the texts of a long column of numbers are never all in memory. A column of text may yet hold whole numbers that no float holds,
booleans, or labels that are numbers: `typed_texts`.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import datetime
from functools import cached_property, partial
from itertools import chain, groupby
from math import nan
from typing import Any, TypeAlias

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree.data.columns import Encoded
from ftree.data.frames import name_in_place
from ftree.data.values import TRUTHS, as_float, in_order, number_in_text, whole_in_text
from ftree.files.sources import InputFile, check_same_columns
from ftree.tree.schema import as_name

# Below this number, all whole numbers are floats.
_EXACT = 2.0**53
# Python takes 100 bytes for a text's code in a dictionary. So a dictionary with more than so many texts, and more than an eighth
# of those already set aside, is set aside too; few have to be merged.
_MANY = 1 << 12
_SHARE = 8


@frozen(eq=False)
class Numbers:
    """A column of floats, NaN where a value is missing, and the texts for missing that occurred."""

    floats: Array
    missing: Collection[Hashable] = ()


# A column, or a block's part of one.
ColumnPart: TypeAlias = Numbers | Encoded


@frozen(eq=False)
class CsvLayout:
    """How files are read: header, delimiter, comment, words for missing and the sign before decimals as users give them.

    `as_text` chooses, of all columns, those that stay text.
    """

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None
    missing: Collection[Any] = ()
    as_text: Callable[[Sequence[str]], Collection[str]] = lambda _: ()
    decimal: str = "."

    def names(self, first: list[str]) -> list[str]:
        """The names of columns, given the cells of the first record."""
        if self.header is True:
            return [name_in_place(name, number) for number, name in enumerate(without_empty_end(first))]
        return list(map(as_name, self.header or (f"x{number}" for number in range(len(first)))))

    def texts(self, names: Sequence[str]) -> Collection[str]:
        """The columns that stay text; all if the target does not exist, which is an error once the whole file is read."""
        try:
            return self.as_text(names)
        except ValueError:
            return names

    def part(self, column: Encoded) -> ColumnPart:
        """A block's texts as numbers where all that are not missing are exact numbers, else unchanged.

        >>> from ftree.data.columns import encoded_values
        >>> CsvLayout(missing=["?"]).part(encoded_values(["1", "?"]))
        Numbers(floats=array([ 1., nan]), missing=frozenset({'?'}))
        """
        missing = self.words.intersection(column.values)
        numbers = _parsed(column.values, missing, partial(number_in_text, decimal=self.decimal), nan)
        if numbers is None:
            return column
        floats, n_missing = np.array(numbers), sum(text in missing for text in column.values) if missing else 0
        return Numbers(floats[column.codes], missing) if self.are_numbers(floats, n_missing) else column

    def are_numbers(self, floats: Array, n_missing: int = 0) -> bool:
        """Whether floats are the numbers in the file, except for `n_missing` NaNs, and none of them means missing.

        >>> layout = CsvLayout(missing=["-9"])
        >>> layout.are_numbers(np.array([1.5, 2.0])), layout.are_numbers(np.array([-9.0]))
        (True, False)
        >>> layout.are_numbers(np.array([2.0**53]))  # it may be 2**53 + 1 in the file
        False
        """
        if self._missing_numbers and np.isin(floats, self._missing_numbers).any():
            return False
        known = floats[~np.isnan(floats)] if n_missing else floats
        # NaN makes the minimum NaN, and the comparison false.
        are_exact = not known.size or bool(-_EXACT < known.min() <= known.max() < _EXACT)
        return are_exact and len(floats) == len(known) + n_missing

    @cached_property
    def words(self) -> frozenset[str]:
        """The texts that mean missing."""
        return frozenset(value for value in self.missing if isinstance(value, str))

    @cached_property
    def _missing_numbers(self) -> list[float]:
        """The numbers that mean missing, including those that are given as texts."""
        return [number for value in self.missing for number in _as_numbers(value)]


def _as_numbers(value: Any) -> list[float]:
    """A number, or a text that is one, as a float in a list; an empty list for NaN and for anything else."""
    try:
        number = number_in_text(value) if isinstance(value, str) else as_float(value)
    except (TypeError, ValueError, OverflowError):
        return []
    return [number] if number == number else []  # noqa: PLR0124  # NaN


@define(eq=False)
class CsvColumn:
    """A column as far as it is read: floats, or a code for each distinct text and the codes of rows.

    >>> from ftree.data.columns import encoded_values
    >>> column = CsvColumn()
    >>> for cells in ("b", "a", "b"):
    ...     column.add(encoded_values([cells]))
    >>> column.parts()
    [Encoded(codes=array([0, 1, 0], dtype=int32), values=['b', 'a'], ordered=None)]
    """

    missing: set[Hashable] = field(factory=set, init=False)
    _floats: list[Array] = field(factory=list, init=False)
    _code_of: dict[str, int] = field(factory=dict, init=False)
    _codes: list[Array] = field(factory=list, init=False)
    _set_aside: list[Encoded] = field(factory=list, init=False)

    @property
    def has_numbers(self) -> bool:
        """Whether a block of the column is numbers."""
        return bool(self._floats)

    @property
    def has_texts(self) -> bool:
        """Whether a block of the column is texts."""
        return bool(self._codes or self._set_aside)

    @property
    def must_be_text(self) -> bool:
        """Whether a column that was read as numbers has other cells as well, or none that is known."""
        is_unknown = bool(self.missing) and all(np.isnan(each).all() for each in self._floats)
        return self.has_numbers and (self.has_texts or is_unknown)

    def add(self, part: ColumnPart) -> None:
        """Add a block's cells at the end."""
        if isinstance(part, Numbers):
            self._floats.append(part.floats + 0.0)  # minus zero is zero, as it is as a whole number
            self.missing.update(part.missing)
            return
        code_of = self._code_of
        codes = [code_of.setdefault(text, len(code_of)) for text in part.values]
        self._codes.append(np.array(codes, np.int32)[part.codes])
        if len(code_of) > max(_MANY, sum(len(each.values) for each in self._set_aside) // _SHARE):
            self._put_aside()

    def parts(self) -> list[ColumnPart]:
        """The column's numbers and its texts, one of them for a column that need not be read again."""
        numbers = [Numbers(np.concatenate(self._floats), in_order(self.missing))] if self.has_numbers else []
        if self._codes:
            self._put_aside()
        return [*numbers, *([_merged(self._set_aside)] if self.has_texts else [])]

    def _put_aside(self) -> None:
        self._set_aside.append(Encoded(np.concatenate(self._codes), list(self._code_of)))
        self._code_of, self._codes = {}, []


def _merged(parts: list[Encoded]) -> Encoded:
    """The rows of parts, one after another; the texts of several parts are sorted."""
    if len(parts) == 1:
        return parts[0]
    texts = [text for text, _ in groupby(sorted(chain.from_iterable(part.values for part in parts)))]
    places = (np.fromiter(map(partial(bisect_left, texts), part.values), np.int32, len(part.values)) for part in parts)
    return Encoded(np.concatenate([each[part.codes] for each, part in zip(places, parts, strict=True)]), texts)


def columns_of_files(
    sources: Sequence[InputFile], layout: CsvLayout, read: Callable[[InputFile, Collection[str] | None], dict[str, CsvColumn]]
) -> dict[str, ColumnPart]:
    """The columns of files by a reader of one file: all of them, or some columns as texts.

    Columns that turn out to hold texts after numbers are read again; floats first, since they take a tenth of the memory.
    """
    columns = _one_below_the_other(sources, read, None)
    texts = set(layout.as_text(list(columns)))
    late = {name for name, column in columns.items() if column.must_be_text or (name in texts and column.has_numbers)}
    if late:
        columns |= dict.fromkeys(late, CsvColumn())  # the memory of the first reading is free during the second one
        columns |= _one_below_the_other(sources, read, late)
    return {name: columns.pop(name).parts()[0] for name in list(columns)}


def _one_below_the_other(
    sources: Sequence[InputFile],
    read: Callable[[InputFile, Collection[str] | None], dict[str, CsvColumn]],
    only: Collection[str] | None,
) -> dict[str, CsvColumn]:
    columns = read(sources[0], only)
    for source in sources[1:]:
        others = read(source, only)
        check_same_columns(sources[0], list(columns), source, list(others))
        for name, column in columns.items():
            for part in others.pop(name).parts():
                column.add(part)
    return columns


def without_empty_end(cells: list[str]) -> list[str]:
    """The cells up to the last one that is not blank.

    >>> without_empty_end(["a", "", "b", " "])
    ['a', '', 'b']
    """
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def typed_texts(cells: Sequence[str], missing: Collection[Any], decimal: str = ".") -> Sequence[Any]:
    """Cells as numbers if all that are not missing are numbers, as booleans if all are booleans, else unchanged.

    >>> typed_texts(["1", "?", "2.5"], ["?"]), typed_texts(["TRUE", "false"], ["?"]), typed_texts(["1", "red"], ["?"])
    ([1.0, '?', 2.5], [True, False], ['1', 'red'])
    """
    parsers = whole_in_text, partial(number_in_text, decimal=decimal), TRUTHS.__getitem__
    return next((found for parse in parsers if (found := _parsed(cells, missing, parse)) is not None), cells)


def _parsed(cells: Sequence[str], missing: Collection[Any], parse: Callable[[str], Any], gap: Any = None) -> list[Any] | None:
    """All cells as `parse` reads them; None if it raises an error for one. Missing cells stay, or become the `gap`."""
    try:
        return [(cell if gap is None else gap) if cell in missing else parse(cell) for cell in cells]
    except (ValueError, KeyError):
        return None


def times_of_form(name: str, cells: Sequence[str], missing: Collection[Any], form: str, shown: str | None = None) -> list[Any]:
    """Cells of a column as dates and times in a form of Python's `strptime`, unchanged where they are missing.

    Messages have the form as it is `shown`. Raises a ValueError for another text, and for a form that has a part twice.

    >>> times_of_form("day", ["29/02/2020", "?"], ["?"], "%d/%m/%Y")
    [datetime.datetime(2020, 2, 29, 0, 0), '?']
    """
    return [cell if cell in missing else _time_of_form(name, cell, form, shown or form) for cell in cells]


def _time_of_form(name: str, text: str, form: str, shown: str) -> datetime:
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007  # such dates have no time zone
    except (ValueError, re.error):  # of a form with a part twice, there is no pattern
        wanted = f"dates of the form {short_repr(shown)}"
        raise ValueError(f"Values of {short_repr(name)} must be {wanted}, got {short_repr(text)}.") from None
