"""The battery for impurities."""

from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity
from ftree.testing.laws import NEAR, equal, law, trying

_Law: TypeAlias = Literal["absent", "concave", "mixed", "scale", "symmetric"]
# This pair of nodes shows more often than any other that an impurity is not concave.
_CORNER = [[1, 1], [1, 0]]


def check_impurity(
    impurity: Impurity, *, oracle: Callable[[list[float]], float] | None = None, exempt: Collection[_Law] = ()
) -> None:
    """Check an impurity: it broadcasts, is never negative, and 0 for pure and empty nodes, and no split raises it.

    The impurity of children is their mean, weighted by cases, which the battery computes itself. These laws can be `exempt`:
    "concave": no children are more impure than their parent. "mixed": a node of two classes is impure. "scale": twice or half
    the cases are equally impure. "symmetric": the order of classes does not matter. "absent": empty classes do not matter.

    `oracle` is the formula for one node, from a list of class counts to a number; both must return the same.

    >>> from ftree import entropy, gini
    >>> check_impurity(lambda counts: entropy(counts) ** 0.5)
    >>> check_impurity(gini, oracle=lambda counts: 1 - sum((n / (sum(counts) or 1)) ** 2 for n in counts) - (not any(counts)))
    """
    require_function("impurity", impurity)

    @trying()
    @given(_nodes(), st.randoms(use_true_random=False))
    @example(_CORNER, None)
    def laws(nodes: list[list[int]], random: Any) -> None:
        level = np.asarray(_of_level(impurity, nodes))
        for node, own in zip(nodes, level.tolist(), strict=True):
            _check_value(node, own, exempt)
            _check_alike(impurity, node, own, random, exempt)
            if oracle is not None:
                equal("an impurity is that of the oracle", own, oracle([float(n) for n in node]), counts=node)
        if "concave" not in exempt:
            _check_gain(impurity, nodes, level.tolist())

    laws()


def _nodes() -> SearchStrategy[list[list[int]]]:
    """Class counts of 1 to 4 nodes, of 1 to 4 classes."""
    return st.integers(1, 4).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=1, max_size=4)
    )


def _of_level(impurity: Impurity, nodes: list[list[int]]) -> Any:
    """The impurities of nodes: those of a level, of two levels at once, and of each node by itself."""
    counts = np.array(nodes)
    level = np.asarray(impurity(counts))
    equal("an impurity does not change its counts", counts, np.array(nodes))
    law("an impurity is one number for each node", level.shape == (len(nodes),), got=level.shape, counts=nodes)
    alone = [float(impurity(np.array(node))) for node in nodes]
    equal("a level's results are its nodes' results", level, alone, counts=nodes)
    stacked = impurity(np.array([nodes, nodes[::-1]], dtype=np.float64))
    equal("counts (..., K) may have any number of axes", stacked, [alone, alone[::-1]], counts=nodes)
    return level


def _check_value(node: list[int], own: float, exempt: Collection[_Law]) -> None:
    law("an impurity is finite", np.isfinite(own), got=own, counts=node)
    law("an impurity is never negative", own >= 0, got=own, counts=node)
    if np.count_nonzero(node) <= 1:
        equal("the impurity of a pure or empty node is 0", own, 0.0, counts=node)
    elif "mixed" not in exempt:
        law("a node of two classes is impure", own > NEAR, got=own, wanted="above 0", counts=node)


def _check_alike(impurity: Impurity, node: list[int], own: float, random: Any, exempt: Collection[_Law]) -> None:
    """Nodes with the same meaning are equally impure."""
    if "scale" not in exempt:
        for times in (0.5, 3.0, 1e4):
            scaled = [n * times for n in node]
            equal("nodes with the same shares are equally impure", impurity(np.array(scaled)), own, counts=scaled, like=node)
    if "symmetric" not in exempt:
        other = node[::-1] if random is None else random.sample(node, len(node))
        equal("the order of classes does not matter", impurity(np.array(other)), own, counts=other, like=node)
    if "absent" not in exempt:
        wider = [*node, 0]
        equal("a class without cases does not matter", impurity(np.array(wider)), own, counts=wider, like=node)


def _check_gain(impurity: Impurity, nodes: list[list[int]], own: list[float]) -> None:
    """The nodes as children of one parent are on average no more impure than it is."""
    parent = [sum(counts) for counts in zip(*nodes, strict=True)]
    sizes = [sum(node) for node in nodes]
    below = sum(size * each for size, each in zip(sizes, own, strict=True)) / (sum(sizes) or 1)
    above = float(impurity(np.array(parent)))
    law("gain is never negative for a concave impurity", above - below >= -NEAR, got=above - below, children=nodes)
