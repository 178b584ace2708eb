"""Two children, below and above a threshold."""

from attrs import field, frozen

from ftree.tree.splits.checks import _column_number, _finite, _not_negative, _number


@frozen
class Threshold:
    """Child 0 for x <= at, child 1 for x > at; x is a value of a numeric feature or a code of an ordinal one.

    Raises a TypeError or a ValueError for a threshold that is no finite number.

    >>> Threshold(2, at=2.45)
    Threshold(feature=2, at=2.45)
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    at: float = field(converter=_number, validator=_finite)
