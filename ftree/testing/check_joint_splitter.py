"""The battery for splitters of several features at once."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree._lib.ties import TIE
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain
from ftree.splitters import JointSplitter, Measure
from ftree.testing.laws import equal, law, near, trying
from ftree.tree.splits import Threshold
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Split


def check_joint_splitter(splitter: JointSplitter) -> None:
    """Check a splitter of several features: its score and its counts are those of the split, and no cut of one feature is better.

    The score is the measure of the children's counts, times the share of the cases that have an answer. A sum of several
    features must score more than every cut of a single feature. The unit and the zero of a feature do not matter.

    >>> from ftree.splitters import oblique, perceptrons
    >>> check_joint_splitter(oblique(by=perceptrons()))
    """
    if not isinstance(splitter, JointSplitter):
        message = f"splitter must be a splitter of several features, such as oblique(), got {short_repr(splitter)}."
        raise TypeError(message)

    @trying()
    @given(_points(), st.sampled_from([entropy, gini]))
    def laws(points: tuple[Array, Array], impurity: Any) -> None:
        vector, counts = points
        measure = partial(gain, impurity=impurity)
        found = splitter.best(vector, counts, measure)
        cuts = [(cut, _score(cut, vector, counts, measure)[0]) for cut in _cuts(vector)]
        shown = {"points": vector.tolist(), "counts": counts.tolist()}
        law("a split is found if points differ", found is not None or not cuts, got=found, **shown)
        if found is not None:
            score, split, children = found
            own, of_children = _score(split, vector, counts, measure)
            equal("a score is the measure of the children, times the share of known cases", score, own, split=split, **shown)
            equal("a splitter's counts are those of its children", children, of_children, split=split, **shown)
            _check_best(split, score, cuts, shown)
            _check_units(splitter, vector, counts, measure, score)

    laws()


def _score(split: Split, vector: Array, counts: Array, measure: Measure) -> tuple[float, Array]:
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


def _check_best(split: Split, score: float, cuts: list[tuple[Threshold, float]], shown: dict[str, Any]) -> None:
    for cut, reached in cuts:
        law("no cut of one feature scores higher", reached <= score + TIE, got=score, wanted=reached, cut=cut, **shown)
        beaten = len(split.features) == 1 or reached < score - TIE / 2
        law("a sum scores more than any cut of one feature", beaten, got=split, wanted=cut, **shown)


def _check_units(splitter: JointSplitter, vector: Array, counts: Array, measure: Measure, score: float) -> None:
    """The same points in other units score the same; units are powers of two, so that nothing is rounded."""
    other = vector * 2.0 ** np.arange(3, 3 + vector.shape[1]) + 8
    found = splitter.best(other, counts, measure)
    own = None if found is None else found[0]
    law("the units of features do not matter", own is not None and near(own, score), got=own, wanted=score, points=other)


@st.composite
def _points(draw: DrawFn) -> tuple[Array, Array]:
    """Distinct points of two features in order, as the search gives them, with class counts; some values are missing."""
    n_classes = draw(st.integers(1, 3))
    value = st.integers(0, 4).map(float) | st.just(np.inf)
    drawn = sorted(draw(st.sets(st.tuples(value, value), min_size=1, max_size=8)))
    counted = st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes).filter(any)
    counts = draw(st.lists(counted, min_size=len(drawn), max_size=len(drawn)))
    vector = np.array(drawn)
    return np.where(np.isinf(vector), np.nan, vector), np.array(counts)
