"""One child for each listed code of a nominal feature."""

from collections.abc import Hashable
from typing import Any

from attrs import field, frozen

from ftree.tree.conditions import OneOf
from ftree.tree.schema import Schema
from ftree.tree.splits import shared
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
        return Multiway(shared.recoded_feature(old, new, self.feature), shared.recoded_codes(old, new, self.feature, self.values))

    def bits(self, _: float) -> float:
        """No bits: the feature alone determines the split."""
        return 0.0

    def tables(self) -> TableForm:
        """The question which of the codes the feature has."""
        return TableForm(CODE, self.feature, codes=self.values, children=range(len(self.values)))

    def to_keys(self, schema: Schema) -> tuple[str, tuple[Hashable, ...]]:
        """The feature's name, and the values."""
        return schema.features[self.feature].name, shared.values_of(schema, self.feature, self.values)

    @classmethod
    def from_keys(cls, schema: Schema, name: Any, keys: tuple[Any, ...]) -> "Multiway | None":
        """The split that keys stand for. Raises a ValueError for a value that the feature does not have."""
        number, feature = shared.feature_named(schema, name)
        return None if feature.kind == "numeric" else cls(number, tuple([shared.code_of(feature, key) for key in keys]))
