"""A decision tree is a value: `Node = Leaf | Branch`, and a `Tree` is a node with its schema.

Every node carries class counts as if it were terminal, so that cutting a branch needs no data:
`Leaf(branch.counts)`. Nodes are frozen, hashable and comparable, and print, pickle and compare at any depth,
since none of that recurses on Python's stack. Shape after partykit's split, node and party (Hothorn & Zeileis 2015).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from numbers import Integral, Real
from operator import is_
from typing import Any, TypeAlias

from attrs import field, frozen

from ftree._lib.gc_pause import gc_paused
from ftree._lib.recursion import fold_over
from ftree._lib.ties import least_as_large
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, OfOneFeature, Split, Threshold, WithSurrogates, arity

Counts: TypeAlias = tuple[float, ...]
Path: TypeAlias = tuple[int, ...]
# The way back up to the root, shared between siblings, so that noting where one is costs nothing at any depth.
Link: TypeAlias = "tuple[Link, int] | None"


def _plain(counts: Any) -> Counts:
    """Counts as a tuple of Python numbers, from an array as well."""
    try:
        listed = tuple(map(_number, counts.tolist() if hasattr(counts, "tolist") else counts))
    except TypeError:
        listed = ()
    if not (listed and min(listed) >= 0 and sum(listed) < inf):  # so that NaN is refused as well
        message = f"A node's counts are numbers from 0, one for each class; {counts!r} came."
        raise ValueError(message)
    return listed


def _number(count: Any) -> float:
    if type(count) is int or type(count) is float:
        return count  # which nearly all are
    if not isinstance(count, Real):
        raise TypeError
    return int(count) if isinstance(count, Integral) else float(count)


def _nodes(children: Any) -> "tuple[Node, ...]":
    listed = tuple(children) if isinstance(children, Iterable) else (children,)
    for child in listed:
        if not isinstance(child, (Leaf, Branch)):
            message = f"A branch's children are a sequence of nodes, Leaf or Branch; a {type(child).__name__} came."
            raise TypeError(message)
    return listed


@frozen
class Leaf:
    """A node that answers: the class counts of the cases that ended here.

    >>> Leaf((3, 1))
    Leaf(counts=(3, 1))
    """

    counts: Counts = field(converter=_plain)


@frozen(eq=False, repr=False)
class Branch:
    """A node that asks: its counts as if it were a leaf, the split, and one child for each answer.

    Raises a ValueError when the split and the children disagree in number, a TypeError for what is no split or node.

    >>> Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """

    counts: Counts = field(converter=_plain)
    split: Split
    children: "tuple[Node, ...]" = field(converter=_nodes)

    def __attrs_post_init__(self) -> None:
        """Refuse a branch that could not route every answer of its split, or whose children count other classes."""
        if not isinstance(self.split, Split):
            kinds = "Multiway, Threshold, Subset, Groups, Intervals, Oblique or WithSurrogates"
            message = f"A branch's split is a {kinds}; {self.split!r} came."
            raise TypeError(message)
        if len(self.children) != arity(self.split):
            message = f"{self.split} has {arity(self.split)} children; {len(self.children)} came."
            raise ValueError(message)
        if any(len(child.counts) != len(self.counts) for child in self.children):
            came = [len(child.counts) for child in self.children]
            message = f"A branch and its children count the same classes; {len(self.counts)} here, {came} in the children."
            raise ValueError(message)

    def __eq__(self, other: object) -> bool:
        """Equal in counts, splits and children, at any depth; whole numbers equal their floats."""
        return _same(self, other) if isinstance(other, Branch) else NotImplemented

    def __hash__(self) -> int:
        """Agree with equality; costs one visit of each node."""
        root: Node = self
        return fold_over(root, children, lambda node, below: hash((node.counts, getattr(node, "split", None), below)))

    def __repr__(self) -> str:
        """Read as its constructor, in time linear in the text."""
        return "".join(_written(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as a flat list of nodes, children first."""
        return _rebuilt, (_flat(self),)


Node: TypeAlias = Leaf | Branch


@frozen(repr=False)
class Tree:
    """A node with the schema that gives its numbers their names; the public whole. `print` shows it as Weka does.

    Raises a ValueError when the node does not fit the schema: another number of classes, a feature or a code
    that the schema does not have, a threshold on a nominal feature or outside an ordinal one's values.
    """

    schema: Schema
    root: Node

    def __attrs_post_init__(self) -> None:
        """Check every split once, here at the door."""
        if not isinstance(self.schema, Schema) or not isinstance(self.root, Node):
            came = f"{type(self.schema).__name__} and {type(self.root).__name__}"
            message = f"A Tree is a Schema and a node (a Leaf or a Branch), in this order; {came} came."
            raise TypeError(message)
        if len(self.root.counts) != len(self.schema.classes):
            message = f"The schema has {len(self.schema.classes)} classes, the node counts {len(self.root.counts)}."
            raise ValueError(message)
        for node in preorder(self.root):
            if isinstance(node, Branch):
                _check_split(self.schema, node.split)

    def __str__(self) -> str:
        """Indented text in Weka's form; `ftree.text` has the options."""
        # The one import that points up: str() is a rendering, and Python looks for it on the class.
        from ftree.show.text import text  # noqa: PLC0415

        return text(self)

    def __repr__(self) -> str:
        """Its size, since the constructor's text would fill screens; `tree.root` prints in full."""
        sizes = [isinstance(node, Leaf) for node in preorder(self.root)]
        return f"<Tree for {self.schema.target!r}: {len(sizes)} nodes, {sum(sizes)} leaves>"


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below: none for a leaf.

    >>> children(Leaf((1, 2)))
    ()
    """
    return node.children if isinstance(node, Branch) else ()


def root_of(tree: Tree | Node) -> Node:
    """The node of a tree; a node is its own root.

    Raises a TypeError for anything else.
    """
    root = tree.root if isinstance(tree, Tree) else tree
    if not isinstance(root, Node):
        message = f"A Tree or a node (a Leaf or a Branch) is needed; a {type(tree).__name__} came."
        raise TypeError(message)
    return root


def check_tree(tree: Tree) -> None:
    """Refuse what is no Tree, a bare node above all, where names are needed."""
    if not isinstance(tree, Tree):
        message = f"A Tree is needed, which is a node with its schema: Tree(schema, node); a {type(tree).__name__} came."
        raise TypeError(message)


def preorder(tree: Tree | Node) -> Iterator[Node]:
    """Every node, each before those below it, left to right.

    >>> [len(n.counts) for n in preorder(Leaf((1, 2)))]
    [2]
    """
    stack = [root_of(tree)]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


@gc_paused()
def level_order(root: Node) -> tuple[list[Node], list[range]]:
    """Every node, level by level from left to right, and the numbers of each one's children, which stand side by side.

    >>> level_order(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))[1]
    [range(1, 3), range(3, 3), range(3, 3)]
    """
    nodes: list[Node] = [root]
    below: list[range] = []
    for node in nodes:  # which grows while it is read
        kids = children(node)
        below.append(range(len(nodes), len(nodes) + len(kids)))
        nodes += kids
    return nodes, below


def with_children(branch: Branch, nodes: Sequence[Node]) -> Branch:
    """The branch with other children; the very same branch when they are the ones it has.

    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> with_children(twig, twig.children) is twig
    True
    """
    unchanged = len(branch.children) == len(nodes) and all(map(is_, branch.children, nodes))
    return branch if unchanged else Branch(branch.counts, branch.split, nodes)


def path_along(link: Link) -> Path:
    """The path that a link stands for.

    >>> path_along(((None, 1), 0))
    (1, 0)
    """
    numbers = []
    while link is not None:
        link, number = link
        numbers.append(number)
    return tuple(reversed(numbers))


def majority(counts: Iterable[float]) -> int:
    """Number of the class with the largest count; of equal ones, but for rounding errors, the first.

    >>> majority((2, 5, 5)), majority((0.3, 0.1 + 0.2))
    (1, 0)
    """
    listed = tuple(counts)
    least = least_as_large(max(listed))
    return next(number for number, count in enumerate(listed) if count >= least)


def whole_numbers(counts: Any) -> list[float]:
    """Counts as Python numbers, whole ones as integers, so that a tree reads alike whatever counted it.

    >>> import numpy as np
    >>> whole_numbers(np.array([2.0, 0.5]))
    [2, 0.5]
    """
    return [int(count) if count == int(count) else count for count in counts.tolist()]


def all_whole_numbers(counts: Any) -> list[Counts]:
    """Counts of many nodes (m, K) as tuples of Python numbers, whole ones as integers.

    >>> import numpy as np
    >>> all_whole_numbers(np.array([[2.0, 0.5], [3.0, 0.0]]))
    [(2, 0.5), (3, 0)]
    """
    whole = counts.astype("int64")
    if counts.dtype.kind == "f" and (whole != counts).any():
        numbers = counts.astype(object)
        numbers[whole == counts] = whole[whole == counts]
        return list(zip(*numbers.T.tolist(), strict=True))
    return list(zip(*whole.T.tolist(), strict=True))


def _same(one: Node, other: Node) -> bool:
    pairs: list[tuple[Node, Node]] = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if a.counts != b.counts or getattr(a, "split", None) != getattr(b, "split", None):
            return False
        pairs.extend(zip(children(a), children(b), strict=True))
    return True


def _written(root: Node) -> Iterator[str]:
    """The pieces of the repr, left to right, from a stack of nodes and of text still to come."""
    stack: list[Node | str] = [root]
    while stack:
        piece = stack.pop()
        if isinstance(piece, Branch):
            yield f"Branch(counts={piece.counts!r}, split={piece.split!r}, children=("
            stack.append(",))" if len(piece.children) == 1 else "))")
            for number, child in enumerate(reversed(piece.children)):
                stack.extend((", ", child) if number else (child,))
        else:
            yield piece if isinstance(piece, str) else repr(piece)


def _flat(root: Node) -> tuple[tuple[Any, ...], ...]:
    """All nodes, children before parents: `(counts,)` for a leaf, `(counts, split)` for a branch."""
    flat: list[tuple[Any, ...]] = []
    fold_over(
        root, children, lambda node, _: flat.append((node.counts, node.split) if isinstance(node, Branch) else (node.counts,))
    )
    return tuple(flat)


def _rebuilt(flat: tuple[tuple[Any, ...], ...]) -> Node:
    done: list[Node] = []
    for counts, *split in flat:
        if split:
            below = len(done) - arity(split[0])
            done[below:] = [Branch(counts, split[0], done[below:])]
        else:
            done.append(Leaf(counts))
    return done[0]


def _check_split(schema: Schema, split: Split) -> None:
    match split:
        case Oblique():
            _check_weights(schema, split.weights)
        case WithSurrogates():
            for each in (split.split, *(surrogate.split for surrogate in split.surrogates)):
                _check_split(schema, each)
        case _ if split.feature < len(schema.features):
            _check_answers(schema.features[split.feature], split)
        case _:
            message = f"{split} asks for feature {split.feature}; the schema has {len(schema.features)}."
            raise ValueError(message)


def _check_answers(feature: Feature, split: OfOneFeature) -> None:
    match split:
        case Threshold():
            _check_cuts(feature, split, (split.at,))
        case Intervals():
            _check_cuts(feature, split, split.cuts)
        case Groups() if feature.kind == "ordinal":
            message = f"{split} groups the values of {feature.name!r}, which is ordinal: Intervals of them keep their order."
            raise ValueError(message)
        case Groups():
            _check_codes(feature, split, chain.from_iterable(split.groups))
        case Multiway():
            _check_codes(feature, split, split.values)
        case _:
            _check_codes(feature, split, split.members)


def _check_cuts(feature: Feature, split: OfOneFeature, cuts: tuple[float, ...]) -> None:
    if feature.kind == "nominal":
        message = f"{split} puts a threshold on {feature.name!r}, which is nominal: its values have no order."
        raise ValueError(message)
    if feature.kind == "ordinal" and not 0 <= cuts[0] <= cuts[-1] < len(feature.values):
        message = f"{split} is not within the codes of {feature.name!r}, which has {len(feature.values)} values."
        raise ValueError(message)


def _check_codes(feature: Feature, split: OfOneFeature, codes: Iterable[int]) -> None:
    if feature.kind == "numeric" or max(codes) >= len(feature.values):
        message = f"{split} uses codes that {feature.name!r} ({feature.kind}, {len(feature.values)} values) does not have."
        raise ValueError(message)


def _check_weights(schema: Schema, weights: tuple[float, ...]) -> None:
    if len(weights) != len(schema.features):
        message = f"A sum has a weight for each of the {len(schema.features)} features of the schema; {len(weights)} came."
        raise ValueError(message)
    for feature, weight in zip(schema.features, weights, strict=True):
        if weight and feature.kind != "numeric":
            message = f"A sum gives {feature.name!r} a weight, which is {feature.kind}: only numbers can be added up."
            raise ValueError(message)
