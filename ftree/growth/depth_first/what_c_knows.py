"""What the native library grows trees of: the parts of policies that it knows, and a question for each form of a table.

A no is no error: `grow` takes the next form, and in the end NumPy, which grows the same tree. `OPTIONS` lists all parts and their
options; a part with a new option is left to NumPy until the option is listed. Stopping rules become numbers, `StopLimits`.
"""

from collections.abc import Callable, Sequence
from math import inf
from sys import float_info
from typing import Any

from attrs import field, fields, frozen
from toolz import concat, merge_with

from ftree._lib.arrays import TIE, least_tied
from ftree._lib.fields import has_only
from ftree._lib.machine import has_room
from ftree._lib.objects import is_exactly
from ftree.criteria.impurity import entropy, gini, impurity_code
from ftree.criteria.predicate import StoppingRule
from ftree.criteria.scores import gain, gain_ratio
from ftree.data.dataset import Dataset
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest, weighted
from ftree.splitters import (
    by_gain_ratio,
    by_score,
    c45_min_branch,
    multiway,
    one_value,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.splitters.missing_policies import hook, known_share
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure
from ftree.tree.schema import Feature, Schema

# The splitters, choices and stopping rules that the library knows, with the options that it knows; others must have defaults.
OPTIONS: dict[type, tuple[str, ...]] = {
    threshold: ("min_cases", "mdl", "at", "bins"),
    random_threshold: ("seed",),
    multiway: ("min_cases", "empty"),
    subset: ("min_cases", "exact"),
    one_value: ("min_cases",),
    random_features: ("n", "splitters", "seed"),
    by_score: (),
    by_gain_ratio: ("slack",),
    pure: (),
    max_depth: ("limit",),
    min_rows: ("n",),
    min_errors: ("n",),
    min_best_child: ("n",),
    no_gain: (),
    min_gain: ("bits",),
    max_leaves: ("n",),
}


def is_known(part: Any, *types: type) -> bool:
    """Whether a part is of one of these types, and has no option that the library does not know.

    >>> is_known(threshold(mdl=True), threshold, multiway), is_known(subset(), threshold, multiway)
    (True, False)
    """
    return is_exactly(part, *types) and has_only(part, *OPTIONS[type(part)])


# The stopping rule in numbers


@frozen
class StopLimits:
    """A stopping rule in numbers: each rule closes nodes by one of them.

    A node is closed if pure, from a depth on, with fewer rows, fewer errors, a smaller child, or less gain. The defaults close
    none; nor does a number of 0, but for a depth. Of two rules that set the same number, the stricter one decides, so a rule
    must be told by one number alone. C gets all by their names (`rules_of`). Growth that cannot follow one refuses a rule that
    sets it.
    """

    pure: bool = False
    depth: float = field(default=inf, metadata={"strictest": min})  # of the others the largest
    rows: float = -inf
    errors: float = -inf
    leaf: float = -inf
    gain: float = -inf


# The limit that each rule sets, given whether gains are of exact sums; `max_leaves` closes no node.
LIMITS: dict[type, Callable[[Any, bool], dict[str, Any]]] = {
    pure: lambda _, __: {"pure": True},
    max_depth: lambda rule, _: {"depth": rule.limit},
    min_rows: lambda rule, _: {"rows": rule.n},
    min_errors: lambda rule, _: {"errors": rule.n},
    min_best_child: lambda rule, _: {"leaf": rule.n},
    no_gain: lambda _, exact: {"gain": float_info.min if exact else TIE},
    min_gain: lambda rule, exact: {"gain": least_tied(rule.bits, exact=exact)},
    max_leaves: lambda _, __: {},
}


def known_limits(policy: Policy, settings: SearchSettings) -> StopLimits | None:
    """The policy's stopping rule in numbers; None for a rule that the library does not know."""
    has_exact_sums = False
    if settings.response is not None:
        from ftree.criteria.impurity_of_sums import Variance  # noqa: PLC0415  # trees of classes do without sums

        has_exact_sums = is_exactly(settings.impurity, Variance)
    return stop_limits(policy.stop, exact=has_exact_sums)


def stop_limits(rule: StoppingRule, *, exact: bool = False) -> StopLimits | None:
    """A stopping rule in numbers; None for one that is not made of known rules as alternatives.

    For classes and events, a gain within the tolerance is none; for numbers, whose sums are `exact`, only 0 is none. For numbers
    and events, `errors` are counted in the root's mean risk of a case, as by `min_errors`.

    >>> stop_limits(pure() | max_depth(6) | min_best_child(2) | max_depth(4))
    StopLimits(pure=True, depth=4, rows=-inf, errors=-inf, leaf=2, gain=-inf)
    >>> stop_limits(~pure())
    """
    rules = alternatives(rule)
    if not all(is_known(each, *LIMITS) for each in rules):
        return None
    set_by_rules = merge_with(list, *(LIMITS[type(each)](each, exact) for each in rules))
    strictest = {each.name: each.metadata.get("strictest", max) for each in fields(StopLimits)}
    return StopLimits(**{name: strictest[name](found) for name, found in set_by_rules.items()})


# Presorted columns: thresholds in numbers that are all known


# The bits of a key: the row, then the class, if there is one, then one bit for a new value.
KEY_BITS = 31
# While columns are sorted, a class is a byte. Squares of so many cases are exact as floats.
_MOST_CLASSES, _MOST_ROWS = 256, 2**26


def knows_presorted(dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits) -> bool:
    """Whether a tree grows from presorted columns: by gain, and by thresholds in values that are all known.

    The impurity is Gini or entropy, in numeric features and with unit weights; or variance, with whole weights.
    """
    if not cuts_only(dataset, settings):
        return False
    if not dataset.schema.has_classes:
        return _knows_variance(dataset, settings, limits)
    is_numeric = all(feature.kind == "numeric" for feature in dataset.schema.features)
    usual = is_numeric and dataset.weights is None and policy.impurity in (gini, entropy)
    return usual and classes_fit(dataset) and not dataset.gaps()


def cuts_only(dataset: Dataset, settings: SearchSettings) -> bool:
    """Whether gains choose between thresholds with least sizes in cases, at most one for each kind of feature."""
    kinds = {feature.kind for feature in dataset.schema.features}
    own: list[list[Any]] = [[each for each in settings.splitters if kind in each.kinds] for kind in kinds]
    listed = list(concat(own))
    return bool(listed) and all(map(is_plain_threshold, listed)) and settings.is_by_gain and max(map(len, own)) == 1


def is_plain_threshold(splitter: Any) -> bool:
    """Whether a splitter cuts sorted columns as the library does: the best gain decides, and a least size is a number.

    >>> is_plain_threshold(threshold(min_cases=2)), is_plain_threshold(threshold(mdl=True))
    (True, False)
    """
    return is_known(splitter, threshold) and not splitter.mdl and not callable(splitter.min_cases)


def classes_fit(dataset: Dataset) -> bool:
    """Whether a key has room for a row and its class, and the sorted columns fit in memory."""
    n, n_classes = len(dataset), len(dataset.schema.classes)
    fits = n_classes <= _MOST_CLASSES and n < min(_MOST_ROWS, 2 ** (KEY_BITS - key_shift(dataset.schema)))
    return fits and has_room(8.0 * n * (2 * len(dataset.columns) + 4 * n_classes))


def key_shift(schema: Schema) -> int:
    """The bits of a key below its row: those of a class, and that of a new value."""
    return max(len(schema.classes) - 1, 1).bit_length() + 1


def _knows_variance(dataset: Dataset, settings: SearchSettings, limits: StopLimits) -> bool:
    from ftree.criteria.impurity_of_sums import Variance  # noqa: PLC0415  # trees of classes do without sums
    from ftree.growth.depth_first.target_sums import numbers_fit  # noqa: PLC0415

    # Nodes of numbers have no squares, by which errors are counted.
    return is_exactly(settings.impurity, Variance) and limits.errors <= 0 and numbers_fit(dataset)


# The same with drawn features or cuts, as in forests


def knows_draws(dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits) -> bool:
    """Whether trees of a policy that may draw features and cuts grow from presorted columns, whose values are all known."""
    if dataset.schema.has_classes:
        measured = impurity_code(policy.impurity) is not None and classes_fit(dataset)
    else:
        measured = _knows_variance(dataset, settings, limits)
    return measured and settings.is_by_gain and bool(dataset.columns) and not dataset.gaps()


def only_splitter(kind: str, splitters: Sequence[Any]) -> Any:
    """The only splitter of features of a kind; None for several, and for one that the library does not draw trees by."""
    mine = [each for each in splitters if kind in each.kinds]
    if kind == "nominal" or len(mine) != 1:
        return None
    return mine[0] if is_plain_threshold(mine[0]) or is_known(mine[0], random_threshold) else None


# Any columns, as codes or sorted keys


# The splitters, and the kinds of their splits.
SPLIT_KINDS = {threshold: THRESHOLD, multiway: MULTIWAY, subset: SUBSET, one_value: ONE_VALUE}
# Codes have 16 bits, of which one is for missing values and one is left free; those of a nominal feature with surrogates are bits
# of an integer. A key has 29 bits for its row.
_MOST_CODES, _BITS, _MOST_KEYS = 2**16 - 2, 64, 2**29
# Factors within which squares of altered counts are within the range of floats.
_FACTORS = 1e-50, 1e50


def knows_table(dataset: Dataset, policy: Policy, settings: SearchSettings) -> bool:
    """Whether a tree grows from columns of any kinds.

    The library knows classes, and numbers and events of whole cases; its own impurities and functions at addresses; gain and gain
    ratio; for each kind of feature one of `threshold`, `multiway`, `subset` and `one_value`; fractions, the heaviest child and
    surrogates.
    """
    known = _knows_measure(dataset, settings) and _knows_splitters(dataset, settings) and _knows_missing(dataset, policy)
    n, n_columns = len(dataset), len(dataset.columns)
    return known and 0 < n < _MOST_KEYS and has_room(16.0 * n * (n_columns + 8))


def _knows_measure(dataset: Dataset, settings: SearchSettings) -> bool:
    is_usual = settings.discount is known_share and settings.variants is None and not settings.several
    if not dataset.schema.has_classes:
        from ftree.growth.depth_first.target_sums import knows_sums  # noqa: PLC0415  # trees of classes do without sums

        return is_usual and knows_sums(dataset, settings.impurity) and is_known(settings.choose, by_score)
    impurity, factors = settings.impurity, settings.factors
    moderate = factors is None or bool(((factors == 0) | ((factors > _FACTORS[0]) & (factors < _FACTORS[1]))).all())
    measured = moderate if impurity_code(impurity) is not None else factors is None and _is_in_c(impurity)
    return is_usual and measured and settings.score in (gain, gain_ratio) and is_known(settings.choose, by_score, by_gain_ratio)


def _is_in_c(impurity: Any) -> bool:
    """Whether an impurity, which is none of the library's, is a C function."""
    from ftree.criteria.impurity_in_c import compiled_impurity  # noqa: PLC0415  # few policies have one

    return is_exactly(impurity, compiled_impurity)


def drawing_of(settings: SearchSettings) -> random_features | None:
    """The splitter that draws the features of a node, if there is no other."""
    first: Any = settings.splitters[0] if len(settings.splitters) == 1 else None
    return first if is_known(first, random_features) else None


def splitters_of(features: Sequence[Feature], settings: SearchSettings) -> list[list[Any]]:
    """The splitters of each feature."""
    drawing = drawing_of(settings)
    splitters = settings.splitters if drawing is None else drawing.splitters
    return [[each for each in splitters if feature.kind in each.kinds] for feature in features]


def _knows_splitters(dataset: Dataset, settings: SearchSettings) -> bool:
    features = dataset.schema.features
    own = splitters_of(features, settings)
    at_most_one = all(len(each) <= 1 for each in own) and (drawing_of(settings) is None or all(own))
    few = all(len(feature.values) <= _MOST_CODES for feature, each in zip(features, own, strict=True) if each)
    return at_most_one and few and all(map(_knows_splitter, {id(each[0]): each[0] for each in own if each}.values()))


def _knows_splitter(splitter: Any) -> bool:
    if not is_known(splitter, *SPLIT_KINDS):
        return False
    return is_exactly(splitter.min_cases, c45_min_branch) or not callable(splitter.min_cases)


def _knows_missing(dataset: Dataset, policy: Policy) -> bool:
    if not dataset.gaps():
        return True
    known = hook(policy.missing, "shares") in (heaviest(), weighted())
    most = {"nominal": _BITS, "ordinal": _MOST_CODES, "numeric": 0}
    few = all(len(feature.values) <= most[feature.kind] for feature in dataset.schema.features)
    return known and (hook(policy.missing, "add_surrogates") is None or (has_surrogates(policy) and few))


def has_surrogates(policy: Policy) -> bool:
    """Whether the policy's additions to splits are the library's surrogates."""
    from ftree.splitters.surrogates import surrogates  # noqa: PLC0415  # few policies have them

    return is_exactly(policy.missing, surrogates)
