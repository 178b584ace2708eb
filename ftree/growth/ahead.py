"""Growth by a policy that looks several levels ahead: each node gets the first split of a best tree of these levels."""

from functools import partial
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import type_of
from ftree._lib.ties import TIE
from ftree.criteria.costs import factors
from ftree.criteria.impurity import entropy, misclassification
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.exact import class_errors, errors, look_ahead
from ftree.exact import entropy as bits
from ftree.growth.attach_surrogates import attach_surrogates
from ftree.growth.engines.fused import stop_limits
from ftree.growth.grown_nodes import prediction_rule
from ftree.growth.prepared_table import require_policy, rows_with_weight
from ftree.policy import Policy
from ftree.splitters import as_branch, as_value, by_score
from ftree.splitters.surrogates import surrogates
from ftree.stop import leaf_limit
from ftree.tree.build import new_tree
from ftree.tree.nodes import Tree

_MOST_DEPTH = 20


def grown_ahead(dataset: Any, policy: Policy, steps: int, others: dict[str, Any]) -> Tree:
    """The tree of a policy that looks `steps` levels ahead; `others` are arguments of `grow` that must be left out with it.

    Raises a TypeError for anything but a dataset, and a ValueError for an argument and for a part of a policy that the search
    does not follow.
    """
    require_whole_number("look_ahead", steps, 1)
    require_policy(policy)
    if not isinstance(dataset, Dataset):
        message = f"dataset must be a Dataset with look_ahead, got {type_of(dataset)}."
        raise TypeError(message)
    for name, value in others.items():
        if value is not None and value != "auto":
            message = f"{name} must be left out with look_ahead, got {name_of(value)}."
            raise ValueError(message)
    table = rows_with_weight(dataset)
    _check_choice(policy)
    limits = _limits(policy)
    rules = {"max_depth": _depth(policy, limits.depth), "min_leaf": max(limits.leaf, 0), "splitters": policy.splits}
    tree = look_ahead(table, steps=steps, objective=_objective(policy, table), missing=_missing(policy, table), **rules)
    if isinstance(policy.missing, surrogates) and policy.missing.everywhere:
        tree = attach_surrogates(tree, table, at_most=policy.missing.at_most)
    return new_tree(tree.schema, tree.root, missing=prediction_rule(policy))


def _check_choice(policy: Policy) -> None:
    for name, wanted in (("score", gain), ("choose", by_score())):
        if getattr(policy, name) != wanted:
            message = f"{name} must be {name_of(wanted)} with look_ahead, got {name_of(getattr(policy, name))}."
            raise ValueError(message)


def _limits(policy: Policy) -> Any:
    """The stopping rules that a search of several levels follows."""
    limits = stop_limits(policy.stop)
    if limits is None or max(limits.rows, limits.errors) > 0 or limits.gain > TIE or leaf_limit(policy.stop) is not None:
        wanted = "pure(), no_gain(), max_depth() and min_best_child()"
        message = f"stop must consist of {wanted} with look_ahead, got {name_of(policy.stop)}."
        raise ValueError(message)
    return limits


def _depth(policy: Policy, depth: float) -> int:
    if depth > _MOST_DEPTH:
        remedy = "Write policy.stopping(max_depth(5))."
        message = f"stop must have a max_depth() of at most {_MOST_DEPTH} with look_ahead, got {name_of(policy.stop)}. {remedy}"
        raise ValueError(message)
    return int(depth)


def _missing(policy: Policy, table: Dataset) -> Any:
    """The policy for missing values, which does not matter for a table without them."""
    some = any(missing_cells(column).any() for column in table.columns)
    return policy.missing if some or isinstance(policy.missing, as_branch | as_value) else as_branch()


def _objective(policy: Policy, table: Dataset) -> Any:
    """The impurity, multiplied by the cases of a leaf; priors and costs weigh the classes."""
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    if policy.impurity is misclassification:
        return errors() if altered is None else class_errors(altered)
    if policy.impurity is entropy and altered is None:
        return bits()
    return partial(_cases_times_impurity, policy.impurity, 1.0 if altered is None else altered)


def _cases_times_impurity(impurity: Any, altered: Any, counts: Array) -> Array:
    weighed = counts * altered
    answer: Array = weighed.sum(axis=-1) * np.asarray(impurity(weighed))
    return answer
