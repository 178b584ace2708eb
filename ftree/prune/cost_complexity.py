"""Cost-complexity pruning: each leaf costs alpha, and the pass returns the pruning of least cost.

R_alpha(T) = R(T) + alpha * (leaves of T). The larger alpha, the smaller the best pruning; these prunings form the path.
Source: Breiman, Friedman, Olshen & Stone 1984, chapter 3; rpart's scale is cp = alpha / R(root).
"""

from typing import Literal

from attrs import field, frozen

from ftree._lib.fields import a_function, one_of
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.base import Candidate, bottom_up, no_worse
from ftree.prune.checks import a_number_from
from ftree.prune.decisions import DecidingPass, Record
from ftree.prune.order import in_level_order
from ftree.prune.weakest_links import weighted_risks
from ftree.tree.nodes import Tree


@frozen(repr=False)
class cost_complexity(DecidingPass):
    """The smallest of the prunings with the least R + alpha * leaves; R is the leaves' mean risk, weighted by cases.

    `risk` is misclassification (R is then the error rate), or any impurity. With `scale="cp"`, alpha is in units of
    the root's risk, as rpart's cp is.

    In `decisions`, scores are R + alpha * leaves, of the branch as a leaf and of its pruned subtree.

    Raises a ValueError for a negative alpha, a TypeError for a risk that is not a function.

    >>> cost_complexity(0.01)
    cost_complexity(0.01, risk=misclassification, scale='alpha')
    """

    alpha: float = field(validator=a_number_from(0))
    risk: Impurity = field(default=misclassification, kw_only=True, validator=a_function)
    scale: Literal["alpha", "cp"] = field(default="alpha", kw_only=True, validator=one_of("alpha", "cp"))

    def _prune(self, tree: Tree, record: Record) -> Tree:
        order = in_level_order(tree)
        risks = weighted_risks(order.nodes, self.risk)
        price = self.alpha * risks[0] if self.scale == "cp" and risks[0] else self.alpha

        def leaf_score(candidate: Candidate) -> float:
            return risks[candidate.number] + price

        return bottom_up(tree, leaf_score, no_worse, record=record, order=order)
