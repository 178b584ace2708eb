"""A decision tree is a value: `Node = Leaf | Branch`, and a `Tree` is a node with its schema.

Every node has class counts as if it were a leaf, so cutting a branch needs no data: `Leaf(branch.counts)`.
Nodes are frozen and hashable. They can be compared, printed and pickled at any depth, since nothing recurses on
Python's stack. The design follows partykit's split, node and party (Hothorn & Zeileis 2015).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import Floats
from ftree._lib.faces import preformatted
from ftree._lib.fields import a_function, is_iterable, name_of
from ftree._lib.messages import counted, joined, short_repr, type_of
from ftree._lib.objects import fold_over, gc_paused
from ftree.tree.response import Counts, as_counts, require_finite_answers
from ftree.tree.schema import Schema, require_classes, response_of_sums
from ftree.tree.splits.split import Split, is_split, require_fit

# The path to a node: the child numbers from the root on.
Path: TypeAlias = tuple[int, ...]
# A node's path as a linked list towards the root. Siblings share their parent's link, so that a path costs one tuple.
Link: TypeAlias = "tuple[Link, int] | None"


def _as_nodes(children: Any) -> "tuple[Node, ...]":
    listed: tuple[Any, ...]
    listed = tuple(children) if is_iterable(children) else (children,)
    for child in listed:
        if not isinstance(child, (Leaf, Branch)):
            raise TypeError(f"children must be a sequence of nodes (Leaf or Branch), got {type_of(child)}.")
    return listed


@frozen
class Leaf:
    """A node without children: the class counts of the cases that reached it.

    Raises a ValueError for counts that are not finite numbers from 0.

    >>> Leaf((3, 1))
    Leaf(counts=(3, 1))
    """

    counts: Counts = field(converter=as_counts)


@frozen(eq=False)
class Branch:
    """A node with children: its class counts as if it were a leaf, its split, and the children of the split in order.

    Raises a ValueError if the number of children is not the split's, a TypeError for anything that is not a split or a node.

    >>> from ftree.tree import Threshold
    >>> Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """

    counts: Counts = field(converter=as_counts)
    split: Split
    children: "tuple[Node, ...]" = field(converter=_as_nodes)

    def __attrs_post_init__(self) -> None:
        """Check the number of children, and that they count the same classes as the branch."""
        if not is_split(self.split):
            wanted = "a split such as Threshold(0, 2.5), with features, n_children, child and conditions"
            raise TypeError(f"split must be {wanted}, got {short_repr(self.split)}.")
        if len(self.children) != self.split.n_children:
            wanted = f"{self.split.n_children} nodes, as many as {short_repr(self.split)} has"
            raise ValueError(f"children must be {wanted}, got {len(self.children)}.")
        if any(len(child.counts) != len(self.counts) for child in self.children):
            sizes = sorted({len(child.counts) for child in self.children})
            message = f"children must count {len(self.counts)} classes, as the branch does, got {', '.join(map(str, sizes))}."
            raise ValueError(message)

    def __eq__(self, other: object) -> bool:
        """Compare counts, splits and children, at any depth; whole numbers equal their floats."""
        return not any(differences(self, other)) if isinstance(other, Branch) else NotImplemented

    def __hash__(self) -> int:
        """Hash all nodes below; equal branches have equal hashes."""
        root: Node = self
        return fold_over(root, children, lambda node, below: hash((node.counts, getattr(node, "split", None), below)))

    def __repr__(self) -> str:
        """The constructor call, in time linear in its length."""
        return "".join(_repr_pieces(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as a flat list of nodes, children first."""
        return _rebuilt, (_flat(self),)


# A node of a tree: a leaf or a branch, and nothing else.
Node: TypeAlias = Leaf | Branch


class PredictionRule(Protocol):
    """The share of a row with a missing value that each child of a branch gets, such as `ftree.missing.weighted()`.

    A plain function from sizes to shares is such a rule. It must be a pure function of the sizes, and may do something else at
    other sizes. A function that needs whole rows or one route checks what an explicit rule gives two children of 2 and 1 cases,
    and what it gives the children of each branch where a row has no answer. Three members are optional: `distributions`,
    `broadcasts`, and `of_rows` for soft thresholds. `ftree.routing.missing_rules` lists what they mean.
    """

    def __call__(self, sizes: Floats, /) -> npt.ArrayLike:
        """Shares (V,), finite and from 0, for the cases (V,) of the children; at least one child has cases.

        A share of 1 is the whole row. The share that no child gets stays at the branch, whose own counts answer for it.
        """
        ...


class NodesInArrays(Protocol):
    """The nodes of a large tree before they are objects, which take as long to make as to grow."""

    def root(self) -> Node:
        """The root, the same object each time."""
        ...

    def flat(self) -> Any:
        """The flat form of the tree (`ftree.routing.flat`); None if a split has no array form."""
        ...


_NODES = (Leaf, Branch)  # a union would be made at every call


def _made(root: "Node | NodesInArrays") -> Node:
    """The root as an object; of nodes in arrays made when it is first asked for, and kept beside them."""
    return root if isinstance(root, _NODES) else root.root()


@frozen
class Tree:
    """A decision tree: its root node, and the schema that names features, values and classes. `print` shows it as Weka does.

    `missing` is the prediction rule for rows without an answer, such as `ftree.missing.weighted()`; None follows all routes.

    Raises a ValueError if the root does not fit the schema: it has another number of classes, or uses a feature or a code that
    the schema does not have. A threshold on a nominal feature, or outside an ordinal one's values, does not fit either.
    Raises a TypeError for anything that is not a schema, node or rule.

    >>> Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1)))
    <Tree for 'ride': 1 node, 1 leaf>
    """

    schema: Schema
    _root: "Node | NodesInArrays" = field(eq=_made)
    missing: PredictionRule | None = field(default=None, kw_only=True, validator=optional(a_function))
    __match_args__ = ("schema", "root")

    def __attrs_post_init__(self) -> None:
        """Check that every split fits the schema."""
        if not isinstance(self.schema, Schema):
            raise TypeError(f"schema must be a Schema, got {type_of(self.schema)}. Write Tree(schema, root).")
        if not (isinstance(self._root, Node) or callable(getattr(self._root, "flat", None))):
            raise TypeError(f"root must be a Leaf or a Branch, got {type_of(self._root)}. Write Tree(schema, root).")
        if len(self.root.counts) != len(channels := self.schema.response.channels):
            sums = f"the schema's {len(channels)} classes" if self.schema.has_classes else joined(map(str, channels))
            raise ValueError(f"root must count {sums}, got {len(self.root.counts)} counts.")
        for node in preorder(self.root):
            if isinstance(node, Branch):
                require_fit(self.schema, node.split)
        if not self.schema.has_classes:
            require_finite_answers(response_of_sums(self.schema), (node.counts for node in preorder(self.root)))

    @property
    def root(self) -> Node:
        """The root node."""
        return _made(self._root)

    def __str__(self) -> str:
        """Indented text in Weka's form; `ftree.text` has the options. A single leaf that hides a rare class gets a line more."""
        # This import and the next two point up: they are renderings, and Python looks them up on the class.
        from ftree.show.indented_text import text  # noqa: PLC0415

        return "\n".join(filter(None, (text(self), self._hint())))

    def _hint(self) -> str:
        """A line for a single leaf that hides a rare class."""
        if not (isinstance(self.root, Leaf) and self.schema.has_classes):
            return ""
        from ftree.criteria.costs import rare_class_hint  # noqa: PLC0415

        return rare_class_hint(self.schema.classes, self.root.counts)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The tree drawn by `ftree.draw`, for a notebook; only the 100 leaves with the most cases if there are more."""
        # As above: notebooks and rich look their methods up on the class.
        from ftree.show.svg import draw  # noqa: PLC0415

        shown = draw(self, max_leaves=100)._repr_mimebundle_()  # private by name, but notebooks call it too
        hint = self._hint()
        return shown | {"text/html": shown["text/html"] + (preformatted(hint) if hint else "")}

    def _repr_html_(self) -> str:
        """The drawing as HTML, for programs that read nothing else, such as documentation galleries."""
        return self._repr_mimebundle_()["text/html"]

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """The tree with colours, for `rich.print`."""
        from ftree.show.rich_lines import rich_lines  # noqa: PLC0415

        return rich_lines(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy with nodes as objects, which were checked before."""
        return partial(new_tree, missing=self.missing), (self.schema, self.root)

    def __repr__(self) -> str:
        """The size of the tree, since the constructor call would fill screens. `tree.root` prints in full."""
        sizes = [isinstance(node, Leaf) for node in preorder(self.root)]
        rule = "" if self.missing is None else f", missing={name_of(self.missing)}"
        size = f"{counted(len(sizes), 'node')}, {counted(sum(sizes), 'leaf', 'leaves')}"
        return "\n".join(filter(None, (f"<Tree for {self.schema.target!r}: {size}{rule}>", self._hint())))


def children(node: Node) -> tuple[Node, ...]:
    """Children of a node; an empty tuple for a leaf.

    >>> children(Leaf((1, 2)))
    ()
    """
    return node.children if isinstance(node, Branch) else ()


def root_of(tree: Tree | Node) -> Node:
    """The root node of a tree; a node is its own root.

    Raises a TypeError for anything else.
    """
    root = tree.root if isinstance(tree, Tree) else tree
    if not isinstance(root, Node):
        raise TypeError(f"tree must be a Tree or a node (Leaf or Branch), got {_foreign(tree)}")
    return root


def _foreign(given: Any) -> str:
    """What was given in place of a tree, and what to do with a fitted tree of scikit-learn, whose type is called Tree too."""
    program = type(given).__module__.partition(".")[0]
    of_another = type(given).__name__ == "Tree" and program != __name__.partition(".")[0]
    return f"{type_of(given)}{f' of {program}. Give the model to its reader, such as from_sklearn' * of_another}."


def check_tree(tree: Tree, *, of_classes: str = "") -> None:
    """Raise a TypeError for anything but a Tree; for functions that need the schema's names.

    `of_classes` is the name of a function of classification trees: raises a ValueError for a regression tree.
    """
    if not isinstance(tree, Tree):
        remedy = f" Make one with Tree(schema, {type(tree).__name__.lower()})." if isinstance(tree, Node) else ""
        raise TypeError(f"tree must be a Tree, got {_foreign(tree)}{remedy}")
    if of_classes:
        require_classes(tree.schema, of_classes)


def checked_tree(tree: Any, function: Any) -> Tree:
    """The result of a function, which must be a tree. Raises a TypeError for anything else."""
    if not isinstance(tree, Tree):
        raise TypeError(f"{name_of(function)} must return a Tree, got {type_of(tree)}.")
    return tree


def tree_of(given: Any, *, of_classes: str = "") -> Tree:
    """A tree, or the tree of a fitted `TreeClassifier`, for pictures and exports. Raises the errors of `check_tree`."""
    tree: Tree = given.tree if hasattr(type(given), "tree") else given
    check_tree(tree, of_classes=of_classes)
    return tree


def preorder(tree: Tree | Node) -> Iterator[Node]:
    """Every node, parents before children, left to right; `ftree.tree.walk` gives their paths as well.

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
    """All nodes, level by level from left to right, and for each node the range of its children's numbers in that list.

    >>> from ftree.tree import Threshold
    >>> level_order(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))[1]
    [range(1, 3), range(3, 3), range(3, 3)]
    """
    nodes: list[Node] = [root]
    below, end = list[range](), 1
    for node in nodes:  # the list grows while it is read
        kids = node.children if isinstance(node, Branch) else ()  # as `children` says, which takes a third of the time to call
        below.append(range(end, end := end + len(kids)))
        nodes += kids
    return nodes, below


def path_along(link: Link) -> Path:
    """The path of a link, from the root down.

    >>> path_along(((None, 1), 0))
    (1, 0)
    """
    numbers = []
    while link is not None:
        link, number = link
        numbers.append(number)
    return tuple(reversed(numbers))


def differences(one: Node, other: Node) -> Iterator[tuple[Link, Node, Node]]:
    """The pairs of nodes that differ in counts, in split, or in being a leaf, parents first; none below different splits.

    >>> list(differences(Leaf((1, 2)), Leaf((2, 1))))
    [(None, Leaf(counts=(1, 2)), Leaf(counts=(2, 1)))]
    """
    stack: list[tuple[Link, Node, Node]] = [(None, one, other)]
    while stack:
        link, a, b = stack.pop()
        if a is b:
            continue
        same_split = getattr(a, "split", None) == getattr(b, "split", None)
        if not same_split or a.counts != b.counts:
            yield link, a, b
        if same_split:
            pairs = zip(children(a), children(b), strict=True)
            stack.extend(((link, number), x, y) for number, (x, y) in reversed(list(enumerate(pairs))))


def _repr_pieces(root: Node) -> Iterator[str]:
    """The repr in pieces, left to right. The stack holds nodes and texts that are still to be written."""
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
            below = len(done) - split[0].n_children
            done[below:] = [Branch(counts, split[0], done[below:])]
        else:
            done.append(Leaf(counts))
    return done[0]


def new_tree(schema: Schema, root: "Node | NodesInArrays", *, missing: PredictionRule | None = None) -> Tree:
    """An unchecked tree, for splits that are known to fit; nodes in arrays become objects when its root is first asked for."""
    tree: Tree = object.__new__(Tree)
    _SET_SCHEMA(tree, schema)
    _SET_ROOT(tree, root)
    _SET_MISSING(tree, missing)
    return tree


def arrays_of(tree: Tree) -> NodesInArrays | None:
    """The nodes of a tree as arrays, if it was grown so.

    >>> arrays_of(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))))
    """
    grown = tree._root  # noqa: SLF001  # only this file knows how a tree keeps its nodes
    return None if isinstance(grown, Leaf | Branch) else grown


_SET_SCHEMA, _SET_ROOT, _SET_MISSING = (vars(Tree)[name].__set__ for name in ("schema", "_root", "missing"))
