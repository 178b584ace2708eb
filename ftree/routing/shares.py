"""Rows without an answer divided by the shares that a prediction rule gives each child.

Parts are multiples of a grid step, so that they add up exactly. Compiled code divides by the same arithmetic
(`ftree._lib.kernels.shares`), so that all ways down agree to the last bit.
"""

from typing import Any

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.tree.prediction_rule import PredictionRule

# Example sizes, with which a rule is checked before it is needed.
SIZES = np.array([2.0, 1.0])
_OURS = "ftree.routing."
# Shares whose sum differs from 1 by at most this are meant to add up to 1.
_ROUNDING = 1e-9


def shares_of(rule: PredictionRule, sizes: Array) -> Floats:
    """The share that each child of a branch gets of a row without an answer, (V,), or for many branches, (B, V).

    Children of a branch without cases count as equal.

    Raises a ValueError unless the rule's shares are one finite number from 0 for each child.

    >>> from ftree.missing import weighted
    >>> shares_of(weighted(), np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    if sizes.ndim == 1:
        one = sizes if sizes.any() else np.ones(len(sizes))
        return _checked(rule, one.astype(np.float64, copy=False))
    given: Array = np.where(sizes.any(axis=-1, keepdims=True), sizes, 1.0)
    if getattr(rule, "broadcasts", False):
        return _checked(rule, given)
    return np.array([_checked(rule, each) for each in given]).reshape(given.shape)


def whole_shares(rule: PredictionRule, sizes: Array) -> Floats:
    """The shares (V,) by a rule that must divide exactly the whole row, so that counts add up.

    Raises a ValueError if they do not add up to 1.
    """
    shares = shares_of(rule, sizes)
    if abs(shares.sum() - 1) > _ROUNDING:
        remedy = "With other shares the counts of children would not add up to their parent's."
        message = f"missing must be a rule with shares that add up to 1, such as weighted(), got {name_of(rule)}. {remedy}"
        raise ValueError(message)
    return shares


def one_route(rule: PredictionRule, sizes: Array) -> int | None:
    """The child that gets a whole row, None if the row stays, by a rule that must follow one route.

    Raises a ValueError if several children get a share, or one child gets a part.
    """
    shares = shares_of(rule, sizes)
    taken = np.flatnonzero(shares)
    if len(taken) > 1 or not np.isin(shares, (0, 1)).all():
        wanted = "a rule that follows one route, such as heaviest() or stop_here()"
        message = f"missing must be {wanted}, got {name_of(rule)}. A path cannot follow several routes."
        raise ValueError(message)
    return int(taken[0]) if len(taken) else None


def child_of_rest(shares: Floats) -> Array:
    """The child that gets the rounding remainder of a row, (...), for shares (..., V); -1 if they do not add up to 1.

    It is the first with the largest share.

    >>> child_of_rest(np.array([[0.25, 0.75], [1.0, 1.0], [0.0, 0.0]])).tolist()
    [1, -1, -1]
    """
    largest: Array = shares.argmax(axis=-1)
    return np.where(abs(shares.sum(axis=-1) - 1) <= _ROUNDING, largest, -1)


def divide_weights(weights: Array, shares: Floats, step: float) -> tuple[Array, Array]:
    """The part of each child in the weights of rows without an answer, (V, n), and their remainders, (n,).

    >>> [part.tolist() for part in divide_weights(np.array([1.0]), np.array([0.25, 0.75]), 0.25)]
    [[[0.25], [0.75]], [0.0]]
    """
    total, parts = shares.sum(), np.outer(shares, weights)
    if (shares * shares == shares).all():  # all shares are 0 or 1, the most frequent case except for `weighted`: half the time
        return parts, weights * (total == 0)
    parts = np.floor(parts / step) * step
    if abs(total - 1) <= _ROUNDING:
        parts[shares.argmax()] += weights - parts.sum(axis=0)
        return parts, np.zeros(len(weights))
    parts[shares == 1] = weights
    return parts, np.maximum(weights - parts.sum(axis=0), 0)


def _checked(rule: PredictionRule, sizes: Array) -> Floats:
    """The rule's shares as floats, in the shape of the sizes."""
    given: Any = rule(sizes)
    if type(rule).__module__.startswith(_OURS):
        return given  # type: ignore[no-any-return]  # the library's own rules are right
    shares = np.asarray(given)
    if shares.shape != sizes.shape or shares.dtype.kind not in "fiub" or not (np.isfinite(shares) & (shares >= 0)).all():
        wanted = f"a finite number from 0 for each of {sizes.shape[-1]} children"
        message = f"{name_of(rule)} must return shares, {wanted}, got {short_repr(given)}."
        raise ValueError(message)
    return shares.astype(np.float64)
