"""Missing values: rules by which a tree predicts, and policies by which it grows.

A prediction rule gives each child of a branch a share of a row whose value the split misses: `all_routes`,
`weighted`, `heaviest`, `stop_here`, or a function of yours from the children's cases (V,) to shares (V,). It is the argument
`missing` of `predict` and related functions.

A growth policy says what a split does with cases whose value is missing: `ignore`, `heaviest`, `as_value`, `as_branch`,
`surrogates`, or an object of yours with one of the hooks of `ftree.splitters.missing_policies`. It is the field `missing`
of a `Policy`, and names the rule by which its trees predict.
"""

from ftree.routing.missing_rules import MissingRule, all_routes, as_prediction_rule, heaviest, stop_here, weighted
from ftree.splitters.missing_as_branch import as_branch
from ftree.splitters.missing_policies import as_missing_policy, as_value, hook, ignore
from ftree.splitters.surrogates import surrogates
from ftree.tree.nodes import PredictionRule

__all__ = [
    "MissingRule",
    "PredictionRule",
    "all_routes",
    "as_branch",
    "as_missing_policy",
    "as_prediction_rule",
    "as_value",
    "heaviest",
    "hook",
    "ignore",
    "stop_here",
    "surrogates",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
