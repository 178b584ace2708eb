"""Families together: the best of several for each run, other families for other features, and a random choice of features."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from toolz import concat, isdistinct, unique

from ftree._lib.fields import ConstructorRepr, a_whole_number, as_tuple
from ftree.splitters.base import Family, Found, Measure, Runs, asked_each, is_family, least_of_each
from ftree.splitters.random_numbers import a_seed, uniform
from ftree.tree.schema import Feature, Kind, names, unknown_name


def best_of(runs: Runs, families: Sequence[Family], measure: Measure) -> Found:
    """Ask each family about the runs of the kinds it takes; where two find equal splits, the first one has it."""
    kind = runs.kind
    return asked_each(runs, [(family, np.flatnonzero(np.isin(kind, family.kinds))) for family in families], measure)


def families_only(_: Any, attribute: Any, families: tuple[Any, ...]) -> None:
    """A validator of fields that hold families which look at one feature at a time."""
    for family in families:
        if not is_family(family):
            message = f"{attribute.name} are split families of single features, such as threshold(), with parentheses; "
            raise TypeError(message + f"{family!r} came.")


@frozen(repr=False)
class random_features(ConstructorRepr):
    """The families given, at some of the features only: at each node, `n` drawn of those with more than one value there.

    The draw depends on the seed and the way to the node, and on nothing else: same seed, same tree.

    Source: Breiman 2001 (random forests).

    >>> from ftree import multiway, threshold
    >>> random_features(3, (multiway(), threshold()), seed=1).kinds
    ('nominal', 'numeric', 'ordinal')
    """

    n: int = field(validator=a_whole_number(1, of="features"))
    families: tuple[Family, ...] = field(converter=as_tuple, validator=families_only)
    seed: int = field(kw_only=True, validator=a_seed)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """All kinds that one of the families takes."""
        return _kinds_of(self.families)

    @property
    def parts(self) -> tuple[Family, ...]:
        """The families it is made of."""
        return self.families

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score the runs of the features that are drawn."""
        drawn = np.where(runs.size > 1, uniform(self.seed, runs.key, runs.feature), np.inf)
        kept = np.sort(least_of_each(runs.node, drawn, self.n))
        return asked_each(runs, [(self._of_all, kept)], measure)

    def _of_all(self, runs: Runs, measure: Measure) -> Found:
        return best_of(runs, self.families, measure)


def _pairs(families: Any) -> tuple[tuple[str, Family], ...]:
    pairs = families.items() if isinstance(families, Mapping) else families
    try:
        # Names are text, as those of a schema's features are.
        return tuple((str(name), family) for name, family in pairs)
    except (TypeError, ValueError):
        message = f'families are given by the names of features, such as {{"age": threshold()}}; {families!r} came.'
        raise TypeError(message) from None


def _pairs_only(by_name: Any, attribute: Any, pairs: tuple[tuple[str, Family], ...]) -> None:
    families_only(by_name, attribute, tuple(family for _, family in pairs))
    named = [name for name, _ in pairs]
    if not isdistinct(named):
        message = f"{attribute.name} name each feature once; {', '.join(map(repr, named))} came."
        raise ValueError(message)


@frozen(repr=False)
class per_feature(ConstructorRepr):
    """A family for each feature that is named, and for all others the families in `otherwise`.

    Raises a KeyError where the data have no such feature, a ValueError for a family that cannot take a feature's kind.

    >>> from ftree import multiway, subset, threshold
    >>> per_feature({"colour": subset()}, otherwise=(multiway(), threshold())).kinds
    ('nominal', 'numeric', 'ordinal')
    """

    families: tuple[tuple[str, Family], ...] = field(converter=_pairs, validator=_pairs_only)
    otherwise: tuple[Family, ...] = field(default=(), converter=as_tuple, kw_only=True, validator=families_only)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """All kinds that one of the families takes."""
        return _kinds_of(self.parts)

    @property
    def parts(self) -> tuple[Family, ...]:
        """The families it is made of."""
        return (*(family for _, family in self.families), *self.otherwise)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by the family of its feature."""
        numbers = [_number_of(runs.features, name, family) for name, family in self.families]
        of_feature = [np.flatnonzero(runs.feature == number) for number in numbers]
        others = ~np.isin(runs.feature, numbers)
        kind = runs.kind
        rest = [(family, np.flatnonzero(others & np.isin(kind, family.kinds))) for family in self.otherwise]
        named = [(family, taken) for (_, family), taken in zip(self.families, of_feature, strict=True)]
        return asked_each(runs, [*named, *rest], measure)


def all_families(families: Iterable[Any]) -> Iterator[Any]:
    """The families given, and those that they are made of.

    >>> from ftree import threshold
    >>> list(all_families([per_feature({"age": threshold()})]))
    [per_feature((('age', threshold()),), otherwise=()), threshold()]
    """
    for family in families:
        yield family
        yield from all_families(getattr(family, "parts", ()))


def _kinds_of(families: Iterable[Family]) -> tuple[Kind, ...]:
    return tuple(unique(concat(family.kinds for family in families)))


def _number_of(features: Sequence[Feature], name: str, family: Family) -> int:
    known = names(features)
    if name not in known:
        raise KeyError(unknown_name(name, known))
    feature = features[known.index(name)]
    if feature.kind not in family.kinds:
        message = f"{family!r} splits features that are {' or '.join(family.kinds)}; {name!r} is {feature.kind}."
        raise ValueError(message)
    return known.index(name)
