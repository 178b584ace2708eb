"""A binary split with surrogate splits for cases whose value is missing."""

from math import isfinite
from numbers import Integral
from typing import Any

from attrs import field, frozen
from attrs.converters import optional

from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold


def _in_two(_: object, __: object, split: Any) -> None:
    two_groups = isinstance(split, Groups) and len(split.groups) == 2  # noqa: PLR2004  # one side and the other
    if not (isinstance(split, (Threshold, Subset)) or two_groups):
        message = f"A surrogate's split must be a Threshold, a Subset or Groups of two, got {short_repr(split)}."
        raise TypeError(message)


def _threshold_or_subset(_: object, __: object, split: Any) -> None:
    if not isinstance(split, (Threshold, Subset)):
        message = f"split must be a Threshold or a Subset to have surrogates, got {short_repr(split)}."
        raise TypeError(message)


def _true_or_false(_: object, attribute: Any, value: Any) -> None:
    if not isinstance(value, bool):
        message = f"{attribute.name} must be True or False, got {short_repr(value)}."
        raise TypeError(message)


def _as_float(share: Any) -> float:
    try:
        return float(share)
    except (TypeError, ValueError):
        message = f"agreement and adjusted must be finite numbers, got {short_repr(share)}."
        raise TypeError(message) from None


def _finite(_: object, attribute: Any, share: float) -> None:
    if not isfinite(share):
        message = f"{attribute.name} must be a finite number, got {share}."
        raise ValueError(message)


def _zero_or_one(child: Any) -> int:
    if not (isinstance(child, Integral) and child in (0, 1)):
        message = f"default_child must be 0, 1 or None, got {short_repr(child)}."
        raise ValueError(message)
    return int(child)


def _surrogates_only(_: object, __: object, surrogates: tuple[Any, ...]) -> None:
    for each in surrogates:
        if not isinstance(each, Surrogate):
            message = f"surrogates must be Surrogate objects, got {short_repr(each)}. Write Surrogate(Threshold(1, 0.5))."
            raise TypeError(message)


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
    reversed: bool = field(default=False, validator=_true_or_false)
    agreement: float = field(default=1.0, converter=_as_float, validator=_finite)
    adjusted: float = field(default=1.0, converter=_as_float, validator=_finite)


@frozen
class WithSurrogates:
    """A binary split with surrogates: where its own feature is missing, the first surrogate with a known value decides.

    A case that lacks all these features goes to child `default_child`, or is routed as missing where that is None.

    Source: Breiman et al. 1984, section 5.3.

    >>> WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))], default_child=1).default_child
    1
    """

    split: Threshold | Subset = field(validator=_threshold_or_subset)
    surrogates: tuple[Surrogate, ...] = field(default=(), converter=as_tuple, validator=_surrogates_only)
    default_child: int | None = field(default=None, converter=optional(_zero_or_one))
