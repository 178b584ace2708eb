"""What growth needs of a policy: the parts of the search, fitted to a table; the stopping rule and impurities in numbers."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from math import ceil, inf, log2
from sys import float_info
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, fields, frozen
from toolz import merge_with

from ftree._lib.arrays import TIE, Array, Floats, least_tied, read_only, row_sums
from ftree._lib.fields import has_only
from ftree._lib.objects import is_exactly
from ftree.criteria.impurity import Impurity, checked, entropy, gini, misclassification, require_of_classes
from ftree.criteria.predicate import StoppingRule
from ftree.criteria.scores import Score, gain
from ftree.data.cases import effective_cases
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.splitters import FeatureChoice, JointSplitter, Runs, Splitter, by_score, many_valued
from ftree.splitters.missing_policies import hook, known_share
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import response_of_sums

if TYPE_CHECKING:
    from ftree.growth.given_table import TableOrCounted
    from ftree.splitters.missing_as_branch import Translate


@frozen(eq=False)
class SearchSettings:
    """The parts of a policy that the search needs: splitters, impurity, score, and the choice between features.

    `factors` (K,) multiply class counts before they are measured: altered priors (Breiman et al. 1984, section 4.4).
    `with_surrogates` are those whose splits get surrogates, `many` those with very many values. `discount` maps the share of
    known cases to the factor of a score. `variants` makes runs to search instead of those of known values. `response` says what
    counts are sums of, None for classes.
    """

    splitters: tuple[Splitter | JointSplitter, ...]
    impurity: Impurity = entropy
    score: Score = gain
    choose: FeatureChoice = field(factory=by_score)
    factors: Array | None = None
    with_surrogates: frozenset[int] = frozenset()
    many: frozenset[int] = frozenset()
    discount: Callable[[Array], Array] = known_share
    variants: Callable[[Runs, Array], Sequence[tuple[Runs, "Translate"]]] | None = None
    response: ResponseOfSums | None = None

    @cached_property
    def several(self) -> tuple[JointSplitter, ...]:
        """The splitters of several features."""
        # To see whether an object has no method of that name takes a hundredth of the time.
        return tuple(each for each in self.splitters if hasattr(each, "best") and isinstance(each, JointSplitter))

    @cached_property
    def single(self) -> tuple[Splitter, ...]:
        """The splitters of single features."""
        return tuple(each for each in self.splitters if not any(each is other for other in self.several))  # type: ignore[misc]

    @cached_property
    def risk(self) -> Callable[[Array], Array] | None:
        """The impurity of what nodes answer, if splits are measured by another one."""
        if self.response is None:
            return None
        from ftree.criteria.impurity_of_sums import risk_of_answers  # noqa: PLC0415  # trees of classes do without it

        return risk_of_answers(self.impurity, self.response)

    @property
    def is_by_gain(self) -> bool:
        """Whether the first best gain of single features decides, with nothing that alters counts or scores: the usual search."""
        of_known_cases = self.score is gain and is_exactly(self.choose, by_score) and self.discount is known_share
        return of_known_cases and self.factors is None and self.variants is None and not self.with_surrogates

    def measure(self, children: Array) -> Array:
        """Score children's counts (..., V, K)."""
        return checked(self.score, self.score(self.altered(children), self.impurity), children.shape[:-2])

    def altered(self, counts: Array) -> Array:
        """Counts (..., K) times the factors of the classes, read-only for users' functions."""
        altered: Array = read_only(counts if self.factors is None else counts * self.factors)
        return altered

    def weight(self, counts: Array) -> Array:
        """Cases of nodes with such counts (n, K), as the search weighs them."""
        cases: Array = row_sums(self.altered(counts)) if self.response is None else self.response.weight(counts)
        return cases


def search_settings(policy: Policy, table: "TableOrCounted") -> SearchSettings:
    """The parts of a policy that the search needs, for the classes and features of a table.

    >>> from ftree import CART
    >>> from ftree.datasets import xor
    >>> search_settings(CART, xor()).score
    <function gain at 0x...>
    """
    impurity, response = policy.impurity, None
    if table.schema.has_classes:
        require_of_classes("impurity", impurity)
    else:
        from ftree.growth.regression import fitting, impurity_at_root  # noqa: PLC0415  # trees of classes do without it

        measured: Dataset = table if isinstance(table, Dataset) else table.summary.distinct_targets()  # type: ignore[attr-defined]
        policy = fitting(policy, measured)
        impurity, response = impurity_at_root(policy, measured), response_of_sums(table.schema)
    altered = None
    if policy.priors is not None or policy.costs is not None:
        from ftree.criteria.costs import factors  # noqa: PLC0415  # few policies have priors or costs

        altered = factors(table.class_counts(), policy.priors, policy.costs)
    cases = effective_cases(table) if isinstance(table, Dataset) else table.n_cases
    many = many_valued(table.schema.features, cases)
    discount, variants = hook(policy.missing, "discount"), hook(policy.missing, "variants")
    with_surrogates = _features_with_surrogates(policy, table)
    if variants is not None and not table.gaps():
        variants = None
    return SearchSettings(
        policy.splits, impurity, policy.score, policy.choose, altered, with_surrogates, many, discount, variants, response
    )


def _features_with_surrogates(policy: Policy, table: "TableOrCounted") -> frozenset[int]:
    """Numbers of the features to whose splits the policy makes additions, such as surrogates."""
    if hook(policy.missing, "add_surrogates") is None:
        return frozenset()
    return frozenset(range(len(table.schema.features))) if hook(policy.missing, "everywhere") else table.gaps()


# The stopping rule in numbers, for growth and searches that cannot call a rule for each node


@frozen
class StopLimits:
    """The stopping rule in numbers: each rule closes nodes by one of them, and the default, which is at most 0 or infinite, none.

    A node is closed if pure, from a depth on, with fewer rows, fewer errors, a smaller child, or less gain. C gets them by their
    names (`rules_of`); who cannot follow one refuses any other value than the default.
    """

    pure: bool = False
    depth: float = field(default=inf, metadata={"strictest": min})  # of the others the largest
    rows: float = -inf
    errors: float = -inf
    leaf: float = -inf
    gain: float = -inf


# The options that a rule has, and the limit that it sets, given whether gains are of exact sums; `max_leaves` closes no node.
_LIMITS: dict[type, tuple[tuple[str, ...], Callable[[Any, bool], dict[str, Any]]]] = {
    pure: ((), lambda _, __: {"pure": True}),
    max_depth: (("limit",), lambda rule, _: {"depth": rule.limit}),
    min_rows: (("n",), lambda rule, _: {"rows": rule.n}),
    min_errors: (("n",), lambda rule, _: {"errors": rule.n}),
    min_best_child: (("n",), lambda rule, _: {"leaf": rule.n}),
    no_gain: ((), lambda _, exact: {"gain": float_info.min if exact else TIE}),
    min_gain: (("bits",), lambda rule, exact: {"gain": least_tied(rule.bits, exact=exact)}),
    max_leaves: (("n",), lambda _, __: {}),
}


def stop_limits(rule: StoppingRule, *, of_classes: bool = True) -> StopLimits | None:
    """A stopping rule in numbers; None for a rule that is not made of the library's own alternatives, such as a subclass.

    None too for a rule with an option that `_LIMITS` does not list, unless the option has its default.

    For classes and events (`of_classes`), a gain within the tolerance is none; for numbers, whose sums are exact, only 0 is none.
    For numbers and events, `errors` are counted in the root's mean risk of a case, as by `min_errors`.

    >>> stop_limits(pure() | max_depth(6) | min_best_child(2) | max_depth(4))
    StopLimits(pure=True, depth=4, rows=-inf, errors=-inf, leaf=2, gain=-inf)
    >>> stop_limits(~pure())
    """
    rules = list(alternatives(rule))
    if not all(is_exactly(each, *_LIMITS) and has_only(each, *_LIMITS[type(each)][0]) for each in rules):
        return None
    set_by_rules = merge_with(list, *(_LIMITS[type(each)][1](each, not of_classes) for each in rules))
    strictest = {each.name: each.metadata.get("strictest", max) for each in fields(StopLimits)}
    return StopLimits(**{name: strictest[name](found) for name, found in set_by_rules.items()})


# Impurities in numbers, for C

# The library's impurities, any function at an address, that of numbers, and that of events, as the native library numbers them.
ENTROPY, GINI, MISCLASSIFICATION, OWN, VARIANCE, POISSON = range(6)
_IMPURITIES: tuple[Impurity, ...] = (entropy, gini, misclassification)


def impurity_code(impurity: Impurity) -> int | None:
    """The number of one of the library's impurities of classes; None for any other.

    >>> impurity_code(gini) == GINI, impurity_code(len)
    (True, None)
    """
    return _IMPURITIES.index(impurity) if impurity in _IMPURITIES else None


@lru_cache(maxsize=2)
def whole_table(total: int) -> tuple[Array, float]:
    """N log2 n for n from 0 to `total`, in whole numbers of 1/unit bits, and the unit, as large as sums allow.

    >>> table, unit = whole_table(4)
    >>> (table / unit).round(6).tolist()
    [0.0, 0.0, 2.0, 4.754888, 8.0, 11.60964]
    """
    exact = n_log_n(total + 1)
    unit = 2.0 ** (62 - ceil(log2(max(exact[-1], 2.0))))
    # The product is exact in extended precision only; in double precision it is known to 53 bits, which is sufficient here.
    return np.round(exact * unit).astype(np.int64), unit


@lru_cache(maxsize=2)
def n_log_n(most: int) -> Floats:
    """N log2 n for n from 0 to `most`.

    >>> n_log_n(4).round(6).tolist()
    [0.0, 0.0, 2.0, 4.754888, 8.0]
    """
    n = np.arange(most + 1, dtype=np.float64)
    product: Floats = n * np.log2(np.maximum(n, 1))
    return product
