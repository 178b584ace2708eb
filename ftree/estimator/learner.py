"""How a `TreeClassifier` learns: by a policy or a learning function, then a pass, possibly with a pruning set."""

from collections.abc import Callable
from numbers import Real
from typing import Any, TypeAlias

from attrs import evolve
from joblib import effective_n_jobs

from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr, type_of
from ftree.criteria.impurity import Impurity, entropy
from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.policy import CART, Policy
from ftree.prune.compose import Pass, PassWithDecisions
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.splitters import ignore
from ftree.stop import min_best_child
from ftree.tree.nodes import Tree

# A policy, or a function that grows a tree and may prune it.
Learner: TypeAlias = Policy | Callable[[Dataset], Tree]
# A pass, or, if cases are held back, a function from the pruning set to a pass.
PassOrFactory: TypeAlias = Pass | Callable[[Dataset], Pass]

# CART without surrogates, which take long to find. Class weights may make rows very light: a node is closed if its
# best split would put less than a hundredth of a case into a child.
DEFAULT_POLICY = evolve(CART, stop=CART.stop | min_best_child(0.01), missing=ignore())


def learner_of(policy: Learner | None) -> Learner:
    """The policy or the learning function; `DEFAULT_POLICY` for None.

    Raises a TypeError for anything else.
    """
    if policy is None:
        return DEFAULT_POLICY
    if isinstance(policy, Policy) or (callable(policy) and not isinstance(policy, type)):
        return policy
    message = f"policy must be a Policy such as ID3, or a function from a Dataset to a Tree, got {short_repr(policy)}."
    raise TypeError(message)


def grown(dataset: Dataset, policy: Learner | None, n_jobs: int | None) -> Tree:
    """The tree that the policy or the learning function grows.

    Raises a TypeError for a policy that is neither, and for a result that is not a tree.
    """
    learner = learner_of(policy)
    if isinstance(learner, Policy):
        return grow(dataset, learner, n_jobs=None if n_jobs is None else effective_n_jobs(n_jobs))
    return _checked(learner(dataset), learner)


def impurity_of(policy: Learner | None) -> Impurity:
    """The impurity of the policy; entropy for a learning function.

    >>> impurity_of(None).__name__
    'gini'
    """
    learner = learner_of(policy)
    return learner.impurity if isinstance(learner, Policy) else entropy


def check_settings(prune: PassOrFactory | None, holdout: float | None, missing: Missing | None) -> None:
    """Raise an error for a wrong pass, share or prediction rule, and for a pass that does not fit the share.

    >>> from ftree.prune import reduced_error
    >>> check_settings(reduced_error, None, None)
    Traceback (most recent call last):
    TypeError: prune must be a pass such as prune.pessimistic(), or come with holdout=0.25, got the class reduced_error.
    """
    if missing is not None:
        as_prediction_rule(missing)
    if holdout is None:
        if not (prune is None or (callable(prune) and not isinstance(prune, type))):
            message = f"prune must be a pass such as prune.pessimistic(), or come with holdout=0.25, got {type_of(prune)}."
            raise TypeError(message)
        return
    if not (isinstance(holdout, Real) and 0 < holdout < 1):
        message = f"holdout must be a share of the cases between 0 and 1, or None, got {short_repr(holdout)}."
        raise ValueError(message)
    if not callable(prune) or (isinstance(prune, PassWithDecisions) and not isinstance(prune, type)):
        wanted = "a function from the pruning set to a pass, such as prune.reduced_error, since holdout is given"
        message = f"prune must be {wanted}, got {name_of(prune)}."
        raise TypeError(message)


def pruned(tree: Tree, one: Pass | None) -> Tree:
    """The tree after a pass; the same tree for None.

    Raises a TypeError for a pass that does not return a tree.
    """
    return tree if one is None else _checked(one(tree), one)


def _checked(tree: Any, function: Any) -> Tree:
    if not isinstance(tree, Tree):
        message = f"{name_of(function)} must return a Tree, got {type_of(tree)}."
        raise TypeError(message)
    return tree
