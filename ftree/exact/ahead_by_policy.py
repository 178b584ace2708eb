"""Growth by a policy that looks several levels ahead: each node gets the first split of a best tree of several levels."""

from functools import partial
from typing import Any

import numpy as np
from attrs import asdict

from ftree._lib.arrays import TIE, Array
from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import type_of
from ftree.criteria.costs import factors
from ftree.criteria.impurity import entropy, misclassification
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset, require_dataset, rows_with_weight
from ftree.exact.objectives import class_bits, class_errors, errors
from ftree.exact.optimal import MOST_DEPTH, Limits, look_ahead
from ftree.growth.attach_surrogates import attach_surrogates
from ftree.growth.depth_first.what_c_knows import StopLimits, stop_limits
from ftree.growth.given_table import require_policy
from ftree.policy import Policy
from ftree.splitters import as_branch, as_value, by_score
from ftree.splitters.missing_policies import prediction_rule
from ftree.splitters.surrogates import surrogates
from ftree.stop import leaf_limit
from ftree.tree.nodes import Tree, new_tree

# The limits that the search follows.
_FOLLOWED = {"pure", "depth", "leaf", "gain"}


def grow_ahead(dataset: Dataset, policy: Policy, *, steps: int = 3) -> Tree:
    """The tree that a policy grows if each choice of a split takes `steps` levels into account; with 1, growth is greedy.

    Each node gets the first split of a tree of that many levels that has the least impurity of all, and the last levels are such
    a tree. This is `look_ahead` with the policy's splitters, and with its impurity times the cases of a leaf as the objective.
    The policy's `stop` must have a `max_depth()`.

    Raises a TypeError for anything but a dataset, and a ValueError for a part of a policy that the search does not follow.

    >>> from ftree.datasets import xor
    >>> from ftree.policy import ID3
    >>> from ftree.stop import max_depth
    >>> grow_ahead(xor(), ID3.stopping(max_depth(2)), steps=2)
    <Tree for 'odd': 7 nodes, 4 leaves>
    """
    require_whole_number("steps", steps, 1)
    require_policy(policy)
    if not isinstance(dataset, Dataset):
        raise TypeError(f"dataset must be a Dataset for grow_ahead, got {type_of(dataset)}.")
    table = rows_with_weight(dataset)
    require_dataset(table, of_classes="grow_ahead")
    _check_choice(policy)
    limits = _limits(policy)
    rules: dict[str, Any] = {"max_depth": _depth(policy, limits.depth), "limits": Limits(min_leaf=max(limits.leaf, 0))}
    rules |= {"objective": _objective(policy, table), "splitters": policy.splits, "missing": _missing(policy, table)}
    tree = look_ahead(table, steps=steps, **rules)
    if isinstance(policy.missing, surrogates) and policy.missing.everywhere:
        tree = attach_surrogates(tree, table, at_most=policy.missing.at_most, min_cases=policy.missing.min_cases)
    return new_tree(tree.schema, tree.root, missing=prediction_rule(policy.missing))


def _check_choice(policy: Policy) -> None:
    for name, wanted in (("score", gain), ("choose", by_score())):
        if getattr(policy, name) != wanted:
            raise ValueError(f"{name} must be {name_of(wanted)} for grow_ahead, got {name_of(getattr(policy, name))}.")


def _limits(policy: Policy) -> StopLimits:
    """The stopping rules that a search of several levels follows."""
    limits = stop_limits(policy.stop)
    if limits is None or not _is_followed(limits) or leaf_limit(policy.stop) is not None:
        wanted = "pure(), no_gain(), max_depth() and min_best_child()"
        raise ValueError(f"stop must consist of {wanted} for grow_ahead, got {name_of(policy.stop)}.")
    return limits


def _is_followed(limits: StopLimits) -> bool:
    """Whether the search follows all limits: a gain that is more than none is refused, and so is any limit not in `_FOLLOWED`."""
    usual = asdict(StopLimits())
    others = (limit == usual[name] or limit <= 0 for name, limit in asdict(limits).items() if name not in _FOLLOWED)
    return limits.gain <= TIE and all(others)


def _depth(policy: Policy, depth: float) -> int:
    if depth > MOST_DEPTH:
        remedy = "Write policy.stopping(max_depth(5))."
        message = f"stop must have a max_depth() of at most {MOST_DEPTH} for grow_ahead, got {name_of(policy.stop)}. {remedy}"
        raise ValueError(message)
    return int(depth)


def _missing(policy: Policy, table: Dataset) -> Any:
    """The policy for missing values, which does not matter for a table without them."""
    return policy.missing if table.gaps() or isinstance(policy.missing, as_branch | as_value) else as_branch()


def _objective(policy: Policy, table: Dataset) -> Any:
    """The impurity, multiplied by the cases of a leaf; priors and costs weigh the classes."""
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    if policy.impurity is misclassification:
        return errors() if altered is None else class_errors(altered)
    if policy.impurity is entropy and altered is None:
        return class_bits()
    return partial(_cases_times_impurity, policy.impurity, 1.0 if altered is None else altered)


def _cases_times_impurity(impurity: Any, altered: Any, counts: Array) -> Array:
    weighed = counts * altered
    answer: Array = weighed.sum(axis=-1) * np.asarray(impurity(weighed))
    return answer
