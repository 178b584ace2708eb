"""Formulas: the rule of a leaf, and a class as a disjunction of conjunctions. They contain names instead of numbers."""

from collections.abc import Hashable

from attrs import frozen

from ftree._lib.messages import type_of
from ftree.tree.conditions import AllOf, Condition
from ftree.tree.nodes import Counts


@frozen
class Rule:
    """The conditions of a path, the label of its leaf, and the leaf's class counts.

    >>> from ftree import grow, rules
    >>> from ftree.datasets import weather
    >>> first = rules(grow(weather()))[0]
    >>> first.label, first.counts
    ('yes', (0, 4))
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    counts: Counts

    def __str__(self) -> str:
        """The rule as a sentence.

        >>> from ftree.tree.conditions import OneOf
        >>> print(Rule((OneOf("sky", ("grey",)),), "stay", (0, 3)))
        if sky = grey then stay
        """
        return f"if {AllOf(self.conditions)} then {self.label}"


@frozen
class Dnf:
    """A class as a disjunction of conjunctions: it holds if all conditions of one of the terms hold.

    A formula without terms is false; a term without conditions is true.

    >>> from ftree import dnf, grow
    >>> from ftree.datasets import weather
    >>> len(dnf(grow(weather()), "no").terms)
    2
    """

    label: Hashable
    terms: tuple[tuple[Condition, ...], ...]

    def __str__(self) -> str:
        """The formula with "and" and "or"; terms of several conditions are in parentheses.

        >>> from ftree.tree.conditions import Between, OneOf
        >>> print(Dnf("play", ((OneOf("sky", ("blue",)),), (Between("wind", at_most=3.0), OneOf("sky", ("grey",))))))
        sky = blue or (wind <= 3 and sky = grey)
        """
        return " or ".join(map(_conjunction, self.terms)) or "false"


def terms(formula: Dnf | Rule) -> tuple[tuple[Condition, ...], ...]:
    """The terms of a formula; a rule has one. Raises a TypeError for anything else."""
    if not isinstance(formula, (Dnf, Rule)):
        message = f"formula must be a Dnf or a Rule, got {type_of(formula)}. Make one with dnf(tree, label) or rules(tree)."
        raise TypeError(message)
    return formula.terms if isinstance(formula, Dnf) else (formula.conditions,)


def _conjunction(term: tuple[Condition, ...]) -> str:
    return f"({AllOf(term)})" if len(term) > 1 else str(AllOf(term))
