"""Subtree raising: a branch gives its place to its largest child, which gets all its cases, where fewer errors are expected.

The tree stands in lists, where a raise renumbers nothing: a node takes over the split and the children of its child.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

from attrs import define, evolve, field

from ftree._lib.recursion import fold_over
from ftree.prune.base import Decision, Done, Note, at_most, path_to, unheard
from ftree.routing.incremental import Descent, concatenate
from ftree.routing.route import WeightedRows
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Counts, Leaf, Node, with_children
from ftree.tree.splits import Split

# How much worse, in cases, a simpler tree may seem and still be taken.
SLACK = 0.1
# A child with at least this share of the largest one's cases is as large: fractions of cases are rounded.
AS_LARGE = 1 - 1e-9


class Brought(NamedTuple):
    """What becomes of a child with all cases of its parent: the errors to expect, and what comes where, parents first.

    That is `more` than there is already where the child's splits know all their cases, and else it is everything. `lost` are
    the nodes whose split does not know all of it.
    """

    errors: float
    came: list[tuple[int, WeightedRows]]
    lost: set[int]
    more: bool


@define(eq=False)
class Raising:
    """A tree while it is judged, in lists by the numbers of `level_order`; `nodes` have the splits, the others what holds now.

    `lost` are the nodes whose split does not know all cases. A case without an answer is divided as the answers of the
    cases that are there, also of those that a raise brings. Where all its own cases have answers, a child in its parent's
    place needs only its siblings' cases sent down it.
    """

    nodes: list[Node]
    below: list[range]
    counts: list[Counts]
    lost: set[int]
    errors_of: Callable[[Counts], float]
    descent: Descent
    note: Note
    parents: list[int] = field(init=False)
    # Of what is judged: the errors to expect, and whether the splits from there down know all cases.
    errors: list[float] = field(init=False)
    known: list[bool] = field(init=False)
    # Cases on the way to what is judged; those of all nodes would take depth times rows.
    cases: dict[int, WeightedRows] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Leaves are judged already."""
        self.parents = [-1]
        for number, kids in enumerate(self.below):
            self.parents += [number] * len(kids)
        self.errors = list(map(self.errors_of, self.counts))
        self.known = [True] * len(self.nodes)
        self.cases = {0: self.descent.all_rows}

    def judged(self) -> Node:
        """The pruned tree: every branch is judged, children first, and again when a raise has brought it cases."""
        todo = self._branches()
        while todo:
            todo += self._judge(todo.pop())
        return self._node(0)

    def _branches(self) -> list[int]:
        """All branches; backwards it is children first, left to right."""
        branches, stack = [], [0]
        while stack:
            number = stack.pop()
            if self.below[number]:
                branches.append(number)
                stack += self.below[number]
        return branches

    def _judge(self, number: int) -> list[int]:
        """Judge a branch; the answer is what is to be judged after it, the last first: itself and more when it is raised."""
        kids = self.below[number]
        child = self._largest(kids)
        brought = self._brought(number, child) if self.below[child] else None
        counts = self.counts[number]
        as_leaf, as_subtree = self.errors_of(counts), sum(self.errors[kids.start : kids.stop])
        # A leaf that is raised gets all the cases.
        as_raised = brought.errors if brought else as_leaf
        done = _verdict(as_leaf, as_subtree, as_raised)
        again = self._raise(number, child, brought) if brought and done == "raised" else []
        if done == "cut":
            self.below[number], self.errors[number], self.known[number] = range(0), as_leaf, True
        elif done == "kept":
            self.errors[number] = as_subtree
            self.known[number] = number not in self.lost and all(self.known[kids.start : kids.stop])
        for kid in kids:
            self.cases.pop(kid, None)
        if self.note is not unheard:
            told = Decision(
                path_to(number, self.parents, self.below), counts, as_leaf, as_subtree, min(as_subtree, as_raised) + SLACK, done
            )
            becomes = None if done == "kept" else self._node(number)
            self.note(evolve(told, as_raised=as_raised, child=child - kids.start if again else None, becomes=becomes))
        return again

    def _largest(self, kids: range) -> int:
        """The child with the most cases; the last of equals, as in C4.5 (release 8) and J48."""
        sizes = list(map(sum, self.counts[kids.start : kids.stop]))
        enough = max(sizes) * AS_LARGE
        return max([kid for kid, size in zip(kids, sizes, strict=True) if size >= enough])

    def _brought(self, number: int, child: int) -> Brought:
        """What becomes of a child that gets all cases of its parent."""
        more, errors = self.known[child], 0.0
        came: list[tuple[int, WeightedRows]] = []
        lost: set[int] = set()
        others = [kid for kid in self.below[number] if kid != child]
        stack = [(child, concatenate(list(map(self._cases, others))) if more else self._cases(number))]
        while stack:
            here, group = stack.pop()
            if more and not len(group[0]):
                continue
            came.append((here, group))
            kids = self.below[here]
            if kids:
                there = self.counts[kids.start : kids.stop] if more else ()
                groups, known = self.descent.divide(self._split(here), group, there)
                stack.extend(zip(kids, groups, strict=True))
                if not known:
                    lost.add(here)
            else:
                errors += self.errors_of(self._counted(here, group, more=more)) - self.errors[here]
        return Brought(self.errors[child] + errors, came, lost, more)

    def _raise(self, number: int, child: int, brought: Brought) -> list[int]:
        """Put a child in its parent's place; the answer is what is to be judged then: where cases came, and the place."""
        changed: set[int] = set()
        for here, group in reversed(brought.came):
            counts = self._counted(here, group, more=brought.more)
            if counts != self.counts[here] or not changed.isdisjoint(self.below[here]):
                changed.add(here)
                self.counts[here], self.errors[here] = counts, self.errors_of(counts)
        self.nodes[number], self.below[number], self.counts[number] = self.nodes[child], self.below[child], self.counts[child]
        for kid in self.below[number]:
            self.parents[kid] = number
        self.lost -= {number, *changed}
        self.lost |= brought.lost & changed
        if child in brought.lost:
            self.lost.add(number)
        return [number, *[here for here, _ in brought.came[1:] if here in changed and self.below[here]]]

    def _counted(self, number: int, cases: WeightedRows, *, more: bool) -> Counts:
        """The counts of a node that gets these cases, or more of them."""
        there = self.counts[number]
        return self.descent.count(cases, there if more else (0,) * len(there))

    def _cases(self, number: int) -> WeightedRows:
        """The cases of a node, divided on the way down to it from where they are known."""
        way = [number]
        while way[-1] not in self.cases:
            way.append(self.parents[way[-1]])
        for above in reversed(way[1:]):
            groups, _ = self.descent.divide(self._split(above), self.cases[above])
            self.cases.update(zip(self.below[above], groups, strict=True))
        return self.cases[number]

    def _split(self, number: int) -> Split:
        return cast("Branch", self.nodes[number]).split

    def _node(self, number: int) -> Node:
        """The node as it stands now; what has not changed is shared."""
        return fold_over(number, self.below.__getitem__, self._made)

    def _made(self, number: int, nodes: tuple[Node, ...]) -> Node:
        node, counts = self.nodes[number], self.counts[number]
        if not nodes:
            return node if isinstance(node, Leaf) and counts == node.counts else new_leaves([counts])[0]
        if counts == node.counts:
            return with_children(cast("Branch", node), nodes)
        branches = new_branches([counts], [self._split(number)])
        set_children(branches, [nodes])
        return branches[0]


def _verdict(as_leaf: float, as_subtree: float, as_raised: float) -> Done:
    """Leaf, largest child or subtree: the first of them that does."""
    if at_most(as_leaf, as_subtree + SLACK) and at_most(as_leaf, as_raised + SLACK):
        return "cut"
    return "raised" if at_most(as_raised, as_subtree + SLACK) else "kept"
