"""Nodes as single tests with jumps, the form of a loop over a table: any depth, and no test made of others.

A test has two targets, one if it passes and one if it fails. A target from 0 is a test, a negative one an end, `~target`.
"""

from collections.abc import Sequence
from functools import reduce
from math import inf
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from ftree.exchange.neutral_form import ExportNode, ExportNodes, unknown_test
from ftree.tree.conditions import AllOf, AnyOf, Between, FirstKnown, Missing, Not, OneOf, SumBetween, features_of
from ftree.tree.logic import subject_of, without_order

# A number or a sum is above one end, a code is among some, a value is missing. Of a missing value only `Missing` holds. Sums are
# added up from left to right, and a sum that is NaN is above nothing.
Question: TypeAlias = Between | SumBetween | OneOf | Missing


@frozen
class Jump:
    """A question, and the targets if its condition holds and if it does not."""

    question: Question
    passes: int
    fails: int


@frozen
class ProgramEnd:
    """Where a row passes no further test: the number of the node, and the targets of its parts that go on.

    What ends here is said by the node. In a program of one node alone, `number` is that of the child.
    """

    number: int
    routes: tuple[tuple[int, float], ...] = ()


@frozen
class Program:
    """Jumps and ends; `start` is the first target. A tree without splits starts at an end."""

    jumps: tuple[Jump, ...]
    ends: tuple[ProgramEnd, ...]
    start: int


def program(listed: ExportNodes) -> Program:
    """The nodes of a tree as single tests with jumps, and the nodes at the ends.

    >>> from ftree import Dataset, grow
    >>> from ftree.exchange import export_nodes
    >>> tree = grow(Dataset.from_columns({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y"))
    >>> [(str(jump.question), jump.passes, jump.fails) for jump in program(export_nodes(tree, missing="stop_here")).jumps]
    [('0 > 1.5', -1, 1), ('0 is missing', -2, -3)]
    """
    made = _Maker()
    entries = [0] * len(listed.nodes)
    for number in reversed(range(len(listed.nodes))):
        node = listed.nodes[number]
        if node.onward is None:
            otherwise = made.end(ProgramEnd(number, tuple([(entries[child], share) for child, share in node.routes])))
        else:
            otherwise = entries[node.onward]
        entries[number] = made.first(node.tests, [entries[child] for child in node.children], otherwise)
    return _reachable(made, entries[0])


def child_program(node: ExportNode) -> Program:
    """The tests of one node alone as a program; the number of an end is the place of the child, that after the last for none.

    >>> node = ExportNode(0, (2, 2), False, [Between(0, above=1.5), Between(0, at_most=1.5)], (1, 2), (0.5, 0.5), 0.0)
    >>> sorted(end.number for end in child_program(node).ends)
    [0, 1, 2]
    """
    made = _Maker()
    *children, none = (made.end(ProgramEnd(place)) for place in range(len(node.tests) + 1))
    return _reachable(made, made.first(node.tests, children, none))


@frozen(eq=False)
class _Maker:
    """The jumps and ends made so far; those further down the tree are made first."""

    jumps: list[Jump] = field(factory=list)
    ends: list[ProgramEnd] = field(factory=list)

    def end(self, end: ProgramEnd) -> int:
        """The target of a new end."""
        self.ends.append(end)
        return ~(len(self.ends) - 1)

    def first(self, tests: Sequence[Any], targets: Sequence[int], otherwise: int) -> int:
        """The target at which tests begin; the first that passes sends a row to its target."""
        target = otherwise
        for test, passes in reversed(list(zip(tests, targets, strict=True))):
            target = self.test(test, passes, target)
        return target

    def ask(self, question: Question, passes: int, fails: int) -> int:
        """The target of a new question; a question that changes no row's way is not asked, nor is one whose answer is known."""
        passes = next_unknown(self.jumps, passes, question, outcome=True)
        fails = next_unknown(self.jumps, fails, question, outcome=False)
        if passes == next_unknown(self.jumps, fails, question, outcome=True):
            return fails
        self.jumps.append(Jump(question, passes, fails))
        return len(self.jumps) - 1

    def test(self, test: Any, passes: int, fails: int) -> int:
        """The target at which a test of a node begins."""
        match test:
            case Not(inner):
                target = self.test(inner, fails, passes)
            case FirstKnown():
                target = self.test(without_order(test), passes, fails)
            case AllOf(tests):
                target = reduce(lambda onward, each: self.test(each, onward, fails), reversed(tests), passes)
            case AnyOf(tests):
                target = reduce(lambda onward, each: self.test(each, passes, onward), reversed(tests), fails)
            case Between() | SumBetween():
                target = self._interval(test, passes, fails)
            case OneOf(_, ()):
                target = fails
            case OneOf() | Missing():
                target = self.ask(test, passes, fails)
            case _:
                raise unknown_test(test, "a program")
        return target

    def _interval(self, test: Between | SumBetween, passes: int, fails: int) -> int:
        """A number is known, not above one end, and above the other."""
        if test.above > -inf:
            passes = self.ask(evolve(test, at_most=inf), passes, fails)
        else:
            for feature in reversed(features_of(test)):
                passes = self.ask(Missing(feature), fails, passes)
        return passes if test.at_most == inf else self.ask(evolve(test, above=test.at_most, at_most=inf), fails, passes)


def next_unknown(jumps: Sequence[Jump], target: int, question: Question, *, outcome: bool) -> int:
    """The target, or the next one, if the outcome of a question determines the target's own question."""
    while target >= 0 and (answer := _implied(question, jumps[target].question, outcome=outcome)) is not None:
        target = jumps[target].passes if answer else jumps[target].fails
    return target


def _implied(known: Question, other: Question, *, outcome: bool) -> bool | None:
    """Whether another question passes, if the outcome of a known one implies it; None if it does not."""
    if type(known) is type(other) and not isinstance(known, OneOf) and subject_of(known) == subject_of(other):
        at, end = (getattr(each, "above", 0.0) for each in (known, other))
        return outcome if outcome == (end <= at) or end == at else None
    if not outcome or not set(features_of(known)) & set(features_of(other)):
        return None
    # A missing value passes no other question; and a value that passes one is not missing, nor is any part of a sum.
    return False if isinstance(known, Missing) != isinstance(other, Missing) else None


def _reachable(made: _Maker, start: int) -> Program:
    """The jumps and ends that rows can reach, in the order in which they are found."""
    jumps: dict[int, int] = {}
    ends: dict[int, int] = {}
    stack = [start]
    while stack:
        target = stack.pop()
        found = jumps if target >= 0 else ends
        if target in found:
            continue
        found[target] = len(found)
        jump = made.jumps[target] if target >= 0 else None
        routes = [entry for entry, _ in made.ends[~target].routes] if jump is None else [jump.passes, jump.fails]
        stack += reversed(routes)
    new: dict[int, int] = jumps | {target: ~number for target, number in ends.items()}
    return Program(
        tuple([evolve(made.jumps[at], passes=new[made.jumps[at].passes], fails=new[made.jumps[at].fails]) for at in jumps]),
        tuple(
            [evolve(end, routes=tuple([(new[at], share) for at, share in end.routes])) for end in (made.ends[~at] for at in ends)]
        ),
        new[start],
    )
