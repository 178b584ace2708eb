"""Growth policies: a policy is a record of small pure functions, and the famous algorithms are policies.

`evolve(ID3, impurity=gini)` changes one part and returns a new algorithm. A policy only grows trees: `ftree.algorithms`
has `id3`, `c45`, `cart` and `chaid`, which grow and prune in one call.
"""

from types import ModuleType
from typing import Any

from attrs import evolve, field, frozen

from ftree import criteria, splitters
from ftree._lib.fields import QUIET, ConstructorRepr, a_function, as_plain, as_tuple, name_of, show_defaults
from ftree.criteria.costs import Costs, Priors, as_costs, as_priors
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.predicate import Operators, StoppingRule, any_of, as_rule
from ftree.criteria.scores import Score, gain, significance
from ftree.routing.missing_rules import weighted
from ftree.splitters import (
    FeatureChoice,
    JointSplitter,
    Splitter,
    as_value,
    by_gain_ratio,
    by_score,
    c45_min_branch,
    ignore,
    is_splitter,
    merging,
    multiway,
    subset,
    threshold,
)
from ftree.splitters.missing_policies import as_missing_policy
from ftree.splitters.surrogates import surrogates
from ftree.stop import alternatives, leaf_limit, min_rows, no_gain, pure

__all__ = ["C45", "CART", "CHAID", "ID3", "Policy", "c45_policy", "cart_policy"]
__dir__ = __all__.copy  # dir() shows public names only
_IMPURITIES = (criteria.entropy, criteria.gini, criteria.misclassification, criteria.dkm)
_SCORES = (
    criteria.gain,
    criteria.gain_ratio,
    criteria.normalised_gain,
    criteria.twoing,
    criteria.pearson,
    criteria.significance,
    criteria.g_significance,
    criteria.likelihood_ratio,
    criteria.hellinger,
)


def _some_splitters(_: Any, __: Any, splits: tuple[Any, ...]) -> None:
    if not splits:
        message = "splits must be at least one splitter, such as multiway(), got (). Use stop=max_depth(0) to grow a leaf."
        raise ValueError(message)
    for splitter in splits:
        if isinstance(splitter, type) or not (isinstance(splitter, JointSplitter) or is_splitter(splitter)):
            raise TypeError(f"splits must be splitters such as multiway(), with parentheses, got {name_of(splitter)}.")


def _of_role(wanted: str, others: tuple[Any, ...] | ModuleType, remark: str) -> Any:
    """A validator: a function, and none of the library's that has another role, which would fail at the first node only."""

    def check(policy: Any, attribute: Any, part: Any) -> None:
        a_function(policy, attribute, part)
        if _is_among(others, part):
            raise TypeError(f"{attribute.name} must be {wanted}, got {name_of(part)}{remark}")
        if isinstance(part, Operators) or (attribute.name != "choose" and _is_among(splitters, part)):
            raise TypeError(f"{attribute.name} must be {wanted}, got {name_of(part)}, which has another role.")

    return check


def _a_rule(policy: Any, attribute: Any, stop: Any) -> None:
    a_function(policy, attribute, stop)
    for rule in alternatives(stop):
        if not isinstance(rule, Operators) and (_is_among(criteria, rule) or _is_among(splitters, rule)):
            message = f"stop must be a stopping rule, such as max_depth(3) | pure(), got {name_of(rule)}, which has another role."
            raise TypeError(message)


def _is_among(others: tuple[Any, ...] | ModuleType, part: Any) -> bool:
    """Whether a part of an algorithm, or its type, is one of others, or a public name of a package."""
    if isinstance(others, ModuleType):
        named: Any = part if hasattr(part, "__name__") else type(part)
        return getattr(others, named.__name__, None) is named
    return any(other is part or other is type(part) for other in others)


@frozen(repr=False, kw_only=True)
class Policy(ConstructorRepr):
    """How to grow a tree: a frozen record of functions.

    - `impurity`: a function of class counts (..., K) that returns (...), such as `entropy` or `gini`.
    - `score`: a function of children's counts (..., V, K) and the impurity that returns (...), such as `gain`.
    - `splits`: splitters such as `threshold()`; each finds the split of a feature with the highest score.
    - `choose`: chooses between the best splits of the features: `by_score()`, or `by_gain_ratio()` as C4.5 does.
    - `stop`: a stopping rule such as `max_depth(3) | pure()`, which closes nodes.
    - `missing`: where cases with a missing value go, a policy of `ftree.missing` or your own. `ignore()` scores splits by
      known cases, and sends the others down all branches in fractions (C4.5). `heaviest()` sends them to the largest child.
      `as_value()` makes missing a value of nominal features, `as_branch()` sends it where that scores best, for values whose
      absence says something. `surrogates()` gives each split substitute splits to follow instead (CART). All but the last may
      be given by their names, such as "ignore". A policy also names the rule by which the tree predicts.
    - `priors` (K,) and `costs` (K, K; rows by true class), in the schema's order of classes, weigh the classes in impurities
      and scores. Nodes count cases unweighted by them.

    All arguments are keyword-only, and their defaults are those of `ID3`. `evolve(policy, stop=...)` changes one of them.

    Raises a TypeError for a part that is not a function or a splitter, a ValueError for an invalid value of a part.

    Sources: Quinlan 1986 (ID3), 1993 (C4.5); Breiman et al. 1984 (CART); Kass 1980 (CHAID).

    >>> ID3
    Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain(), missing=ignore())
    """

    impurity: Impurity = field(
        default=entropy, validator=_of_role("an impurity, such as entropy", _SCORES, ", which is a score.")
    )
    score: Score = field(default=gain, validator=_of_role("a score, such as gain", _IMPURITIES, ", which is an impurity."))
    splits: tuple[Splitter | JointSplitter, ...] = field(
        default=(multiway(), threshold()), converter=as_tuple, validator=_some_splitters
    )
    choose: FeatureChoice = field(
        default=by_score(),
        validator=_of_role(
            "a choice between features, such as by_score() or by_gain_ratio()",
            criteria,
            ". It measures counts: pass it as score or impurity.",
        ),
        metadata=QUIET,
    )
    stop: Operators = field(default=pure() | no_gain(), converter=as_rule, validator=_a_rule)
    missing: object = field(default=ignore(), converter=as_missing_policy)
    priors: Priors | None = field(default=None, converter=as_priors, metadata=QUIET)
    costs: Costs | None = field(default=None, converter=as_costs, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Check that `max_leaves` stands alone or under `|`."""
        leaf_limit(self.stop)

    def stopping(self, rule: StoppingRule) -> "Policy":
        """Add a stopping rule to the policy: a node is closed where any of its rules closes it.

        `evolve(policy, stop=rule)` replaces all rules instead, `pure()` included.

        >>> from ftree.stop import max_depth
        >>> ID3.stopping(max_depth(2)).stop
        pure() | no_gain() | max_depth(2)
        """
        return evolve(self, stop=any_of(self.stop, rule))


show_defaults(Policy)

# Quinlan 1986: multiway splits by information gain, until a node is pure or no split gains.
ID3 = Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain())
# Breiman et al. 1984: binary splits by the Gini index, without an early stop. `ftree.cart` also prunes.
CART = Policy(impurity=gini, score=gain, splits=(subset(), threshold()), stop=pure() | no_gain(), missing=surrogates())


def cart_policy(min_split: float = 20, min_bucket: float = 7) -> Policy:
    """CART's growth policy with minimum sizes, by default those of rpart: `minsplit` cases in a node, `minbucket` in a child.

    `CART` grows without minimum sizes. rpart's default tree: `prune.cost_complexity(0.01, scale="cp")(grow(d, cart_policy()))`.

    Source: Breiman et al. 1984; rpart 4.1 (Therneau & Atkinson).

    >>> cart_policy(min_split=2).stop
    pure() | no_gain() | min_rows(2)
    """
    splits = subset(min_cases=min_bucket), threshold(min_cases=min_bucket)
    return evolve(CART, splits=splits, stop=CART.stop | min_rows(min_split))


# Kass 1980: values merge while they do not differ significantly; adjusted p-values choose features and stop growth.
CHAID = Policy(impurity=entropy, score=significance, splits=(merging(),), stop=pure(), missing=as_value())


def c45_policy(min_cases: float = 2) -> Policy:
    """C4.5's growth policy, in whose splits at least two children have `min_cases` cases each (option -m).

    `C45` is this policy with `min_cases=2`; `ftree.c45(dataset)` grows by it and prunes in one call, by
    `prune.error_based(raise_with=dataset, collapse=True)`.

    It chooses by gain ratio among splits of at least mean gain. Nominal features have a child for each declared value.
    A numeric split scores its gain minus the bits that encode its threshold; each side needs a tenth of the mean class size.
    Cases with a missing value go down in fractions, in growth and in prediction.

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
        stop=pure() | min_rows(2 * as_plain(min_cases)) | no_gain(),
        missing=ignore(predict=weighted()),
    )


# Quinlan 1993: the growth policy as a value; `c45_policy` is the same with another `min_cases`, `ftree.c45` also prunes.
C45 = c45_policy()
