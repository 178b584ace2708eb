"""Growth on a target without classes: the policies that fit it, and the impurity of all rows.

While a tree grows, its sums are written in limbs (`ftree.data.channels`).
"""

from typing import Any

from attrs import evolve

from ftree import splitters
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree.criteria.impurity import Impurity, gini
from ftree.criteria.impurity_of_sums import default_impurity, measures
from ftree.criteria.scores import gain
from ftree.data.channels import in_parts, sums_of_all
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest
from ftree.splitters import all_parts, by_gain_ratio
from ftree.splitters.missing_policies import hook
from ftree.stop import not_significant
from ftree.tree.schema import response_of_sums

# Splitters of one feature that need of a node no more than its cases and its score.
_SPLITTERS = (
    splitters.threshold,
    splitters.random_threshold,
    splitters.multiway,
    splitters.subset,
    splitters.one_value,
    splitters.random_features,
    splitters.per_feature,
    splitters.only,
)
_TESTS = "by_permutation_test() without resamples for numbers or survival(..., splits='scores')"


def fitting(policy: Policy, dataset: Dataset) -> Policy:
    """The policy by which a tree without classes grows: with the impurity of its response in place of the Gini index.

    Raises a ValueError for a part of the policy that is about classes.

    >>> from ftree import CART
    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> fitting(CART, cars).impurity
    variance
    """
    response = response_of_sums(dataset.schema)
    own = default_impurity(response)
    impurity: Impurity = own if policy.impurity is gini else policy.impurity
    fits = {
        "impurity": (f"{own}, as in evolve(CART, ...),", measures(impurity, response)),
        "score": ("gain", policy.score is gain),
        "choose": (
            f"by_score(), by_cost() with the formula 'idx' or 'cs_id3', or {_TESTS},",
            not _is_about_classes(policy.choose, response.kind),
        ),
        "priors": ("None", policy.priors is None),
        "costs": ("None", policy.costs is None),
    }
    for name, (wanted, right) in fits.items():
        _require(dataset, name, getattr(policy, name), wanted, right=right)
    for splitter in all_parts(policy.splits):
        wanted = "splitters such as threshold(), subset() and multiway(), with numbers as limits,"
        _require(dataset, "splits", splitter, wanted, right=_is_of_cases(splitter))
    for rule in all_parts([policy.stop]):
        wanted = "a rule that is not about classes, such as min_rows(5) or min_gain(0.01),"
        _require(dataset, "stop", rule, wanted, right=not isinstance(rule, not_significant))
    return evolve(policy, impurity=impurity)


def _require(dataset: Dataset, name: str, part: Any, wanted: str, *, right: bool) -> None:
    """Refuse a part of a policy that is about classes."""
    if not right:
        kind = dataset.schema.response.kind
        remedy = f" Or divide {short_repr(dataset.schema.target)} into classes by binned." if kind == "numbers" else ""
        raise ValueError(f"{name} must be {wanted} for a target of {kind}, got {name_of(part)}.{remedy}")


def _is_about_classes(choose: Any, kind: str) -> bool:
    """Whether a choice needs gains in bits, or permutes classes; a user's own may look at what it likes."""
    tests = isinstance(choose, splitters.by_permutation_test) and (kind != "numbers" or choose.resamples is not None)
    return tests or isinstance(choose, by_gain_ratio) or getattr(choose, "formula", "") == "eg2"


def _is_of_cases(splitter: Any) -> bool:
    """Whether a splitter looks at no class, has no option that is about classes, and makes no child without cases."""
    if not type(splitter).__module__.startswith("ftree."):
        return True  # a user's own
    options = getattr(splitter, "mdl", False) or getattr(splitter, "empty", False)
    return isinstance(splitter, _SPLITTERS) and not options and not callable(getattr(splitter, "min_cases", 0))


def at_root(dataset: Dataset, policy: Policy) -> Dataset:
    """The rows with the response of their tree: its `part` is 1 if all cases stay whole."""
    divided = bool(dataset.gaps()) and _divides(policy)
    return in_parts(dataset, divided=divided)


def _divides(policy: Policy) -> bool:
    """Whether rows with a missing value may be divided among children."""
    missing = policy.missing
    if hook(missing, "shares") == heaviest() or hook(missing, "variants") is not None:
        return False
    binary = all(is_exactly(each, splitters.threshold, splitters.subset, splitters.one_value) for each in policy.splits)
    return not (is_exactly(missing, splitters.surrogates) and binary)


def impurity_at_root(policy: Policy, dataset: Dataset) -> Any:
    """The impurity of a policy as a share of that of all rows."""
    impurity: Any = policy.impurity  # `fitting` has made sure that it is one of sums
    return impurity.relative_to(sums_of_all(dataset), response_of_sums(dataset.schema))
