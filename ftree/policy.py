"""A growth policy is a record of small pure functions; the famous algorithms are values of it.

Change one part with `attrs.evolve(ID3, impurity=gini)` and you have an algorithm of your own.
"""

from typing import Any, Literal

from attrs import evolve, field, frozen

from ftree._lib.fields import QUIET, ConstructorRepr, a_function, as_tuple, name_of
from ftree.criteria.costs import Costs, Priors, as_costs, as_priors
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.predicate import Rule
from ftree.criteria.scores import Score, gain, significance
from ftree.splitters import (
    Choice,
    Family,
    JointFamily,
    by_gain_ratio,
    by_score,
    c45_min_branch,
    is_family,
    merging,
    multiway,
    subset,
    threshold,
)
from ftree.splitters.surrogates import surrogates
from ftree.stop import any_of, leaf_limit, min_rows, no_gain, pure

__all__ = ["C45", "CART", "CHAID", "ID3", "Policy", "c45_policy"]
__dir__ = __all__.copy  # dir() shows public names only


def _families(_: Any, __: Any, splits: tuple[Any, ...]) -> None:
    if not splits:
        message = "splits are one split family or more, such as multiway(); none came: stop=max_depth(0) grows a leaf."
        raise ValueError(message)
    for family in splits:
        if isinstance(family, type) or not (isinstance(family, JointFamily) or is_family(family)):
            message = f"splits are split families such as multiway(), with parentheses; {family!r} came."
            raise TypeError(message)


def _a_choice(policy: Any, attribute: Any, choose: Any) -> None:
    a_function(policy, attribute, choose)
    # What measures counts would be called with candidates, and complain of them at the first node.
    if getattr(choose, "__module__", "").startswith("ftree.criteria."):
        message = (
            "choose decides between the best splits of features, as by_score() or by_gain_ratio(); "
            f"{name_of(choose)} came, which measures counts: it is for score or impurity."
        )
        raise TypeError(message)


def _a_way(policy: Any, attribute: Any, missing: Any) -> None:
    if missing is surrogates:
        a_function(policy, attribute, missing)
    if not isinstance(missing, surrogates) and missing not in ("ignore", "heaviest", "as_value"):
        message = f"missing is one of 'ignore', 'heaviest', 'as_value', or surrogates(); it came as {missing!r}."
        raise ValueError(message)


# Of type Any, so that the field keeps the type that it declares.
_WAY: Any = _a_way


@frozen(repr=False, kw_only=True)
class Policy(ConstructorRepr):
    """How to grow: what impurity is, how a split scores, which splits there are, when to stop, where missing values go.

    `impurity` takes counts (..., K) and `score` children's counts (..., V, K) with the impurity; both answer (...).
    Each feature's best split has the best score, and `choose` decides between features: `by_score()`, or as C4.5 does.
    `missing` at growth: "ignore" scores on known cases and sends the others down all branches in fractions (C4.5),
    "heaviest" sends them down the largest, "as_value" makes missing a value of its own where a feature is nominal,
    and `surrogates()` gives splits in two others to ask instead (CART).

    `priors` (K,) and `costs` (K, K; rows by true class) in the schema's order of classes alter what each class weighs in
    impurities and scores; nodes count cases as they are.

    >>> ID3
    Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain(), missing='ignore')
    """

    impurity: Impurity = field(default=entropy, validator=a_function)
    score: Score = field(default=gain, validator=a_function)
    splits: tuple[Family | JointFamily, ...] = field(default=(multiway(), threshold()), converter=as_tuple, validator=_families)
    choose: Choice = field(default=by_score(), validator=_a_choice, metadata=QUIET)
    stop: Rule = field(default=pure() | no_gain(), validator=a_function)
    missing: Literal["ignore", "heaviest", "as_value"] | surrogates = field(default="ignore", validator=_WAY)
    priors: Priors | None = field(default=None, converter=as_priors, metadata=QUIET)
    costs: Costs | None = field(default=None, converter=as_costs, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Refuse `max_leaves` where it has no meaning."""
        leaf_limit(self.stop)

    def stopping(self, rule: Rule) -> "Policy":
        """The same policy with one more stopping rule: a node is closed where any of its rules closes it.

        `evolve(policy, stop=rule)` replaces the rules instead, `pure()` included.

        >>> from ftree.stop import max_depth
        >>> ID3.stopping(max_depth(2)).stop
        pure() | no_gain() | max_depth(2)
        """
        return evolve(self, stop=any_of(self.stop, rule))


# Quinlan 1986: multiway splits by information gain, until a node is pure or nothing is gained.
ID3 = Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain())

# Breiman et al. 1984, the growing half: binary splits by Gini, grown out. Its pruning is prune.cost_complexity.
CART = Policy(impurity=gini, score=gain, splits=(subset(), threshold()), stop=pure() | no_gain(), missing=surrogates())

# Kass 1980: values merged while they do not differ, features chosen by their adjusted p-values, which stop growth as well.
CHAID = Policy(impurity=entropy, score=significance, splits=(merging(),), stop=pure(), missing="as_value")


def c45_policy(min_cases: float = 2) -> Policy:
    """The growing half of C4.5 with another least number of cases in two branches (option -m).

    Gain ratio among splits of at least mean gain; a branch for each declared value; numeric cuts by gain less the bits
    that name the cut, each side with a tenth of the mean class; cases of unknown value in fractions. Its pruning is
    `prune.error_based(raise_with=dataset, collapse=True)`.

    Source: Quinlan 1993; release 8, Quinlan 1996; Weka's J48 grows the same trees.

    >>> c45_policy(2) == C45
    True
    """
    nominal = multiway(empty=True, min_cases=min_cases)
    numeric = threshold(min_cases=c45_min_branch(min_cases), mdl=True, at="observed")
    return Policy(
        impurity=entropy,
        score=gain,
        splits=(nominal, numeric),
        choose=by_gain_ratio(),
        stop=pure() | min_rows(2 * min_cases) | no_gain(),
        missing="ignore",
    )


C45 = c45_policy()
