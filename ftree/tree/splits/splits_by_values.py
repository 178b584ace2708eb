"""Splits by the values of a nominal feature: each alone, some apart from all others, groups."""

from itertools import chain
from math import log2
from typing import Any

from attrs import field, frozen

from ftree._lib.arrays import n_surjections
from ftree._lib.fields import must_be
from ftree._lib.messages import short_repr
from ftree.tree.conditions import NoneOf, OneOf
from ftree.tree.schema import Schema
from ftree.tree.splits import shared
from ftree.tree.splits.shared import recoded_feature
from ftree.tree.splits.split import CODE, TableForm


@frozen
class Multiway(shared.OfCodes):
    """One child for each listed code of a nominal feature, in the order listed.

    Raises a ValueError for codes that are negative or not distinct.

    >>> Multiway(0, values=(0, 2))
    Multiway(feature=0, values=(0, 2))
    """

    values: tuple[int, ...] = field(converter=shared.as_codes, validator=shared.distinct_codes)

    @property
    def n_children(self) -> int:
        """The number of codes."""
        return len(self.values)

    @property
    def conditions(self) -> tuple[OneOf, ...]:
        """The code of each child."""
        return tuple([OneOf(self.feature, (code,)) for code in self.values])

    def recoded(self, old: Schema, new: Schema) -> "Multiway":
        """The split in another schema's numbers. Raises a ValueError where a value does not exist there."""
        return Multiway(recoded_feature(old, new, self.feature), shared.recoded_codes(old, new, self.feature, self.values))

    def bits(self, _: float) -> float:
        """No bits: the feature alone determines the split."""
        return 0.0

    def tables(self) -> TableForm:
        """The question which of the codes the feature has."""
        return TableForm(CODE, self.feature, codes=self.values, children=range(len(self.values)))


@frozen
class Subset(shared.OfCodes):
    """Child 0 for the member codes of a nominal feature, child 1 for every other known value.

    Raises a ValueError for codes that are negative or not distinct.

    >>> Subset(1, members=(0, 3))
    Subset(feature=1, members=(0, 3))
    """

    members: tuple[int, ...] = field(converter=shared.as_sorted_codes, validator=shared.distinct_codes)
    n_children = 2
    answers_all_known = True

    @property
    def conditions(self) -> tuple[OneOf, NoneOf]:
        """The code is a member; it is known and not a member."""
        return OneOf(self.feature, self.members), NoneOf(self.feature, self.members)

    def recoded(self, old: Schema, new: Schema) -> "Subset":
        """The split in another schema's numbers; values that only that schema has go to child 1.

        Raises a ValueError where a member does not exist there.
        """
        return Subset(recoded_feature(old, new, self.feature), shared.recoded_codes(old, new, self.feature, self.members))

    def bits(self, distinct: float) -> float:
        """log2 of the number of ways to divide distinct values in two, 2^v - 2."""
        return log2(2**distinct - 2) if distinct > 1 else 0.0

    def tables(self) -> TableForm:
        """The question whether the code is a member."""
        children = (0,) * len(self.members)
        return TableForm(CODE, self.feature, codes=self.members, children=children, other_child=1)


def _groups(groups: Any) -> tuple[tuple[int, ...], ...]:
    try:
        listed = list(groups)
    except TypeError:
        message = f"groups must be a sequence of sequences of codes, one for each child, got {short_repr(groups)}."
        raise TypeError(message) from None
    return tuple(map(shared.as_sorted_codes, listed))


_DISJOINT = must_be(
    "sequences of one or more codes from 0, with no code in two groups",
    lambda groups: all(groups) and shared.are_distinct([*chain(*groups)]),
)


@frozen
class Groups(shared.OfCodes):
    """One child for each group of codes of a nominal feature, in the order listed.

    Raises a ValueError for an empty group, or a code that is negative or in two groups.

    >>> Groups(0, groups=((0, 2), (1,)))
    Groups(feature=0, groups=((0, 2), (1,)))
    """

    groups: tuple[tuple[int, ...], ...] = field(converter=_groups, validator=_DISJOINT)

    @property
    def n_children(self) -> int:
        """The number of groups."""
        return len(self.groups)

    @property
    def conditions(self) -> tuple[OneOf, ...]:
        """The codes of each group."""
        return tuple([OneOf(self.feature, group) for group in self.groups])

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for codes that the feature does not have, and for a feature that is not nominal."""
        feature = schema.features[self.feature]
        if feature.kind == "ordinal":
            got = f"{short_repr(self)} on the ordinal feature {short_repr(feature.name)}"
            raise ValueError(f"A split of an ordinal feature must keep its order, got {got}. Use Intervals.")
        super().check(schema)

    def recoded(self, old: Schema, new: Schema) -> "Groups":
        """The groups in another schema's numbers. Raises a ValueError where a value does not exist there."""
        groups = [shared.recoded_codes(old, new, self.feature, group) for group in self.groups]
        return Groups(recoded_feature(old, new, self.feature), groups)

    def bits(self, distinct: float) -> float:
        """log2 of the number of ways to divide distinct values among the groups."""
        return log2(max(n_surjections(int(distinct), len(self.groups)), 1))

    def tables(self) -> TableForm:
        """The question which group contains the code."""
        children = [child for child, group in enumerate(self.groups) for _ in group]
        return TableForm(CODE, self.feature, codes=tuple(chain.from_iterable(self.groups)), children=tuple(children))
