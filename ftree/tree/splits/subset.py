"""Two children: the member codes of a nominal feature, and all others."""

from attrs import field, frozen

from ftree.tree.splits.checks import _column_number, _distinct_codes, _not_negative, _sorted_codes


@frozen
class Subset:
    """Child 0 for the member codes of a nominal feature, child 1 for every other known value.

    Raises a ValueError for codes that are negative or not distinct.

    >>> Subset(1, members=(0, 3))
    Subset(feature=1, members=(0, 3))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    members: tuple[int, ...] = field(converter=_sorted_codes, validator=_distinct_codes)
