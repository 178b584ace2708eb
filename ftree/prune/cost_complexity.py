"""Cost-complexity pruning: a leaf costs alpha, and the cheapest pruning is the answer.

R_alpha(T) = R(T) + alpha * (leaves of T). As alpha rises, ever smaller prunings are the cheapest: the path of trees.
Source: Breiman, Friedman, Olshen & Stone 1984, chapter 3; rpart's scale is cp = alpha / R(root).
"""

from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, one_of
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, surveyed, trail, unheard
from ftree.prune.weakest_links import _check_risk, weighted_risks
from ftree.tree.nodes import Node, Tree


def _not_negative(_: Any, __: Any, alpha: float) -> None:
    if not alpha >= 0:
        message = f"alpha, what a leaf costs, is a number of at least 0; it came as {alpha!r}."
        raise ValueError(message)


@frozen(repr=False)
class cost_complexity(ConstructorRepr):
    """The smallest of the prunings that minimise R + alpha * leaves, R being the risk, weighted by the share of cases.

    `risk` is misclassification (R is then the share of errors), or any impurity. With `scale="cp"`, alpha is in
    units of the root's risk, as rpart's cp.

    Raises a ValueError for a negative alpha, a TypeError for a risk that is no function.

    >>> cost_complexity(0.01)
    cost_complexity(0.01, risk=misclassification, scale='alpha')
    """

    alpha: float = field(validator=_not_negative)
    risk: Impurity = field(default=misclassification, kw_only=True)
    scale: Literal["alpha", "cp"] = field(default="alpha", kw_only=True, validator=one_of("alpha", "cp"))

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot be a risk."""
        _check_risk(self.risk)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first; scores are R + alpha * leaves of its pruned subtree and of the leaf."""
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        survey = surveyed(tree)
        risks = weighted_risks(survey.nodes, self.risk)
        price = self.alpha * risks[0] if self.scale == "cp" and risks[0] else self.alpha

        def rate(place: Place) -> float:
            return risks[place.number] + price

        return bottom_up(tree, rate, _cheaper, note=note, survey=survey)


def _cheaper(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree, at_most(as_leaf, as_subtree)
