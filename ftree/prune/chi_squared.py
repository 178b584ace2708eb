"""Chi-squared pruning: cut splits that may well be due to chance.

Source: Quinlan 1986, section 5, there for stopping; `ftree.stop.chi_squared` is that rule, and this the pass.
"""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._fields import reads_like_its_constructor
from ftree.frontier import Frontier
from ftree.impurity import entropy
from ftree.prune.judge import Decision, Note, Place, Verdict, all_leaves, bottom_up, trail, unheard
from ftree.tree import Branch, Node, Tree, preorder


def _probability(_: Any, __: Any, alpha: float) -> None:
    if not 0 <= alpha <= 1:
        message = f"alpha is a probability between 0 and 1; it came as {alpha!r}."
        raise ValueError(message)


@reads_like_its_constructor
@frozen(repr=False)
class chi_squared:
    """Cut, children first, branches above leaves whose split and class may well be independent: p-value above alpha.

    Degrees of freedom are (branches - 1)(classes - 1), not counting branches and classes without cases. Unlike the
    stopping rule, the pass keeps a weak split that has a strong one below it.

    Raises a ValueError for an alpha that is no probability.

    >>> chi_squared(0.01)
    chi_squared(0.01)
    """

    alpha: float = field(default=0.05, validator=_probability)

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
        statistics = _tested(tree, self.alpha)
        nothing = (0.0, 0.0, False)

        def verdict(place: Place, _: float, __: float, nodes: tuple[Node, ...]) -> Verdict:
            _, limit, weak = statistics[id(place.node)]
            return (limit, weak) if all_leaves(nodes) else None

        def rate(place: Place) -> float:
            return statistics.get(id(place.node), nothing)[0]

        return bottom_up(tree, rate, verdict, merge=lambda _, __: 0.0, note=note)


def _tested(tree: Tree, alpha: float) -> dict[int, tuple[float, float, bool]]:
    """For each branch, by identity: the statistic of its split, its critical value, whether the p-value exceeds alpha."""
    from scipy.special import chdtri  # noqa: PLC0415  # loaded where a test is asked for, not by `import ftree`

    branches = [node for node in preorder(tree) if isinstance(node, Branch)]
    if not branches:
        return {}
    child_counts = [np.array([child.counts for child in branch.children], dtype=np.float64) for branch in branches]
    level = Frontier(
        0,
        np.array([branch.counts for branch in branches]),
        None,
        child_counts=np.concatenate(child_counts),
        n_children=np.array([len(branch.children) for branch in branches]),
    )
    dof, p_value = level.dof, level.p_value
    critical = np.where(dof > 0, chdtri(np.maximum(dof, 1), alpha), 0.0)
    found = zip(level.chi2.tolist(), critical.tolist(), (p_value > alpha).tolist(), strict=True)
    return dict(zip(map(id, branches), found, strict=True))
