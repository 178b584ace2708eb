"""The battery for scores of splits."""

from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree._lib.ties import TIE
from ftree.criteria.impurity import Impurity, entropy, gini, misclassification
from ftree.criteria.scores import Score
from ftree.testing.laws import NEAR, equal, law, near, trying

_Law: TypeAlias = Literal["proportional", "symmetric"]


def check_score(
    score: Score,
    *,
    n_children: int | None = None,
    oracle: Callable[[list[list[float]], Impurity], float] | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check a score: one number from 0 for each split, alike for a level and for single splits and for any order of children.

    The search relies on further laws. The score is 0 if one child has every case. A child without cases does not matter. The
    score may be -inf, which refuses a split, but is never infinite or NaN otherwise, and it does not change its counts.
    It is never negative, since the search multiplies it by the share of cases whose value is known. `n_children` is for
    scores of splits with exactly that many children, such as `twoing`.

    Two laws can be `exempt`. "proportional": a split scores 0 if all children have their parent's class shares.
    "symmetric": the order of classes does not matter. `oracle` is the formula for one split, from a list of its children's
    counts and an impurity to a number; both must return the same.

    >>> from ftree.criteria import gain_ratio, twoing
    >>> check_score(gain_ratio)
    >>> check_score(twoing, n_children=2)
    """
    require_function("score", score)

    @trying()
    @given(_levels(n_children), st.sampled_from([entropy, gini, misclassification]), st.randoms(use_true_random=False))
    @example(np.array([[[2.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]), entropy, None)
    def laws(level: Any, impurity: Any, random: Any) -> None:
        scores = _of_level(score, level, impurity)
        for children, own in zip(level, scores.tolist(), strict=True):
            _check_value(children, own)
            if oracle is not None:
                equal("a score is that of the oracle", own, oracle(children.tolist(), impurity), children=children)
        _check_alike(score, level, impurity, scores, random, wider=n_children is None, exempt=exempt)

    laws()


def _of_level(score: Score, level: Any, impurity: Any) -> Any:
    """The scores of splits: those of a level, of two levels at once, and of each split by itself."""
    counts = level.copy()
    scores = np.asarray(score(counts, impurity))
    law("a score does not change its counts", np.array_equal(counts, level), got=counts, wanted=level)
    law("a score is one number for each split", scores.shape == level.shape[:1], got=scores.shape, children=level)
    alone = [float(score(split, impurity)) for split in level]
    equal("a level's results are its splits' results", scores, alone, children=level)
    stacked = score(np.array([level, level[::-1]]), impurity)
    equal("counts (..., V, K) may have any number of axes", stacked, [alone, alone[::-1]], children=level)
    return scores


def _check_value(children: Any, own: float) -> None:
    finite = np.isfinite(own)
    law("a score is finite, or -inf for a split that it refuses", finite or own == -np.inf, got=own, children=children)
    law("a score is never negative", not finite or own >= -TIE, got=own, children=children)
    if np.count_nonzero(children.sum(axis=-1)) <= 1:
        law("a split that sends all cases to one child scores 0", own <= TIE, got=own, children=children)


def _check_alike(
    score: Score, level: Any, impurity: Any, scores: Any, random: Any, *, wider: bool, exempt: Collection[_Law]
) -> None:
    """Splits with the same meaning have the same score."""

    def same(text: str, other: Any) -> None:
        answers = np.asarray(score(other, impurity))
        law(text, near(answers, scores), got=answers, wanted=scores, children=other, like=level)

    same("the order of children does not matter", level[:, _order(level.shape[1], random)])
    if wider:
        same("a child without cases does not matter", np.concatenate([level, np.zeros_like(level[:, :1])], axis=1))
    if "symmetric" not in exempt:
        same("the order of classes does not matter", level[..., _order(level.shape[2], random)])
    if "proportional" not in exempt:
        times = np.arange(1, level.shape[1] + 1)[:, None]
        alike = level[:, :1] * times
        told = np.asarray(score(alike, impurity))
        law("children with their parent's class shares score 0", (told <= NEAR).all(), got=told, wanted=0, children=alike)


def _order(size: int, random: Any) -> list[int]:
    return list(range(size)) if random is None else random.sample(range(size), size)


def _levels(n_children: int | None) -> SearchStrategy[Any]:
    """Class counts (n, V, K) of the children of n splits, halves of whole numbers; some children are empty."""
    sizes = st.tuples(st.integers(1, 4), st.integers(1, 4) if n_children is None else st.just(n_children), st.integers(1, 3))
    return sizes.flatmap(_counts)


def _counts(shape: tuple[int, ...]) -> SearchStrategy[Any]:
    size = int(np.prod(shape))
    return st.lists(st.integers(0, 9), min_size=size, max_size=size).map(lambda counts: np.reshape(counts, shape) / 2)
