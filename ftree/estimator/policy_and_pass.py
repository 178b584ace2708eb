"""What an estimator grows and prunes by: a policy and a pass, or what scikit-learn's names for the parameters of a tree say.

Parts of both are parameters of the estimator: `policy__stop__limit` is a path from a whole to a part of it.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, signature
from math import ceil, log2, sqrt
from numbers import Integral, Real
from types import FunctionType
from typing import Any, TypeAlias

import attrs
from attrs import evolve

from ftree._lib.fields import is_finite, is_whole_number, name_of, require_whole_number
from ftree._lib.messages import joined, short_repr, type_of
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.impurity_of_sums import default_impurity, variance
from ftree.criteria.predicate import is_rule
from ftree.data.channels import risk_at_root
from ftree.data.dataset import Dataset
from ftree.growth.growing import grow
from ftree.policy import CART, Policy
from ftree.prune.compositions import Pass, PassWithDecisions
from ftree.prune.weakest_links import cost_complexity
from ftree.routing.missing_rules import as_prediction_rule
from ftree.splitters import ignore, random_features
from ftree.stop import max_depth, max_leaves, min_impurity_decrease, min_rows
from ftree.tree.nodes import Tree, checked_tree
from ftree.tree.schema import Schema

# A policy, or a function that grows a tree and may prune it.
PolicyOrLearner: TypeAlias = Policy | Callable[[Dataset], Tree]
# A pass, or, if cases are held back, a function from the pruning set to a pass.
PassOrFactory: TypeAlias = Pass | Callable[[Dataset], Pass]
# CART without surrogates, which take long to find.
DEFAULT_POLICY = evolve(CART, missing=ignore())


def check_settings(estimator: Any) -> None:
    """Raise an error for a wrong policy, pass, share or prediction rule, and for a pass that does not fit the share."""
    policy, prune, holdout = estimator.policy, estimator.prune, estimator.holdout
    if not (policy is None or isinstance(policy, Policy) or _is_function(policy)):
        raise TypeError(f"policy must be a Policy such as ID3, or a function from a Dataset to a Tree, got {short_repr(policy)}.")
    if estimator.missing is not None:
        as_prediction_rule(estimator.missing)
    if holdout is None:
        if not (prune is None or _is_function(prune)):
            raise TypeError(f"prune must be a pass such as prune.pessimistic(), or come with holdout=0.25, got {type_of(prune)}.")
        return
    if not (is_finite(holdout) and 0 < holdout < 1):
        raise ValueError(f"holdout must be a share of the cases between 0 and 1, or None, got {short_repr(holdout)}.")
    if not callable(prune) or (isinstance(prune, PassWithDecisions) and not isinstance(prune, type)):
        wanted = "a function from the pruning set to a pass, such as prune.reduced_error, since holdout is given"
        raise TypeError(f"prune must be {wanted}, got {name_of(prune)}.")


def _is_function(value: Any) -> bool:
    """Whether a value may be a learner or a pass; a stopping rule is a function of nodes."""
    return callable(value) and not (isinstance(value, type) or is_rule(value))


def policy_and_pass(estimator: Any, dataset: Dataset, rng: Any) -> tuple[PolicyOrLearner, PassOrFactory | None]:
    """What an estimator grows and prunes by: its policy and pass, or what scikit-learn's names for parameters say.

    Sizes are of cases: a row of weight 2 counts twice. Shares are of the dataset's cases. `rng` draws a seed for features.

    Raises a ValueError for such a name beside the policy or the pass, and for a value that scikit-learn does not take either.
    """
    given = {name: value for name in _MEANINGS if (value := getattr(estimator, name)) is not None}
    ccp_alpha, prune = estimator.ccp_alpha, estimator.prune
    _refuse_both("policy", estimator.policy, given)
    _refuse_both("prune", prune, {} if ccp_alpha is None else {"ccp_alpha": ccp_alpha})
    policy = DEFAULT_POLICY if estimator.policy is None else estimator.policy
    for name, value in given.items():
        policy = _MEANINGS[name](policy, value, dataset, rng)
    if ccp_alpha is None:
        return policy, prune
    if not (is_finite(ccp_alpha) and ccp_alpha >= 0):
        raise ValueError(f"ccp_alpha must be a finite number of at least 0, got {short_repr(ccp_alpha)}.")
    cut = cost_complexity(ccp_alpha, risk=impurity_of(policy, dataset.schema))
    return policy, evolve(cut, alpha=cut.alpha * n_targets(dataset.schema)) if cut.alpha else prune


def _refuse_both(whole: str, value: Any, given: Mapping[str, Any]) -> None:
    if value is not None and given:
        name, one = next(iter(given.items()))
        raise ValueError(
            f"Give {name} or {whole}, since both say the same, got {name}={short_repr(one)} and {whole}={short_repr(value)}."
        )


def grown(dataset: Dataset, policy: PolicyOrLearner, n_jobs: int | None) -> Tree:
    """The tree that the policy or the learning function grows. Raises a TypeError for a result that is not a tree."""
    if isinstance(policy, Policy):
        return grow(dataset, policy, n_jobs=n_jobs)
    return checked_tree(policy(dataset), policy)


def impurity_of(policy: PolicyOrLearner, schema: Schema) -> Impurity:
    """The impurity of the policy; entropy for a learning function, that of the response without classes.

    >>> impurity_of(DEFAULT_POLICY, Schema((), "play", ("no", "yes"))).__name__
    'gini'
    """
    if not schema.has_classes:
        return default_impurity(schema.response)
    return policy.impurity if isinstance(policy, Policy) else entropy


def n_targets(schema: Schema) -> int:
    """How many numbers are predicted: scikit-learn's impurity is the mean over them, where risks add up.

    >>> n_targets(Schema((), "play", ("no", "yes")))
    1
    """
    return 1 + len(schema.response.further_targets)


# What each of scikit-learn's names for the parameters of a tree changes in a policy.


# The impurities by scikit-learn's names, for each kind of response.
_CRITERIA: Mapping[str, Mapping[str, Impurity]] = {
    "classes": {"gini": gini, "entropy": entropy, "log_loss": entropy},
    "numbers": {"squared_error": variance},
    "several numbers": {"squared_error": variance},
}
# What serves in place of scikit-learn's other criteria, whose answers are no means, or whose targets are no numbers.
_INSTEAD = {
    "absolute_error": " Grow a tree of medians: Dataset.from_frame(table, target, response=ftree.responses.quantiles(0.5)). "
    "The medians of leaves are ftree.routing.leaf_quantiles(estimator.tree, dataset, [0.5]).",
    "friedman_mse": " For a single tree, 'squared_error' measures the same decrease.",
    "poisson": " Grow a tree of events: Dataset.from_frame(table, target, response='events').",
}


def _criterion(policy: Policy, name: Any, dataset: Dataset, _: Any) -> Policy:
    known = _CRITERIA[dataset.schema.response.kind]
    if not (isinstance(name, str) and name in known):
        wanted = f"one of {joined(map(repr, known))}, or the impurity of a policy"
        instead = _INSTEAD.get(name, "") if isinstance(name, str) else ""
        raise ValueError(f"criterion must be {wanted}, got {short_repr(name)}.{instead}")
    return evolve(policy, impurity=known[name])


def _min_samples_leaf(policy: Policy, size: Any, dataset: Dataset, _: Any) -> Policy:
    return _with_least(policy, _cases("min_samples_leaf", size, 1, dataset))


def _min_weight_fraction_leaf(policy: Policy, share: Any, dataset: Dataset, _: Any) -> Policy:
    if not (is_finite(share) and 0 <= share <= 0.5):  # noqa: PLR2004  # the share of the smaller child
        raise ValueError(f"min_weight_fraction_leaf must be a share from 0 to 0.5, got {short_repr(share)}.")
    return _with_least(policy, share * dataset.n_cases)


def _with_least(policy: Policy, least: float) -> Policy:
    """The policy whose children have so many cases, or as many as they must have already.

    These names stand for a policy, so its splitters are those of `DEFAULT_POLICY`, which all have `min_cases`.
    """
    splits: Any = policy.splits
    return evolve(policy, splits=tuple([evolve(each, min_cases=max(least, each.min_cases)) for each in splits]))


def _min_impurity_decrease(policy: Policy, least: Any, dataset: Dataset, _: Any) -> Policy:
    if not (is_finite(least) and least >= 0):
        raise ValueError(f"min_impurity_decrease must be a number of at least 0, got {short_repr(least)}.")
    if not dataset.schema.has_classes:  # gains are shares of the risk of all cases
        least = least * n_targets(dataset.schema) / (risk_at_root(dataset) or 1.0)
    return policy.stopping(min_impurity_decrease(least, cases=dataset.n_cases))


def _max_features(policy: Policy, n: Any, dataset: Dataset, rng: Any) -> Policy:
    d = len(dataset.schema.features)
    drawn = _drawn(n, d)
    if drawn is None:
        message = f"max_features must be 'sqrt', 'log2', a number from 1 to {d} or a share in (0, 1], got {short_repr(n)}."
        raise ValueError(message)
    return evolve(policy, splits=(random_features(drawn, policy.splits, seed=int(rng.randint(2**31))),))


def _drawn(n: Any, d: int) -> int | None:
    """The number of features to draw of d; None if there is no such number."""
    if isinstance(n, str):
        return {"sqrt": max(1, int(sqrt(d))), "log2": max(1, int(log2(d)))}.get(n)
    if _is_share(n):
        return max(1, int(n * d))
    return int(n) if is_whole_number(n, 1) and n <= d else None


def _whole(name: str, value: Any, least: int) -> int:
    require_whole_number(name, value, least)
    return int(value)


def _cases(name: str, size: Any, least: int, dataset: Dataset) -> int:
    """A number of cases, given as such or as a share of the dataset's; scikit-learn's shares of single cases are below 1."""
    if is_whole_number(size, least):
        return int(size)
    if _is_share(size) and (size < 1 or least > 1):
        return max(least, ceil(float(size) * dataset.n_cases))
    shares = "(0, 1]" if least > 1 else "(0, 1)"
    raise ValueError(f"{name} must be a whole number from {least} or a share in {shares}, got {short_repr(size)}.")


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1


# In the order in which they are applied.
_Meaning: TypeAlias = Callable[[Policy, Any, Dataset, Any], Policy]
_MEANINGS: dict[str, _Meaning] = {
    "criterion": _criterion,
    "max_depth": lambda policy, limit, *_: policy.stopping(max_depth(_whole("max_depth", limit, 1))),
    "min_samples_split": lambda policy, n, dataset, _: policy.stopping(min_rows(_cases("min_samples_split", n, 2, dataset))),
    "min_samples_leaf": _min_samples_leaf,
    "min_weight_fraction_leaf": _min_weight_fraction_leaf,
    "min_impurity_decrease": _min_impurity_decrease,
    "max_leaf_nodes": lambda policy, n, *_: policy.stopping(max_leaves(_whole("max_leaf_nodes", n, 2))),
    "max_features": _max_features,
}


def parameters_of(value: Any) -> dict[str, Any]:
    """The parts of a policy, a rule, a pass or a function by name, and their parts by path; {} for any other value.

    >>> from ftree.stop import max_depth
    >>> parameters_of(max_depth(3)), parameters_of(3)
    ({'limit': 3}, {})
    """
    own = _own(value)
    return own | parts_of_each(own)


def parts_of_each(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of named values, by paths that begin with the name."""
    return {f"{name}__{path}": part for name, value in values.items() for path, part in parameters_of(value).items()}


def with_parts(value: Any, parts: Mapping[str, Any]) -> Any:
    """A copy of a value with other parts, given by name or path; whole parts are set before parts of parts.

    Raises a ValueError for a part that the value does not have.

    >>> from ftree.prune import cost_complexity
    >>> with_parts(cost_complexity(0.1), {"alpha": 0.2})
    cost_complexity(0.2, risk=misclassification, scale='alpha')
    """
    known = _own(value)
    whole, nested = whole_and_nested(parts)
    for name in (*whole, *nested):
        if name not in known:
            wanted = f"one of {joined(map(repr, known))}" if known else "omitted, since it has no parts"
            raise ValueError(f"A part of {short_repr(value)} must be {wanted}, got {short_repr(name)}.")
    value = _changed(value, whole)
    return _changed(value, {name: with_parts(_own(value)[name], each) for name, each in nested.items()})


def whole_and_nested(parts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The values given by name, and those given by longer paths: for each first name, its parts by the rest of the path.

    >>> whole_and_nested({"a": 1, "b__c": 2, "b__d__e": 3})
    ({'a': 1}, {'b': {'c': 2, 'd__e': 3}})
    """
    whole = {path: part for path, part in parts.items() if "__" not in path}
    nested: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for path, part in parts.items():
        name, separator, rest = path.partition("__")
        if separator:
            nested[name][rest] = part
    return whole, dict(nested)


def _own(value: Any) -> dict[str, Any]:
    """The arguments that make the value again, or the options of a function, with their values; data have no parts."""
    if isinstance(value, (FunctionType, partial)) or (isinstance(value, type) and attrs.has(value)):
        options = (each for each in signature(value).parameters.values() if each.kind is Parameter.KEYWORD_ONLY)
        return {option.name: option.default for option in options if option.default is not Parameter.empty}
    if isinstance(value, (Dataset, type)) or not attrs.has(type(value)):
        return {}
    fields: Any = attrs.fields_dict(type(value))
    arguments = (each for each in signature(type(value)).parameters.values() if each.kind is not Parameter.VAR_POSITIONAL)
    return {each.name: getattr(value, each.name) for each in arguments if each.name in fields}


def _changed(value: Any, parts: Mapping[str, Any]) -> Any:
    """A value with other parts; the same object if no part changes."""
    own = _own(value)
    others = {name: part for name, part in parts.items() if part is not own[name]}
    if not others:
        return value
    return attrs.evolve(value, **others) if attrs.has(type(value)) else partial(value, **others)
