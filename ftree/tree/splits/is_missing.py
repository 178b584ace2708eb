"""Two children: the value is known, or it is missing."""

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.arrays import missing_cells
from ftree.tree.conditions import Missing, NoneOf
from ftree.tree.schema import Schema
from ftree.tree.splits.shared import OfOneFeature, recoded_feature
from ftree.tree.splits.split import ABOVE, Integers, TableForm


@frozen
class IsMissing(OfOneFeature):
    """Child 0 where the feature's value is known, child 1 where it is missing; a value that the schema lacks has no answer.

    Source: Twala, Jones & Hand 2008 (missing incorporated in attributes).

    >>> IsMissing(2)
    IsMissing(feature=2)
    """

    n_children = 2
    answers_all_known = True

    @property
    def conditions(self) -> tuple[NoneOf, Missing]:
        """The value is known; it is missing."""
        return NoneOf(self.feature), Missing(self.feature)

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """1 where the value is missing, else 0."""
        return missing_cells(column).astype(np.intp)

    def recoded(self, old: Schema, new: Schema) -> "IsMissing":
        """The split of the feature of that name. Raises a ValueError where it does not exist, or has another kind."""
        return IsMissing(recoded_feature(old, new, self.feature))

    def bits(self, _: float) -> float:
        """No bits: the feature alone determines the split."""
        return 0.0

    def tables(self) -> TableForm:
        """A threshold at infinity: no number is above it, and a missing value goes to child 1."""
        return TableForm(ABOVE, self.feature, np.inf, default_child=1)
