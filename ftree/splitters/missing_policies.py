"""Growth policies for missing values: `as_value`, `ignore`, and the hooks of which a policy consists.

A policy is any object with at least one of the hooks as an attribute. Nothing is registered, and nothing is subclassed; a method
whose name is similar to that of a hook is refused.

| hook | meaning | default |
|---|---|---|
| `prepare` | a function from the dataset to the dataset used for growth | the same dataset |
| `variants` | a function from runs and the counts of their missing values to runs to search instead (`as_branch`) | none |
| `shares` | a rule from the known cases of children (V,) to the shares (V,) of a row without an answer | `weighted()` |
| `discount` | a function from the known share of the cases (m,) to the factors (m,) of scores | the share itself |
| `add_surrogates` | a function from splits, an engine, features, and those whose splits get surrogates (`surrogates`) | none |
| `everywhere` | whether `add_surrogates` also gets splits of features without missing values | False |
| `predict` | the prediction rule of the tree | all routes |

The shares of growth must add up to 1, so that a branch has the sum of its children's counts.
"""

from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from attrs import field, frozen
from toolz import identity

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.routing.missing_rules import all_routes, as_prediction_rule, heaviest, weighted
from ftree.tree.nodes import PredictionRule

HookName: TypeAlias = Literal["prepare", "variants", "shares", "discount", "add_surrogates", "everywhere", "predict"]


@frozen
class as_value(ConstructorRepr):
    """A missing-value policy: missing is a value of its own of each nominal feature that has missing values in the training set.

    Numeric and ordinal features cannot have such a value: their missing values go down in fractions, as by `ignore`.

    >>> as_value()
    as_value()
    """

    def prepare(self, dataset: Dataset) -> Dataset:
        """The dataset with None as a value of the features that have missing values."""
        return dataset.missing_as_value()


@frozen
class ignore(ConstructorRepr):
    """A missing-value policy: known cases score a split, times their share; the others go down all branches in fractions.

    `predict` is the prediction rule of the trees that grow by it.

    Source: Quinlan 1993, chapter 3.

    >>> ignore(predict="weighted")
    ignore(predict=weighted())
    """

    predict: PredictionRule = field(default=all_routes(), kw_only=True, converter=as_prediction_rule, metadata=QUIET)


# Hooks


def hook(policy: object, name: HookName) -> Any:
    """A hook of a policy for missing values, or its default.

    >>> hook(heaviest(), "shares"), hook(heaviest(), "add_surrogates")
    (heaviest(), None)
    """
    return getattr(policy, name, _DEFAULTS[name])


def has_hooks(missing: object) -> bool:
    """Whether a value has one of the hooks of a growth policy.

    >>> has_hooks(heaviest()), has_hooks(weighted())
    (True, False)
    """
    return any(hasattr(missing, name) for name in _DEFAULTS)


def as_missing_policy(missing: Any) -> object:
    """A converter: the policy with a short name; a policy is returned unchanged.

    Raises a ValueError for a value without a hook, a TypeError for a class without its parentheses and for a misspelt hook.

    >>> as_missing_policy("heaviest")
    heaviest()
    """
    if isinstance(missing, str) and missing in _NAMED:
        return _NAMED[missing]()
    if isinstance(missing, type):
        remedy = f"Write {missing.__name__}(...), with parentheses."
        raise TypeError(f"missing must be a policy for missing values, got {type_of(missing)}. {remedy}")
    own: Any = type(missing)
    for name, meant in _misspelt_hooks(own):
        raise TypeError(f"Hooks of {own.__name__} must be among {joined(_DEFAULTS)}, got {name}. Did you mean {meant}?")
    if not has_hooks(missing):
        wanted = f"a policy such as surrogates(), or one of {', '.join(map(repr, _NAMED))}"
        raise ValueError(f"missing must be {wanted}, got {short_repr(missing)}.")
    return missing


@lru_cache(100)
def _misspelt_hooks(policy: type) -> list[tuple[str, str]]:
    """The methods whose names are nearly those of hooks that the policy lacks, and the hooks."""
    methods = [name for name in dir(policy) if not name.startswith("_") and callable(getattr(policy, name, None))]
    lacking = [name for name in _DEFAULTS if not hasattr(policy, name)]
    return [(name, near) for name in methods if name not in _DEFAULTS for near in get_close_matches(name, lacking, 1, 0.8)]


def prediction_rule(missing: object) -> PredictionRule | None:
    """The prediction rule that belongs to a policy for missing values; None if it is that of trees without one.

    >>> prediction_rule(ignore(predict="weighted")), prediction_rule(ignore())
    (weighted(), None)
    """
    rule = hook(missing, "predict")
    return None if rule in (None, "all_routes", _ALL_ROUTES) else as_prediction_rule(rule)


def known_share(share: Array) -> Array:
    """The default of `discount`: a score counts in proportion to the cases whose value is known (Quinlan 1993, section 3.2).

    >>> known_share(0.5)
    0.5
    """
    return share


def _as_branch() -> object:
    from ftree.splitters.missing_as_branch import as_branch  # noqa: PLC0415  # few policies are made of it

    return as_branch()


_DEFAULTS: dict[HookName, Any] = {
    "prepare": identity,
    "variants": None,
    "shares": weighted(),
    "discount": known_share,
    "add_surrogates": None,
    "everywhere": False,
    "predict": None,
}
_NAMED: dict[str, Callable[[], object]] = {"ignore": ignore, "heaviest": heaviest, "as_value": as_value, "as_branch": _as_branch}
# Made once, since a small growth takes only a third of a millisecond.
_ALL_ROUTES = all_routes()
