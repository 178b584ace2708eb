"""Stopping rules: frozen callables from a `Frontier` to one boolean a node, composed with `|`, `&` and `~`.

A rule is asked about a whole level at once, after the search, so that it sees each node's best split. Any
function of the frontier is a rule as well; one written for a single node is lifted by `per_node`.
"""

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import a_probability
from ftree._lib.ties import TIE
from ftree.criteria.frontier import Frontier
from ftree.criteria.predicate import Operators, Rule, all_of, any_of, not_

__all__ = [
    "all_of",
    "always",
    "any_of",
    "chi_squared",
    "max_depth",
    "max_leaves",
    "min_best_child",
    "min_gain",
    "min_rows",
    "never",
    "no_gain",
    "not_",
    "per_node",
    "pure",
]
__dir__ = __all__.copy  # dir() shows public names only


never = any_of()
always = all_of()


def _at_least(least: float) -> Any:
    def check(rule: Any, _: Any, value: float) -> None:
        if not (isinstance(value, Real) and isfinite(value) and value >= least):
            message = f"{type(rule).__name__} must be at least {least}, got {value!r}."
            raise ValueError(message)

    return check


@frozen(repr=False)
class pure(Operators):
    """Stop where one class is left.

    >>> pure() | max_depth(6)
    pure() | max_depth(6)
    """

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.counts.max(axis=-1, initial=0) >= frontier.weight


@frozen(repr=False)
class max_depth(Operators):
    """Stop at a depth; the root's is 0.

    >>> ~max_depth(3)
    ~max_depth(3)
    """

    limit: int = field(validator=_at_least(0))

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return np.full(frontier.shape, frontier.depth >= self.limit)


@frozen(repr=False)
class min_rows(Operators):
    """Close a node with fewer than n cases (rows by weight), whatever splits it has: rpart's minsplit, n samples to split.

    Children may be smaller: `min_best_child` and a splitter's `min_cases` are about those.

    >>> min_rows(5)
    min_rows(5)
    """

    n: float = field(validator=_at_least(0))

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.weight < self.n


@frozen(repr=False)
class min_best_child(Operators):
    """Close a node whose best split has a child with fewer than n cases (rows by weight).

    A node is closed even where a second-best split has larger children. What scikit-learn's `min_samples_leaf` and
    rpart's minbucket mean is a splitter's `min_cases`: with `threshold(min_cases=20)` no cut with a smaller child is a candidate.

    >>> min_best_child(2) & ~max_depth(1)
    min_best_child(2) & ~max_depth(1)
    """

    n: float = field(validator=_at_least(0))

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.smallest_child < self.n


@frozen(repr=False)
class no_gain(Operators):
    """Stop where the best split gains nothing. A rule and not a law: XOR needs a split that gains nothing first.

    >>> pure() | no_gain()
    pure() | no_gain()
    """

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.gain <= TIE


@frozen(repr=False)
class min_gain(Operators):
    """Stop where the best split gains less than this (bits for entropy).

    >>> min_gain(0.01)
    min_gain(0.01)
    """

    bits: float = field(validator=_at_least(0))

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.gain < self.bits - TIE


@frozen(repr=False)
class chi_squared(Operators):
    """Stop where the best split and the class may well be independent: p-value above alpha.

    Source: Quinlan 1986, section 5.

    >>> max_depth(6) | chi_squared(0.05)
    max_depth(6) | chi_squared(0.05)
    """

    alpha: float = field(default=0.05, validator=a_probability)

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        return frontier.p_value > self.alpha


@frozen(repr=False)
class max_leaves(Operators):
    """Keep the n leaves that best-first growth reaches: each time, the split that takes off the most impurity.

    Which nodes these are is known only when the tree is grown, so this closes none; `grow` trims afterwards.
    It can stand alone or with others in `|`, and nowhere else.

    Source: Friedman, Hastie & Tibshirani 2000, section 8 (best-first growth); Shi 2007.

    >>> max_leaves(8) | max_depth(6)
    max_leaves(8) | max_depth(6)
    """

    n: int = field(validator=_at_least(1))

    def __call__(self, frontier: Frontier) -> Any:
        """Close no node."""
        return np.zeros(frontier.shape, dtype=bool)


@frozen(repr=False)
class per_node(Operators):
    """A rule made of a function of one node, asked node by node (about 150 times slower than a rule of arrays).

    >>> per_node(max_depth(3))
    per_node(max_depth(3))
    """

    function: Callable[[Frontier], Any]

    def __call__(self, frontier: Frontier) -> Any:
        """Answer for each node."""
        if frontier.shape == ():
            return bool(self.function(frontier))
        return np.array([bool(self.function(node)) for node in frontier.nodes()], dtype=bool)


def alternatives(rule: Rule) -> tuple[Rule, ...]:
    """The rules of which one is enough to stop.

    >>> alternatives(max_depth(3) | pure())
    (max_depth(3), pure())
    """
    return rule.rules if isinstance(rule, any_of) else (rule,)


def before_the_search(rule: Rule) -> Rule:
    """Those alternatives that need no split to answer: a node they close need not be searched.

    >>> before_the_search(max_depth(3) | no_gain() | ~pure())
    max_depth(3) | ~pure()
    """
    return any_of(*(part for part in alternatives(rule) if _looks_at_node_only(part)))


def leaf_limit(rule: Rule) -> int | None:
    """The least n of the `max_leaves(n)` among the alternatives, None without one.

    Raises a ValueError when one stands under `&` or `~`, where it has no meaning.

    >>> leaf_limit(max_leaves(8) | pure())
    8
    """
    limits = [part.n for part in alternatives(rule) if isinstance(part, max_leaves)]
    if any(_mentions_max_leaves(part) for part in alternatives(rule) if not isinstance(part, max_leaves)):
        message = f"max_leaves is about the whole tree, so it combines with | only; the rule was {rule!r}."
        raise ValueError(message)
    return min(limits, default=None)


def _parts(rule: Rule) -> tuple[Rule, ...]:
    match rule:
        case any_of() | all_of():
            return rule.rules
        case not_():
            return (rule.rule,)
    return ()


def _looks_at_node_only(rule: Rule) -> bool:
    parts = _parts(rule)
    return all(map(_looks_at_node_only, parts)) if parts else isinstance(rule, (pure, max_depth, min_rows))


def _mentions_max_leaves(rule: Rule) -> bool:
    return isinstance(rule, max_leaves) or any(map(_mentions_max_leaves, _parts(rule)))
