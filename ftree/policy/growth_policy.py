"""A growth policy: a record of small pure functions, and ID3's, which is the default of `grow`."""

from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from ftree._lib.fields import QUIET, ConstructorRepr, a_function, as_tuple, name_of, show_defaults
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.predicate import Operators, StoppingRule, any_of, as_rule, is_rule
from ftree.criteria.scores import Score, gain
from ftree.splitters import FeatureChoice, JointSplitter, Splitter, by_score, ignore, is_splitter, multiway, threshold
from ftree.splitters.missing_policies import as_missing_policy
from ftree.stop import alternatives, leaf_limit, no_gain, pure

if TYPE_CHECKING:
    from ftree.criteria.costs import Costs, Priors

# The roles of the library's functions that do not show it themselves, by the module that defines them. A function of one's own
# has any role.
_ROLES = {
    "ftree.criteria.costs": "an impurity",
    "ftree.criteria.impurity": "an impurity",
    "ftree.criteria.impurity_in_c": "an impurity",
    "ftree.criteria.impurity_of_sums": "an impurity",
    "ftree.criteria.scores": "a score",
    "ftree.splitters.feature_choice": "a choice between features",
    "ftree.splitters.instability_tests": "a choice between features",
    "ftree.splitters.permutation_tests": "a choice between features",
    "ftree.splitters.cuts": "a least weight of children",
    "ftree.splitters.sums": "a finder of weights",
    "ftree.routing.missing_rules": "a rule for missing values",
}


def role_of(part: Any) -> str | None:
    """The role of a part of a policy: a splitter has `kinds`, a rule has operators, others of the library stand in a list.

    >>> role_of(threshold()), role_of(pure()), role_of(gain), role_of(len)
    ('a splitter', 'a stopping rule', 'a score', None)
    """
    if isinstance(part, JointSplitter) or is_splitter(part):
        return "a splitter"
    if is_rule(part):
        return "a stopping rule"
    defined = part if hasattr(part, "__name__") else type(part)
    return _ROLES.get(getattr(defined, "__module__", ""))


def _some_splitters(_: Any, __: Any, splits: tuple[Any, ...]) -> None:
    if not splits:
        message = "splits must be at least one splitter, such as multiway(), got (). Use stop=max_depth(0) to grow a leaf."
        raise ValueError(message)
    for splitter in splits:
        if isinstance(splitter, type) or role_of(splitter) != "a splitter":
            raise TypeError(f"splits must be splitters such as multiway(), with parentheses, got {name_of(splitter)}.")


def _of_role(role: str, examples: str) -> Any:
    """A validator: a function, and none that has another role, which would fail at the first node only."""

    def check(policy: Any, attribute: Any, part: Any) -> None:
        for each in (part, *alternatives(part)):
            if (found := role_of(each)) not in (role, None):
                raise TypeError(f"{attribute.name} must be {role}, such as {examples}, got {name_of(each)}, which is {found}.")
        a_function(policy, attribute, part)

    return check


def _as_priors(priors: Any) -> "Priors | None":
    if priors is None:
        return None
    from ftree.criteria.costs import as_priors  # noqa: PLC0415  # few policies have priors or costs

    return as_priors(priors)


def _as_costs(costs: Any) -> "Costs | None":
    if costs is None:
        return None
    from ftree.criteria.costs import as_costs  # noqa: PLC0415  # as above

    return as_costs(costs)


@frozen(kw_only=True)
class Policy(ConstructorRepr):
    """How to grow a tree: a frozen record of functions, each of which is checked to have the role of its field.

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

    impurity: Impurity = field(default=entropy, validator=_of_role("an impurity", "entropy"))
    score: Score = field(default=gain, validator=_of_role("a score", "gain"))
    splits: tuple[Splitter | JointSplitter, ...] = field(
        default=(multiway(), threshold()), converter=as_tuple, validator=_some_splitters
    )
    choose: FeatureChoice = field(
        default=by_score(), validator=_of_role("a choice between features", "by_score() or by_gain_ratio()"), metadata=QUIET
    )
    stop: Operators = field(
        default=pure() | no_gain(), converter=as_rule, validator=_of_role("a stopping rule", "max_depth(3) | pure()")
    )
    missing: object = field(default=ignore(), converter=as_missing_policy)
    priors: "Priors | None" = field(default=None, converter=_as_priors, metadata=QUIET)
    costs: "Costs | None" = field(default=None, converter=_as_costs, metadata=QUIET)

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
ID3: Policy = Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain())
