"""Growth on a target of numbers: the policies that fit it, the grid of its sums, and what each row adds to them.

The sums of a tree are whole multiples of a smallest part of a case (`numbers.part`), which is 1 unless cases are divided or have
weights that are not whole. While a tree grows, a sum is written in limbs, which add up exactly in floats (`ftree._lib.limbs`):
a node has its cases, the limbs of the sum of numbers, and twice as many limbs of the sum of squares.
"""

from math import ceil, log2
from typing import Any

import numpy as np
from attrs import evolve

from ftree import splitters
from ftree._lib.arrays import Array, Floats, exact_unit, times_and_fractions
from ftree._lib.fields import name_of
from ftree._lib.limbs import limbs
from ftree._lib.objects import cached_by_identity
from ftree.criteria.impurity import Impurity, gini
from ftree.criteria.impurity_of_sums import variance
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest
from ftree.splitters import all_parts, by_score
from ftree.splitters.missing_policies import hook
from ftree.stop import max_leaves, min_errors, not_significant
from ftree.tree.nodes import Counts
from ftree.tree.response import BITS, numbers

# Splitters of one feature that need of a node no more than its cases and its score.
_SPLITTERS = (
    splitters.threshold,
    splitters.random_threshold,
    splitters.multiway,
    splitters.subset,
    splitters.one_value,
    splitters.random_features,
    splitters.per_feature,
)
# The rules about classes; and one that trims the finished tree by its class counts.
_RULES = min_errors, not_significant, max_leaves
# Parts of cases are multiples of at most 2^-20 of a mean case, while a limb keeps at least this many bits.
_PART_BITS, _LEAST_BITS = 20, 10


def fitting(policy: Policy, dataset: Dataset) -> Policy:
    """The policy by which a tree of numbers grows: with the variance in place of the Gini index, which is that of classes.

    Raises a ValueError for a part of the policy that is about classes.

    >>> from ftree import CART
    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> fitting(CART, cars).impurity
    variance
    """
    impurity: Impurity = variance if policy.impurity is gini else policy.impurity
    fits = {
        "impurity": ("variance, as in evolve(CART, ...),", hasattr(impurity, "taken_off")),
        "score": ("gain", policy.score is gain),
        "choose": ("by_score()", isinstance(policy.choose, by_score)),
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
        _require(dataset, "stop", rule, wanted, right=not isinstance(rule, _RULES))
    return evolve(policy, impurity=impurity)


def _require(dataset: Dataset, name: str, part: Any, wanted: str, *, right: bool) -> None:
    """Refuse a part of a policy that is about classes."""
    if not right:
        remedy = f"Or divide {dataset.schema.target!r} into classes by binned."
        raise ValueError(f"{name} must be {wanted} for a target of numbers, got {name_of(part)}. {remedy}")


def _is_of_cases(splitter: Any) -> bool:
    """Whether a splitter looks at no class, has no option that is about classes, and makes no child without cases."""
    if not type(splitter).__module__.startswith("ftree."):
        return True  # a user's own
    options = getattr(splitter, "mdl", False) or getattr(splitter, "empty", False)
    return isinstance(splitter, _SPLITTERS) and not options and not callable(getattr(splitter, "min_cases", 0))


def at_root(dataset: Dataset, policy: Policy) -> Dataset:
    """The rows with the response of their tree: its `part` is 1 if all cases stay whole."""
    divided = bool(dataset.gaps()) and _divides(policy)
    part = _part(dataset) if divided or (dataset.weights is not None and dataset.weights.dtype.kind == "f") else 1.0
    response = evolve(_numbers_of(dataset), part=part)
    return evolve(dataset, schema=evolve(dataset.schema, response=response))


def _divides(policy: Policy) -> bool:
    """Whether rows with a missing value may be divided among children."""
    missing = policy.missing
    if hook(missing, "shares") == heaviest() or hook(missing, "variants") is not None:
        return False
    binary = all(isinstance(splitter, (splitters.threshold, splitters.subset)) for splitter in policy.splits)
    return not (isinstance(missing, splitters.surrogates) and binary)


def _numbers_of(dataset: Dataset) -> numbers:
    response: Any = dataset.schema.response
    return response  # type: ignore[no-any-return]  # the only other response so far


def _part(dataset: Dataset) -> float:
    spare = 51 - ceil(log2(len(dataset) * (len(dataset.columns) + 1))) - _PART_BITS
    bits = max(_LEAST_BITS, min(BITS, spare))
    return exact_unit(dataset.n_cases, len(dataset.columns)) * 2.0**bits


@cached_by_identity  # once for the impurity of the root, and once for the engine
def rows_in_channels(dataset: Dataset) -> Floats:
    """What each row adds to the sums of a node for each case of it, in limbs, (n, C).

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> rows_in_channels(cars).tolist()
    [[1.0, 25.0, 0.0, 625.0], [1.0, 0.0, 0.0, 0.0]]
    """
    response, unit = _numbers_of(dataset), exact_unit(dataset.n_cases, len(dataset.columns))
    bits = min(BITS, int(log2(response.part / unit)))
    whole = response.whole(dataset.labels)
    if whole.min(initial=0) < 0:
        got = f"got {dataset.labels.min():g}"
        raise ValueError(f"The target must have no numbers below {response.centre:g}, from which the tree counts, {got}.")
    n = max(1, ceil(int(whole.max(initial=0)).bit_length() / bits))
    squares = whole.astype(object) ** 2 if whole.max(initial=0) >= 1 << 31 else whole**2
    return np.column_stack([np.ones(len(whole)), limbs(whole, bits, n), limbs(squares, bits, 2 * n)])


def impurity_at_root(policy: Policy, dataset: Dataset) -> Any:
    """The impurity of a policy as a share of that of all rows."""
    times, fractions = times_and_fractions(dataset.weights, _numbers_of(dataset).part)
    cases = times if fractions is None else fractions
    rows, impurity = rows_in_channels(dataset), policy.impurity
    root = rows.sum(axis=0) if cases is None else [float((cases * channel).sum()) for channel in rows.T]
    return impurity.relative_to(root)  # type: ignore[attr-defined]  # `fitting` has made sure


def counts_of(sums: Array, response: Any) -> list[Counts]:
    """The sums of nodes in limbs, (m, C), as the counts of nodes: cases, and two whole numbers in multiples of the part.

    >>> counts_of(np.array([[2.0, 25.0, 0.0, 625.0]]), numbers(centre=18.0, unit=0.5))
    [(2, 25, 625)]
    """
    n = sums.shape[1] // 3
    cases = [int(count) if count.is_integer() else count for count in sums[:, 0].tolist()]
    rest = (sums[:, 1:] / response.part).tolist()
    return [(count, sum(map(int, row[:n])), sum(map(int, row[n:]))) for count, row in zip(cases, rest, strict=True)]
