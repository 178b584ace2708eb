"""Predicates that compose: `a | b`, `a & b`, `~a`.

A predicate is a function of a subject (for a stopping rule, the frontier of a level) that returns one boolean for each
of its nodes. Any function with that signature is a predicate; the classes here add operators and a repr.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from attrs import frozen
from toolz import concat

from ftree._lib.fields import ConstructorRepr, a_function, must_be, name_of
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import is_exactly

Bools: TypeAlias = npt.NDArray[np.bool_]
Answer: TypeAlias = "bool | np.bool_ | Bools"
StoppingRule: TypeAlias = "Callable[[Any], Any]"


class Operators(ConstructorRepr):
    """A base of predicates: the operators `|`, `&` and `~`, and a repr that reads like the constructor call."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, subject: Any, /) -> Any:
        """Answer for every node of the subject."""

    def __or__(self, other: StoppingRule) -> "any_of":
        """Close nodes that either rule closes."""
        return any_of(self, other)

    def __ror__(self, other: StoppingRule) -> "any_of":
        """Close nodes that either rule closes; the left one is a plain function."""
        return any_of(other, self)

    def __and__(self, other: StoppingRule) -> "all_of":
        """Close nodes that both rules close."""
        return all_of(self, other)

    def __rand__(self, other: StoppingRule) -> "all_of":
        """Close nodes that both rules close; the left one is a plain function."""
        return all_of(other, self)

    def __invert__(self) -> "not_":
        """Close nodes that the rule does not close."""
        return not_(self)


def is_rule(value: Any) -> bool:
    """Whether the operators compose the value: a rule of the library, or one whose class has the decorator `rule`.

    >>> from ftree.stop import max_depth
    >>> is_rule(max_depth(3)), is_rule(len)
    (True, False)
    """
    return getattr(type(value), "__invert__", None) is Operators.__invert__


# A validator: the value must be a function of counts, which a stopping rule is not.
a_measure: Any = [a_function, must_be("a function of class counts", lambda part: not is_rule(part), error=TypeError)]


@frozen(init=False)
class _Several(Operators):
    """A base of predicates that merge the answers of several rules."""

    rules: tuple[StoppingRule, ...]
    # How two answers are merged, the answer of no rule, the operator, and the repr of no rule.
    _merge: ClassVar[Any]
    _start: ClassVar[bool]
    _operator: ClassVar[str]
    _empty: ClassVar[str]

    def __init__(self, *rules: StoppingRule) -> None:
        """Take rules as arguments; one of the same kind is replaced by its parts, so that nested rules equal flat ones."""
        flat = concat(rule.rules if is_exactly(rule, type(self)) else (rule,) for rule in _callable(rules))
        self.__attrs_init__(tuple(flat))  # pyright: ignore[reportAttributeAccessIssue]  # attrs writes it

    @property
    def parts(self) -> tuple[StoppingRule, ...]:
        """The rules of which it is made."""
        return self.rules

    def __call__(self, subject: Any) -> Any:
        """Answer for every node of the subject."""
        return reduce(self._merge, (ask(rule, subject) for rule in self.rules), np.full(subject.shape, self._start))

    def __repr__(self) -> str:
        """Rules joined by the operator, `any_of` in parentheses; the constructor call for one rule, and a name for none."""
        if len(self.rules) == 1:
            return f"{type(self).__name__}({name_of(self.rules[0])})"
        return f" {self._operator} ".join(map(_bracketed, self.rules)) or self._empty


@frozen(init=False)
class any_of(_Several):
    """Close nodes that any of the rules closes; without rules, close no node.

    >>> any_of(any_of(len, callable), any) == any_of(len, callable, any)
    True
    """

    _merge, _start, _operator, _empty = np.logical_or, False, "|", "never"


@frozen(init=False)
class all_of(_Several):
    """Close nodes that all of the rules close; without rules, close every node.

    >>> all_of(len, all_of(callable)) == all_of(len, callable)
    True
    """

    _merge, _start, _operator, _empty = np.logical_and, True, "&", "always"


@frozen
class not_(Operators):
    """Close nodes that the rule does not close.

    >>> ~not_(callable)
    ~~callable
    """

    rule: StoppingRule

    @property
    def parts(self) -> tuple[StoppingRule, ...]:
        """The rule of which it is made."""
        return (self.rule,)

    def __call__(self, subject: Any) -> Any:
        """Answer for every node of the subject."""
        return np.logical_not(ask(self.rule, subject))

    def __repr__(self) -> str:
        """The rule after `~`, in parentheses if it is composed."""
        return f"~({self.rule!r})" if isinstance(self.rule, all_of) and len(self.rule.rules) > 1 else f"~{_bracketed(self.rule)}"


def ask(rule: StoppingRule, subject: Any) -> Bools:
    """The result of a rule for every node of the subject, as booleans of the subject's shape.

    Raises a TypeError with a remedy if the rule was written for one node (`if`, `and`, `or`), or does not return one
    boolean for each node.

    >>> from ftree.criteria import Nodes
    >>> from ftree.stop import max_depth
    >>> import numpy as np
    >>> ask(max_depth(3), Nodes(3, np.array([[2, 1], [0, 4]]), np.array([0.9, 0.0]))).tolist()
    [True, True]
    """
    try:
        answer = np.asarray(rule(subject))
    except ValueError as error:
        if "ambiguous" not in str(error):
            raise
        raise TypeError(
            f"The rule {name_of(rule)} must work on arrays, for all open nodes of a level at once, got one that uses the truth "
            f"of an array. Wrap it, per_node({name_of(rule)}), or write it for arrays: use & | ~ in place of and, or, not, "
            "and numpy.where in place of if."
        ) from error
    if answer.dtype != np.bool_ or answer.shape not in {(), subject.shape}:
        wanted = f"booleans of shape {subject.shape}, one for each node, or a single boolean"
        raise TypeError(f"The rule {name_of(rule)} must return {wanted}, got {answer.dtype} of shape {answer.shape}.")
    return np.broadcast_to(answer, subject.shape)


def as_rule(rule: StoppingRule) -> Operators:
    """The rule itself, or `any_of(rule)` for a plain function, so that `|`, `&` and `~` work on it.

    A value that is not a function is returned unchanged, so that a validator can refuse it.

    >>> as_rule(len) | callable
    len | callable
    """
    is_function = callable(rule) and not (isinstance(rule, type) or is_rule(rule))
    return any_of(rule) if is_function else cast("Operators", rule)


def _callable(rules: tuple[StoppingRule, ...]) -> tuple[StoppingRule, ...]:
    for rule in rules:
        if isinstance(rule, type) or not callable(rule):
            remedy = "Write a rule with parentheses, such as max_depth(3)."
            got = type_of(rule) if isinstance(rule, type) else short_repr(rule)
            raise TypeError(f"A rule must be a function of the frontier, got {got}. {remedy}")
    return rules


def _bracketed(rule: StoppingRule) -> str:
    return f"({rule!r})" if isinstance(rule, any_of) and len(rule.rules) > 1 else name_of(rule)
