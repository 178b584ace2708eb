"""Checks for impurities and scores."""

from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.arrays import TIE
from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity, entropy, gini, misclassification
from ftree.criteria.scores import Score
from ftree.testing.laws import COPIES, MANY, NEAR, check_stateless, equal, law, near, require_exempt

_Law: TypeAlias = Literal["absent", "concave", "mixed", "scale", "symmetric"]
# These pairs of nodes show more often than any other that an impurity is not concave.
_CORNERS = [[1, 1], [1, 0]], [[9, 1], [9, 0]], [[16, 0, 0], [20, 2, 2]], [[1, 1, 0], [1, 1, 1]]
_RANDOM = st.randoms(use_true_random=False)


def check_impurity(
    impurity: Impurity,
    *,
    n_classes: int | None = None,
    oracle: Callable[[list[float]], float] | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check an impurity: it broadcasts, is never negative, and 0 for pure and empty nodes, and no split raises it.

    The impurity of children is their mean, weighted by cases, which the check computes itself. These laws can be `exempt`:
    "concave": no children are more impure than their parent. "mixed": a node of two classes is impure. "scale": twice or half
    the cases are equally impure. "symmetric": the order of classes does not matter. "absent": empty classes do not matter.

    `oracle` is the formula for one node, from a list of class counts to a number; both must return the same. An impurity that
    exists for a certain number of classes only is asked about nodes of `n_classes`, and is exempt from "absent".

    >>> from ftree import entropy, gini
    >>> check_impurity(lambda counts: entropy(counts) ** 0.5)
    >>> check_impurity(gini, oracle=lambda counts: 1 - sum((n / (sum(counts) or 1)) ** 2 for n in counts) - (not any(counts)))
    """
    require_function("impurity", impurity)
    require_exempt(exempt, _Law)

    def laws(nodes: list[list[int]], random: Any) -> None:
        level = _of_level("an impurity", impurity, np.array(nodes), np.array(nodes, dtype=np.float64)).tolist()
        for node, own in zip(nodes, level, strict=True):
            _check_value(node, own, exempt)
            _check_alike(impurity, node, own, random, exempt)
            if oracle is not None:
                equal("an impurity is that of the oracle", own, oracle([float(n) for n in node]), counts=node)
        if "concave" not in exempt:
            _check_gain(impurity, nodes, level)

    corners = [np.array(pair) @ np.eye(len(pair[0]), n_classes or len(pair[0]), dtype=int) for pair in _CORNERS]
    examples = [{"nodes": corner.tolist(), "random": None} for corner in corners]
    answer = lambda own, nodes, **_: own(np.array(nodes, dtype=np.float64))  # noqa: E731  # short
    check_stateless(impurity, laws, answer, *examples, nodes=_nodes(n_classes), random=_RANDOM)


def _nodes(n_classes: int | None) -> SearchStrategy[list[list[int]]]:
    """Class counts of 1 to 4 nodes, of 1 to 4 classes, of many, or of so many."""
    return st.sampled_from([1, 2, 3, 4, MANY] if n_classes is None else [n_classes]).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9) | st.just(40), min_size=k, max_size=k), min_size=1, max_size=4)
    )


def _of_level(what: str, part: Callable[[Any], Any], each: Any, level: Any) -> Any:
    """The results of a level: those of `each` of its nodes by itself; and those of many levels at once."""
    alone = [float(part(one)) for one in each]
    for asked, wanted in ((level, alone), (np.array([level, level[::-1]] * COPIES), [alone, alone[::-1]] * COPIES)):
        counts = asked.copy()
        found = np.asarray(part(counts))
        law(f"{what} does not change its counts", np.array_equal(counts, asked), got=counts[:1], wanted=asked[:1])
        equal("a level's results are those of each alone, in any axes", found, wanted, counts=level)
        law(f"{what} has double precision", found.dtype != np.float32, got=found.dtype, counts=level)
    return np.asarray(part(level.copy()))


def _check_value(node: list[int], own: float, exempt: Collection[_Law]) -> None:
    law("an impurity is a finite number from 0", np.isfinite(own) and own >= 0, got=own, counts=node)
    if np.count_nonzero(node) <= 1:
        equal("the impurity of a pure or empty node is 0", own, 0.0, counts=node)
    elif "mixed" not in exempt:
        law("a node of two classes is impure", own > NEAR, got=own, wanted="above 0", counts=node, exempt="mixed")


def _check_alike(impurity: Impurity, node: list[int], own: float, random: Any, exempt: Collection[_Law]) -> None:
    """Nodes with the same meaning are equally impure."""
    if "scale" not in exempt:
        for times in (2**-4, 3.0, 1e10):
            scaled = [n * times for n in node]
            found = impurity(np.array(scaled))
            equal("nodes with the same shares are equally impure", found, own, counts=scaled, like=node, exempt="scale")
    wider = node if "absent" in exempt else [*node, *[0] * MANY]
    equal("a class without cases does not matter", impurity(np.array(wider)), own, counts=wider, like=node, exempt="absent")
    if "symmetric" not in exempt:
        other = wider[::-1] if random is None else random.sample(wider, len(wider))
        equal("the order of classes does not matter", impurity(np.array(other)), own, counts=other, like=node, exempt="symmetric")


def _check_gain(impurity: Impurity, nodes: list[list[int]], own: list[float]) -> None:
    """The nodes as children of one parent are on average no more impure than it is."""
    parent = [sum(counts) for counts in zip(*nodes, strict=True)]
    sizes = [sum(node) for node in nodes]
    below = sum(size * each for size, each in zip(sizes, own, strict=True)) / (sum(sizes) or 1)
    gain = float(impurity(np.array(parent))) - below
    law("gain is never negative for a concave impurity", gain >= -NEAR, got=gain, children=nodes, exempt="concave")


_ScoreLaw: TypeAlias = Literal["absent", "proportional", "scale", "symmetric"]


def check_score(
    score: Score,
    *,
    n_children: int | None = None,
    n_classes: int | None = None,
    oracle: Callable[[list[list[float]], Impurity], float] | None = None,
    exempt: Collection[_ScoreLaw] = (),
) -> None:
    """Check a score: one number from 0 for each split, alike for a level and for single splits and for any order of children.

    The search relies on further laws. The score is 0 if one child has every case. A child without cases does not matter. The
    score may be -inf, which refuses a split, but is never infinite or NaN otherwise, and it does not change its counts.
    It is never negative, since the search multiplies it by the share of cases whose value is known. `n_children` is for
    scores of splits with exactly that many children, such as `twoing`, and `n_classes` for scores of so many classes.

    Four laws can be `exempt`. "proportional": a split scores 0 if all children have their parent's class shares.
    "symmetric": the order of classes does not matter. "absent": empty classes do not matter, unless `n_classes` is given.
    "scale": where many and more cases of the same shares score the same, few cases do as well.
    `oracle` is the formula for one split, from a list of its children's counts and an impurity to a number.

    >>> from ftree.criteria import gain_ratio, twoing
    >>> check_score(gain_ratio)
    >>> check_score(twoing, n_children=2)
    """
    require_function("score", score)
    require_exempt(exempt, _ScoreLaw)
    exempt = {*exempt, "absent"} if n_classes else exempt

    def laws(level: Any, impurity: Any, random: Any) -> None:
        scored: _Scored = lambda children: score(children, impurity)  # noqa: E731  # short
        scores = _of_level("a score", scored, level, level)
        for children, own in zip(level, scores.tolist(), strict=True):
            _check_score_value(children, own)
            if oracle is not None:
                equal("a score is that of the oracle", own, oracle(children.tolist(), impurity), children=children)
        _check_scores_alike(scored, level, scores, random, wider=n_children is None, exempt=exempt)
        _check_proportions(scored, level, scores, exempt)

    empty = np.array([[[2.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]) @ np.eye(2, n_classes or 2)
    drawn: dict[str, Any] = {"impurity": st.sampled_from([entropy, gini, misclassification]), "random": _RANDOM}
    answer = lambda own, level, impurity, **_: own(level.copy(), impurity)  # noqa: E731  # short
    first = [{"level": empty, "impurity": entropy, "random": None}] if n_children in {None, 2} else []
    check_stateless(score, laws, answer, *first, level=_levels(n_children, n_classes), **drawn)


# From children's counts (..., V, K) to scores (...).
_Scored: TypeAlias = Callable[[Any], Any]


def _check_score_value(children: Any, own: float) -> None:
    right = own == -np.inf or (np.isfinite(own) and own >= -TIE)
    law("a score is a finite number from 0, or -inf for a split that it refuses", right, got=own, children=children)
    if np.count_nonzero(children.sum(axis=-1)) <= 1:
        law("a split that sends all cases to one child scores 0", own <= TIE, got=own, children=children)


def _check_scores_alike(
    score: _Scored, level: Any, scores: Any, random: Any, *, wider: bool, exempt: Collection[_ScoreLaw]
) -> None:
    """Splits with the same meaning have the same score."""

    def alike(text: str, other: Any, exempt: str = "") -> None:
        equal(text, score(other), scores, exempt=exempt, children=other, like=level)

    alike("the order of children does not matter", level[:, _order(level.shape[1], random)])
    if wider:
        alike("a child without cases does not matter", np.pad(level, ((0, 0), (MANY, 0), (0, 0))))
    padded = level if "absent" in exempt else np.pad(level, ((0, 0), (0, 0), (0, MANY)))
    alike("a class without cases does not matter", padded, "absent")
    if "symmetric" not in exempt:
        alike("the order of classes does not matter", padded[..., _order(padded.shape[2], random)], "symmetric")


def _check_proportions(score: _Scored, level: Any, scores: Any, exempt: Collection[_ScoreLaw]) -> None:
    """Children with equal shares score 0; and a score that depends on shares only, as one of many cases shows, always does."""
    if "proportional" not in exempt:
        alike = level[:, :1] * np.arange(1, level.shape[1] + 1)[:, None]
        told = np.asarray(score(alike))
        text = "children with their parent's class shares score 0"
        law(text, (told <= NEAR).all(), got=told, wanted=0, exempt="proportional", children=alike)
    usual = 4 + np.eye(*level.shape[1:])
    own = score(usual)
    for times in (0.01, 3e9) if "scale" not in exempt and own > NEAR and near(score(9 * usual), own) else ():
        told = np.asarray(score(level * times))
        kept = ~np.isfinite(told) | ~np.isfinite(scores) | np.isclose(told, scores, rtol=NEAR, atol=NEAR)
        text = "few cases score the same as many of the same shares"
        law(text, kept.all(), got=told, wanted=scores, exempt="scale", times=times, children=level)


def _order(size: int, random: Any) -> list[int]:
    return list(range(size)) if random is None else random.sample(range(size), size)


def _levels(n_children: int | None, n_classes: int | None) -> SearchStrategy[Any]:
    """Class counts (n, V, K) of the children of n splits, halves of whole numbers; some children are empty."""
    children = st.sampled_from([*range(1, 7), MANY] if n_children is None else [n_children])
    sizes = st.tuples(st.integers(1, 4), children, st.sampled_from([1, 2, 3, MANY] if n_classes is None else [n_classes]))
    return sizes.flatmap(_counts)


def _counts(shape: tuple[int, ...]) -> SearchStrategy[Any]:
    size = int(np.prod(shape))
    if size > MANY**2 / 2:  # drawing each number would take long
        return st.integers(0, 999).map(lambda seed: np.random.default_rng(seed).integers(0, 10, shape) / 2)
    return st.lists(st.integers(0, 9), min_size=size, max_size=size).map(lambda counts: np.reshape(counts, shape) / 2)
