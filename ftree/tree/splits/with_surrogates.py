"""A binary split with surrogate splits for cases whose value is missing."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen
from attrs.converters import optional

from ftree._lib.fields import as_tuple, must_be, true_or_false
from ftree._lib.messages import short_repr
from ftree.tree.conditions import Condition, FirstKnown
from ftree.tree.schema import Schema
from ftree.tree.splits.shared import as_number, finite, renumbered
from ftree.tree.splits.split import UNKNOWN, Integers, TableForm
from ftree.tree.splits.splits_by_cuts import Threshold
from ftree.tree.splits.splits_by_values import Groups, Subset


def _in_two(_: object, __: object, split: Any) -> None:
    two_groups = isinstance(split, Groups) and len(split.groups) == 2  # noqa: PLR2004  # a binary split has two groups
    if not (isinstance(split, (Threshold, Subset)) or two_groups):
        raise TypeError(f"A surrogate's split must be a Threshold, a Subset or two Groups, got {short_repr(split)}.")


def _as_share(share: Any) -> float:
    return as_number(share, "agreement and adjusted must be finite numbers")


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
    agreement: float = field(default=1.0, converter=_as_share, validator=finite)
    adjusted: float = field(default=1.0, converter=_as_share, validator=finite)


_BINARY = must_be("a Threshold or a Subset to have surrogates", lambda s: isinstance(s, (Threshold, Subset)), error=TypeError)


def _zero_or_one(child: Any) -> int:
    if not (isinstance(child, Integral) and child in (0, 1)):
        raise ValueError(f"default_child must be 0, 1 or None, got {short_repr(child)}.")
    return int(child)


def _surrogates_only(_: object, __: object, surrogates: tuple[Any, ...]) -> None:
    for each in surrogates:
        if not isinstance(each, Surrogate):
            raise TypeError(f"surrogates must be Surrogate objects, got {short_repr(each)}. Write Surrogate(Threshold(1, 0.5)).")


@frozen
class WithSurrogates:
    """A binary split with surrogates: where its own feature is missing, the first surrogate with a known value decides.

    A case that lacks all these features goes to `default_child`, or is routed as missing if that is None.

    Source: Breiman et al. 1984, section 5.3.

    >>> WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))], default_child=1).default_child
    1
    """

    split: Threshold | Subset = field(validator=_BINARY)
    surrogates: tuple[Surrogate, ...] = field(default=(), converter=as_tuple, validator=_surrogates_only)
    default_child: int | None = field(default=None, converter=optional(_zero_or_one))
    n_children = 2
    unseen = True  # what stands in for a missing value was found among known ones, and stands in for an unseen one as well

    @property
    def features(self) -> tuple[int, ...]:
        """The feature of the split, then those of its surrogates."""
        return (self.split.feature, *(surrogate.split.feature for surrogate in self.surrogates))

    @property
    def primary(self) -> Threshold | Subset:
        """The split without its surrogates."""
        return self.split

    @property
    def stand_ins(self) -> tuple[Surrogate, ...]:
        """The surrogates."""
        return self.surrogates

    @property
    def conditions(self) -> tuple[FirstKnown, FirstKnown]:
        """The conditions of the split and of its surrogates, each with its opposite."""
        pairs: list[tuple[Condition, Condition]] = [self.split.conditions]
        for each in self.surrogates:
            first, second = each.split.conditions
            pairs.append((second, first) if each.reversed else (first, second))
        opposite = [(second, first) for first, second in pairs]
        return FirstKnown(pairs, default=self.default_child == 0), FirstKnown(opposite, default=self.default_child == 1)

    def child(self, *columns: npt.NDArray[Any]) -> Integers:
        """The child by the first feature that is known; else `default_child`, or -1 if that is None."""
        child = self.split.child(columns[0])
        for surrogate, column in zip(self.surrogates, columns[1:], strict=True):
            answer = surrogate.split.child(column)
            if surrogate.reversed:
                answer = np.where(answer == UNKNOWN, UNKNOWN, 1 - answer)
            child = np.where(child == UNKNOWN, answer, child)
        return child if self.default_child is None else np.where(child == UNKNOWN, self.default_child, child)

    def check(self, schema: Schema) -> None:
        """Raise a ValueError where the split or a surrogate does not fit the schema."""
        for each in (self.split, *(surrogate.split for surrogate in self.surrogates)):
            each.check(schema)

    def renumbered(self, features: Sequence[int], n: int) -> "WithSurrogates":
        """The split and its surrogates with their features renumbered."""
        return self._each(lambda split: renumbered(split, features, n))

    def recoded(self, old: Schema, new: Schema) -> "WithSurrogates":
        """The split and its surrogates in another schema's numbers. Raises a ValueError where one cannot be expressed there."""
        return self._each(lambda split: split.recoded(old, new))

    def at_observed(self, values: Sequence[Any]) -> "WithSurrogates":
        """The split with its own threshold at an observed value; surrogates keep theirs, as in rpart."""
        return evolve(self, split=self.split.at_observed(values)) if isinstance(self.split, Threshold) else self

    def tables(self) -> TableForm:
        """The question of the split, with those of its surrogates."""
        surrogates = tuple([each.split.tables()._replace(reversed=each.reversed) for each in self.surrogates])
        default_child = UNKNOWN if self.default_child is None else self.default_child
        return self.split.tables()._replace(surrogates=surrogates, default_child=default_child)

    def _each(self, changed: Any) -> "WithSurrogates":
        surrogates = [evolve(each, split=changed(each.split)) for each in self.surrogates]
        return evolve(self, split=changed(self.split), surrogates=surrogates)
