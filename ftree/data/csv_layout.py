"""The layout by which delimited files are read, for all readers, and which of their cells are exact numbers."""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.csv_parts import Numbers
from ftree.data.numbers import as_float, number_in_text

# Below this number, all whole numbers are floats.
_EXACT = 2.0**53


@frozen(eq=False)
class Layout:
    """How files are read: header, delimiter, comment and words for missing as users give them.

    `as_text` chooses, of all columns, those that stay text.
    """

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None
    missing: Collection[Any] = ()
    as_text: Callable[[Sequence[str]], Collection[str]] = lambda _: ()

    @cached_property
    def words(self) -> list[str]:
        """The texts that mean missing; cells have no blanks around them."""
        return [value for value in self.missing if isinstance(value, str) and value == value.strip()]

    @cached_property
    def missing_numbers(self) -> list[float]:
        """The numbers that mean missing, including those that are given as texts."""
        return [number for value in self.missing for number in _as_numbers(value)]

    def are_numbers(self, floats: Array, n_missing: int = 0) -> bool:
        """Whether floats are the numbers in the file, except for `n_missing` NaNs, and none of them means missing.

        >>> Layout(missing=["-9"]).are_numbers(np.array([1.5, 2.0])), Layout(missing=["-9"]).are_numbers(np.array([-9.0]))
        (True, False)
        """
        if self.missing_numbers and np.isin(floats, self.missing_numbers).any():
            return False
        if n_missing:
            return int(np.isnan(floats).sum()) == n_missing and not (np.abs(floats) >= _EXACT).any()
        return not floats.size or bool(
            -_EXACT < floats.min() <= floats.max() < _EXACT
        )  # NaN makes the minimum NaN, and the comparison false

    def numbers(self, cells: Sequence[str]) -> Numbers | None:
        """Cells as floats; None if one is neither a missing text nor an exact number.

        >>> Layout(missing=["?"]).numbers(["1", "?"]), Layout().numbers(["1", "red"])
        (Numbers(floats=array([ 1., nan]), missing=frozenset({'?'})), None)
        """
        missing = frozenset(self.words).intersection(cells)
        try:
            floats = np.array([nan if cell in missing else number_in_text(cell) for cell in cells])
        except ValueError:
            return None
        n_missing = sum(cell in missing for cell in cells) if missing else 0
        return Numbers(floats, missing) if self.are_numbers(floats, n_missing) else None


def _as_numbers(value: Any) -> list[float]:
    """A number, or a text that is one, as a float in a list; an empty list for NaN and for anything else."""
    try:
        number = number_in_text(value) if isinstance(value, str) else as_float(value)
    except (TypeError, ValueError, OverflowError):
        return []
    return [number] if number == number else []  # noqa: PLR0124  # NaN
