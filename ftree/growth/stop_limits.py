"""A stopping rule in numbers, for growth and searches that cannot call a rule for each node."""

from math import inf
from sys import float_info

from attrs import frozen

from ftree._lib.arrays import TIE, least_tied
from ftree._lib.objects import is_exactly
from ftree.criteria.predicate import StoppingRule
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure


@frozen
class StopLimits:
    """The stopping rule in numbers.

    A node is closed if pure, from a depth on, with fewer rows, fewer errors, a smaller child, or less gain.
    """

    pure: bool = False
    depth: float = inf
    rows: float = -inf
    errors: float = -inf
    leaf: float = -inf
    gain: float = -inf


# The rules of `StopLimits`, and the one that closes no node.
_RULES: tuple[type, ...] = (pure, max_depth, min_rows, min_errors, min_best_child, no_gain, min_gain, max_leaves)


def stop_limits(rule: StoppingRule, *, of_classes: bool = True) -> StopLimits | None:
    """A stopping rule in numbers; None for a rule that is not made of the library's own alternatives, such as a subclass.

    For classes and events (`of_classes`), a gain within the tolerance is none; for numbers, whose sums are exact, only 0 is none.
    For numbers and events, `errors` are counted in the root's mean risk of a case, as by `min_errors`.

    >>> stop_limits(pure() | max_depth(6) | min_best_child(2))
    StopLimits(pure=True, depth=6, rows=-inf, errors=-inf, leaf=2, gain=-inf)
    >>> stop_limits(~pure())
    """
    is_pure, depth, rows, errors, leaf, gain = False, inf, -inf, -inf, -inf, -inf
    for part in alternatives(rule):
        if not is_exactly(part, *_RULES):
            return None
        match part:
            case pure():
                is_pure = True
            case max_depth():
                depth = min(depth, part.limit)
            case min_rows():
                rows = max(rows, part.n)
            case min_errors():
                errors = max(errors, part.n)
            case min_best_child():
                leaf = max(leaf, part.n)
            case no_gain():
                gain = max(gain, TIE if of_classes else float_info.min)
            case min_gain():
                gain = max(gain, least_tied(part.bits, exact=not of_classes))
    return StopLimits(is_pure, depth, rows, errors, leaf, gain)
