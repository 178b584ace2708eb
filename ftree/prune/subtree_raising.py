"""Subtree raising: replace a branch by its largest child, which gets all its cases, where that lowers the expected errors.

The tree is kept in lists. Raising renumbers no node: the parent takes over the split and the children of its child.
"""

from collections.abc import Callable
from functools import cache
from math import log
from typing import NamedTuple, cast

import numpy as np
from attrs import define, evolve, field

from ftree import native
from ftree._lib.arrays import Array
from ftree._lib.objects import fold_over, gc_paused
from ftree.criteria.error_limits import expected_errors
from ftree.data.dataset import Dataset
from ftree.native import filled
from ftree.prune.decisions import Decision, Done, Pruned, at_most
from ftree.prune.passes import LevelOrder, path_to, with_root
from ftree.routing.counting import counts_and_gaps
from ftree.routing.flat import Flat, flat
from ftree.routing.one_split import Descent, WeightedRows, concatenate
from ftree.tree.edit import new_branches, new_leaves, renew, set_children, with_children, with_counts
from ftree.tree.fold import leaves
from ftree.tree.nodes import Branch, Leaf, Node
from ftree.tree.response import Counts, all_whole_numbers
from ftree.tree.splits.split import Split

# A simpler tree is preferred if it adds at most this many expected errors.
SLACK = 0.1
# A child with at least this share of the largest child's cases counts as large as it, since fractions are rounded.
AS_LARGE = 1 - 1e-9


def raised(order: LevelOrder, data: Dataset, confidence: float, z: float) -> Pruned:
    """Prune with subtree raising: the tree by the native library if it can, the decisions in Python."""

    def decisions() -> list[Decision]:
        made: list[Decision] = []
        plain_raised(order, data, confidence, z, made.append)
        return made

    find = native_raised if native.is_here() and flat(order.tree).compiled else plain_raised
    return Pruned(with_root(order.tree, find(order, data, confidence, z)), decisions)


class RaisedChild(NamedTuple):
    """A child with all cases of its parent: its expected errors, and the cases that each node below it gets, parents first.

    `only_added` is True if `cases` are only those that come from its siblings, since none of its own misses a value; False if
    they are all. `incomplete` are the nodes at which some of `cases` miss the split's value.
    """

    errors: float
    cases: list[tuple[int, WeightedRows]]
    incomplete: set[int]
    only_added: bool


@define(eq=False)
class Raising:
    """A tree while it is pruned, in lists by the numbers of `level_order`; `nodes` have the splits, other lists the rest.

    What holds between two calls of `_judge`:

    - `counts`, `below` and `parents` are those of the current tree. Nodes that a raise has dropped keep old entries, unread.
    - `errors` are the expected errors of a judged node's pruned subtree; leaves are judged from the start. A raise that adds
      cases to a branch puts it on the list to be judged again, children first, before anything reads its `errors` or `known`.
    - `incomplete` are the branches at which some cases miss the split's value. Such a case is divided in proportion to the known
      cases at the node, including those that a raise adds.
    - `known` tells of a judged node whether neither it nor a node below it is incomplete. Then its own cases go where they went
      when a raise adds others: only its siblings' cases must be sent down, which is `RaisedChild.only_added`.
    - `cases` has the root's, and those of some nodes on the path to the node to judge and of their siblings, as the current tree
      divides them; those of all would take memory for depth times rows. Those of a judged branch's children go.
    """

    nodes: list[Node]
    below: list[range]
    parents: list[int]
    counts: list[Counts]
    incomplete: set[int]
    errors_of: Callable[[Counts], float]
    descent: Descent
    # It is called with each decision; None if nobody asks.
    record: Callable[[Decision], object] | None
    errors: list[float] = field(init=False)
    known: list[bool] = field(init=False)
    cases: dict[int, WeightedRows] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Fill the lists that are derived from the others; leaves count as judged."""
        self.errors = list(map(self.errors_of, self.counts))
        self.known = [True] * len(self.nodes)
        self.cases = {0: self.descent.all_rows}

    def pruned(self) -> Node:
        """The root of the pruned tree: every branch is judged, children first, and again when a raise has added cases to it."""
        to_judge = self._branches()
        while to_judge:
            to_judge += self._judge(to_judge.pop())
        return self._node(0)

    def _branches(self) -> list[int]:
        """All branches; in reverse, children come first, left to right."""
        branches, stack = [], [0]
        while stack:
            number = stack.pop()
            if self.below[number]:
                branches.append(number)
                stack += self.below[number]
        return branches

    def _judge(self, number: int) -> list[int]:
        """Judge a branch, and return the nodes to judge next, the last first: a raised branch and the branches that got cases."""
        kids = self.below[number]
        child = self._largest(kids)
        raised = self._raised_child(number, child) if self.below[child] else None
        counts = self.counts[number]
        as_leaf, as_subtree = self.errors_of(counts), sum(self.errors[kids.start : kids.stop])
        # A raised leaf gets all the cases, so it equals the branch as a leaf.
        as_raised = raised.errors if raised else as_leaf
        done = _simplest(as_leaf, as_subtree, as_raised)
        again = self._raise(number, child, raised) if raised and done == "raised" else []
        if done == "cut":
            self.below[number], self.errors[number], self.known[number] = range(0), as_leaf, True
        elif done == "kept":
            self.errors[number] = as_subtree
            self.known[number] = number not in self.incomplete and all(self.known[kids.start : kids.stop])
        for kid in kids:
            self.cases.pop(kid, None)
        if self.record:
            path, threshold = path_to(number, self.parents, self.below), min(as_subtree, as_raised) + SLACK
            decision = Decision(path, counts, as_leaf, as_subtree, threshold, done)
            becomes = None if done == "kept" else self._node(number)
            self.record(evolve(decision, as_raised=as_raised, child=child - kids.start if again else None, becomes=becomes))
        return again

    def _largest(self, kids: range) -> int:
        """The child with the most cases; the last of equal ones, as in C4.5 (release 8) and J48."""
        sizes = list(map(sum, self.counts[kids.start : kids.stop]))
        enough = max(sizes) * AS_LARGE
        return max([kid for kid, size in zip(kids, sizes, strict=True) if size >= enough])

    def _raised_child(self, number: int, child: int) -> RaisedChild:
        """The child with all cases of its parent."""
        only_added, errors = self.known[child], 0.0
        cases: list[tuple[int, WeightedRows]] = []
        incomplete: set[int] = set()
        others = [kid for kid in self.below[number] if kid != child]
        stack = [(child, concatenate(list(map(self._cases, others))) if only_added else self._cases(number))]
        while stack:
            here, group = stack.pop()
            if only_added and not len(group[0]):
                continue
            cases.append((here, group))
            kids = self.below[here]
            if kids:
                there = self.counts[kids.start : kids.stop] if only_added else ()
                groups, known = self.descent.divide(self._split(here), group, there)
                stack.extend(zip(kids, groups, strict=True))
                if not known:
                    incomplete.add(here)
            else:
                errors += self.errors_of(self._counted(here, group, only_added=only_added)) - self.errors[here]
        return RaisedChild(self.errors[child] + errors, cases, incomplete, only_added)

    def _raise(self, number: int, child: int, raised: RaisedChild) -> list[int]:
        """Put a child in its parent's place, and return the nodes to judge again: this one and those that got cases."""
        changed: set[int] = set()
        for here, group in reversed(raised.cases):
            counts = self._counted(here, group, only_added=raised.only_added)
            if counts != self.counts[here] or not changed.isdisjoint(self.below[here]):
                changed.add(here)
                self.counts[here], self.errors[here] = counts, self.errors_of(counts)
        self.nodes[number], self.below[number], self.counts[number] = self.nodes[child], self.below[child], self.counts[child]
        for kid in self.below[number]:
            self.parents[kid] = number
        self.incomplete -= {number, *changed}
        self.incomplete |= raised.incomplete & changed
        if child in raised.incomplete:
            self.incomplete.add(number)
        return [number, *[here for here, _ in raised.cases[1:] if here in changed and self.below[here]]]

    def _counted(self, number: int, cases: WeightedRows, *, only_added: bool) -> Counts:
        """The counts of a node with these cases; with `only_added`, in addition to its own."""
        there = self.counts[number]
        return self.descent.count(cases, there if only_added else (0,) * len(there))

    def _cases(self, number: int) -> WeightedRows:
        """The cases of a node, divided on the path to it from the nearest ancestor whose cases are stored."""
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
        """The node in its current state; unchanged subtrees are shared."""
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


def _simplest(as_leaf: float, as_subtree: float, as_raised: float) -> Done:
    """Prefer the leaf, then the raised child, then the subtree: the first whose errors exceed no other's by more than `SLACK`."""
    if at_most(as_leaf, as_subtree + SLACK) and at_most(as_leaf, as_raised + SLACK):
        return "cut"
    return "raised" if at_most(as_raised, as_subtree + SLACK) else "kept"


def plain_raised(
    order: LevelOrder, data: Dataset, confidence: float, z: float, record: Callable[[Decision], object] | None = None
) -> Node:
    """The root of a tree after pruning with subtree raising, in Python; `record` is called with each decision.

    A tree whose counts are not those of the data is recounted first.
    """
    errors_of = cache(lambda counts: expected_errors(counts, confidence, z))
    nodes, counts = order.nodes, order.counts
    now, incomplete = counts_and_gaps(nodes[0], data, as_known=True)
    if not np.allclose(now, np.array(counts, np.float64), rtol=1e-9):
        root, counts = nodes[0], all_whole_numbers(now)
        nodes = with_counts(nodes, order.below, counts)
        if record:
            were, are = (sum(errors_of(leaf.counts) for leaf in leaves(one)) for one in (root, nodes[0]))
            record(Decision((), root.counts, were, are, done="recounted", becomes=nodes[0]))
    lists = list(nodes), list(order.below), list(order.parents), counts
    return Raising(*lists, incomplete, errors_of, Descent.of(data), record).pruned()


@gc_paused()
def native_raised(order: LevelOrder, data: Dataset, confidence: float, z: float) -> Node:
    """`plain_raised` by the native library; the tree must be compiled."""
    tree, descent = flat(order.tree), Descent.of(data)
    room, root = len(data) + 1, None
    while root is None:  # the room for rows that are divided is not known beforehand
        room *= 2
        root = _raised_in_room(tree, order, descent, room, (-log(confidence), z))
    return root


def _raised_in_room(tree: Flat, order: LevelOrder, descent: Descent, room: int, estimate: tuple[float, float]) -> Node | None:
    """`native_raised` with memory for `room` parts of rows; None if that is not enough."""
    data, (row, size), (m, k) = descent.data, descent.all_rows, tree.counts.shape
    times = np.ones(len(data)) if descent.times is None else descent.times.astype(np.float64)
    parts, counts = np.empty(room, native.PART), np.zeros((m, k))
    parts["row"][: len(row)], parts["size"][: len(row)] = row, size
    parent = np.append(-1, np.repeat(np.arange(m), tree.arity))
    state = filled(native.RAISED, first=tree.first_child, arity=tree.arity, parent=parent, source=np.arange(m))
    state["end"][0] = len(row)
    rows = tree.questions.cells(data.columns, len(data)), *tree.walk_arrays, data.target_column.astype(np.int64), times
    given = *rows, descent.unit, parts, state, counts, np.empty(m, np.int64)
    if native.call("count_parts", *given) < 0:
        return None
    recounted = None if np.allclose(counts, tree.counts, rtol=1e-9) else counts.copy()
    if recounted is None:
        counts[:] = tree.counts
    notes = np.empty((m, k)), np.empty(k), np.empty(m, np.int64), np.empty(m, np.int64)
    if native.call("raise_subtrees", *given, *notes, *estimate) < 0:
        return None
    return _root(order, recounted, state, counts)


def _root(order: LevelOrder, recounted: Array | None, state: Array, pruned: Array) -> Node:
    """The root of the pruned tree: nodes that changed, or have changed nodes below, are rebuilt; all others are shared.

    `recounted` are class counts (m, K) of the cases if they differ from the tree's, `pruned` those after pruning.
    """
    nodes = order.nodes if recounted is None else with_counts(order.nodes, order.below, all_whole_numbers(recounted))
    first, arity, source, touched = (state[name].tolist() for name in ("first", "arity", "source", "touched"))
    stack, listed = [0], list[int]()
    while stack:
        here = stack.pop()
        if touched[here]:
            listed.append(here)
            stack += range(first[here], first[here] + arity[here])
    counts = dict(zip(listed, all_whole_numbers(pruned[listed]), strict=True)) if listed else {}
    made, inner = list(nodes), list[int]()
    changed = {here: range(first[here], first[here] + arity[here]) for here in listed}
    for here, kids in changed.items():
        made[here] = nodes[source[here]]
        # A raised child that got no cases is complete.
        if kids and (counts[here] != made[here].counts or any(map(touched.__getitem__, kids))):
            inner.append(here)
    renew(made, [here for here in listed if not arity[here]], inner, changed, counts)
    return made[0]
