"""A binary split that replaces another one where the other one's feature is missing."""

from math import isfinite
from typing import Any

from attrs import field, frozen

from ftree._lib.fields import true_or_false
from ftree._lib.messages import short_repr
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold


def _in_two(_: object, __: object, split: Any) -> None:
    two_groups = isinstance(split, Groups) and len(split.groups) == 2  # noqa: PLR2004  # a binary split has two groups
    if not (isinstance(split, (Threshold, Subset)) or two_groups):
        message = f"A surrogate's split must be a Threshold, a Subset or two Groups, got {short_repr(split)}."
        raise TypeError(message)


def _as_float(share: Any) -> float:
    try:
        return float(share)
    except (TypeError, ValueError, OverflowError):
        message = f"agreement and adjusted must be finite numbers, got {short_repr(share)}."
        raise TypeError(message) from None


def _finite(_: object, attribute: Any, share: float) -> None:
    if not isfinite(share):
        message = f"{attribute.name} must be a finite number, got {share}."
        raise ValueError(message)


@frozen
class Surrogate:
    """A binary split that replaces another one for cases that lack the other one's feature.

    Its child 0 means child 0 of the other split, or child 1 if it is `reversed`. `agreement` is the share of the cases
    known to the other split that it sends to the same child. `adjusted` is (agreement - m) / (1 - m), where m is the
    agreement of sending all cases to the larger child.

    Source: Breiman et al. 1984, section 5.3.

    >>> Surrogate(Threshold(1, 0.5), reversed=True, agreement=0.9, adjusted=0.5)
    Surrogate(split=Threshold(feature=1, at=0.5), reversed=True, agreement=0.9, adjusted=0.5)
    """

    split: Threshold | Subset | Groups = field(validator=_in_two)
    reversed: bool = field(default=False, validator=true_or_false)
    agreement: float = field(default=1.0, converter=_as_float, validator=_finite)
    adjusted: float = field(default=1.0, converter=_as_float, validator=_finite)
