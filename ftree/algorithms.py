"""The famous algorithms: each is one function that grows a tree by the algorithm's policy and prunes it by its method.

Lower case grows and prunes (`c45(dataset)`); upper case is the growth policy as a value (`grow(dataset, C45)`). Each takes a
dataset, or with a `target` any table that `Dataset.from_frame` or `Dataset.read` takes: `c45(frame, target="buys")`.
"""

from functools import partial
from typing import Any

from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr, type_of
from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import gini, misclassification
from ftree.criteria.impurity_of_sums import default_impurity
from ftree.data.channels import risk_at_root
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.given_table import require_policy, require_table
from ftree.growth.growing import dataset_of, grow
from ftree.policy import CART, CHAID, ID3, Policy, c45_policy
from ftree.prune.error_based import error_based
from ftree.prune.path_choice import PathChoice, one_standard_error, select
from ftree.prune.path_validation import FoldNumbers, cross_validated
from ftree.stop import leaf_limit, min_errors
from ftree.tree.nodes import Tree

__all__ = ["c45", "cart", "chaid", "id3"]
__dir__ = __all__.copy  # dir() shows public names only


def id3(dataset: Any, *, target: str | int | None = None) -> Tree:
    """Grow a tree by Quinlan's ID3, which does not prune: `grow(dataset, ID3)`.

    With a `target`, the dataset may be any table that `grow` takes, or the path of a file.

    Raises a ValueError for a dataset without cases.

    Source: Quinlan 1986.

    >>> id3(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    <Tree for 'class': 3 nodes, 2 leaves>
    """
    return grow(_with_target(dataset, target), ID3)


def _with_target(table: Any, target: str | int | None) -> Any:
    """The dataset of a table, or of a file, with this target; without one, what was given."""
    if target is not None:
        return dataset_of(table, target)
    require_table(table)
    return table


def c45(
    dataset: Any, *, target: str | int | None = None, min_cases: float = 2, confidence: float = 0.25, raising: bool = True
) -> Tree:
    """Grow and prune a tree as C4.5 (and Weka's J48) does: by `c45_policy(min_cases)`, then by error-based pruning with raising.

    It is `error_based(confidence=confidence, raise_with=dataset, collapse=True)(grow(dataset, c45_policy(min_cases)))`.
    `ftree.C45` is the growth policy alone, as a value; `c45_policy(min_cases)` is the same with another `min_cases`.

    With a `target`, the dataset may be any table that `grow` takes, or the path of a file.

    Raises a ValueError for a dataset without cases, a confidence outside (0, 0.5], or a negative number of cases; a TypeError
    for `raising` that is neither True nor False.

    Source: Quinlan 1993; release 8, Quinlan 1996.

    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], ["no", "no", "yes", "yes"])
    >>> c45(data), c45(data, min_cases=3)
    (<Tree for 'class': 3 nodes, 2 leaves, missing=weighted()>, <Tree for 'class': 1 node, 1 leaf, missing=weighted()>)
    """
    if not isinstance(raising, bool):
        shown = type_of(raising) if isinstance(raising, Dataset) else short_repr(raising)
        raise TypeError(f"raising must be True or False, got {shown}. Raising always uses the data that the tree is grown on.")
    dataset = _with_target(dataset, target)
    prune = error_based(confidence=confidence, raise_with=dataset if raising else None, collapse=True)
    return prune(grow(dataset, c45_policy(min_cases)))


def cart(
    dataset: Any,
    *,
    target: str | int | None = None,
    policy: Policy = CART,
    folds: FoldNumbers = 10,
    seed: int = 0,
    by: PathChoice = one_standard_error,
    cp: float = 0.0,
    n_jobs: int | None = None,
) -> Tree:
    """Grow and prune a tree as CART does: cross-validation and the one-standard-error rule choose from the cost-complexity path.

    It is `select(cross_validated(dataset, lambda rows: grow(rows, CART), folds=10, seed=0), by=one_standard_error)`.

    `by` chooses the tree. `folds` is a number of folds, or the fold number of each row. `cp` excludes the trees of the path
    that are best only for a smaller cp. `n_jobs` threads share the folds; None is one a processor. As for rpart:
    `cart(dataset, policy=cart_policy(), cp=0.01)` uses its sizes and cp, and chooses by the one-SE rule, as rpart's users do.

    With a `target`, the dataset may be any table that `grow` takes, or the path of a file.

    For a target of numbers, pruning and the choice use the squared error.
    With priors or costs in the policy, pruning and the choice use the mean cost, `risk=cost_risk(...)`;
    pass the same `priors` and `costs` to `predict`.

    Raises a ValueError for a dataset without cases, for fewer rows than folds, or for a negative cp.

    Source: Breiman, Friedman, Olshen & Stone 1984; rpart 4.1 (Therneau & Atkinson).

    >>> data = Dataset.from_rows([["a"], ["b"]] * 20, ["no", "yes"] * 20)
    >>> cart(data)
    <Tree for 'class': 3 nodes, 2 leaves>
    """
    dataset = _with_target(dataset, target)
    require_policy(policy)
    require_dataset(dataset)
    risk = cost_risk(dataset.class_counts(), priors=policy.priors, costs=policy.costs) if _weighs(policy) else misclassification
    learner = partial(_grown_to_risk, policy, _least_risk(dataset, policy, cp))
    return select(cross_validated(dataset, learner, risk=risk, folds=folds, seed=seed, cp=cp, n_jobs=n_jobs), by=by)


def _weighs(policy: Policy) -> bool:
    return policy.priors is not None or policy.costs is not None


def _least_risk(dataset: Dataset, policy: Policy, cp: Any) -> float:
    """The risk of a case below which no branch is in a tree that is best for this cp or more; 0 if branches must be grown out.

    `max_leaves` chooses among all branches of the tree that is grown out; priors and costs weigh errors.
    """
    schema = dataset.schema
    same_risk = schema.has_classes or policy.impurity in (gini, default_impurity(schema.response))
    stops = is_finite(cp) and cp > 0 and same_risk and not _weighs(policy) and leaf_limit(policy.stop) is None
    return cp * risk_at_root(dataset) if stops else 0.0


def _grown_to_risk(policy: Policy, least_risk: float, dataset: Dataset) -> Tree:
    """The tree, grown in one thread, in which no node with a risk below this one, per case of the dataset, is split.

    Cost-complexity pruning cuts such nodes for this alpha, and for any larger one; it decides where rounding would.
    """
    # The rule counts an error of numbers as the root's risk of a case.
    unit = 1.0 if dataset.schema.has_classes or not least_risk else risk_at_root(dataset)
    least = least_risk / (unit or 1.0) * dataset.n_cases * (1 - 1e-9)
    return grow(dataset, policy.stopping(min_errors(least)) if least else policy, n_jobs=1)


def chaid(dataset: Any, *, target: str | int | None = None) -> Tree:
    """Grow a tree by Kass's CHAID, which does not prune: `grow(dataset, CHAID)`.

    With a `target`, the dataset may be any table that `grow` takes, or the path of a file.
    A policy with `as_branch(floating=True)` places missing numbers and ordinal values as SPSS does.

    Raises a ValueError for a dataset without cases.

    Source: Kass 1980.

    >>> data = Dataset.from_rows([["a"], ["b"], ["c"]] * 20, ["no", "no", "yes"] * 20)
    >>> print(chaid(data))
    x0 in {a, b}: no (40.0)
    x0 = c: yes (20.0)
    """
    return grow(_with_target(dataset, target), CHAID)
