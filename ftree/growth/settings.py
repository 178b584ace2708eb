"""The settings of a search: what it needs of a policy, fitted to a table, the same at every node."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

from ftree._lib.arrays import Array, read_only, row_sums
from ftree._lib.objects import is_exactly
from ftree.criteria.impurity import Impurity, checked, entropy, require_of_classes
from ftree.criteria.scores import Score, gain
from ftree.data.cases import effective_cases
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.splitters import FeatureChoice, JointSplitter, Runs, Splitter, by_score, many_valued
from ftree.splitters.missing_policies import hook, known_share
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import response_of_sums

if TYPE_CHECKING:
    from ftree.growth.given_table import TableOrCounted
    from ftree.splitters.missing_as_branch import Translate


@frozen(eq=False)
class SearchSettings:
    """The parts of a policy that the search needs: splitters, impurity, score, and the choice between features.

    Invariant: they fit their table, and each other. `impurity` is one of what `response` adds up, relative to the root for all
    but classes; `variants` are left out for a table without missing values.

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
