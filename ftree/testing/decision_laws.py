"""Laws of the decisions that a pass reports: they list its changes in order, with the scores that decided."""

from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf
from typing import TypeAlias, get_args

from ftree.prune import Decision, Pass, compose, decisions_of, explain
from ftree.prune.decisions import Done, after
from ftree.testing.laws import equal, law, near
from ftree.tree.edit import subtree_at
from ftree.tree.fold import leaves
from ftree.tree.measure import n_nodes
from ftree.tree.nodes import Branch, Counts, Leaf, Tree

# The score of a leaf, from its class counts and the tree that is pruned.
Estimate: TypeAlias = Callable[[Counts, Tree], float]


def check_decisions(pass_: Pass, tree: Tree, pruned: Tree, estimate: Estimate | None, exempt: Collection[str]) -> None:
    """Apply the decisions of a pass one by one, each checked on the tree before it; they lead to the pass's result."""
    made = decisions_of(pass_, tree)
    now = tree
    for one in made:
        _check_place(one, now)
        _check_scores(one)
        if estimate is not None:
            _check_figures(one, now, estimate, tree)
        now = after(now, one)
    law("replaying the decisions gives the result", now == pruned, got=now.root, wanted=pruned.root, tree=tree.root)
    if "order" not in exempt and not isinstance(pass_, compose):  # each pass of a composition has its own order
        _check_order(made)
    _check_explained(pass_, tree, made)


def check_against(made: Sequence[Decision], wanted: Iterable[Decision]) -> None:
    """The decisions of a pass are those of an oracle, in the same order, with the same scores."""
    expected = tuple(wanted)
    done = [(one.path, one.done) for one in made]
    equal("a pass decides what the oracle decides", done, [(one.path, one.done) for one in expected])
    for one, other in zip(made, expected, strict=True):
        for name in ("counts", "as_leaf", "as_subtree", "threshold"):
            mine, its = getattr(one, name), getattr(other, name)
            law(f"{name} is that of the oracle", mine == its or near(mine, its), got=mine, wanted=its, decision=one)


def _check_place(one: Decision, now: Tree) -> None:
    """A decision has the counts of its branch, and a cut leaves a leaf with these counts."""
    node = subtree_at(now, one.path).root
    law("a decision is about a branch", isinstance(node, Branch) or one.done == "recounted", got=node, decision=one)
    equal("a decision has the counts of its branch", one.counts, node.counts, decision=one)
    law("only a kept node has no replacement", (one.becomes is None) == (one.done == "kept"), got=one.becomes, decision=one)
    law("a cut leaves a leaf with the branch's counts", not one.cut or one.becomes == Leaf(node.counts), got=one.becomes, of=one)


def _check_scores(one: Decision) -> None:
    """A branch is cut if and only if its score as a leaf is at most the threshold; a tie permits either."""
    if one.as_leaf is None or one.threshold is None or one.tie:
        return
    law("no branch is cut against its scores", not one.cut or one.as_leaf < one.threshold, decision=one)
    law("no branch is kept against its scores", one.done != "kept" or one.as_leaf > one.threshold, decision=one)


def _check_figures(one: Decision, now: Tree, estimate: Estimate, tree: Tree) -> None:
    """The scores are the estimate for the branch as a leaf, and the sum of the estimates for its leaves."""
    branch = subtree_at(now, one.path)
    equal("the score as a leaf is the estimate for its counts", one.as_leaf, estimate(one.counts, tree), decision=one)
    below = sum(estimate(leaf.counts, tree) for leaf in leaves(branch))
    equal("the score as a subtree is the sum of its leaves' estimates", one.as_subtree, below, decision=one, branch=branch.root)


def _check_order(made: Sequence[Decision]) -> None:
    """Each branch is judged once: all children first, or all parents first; from left to right."""
    paths = [one.path for one in made if one.done != "recounted"]
    up, down = sorted(paths, key=lambda path: (*path, inf)), sorted(paths)
    law("decisions come children first or parents first", paths in (up, down), got=paths, wanted=f"{up} or {down}")
    law("each branch is judged once", len(set(paths)) == len(paths), got=paths)


def _check_explained(pass_: Pass, tree: Tree, made: Sequence[Decision]) -> None:
    """The table of `explain` has a line for each decision, and the text a line for each node; both name the decision."""
    rows = explain(pass_, tree, form="table").splitlines()[1:]
    done = [row.split()[-1] for row in rows[: len(made)]]
    equal("the table of explain has every decision", done, [one.done for one in made])
    notes = len(rows) - len(made)  # a last line, where a pass gives no scores
    law("only a pass without scores has a note", bool(notes) == any(one.as_leaf is None for one in made), got=rows)
    beside = explain(pass_, tree).splitlines()[1:]
    beside = beside[: len(beside) - notes]
    again = len(made) - len({one.path for one in made})
    raised = any(one.done == "raised" for one in made)  # raised nodes are judged again under other paths
    law(
        "the text of explain has a line for each node", raised or len(beside) == n_nodes(tree) + again, got=beside, tree=tree.root
    )
    said = sorted(last for last in (line.split()[-1] for line in beside if line) if last in get_args(Done))
    equal("the text of explain names the decisions", said, sorted(one.done for one in made))
