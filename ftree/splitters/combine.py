"""Combining splitters: the best of several, one for each feature, and splitters of randomly drawn features."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
from attrs import field, frozen
from toolz import concat, isdistinct, unique

from ftree._lib.arrays import Array, least_tied
from ftree._lib.fields import ConstructorRepr, a_whole_number, as_tuple, name_of
from ftree._lib.messages import short_repr
from ftree.splitters.runs import BestSplits, Build, Finder, Measure, Runs, Splitter, is_splitter, least_of_each
from ftree.tree.schema import Feature, Kind, as_names, names_of, unknown_name
from ftree.tree.splits.split import Split


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


# The best of several


def best_of(runs: Runs, splitters: Sequence[Splitter], measure: Measure) -> BestSplits:
    """The best split of each run among several splitters, each for the kinds that it takes; the first splitter wins ties.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs, threshold
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> best_of(runs, [threshold(min_cases=3), threshold()], gain).score.round(3).tolist()
    [0.522]
    """
    kind = runs.kind
    taken = [np.flatnonzero(np.isin(kind, splitter.kinds)) for splitter in splitters]
    return best_placed(runs, zip(splitters, taken, strict=True), measure)


def best_placed(runs: Runs, parts: Iterable[tuple[Splitter, Array]], measure: Measure) -> BestSplits:
    """The best splits of several splitters, each for the runs with the given numbers; the first splitter wins ties.

    Each draws by its own place: that of the runs, and its number.
    """
    placed = [(partial(_at_place, number, splitter), taken) for number, (splitter, taken) in enumerate(parts)]
    return best_found(runs, placed, measure)


def _at_place(number: int, splitter: Splitter, runs: Runs, measure: Measure) -> BestSplits:
    """The splits of a splitter; it must have one score for each run."""
    found: Any = splitter(runs.at(number), measure)
    if not isinstance(found, BestSplits) or np.shape(found.score) != runs.start.shape:
        got = f"scores of shape {np.shape(found.score)}" if isinstance(found, BestSplits) else f"a {type(found).__name__}"
        wanted = f"BestSplits(score, build) with {len(runs.start)} scores, one for each run"
        raise TypeError(f"The result of the splitter {name_of(splitter)} must be {wanted}, got {got}.")
    return found


def best_found(runs: Runs, finders: Iterable[tuple[Finder, Array]], measure: Measure) -> BestSplits:
    """The best splits of several finders, each for the runs with the given numbers; the first finder wins ties."""
    n_runs = len(runs.start)
    score, finder_of, own = np.full(n_runs, -np.inf), np.zeros(n_runs, dtype=np.intp), np.zeros(n_runs, dtype=np.intp)
    builds: list[Build] = []
    for number, (finder, taken) in enumerate(finders):
        found = finder(runs.only(taken), measure)
        better = least_tied(found.score, exact=runs.exact) > score[taken]
        score[taken[better]] = found.score[better]
        finder_of[taken[better]], own[taken[better]] = number, np.flatnonzero(better)
        builds.append(found.build)

    def build(run: int) -> tuple[Split, Array]:
        make: Build = builds[finder_of[run]]
        return make(int(own[run]))

    return BestSplits(score, build)


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
