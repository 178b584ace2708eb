"""Why a row gets its label, and which changes would give it another label."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy.typing as npt
from attrs import frozen

from ftree.data.coding import decode
from ftree.data.rows import Row, columns_of
from ftree.data.unseen import Unseen
from ftree.routing.nearest_leaf import Visit, nearest_other
from ftree.routing.paths import path_of
from ftree.routing.regions import condition_of
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.tree.conditions import Condition
from ftree.tree.describe import describe_condition, named
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Counts, Node, Path, Tree, majority, path_along
from ftree.tree.splits.protocol import Columns


@frozen
class Step:
    """A node on the path of a row: the condition that led there, in words, and the node's class counts.

    >>> Step("outlook = sunny", (3, 2)).counts
    (3, 2)
    """

    reason: str
    counts: Counts


@frozen
class Change:
    """A feature that would have to change: its value in the row (None where missing), the condition for it, and that in words.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> explain_row(grow(weather()), ["sunny", "hot", "high", False]).other.changes[0].text
    'outlook = overcast'
    """

    feature: str
    value: Hashable
    condition: Condition
    text: str


@frozen
class OtherAnswer:
    """The nearest leaf with another label: the changes that lead there, its path, label and class counts.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> other = explain_row(grow(weather()), ["sunny", "hot", "high", False]).other
    >>> other.label, other.path, other.counts
    ('yes', (0,), (0, 4))
    """

    changes: tuple[Change, ...]
    path: Path
    label: Hashable
    counts: Counts


@frozen
class Explanation:
    """The path of a row through a tree with the counts along it, its label, and the nearest other answer, None without one.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> why = explain_row(grow(weather()), ["sunny", "hot", "high", False])
    >>> why.label, [step.counts for step in why.steps]
    ('no', [(5, 9), (3, 2), (3, 0)])
    """

    target: str
    classes: tuple[Hashable, ...]
    path: Path
    steps: tuple[Step, ...]
    label: Hashable
    other: OtherAnswer | None

    def __str__(self) -> str:
        """A line for the label, one for each step, and one for the changes that would give another label."""
        lines = [f"{self.target} = {self.label}"]
        lines += [f"  {step.reason}: {self._counted(step.counts)}" for step in self.steps]
        if self.other is None:
            return "\n".join([*lines, "no leaf with another label was found"])
        changes = " and ".join(f"{each.text} (now {_shown(each.value)})" for each in self.other.changes)
        return "\n".join([*lines, f"{self.other.label} if {changes}: {self._counted(self.other.counts)}"])

    def _counted(self, counts: Counts) -> str:
        return ", ".join(f"{format_number(n, decimals=2)} {label}" for n, label in zip(counts, self.classes, strict=True))


def explain_row(
    tree: Tree, row: Row | npt.NDArray[Any], *, missing: Missing = "heaviest", unseen: Unseen = "missing"
) -> Explanation:
    """Why one row gets its label: its path down the tree with reasons and class counts, and the changes that alter the label.

    The other answer is the leaf with another label that needs the fewest changed features; among several such leaves, the one
    with the smallest change. A change of a number is measured relative to the range of the tree's thresholds on its feature,
    one of an ordinal value in steps, and any other change counts 1. The changes always lead to the leaf. If surrogates or
    weighted sums decide, a nearer leaf may be missed. `missing` must be a rule that follows one route; label and path are those
    of `path_of`.

    Raises the errors of `path_of`.

    >>> from ftree import datasets, grow
    >>> print(explain_row(grow(datasets.weather()), ["sunny", "hot", "normal", False]))
    play = yes
      all cases: 5 no, 9 yes
      outlook = sunny: 3 no, 2 yes
      humidity = normal: 0 no, 2 yes
    no if humidity = high (now normal): 3 no, 0 yes
    """
    way = path_of(tree, row, missing=missing, unseen=unseen)
    columns, _, _ = columns_of(tree.schema, row)
    nodes = _nodes(tree, way.path)
    steps = [Step(reason, node.counts) for reason, node in zip(("all cases", *way.reasons), nodes, strict=True)]
    other = nearest_other(tree, columns, as_prediction_rule(missing), tree.schema.classes.index(way.label))
    found = None if other is None else _told(tree, columns, other)
    return Explanation(tree.schema.target, tree.schema.classes, way.path, tuple(steps), way.label, found)


def _nodes(tree: Tree, path: Path) -> Sequence[Node]:
    """The nodes of a path, the root first."""
    nodes = [tree.root]
    for child in path:
        node = nodes[-1]
        nodes += [node.children[child]] if isinstance(node, Branch) else []
    return nodes


def _told(tree: Tree, columns: Columns, visit: Visit) -> OtherAnswer:
    changes = []
    for number, value in visit.values.items():
        feature = tree.schema.features[number]
        stated = condition_of(number, feature, visit.regions[number], value)
        was = decode(feature, columns[number])[0]
        changes.append(Change(feature.name, was, named(tree.schema, stated), describe_condition(tree.schema, stated)))
    label = tree.schema.classes[majority(visit.answer.counts)]
    return OtherAnswer(tuple(changes), path_along(visit.link), label, visit.node.counts)


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return format_number(value) if isinstance(value, float) else str(value)
