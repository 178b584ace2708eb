"""A binary split with surrogate splits for cases whose value is missing."""

from math import isfinite
from numbers import Integral
from typing import Any

from attrs import field, frozen
from attrs.converters import optional
from attrs.validators import instance_of

from ftree._lib.fields import as_tuple
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold


def _in_two(_: object, __: object, split: Any) -> None:
    two_groups = isinstance(split, Groups) and len(split.groups) == 2  # noqa: PLR2004  # one side and the other
    if not (isinstance(split, (Threshold, Subset)) or two_groups):
        message = f"A surrogate is a split in two, a Threshold, a Subset or Groups of two; {split!r} came."
        raise TypeError(message)


def _threshold_or_subset(_: object, __: object, split: Any) -> None:
    if not isinstance(split, (Threshold, Subset)):
        message = f"Surrogates back a split in two, a Threshold, a Subset; {split!r} came."
        raise TypeError(message)


def _share(share: Any) -> float:
    try:
        return float(share)
    except (TypeError, ValueError):
        message = f"What a surrogate agrees in is a share, a finite number; {share!r} came."
        raise TypeError(message) from None


def _finite_share(_: object, attribute: Any, share: float) -> None:
    if not isfinite(share):
        message = f"A surrogate's {attribute.name} is a share, a finite number; it came as {share}."
        raise ValueError(message)


def _a_side(child: Any) -> int:
    if not (isinstance(child, Integral) and child in (0, 1)):
        message = f"A child of a split in two is 0 or 1; {child!r} came."
        raise ValueError(message)
    return int(child)


def _surrogates_only(_: object, __: object, surrogates: tuple[Any, ...]) -> None:
    for each in surrogates:
        if not isinstance(each, Surrogate):
            message = f"A split is backed by surrogates, such as Surrogate(Threshold(1, 0.5)); {each!r} came."
            raise TypeError(message)


@frozen
class Surrogate:
    """A binary split that stands in for another: its child 0 means child 0 of that split, or child 1 where it is `reversed`.

    `agreement` is the share of the cases known to that one that it sends the same way, `adjusted` how much of what following
    the majority gets wrong it gets right.

    Source: Breiman et al. 1984, section 5.3.

    >>> Surrogate(Threshold(1, 0.5), reversed=True, agreement=0.9, adjusted=0.5)
    Surrogate(split=Threshold(feature=1, at=0.5), reversed=True, agreement=0.9, adjusted=0.5)
    """

    split: Threshold | Subset | Groups = field(validator=_in_two)
    reversed: bool = field(default=False, validator=instance_of(bool))
    agreement: float = field(default=1.0, converter=_share, validator=_finite_share)
    adjusted: float = field(default=1.0, converter=_share, validator=_finite_share)


@frozen
class WithSurrogates:
    """A split in two with surrogates: where its own feature has no answer the first surrogate that has one answers.

    A case that none of them knows goes to child `default_child`, or has no answer where that is None.

    Source: Breiman et al. 1984, section 5.3.

    >>> WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))], default_child=1).default_child
    1
    """

    split: Threshold | Subset = field(validator=_threshold_or_subset)
    surrogates: tuple[Surrogate, ...] = field(default=(), converter=as_tuple, validator=_surrogates_only)
    default_child: int | None = field(default=None, converter=optional(_a_side))
