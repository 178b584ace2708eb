"""The hooks of a growth policy for missing values, each with a default.

A policy is any object with at least one of the hooks as an attribute. Nothing is registered, and nothing is subclassed.

| hook | meaning | default |
|---|---|---|
| `prepare` | a function from the dataset to the dataset used for growth | the same dataset |
| `variants` | a function from runs and the counts of their missing values to runs to search instead (`as_branch`) | none |
| `shares` | a rule from the known cases of children (V,) to the shares (V,) of a row without an answer | `weighted()` |
| `discount` | a function from the known share of the cases (m,) to the factors (m,) of scores | the share itself |
| `back` | a function from splits, an engine, features, and the features to give surrogates to new splits (`surrogates`) | none |
| `everywhere` | whether `back` also gets splits of features without missing values | False |
| `predict` | the prediction rule of the tree | all routes |

The shares of growth must add up to 1, so that a branch has the sum of its children's counts.
"""

from typing import Any

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.routing.heaviest import heaviest
from ftree.routing.weighted import weighted
from ftree.splitters.as_value import as_value
from ftree.splitters.ignore import ignore


def _as_it_is(dataset: Dataset) -> Dataset:
    return dataset


def known_share(share: Array) -> Array:
    """The default of `discount`: a score counts in proportion to the cases whose value is known (Quinlan 1993, section 3.2).

    >>> known_share(0.5)
    0.5
    """
    return share


_DEFAULTS: dict[str, Any] = {
    "prepare": _as_it_is,
    "variants": None,
    "shares": weighted(),
    "discount": known_share,
    "back": None,
    "everywhere": False,
    "predict": None,
}
_NAMED: dict[Any, object] = {"ignore": ignore(), "heaviest": heaviest(), "as_value": as_value()}


def hook(policy: object, name: str) -> Any:
    """A hook of a policy for missing values, or its default.

    >>> hook(heaviest(), "shares"), hook(heaviest(), "back")
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

    Raises a ValueError for a value without a hook, a TypeError for a class without its parentheses.

    >>> as_missing_policy("heaviest")
    heaviest()
    """
    if isinstance(missing, str) and missing in _NAMED:
        return _NAMED[missing]
    if isinstance(missing, type):
        remedy = f"Write {missing.__name__}(...), with parentheses."
        message = f"missing must be a policy for missing values, got {type_of(missing)}. {remedy}"
        raise TypeError(message)
    if not has_hooks(missing):
        wanted = f"a policy such as surrogates(), or one of {', '.join(map(repr, _NAMED))}"
        message = f"missing must be {wanted}, got {short_repr(missing)}."
        raise ValueError(message)
    return missing
