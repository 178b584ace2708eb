"""Figures that passes compare: scores up to rounding, and risks of nodes as leaves.

The unit of risks is that of classes, or one in which the root's is 1, so that the unit of a target does not decide ties:

| risks of nodes as leaves | trees of classes | other trees | function |
|---|---|---|---|
| on their own cases | errors | shares of the root's loss | `risks_of` |
| on their own cases, by any impurity | mean risk of all cases | as above; alphas in losses of a case | `risks_and_unit` |
| on a pruning set | errors | shares of the root's loss there | `reduced_error._losses` |
"""

from collections.abc import Sequence
from functools import partial
from math import inf, isclose
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite, validator
from ftree._lib.messages import short_repr
from ftree.tree.counts import Counts
from ftree.tree.schema import Schema, response_of_sums

# Scores are equal if they differ by at most this share of the larger one, or, near 0, by at most this amount.
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12


def same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal except for rounding.

    >>> at_most(0.1 + 0.2, 0.3), at_most(0.3000001, 0.3)
    (True, False)
    """
    return one <= other or same(one, other)


def same_each(ones: Floats, others: Floats) -> Array:
    """`same` for each pair of two arrays (n,).

    >>> same_each(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.3000001])).tolist()
    [True, False]
    """
    near = np.maximum(_RELATIVE * np.maximum(abs(ones), abs(others)), _ABSOLUTE)
    answer: Array = abs(ones - others) <= near
    return answer


def risks_of(schema: Schema, nodes: Sequence[Counts]) -> list[float]:
    """The risk of each node with such counts as a leaf, on its own cases; the first is the root.

    It is the number of errors, or for other responses a share of the root's loss.

    >>> from ftree.tree import Schema, numbers
    >>> risks_of(Schema((), "mpg", (), response=numbers()), [(4, 8, 24), (2, 1, 1)])
    [1.0, 0.0625]
    """
    if schema.has_classes:
        return list(map(schema.response.risk, nodes))
    risks = response_of_sums(schema).risks(nodes)
    shares: list[float] = (risks / (risks[0] or 1.0)).tolist()
    return shares


def require_number_from(name: str, value: Any, least: float) -> None:
    """Raise a ValueError for an argument that is not a number of at least `least`; infinity is allowed.

    >>> require_number_from("cp", -1, 0)
    Traceback (most recent call last):
    ValueError: cp must be a number of at least 0, got -1.
    """
    if not ((is_finite(value) and value >= least) or (isinstance(value, float) and value == inf)):
        raise ValueError(f"{name} must be a number of at least {least}, got {short_repr(value)}.")


a_number_from = partial(validator, require_number_from)
