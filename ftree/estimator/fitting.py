"""How estimators of trees learn: scikit-learn's arguments as a dataset, its names as a policy, weights, a pruning set."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log2, sqrt
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve
from joblib import effective_n_jobs
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ftree._lib.fields import is_finite, name_of
from ftree._lib.messages import counted, joined, short_repr, type_of
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.impurity_of_sums import default_impurity, variance
from ftree.criteria.predicate import Operators
from ftree.data.channels import risk_at_root
from ftree.data.dataset import Dataset, rows_with_weight
from ftree.data.frames import as_frame, as_table, floats_of_pandas
from ftree.growth.growing import grow
from ftree.policy import CART, Policy
from ftree.prune.compositions import Pass, PassWithDecisions
from ftree.prune.weakest_links import cost_complexity
from ftree.routing.missing_rules import MissingRule, as_prediction_rule
from ftree.splitters import ignore, random_features, subset, threshold
from ftree.stop import max_depth, max_leaves, min_impurity_decrease, min_rows
from ftree.tree.nodes import Tree, checked_tree
from ftree.tree.schema import Schema

# A policy, or a function that grows a tree and may prune it.
PolicyOrLearner: TypeAlias = Policy | Callable[[Dataset], Tree]
# A pass, or, if cases are held back, a function from the pruning set to a pass.
PassOrFactory: TypeAlias = Pass | Callable[[Dataset], Pass]
# CART without surrogates, which take long to find.
DEFAULT_POLICY = evolve(CART, missing=ignore())


def learner_of(policy: PolicyOrLearner | None) -> PolicyOrLearner:
    """The policy or the learning function; `DEFAULT_POLICY` for None.

    Raises a TypeError for anything else.
    """
    if policy is None:
        return DEFAULT_POLICY
    if isinstance(policy, Policy) or _is_function(policy):
        return policy
    raise TypeError(f"policy must be a Policy such as ID3, or a function from a Dataset to a Tree, got {short_repr(policy)}.")


def _is_function(value: Any) -> bool:
    """Whether a value may be a learner or a pass; a stopping rule is a function of nodes."""
    return callable(value) and not isinstance(value, (type, Operators))


def policy_and_pass(names: Any, dataset: Dataset, rng: Any) -> tuple[PolicyOrLearner, PassOrFactory | None]:
    """What an estimator grows and prunes by: its policy and pass, or what scikit-learn's names for parameters say.

    Raises a ValueError for such a name beside the policy or the pass.
    """
    given = {name: value for name in MEANINGS if (value := getattr(names, name, None)) is not None}
    ccp_alpha = getattr(names, "ccp_alpha", None)
    _refuse_both("policy", names.policy, given)
    _refuse_both("prune", names.prune, {} if ccp_alpha is None else {"ccp_alpha": ccp_alpha})
    seed = int(rng.randint(2**31)) if "max_features" in given else 0
    policy = policy_of_names(DEFAULT_POLICY, given, dataset, seed) if given else learner_of(names.policy)
    if ccp_alpha is None:
        return policy, names.prune
    cut = cost_complexity(ccp_alpha, risk=impurity_of_policy(policy, dataset.schema))
    return policy, evolve(cut, alpha=cut.alpha * n_targets(dataset.schema)) if cut.alpha else names.prune


def random_numbers(random_state: Any) -> np.random.RandomState:
    """The random numbers of scikit-learn's `random_state`: of a seed, of a RandomState, or for None those of NumPy.

    Raises a ValueError for anything else.
    """
    is_number = isinstance(random_state, Integral) and not isinstance(random_state, bool | np.timedelta64)
    is_seed = is_number and 0 <= int(random_state) < 1 << 32
    if not (is_seed or random_state is None or random_state is np.random or isinstance(random_state, np.random.RandomState)):
        wanted = "a whole number from 0 to 4294967295, or None, or a RandomState of NumPy"
        raise ValueError(f"random_state must be {wanted}, got {short_repr(random_state)}. A number makes each run equal.")
    return check_random_state(random_state)  # type: ignore[no-any-return]


def _refuse_both(whole: str, value: Any, given: Mapping[str, Any]) -> None:
    if value is not None and given:
        name, one = next(iter(given.items()))
        raise ValueError(
            f"Give {name} or {whole}, since both say the same, got {name}={short_repr(one)} and {whole}={short_repr(value)}."
        )


def grown(dataset: Dataset, policy: PolicyOrLearner | None, n_jobs: int | None) -> Tree:
    """The tree that the policy or the learning function grows.

    Raises a TypeError for a policy that is neither, and for a result that is not a tree.
    """
    learner = learner_of(policy)
    if isinstance(learner, Policy):
        # joblib counts processors for whole numbers below 0; `grow` refuses 0 and all other values.
        return grow(dataset, learner, n_jobs=effective_n_jobs(n_jobs) if isinstance(n_jobs, Integral) and n_jobs else n_jobs)
    return checked_tree(learner(dataset), learner)


def impurity_of_policy(policy: PolicyOrLearner | None, schema: Schema) -> Impurity:
    """The impurity of the policy; entropy for a learning function, that of the response without classes.

    >>> impurity_of_policy(None, Schema((), "play", ("no", "yes"))).__name__
    'gini'
    """
    if not schema.has_classes:
        return default_impurity(schema.response)
    learner = learner_of(policy)
    return learner.impurity if isinstance(learner, Policy) else entropy


def n_targets(schema: Schema) -> int:
    """How many numbers are predicted: scikit-learn's impurity is the mean over them, where risks add up.

    >>> n_targets(Schema((), "play", ("no", "yes")))
    1
    """
    return 1 + len(schema.response.further_targets)


def check_settings(prune: PassOrFactory | None, holdout: float | None, missing: MissingRule | None) -> None:
    """Raise an error for a wrong pass, share or prediction rule, and for a pass that does not fit the share.

    >>> from ftree.prune import reduced_error
    >>> check_settings(reduced_error, None, None)
    Traceback (most recent call last):
    TypeError: prune must be a pass such as prune.pessimistic(), or come with holdout=0.25, got the class reduced_error.
    """
    if missing is not None:
        as_prediction_rule(missing)
    if holdout is None:
        if not (prune is None or _is_function(prune)):
            raise TypeError(f"prune must be a pass such as prune.pessimistic(), or come with holdout=0.25, got {type_of(prune)}.")
        return
    if not (isinstance(holdout, Real) and 0 < holdout < 1):
        raise ValueError(f"holdout must be a share of the cases between 0 and 1, or None, got {short_repr(holdout)}.")
    if not callable(prune) or (isinstance(prune, PassWithDecisions) and not isinstance(prune, type)):
        wanted = "a function from the pruning set to a pass, such as prune.reduced_error, since holdout is given"
        raise TypeError(f"prune must be {wanted}, got {name_of(prune)}.")


# Whole weights are divided case by case up to this many cases; more would take too much memory.
_MOST_CASES = 10_000_000


def split_off_pruning_set(dataset: Dataset, fraction: float, rng: Any) -> tuple[Dataset, Dataset]:
    """A training set, and a pruning set with `fraction` of the cases of each class, or of all cases of numbers, rounded.

    `rng` is a random number generator of NumPy. A row whose weight is an importance belongs to one set as a whole.

    Raises a ValueError if the pruning set has no case.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [part.class_counts() for part in split_off_pruning_set(data, 0.25, np.random.RandomState(0))]
    [(3, 3), (1, 1)]
    """
    rows = rows_with_weight(dataset)
    # In sorted order, equal rows are neighbours, so the result does not depend on the order of the given rows.
    rows = rows.take(np.lexsort((*rows.columns, rows.target_column)))
    cases = rows.cases()
    held = np.isin(np.arange(len(cases)), _chosen(_groups(rows)[cases], fraction, rng))
    if not held.any():
        got = f"{fraction} of {counted(len(dataset), 'sample')}"
        raise ValueError(f"holdout must hold back at least one case to prune with, got {got}. Use a larger share.")
    return rows.take(rows.part(cases[~held])), rows.take(rows.part(cases[held]))


def _groups(dataset: Dataset) -> npt.NDArray[Any]:
    """The class number of each row; 0 for numbers."""
    return dataset.target_column if dataset.schema.has_classes else np.zeros(len(dataset), np.intp)


def _chosen(labels: npt.NDArray[Any], fraction: float, rng: Any) -> npt.NDArray[np.intp]:
    """The numbers of random cases, `fraction` of each class, given the cases' classes."""
    shuffled = rng.permutation(len(labels))
    groups = [shuffled[labels[shuffled] == label] for label in np.unique(labels)]
    return np.concatenate([group[: round(fraction * len(group))] for group in groups])


def sample_weights(weights: Any, n: int) -> npt.NDArray[np.float64] | None:
    """Sample weights of n rows as an array; None stays None. The dataset refuses negative ones.

    Raises a ValueError for another shape, and if all are zero.

    >>> sample_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if weights is None:
        return None
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.shape != (n,):
        raise ValueError(f"sample_weight must be one number for each of the {n} rows, got {short_repr(weights)}.")
    if not array.any():
        raise ValueError("sample_weight must be above zero in at least one row, got zero in all rows.")
    return array


def class_factors(class_weight: Any, dataset: Dataset) -> npt.NDArray[np.float64]:
    """The factors that multiply the weights of each class's rows, (K,), or of all rows with numbers, (1,).

    `class_weight` is None, "balanced" (as in scikit-learn by the numbers of rows, so that classes weigh the same if their
    rows do) or a mapping of labels to weights. If the mean weight of rows is below 1, the factors raise it to 1: stopping rules
    compare numbers of cases, and weights such as AdaBoost's, which sum to 1, would leave every node too small.

    Raises a ValueError for any other class weight.

    >>> data = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    >>> class_factors("balanced", data).tolist(), class_factors({"no": 5}, data).tolist()
    ([1.5, 0.75], [5.0, 1.0])
    """
    labels, of_classes = np.array(dataset.schema.classes), dataset.schema.has_classes
    counts = np.array(dataset.class_counts() if of_classes else [dataset.n_cases], dtype=np.float64)
    factors = compute_class_weight(class_weight, classes=labels, y=labels[_groups(dataset)]) if of_classes else np.ones(1)
    if (factors < 0).any() or not counts @ factors:
        raise ValueError(f"class_weight must be numbers from 0, above 0 for a class with cases, got {short_repr(class_weight)}.")
    n_rows = len(dataset) if dataset.weights is None else np.count_nonzero(dataset.weights)
    raised: npt.NDArray[np.float64] = factors * max(1.0, n_rows / float(counts @ factors))
    return raised


def times(dataset: Dataset, factors: npt.NDArray[np.float64]) -> Dataset:
    """The dataset with the weights of each class's rows multiplied by a factor."""
    if (factors == 1).all():
        return dataset
    weights = factors[_groups(dataset)]
    return evolve(dataset, weights=weights if dataset.weights is None else weights * dataset.weights)


# scikit-learn's arguments, a table and labels or numbers, as a dataset; its own checks raise the errors that its users know.


def training_data(estimator: Any, table: Any, labels: Any, weights: Any) -> Dataset:
    """A dataset made from the arguments of `fit`; sets a classifier's classes, and the number and the names of the features.

    Raises a ValueError for whatever scikit-learn refuses, a TypeError for cells that are neither text nor numbers.
    """
    of_classes = is_classifier(estimator)
    name = getattr(labels, "name", None) or ("class" if of_classes else "number")
    labels = checked_targets(estimator, labels)
    table = checked_table(estimator, table, reset=True)
    check_consistent_length(table, labels)
    columns, target = as_table(table).columns, str(name)
    while any(each == target or each.startswith(f"{target}_") for each in columns):
        target += "_"
    given = sample_weights(weights, len(labels))
    few = given is None or given.sum() <= _MOST_CASES
    options = {"kinds": estimator.kinds, "weights": given, "weights_are": None if few else "importances"}
    if labels.ndim > 1:
        several = {f"{target}_{number}": column for number, column in enumerate(labels.T)}
        return _coded({**columns, **several}, list(several), options)
    if not of_classes:
        return _coded({**columns, target: labels}, target, options | {"response": "numbers"})
    try:
        check_classification_targets(labels)
        estimator.classes_, codes = np.unique(labels, return_inverse=True)
    except TypeError:  # labels that have no order
        one_each = {type(label): label for label in labels}.values()
        got = " and ".join(map(short_repr, one_each))
        raise TypeError(f"y must have labels of one type, texts or numbers, and none missing, got {got}.") from None
    dataset = _coded({**columns, target: codes}, target, options | {"classes": range(len(estimator.classes_))})
    return evolve(dataset, schema=evolve(dataset.schema, classes=estimator.classes_.tolist()))


def checked_targets(estimator: Any, targets: Any) -> npt.NDArray[Any]:
    """Targets as scikit-learn checks them: labels (n,) of a classifier; numbers (n,), or several of each row (n, K).

    Raises a ValueError for two columns of labels, and for targets of a regressor that are no numbers.
    """
    if getattr(getattr(targets, "dtype", None), "names", None):
        raise ValueError(f"y must be one column of targets, got an array of the fields {', '.join(targets.dtype.names)}.")
    if len(getattr(targets, "shape", ())) > 1 and not isinstance(targets, np.ndarray):
        as_frame(targets)  # it refuses two columns of one name
    check: Any = validate_data
    if is_classifier(estimator):
        labels: npt.NDArray[Any] = check(estimator, y=targets)
        return labels
    is_table = np.asarray(targets).shape[1:] > (1,)
    checked: npt.NDArray[Any] = check(estimator, y=targets, multi_output=is_table)
    return checked.astype(np.float64) if checked.dtype.kind in "fiub" else np.array(list(map(_as_number, checked)))


def _as_number(target: Any) -> float:
    try:
        return float(target)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"y must be numbers for a regressor, got {short_repr(target)}. TreeClassifier takes labels.") from None


def checked_table(estimator: Any, table: Any, *, reset: bool) -> Any:
    """The table as a frame, if it is one, or as a two-dimensional array; its features are checked, or set if `reset`."""
    check: Any = validate_data
    if issparse(table):
        table = check(estimator, table, reset=reset, accept_sparse=True, ensure_all_finite=False).toarray()
        reset = False
    frame = None if isinstance(table, (np.ndarray, list, tuple)) else as_frame(table)
    if frame is not None:
        checked = check(estimator, frame.to_native(), reset=reset, skip_check_array=True)
        if reset:
            return checked
        numbers = floats_of_pandas(checked)
        if numbers is not None:
            return numbers
        # A fit on an array has named the tree's features.
        return dict(zip((each.name for each in estimator.tree.schema.features), as_table(checked).columns.values(), strict=True))
    if type(table) is np.ndarray and table.dtype == np.float64 and table.ndim == 2 and table.size:  # noqa: PLR2004  # rows by columns
        return check(estimator, table, reset=reset, skip_check_array=True)
    # NumPy would turn all cells of a list into text if some are text, and scikit-learn would drop a mask.
    dtype = object if isinstance(table, (list, tuple)) else None
    unmasked = _unmasked(table) if isinstance(table, np.ma.MaskedArray) else table
    return check(estimator, unmasked, reset=reset, dtype=dtype, ensure_all_finite=False)


def _unmasked(array: Any) -> Any:
    """A masked array as a plain one, with NaN or None where it is masked."""
    return array.filled(np.nan) if array.dtype.kind == "f" else array.astype(object).filled(None)


def _coded(columns: Mapping[str, Any], target: str | Sequence[str], options: Mapping[str, Any]) -> Dataset:
    """A dataset with class numbers as labels: a label may be any text, including one that means missing in a feature."""
    try:
        return Dataset.from_columns(columns, target=target, **options)
    except TypeError as error:
        raise TypeError(f"The X argument must be a table of strings and numbers. {error}") from error


# What scikit-learn's names for the parameters of a tree say, as a policy.


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


def _criterion(policy: Policy, name: Any, dataset: Dataset, _: int) -> Policy:
    known = _CRITERIA[dataset.schema.response.kind]
    if not (isinstance(name, str) and name in known):
        wanted = f"one of {joined(map(repr, known))}, or the impurity of a policy"
        instead = _INSTEAD.get(name, "") if isinstance(name, str) else ""
        raise ValueError(f"criterion must be {wanted}, got {short_repr(name)}.{instead}")
    return evolve(policy, impurity=known[name])


def _min_samples_leaf(policy: Policy, size: Any, dataset: Dataset, _: int) -> Policy:
    return _with_least(policy, _cases("min_samples_leaf", size, 1, dataset))


def _min_weight_fraction_leaf(policy: Policy, share: Any, dataset: Dataset, _: int) -> Policy:
    if not (is_finite(share) and 0 <= share <= 0.5):  # noqa: PLR2004  # the share of the smaller child
        raise ValueError(f"min_weight_fraction_leaf must be a share from 0 to 0.5, got {short_repr(share)}.")
    return _with_least(policy, share * dataset.n_cases)


def _with_least(policy: Policy, least: float) -> Policy:
    """The policy whose children have so many cases, or as many as they must have already."""
    splitters = [each for each in policy.splits if isinstance(each, (subset, threshold))]
    least = max([least, *(each.min_cases for each in splitters if not callable(each.min_cases))])
    return evolve(policy, splits=(subset(min_cases=least), threshold(min_cases=least)))


def _min_impurity_decrease(policy: Policy, least: Any, dataset: Dataset, _: int) -> Policy:
    if not (is_finite(least) and least >= 0):
        raise ValueError(f"min_impurity_decrease must be a number of at least 0, got {short_repr(least)}.")
    if not dataset.schema.has_classes:  # gains are shares of the risk of all cases
        least = least * n_targets(dataset.schema) / (risk_at_root(dataset) or 1.0)
    return policy.stopping(min_impurity_decrease(least, cases=dataset.n_cases))


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
        return max(least, ceil(float(size) * dataset.n_cases))
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
    "min_samples_split": lambda policy, n, dataset, _: policy.stopping(min_rows(_cases("min_samples_split", n, 2, dataset))),
    "min_samples_leaf": _min_samples_leaf,
    "min_weight_fraction_leaf": _min_weight_fraction_leaf,
    "min_impurity_decrease": _min_impurity_decrease,
    "max_leaf_nodes": lambda policy, n, *_: policy.stopping(max_leaves(n)),
    "max_features": _max_features,
}
