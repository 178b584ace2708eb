"""Programs of jumps as attributes of ONNX's operator TreeEnsemble, which sends each row to one leaf of each tree."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree.exchange.jumps import Jump, Program, Question, program
from ftree.exchange.step_list import Step, Steps

# Kinds of nodes: x <= a, x > a, x = a, x is one of several. A missing value makes all of them false.
_AT_MOST, _ABOVE, _EQUAL, _MEMBER = 0, 3, 4, 6
# The columns that a sum adds up, with their weights.
Sum = tuple[tuple[int, ...], tuple[float, ...]]


@frozen
class _Node:
    """A test in ONNX's numbers, and the targets of rows; a negative target is a leaf, `~target`."""

    column: int
    mode: int
    number: float
    members: tuple[int, ...]
    if_true: int
    if_false: int


@frozen(eq=False)
class Ensemble:
    """The trees added so far; each gives a row the number of its target. Sums are columns after those of the features."""

    used: tuple[int, ...]  # numbers of the features that are columns
    sums: list[Sum] = field(factory=list)
    nodes: list[_Node] = field(factory=list)
    leaves: list[tuple[int, float]] = field(factory=list)  # target, number
    roots: list[int] = field(factory=list)

    def add(self, made: Program, answers: Sequence[float]) -> None:
        """Add a tree that gives the number of the end that a row reaches; jumps on several paths are repeated."""
        first_leaf = len(self.leaves)
        self.leaves.extend((len(self.roots), float(answer)) for answer in answers)
        self.roots.append(len(self.nodes))
        targets = [made.start]
        for target in targets:  # the list grows while it is read
            asked = self._node(made, target)
            links = []
            for onward in (asked.if_true, asked.if_false):
                targets += [onward] * (onward >= 0)
                links.append(onward - first_leaf if onward < 0 else self.roots[-1] + len(targets) - 1)
            self.nodes.append(_Node(asked.column, asked.mode, asked.number, asked.members, *links))

    def _node(self, made: Program, target: int) -> _Node:
        """The node of a target, with targets of the program."""
        if target < 0:
            return _Node(0, _AT_MOST, inf, (), target, target)
        jump = made.jumps[target]
        question, passes, fails = jump.question, jump.passes, jump.fails
        column = self._column(question)
        if question.kind == "among":
            mode = _EQUAL if len(question.codes) == 1 else _MEMBER
            return _Node(column, mode, float(question.codes[0]), question.codes, passes, fails)
        if question.kind == "missing":  # a known number is at most infinity
            return _Node(column, _AT_MOST, inf, (), fails, passes)
        known = _where_known(made, jump)
        if known is not None:
            return _Node(column, _AT_MOST, question.at, (), known, passes)
        return _Node(column, _ABOVE, question.at, (), passes, fails)

    def _column(self, question: Question) -> int:
        """The column that a question tests."""
        if question.kind != "sum":
            return self.used.index(question.features[0])
        asked = question.features, question.weights
        if asked not in self.sums:
            self.sums.append(asked)
        return len(self.used) + self.sums.index(asked)

    def attributes(self, tensor: Callable[[Any], Any]) -> dict[str, Any]:
        """The attributes of the operator; `tensor` makes a tensor of an array."""
        members = [number for node in self.nodes if node.mode == _MEMBER for number in (*node.members, nan)]
        return {
            "nodes_featureids": [node.column for node in self.nodes],
            "nodes_splits": tensor(np.array([node.number for node in self.nodes])),
            "nodes_modes": tensor(np.array([node.mode for node in self.nodes], dtype=np.uint8)),
            "nodes_truenodeids": [_place(node.if_true) for node in self.nodes],
            "nodes_falsenodeids": [_place(node.if_false) for node in self.nodes],
            "nodes_trueleafs": [int(node.if_true < 0) for node in self.nodes],
            "nodes_falseleafs": [int(node.if_false < 0) for node in self.nodes],
            "leaf_targetids": [target for target, _ in self.leaves],
            "leaf_weights": tensor(np.array([number for _, number in self.leaves])),
            "tree_roots": self.roots,
            "n_targets": len(self.roots),
            "post_transform": 0,
            "aggregate_function": 1,
        } | ({"membership_values": tensor(np.array(members))} if members else {})


def is_tree(made: Program) -> bool:
    """Whether only one path leads to each jump, so that none would be repeated."""
    nodes = [(jump.passes, _where_known(made, jump)) for jump in made.jumps]
    links = [made.jumps[at].fails if known is None else known for at, (_, known) in enumerate(nodes)]
    seen = Counter(target for target in (*(passes for passes, _ in nodes), *links) if target >= 0)
    return max(seen.values(), default=0) <= 1


def _where_known(made: Program, jump: Jump) -> int | None:
    """The target of a row that is not above a number, if missing values and values above it go the same way; else None."""
    if jump.question.kind != "above" or jump.fails < 0:
        return None
    following = made.jumps[jump.fails]
    same = following.question.kind == "missing" and following.question.features == jump.question.features
    return following.fails if same and following.passes == jump.passes else None


def _place(target: int) -> int:
    return target if target >= 0 else ~target


def child_program(listed: Steps, step: Step) -> Program:
    """The program of one step alone, with the child's position as the count of each end, and the number of children for none."""
    n_children = len(step.children)
    ends = [Step(1, (place,), inherited=False) for place in range(n_children)]
    alone = Step(0, (n_children,), False, step.tests, tuple(range(1, n_children + 1)), (0.0,) * n_children)  # noqa: FBT003  # a field
    return program(Steps(listed.schema, listed.rule, listed.distributions, (alone, *ends)))
