"""What the bottom-up passes share: children first, each branch is judged against the leaf it would become."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import evolve, frozen

from ftree._recursion import fold_over
from ftree.tree import Branch, Counts, Leaf, Node, Path, Tree, children, majority, with_children

# The way back up to the root, shared between siblings, so that noting where one is costs nothing at any depth.
Link: TypeAlias = "tuple[Link, int] | None"


@frozen
class Decision:
    """What a pass thought of one branch: where, its counts, its score as a leaf and as it stood, and what was done.

    Scores are the pass's own (errors, for reduced error), less being better.
    """

    path: Path
    counts: Counts
    as_leaf: float
    as_subtree: float
    cut: bool

    @property
    def tie(self) -> bool:
        """Whether both scores are equal."""
        return self.as_leaf == self.as_subtree


@frozen(eq=False)
class Place:
    """A node being judged, with the node at the same place of a mirror (the tree counted on other data) and its label."""

    node: Node
    mirror: Node
    label: int
    link: "Link" = None


Scored: TypeAlias = tuple[Node, float]
Score: TypeAlias = Callable[[Place], float]
Cuts: TypeAlias = Callable[[Place, float, float, "tuple[Node, ...]"], bool]


def bottom_up(tree: Tree, mirror: Tree, score: Score, cuts: Cuts, note: Callable[[Decision], Any] | None = None) -> Tree:
    """Judge every branch, children first; `score` rates a place as a leaf, `cuts` decides, `note` is told.

    Untouched subtrees are shared, and the tree itself is returned when nothing is cut.
    """

    def combine(place: Place, below: tuple[Scored, ...]) -> Scored:
        as_leaf = score(place)
        if not isinstance(place.node, Branch):
            return place.node, as_leaf
        nodes, as_subtree = tuple(node for node, _ in below), sum(rated for _, rated in below)
        cut = cuts(place, as_leaf, as_subtree, nodes)
        if note is not None:
            note(Decision(path_along(place.link), place.node.counts, as_leaf, as_subtree, cut))
        return (Leaf(place.node.counts), as_leaf) if cut else (with_children(place.node, nodes), as_subtree)

    root, _ = fold_over(start(tree, mirror), places_below, combine)
    return tree if root is tree.root else evolve(tree, root=root)


def start(tree: Tree, mirror: Tree) -> Place:
    """The place of the root."""
    return Place(tree.root, mirror.root, majority(tree.root.counts))


def places_below(place: Place) -> Iterator[Place]:
    """The places of a node's children; a node without cases takes the label of the nearest above that has some."""
    pairs = zip(children(place.node), children(place.mirror), strict=True)
    for number, (node, mirror) in enumerate(pairs):
        label = majority(node.counts) if any(node.counts) else place.label
        yield Place(node, mirror, label, (place.link, number))


def path_along(link: Link) -> Path:
    """The path that a link stands for."""
    numbers = []
    while link is not None:
        link, number = link
        numbers.append(number)
    return tuple(reversed(numbers))


def errors(place: Place) -> float:
    """Cases of the mirror that the place would get wrong as a leaf."""
    return sum(place.mirror.counts) - place.mirror.counts[place.label]
