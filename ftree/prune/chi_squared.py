"""Chi-squared pruning: cut splits that are not significant in a test of independence.

Source: Quinlan 1986, section 5. The paper stops growth by this test, as the rule `ftree.stop.chi_squared` does.
"""

import numpy as np
from attrs import field, frozen
from toolz import concat

from ftree._lib.fields import a_probability
from ftree.criteria.frontier import Frontier
from ftree.prune.base import Candidate, Comparison, all_leaves, bottom_up
from ftree.prune.decisions import DecidingPass, Record
from ftree.prune.order import LevelOrder, in_level_order
from ftree.tree.nodes import Node, Tree


@frozen(repr=False)
class chi_squared(DecidingPass):
    """Cut, children first, branches above leaves whose chi-squared test has a p-value above alpha.

    The null hypothesis is that children and classes are independent. Degrees of freedom are (children - 1)(classes - 1),
    without children and classes that have no cases. Unlike this pass, the stopping rule `stop.chi_squared` also closes a
    node whose significant splits are further down; the pass keeps an insignificant split above a significant one.

    In `decisions`, scores as a leaf are Pearson's statistics, and those as a subtree 0; the threshold is the statistic
    whose p-value is alpha.

    Raises a ValueError for an alpha that is not a probability.

    >>> chi_squared(0.01)
    chi_squared(0.01)
    """

    alpha: float = field(default=0.05, validator=a_probability)

    def _prune(self, tree: Tree, record: Record) -> Tree:
        order = in_level_order(tree)
        tests = _tests(order, self.alpha)

        def compare(candidate: Candidate, _: float, __: float, nodes: list[Node]) -> Comparison:
            _, limit, weak = tests[candidate.number]
            return (limit, weak) if all_leaves(nodes) else None

        def leaf_score(candidate: Candidate) -> float:
            return tests[candidate.number][0]

        return bottom_up(tree, leaf_score, compare, subtree_score=lambda _, __: 0.0, record=record, order=order)


def _tests(order: LevelOrder, alpha: float) -> list[tuple[float, float, bool]]:
    """For each node: its split's statistic, the critical value, whether the p-value exceeds alpha; zeros for a leaf."""
    from scipy.special import chdtri  # noqa: PLC0415  # loaded on first use, not by `import ftree`

    counts = np.array([node.counts for node in order.nodes], dtype=np.float64)
    # A leaf counts as its own only child, so it has no degree of freedom.
    picked = np.fromiter(concat(kids or (number,) for number, kids in enumerate(order.below)), dtype=np.intp)
    n_children = np.array([len(kids) or 1 for kids in order.below])
    level = Frontier(0, counts, None, child_counts=counts[picked], n_children=n_children)
    dof = level.dof
    critical = np.where(dof > 0, chdtri(dof, alpha), 0.0)
    return list(zip(level.chi2.tolist(), critical.tolist(), (level.p_value > alpha).tolist(), strict=True))
