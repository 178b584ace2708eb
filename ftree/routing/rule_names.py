"""Prediction rules by their short names, and the rule that answers for a tree."""

from typing import Any, Literal, TypeAlias

from ftree._lib.messages import short_repr, type_of
from ftree.routing.all_routes import all_routes
from ftree.routing.heaviest import heaviest
from ftree.routing.stop_here import stop_here
from ftree.routing.weighted import weighted
from ftree.tree.nodes import Tree
from ftree.tree.prediction_rule import PredictionRule

RuleName: TypeAlias = Literal["all_routes", "weighted", "heaviest", "stop_here", "stop"]
# A prediction rule, or the short name of one of the library's.
Missing: TypeAlias = RuleName | PredictionRule

_NAMED: dict[Any, PredictionRule] = {
    "all_routes": all_routes(),
    "weighted": weighted(),
    "heaviest": heaviest(),
    "stop_here": stop_here(),
    "stop": stop_here(),
}


def as_prediction_rule(missing: Missing) -> PredictionRule:
    """The rule with a short name; a rule is returned unchanged.

    Raises a ValueError for anything else, a TypeError for a class without its parentheses.

    >>> as_prediction_rule("stop")
    stop_here()
    """
    rule: Any = _NAMED.get(missing, missing) if isinstance(missing, str) else missing
    if isinstance(rule, type):
        message = f"missing must be a prediction rule, got {type_of(rule)}. Write {rule.__name__}(), with parentheses."
        raise TypeError(message)
    if callable(rule):
        return rule  # type: ignore[no-any-return]
    names = ", ".join(repr(name) for name in _NAMED if name != "stop")
    message = f"missing must be a prediction rule such as weighted(), or one of {names}, got {short_repr(missing)}."
    raise ValueError(message)


def rule_for(tree: Tree, missing: Missing | None) -> PredictionRule:
    """The given rule; if it is None the tree's own, or all routes if the tree has none.

    >>> from ftree import Leaf, Schema
    >>> rule_for(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), None)
    all_routes()
    """
    asked = tree.missing if missing is None else missing
    return _NAMED["all_routes"] if asked is None else as_prediction_rule(asked)


def adds_distributions(rule: PredictionRule) -> bool:
    """Whether the leaves that a row reaches are added as distributions, and not as counts."""
    return bool(getattr(rule, "distributions", False))
