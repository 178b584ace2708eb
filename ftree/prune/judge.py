"""What the passes share: each branch is judged against the leaf it would become, and the judgement is kept."""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from math import isclose
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

from ftree._recursion import fold_over
from ftree.edit import replace_at
from ftree.tree import Counts, Leaf, Link, Node, Path, Tree, children, majority, path_along, with_children

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


@frozen(eq=False)
class Place:
    """A node being judged, with the node at the same place of a mirror (the tree counted on other data) and its label."""

    node: Node
    mirror: Node
    label: int
    link: "Link" = None


Note: TypeAlias = Callable[[Decision], Any]
# A pass's work: the tree to prune, and what to tell of each decision.
Run: TypeAlias = Callable[[Tree, Note], Tree]
Rate: TypeAlias = Callable[[Place], float]
Merge: TypeAlias = "Callable[[Place, tuple[float, ...]], float]"
# What to compare the score as a leaf with, and whether to cut; None where the branch is not judged.
Verdict: TypeAlias = "tuple[float | None, bool] | None"
Verdicts: TypeAlias = "Callable[[Place, float, float, tuple[Node, ...]], Verdict]"


def bottom_up(
    tree: Tree,
    rate: Rate,
    verdict: Verdicts,
    *,
    note: Note,
    merge: Merge = lambda _, below: sum(below),
    mirror: Tree | None = None,
    forget: bool = False,
) -> Tree:
    """Judge every branch, children first: `rate` scores a place as a leaf, `merge` a branch from the scores below it.

    Untouched subtrees are shared, and the tree itself is returned when nothing is cut. With `forget`, what was cut below a
    branch leaves its score as a subtree as it was: the answer is then that of judging from the root down.
    """

    def combine(place: Place, below: tuple[tuple[Node, float], ...]) -> tuple[Node, float]:
        as_leaf = rate(place)
        if isinstance(place.node, Leaf):
            return place.node, as_leaf
        nodes = tuple([node for node, _ in below])
        as_subtree = merge(place, tuple([score for _, score in below]))
        judged = verdict(place, as_leaf, as_subtree, nodes)
        if judged is None:
            return with_children(place.node, nodes), as_subtree
        threshold, cut = judged
        node: Node = Leaf(place.node.counts) if cut else with_children(place.node, nodes)
        if note is not unheard:
            note(decision(place, as_leaf, as_subtree, threshold, node if cut else None))
        return node, as_leaf if cut and not forget else as_subtree

    root, _ = fold_over(start(tree, tree if mirror is None else mirror), places_below, combine)
    return with_root(tree, root)


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
    for made in reversed(tuple(decisions)):
        if cut is None or made.path[: len(cut)] != cut:
            kept.append(made)
            cut = made.path if made.cut else cut
    return tuple(sorted(kept, key=lambda made: made.path))


def replay(decisions: Iterable[Decision], tree: Tree) -> Tree:
    """The tree after what was decided is done to it: for the input of a pass and its trail, the pass's answer.

    Raises an IndexError where the trail is about another tree.

    >>> from ftree.tree import Leaf
    >>> from ftree.schema import Schema
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
    return Decision(path_along(place.link), place.node.counts, as_leaf, as_subtree, threshold, done, becomes=becomes)


def same(one: float, other: float) -> bool:
    """Whether two scores are equal but for rounding, so that no decision hangs on the last bit.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=1e-10, abs_tol=1e-12)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal but for rounding."""
    return one <= other or same(one, other)


def start(tree: Tree, mirror: Tree) -> Place:
    """The place of the root."""
    return Place(tree.root, mirror.root, majority(tree.root.counts))


def places_below(place: Place) -> Iterator[Place]:
    """The places of a node's children; a node without cases takes the label of the nearest above that has some."""
    pairs = zip(children(place.node), children(place.mirror), strict=True)
    for number, (node, mirror) in enumerate(pairs):
        label = majority(node.counts) if any(node.counts) else place.label
        yield Place(node, mirror, label, (place.link, number))


def numbered(tree: Tree, mirror: Tree) -> tuple[list[Place], list[int], list[range]]:
    """All places, level by level; the number of each one's parent (-1 for the root's); the numbers of its children."""
    places, parents, below = [start(tree, mirror)], [-1], []
    for number, place in enumerate(places):  # which grows while it is read
        kids = list(places_below(place))
        below.append(range(len(places), len(places) + len(kids)))
        places += kids
        parents += [number] * len(kids)
    return places, parents, below


def with_root(tree: Tree, root: Node) -> Tree:
    """The tree with another root; the same tree when it has that one."""
    return tree if root is tree.root else evolve(tree, root=root)


def errors(place: Place) -> float:
    """Cases of the mirror that the place would get wrong as a leaf."""
    return sum(place.mirror.counts) - place.mirror.counts[place.label]


def all_leaves(nodes: Iterable[Node]) -> bool:
    """Whether nothing is left to judge below."""
    return all(isinstance(node, Leaf) for node in nodes)
