"""Checks for choices between features."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree import splitters
from ftree._lib.arrays import Array
from ftree._lib.fields import require_function
from ftree.criteria.frontier import Nodes
from ftree.criteria.inherited_state import parts_with_state, state_of_root
from ftree.testing.laws import check_stateless, equal, law, same
from ftree.tree.schema import Feature

# A candidate of one node: its feature, its score, its split information in bits, and whether its feature has very many values.
_Candidate = tuple[int, float, float, bool]


def check_choice(choose: splitters.FeatureChoice, *, oracle: Callable[[list[_Candidate]], list[float]] | None = None) -> None:
    """Check a choice between features: one figure for each candidate, and a level's figures are its nodes' figures.

    A figure may be -inf, which excludes the candidate. `oracle` gives the right figures of one node: from a list of candidates
    (feature, score, split information, whether its feature has very many values) to a list of figures.

    >>> from ftree.splitters import by_score
    >>> check_choice(by_score(), oracle=lambda candidates: [score for _, score, *_ in candidates])
    """
    require_function("choose", choose)

    def laws(nodes: list[list[_Candidate]]) -> None:
        level = _level(choose, nodes)
        scores = level.score.copy()
        figures = np.asarray(choose(level))
        same("a choice does not change the scores", level.score, scores)
        equal("a choice has one figure for each candidate", figures.shape, scores.shape, candidates=nodes)
        law("a figure is finite, or -inf", (np.isfinite(figures) | (figures == -np.inf)).all(), got=figures, candidates=nodes)
        ends = np.cumsum([len(node) for node in nodes])
        for node, own in zip(nodes, np.split(figures, ends[:-1]), strict=True):
            if node:
                equal("a level's figures are its nodes' figures", own, choose(_level(choose, [node])), candidates=node)
            if node and oracle is not None:
                equal("figures are those of the oracle", own, oracle(node), candidates=node)

    check_stateless(choose, laws, lambda own, nodes: own(_level(own, nodes)), nodes=_nodes())


def _level(choose: splitters.FeatureChoice, nodes: list[list[_Candidate]]) -> splitters.Candidates:
    """The candidates of some nodes, which have a run of two values or more for each feature, and other numbers of cases."""
    listed = [(number, *candidate) for number, node in enumerate(nodes) for candidate in node]
    node, feature, score, bits, many = map(np.array, zip(*listed, strict=True))
    features = tuple(Feature(f"f{number}", "numeric") for number in range(4))
    of_node, of_feature = np.divmod(np.arange(len(nodes) * len(features)), len(features))
    cases = np.array([len(features) + 1 + len(own) for own in nodes])
    size = 2 + (of_feature + cases[of_node]) % len(features)
    end = size.cumsum()
    value, counts = np.concatenate([np.arange(each) for each in size]).astype(float), np.ones((end[-1], 1))
    counts[end - size, 0] += cases[of_node] - size

    def information(numbers: Array) -> Array:
        asked: Array = bits[numbers]
        return asked

    root = state_of_root(parts_with_state(splitters.all_parts([choose])), features)
    frontier = Nodes(0, cases[:, None], inherited_state=root and root[np.zeros(len(nodes), int)])
    key, run = np.array([len(own) for own in nodes], np.uint64)[of_node], len(features) * node + feature
    of_nodes: Any = {"node": of_node, "key": key, "frontier": frontier}
    runs = splitters.Runs(value=value, counts=counts, size=size, feature=of_feature, features=features, **of_nodes)
    built = (runs, run, lambda number: splitters.cut_after(runs, int(run[number]), int(runs.start[run[number]])))
    return splitters.Candidates(node, feature, score.astype(float), information, many, *built)


@st.composite
def _nodes(draw: DrawFn) -> list[list[_Candidate]]:
    """Candidates of one to three nodes, some without any, in the order of their features; scores and bits are eighths."""
    many = draw(st.lists(st.booleans(), min_size=4, max_size=4))

    def candidate(feature: int) -> Any:
        score, bits = draw(st.integers(0, 8)) / 8, draw(st.integers(0, 16)) / 8
        return feature, score, bits, many[feature]

    some = draw(st.lists(st.sets(st.integers(0, 3)).map(sorted), min_size=1, max_size=3).filter(any))
    return [[candidate(feature) for feature in features] for features in some]
