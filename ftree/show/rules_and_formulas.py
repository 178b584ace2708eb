"""Formulas, with names in place of numbers: the rule of a leaf, a class as a disjunction, and whether one holds."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from attrs import field, frozen

from ftree._lib.faces import Face, Lines, in_lines
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.matching import fits
from ftree.tree.conditions import AllOf, Condition, FirstKnown, OneOf, Opaque, Wording, wording_for
from ftree.tree.describe import named
from ftree.tree.logic import both, subject_of
from ftree.tree.nodes import Branch, Leaf, Node, Tree, tree_of
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, is_hashable
from ftree.tree.splits.split import Split


@frozen
class Rule(Face):
    """The conditions of a path, the label of its leaf, or its number, and the leaf's class counts, or sums.

    >>> from ftree import datasets, grow, rules
    >>> first = rules(grow(datasets.weather()))[0]
    >>> first.label, first.counts
    ('yes', (0, 4))
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    counts: Counts
    text: str = field(default="", kw_only=True, eq=False)
    wording: Wording = field(factory=Wording, kw_only=True, eq=False)

    def _parts(self) -> Iterator[str]:
        """The rule as a sentence, by its `wording`, with `text` for a label that is a long number; long ones in several lines.

        >>> from ftree.tree.conditions import OneOf
        >>> print(Rule((OneOf("sky", ("grey",)),), "stay", (0, 3)))
        if sky = grey then stay
        """
        answer = self.wording.label(self.text or str(self.label))
        yield in_lines(["if", *self.wording.conjunction(self.conditions, f" then {answer}")])


@frozen
class Dnf(Face):
    """A class as a disjunction of conjunctions: it holds if all conditions of one of the terms hold.

    A formula without terms is false; a term without conditions is true.

    >>> from ftree import datasets, dnf, grow
    >>> len(dnf(grow(datasets.weather()), "no").terms)
    2
    """

    label: Hashable
    terms: tuple[tuple[Condition, ...], ...]
    wording: Wording = field(factory=Wording, kw_only=True, eq=False)

    def _parts(self) -> Iterator[str]:
        """The formula with "and" and "or", by its `wording`; terms of several conditions are in parentheses.

        >>> from ftree.tree.conditions import Between, OneOf
        >>> print(Dnf("play", ((OneOf("sky", ("blue",)),), (Between("wind", at_most=3.0), OneOf("sky", ("grey",))))))
        sky = blue or (wind <= 3 and sky = grey)
        """
        parts: list[str] = []
        for term in self.terms:
            first, *others = self.wording.conjunction(term, ")" * (len(term) > 1))
            parts += [f"{'or ' * bool(parts)}{'(' * (len(term) > 1)}{first}", *others]
        yield in_lines(parts or ["false"])


def terms(formula: Dnf | Rule) -> tuple[tuple[Condition, ...], ...]:
    """The terms of a formula; a rule has one. Raises a TypeError for anything else."""
    if not isinstance(formula, (Dnf, Rule)):
        message = f"formula must be a Dnf or a Rule, got {type_of(formula)}. Make one with dnf(tree, label) or rules(tree)."
        raise TypeError(message)
    return formula.terms if isinstance(formula, Dnf) else (formula.conditions,)


class Rules(Lines[Rule]):
    """Rules, in all else a tuple; prints a line for each.

    >>> Rules([Rule((), "yes", (0, 3)), Rule((), "no", (1, 0))])
    if true then yes
    if true then no
    """

    __slots__ = ()


def rules(tree: Tree, *, digits: int | None = None, values: Literal["few"] | None = "few") -> Rules:
    """One rule for each leaf, left to right; at most one rule fits a row, and it gives the row's prediction.

    A leaf is omitted if the conditions on one feature, or on one weighted sum, show that no row can reach it.
    Conditions with surrogates are not merged: if all splits have surrogates, a rule has a condition for each split.
    They print thresholds with all digits that tell rows apart, or `digits` significant ones, and of many values the first few,
    or with `values=None` all.

    Raises a TypeError for anything but a Tree, a ValueError for digits below 1 or above 17, and for other `values`.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"]))
    >>> rules(tree)
    if wind <= 1.5 then no
    if 1.5 < wind <= 2.5 then yes
    if wind > 2.5 then no
    """
    tree = tree_of(tree)
    return Rules(_rules(tree, wording_for(tree.schema, digits, values)))


def dnf(tree: Tree, label: Hashable, *, values: Literal["few"] | None = "few") -> Dnf:
    """The disjunctive normal form of a class; of many values it prints the first few, or with `values=None` all.

    Raises a TypeError for anything but a Tree, a ValueError for a label that is not one of the tree's classes, and for other
    `values`.

    >>> from ftree import Dataset, grow
    >>> rides = Dataset.from_rows([["sunny", "low"], ["sunny", "high"], ["rainy", "low"]], ["yes", "no", "no"],
    ...                           features=["sky", "wind"])
    >>> print(dnf(grow(rides), "yes"))
    (sky = sunny and wind = low)
    """
    tree = tree_of(tree, of_classes="dnf")
    if not is_hashable(label) or label not in set(tree.schema.classes):
        raise ValueError(f"label must be one of {joined(map(short_repr, tree.schema.classes))}, got {short_repr(label)}.")
    wording = wording_for(tree.schema, None, values)
    return Dnf(label, tuple(rule.conditions for rule in _rules(tree) if rule.label == label), wording=wording)


class _Step(NamedTuple):
    """A step down to a node, or back up if `node` is None."""

    known: "dict[Subject, Condition | None]"  # the conditions from now on for these subjects; None for no condition
    node: Node | None
    above: Node  # the nearest ancestor with cases


def _rules(tree: Tree, wording: Wording = Wording()) -> Iterator[Rule]:  # noqa: B008  # immutable
    """The rule of each leaf, left to right, with one condition for each subject, in the order of first use.

    Conditions are added on the way down and restored on the way up, so that a rule costs only its own length.
    """
    known: dict[Subject, Condition] = {}
    response = tree.schema.response
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
            answer = response.answer(seen.counts)
            yield Rule(tuple(known.values()), answer, node.counts, text=response.text(answer), wording=wording)
        elif node is not None:
            stack += _steps(tree.schema, known, node, node if any(node.counts) else above)


# The subject of a condition: a feature's name, the features and weights of a sum, or a part of a split's condition.
Subject: TypeAlias = Hashable


def _steps(schema: Schema, known: Mapping[Subject, Condition], branch: Branch, seen: Node) -> Iterator[_Step]:
    """The steps to the children that a row can reach, each with its step back, in reverse order."""
    for child, stated in reversed(list(zip(branch.children, branch.split.conditions, strict=True))):
        changes = added(known, branch.split, named(schema, stated))
        if changes is not None:
            yield _Step({subject: known.get(subject) for subject in changes}, None, seen)
            yield _Step(changes, child, seen)


def added(known: Mapping[Subject, Condition], split: Split, stated: Condition) -> "dict[Subject, Condition | None] | None":
    """The conditions that hold after a split's condition is added to the known ones; None if no row fits them all.

    >>> from ftree.tree import Threshold
    >>> from ftree.tree.conditions import Between
    >>> added({"x": Between("x", at_most=5.0)}, Threshold(0, 3.0), Between("x", above=3.0))
    {'x': Between(feature='x', above=3.0, at_most=5.0)}
    """
    changes: dict[Subject, Condition | None] = {}
    for place, part in enumerate(stated.conditions if isinstance(stated, AllOf) else (stated,)):
        subject = _subject(split, place, part)
        old = changes.get(subject, known.get(subject))
        merged = part if old is None else both(old, part)
        if merged is None or (isinstance(merged, OneOf) and not merged.values):
            return None
        changes[subject] = merged
    return changes


def _subject(split: Split, place: int, stated: Condition) -> Subject:
    """The subject of a condition; of one with surrogates, or an opaque one, its split, which leads to the same child again."""
    return (split, place) if isinstance(stated, FirstKnown | Opaque) else subject_of(stated)


def holds(formula: Dnf | Rule, point: Mapping[str, Any]) -> bool:
    """Whether a formula, or all conditions of a rule, hold for a row given as a dict of values by feature name.

    An absent value is None, for which only a condition with None among its values holds.

    Raises a TypeError for anything that is not a formula, rule or dict, and for text instead of a number.

    >>> from ftree.tree.conditions import Between
    >>> holds(Dnf("play", ((Between("wind", at_most=3.0),),)), {"wind": 2.0})
    True
    """
    if not isinstance(point, Mapping):
        raise TypeError(f"point must be a dict of values by feature name, got {short_repr(point)}.")
    return any(all(fits(condition, point) for condition in term) for term in terms(formula))
