"""The tree of a growth, made from arrays at its end or when it is first asked for: as nodes, all at once, or in flat form.

A node then costs a few steps in C, and the garbage collector does not visit unfinished nodes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, distinct, end_to_end, offsets, ranges
from ftree._lib.machine import has_room, require_memory
from ftree._lib.objects import gc_paused
from ftree.criteria.frontier import Frontier
from ftree.growth.split_arrays import MULTIWAY, NONE, SUBSET, THRESHOLD, Cuts, GrownTree, SurrogateArrays
from ftree.routing.flat import Flat, Questions, asked_of, flat_of, tables_of_codes
from ftree.tree.edit import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Leaf, Node
from ftree.tree.response import Counts, all_whole_numbers
from ftree.tree.response_protocol import Response
from ftree.tree.splits.split import ABOVE, CODE, LEAF, UNKNOWN, Split

# From this many nodes on, a run of the garbage collector would take a tenth of the time of growth.
_MANY_NODES = 10_000
# Equal leaves are found by a number with this many bits, divided among the classes.
_KEY = 16
# The nodes of a growth: its levels, or all at once.
GrownNodes: TypeAlias = "Sequence[Frontier] | GrownTree"


def root_of(grown: GrownNodes, response: Response | None = None) -> Node:
    """The root of a tree, with all nodes below it, made from the levels of its growth; `response` is that of a regression tree.

    >>> from ftree.tree import Threshold
    >>> from ftree.criteria import Nodes
    >>> root = Nodes(0, np.array([[1, 1]])).decided([Threshold(0, 0.5)], None, np.array([2]), None)
    >>> root_of([root, Nodes(1, np.array([[1, 0], [0, 1]])).decided([None, None], None, np.array([0, 0]), None)])
    Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """
    return grown_arrays(grown, response).root()


@frozen(eq=False)
class GrownArrays:
    """All nodes of a growth, the root first: counts, number of children, number of the first child, and splits."""

    counts: Array
    arity: Array
    first: Array
    splits: "Sequence[Split | None]"
    response: Response | None
    made: dict[str, Node] = field(factory=dict)

    def root(self) -> Node:
        """The root, with all nodes below it; threads that ask at the same time get the same one."""
        return self.made.get("root") or self.made.setdefault("root", self._root())

    @gc_paused()
    def _root(self) -> Node:
        (leaf,), (branch,), response = (self.arity == 0).nonzero(), self.arity.nonzero(), self.response
        listed_counts = all_whole_numbers if response is None else _counts_of_sums(response)
        branches = new_branches(listed_counts(self.counts[branch]), _present(self.splits))
        own = self.counts[leaf]
        leaves, which = distinct_leaves(own) if response is None else (new_leaves(listed_counts(own)), np.arange(len(leaf)))
        at = np.empty(len(self.arity), np.intp)
        at[leaf], at[branch] = which, len(leaves) + np.arange(len(branches))
        listed = np.fromiter(chain(leaves, branches), object, len(leaves) + len(branches))
        nodes = listed[at]
        _complete(branches, nodes, self.first[branch], self.arity[branch])
        return nodes[0]  # type: ignore[no-any-return]  # an array of nodes

    def flat(self) -> Flat | None:
        """The flat form of the tree; None if a split has no array form."""
        splits = self.splits if isinstance(self.splits, Cuts) else Cuts.of(self.splits)
        if splits.objects:
            return None
        order = _level_order(self.arity, self.first)
        questions, counts = _questions(splits.in_order(order)), self.counts[order]
        return flat_of(questions, self.arity[order], _as_floats(counts, self.response))


# `channels` is imported where there are sums: trees of classes do without it.


def _counts_of_sums(response: Response) -> Callable[[Array], list[Counts]]:
    from ftree.data.channels import counts_of  # noqa: PLC0415  # as above

    return partial(counts_of, response=response)


def _as_floats(counts: Array, response: Response | None) -> Floats:
    if response is None:
        return counts.astype(np.float64)
    from ftree.data.channels import float_counts_of  # noqa: PLC0415  # as above

    return float_counts_of(counts, response)


def grown_arrays(grown: GrownNodes, response: Response | None = None) -> GrownArrays:
    """The nodes of a growth. Raises a MemoryError if all counts, as objects too, would need more memory than is available."""
    if isinstance(grown, GrownTree):
        check_room(len(grown.counts), grown.counts.shape[1], copies=4)
        return GrownArrays(grown.counts, grown.splits.arity, grown.first, grown.splits, response)
    check_room(sum(len(level.counts) for level in grown), grown[0].counts.shape[1], copies=4)
    counts, arity = (end_to_end([getattr(level, name) for level in grown]) for name in ("counts", "n_children"))
    splits = list(chain.from_iterable(level.splits for level in grown))
    return GrownArrays(counts, arity, 1 + offsets(arity)[:-1], splits, response)


def at_values(grown: GrownNodes, values: "Sequence[Floats | None]") -> "GrownNodes | None":
    """Grown nodes with their thresholds moved to the given values of features; None if a split is not in arrays."""
    parts: Any = [grown] if isinstance(grown, GrownTree) else grown
    cuts = [part.splits if isinstance(part.splits, Cuts) else Cuts.of(part.splits) for part in parts]
    if not all(splits.are_bare_arrays for splits in cuts):
        return None
    moved = [evolve(part, splits=splits.at_values(values)) for part, splits in zip(parts, cuts, strict=True)]
    return moved[0] if isinstance(grown, GrownTree) else moved


def _present(splits: Sequence[Split | None]) -> Sequence[Split]:
    return splits.present() if isinstance(splits, Cuts) else [split for split in splits if split is not None]


def check_room(n_nodes: int, n_classes: int, *, copies: int) -> None:
    """Raise a MemoryError before `copies` arrays of node counts are made, if they need more memory than is available.

    >>> check_room(1000, 2, copies=4)
    """
    needed = 8.0 * copies * n_nodes * n_classes
    if not has_room(needed):
        remedy = "Stop earlier, as max_depth does, or use fewer classes: bin a numeric target, for instance by quartiles."
        require_memory(needed, f"{n_nodes:,} nodes with counts of {n_classes:,} classes", remedy)


def _complete(branches: Sequence[Branch], nodes: Array, first: Array, sizes: Array) -> None:
    """Give branches their children, which have consecutive positions."""
    if (sizes == 2).all():  # noqa: PLR2004  # pairs, several times faster
        set_children(branches, zip(nodes[first].tolist(), nodes[first + 1].tolist(), strict=True))
        return
    listed = tuple(nodes.tolist())  # slices of a tuple are tuples
    set_children(branches, map(listed.__getitem__, map(slice, first.tolist(), (first + sizes).tolist())))


def distinct_leaves(counts: Array) -> tuple[list[Leaf], Array]:
    """Leaves, and the number of the leaf for each row of counts; of many leaves, equal ones with few cases are one object.

    A large tree has mostly such leaves: a hundred thousand leaves with a few thousand different counts.

    >>> leaves, which = distinct_leaves(np.array([[2, 1], [2, 1]]))
    >>> leaves, which.tolist()
    ([Leaf(counts=(2, 1)), Leaf(counts=(2, 1))], [0, 1])
    >>> leaves, which = distinct_leaves(np.tile([[2, 1], [0, 500]], (5000, 1)))
    >>> leaves[:2], len(leaves), which[:3].tolist()
    ([Leaf(counts=(2, 1)), Leaf(counts=(0, 500))], 5001, [0, 1, 0])
    """
    n_classes = counts.shape[1]
    bits = _KEY // n_classes
    if len(counts) < _MANY_NODES or not bits:
        return new_leaves(all_whole_numbers(counts)), np.arange(len(counts))
    few, keys = np.ones(len(counts), bool), np.zeros(len(counts), np.intp)
    for column in counts.T:
        whole = column.astype(np.intp)
        few &= (whole == column) & (whole < 1 << bits)
        keys = (keys << bits) + whole
    alike, others = np.flatnonzero(few), np.flatnonzero(~few)
    rows, number = distinct(keys[alike])
    made = new_leaves(all_whole_numbers(counts[np.append(alike[rows], others)]))
    which = np.empty(len(counts), np.intp)
    which[alike], which[others] = number, np.arange(len(rows), len(made))
    return made, which


# The same tree in flat form: no node becomes an object


# The kind of question of each kind of split.
_KIND_OF_QUESTION = np.array([LEAF, ABOVE, CODE, CODE])


def _level_order(arity: Array, first: Array) -> Array:
    """The numbers of nodes in level order, given each one's number of children and first child."""
    levels, rows = [], np.zeros(1, np.intp)
    while len(rows):
        levels.append(rows)
        rows = rows[arity[rows] > 0]
        rows = ranges(first[rows], first[rows] + arity[rows])
    return np.concatenate(levels)


def _questions(cuts: Cuts) -> Questions:
    """The questions of all nodes, then those of surrogates."""
    n, kind, surrogates = len(cuts), cuts.kind, _NO_SURROGATES if cuts.surrogates is None else cuts.surrogates
    coded = (kind == MULTIWAY) | (kind == SUBSET)
    listed = _listed(cuts, np.flatnonzero(coded), kind[coded] == MULTIWAY)
    tables = map(np.append, (coded, *listed), (surrogates.coded, *_listed_by_surrogates(surrogates)))
    is_coded, sizes, codes, children, others = tables
    width = np.zeros(len(is_coded), np.int64)
    start, width, table = tables_of_codes(is_coded, width, sizes, codes, children, others)
    asked = asked_of(
        np.append(_KIND_OF_QUESTION[kind], np.where(surrogates.coded, CODE, ABOVE)),
        np.append(np.where(kind == NONE, 0, cuts.feature), surrogates.found["feature"]),
        np.append(np.where(kind == THRESHOLD, cuts.at, 0.0), np.where(surrogates.coded, 0.0, surrogates.found["at"])),
        start,
        width,
        reversed=np.append(np.zeros(n, np.bool_), surrogates.found["reversed"] != 0),
        surrogate=_next_surrogate(surrogates, n),
        default_child=_default_children(surrogates, n),
    )
    return Questions(cuts, asked, table, np.zeros(0), np.zeros(0, np.int64))


def _listed(cuts: Cuts, rows: Array, multiway: Array) -> tuple[Array, Array, Array, Array]:
    """For the splits in some rows: the number of listed codes, these codes, the child of each, and that of all other codes."""
    start, sizes = cuts.first[rows], np.diff(cuts.first)[rows]
    at = ranges(start, start + sizes)
    children = np.where(np.repeat(multiway, sizes), at - np.repeat(start, sizes), 0)
    return sizes, cuts.codes[at], children, np.where(multiway, UNKNOWN, 1)


def _listed_by_surrogates(surrogates: SurrogateArrays) -> tuple[Array, Array, Array, Array]:
    """As `_listed`, for the surrogates that test a code."""
    low, high = (surrogates.found[side][surrogates.coded] for side in ("low", "high"))
    row, code = np.nonzero((low | high)[:, None] >> _BITS & np.uint64(1))
    children = (high[row] >> code.astype(np.uint64) & np.uint64(1)).astype(np.int64)
    return np.bincount(row, minlength=len(low)), code, children, np.full(len(low), UNKNOWN)


def _next_surrogate(surrogates: SurrogateArrays, n: int) -> Array:
    """The number of the next surrogate, of n nodes and then of all surrogates; -1 for none."""
    following = np.append(np.full(n, UNKNOWN), n + 1 + np.arange(len(surrogates.found)))
    begin, end = surrogates.first[:-1], surrogates.first[1:]
    some = end > begin
    following[surrogates.node[some]] = n + begin[some]
    following[n + end[some] - 1] = UNKNOWN
    return following


def _default_children(surrogates: SurrogateArrays, n: int) -> Array:
    """The child of a row without any answer, of n nodes and then of all surrogates; -1 for none."""
    children = np.append(np.full(n, UNKNOWN), np.repeat(surrogates.default_child, np.diff(surrogates.first)))
    children[surrogates.node] = surrogates.default_child
    return children


_BITS = np.arange(64, dtype=np.uint64)
_NO_NODES, _NO_MARKS = np.zeros(0, np.int64), np.zeros(0, np.bool_)
_NO_SURROGATES = SurrogateArrays(_NO_NODES, _NO_NODES, np.zeros(1, np.int64), np.zeros(0, native.STAND_IN), _NO_MARKS)
