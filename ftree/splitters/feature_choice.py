"""Choosing between the best splits of a node's features: by score, by gain ratio as C4.5 does, or by gain for cost."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE, Array, Floats
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, as_tuple, is_finite, one_of
from ftree._lib.messages import short_repr
from ftree.criteria.frontier import Joint
from ftree.splitters.runs import Build, Runs
from ftree.tree.schema import Feature

if TYPE_CHECKING:
    from ftree.criteria.inherited_state import HasInheritedState


@frozen(eq=False)
class Candidates:
    """The best split of each feature at each open node: arrays (C,), sorted by node, then feature.

    `score` is the policy's score times the share of cases whose value is known. `information(numbers)` returns the split
    information in bits of the candidates with these numbers; cases with a missing value count as a child of their own.
    `many` marks features with very many values (`many_valued`). `runs` are those of all features, `run` numbers that of each
    candidate, and `build(number)` makes the split of the candidate with a number, and its children's class counts (V, K).
    `vectors(features)` counts the vectors of the values of these features, as splitters of several features get them.

    >>> import numpy as np
    >>> zero = np.array([0, 0])
    >>> found = Candidates(zero, np.array([0, 1]), np.array([0.25, 0.15]), lambda numbers: np.ones(len(numbers)), zero > 0)
    >>> by_score()(found).tolist()
    [0.25, 0.15]
    """

    node: Array
    feature: Array
    score: Array
    information: Callable[[Array], Array]
    many: Array
    runs: Runs | None = None
    run: Array | None = None
    build: Build | None = None
    vectors: Callable[[Sequence[int]], Joint] | None = None

    @property
    def every_run(self) -> Runs:
        """The known values of all features at all open nodes, of those without a split too, with their class counts."""
        if self.runs is None:
            raise ValueError("Candidates must have runs for this choice, got candidates that were made without.")
        return self.runs

    def joint(self, features: Sequence[int]) -> Joint:
        """The counts of the vectors of several features at all open nodes."""
        if self.vectors is None:
            raise ValueError("Candidates must have vectors for this choice, got candidates that were made without.")
        return self.vectors(features)

    @property
    def known(self) -> Runs:
        """The distinct known values of each candidate's feature at its node, with their class counts: one run a candidate."""
        return self.every_run.only(np.asarray(self.run))

    @property
    def counts(self) -> Array:
        """Class counts of each candidate's node, (C, K)."""
        frontier: Any = self.every_run.frontier
        return np.asarray(frontier.counts[self.node])

    def inherited(self, part: "HasInheritedState") -> Array:
        """The inherited state of a part of the policy at each candidate's node, objects (C,)."""
        return self.known.inherited(part)


# From the candidates of all open nodes to figures (C,): each node takes its highest; -inf excludes a candidate.
FeatureChoice: TypeAlias = Callable[[Candidates], Array]


@frozen
class by_score(ConstructorRepr):
    """Choose the candidate with the best score.

    >>> by_score()
    by_score()
    """

    def __call__(self, candidates: Candidates) -> Array:
        """The score of each candidate."""
        return candidates.score


@frozen
class by_gain_ratio(ConstructorRepr):
    """Choose the best gain ratio among the candidates whose gain is not below the mean gain of the node's candidates.

    The policy's score must be a gain. A gain may be `slack` bits below the mean. Features with very many values
    (`many_valued`) do not count in the mean; a node without other features becomes a leaf.

    Source: Quinlan 1993, section 2.2; the slack and the exception are those of release 8, and of Weka's J48.

    >>> by_gain_ratio()
    by_gain_ratio()
    """

    slack: float = field(default=1e-3, kw_only=True, metadata=QUIET, validator=a_finite_number)

    def __call__(self, candidates: Candidates) -> Array:
        """The gain ratio of each candidate, -inf where its gain is below the mean."""
        n_of_node = np.bincount(candidates.node, ~candidates.many)
        total = np.bincount(candidates.node, np.where(candidates.many, 0.0, candidates.score))
        mean = np.divide(total, n_of_node, out=np.full(len(total), np.inf), where=n_of_node > 0)[candidates.node]
        eligible = np.flatnonzero(candidates.score >= mean - self.slack)
        information = candidates.information(eligible)
        ratio = np.divide(candidates.score[eligible], information, out=np.zeros(len(eligible)), where=information > 0)
        figures = np.full(len(candidates.score), -np.inf)
        figures[eligible] = np.where(ratio > TIE, ratio, -np.inf)
        return figures


_FORMULAS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "eg2": lambda gain, cost, weight: (np.exp2(gain) - 1) / (cost + 1) ** weight,
    "cs_id3": lambda gain, cost, _: gain * np.abs(gain) / cost,  # a negative gain stays negative
    "idx": lambda gain, cost, _: gain / cost,
}


@frozen
class by_cost(ConstructorRepr):
    """Choose the candidate with the best gain for its feature's cost; `costs` are one number a feature, in the schema's order.

    - "eg2": (2 ** gain - 1) / (cost + 1) ** weight. Weight 0 ignores costs; costs are at least 0.
    - "cs_id3": gain ** 2 / cost. Costs are above 0.
    - "idx": gain / cost. Costs are above 0.

    The policy's score must be a gain, in bits for "eg2"; rpart's `cost=` is "idx". A feature costs the same again below a node
    that has already tested it.

    Raises a ValueError for another formula, for a cost or weight that is not a finite number in its range, and, in growth, for
    a feature without a cost. Splits of several features are compared by score with the split chosen here.

    Sources: Núñez 1991 (EG2); Tan 1993 (CS-ID3); Norton 1989 (IDX).

    >>> from ftree import ID3, evolve, grow
    >>> from ftree.datasets import weather
    >>> from ftree.stop import max_depth
    >>> frugal = evolve(ID3, choose=by_cost((10, 1, 1, 1)))  # outlook costs ten times as much as the others
    >>> print(grow(weather(), frugal.stopping(max_depth(1))))
    humidity = high: no (7.0/3.0)
    humidity = normal: yes (7.0/1.0)
    """

    costs: tuple[float, ...] = field(converter=as_tuple)
    formula: Literal["eg2", "cs_id3", "idx"] = field(default="eg2", kw_only=True, validator=one_of(*_FORMULAS))
    weight: float = field(default=1.0, kw_only=True, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Check the range of costs, which depends on the formula."""
        if not (is_finite(self.weight) and self.weight >= 0):
            raise ValueError(f"weight must be a finite number from 0, got {short_repr(self.weight)}.")
        free = self.formula == "eg2"
        for cost in self.costs:
            if not (is_finite(cost) and (cost > 0 or (free and cost == 0))):
                wanted = f"finite numbers {'from' if free else 'above'} 0, one for each feature"
                raise ValueError(f"costs must be {wanted}, got {short_repr(cost)}.")
        with np.errstate(over="ignore"):
            gains = _FORMULAS[self.formula](np.ones(1), np.array(self.costs, dtype=np.float64), self.weight)
        if not (np.isfinite(gains) & (gains > 0)).all():
            raise ValueError(f"costs and weight must leave a gain of one bit above 0 and finite, got {short_repr(self)}.")

    def __call__(self, candidates: Candidates) -> Array:
        """The gain for cost of each candidate."""
        last = candidates.feature.max(initial=-1)
        if last >= len(self.costs):
            got = f"{len(self.costs)}, and a split on feature {last}"
            raise ValueError(f"costs must be one number for each feature of the schema, got {got}.")
        cost = np.array(self.costs, dtype=np.float64)[candidates.feature]
        return _FORMULAS[self.formula](candidates.score, cost, self.weight)


def many_valued(features: Sequence[Feature], cases: float) -> frozenset[int]:
    """The nominal features with at least 3 declared values for 10 cases; none if that holds for all features.

    A gain by such a feature says little about new cases.

    Source: C4.5, release 8; Weka's J48.

    >>> sky, name = Feature("sky", "nominal", ("grey", "blue")), Feature("name", "nominal", ("a", "b", "c"))
    >>> many_valued([sky, name], 10), many_valued([name], 10)
    (frozenset({1}), frozenset())
    """
    listed = enumerate(features)
    many = frozenset(number for number, feature in listed if feature.kind == "nominal" and 10 * len(feature.values) >= 3 * cases)
    return many if len(many) < len(features) else frozenset()
