"""Chi-squared pruning: cut splits that may well be due to chance.

Source: Quinlan 1986, section 5, there for stopping; `ftree.stop.chi_squared` is that rule, and this the pass.
"""

import numpy as np
from attrs import field, frozen
from toolz import concat

from ftree._lib.fields import ConstructorRepr, a_probability
from ftree.criteria.frontier import Frontier
from ftree.prune.base import Decision, Note, Place, Survey, Verdict, all_leaves, bottom_up, surveyed, trail, unheard
from ftree.tree.nodes import Node, Tree


@frozen(repr=False)
class chi_squared(ConstructorRepr):
    """Cut, children first, branches above leaves whose split and class may well be independent: p-value above alpha.

    Degrees of freedom are (branches - 1)(classes - 1), not counting branches and classes without cases. Unlike the
    stopping rule, the pass keeps a weak split that has a strong one below it.

    Raises a ValueError for an alpha that is no probability.

    >>> chi_squared(0.01)
    chi_squared(0.01)
    """

    alpha: float = field(default=0.05, validator=a_probability)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Branches above leaves, children first.

        The score as a leaf is Pearson's statistic, what a leaf leaves unexplained (as a subtree: nothing, 0); the threshold is
        the statistic whose p-value is alpha.
        """
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        survey = surveyed(tree)
        tested = _tested(survey, self.alpha)

        def verdict(place: Place, _: float, __: float, nodes: list[Node]) -> Verdict:
            _, limit, weak = tested[place.number]
            return (limit, weak) if all_leaves(nodes) else None

        def rate(place: Place) -> float:
            return tested[place.number][0]

        return bottom_up(tree, rate, verdict, merge=lambda _, __: 0.0, note=note, survey=survey)


def _tested(survey: Survey, alpha: float) -> list[tuple[float, float, bool]]:
    """For each node: the statistic of its split, its critical value, whether the p-value exceeds alpha; a leaf has no split."""
    from scipy.special import chdtri  # noqa: PLC0415  # loaded where a test is asked for, not by `import ftree`

    counts = np.array([node.counts for node in survey.nodes], dtype=np.float64)
    # A leaf is taken for its own only child, which leaves no degree of freedom.
    picked = np.fromiter(concat(kids or (number,) for number, kids in enumerate(survey.below)), dtype=np.intp)
    n_children = np.array([len(kids) or 1 for kids in survey.below])
    level = Frontier(0, counts, None, child_counts=counts[picked], n_children=n_children)
    dof = level.dof
    critical = np.where(dof > 0, chdtri(np.maximum(dof, 1), alpha), 0.0)
    return list(zip(level.chi2.tolist(), critical.tolist(), (level.p_value > alpha).tolist(), strict=True))
