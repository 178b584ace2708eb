"""Splits with an answer for missing values: whether the value is known, and any split with a child for the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import is_whole_number, must_be, true_or_false
from ftree._lib.messages import short_repr
from ftree.tree.conditions import (
    AnyOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    OneOf,
    SumBetween,
    alternatives,
    without_text,
)
from ftree.tree.schema import Schema
from ftree.tree.splits.shared import OfOneFeature, recoded, recoded_feature, renumbered
from ftree.tree.splits.split import (
    ABOVE,
    UNKNOWN,
    Integers,
    Split,
    TableForm,
    answers_all_known,
    bits,
    child_of,
    is_split,
    primary,
    require_fit,
    table_form,
    with_observed,
)


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


def _a_child(of: Any, _: Any, child: Any) -> None:
    most = of.split.n_children
    if not is_whole_number(child, 0, most):
        wanted = f"a whole number from 0 to {most}, the number of the split's children"
        raise ValueError(f"default_child must be {wanted}, got {short_repr(child)}.")


@frozen
class WithDefault:
    """A split with a `default_child` for missing values: one of its children, or an additional last child.

    Values that the split does not know have no answer; with `unseen`, they go to the default child as well.

    Raises a TypeError for anything that is not a split, a ValueError for the number of a child that does not exist.

    Source: Twala, Jones & Hand 2008 (missing incorporated in attributes).

    >>> from ftree.tree import Multiway, Threshold
    >>> WithDefault(Threshold(0, 2.5), default_child=1).n_children, WithDefault(Multiway(0, (0, 1)), default_child=2).n_children
    (2, 3)
    """

    split: Split = field(validator=must_be("a split such as Threshold(0, 0.5)", is_split, error=TypeError))
    default_child: int = field(kw_only=True, validator=_a_child)
    unseen: bool = field(default=False, kw_only=True, validator=true_or_false)

    @property
    def features(self) -> tuple[int, ...]:
        """The features of the split."""
        return self.split.features

    @property
    def n_children(self) -> int:
        """The split's number of children, or one more."""
        return max(self.split.n_children, self.default_child + 1)

    @property
    def answers_all_known(self) -> bool:
        """Whether each row without missing values has a child."""
        return self.unseen or answers_all_known(self.split)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the split; that of the default child holds as well where a value is missing and none of them does."""
        stated = list(self.split.conditions)
        others = alternatives([each for child, each in enumerate(stated) if child != self.default_child])
        own = stated[self.default_child : self.default_child + 1]
        missing, pairs = list(map(Missing, self.features)), list[tuple[Condition, Condition]]()
        if all(isinstance(without_text(each), (Between, OneOf, NoneOf, SumBetween)) for each in stated):
            own += missing
        else:
            pairs.append((alternatives(missing), AnyOf(())))
        pairs.insert(0, (alternatives(own), others))
        stated[self.default_child : self.default_child + 1] = [FirstKnown(pairs, default=self.unseen)]
        return tuple(stated)

    def child(self, *columns: npt.NDArray[Any]) -> Integers:
        """The child that the split gives, else `default_child` where a value is missing."""
        child = child_of(self.split, *columns)
        missing = self.unseen | np.logical_or.reduce(list(map(missing_cells, columns)))
        return np.where((child == UNKNOWN) & missing, self.default_child, child)

    def check(self, schema: Schema) -> None:
        """Raise a ValueError where the split does not fit."""
        require_fit(schema, self.split)

    def renumbered(self, features: Sequence[int], n: int) -> "WithDefault":
        """The split with its features renumbered."""
        return evolve(self, split=renumbered(self.split, features, n))

    def recoded(self, old: Schema, new: Schema) -> "WithDefault":
        """The split in another schema's numbers. Raises a ValueError where it cannot be expressed there."""
        return evolve(self, split=recoded(self.split, old, new))

    def at_observed(self, values: Sequence[Any]) -> "WithDefault":
        """The split with thresholds at observed values."""
        moved = with_observed(self.split, values)
        return self if moved is self.split else evolve(self, split=moved)

    def bits(self, distinct: float) -> float | None:
        """The bits of the split."""
        return bits(primary(self.split), distinct)

    def tables(self) -> TableForm | None:
        """The question of the split, with another default child; None if the split has no table form."""
        own = table_form(self.split)
        if own is None:
            return None
        missing = self.default_child if own.default_child == UNKNOWN else own.default_child
        other = self.default_child if self.unseen and own.other_child == UNKNOWN else own.other_child
        return own._replace(default_child=missing, other_child=other)
