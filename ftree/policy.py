"""A growth policy is a record of small pure functions; the famous algorithms are values of it.

Change one part with `attrs.evolve(ID3, impurity=gini)` and you have an algorithm of your own.
"""

from typing import Any, Literal

from attrs import field, frozen

from ftree._fields import a_function, as_tuple, one_of, reads_like_its_constructor
from ftree.families import Family, JointFamily, multiway, subset, threshold
from ftree.impurity import Impurity, Score, entropy, gain, gini
from ftree.predicate import Rule
from ftree.stop import leaf_limit, no_gain, pure


def _families(_: Any, __: Any, splits: tuple[Any, ...]) -> None:
    for family in splits:
        finds = isinstance(family, JointFamily) or (callable(family) and hasattr(family, "kinds"))
        if isinstance(family, type) or not finds:
            message = f"splits are split families such as multiway(), with parentheses; {family!r} came."
            raise TypeError(message)


@reads_like_its_constructor
@frozen(repr=False, kw_only=True)
class Policy:
    """How to grow: what impurity is, how a split scores, which splits there are, when to stop, where missing values go.

    `impurity` takes counts (..., K) and `score` children's counts (..., V, K) with the impurity; both answer (...).
    `missing` at growth: "ignore" scores on known cases and sends the others down all branches in fractions (C4.5),
    "heaviest" sends them down the largest, "as_value" makes missing a value of its own where a feature is nominal.

    >>> ID3
    Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain(), missing='ignore')
    """

    impurity: Impurity = field(default=entropy, validator=a_function)
    score: Score = field(default=gain, validator=a_function)
    splits: tuple[Family | JointFamily, ...] = field(default=(multiway(), threshold()), converter=as_tuple, validator=_families)
    stop: Rule = field(default=pure() | no_gain(), validator=a_function)
    missing: Literal["ignore", "heaviest", "as_value"] = field(
        default="ignore", validator=one_of("ignore", "heaviest", "as_value")
    )

    def __attrs_post_init__(self) -> None:
        """Refuse `max_leaves` where it has no meaning."""
        leaf_limit(self.stop)


# Quinlan 1986: multiway splits by information gain, until a node is pure or nothing is gained.
ID3 = Policy(impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain())

# Breiman et al. 1984, the growing half: binary splits by Gini, grown out.
CART = Policy(impurity=gini, score=gain, splits=(subset(), threshold()), stop=pure() | no_gain())
