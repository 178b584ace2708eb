"""One child for each listed code of a nominal feature."""

from attrs import field, frozen

from ftree.tree.splits.checks import _codes, _column_number, _distinct_codes, _not_negative


@frozen
class Multiway:
    """One child for each listed code of a nominal feature, in the order listed.

    Raises a ValueError for codes that are negative or not distinct.

    >>> Multiway(0, values=(0, 2))
    Multiway(feature=0, values=(0, 2))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    values: tuple[int, ...] = field(converter=_codes, validator=_distinct_codes)
