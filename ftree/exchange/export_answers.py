"""How an export decides from class counts: by expected costs, or by a threshold for a probability."""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import first_smallest
from ftree._lib.fields import require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.costs import Costs, costs_for, expected_costs
from ftree.tree.schema import Schema, require_classes

AnswerKind: TypeAlias = Literal["label", "proba"]


@frozen
class LeastCost:
    """The label has the least expected cost; of equal ones it is the first in the order."""

    costs: Costs
    order: tuple[int, ...]

    def label(self, counts: Any) -> int:
        """The number of the class for class counts (K,)."""
        cost = expected_costs(counts, self.costs)[list(self.order)]
        return self.order[int(first_smallest(cost, np.sum(counts) * np.max(self.costs)))]


def least_cost_for(schema: Schema, answer: str, threshold: Any, costs: Iterable[Iterable[float]] | None) -> LeastCost | None:
    """The decision by costs, or by a threshold for the second of two classes; None for the class with the most cases.

    Raises a ValueError for an unknown answer, for costs or a threshold that do not fit, and for both.

    >>> schema = Schema((), "ill", ("no", "yes"))
    >>> least_cost_for(schema, "label", 0.2, None).label((7, 2)), least_cost_for(schema, "label", 0.3, None).label((7, 2))
    (1, 0)
    """
    require_one_of("answer", answer, ("label", "proba"))
    if answer == "proba" or threshold is not None or costs is not None:
        require_classes(schema, "A program with answer, threshold or costs", remedy="Leave them out.")
    if sum((answer == "proba", threshold is not None, costs is not None)) > 1:
        raise ValueError("answer='proba', threshold and costs must be given one at a time, got several.")
    if threshold is None:
        return None if costs is None else LeastCost(costs_for(costs, len(schema.classes)), tuple(range(len(schema.classes))))
    if not (isinstance(threshold, (int, float)) and 0 <= threshold <= 1 and len(schema.classes) == 2):  # noqa: PLR2004
        got = f"{short_repr(threshold)} for {len(schema.classes)} classes"
        raise ValueError(f"threshold must be a number from 0 to 1 for a tree of two classes, got {got}. Give costs for more.")
    return LeastCost(((0.0, threshold), (1.0 - threshold, 0.0)), (1, 0))
