"""How an export decides from class counts: by expected costs, or by a threshold for a probability."""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from ftree._lib.fields import require_one_of
from ftree.criteria.costs import LeastCost, by_threshold, costs_for
from ftree.tree.schema import Schema, require_classes

AnswerKind: TypeAlias = Literal["label", "proba"]


def least_cost_for(schema: Schema, answer: str, threshold: Any, costs: Iterable[Iterable[float]] | None) -> LeastCost | None:
    """The decision by costs, or by a threshold for the second of two classes; None for the class with the most cases.

    Raises a ValueError for an unknown answer, for costs or a threshold that do not fit, and for both.

    >>> schema = Schema((), "ill", ("no", "yes"))
    >>> [int(least_cost_for(schema, "label", each, None).labels((7, 2))) for each in (0.2, 0.3)]
    [1, 0]
    """
    require_one_of("answer", answer, ("label", "proba"))
    if answer == "proba" or threshold is not None or costs is not None:
        require_classes(schema, "A program with answer, threshold or costs", remedy="Leave them out.")
    if sum((answer == "proba", threshold is not None, costs is not None)) > 1:
        raise ValueError("answer='proba', threshold and costs must be given one at a time, got several.")
    if threshold is None:
        return None if costs is None else LeastCost(costs_for(costs, len(schema.classes)), tuple(range(len(schema.classes))))
    return by_threshold(threshold, len(schema.classes))
