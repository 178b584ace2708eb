"""The differences of two trees, in words."""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from attrs import evolve, frozen

from ftree._lib.faces import Face
from ftree._lib.messages import counted, joined, short_repr
from ftree.show.rules_and_formulas import added
from ftree.tree.conditions import AllOf, AnyOf, Between, FirstKnown, Missing, NoneOf, OneOf, without_text
from ftree.tree.describe import codes_of, condition, named, tested_expression
from ftree.tree.edit import conditions_along, diff
from ftree.tree.fold import depth, n_leaves, unfold
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, check_tree, children
from ftree.tree.schema import Schema, names_of

# The difference at a node: only its counts, the label of a leaf, the split of a branch, or that only one of them is a leaf.
_Kind: TypeAlias = Literal["counts", "label", "split", "leaf"]


@frozen
class Difference(Face):
    """A node that differs: its path, the kind of difference, the conditions on the path, and each tree's node in words.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> found = compare_trees(tree, collapse_at(tree, (1,))).differences[0]
    >>> found.path, found.one, found.other
    ((1,), 'windy, 2 leaves', 'yes, 5 cases')
    """

    path: Path
    kind: _Kind
    conditions: tuple[str, ...]
    one: str
    other: str

    def _parts(self) -> Iterator[str]:
        """The difference in a line."""
        yield f"{' and '.join(self.conditions) or 'at the root'}: {self.one} | {self.other}"


@frozen
class ComparedTrees(Face):
    """Two trees of one schema and their differences, from the root down; nothing is compared below different splits.

    Children are in the order of the first tree, also those of `other`.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> len(compare_trees(tree, collapse_at(tree, (1,))).differences)
    1
    """

    one: Tree
    other: Tree
    differences: tuple[Difference, ...]

    def _parts(self) -> Iterator[str]:
        """The sizes, each difference of structure, and the number of nodes where only counts differ."""
        yield "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        one, other = (f"{counted(n_leaves(tree), 'leaf', 'leaves')}, depth {depth(tree)}" for tree in (self.one, self.other))
        yield f"{one} | {other}" if self.differences else f"equal trees: {one}"
        yield from (str(each) for each in self.differences if each.kind != "counts")
        n_counts = sum(each.kind == "counts" for each in self.differences)
        if n_counts:
            yield f"counts alone: different at {counted(n_counts, 'node')}"


def compare_trees(one: Tree, other: Tree) -> ComparedTrees:
    """Where two trees of one schema differ: in counts, in a leaf's label, in a split, or in being a leaf; `print` shows it.

    Children are compared by their conditions, in whatever order they stand; `==` and `diff` compare them in order.

    Raises a TypeError for anything but trees, a ValueError for trees of different features, classes or targets.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> print(compare_trees(tree, collapse_at(tree, (2,))))
    5 leaves, depth 2 | 4 leaves, depth 2
    outlook = sunny: humidity, 2 leaves | no, 5 cases
    """
    aligned = _aligned(one, other)
    paths = diff(one, aligned)
    stated = zip(paths, conditions_along(one, paths), strict=True)  # above a difference the splits are equal
    return ComparedTrees(one, aligned, tuple(_difference(one, aligned, *each) for each in stated))


def same_answers(one: Tree, other: Tree) -> bool:
    """Whether two trees of one schema answer alike to each row without missing values to which all their splits have an answer.

    The splits may be others, and in another order. Conditions on one feature, or on one weighted sum, tell which rows there are.

    Raises the errors of `compare_trees`.

    >>> from ftree import collapse_at, datasets, grow, prune
    >>> tree = grow(datasets.weather())
    >>> same_answers(tree, prune.collapse()(tree)), same_answers(tree, collapse_at(tree, (1,)))
    (True, False)
    """
    root = _aligned(one, other).root
    schema = one.schema
    stack: list[tuple[dict[Any, Any], tuple[Node, Node], tuple[Node, Node]]] = [({}, (one.root, root), (one.root, root))]
    while stack:
        known, (a, b), above = stack.pop()
        seen = a if any(a.counts) else above[0], b if any(b.counts) else above[1]
        node = a if isinstance(a, Branch) else b
        if isinstance(node, Leaf):
            if schema.response.answer(seen[0].counts) != schema.response.answer(seen[1].counts):
                return False
            continue
        follow_a, follow_b = node is a, node is b or getattr(b, "split", None) == node.split
        for number, stated in enumerate(node.split.conditions):
            changes = added(known, node.split, named(schema, _of_known(stated)))
            if changes is not None:
                below = children(a)[number] if follow_a else a, children(b)[number] if follow_b else b
                stack.append(({**known, **changes}, below, seen))
    return True


def _of_known(stated: Any) -> Any:
    """What a condition states of known values; one that a split lacks goes to its default child."""
    match stated:
        case Missing(feature):
            return OneOf(feature, ())
        case FirstKnown(((own, rest), *_), default):
            known, others = _of_known(own), _listed(_of_known(rest))
            if not default or others is None or _listed(known) is None:
                return known
            return NoneOf(_parts(known)[0].feature, others)
        case AnyOf(parts) if any(isinstance(each, Missing) for each in parts):
            known_parts = [each for each in parts if not isinstance(each, Missing)]
            return known_parts[0] if len(known_parts) == 1 else AnyOf(known_parts)
    return stated


def _parts(stated: Any) -> tuple[Any, ...]:
    return stated.conditions if isinstance(stated, AnyOf) else (stated,)


def _listed(stated: Any) -> tuple[Any, ...] | None:
    """The values that a condition lists; None for a condition of another form."""
    parts = _parts(stated)
    return tuple([value for each in parts for value in each.values]) if all(isinstance(each, OneOf) for each in parts) else None


def _unlike(one: Schema, other: Schema) -> str:
    """The first difference between two schemas, in words."""
    outlines = [f"{joined(names_of(schema.features))} -> {schema.target}" for schema in (one, other)]
    if outlines[0] != outlines[1]:
        return f"one: {outlines[1]} in place of {outlines[0]}"
    changed = [own.name for own, theirs in zip(one.features, other.features, strict=True) if own != theirs]
    if changed:
        return f"kind or other values of {changed[0]!r}. Grow it from dataset.recoded(one.schema)"
    if one.classes != other.classes:
        return f"list of classes: {joined(map(repr, other.classes))} in place of {joined(map(repr, one.classes))}"
    return f"response: {short_repr(other.response)} in place of {short_repr(one.response)}"


def _aligned(one: Tree, other: Tree) -> Tree:
    """The other tree, with children in the order of those of one that have the same conditions."""
    check_tree(one)
    check_tree(other)
    if one.schema != other.schema:
        raise ValueError(f"other must have the schema of one, got another {_unlike(one.schema, other.schema)}.")

    def step(pair: tuple[Any, Node]) -> Any:
        a, b = pair
        if isinstance(b, Leaf):
            return b
        own, theirs = (
            [_key(one.schema, each) for each in node.split.conditions] if isinstance(node, Branch) else [] for node in pair
        )
        if set(own) != set(theirs) or len(own) != len(theirs):
            return b.counts, b.split, [(None, child) for child in b.children]
        place = {key: number for number, key in enumerate(theirs)}
        return b.counts, a.split, [(child, b.children[place[key]]) for key, child in zip(own, a.children, strict=True)]

    return evolve(other, root=unfold((one.root, other.root), step))


def _key(schema: Schema, stated: Any) -> Any:
    """A key that is equal for two conditions that hold for the same rows, whatever the order of their parts."""
    stated = without_text(stated)
    match stated:
        case AllOf(parts) | AnyOf(parts):
            return type(stated), frozenset([_key(schema, each) for each in parts])
        case FirstKnown(pairs, default):
            return tuple([(_key(schema, own), _key(schema, rest)) for own, rest in pairs]), default
        case Between() | OneOf() | NoneOf():
            codes = codes_of(schema.features[int(stated.feature)], stated)
            return stated if codes is None else (stated.feature, frozenset(codes))
    return stated


def _difference(one: Tree, other: Tree, path: Path, conditions: tuple[str, ...]) -> Difference:
    """The difference at a path that both trees have."""
    (a, b), seen = (one.root, other.root), [one.root, other.root]
    for child in path:
        a, b = children(a)[child], children(b)[child]
        seen = [node if any(node.counts) else above for node, above in zip((a, b), seen, strict=True)]
    response = one.schema.response
    labels = [response.text(response.answer(node.counts)) for node in seen]
    kind = _kind(a, b, labels)
    words = (_words(one.schema, node, label, kind) for node, label in zip((a, b), labels, strict=True))
    return Difference(path, kind, conditions, *words)


def _kind(a: Node, b: Node, labels: list[str]) -> _Kind:
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return "counts" if labels[0] == labels[1] else "label"
    if isinstance(a, Branch) and isinstance(b, Branch):
        return "counts" if a.split == b.split else "split"
    return "leaf"


def _words(schema: Schema, node: Node, label: str, kind: _Kind) -> str:
    """A node in words: its counts if only they differ, its split or its label otherwise."""
    if kind == "counts" and schema.has_classes:
        return " ".join(format_number(count, decimals=2) for count in node.counts)
    if isinstance(node, Leaf) or kind == "counts":
        cases = format_number(float(schema.response.weight(node.counts)), decimals=2)
        return f"{label}, {cases} {'case' if cases == '1' else 'cases'}"
    first = condition(schema, node.split, 0) if kind == "split" else tested_expression(schema, node.split)
    return f"{first}, {n_leaves(node)} leaves"
