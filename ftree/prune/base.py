"""What the passes share: each branch is judged against the leaf it would become, and the judgement is kept."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import inf, isclose
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from ftree._lib.gc_pause import gc_paused
from ftree.tree.build import new_tree
from ftree.tree.edit import replace_at
from ftree.tree.nodes import Counts, Leaf, Node, Path, Tree, check_tree, level_order, majority, with_children

Done: TypeAlias = Literal["kept", "cut", "raised", "recounted"]


@frozen
class Decision:
    """What a pass thought of one branch and what it did: an entry of its trail, which `replay` can follow.

    `path` is where the branch was when it was judged, `counts` its counts. `as_leaf` and `as_subtree` are its scores in
    the pass's own unit, less being better; it is cut when the score as a leaf is at most the `threshold` (None where the
    pass compares no numbers). `done` is "kept", "cut", "raised" (its child number `child` took its place, with the score
    `as_raised`), or "recounted" (counts were replaced); `becomes` is the node that stands there since, None for "kept".
    """

    path: Path
    counts: Counts
    as_leaf: float
    as_subtree: float
    threshold: float | None = None
    done: Done = "kept"
    as_raised: float | None = field(default=None, kw_only=True)
    child: int | None = field(default=None, kw_only=True)
    becomes: Node | None = field(default=None, kw_only=True, repr=False)

    @property
    def cut(self) -> bool:
        """Whether the branch became a leaf."""
        return self.done == "cut"

    @property
    def tie(self) -> bool:
        """Whether the score as a leaf is just what it is compared with, but for rounding."""
        return same(self.as_leaf, self.as_subtree if self.threshold is None else self.threshold)


def path_to(number: int, parents: Sequence[int], below: Sequence[range]) -> Path:
    """The path of a node from the root, which is number 0.

    >>> path_to(2, [-1, 0, 0], [range(1, 3), range(0), range(0)])
    (1,)
    """
    steps = []
    while number:
        above = parents[number]
        steps.append(number - below[above].start)
        number = above
    return tuple(reversed(steps))


@frozen(eq=False)
class Survey:
    """All nodes, level by level; the number of each one's parent, -1 for the root's; the numbers of its children.

    Flat lists of things that are there anyway, since half a million small records would keep Python's collector busy.
    """

    nodes: list[Node]
    parents: list[int]
    below: list[range]

    def path(self, number: int) -> Path:
        """The path of a node."""
        return path_to(number, self.parents, self.below)

    def seen(self, number: int) -> Node:
        """The node, or the nearest above it that has cases, which names it."""
        while number and not any(self.nodes[number].counts):
            number = self.parents[number]
        return self.nodes[number]


@frozen(eq=False)
class Place:
    """A node being judged, its number in the survey, and the counts by which its errors are told: other data's, or its own."""

    node: Node
    number: int
    survey: Survey
    came: Counts


Note: TypeAlias = Callable[[Decision], Any]
# A pass's work: the tree to prune, and what to tell of each decision.
Run: TypeAlias = Callable[[Tree, Note], Tree]
Rate: TypeAlias = Callable[[Place], float]
Merge: TypeAlias = "Callable[[Place, list[float]], float]"
# What to compare the score as a leaf with, and whether to cut; None where the branch is not judged.
Verdict: TypeAlias = "tuple[float | None, bool] | None"
Verdicts: TypeAlias = "Callable[[Place, float, float, list[Node]], Verdict]"


@gc_paused()
def bottom_up(
    tree: Tree,
    rate: Rate,
    verdict: Verdicts,
    *,
    note: Note,
    merge: Merge = lambda _, below: sum(below),
    survey: Survey | None = None,
    came: Sequence[Counts] | None = None,
    forget: bool = False,
) -> Tree:
    """Judge every branch, children first: `rate` scores a place as a leaf, `merge` a branch from the scores below it.

    Untouched subtrees are shared, and the tree itself is returned when nothing is cut. With `forget`, what was cut below a
    branch leaves its score as a subtree as it was: the answer is then that of judging from the root down.
    """
    seen = surveyed(tree) if survey is None else survey
    made, scores = list(seen.nodes), [0.0] * len(seen.nodes)
    notes: list[Decision] = []
    for number in reversed(range(len(made))):
        node, kids = made[number], seen.below[number]
        place = Place(node, number, seen, node.counts if came is None else came[number])
        scores[number] = as_leaf = rate(place)
        if isinstance(node, Leaf):
            continue
        nodes = made[kids.start : kids.stop]
        scores[number] = as_subtree = merge(place, scores[kids.start : kids.stop])
        judged = verdict(place, as_leaf, as_subtree, nodes)
        threshold, cut = judged or (None, False)
        made[number] = Leaf(node.counts) if cut else with_children(node, nodes)
        if cut and not forget:
            scores[number] = as_leaf
        if judged is not None and note is not unheard:
            notes.append(decision(place, as_leaf, as_subtree, threshold, made[number] if cut else None))
    for one in sorted(notes, key=lambda one: (*one.path, inf)):  # children first, left to right
        note(one)
    return with_root(tree, made[0])


@gc_paused()
def surveyed(tree: Tree) -> Survey:
    """The nodes of a tree in a row."""
    check_tree(tree)
    nodes, below = level_order(tree.root)
    parents = [-1]
    for number, kids in enumerate(below):
        parents += [number] * len(kids)
    return Survey(nodes, parents, below)


def unheard(_: Decision) -> None:
    """Where decisions go that nobody asked for; finding out their paths is then spared."""


def trail(run: Run, tree: Tree) -> tuple[Decision, ...]:
    """What a pass notes while it works on a tree."""
    notes: list[Decision] = []
    run(tree, notes.append)
    return tuple(notes)


def top_down(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Of decisions made children first, those that judging from the root down would have made, in that order."""
    kept: list[Decision] = []
    cut: Path | None = None
    for made in sorted(decisions, key=lambda made: made.path):
        if cut is None or made.path[: len(cut)] != cut:
            kept.append(made)
            cut = made.path if made.cut else cut
    return tuple(kept)


def replay(decisions: Iterable[Decision], tree: Tree) -> Tree:
    """The tree after what was decided is done to it: for the input of a pass and its trail, the pass's answer.

    Raises an IndexError where the trail is about another tree.

    >>> from ftree import Leaf, Schema
    >>> replay((), Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    <Tree for 'ride': 1 nodes, 1 leaves>
    """
    return reduce(after, decisions, tree)


def after(tree: Tree, made: Decision) -> Tree:
    """The tree after one decision."""
    return tree if made.becomes is None else replace_at(tree, made.path, made.becomes)


def decision(place: Place, as_leaf: float, as_subtree: float, threshold: float | None, becomes: Node | None) -> Decision:
    """A decision about a place, cut where it becomes something."""
    done: Done = "kept" if becomes is None else "cut"
    return Decision(place.survey.path(place.number), place.node.counts, as_leaf, as_subtree, threshold, done, becomes=becomes)


def same(one: float, other: float) -> bool:
    """Whether two scores are equal but for rounding, so that no decision hangs on the last bit.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=1e-10, abs_tol=1e-12)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal but for rounding."""
    return one <= other or same(one, other)


def with_root(tree: Tree, root: Node) -> Tree:
    """The tree with another root of the same splits; the same tree when it has that one."""
    return tree if root is tree.root else new_tree(tree.schema, root)


def errors(place: Place) -> float:
    """Cases that the place would get wrong as a leaf."""
    if place.came is place.node.counts:
        return sum(place.came) - max(place.came)
    return sum(place.came) - place.came[majority(place.survey.seen(place.number).counts)]


def all_leaves(nodes: Iterable[Node]) -> bool:
    """Whether nothing is left to judge below."""
    return all(isinstance(node, Leaf) for node in nodes)


# What a subtree must save, in errors on the growing data, to be worth a look.
NO_BETTER = 1e-3


def saving_errors(tree: Tree, note: Note) -> Tree:
    """The tree without the branches that save no error on the growing data, cut from the root down: J48's first step."""

    def verdict(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
        return as_subtree + NO_BETTER, at_most(as_leaf, as_subtree + NO_BETTER)

    notes: list[Decision] = []
    collapsed = bottom_up(tree, errors, verdict, note=unheard if note is unheard else notes.append, forget=True)
    for made in top_down(notes):
        note(made)
    return collapsed
