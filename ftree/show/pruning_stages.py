"""A pruning path as its stages: which branches of a tree each stage cuts, and why."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from ftree._lib.messages import type_of
from ftree.show.outline import OutlineNode
from ftree.tree.edit import replace_at
from ftree.tree.fold import leaves as leaves_of
from ftree.tree.formats import format_number
from ftree.tree.measure import n_leaves
from ftree.tree.nodes import Branch, Leaf, Node, Tree

# A node's number in the outline; the node that stands there before a stage, and the node after it.
_Pair: TypeAlias = tuple[int, Node, Node]


@frozen
class Stage:
    """A tree of a pruning path: the alpha from which on it is best, its leaves, and its measured errors.

    `error` is its error rate over `cases`, or the mean cost of a case if errors have costs.
    """

    leaves: int
    alpha: float | None = None
    error: float | None = None
    cases: float | None = None
    has_costs: bool = False


@frozen
class Cut:
    """A branch that becomes a leaf at a stage, with the reason."""

    stage: int
    reason: str


def stages_of(tree: Tree, path: Iterable[Any], shown: Sequence[OutlineNode]) -> tuple[list[Stage], dict[int, Cut]]:
    """The stages of a path, the first one the tree itself; and the cuts by the numbers of the nodes in the outline.

    The elements of a path are trees, or have a tree as `tree`, and may have `alpha`, `error`, `cases` and `deviation`, as those
    of `prune.cost_complexity_path` and `prune.measured`. Or they are decisions of a pass.

    Raises a TypeError for elements without a tree, a ValueError if one is not a pruning of the one before, an IndexError for
    decisions about another tree.
    """
    stages, before = [Stage(n_leaves(tree))], tree.root
    cuts: dict[int, Cut] = {}
    for step, after in _steps(tree, path):
        if after == tree.root:  # the first tree of the path may be the given one; its measured errors are used
            stages.clear()
        cuts |= {number: Cut(len(stages), _reason(step, cut)) for number, cut in _cut_between(before, after, shown)}
        stages.append(_stage(step, after))
        before = after
    return stages, cuts


def _steps(tree: Tree, path: Any) -> Iterator[tuple[Any, Node]]:
    """The elements of a path, each with the root of its tree; decisions that change nothing are omitted."""
    current = tree
    for step in path if isinstance(path, Iterable) else (path,):
        if hasattr(step, "becomes"):  # a decision, which has the new node and its path
            if step.becomes is not None:
                current = replace_at(current, step.path, step.becomes)
                yield step, current.root
            continue
        own = step if isinstance(step, Tree) else getattr(step, "tree", None)
        if not isinstance(own, Tree):
            message = f"path must be trees, or steps such as those of prune.cost_complexity_path, got {type_of(step)}."
            raise TypeError(message)
        yield step, own.root


def _stage(step: Any, root: Node) -> Stage:
    alpha, error, cases, leaves = (getattr(step, name, None) for name in ("alpha", "error", "cases", "leaves"))
    return Stage(leaves or n_leaves(root), alpha, error, cases, getattr(step, "deviation", None) is not None)


def _cut_between(before: Node, after: Node, shown: Sequence[OutlineNode]) -> Iterator[tuple[int, Branch]]:
    """The branches that are leaves from now on, with their numbers. Parts that the two trees share are skipped."""
    stack: list[_Pair] = [(0, before, after)]
    while stack:
        number, old, new = stack.pop()
        if old is new or (isinstance(old, Leaf) and isinstance(new, Leaf)):
            continue
        if isinstance(old, Branch) and isinstance(new, Leaf):
            yield number, old
        elif isinstance(old, Branch) and isinstance(new, Branch) and old.split == new.split:
            stack += zip(shown[number].below, old.children, new.children, strict=False)  # empty if the children are hidden
        else:
            message = "path must be trees each of which is a pruning of the one before, got one that is not."
            raise ValueError(message)


def _reason(step: Any, cut: Branch) -> str:
    """Where and why a branch is cut, and the errors that this costs in the tree's own cases."""
    ends = list(leaves_of(cut))
    as_leaf, below, total = (format_number(n, decimals=2) for n in (_errors(cut), sum(map(_errors, ends)), sum(cut.counts)))
    return f"{_cause(step)}: {as_leaf} errors in {total} cases as a leaf, {below} with {len(ends)} leaves."


def _cause(step: Any) -> str:
    alpha, as_leaf, threshold = (getattr(step, name, None) for name in ("alpha", "as_leaf", "threshold"))
    if alpha is not None:
        return f"Cut at alpha {format_number(alpha, decimals=4)}"
    if as_leaf is None or threshold is None:
        return "Cut"
    score, limit = (format_number(value, decimals=4) for value in (as_leaf, threshold))
    return f"Cut, since its score as a leaf, {score}, is at most {limit}"


def _errors(node: Node) -> float:
    """Cases of a node that do not have its most frequent class."""
    return sum(node.counts) - max(node.counts)
