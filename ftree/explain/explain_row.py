"""The path of one row with its reasons, and what would change its label."""

from collections.abc import Hashable, Iterable, Iterator
from itertools import accumulate
from typing import Any

import numpy.typing as npt
from attrs import frozen

from ftree._lib.faces import Face
from ftree.data.coding import decode
from ftree.data.labelled import Unseen
from ftree.data.rows import Row
from ftree.explain.nearest_leaf import Visit, nearest_other
from ftree.routing.missing_rules import MissingRule
from ftree.routing.paths import coded_row, path_of, rule_of_path
from ftree.routing.predict import answer_of_row
from ftree.tree.conditions import Condition, Missing
from ftree.tree.describe import answered, describe_condition, named
from ftree.tree.formats import format_number
from ftree.tree.nodes import Node, Path, Tree, children, path_along
from ftree.tree.response import Counts
from ftree.tree.splits.split import Columns


@frozen
class ExplainedNode:
    """A node on the path of a row: the condition that led there, in words, and the node's class counts.

    >>> ExplainedNode("outlook = sunny", (3, 2)).counts
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
class Explanation(Face):
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
    steps: tuple[ExplainedNode, ...]
    label: Hashable
    other: OtherAnswer | None
    response: Any

    def _parts(self) -> Iterator[str]:
        """A line for the label, one for each step, and one for the changes that would give another label."""
        lines = [f"{self.target} = {self.response.text(self.label)}"]
        lines += [f"  {step.reason}: {self._counted(step.counts)}" for step in self.steps]
        if self.other is None:
            lines += ["no leaf with another label was found"]
        else:
            changes = " and ".join(f"{each.text} (now {_shown(each.value)})" for each in self.other.changes)
            lines += [f"{self.response.text(self.other.label)} if {changes}: {self._counted(self.other.counts)}"]
        yield "\n".join(lines)

    def _counted(self, counts: Counts) -> str:
        if not self.classes:
            response = self.response
            answer = response.answer(counts)
            shown = f" ± {format_number(response.deviation(counts), decimals=2)}" if isinstance(answer, float) else ""
            return f"{response.text(answer)}{shown} ({format_number(counts[0], decimals=2)})"
        return ", ".join(f"{format_number(n, decimals=2)} {label}" for n, label in zip(counts, self.classes, strict=True))


def explain_row(
    tree: Tree, row: Row | npt.NDArray[Any], *, missing: MissingRule | None = None, unseen: Unseen = "rule"
) -> Explanation:
    """Why one row gets its label: its path down the tree with reasons and class counts, and the changes that alter the label.

    The other answer is the leaf with another label that needs the fewest changed features; among several such leaves, the one
    with the smallest change. A change of a number is measured relative to the range of the tree's thresholds on its feature and
    of the row's value, one of an ordinal value in steps, relative to the number of values, and any other change counts 1. The
    changes always lead to the leaf. If surrogates or weighted sums decide, a nearer leaf may be missed. A leaf with a linear
    model answers with its value for the row, or for the changed row. `missing`, label and path are those of `path_of`.

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
    rule, several = rule_of_path(tree, missing)
    asked, columns, _, _ = coded_row(tree, row, unseen)
    nodes: Iterable[Node] = accumulate(way.path, lambda node, child: children(node)[child], initial=tree.root)
    steps = [ExplainedNode(reason, node.counts) for reason, node in zip(("all cases", *way.reasons), nodes, strict=True)]

    def differs(changed: Columns, counts: Counts) -> bool:
        return bool(answer_of_row(tree, changed, counts) != way.label)

    other = nearest_other(asked, columns, rule, differs, known_only=several)
    found = None if other is None else _told(tree, asked, columns, other)
    return Explanation(answered(tree.schema), tree.schema.classes, way.path, tuple(steps), way.label, found, tree.schema.response)


def _told(tree: Tree, asked: Tree, columns: Columns, visit: Visit) -> OtherAnswer:
    changes = []
    for number in visit.values:
        feature = tree.schema.features[number]
        stated = visit.regions[number].known or Missing(number)
        (was,) = decode(asked.schema.features[number], columns[number])
        changes.append(Change(feature.name, was, named(asked.schema, stated), describe_condition(asked.schema, stated)))
    label = answer_of_row(tree, visit.changed(columns), visit.answer.counts)
    return OtherAnswer(tuple(changes), path_along(visit.link), label, visit.node.counts)


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return format_number(value) if isinstance(value, float) else str(value)
