"""One child for each interval of a numeric or ordinal feature."""

import re
from contextlib import suppress
from itertools import pairwise
from math import inf, isfinite, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import must_be
from ftree._lib.messages import short_repr
from ftree.tree.conditions import Between
from ftree.tree.schema import Schema
from ftree.tree.splits import shared
from ftree.tree.splits.split import BETWEEN, UNKNOWN, Integers, TableForm

# The key of an interval: above the first number, and at most the second.
_INTERVAL = re.compile(r"\((\S+), (\S+)[])]")


def _numbers(cuts: Any) -> tuple[float, ...]:
    try:
        return tuple(map(shared.as_number, cuts))
    except TypeError:
        raise TypeError(f"cuts must be a sequence of finite numbers, got {short_repr(cuts)}.") from None


def _rise(cuts: tuple[float, ...]) -> bool:
    return bool(cuts) and all(map(isfinite, cuts)) and all(low < high for low, high in pairwise(cuts))


@frozen
class Intervals(shared.OfOneFeature):
    """One child for each interval between cuts: child 0 for x <= cuts[0], child 1 for cuts[0] < x <= cuts[1], and so on.

    x is a value of a numeric feature, or a code of an ordinal one. Raises a ValueError for cuts that do not increase.

    >>> Intervals(2, cuts=(2.45, 4.75))
    Intervals(feature=2, cuts=(2.45, 4.75))
    """

    cuts: tuple[float, ...] = field(
        converter=_numbers, validator=must_be("one or more finite numbers in increasing order", _rise)
    )
    answers_all_known = True

    @property
    def n_children(self) -> int:
        """The number of cuts plus one."""
        return len(self.cuts) + 1

    @property
    def conditions(self) -> tuple[Between, ...]:
        """The intervals."""
        return tuple([Between(self.feature, *ends) for ends in self._ends()])

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """The number of the interval; -1 where the value is missing."""
        return np.where(missing_cells(column), UNKNOWN, np.searchsorted(self.cuts, column.astype(np.float64)))

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for a nominal feature, or for cuts outside an ordinal one's codes."""
        shared.check_cuts(schema.features[self.feature], self, self.cuts)

    def recoded(self, old: Schema, new: Schema) -> "Intervals":
        """The intervals in another schema's numbers. Raises a ValueError where a cut has no position there."""
        return Intervals(shared.recoded_feature(old, new, self.feature), shared.recoded_cuts(old, new, self.feature, self.cuts))

    def bits(self, distinct: float) -> float:
        """log2 of the number of ways to choose the cuts among those between distinct values."""
        places = max(distinct - 1, len(self.cuts))
        return sum(log2((places - chosen) / (chosen + 1)) for chosen in range(len(self.cuts)))

    def tables(self) -> TableForm:
        """The question between which cuts the number lies."""
        return TableForm(BETWEEN, self.feature, numbers=self.cuts, terms=(self.feature,) * len(self.cuts))

    def to_keys(self, schema: Schema) -> tuple[str, tuple[str, ...]]:
        """The feature's name, and "(above, at most]" for each interval; the last is "(above, inf)"."""
        ends = [f"({above!r}, {at_most!r}{')' if at_most == inf else ']'}" for above, at_most in self._ends()]
        return schema.features[self.feature].name, tuple(ends)

    @classmethod
    def from_keys(cls, schema: Schema, name: Any, keys: tuple[Any, ...]) -> "Intervals | None":
        """The intervals that keys stand for."""
        number, feature = shared.feature_named(schema, name)
        cuts = None if feature.kind == "nominal" else _cuts(keys)
        return None if cuts is None else cls(number, cuts)

    def _ends(self) -> list[tuple[float, float]]:
        return list(pairwise((-inf, *self.cuts, inf)))


def _cuts(keys: tuple[Any, ...]) -> list[float] | None:
    """The cuts between consecutive intervals; None for other keys."""
    found = [_INTERVAL.fullmatch(key) if isinstance(key, str) else None for key in keys]
    with suppress(ValueError):
        ends = [(shared.number_of(each[1]), shared.number_of(each[2])) for each in found if each]
        cuts = [above for above, _ in ends[1:]]
        if len(ends) == len(keys) and ends == list(pairwise((-inf, *cuts, inf))):
            return cuts
    return None
