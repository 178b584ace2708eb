"""What scikit-learn's names for the parameters of a tree say, as a policy."""

from collections.abc import Callable, Mapping
from math import ceil, log2, sqrt
from numbers import Integral, Real
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from ftree._lib.arrays import TIE
from ftree._lib.messages import joined, short_repr
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.predicate import Operators
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.prune.passes import a_number_from
from ftree.splitters import random_features, subset, threshold
from ftree.stop import max_depth, max_leaves, min_rows


def policy_of_names(policy: Policy, names: Mapping[str, Any], dataset: Dataset, seed: int) -> Policy:
    """The policy that grows as scikit-learn's names say; those that are None change nothing.

    Sizes are of cases: a row of weight 2 counts twice. Shares are of the dataset's cases, and the seed draws features.

    Raises a ValueError for a value that scikit-learn does not take either.

    >>> from ftree import CART
    >>> data = Dataset.from_rows([[1, 2], [2, 1]] * 5, [0, 1] * 5)
    >>> policy_of_names(CART, {"max_depth": 3, "min_samples_split": 0.4}, data, 0).stop
    pure() | no_gain() | max_depth(3) | min_rows(4)
    """
    for name, changed in MEANINGS.items():
        if names.get(name) is not None:
            policy = changed(policy, names[name], dataset, seed)
    return policy


@frozen(repr=False)
class min_impurity_decrease(Operators):
    """Close nodes whose best split lowers the mean impurity of all `cases` by less than this: gain times the node's share.

    >>> min_impurity_decrease(0.01, cases=150)
    min_impurity_decrease(0.01, cases=150)
    """

    least: float = field(validator=a_number_from(0))
    cases: float = field(kw_only=True)

    def __call__(self, frontier: Frontier) -> Any:
        """Whether to close each node."""
        return frontier.gain * frontier.weight / self.cases < self.least - TIE


def _criterion(policy: Policy, name: Any, *_: Any) -> Policy:
    known = {"gini": gini, "entropy": entropy, "log_loss": entropy}
    if not (isinstance(name, str) and name in known):
        message = f"criterion must be one of {joined(map(repr, known))}, or the impurity of a policy, got {short_repr(name)}."
        raise ValueError(message)
    return evolve(policy, impurity=known[name])


def _min_samples_leaf(policy: Policy, size: Any, dataset: Dataset, _: int) -> Policy:
    least = _cases("min_samples_leaf", size, 1, dataset)
    return evolve(policy, splits=(subset(min_cases=least), threshold(min_cases=least)))


def _min_samples_split(policy: Policy, size: Any, dataset: Dataset, _: int) -> Policy:
    return policy.stopping(min_rows(_cases("min_samples_split", size, 2, dataset)))


def _max_features(policy: Policy, n: Any, dataset: Dataset, seed: int) -> Policy:
    d = len(dataset.schema.features)
    drawn = _drawn(n, d)
    if drawn is None:
        message = f"max_features must be 'sqrt', 'log2', a number from 1 to {d} or a share in (0, 1], got {short_repr(n)}."
        raise ValueError(message)
    return evolve(policy, splits=(random_features(drawn, policy.splits, seed=seed),))


def _drawn(n: Any, d: int) -> int | None:
    """The number of features to draw of d; None if there is no such number."""
    if isinstance(n, str):
        return {"sqrt": max(1, int(sqrt(d))), "log2": max(1, int(log2(d)))}.get(n)
    if _is_share(n):
        return max(1, int(n * d))
    return int(n) if _is_whole(n, 1) and n <= d else None


def _cases(name: str, size: Any, least: int, dataset: Dataset) -> int:
    """A number of cases, given as such or as a share of the dataset's."""
    if _is_whole(size, least):
        return int(size)
    if _is_share(size):
        return max(least, ceil(float(size) * sum(dataset.class_counts())))
    raise ValueError(f"{name} must be a whole number from {least} or a share in (0, 1], got {short_repr(size)}.")


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1


# What each name changes in a policy, in the order in which they are applied.
_Meaning: TypeAlias = Callable[[Policy, Any, Dataset, int], Policy]
MEANINGS: dict[str, _Meaning] = {
    "criterion": _criterion,
    "max_depth": lambda policy, limit, *_: policy.stopping(max_depth(limit)),
    "min_samples_split": _min_samples_split,
    "min_samples_leaf": _min_samples_leaf,
    "min_impurity_decrease": lambda policy, least, dataset, _: policy.stopping(
        min_impurity_decrease(least, cases=sum(dataset.class_counts()))
    ),
    "max_leaf_nodes": lambda policy, n, *_: policy.stopping(max_leaves(n)),
    "max_features": _max_features,
}
