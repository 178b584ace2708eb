"""Two children: the member codes of a nominal feature, and all others."""

from collections.abc import Hashable
from math import log2
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import joined, short_repr
from ftree.tree.conditions import NoneOf, OneOf
from ftree.tree.schema import Schema, codes_of_values
from ftree.tree.splits import shared
from ftree.tree.splits.split import CODE, TableForm


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
        return Subset(shared.recoded_feature(old, new, self.feature), shared.recoded_codes(old, new, self.feature, self.members))

    def bits(self, distinct: float) -> float:
        """log2 of the number of ways to divide distinct values in two, 2^v - 2."""
        return log2(2**distinct - 2) if distinct > 1 else 0.0

    def tables(self) -> TableForm:
        """The question whether the code is a member."""
        children = (0,) * len(self.members)
        return TableForm(CODE, self.feature, codes=self.members, children=children, other_child=1)

    def to_keys(self, schema: Schema) -> tuple[str, tuple[Hashable, ...]]:
        """The feature's name, and a frozenset of the values of each side."""
        members = frozenset(self.members)
        others = tuple([code for code in range(len(schema.features[self.feature].values)) if code not in members])
        sides = [frozenset(shared.values_of(schema, self.feature, codes)) for codes in (self.members, others)]
        return schema.features[self.feature].name, tuple(sides)

    @classmethod
    def from_keys(cls, schema: Schema, name: Any, keys: tuple[Any, ...]) -> "Subset | None":
        """The split that keys stand for. Raises a ValueError for sets that do not divide all values of the feature."""
        number, feature = shared.feature_named(schema, name)
        codes = codes_of_values(feature)
        if feature.kind == "numeric" or not all(isinstance(key, frozenset) and key not in codes for key in keys):
            return None
        members, *others = ({shared.code_of(feature, value) for value in key} for key in keys)
        if others != [set(range(len(feature.values))) - members]:
            wanted = f"two sets that divide all values of {short_repr(feature.name)}, {joined(map(short_repr, feature.values))}"
            raise ValueError(f"Keys that are sets must be {wanted}, got {short_repr(list(keys))}.")
        return cls(number, members)
