"""The battery for scores of splits."""

from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree._lib.ties import TIE
from ftree.criteria.impurity import entropy, gini, misclassification
from ftree.criteria.scores import Score
from ftree.testing.strategies import ONE


def check_score(score: Score, *, n_children: int | None = None) -> None:
    """Check a score: one number from 0 for each split, alike for a level and for single splits and for any order of children.

    The search relies on more. The score is 0 where one child has every case. A child without cases does not matter. The
    score may be -inf, which refuses a split, but is never infinite or NaN otherwise, and it leaves its counts as they are.
    It is never negative, since the search multiplies it by the share of cases whose value is known. `n_children` is for
    scores of splits with that many children only, as `twoing` is.

    >>> from ftree.criteria import gain_ratio, twoing
    >>> check_score(gain_ratio)
    >>> check_score(twoing, n_children=2)
    """
    require_function("score", score)

    @ONE
    @given(_levels(n_children), st.sampled_from([entropy, gini, misclassification]), st.randoms(use_true_random=False))
    @example(np.array([[[2.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]), entropy, None)
    def laws(level: Any, impurity: Any, random: Any) -> None:
        given_counts = level.copy()
        scores = np.asarray(score(level, impurity))
        assert np.array_equal(level, given_counts), "a score leaves its counts as they are"
        assert scores.shape == level.shape[:1], "a score is one number for each split"
        alone = [score(split, impurity) for split in level]
        assert np.allclose(scores, alone, equal_nan=True), "a level's answer is its splits' answers"
        assert (np.isfinite(scores) | (scores == -np.inf)).all(), "a score is finite, or -inf for a split that it refuses"
        assert (scores[np.isfinite(scores)] >= -TIE).all(), "a score is never negative"
        lone = (level.sum(axis=-1) > 0).sum(axis=-1) <= 1
        assert (scores[lone] <= TIE).all(), "a split that sends all cases to one child scores 0"
        order = list(range(level.shape[1])) if random is None else random.sample(range(level.shape[1]), level.shape[1])
        assert np.allclose(score(level[:, order], impurity), scores), "the order of children does not matter"
        if n_children is None:
            empty = np.zeros_like(level[:, :1])
            wider = score(np.concatenate([level, empty], axis=1), impurity)
            assert np.allclose(wider, scores), "a child without cases does not matter"

    laws()


def _levels(n_children: int | None) -> SearchStrategy[Any]:
    """Class counts (n, V, K) of the children of n splits, halves of whole numbers; some children are empty."""
    sizes = st.tuples(st.integers(1, 4), st.integers(1, 4) if n_children is None else st.just(n_children), st.integers(1, 3))
    return sizes.flatmap(_counts)


def _counts(shape: tuple[int, ...]) -> SearchStrategy[Any]:
    size = int(np.prod(shape))
    return st.lists(st.integers(0, 9), min_size=size, max_size=size).map(lambda counts: np.reshape(counts, shape) / 2)
