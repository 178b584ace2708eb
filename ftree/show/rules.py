"""A tree as logic: a path is a conjunction of conditions, a class is the disjunction of the paths to its leaves.

Conditions on one feature along a path are merged: `x <= 5` and `x <= 3` become `x <= 3`. Conditions on a nominal or
ordinal feature become the values that fit all of them.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from ftree._lib.messages import joined, short_repr
from ftree.show.formulas import Dnf, Rule
from ftree.show.merging import Subject, added
from ftree.tree.conditions import Condition
from ftree.tree.describe import named
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, majority
from ftree.tree.schema import Schema


def rules(tree: Tree) -> tuple[Rule, ...]:
    """One rule for each leaf, left to right; at most one rule fits a row, and it gives the row's prediction.

    A leaf is omitted if the conditions on one feature, or on one weighted sum, show that no row can reach it.
    Conditions with surrogates are not merged: if all splits have surrogates, a rule has a condition for each split.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"]))
    >>> for rule in rules(tree):
    ...     print(rule)
    if wind <= 1.5 then no
    if 1.5 < wind <= 2.5 then yes
    if wind > 2.5 then no
    """
    check_tree(tree)
    return tuple(_rules(tree))


def dnf(tree: Tree, label: Hashable) -> Dnf:
    """The disjunctive normal form of a class.

    Raises a TypeError for anything but a Tree, a ValueError for a label that is not one of the tree's classes.

    >>> from ftree import Dataset, grow
    >>> rides = Dataset.from_rows([["sunny", "low"], ["sunny", "high"], ["rainy", "low"]], ["yes", "no", "no"],
    ...                           features=["sky", "wind"])
    >>> print(dnf(grow(rides), "yes"))
    (sky = sunny and wind = low)
    """
    check_tree(tree)
    if label not in tree.schema.classes:
        message = f"label must be one of {joined(map(short_repr, tree.schema.classes))}, got {short_repr(label)}."
        raise ValueError(message)
    return Dnf(label, tuple(rule.conditions for rule in _rules(tree) if rule.label == label))


class _Step(NamedTuple):
    """A step down to a node, or back up if `node` is None."""

    known: "dict[Subject, Condition | None]"  # the conditions from now on for these subjects; None for no condition
    node: Node | None
    above: Node  # the nearest ancestor with cases


def _rules(tree: Tree) -> Iterator[Rule]:
    """The rule of each leaf, left to right, with one condition for each subject, in the order of first use.

    Conditions are added on the way down and restored on the way up, so that a rule costs only its own length.
    """
    known: dict[Subject, Condition] = {}
    stack: list[_Step] = [_Step({}, tree.root, tree.root)]
    while stack:
        changes, node, above = stack.pop()
        for subject, condition in changes.items():
            if condition is None:
                del known[subject]
            else:
                known[subject] = condition
        if isinstance(node, Leaf):
            seen = node if any(node.counts) else above
            yield Rule(tuple(known.values()), tree.schema.classes[majority(seen.counts)], node.counts)
        elif node is not None:
            stack += _steps(tree.schema, known, node, node if any(node.counts) else above)


def _steps(schema: Schema, known: Mapping[Subject, Condition], branch: Branch, seen: Node) -> Iterator[_Step]:
    """The steps to the children that a row can reach, each with its step back, in reverse order."""
    for child, stated in reversed(list(zip(branch.children, branch.split.conditions, strict=True))):
        changes = added(known, branch.split, named(schema, stated))
        if changes is not None:
            yield _Step({subject: known.get(subject) for subject in changes}, None, seen)
            yield _Step(changes, child, seen)
