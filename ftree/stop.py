"""Stopping rules: functions from a `Frontier` to one boolean a node, composed with `|`, `&` and `~`.

A rule is called once for a whole level, after the search, so it sees each node's best split. Any function of the frontier
is a rule; `per_node` turns a function of a single node into a rule. `evolve(policy, stop=rule)` replaces a policy's rules, and
`policy.stopping(rule)` adds one.

A class of rules that read no split, such as `max_depth`, says `looks_at = "node"`: nodes that they close are not searched.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE, least_tied
from ftree._lib.fields import a_function, a_probability, is_finite, require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree.criteria.frontier import Frontier
from ftree.criteria.predicate import Operators, StoppingRule, all_of, any_of, not_

__all__ = [
    "all_of",
    "always",
    "any_of",
    "max_depth",
    "max_leaves",
    "min_best_child",
    "min_errors",
    "min_gain",
    "min_impurity_decrease",
    "min_rows",
    "never",
    "no_gain",
    "not_",
    "not_significant",
    "per_node",
    "pure",
    "rule",
]
__dir__ = __all__.copy  # dir() shows public names only
_R = TypeVar("_R")
# Stops at no node.
never = any_of()
# Stops at every node.
always = all_of()


def rule(own: type[_R]) -> type[_R]:
    """Decorate a class of your own, whose values are rules, so that they compose with `|`, `&` and `~`.

    >>> @rule
    ... @frozen
    ... class nearly_pure:
    ...     share: float
    ...
    ...     def __call__(self, frontier):
    ...         return frontier.counts.max(axis=-1) >= self.share * frontier.weight
    >>> nearly_pure(0.9) | ~nearly_pure(0.5)
    nearly_pure(share=0.9) | ~nearly_pure(share=0.5)
    """
    for name in ("__or__", "__ror__", "__and__", "__rand__", "__invert__"):
        setattr(own, name, vars(Operators)[name])
    return own


def _at_least_0(rule: Any, attribute: Any, value: float) -> None:
    """Refuse other numbers by the name of the rule, which says more than that of its only positional argument."""
    if not (is_finite(value) and value >= 0):
        name = attribute.name if attribute.kw_only else type(rule).__name__
        raise ValueError(f"{name} must be a number of at least 0, got {short_repr(value)}.")


def _whole_from(least: int) -> Any:
    return lambda rule, _, value: require_whole_number(type(rule).__name__, value, least)


# Rules that read a node only: the search can skip the nodes that they close


@frozen
class pure(Operators):
    """Close nodes whose cases all have one class, or one number.

    >>> pure() | max_depth(6)
    pure() | max_depth(6)
    """

    looks_at = "node"

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.impurity <= 0 if frontier.response is not None else frontier.counts.max(axis=-1) >= frontier.weight


@frozen
class max_depth(Operators):
    """Close nodes at this depth; the root has depth 0.

    Raises a ValueError for anything but a whole number from 0.

    >>> ~max_depth(3)
    ~max_depth(3)
    """

    looks_at = "node"
    limit: int = field(validator=_whole_from(0))

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return np.full(frontier.shape, frontier.depth >= self.limit)


@frozen
class min_rows(Operators):
    """Close nodes with fewer than n cases (rows by weight): scikit-learn's `min_samples_split`, rpart's minsplit.

    Those count rows, whatever they weigh. Children may have fewer: `min_best_child` and the splitters' `min_cases` are about
    children.

    >>> min_rows(5)
    min_rows(5)
    """

    looks_at = "node"
    n: float = field(validator=_at_least_0)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.weight < self.n


@frozen
class min_errors(Operators):
    """Close nodes with fewer than n errors as leaves: cases of other classes than the most frequent one.

    rpart does not split a node with at most cp times the root's errors, since no split of it can be worth cp.

    For numbers and events, errors are counted in the root's mean risk of a case, so `min_errors(cp * dataset.n_cases)` is rpart's
    rule. The risk of shrunken rates is that of the rates that nodes answer.

    >>> min_errors(5)
    min_errors(5)
    """

    looks_at = "node"
    n: float = field(validator=_at_least_0)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        if frontier.response is not None:
            risk = frontier.impurity if frontier.risk is None else frontier.risk(frontier.counts)
            return risk * frontier.weight < self.n
        return frontier.counts.sum(axis=-1) - frontier.counts.max(axis=-1) < self.n


# Rules that read a node's best split


@frozen
class min_best_child(Operators):
    """Close nodes whose best split has a child with fewer than n cases (rows by weight).

    A node is closed even if its second-best split has larger children. The splitters' `min_cases` is scikit-learn's
    `min_samples_leaf` and rpart's minbucket: under `threshold(min_cases=20)`, a cut with a smaller child is not a candidate.

    >>> min_best_child(2) & ~max_depth(1)
    min_best_child(2) & ~max_depth(1)
    """

    n: float = field(validator=_at_least_0)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.smallest_child < self.n


@frozen
class no_gain(Operators):
    """Close nodes whose best split has no gain.

    A policy can omit this rule: XOR needs a first split that has no gain.

    >>> pure() | no_gain()
    pure() | no_gain()
    """

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.gain <= (0 if _is_exact(frontier) else TIE)


@frozen
class min_gain(Operators):
    """Close nodes whose best split gains less than this, in the unit of the impurity: bits of entropy, shares of root variance.

    >>> min_gain(0.01)
    min_gain(0.01)
    """

    bits: float = field(validator=_at_least_0)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.gain < least_tied(self.bits, exact=_is_exact(frontier))


@frozen
class min_impurity_decrease(Operators):
    """Close nodes whose best split lowers the mean impurity of all `cases` by less than this: its gain times the node's share.

    It is scikit-learn's rule; give `cases=dataset.n_cases`, where 0 counts as 1. Of numbers and events, it asks for a
    share of the root's risk, as rpart's cp does. rpart asks a whole branch, as `prune.cost_complexity(cp, scale="cp")` does, and
    not each split alone.

    >>> min_impurity_decrease(0.01, cases=150)
    min_impurity_decrease(0.01, cases=150)
    """

    least: float = field(validator=_at_least_0)
    cases: float = field(kw_only=True, validator=_at_least_0)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.gain * frontier.weight / (self.cases or 1) < least_tied(self.least, exact=_is_exact(frontier))


@frozen
class not_significant(Operators):
    """Close nodes whose best split has a p-value above alpha in the chi-squared test of independence from the class.

    Raises a ValueError for an alpha that is not a probability.

    Source: Quinlan 1986, section 5.

    >>> max_depth(6) | not_significant(0.05)
    max_depth(6) | not_significant(0.05)
    """

    alpha: float = field(default=0.05, validator=a_probability)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.p_value > self.alpha


def _is_exact(frontier: Frontier) -> bool:
    """Whether gains are those of exact sums."""
    return frontier.response is not None and frontier.response.squared > 0


# Rules about the whole tree, and of one node at a time


@frozen
class max_leaves(Operators):
    """Keep the n leaves of best-first growth, which always makes the split that reduces impurity most.

    Best-first order is known only when the tree is grown, so the rule closes no node, and `grow` trims the tree afterwards.
    The rule can stand alone or under `|`, but not under `&` or `~`.

    Source: Friedman, Hastie & Tibshirani 2000, section 8 (best-first growth); Shi 2007.

    >>> max_leaves(8) | max_depth(6)
    max_leaves(8) | max_depth(6)
    """

    n: int = field(validator=_whole_from(1))

    def __call__(self, frontier: Frontier) -> Any:
        """False for each node."""
        return np.zeros(frontier.shape, dtype=bool)


@frozen
class per_node(Operators):
    """A rule made from a function of one node, called for each node; about 150 times slower than a rule of arrays.

    >>> per_node(max_depth(3))
    per_node(max_depth(3))
    """

    function: Callable[[Frontier], Any] = field(validator=a_function)

    @property
    def parts(self) -> tuple[StoppingRule, ...]:
        """The function of which it is made."""
        return (self.function,)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        if frontier.shape == ():
            return bool(self.function(frontier))
        return np.array([bool(self.function(node)) for node in frontier.nodes()], dtype=bool)


# What growth asks of a rule


def alternatives(rule: StoppingRule) -> tuple[StoppingRule, ...]:
    """The rules any one of which closes a node.

    >>> alternatives(max_depth(3) | pure())
    (max_depth(3), pure())
    """
    return rule.rules if is_exactly(rule, any_of) else (rule,)


def before_the_search(rule: StoppingRule) -> StoppingRule:
    """The alternatives that do not depend on a split: the search can skip nodes that they close.

    >>> before_the_search(max_depth(3) | no_gain() | ~pure())
    max_depth(3) | ~pure()
    """
    return any_of(*(part for part in alternatives(rule) if _looks_at_node_only(part)))


def leaf_limit(rule: StoppingRule) -> int | None:
    """The least n of all `max_leaves(n)` among the alternatives, None without one.

    Raises a ValueError for a `max_leaves` under `&` or `~` or in `per_node`, where it has no meaning.

    >>> leaf_limit(max_leaves(8) | pure())
    8
    """
    limits = [part.n for part in alternatives(rule) if isinstance(part, max_leaves)]
    if any(_mentions_max_leaves(part) for part in alternatives(rule) if not isinstance(part, max_leaves)):
        raise ValueError(f"max_leaves must stand alone or under |, since it is about the whole tree, got {rule!r}.")
    return min(limits, default=None)


def _looks_at_node_only(rule: StoppingRule) -> bool:
    """Whether the rule's own class says that it reads no split, or it is made of such rules by `|`, `&` and `~`."""
    parts = getattr(rule, "parts", ()) if is_exactly(rule, any_of, all_of, not_) else ()
    return all(map(_looks_at_node_only, parts)) if parts else vars(type(rule)).get("looks_at") == "node"


def _mentions_max_leaves(rule: StoppingRule) -> bool:
    return isinstance(rule, max_leaves) or any(map(_mentions_max_leaves, getattr(rule, "parts", ())))
