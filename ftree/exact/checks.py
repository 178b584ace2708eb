"""Checks of the results of objectives, and of prices."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.fields import is_finite, require_function
from ftree._lib.messages import short_repr
from ftree.exact.objectives import Objective, objective_for
from ftree.tree.schema import Schema, position


def checked_objective(objective: Any, class_counts: Array) -> Objective:
    """The objective for a table with these class counts; a TypeError if it is not a function, a ValueError if costs are invalid.

    >>> checked_objective(3, np.array([3.0, 1.0]))
    Traceback (most recent call last):
    TypeError: objective must be a function, got 3.
    """
    require_function("objective", objective)
    made = objective_for(objective, class_counts)
    # Several nodes at once, since a function of one node's counts is the most common mistake.
    if not np.isfinite(costs_of(made, np.stack([class_counts] * 2))).all():
        message = "objective must return a finite cost for the whole table, got an infinite one."
        raise ValueError(message)
    return made


def costs_of(objective: Objective, counts: Array) -> Floats:
    """What an objective returns for class counts (..., K), as an array (...); nodes without a case cost 0.

    >>> costs_of(max, np.array([[3.0, 1.0]]))
    Traceback (most recent call last):
    ValueError: objective must return costs of shape (1,) for class counts of shape (1, 2), got ndarray of shape (2,).
    """
    given = objective(read_only(counts))
    try:
        costs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.full((), np.nan)
    costs = np.where(counts.any(axis=-1), costs, 0.0) if costs.shape == counts.shape[:-1] else costs
    if costs.shape != counts.shape[:-1] or np.isnan(costs).any():
        shapes = f"costs of shape {counts.shape[:-1]} for class counts of shape {counts.shape}"
        message = f"objective must return {shapes}, got {'NaN' if costs.shape == counts.shape[:-1] else short_repr(given)}."
        raise ValueError(message)
    return costs


def require_price(name: str, price: Any, cases: float) -> None:
    """Raise a ValueError for a share of cases that is negative, not a number, or too large for a float.

    >>> require_price("leaf_penalty", -1, 10)
    Traceback (most recent call last):
    ValueError: leaf_penalty must be a finite number of at least 0, got -1.
    """
    if not (is_finite(price) and price >= 0 and isfinite(float(price) * cases)):
        message = f"{name} must be a finite number of at least 0, got {short_repr(price)}."
        raise ValueError(message)


def charges_of(schema: Schema, feature_costs: Mapping[str, float] | None, cases: float) -> dict[int, float]:
    """The cost of each feature, by its number, as a share of the cases.

    Raises a TypeError for anything but a mapping, a KeyError for the cost of an unknown feature, and as `require_price`.

    >>> charges_of(Schema((), "ride", ("no", "yes")), [1], 3)
    Traceback (most recent call last):
    TypeError: feature_costs must be a mapping of features' names to costs, got [1].
    """
    charges = dict.fromkeys(range(len(schema.features)), 0.0)
    if feature_costs is not None and not isinstance(feature_costs, Mapping):
        message = f"feature_costs must be a mapping of features' names to costs, got {short_repr(feature_costs)}."
        raise TypeError(message)
    for name, cost in (feature_costs or {}).items():
        place = position(schema, name)
        require_price(f"feature_costs[{name!r}]", cost, cases)
        charges[place] = cost
    return charges
