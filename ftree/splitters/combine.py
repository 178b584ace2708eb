"""Combining splitters: one for each feature, and splitters of randomly drawn features."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np
from attrs import field, frozen
from toolz import concat, isdistinct, unique

from ftree._lib.arrays import Array
from ftree._lib.fields import ConstructorRepr, a_whole_number, as_tuple, name_of
from ftree._lib.messages import short_repr
from ftree.splitters.runs import Runs
from ftree.splitters.splitter import BestSplits, Measure, Splitter, best_found, best_of, best_placed, is_splitter, least_of_each
from ftree.tree.schema import Feature, Kind, as_names, names_of, unknown_name


def splitters_only(_: Any, attribute: Any, splitters: tuple[Any, ...]) -> None:
    """A validator of fields that hold splitters of single features."""
    for splitter in splitters:
        if not is_splitter(splitter):
            wanted = "splitters of single features, such as threshold(), with parentheses"
            raise TypeError(f"{attribute.name} must be {wanted}, got {name_of(splitter)}.")


class OfSplitters(ConstructorRepr):
    """A base of splitters that are made of others."""

    __slots__ = ()
    splitters: tuple[Any, ...]

    @property
    def parts(self) -> tuple[Splitter, ...]:
        """The splitters of which it is made."""
        return self.splitters

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """All kinds that at least one of the splitters takes."""
        return tuple(unique(concat(splitter.kinds for splitter in self.parts)))


@frozen
class random_features(OfSplitters):
    """Apply splitters to `n` features of each node, drawn at random among those with more than one value there.

    The draw depends only on the seed, the place in the policy and the path to the node: same seed, same tree.

    Source: Breiman 2001 (random forests).

    >>> from ftree.splitters import multiway, threshold
    >>> random_features(3, (multiway(), threshold()), seed=1).kinds
    ('nominal', 'numeric', 'ordinal')
    """

    n: int = field(validator=a_whole_number(1, of="features"))
    splitters: tuple[Splitter, ...] = field(converter=as_tuple, validator=splitters_only)
    seed: int = field(kw_only=True, validator=a_whole_number(0))

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """The best splits of the drawn features."""
        drawn = np.where(runs.size > 1, runs.draws(self, self.seed), np.inf)
        kept = np.sort(least_of_each(runs.node, drawn, self.n))
        return best_among(self.splitters, runs, measure, kept)


@frozen
class only(OfSplitters):
    """Apply splitters to the features with these names; the others are never split.

    Growing raises a KeyError if the data have no such feature.

    >>> from ftree import ID3, evolve, grow
    >>> from ftree.datasets import weather
    >>> print(grow(weather(), evolve(ID3, splits=(only(["windy"], ID3.splits),))))
    windy = False: yes (8.0/2.0)
    windy = True: no (6.0/3.0)
    """

    names: tuple[str, ...] = field(converter=as_names)
    splitters: tuple[Splitter, ...] = field(converter=as_tuple, validator=splitters_only)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """The best splits of the named features."""
        named = [number_of(runs.features, name) for name in self.names]
        return best_among(self.splitters, runs, measure, np.flatnonzero(np.isin(runs.feature, named)))


def _pairs(splitters: Any) -> tuple[tuple[str, Splitter], ...]:
    pairs = splitters.items() if isinstance(splitters, Mapping) else splitters
    try:
        # Names are texts, as in a schema.
        return tuple((str(name), splitter) for name, splitter in pairs)
    except (TypeError, ValueError):
        raise TypeError(f'splitters must be a dict such as {{"age": threshold()}}, got {short_repr(splitters)}.') from None


def _pairs_only(by_name: Any, attribute: Any, pairs: tuple[tuple[str, Splitter], ...]) -> None:
    splitters_only(by_name, attribute, tuple(splitter for _, splitter in pairs))
    named = [name for name, _ in pairs]
    if not isdistinct(named):
        raise ValueError(f"{attribute.name} must be for distinct features, got {', '.join(map(repr, named))}.")


@frozen
class per_feature(OfSplitters):
    """Apply to each named feature its own splitter, and to all others the splitters in `otherwise`.

    Growing raises a KeyError if the data have no such feature, a ValueError if a splitter does not take its kind.

    >>> from ftree.splitters import multiway, subset, threshold
    >>> per_feature({"colour": subset()}, otherwise=(multiway(), threshold())).kinds
    ('nominal', 'numeric', 'ordinal')
    """

    splitters: tuple[tuple[str, Splitter], ...] = field(converter=_pairs, validator=_pairs_only)
    otherwise: tuple[Splitter, ...] = field(default=(), converter=as_tuple, kw_only=True, validator=splitters_only)

    @property
    def parts(self) -> tuple[Splitter, ...]:
        """The splitters of which it is made."""
        return (*(splitter for _, splitter in self.splitters), *self.otherwise)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's best split by the splitter of its feature."""
        numbers = [number_of(runs.features, name, splitter, splitter.kinds) for name, splitter in self.splitters]
        of_feature = [np.flatnonzero(runs.feature == number) for number in numbers]
        others = ~np.isin(runs.feature, numbers)
        kind = runs.kind
        rest = [(splitter, np.flatnonzero(others & np.isin(kind, splitter.kinds))) for splitter in self.otherwise]
        named = [(splitter, taken) for (_, splitter), taken in zip(self.splitters, of_feature, strict=True)]
        return best_placed(runs, [*named, *rest], measure)


def all_parts(parts: Iterable[Any]) -> Iterator[Any]:
    """The given splitters, choices or rules, and all parts of which they are made.

    >>> from ftree.splitters import threshold
    >>> list(all_parts([per_feature({"age": threshold()})]))
    [per_feature((('age', threshold()),), otherwise=()), threshold()]
    """
    for part in parts:
        yield part
        yield from all_parts(getattr(part, "parts", ()))


def best_among(splitters: Sequence[Splitter], runs: Runs, measure: Measure, kept: Array) -> BestSplits:
    """The best splits of the runs with these numbers by any of the splitters; the other runs have none."""
    return best_found(runs, [(lambda some, by: best_of(some, splitters, by), kept)], measure)


def number_of(features: Sequence[Feature], name: str, part: Any = None, kinds: Sequence[Kind] = get_args(Kind)) -> int:
    """The number of the feature with a name, which must be of one of the kinds that a part takes."""
    known = names_of(features)
    if name not in known:
        raise KeyError(unknown_name(name, known))
    feature = features[known.index(name)]
    if feature.kind not in kinds:
        raise ValueError(f"{short_repr(name)} must be {' or '.join(kinds)} for {name_of(part)}, got a {feature.kind} feature.")
    return known.index(name)
