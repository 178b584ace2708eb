"""Checks for splitters of several features."""

from collections.abc import Collection
from functools import partial
from itertools import pairwise, product
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree import splitters
from ftree._lib.arrays import TIE, Array
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain
from ftree.testing.laws import check_stateless, equal, law, near, require_exempt
from ftree.tree.schema import Feature
from ftree.tree.splits import Threshold
from ftree.tree.splits.split import UNKNOWN, Split, child_of

_JointLaw: TypeAlias = Literal["best", "found", "score", "units"]


def check_joint_splitter(
    splitter: splitters.JointSplitter, *, n_classes: int | None = None, exempt: Collection[_JointLaw] = ()
) -> None:
    """Check a splitter of several features: its score and its counts are those of the split, and no cut of one feature is better.

    These laws can be `exempt`. "score": the score is the measure of the children's counts, times the share of the cases that have
    an answer. "found": points that differ are split. "best": no cut of a single feature scores higher, and a sum of several
    features must score more than each. "units": the unit and the zero of a feature do not matter.

    A splitter for so many classes is told `n_classes`.

    >>> from ftree.linear import perceptrons
    >>> from ftree.splitters import oblique
    >>> check_joint_splitter(oblique(by=perceptrons()))
    """
    if not isinstance(splitter, splitters.JointSplitter):
        raise TypeError(f"splitter must be a splitter of several features, such as oblique(), got {short_repr(splitter)}.")
    require_exempt(exempt, _JointLaw)

    def laws(points: tuple[Array, Array], impurity: Any) -> None:
        given = _vectors(*(part.copy() for part in points))
        measure = partial(gain, impurity=impurity)
        found = splitter.best(given, measure)
        untouched = np.array_equal(given.vector, points[0], equal_nan=True) and np.array_equal(given.counts, points[1])
        law("a splitter does not change its vectors", untouched, got=given.vector, wanted=points[0])
        _check_joint(splitter, found, points, measure, exempt)

    answer = lambda own, points, **_: (own.best(_vectors(*points), gain) or [None, None])[:2]  # noqa: E731  # short
    drawn = {"points": _points(n_classes), "impurity": st.sampled_from([entropy, gini])}
    check_stateless(splitter, laws, answer, *_examples_of_points(n_classes or 2), every=16, **drawn)


def _examples_of_points(n_classes: int) -> list[dict[str, Any]]:
    grid = np.array([*product(np.arange(4.0), repeat=2)])
    divided, mixed = (np.eye(n_classes)[(grid @ each > 0) % n_classes] for each in ([1, -1], [1.3, -1]))
    holey, line = np.column_stack([grid, np.where(grid[:, 0] == grid[:, 1], np.nan, 1.0)]), np.arange(4.0)[:, None] * [1, 2, 1]
    best_of_two = grid, divided  # which is so of few small tables
    best_of_two_whatever_misses_the_third = holey, divided
    as_good_as_each, of_two_classes_with_equal_sums = (line, divided[[1, 1, 4, 4]]), (grid, mixed)
    several = [best_of_two_whatever_misses_the_third, as_good_as_each, best_of_two, of_two_classes_with_equal_sums]
    return [{"points": points, "impurity": gini} for points in several]


def _check_joint(
    splitter: splitters.JointSplitter,
    found: "tuple[float, Split, Array] | None",
    points: tuple[Array, Array],
    measure: splitters.Measure,
    exempt: Collection[_JointLaw],
) -> None:
    shown = {"points": points[0].tolist(), "counts": points[1].tolist()}
    cuts = [(cut, _score(cut, *points, measure)[0]) for cut in _cuts(points[0])]
    there = found is not None or not cuts or "found" in exempt
    law("a split is found if points differ", there, got=found, exempt="found", **shown)
    if found is None:
        return
    score, split, children = found
    own, of_children = _score(split, *points, measure)
    if "score" not in exempt:
        text = "a score is the measure of the children, times the share of known cases"
        equal(text, score, own, exempt="score", split=split, **shown)
    equal("a splitter's counts are those of its children", children, of_children, split=split, **shown)
    if "best" not in exempt:
        _check_best_joint(split, score, cuts, shown)
    if "units" not in exempt:
        _check_units(splitter, *points, measure, score)


def _vectors(vector: Array, counts: Array) -> splitters.NodeVectors:
    return splitters.NodeVectors(vector, counts, tuple(Feature(f"f{number}", "numeric") for number in range(vector.shape[1])))


def _score(split: Split, vector: Array, counts: Array, measure: splitters.Measure) -> tuple[float, Array]:
    """The measure of a split's children, times the share of known cases; and the counts of the children."""
    children = np.zeros((split.n_children, counts.shape[1]))
    columns = [vector[:, feature] for feature in split.features]
    for child, own in zip(child_of(split, *columns).tolist(), counts, strict=True):
        if child != UNKNOWN:
            children[child] += own
    return float(measure(children)) * children.sum() / counts.sum(), children


def _cuts(vector: Array) -> list[Threshold]:
    """Every cut of a single feature midway between neighbouring values."""
    values = [sorted({value for value in column if not np.isnan(value)}) for column in vector.T.tolist()]
    return [Threshold(feature, (low + high) / 2) for feature, some in enumerate(values) for low, high in pairwise(some)]


def _check_best_joint(split: Split, score: float, cuts: list[tuple[Threshold, float]], shown: dict[str, Any]) -> None:
    for cut, reached in cuts:
        best = reached <= score + TIE
        law("no cut of one feature scores higher", best, got=score, wanted=reached, cut=cut, exempt="best", **shown)
        beaten = len(split.features) == 1 or reached < score - TIE / 2
        law("a sum scores more than any cut of one feature", beaten, got=split, wanted=cut, exempt="best", **shown)


def _check_units(
    splitter: splitters.JointSplitter, vector: Array, counts: Array, measure: splitters.Measure, score: float
) -> None:
    """Check that other units do not change the score; units are powers of two, so that nothing is rounded."""
    other = vector * 2.0 ** np.arange(3, 3 + vector.shape[1]) + 8
    found = splitter.best(_vectors(other, counts), measure)
    own = None if found is None else found[0]
    alike = own is not None and near(own, score)
    law("the units of features do not matter", alike, got=own, wanted=score, exempt="units", points=other)


@st.composite
def _points(draw: DrawFn, classes: int | None) -> tuple[Array, Array]:
    """Distinct points of one to three features in order, as the search gives them; counts are halves, some values are missing."""
    n_classes, n_features = classes or draw(st.integers(1, 3)), draw(st.integers(1, 3))
    value = st.integers(0, 4).map(float) | st.just(np.inf)
    drawn = sorted(draw(st.sets(st.tuples(*[value] * n_features), min_size=1, max_size=8)))
    counted = st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes).filter(any)
    counts = draw(st.lists(counted, min_size=len(drawn), max_size=len(drawn)))
    vector = np.array(drawn)
    return np.where(np.isinf(vector), np.nan, vector), np.array(counts) / 2
