"""The battery for choices between the best splits of a node's features."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree._lib.arrays import Array
from ftree._lib.fields import require_function
from ftree.splitters import Candidates, FeatureChoice
from ftree.testing.laws import equal, law, trying

# A candidate of one node: its feature, its score, its split information in bits, and whether its feature has very many values.
_Candidate = tuple[int, float, float, bool]


def check_choice(choose: FeatureChoice, *, oracle: Callable[[list[_Candidate]], list[float]] | None = None) -> None:
    """Check a choice between features: one figure for each candidate, and a level's figures are its nodes' figures.

    A figure may be -inf, which excludes the candidate. `oracle` gives the right figures of one node: from a list of candidates
    (feature, score, split information, whether its feature has very many values) to a list of figures.

    >>> from ftree.splitters import by_score
    >>> check_choice(by_score(), oracle=lambda candidates: [score for _, score, *_ in candidates])
    """
    require_function("choose", choose)

    @trying()
    @given(_nodes())
    def laws(nodes: list[list[_Candidate]]) -> None:
        level = _level(nodes)
        scores = level.score.copy()
        figures = np.asarray(choose(level))
        law("a choice has one figure for each candidate", figures.shape == scores.shape, got=figures.shape, candidates=nodes)
        law("a choice does not change the scores", np.array_equal(level.score, scores), got=level.score, wanted=scores)
        law("a figure is finite, or -inf", (np.isfinite(figures) | (figures == -np.inf)).all(), got=figures, candidates=nodes)
        ends = np.cumsum([len(node) for node in nodes])
        for node, own in zip(nodes, np.split(figures, ends[:-1]), strict=True):
            alone = np.asarray(choose(_level([node])))
            equal("a level's figures are its nodes' figures", own, alone, candidates=node)
            if oracle is not None:
                equal("figures are those of the oracle", own, oracle(node), candidates=node)

    laws()


def _level(nodes: list[list[_Candidate]]) -> Candidates:
    listed = [(number, *candidate) for number, node in enumerate(nodes) for candidate in node]
    node, feature, score, bits, many = map(np.array, zip(*listed, strict=True))

    def information(numbers: Array) -> Array:
        asked: Array = bits[numbers]
        return asked

    return Candidates(node, feature, score.astype(float), information, many)


@st.composite
def _nodes(draw: DrawFn) -> list[list[_Candidate]]:
    """Candidates of one to three nodes, in the order of their features; scores and bits are eighths."""
    many = draw(st.lists(st.booleans(), min_size=4, max_size=4))

    def candidate(feature: int) -> Any:
        score, bits = draw(st.integers(0, 8)) / 8, draw(st.integers(0, 16)) / 8
        return feature, score, bits, many[feature]

    features = st.sets(st.integers(0, 3), min_size=1).map(sorted)
    return [[candidate(feature) for feature in draw(features)] for _ in range(draw(st.integers(1, 3)))]
