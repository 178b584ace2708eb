"""Programs of jumps as attributes of ONNX's operator TreeEnsemble, which sends each row to one leaf of each tree."""

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree.exchange.jumps import Jump, Program, next_unknown
from ftree.tree.conditions import Between, Missing, OneOf, SumBetween
from ftree.tree.logic import subject_of

# Kinds of nodes: x <= a, x > a, x = a, x is one of several. A missing value makes all of them false.
_AT_MOST, _ABOVE, _EQUAL, _MEMBER = 0, 3, 4, 6


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
    sums: dict[Any, int] = field(factory=dict)  # numbers of the sums, by their features and weights
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
            self.nodes.append(evolve(asked, if_true=links[0], if_false=links[1]))

    def _node(self, made: Program, target: int) -> _Node:
        """The node of a target, with targets of the program."""
        if target < 0:
            return _Node(0, _AT_MOST, inf, (), target, target)
        jump = made.jumps[target]
        asked: Any = jump.question
        if isinstance(asked, SumBetween):
            column = len(self.used) + self.sums.setdefault(subject_of(asked), len(self.sums))
            return _Node(column, _ABOVE, asked.above, (), jump.passes, jump.fails)
        column, known = self.used.index(asked.feature), _where_known(made, jump)
        match asked:
            case OneOf():
                codes: Any = asked.values
                return _Node(column, _EQUAL if len(codes) == 1 else _MEMBER, float(codes[0]), codes, jump.passes, jump.fails)
            case Missing():  # a known number is at most infinity
                return _Node(column, _AT_MOST, inf, (), jump.fails, jump.passes)
        if known is not None:
            return _Node(column, _AT_MOST, asked.above, (), known, jump.passes)
        return _Node(column, _ABOVE, asked.above, (), jump.passes, jump.fails)

    def attributes(self, tensor: Callable[[Any], Any]) -> dict[str, Any]:
        """The attributes of the operator; `tensor` makes a tensor of an array."""
        members = [number for node in self.nodes if node.mode == _MEMBER for number in (*node.members, nan)]
        return {
            "nodes_featureids": [node.column for node in self.nodes],
            "nodes_splits": tensor(np.array([node.number for node in self.nodes])),
            "nodes_modes": tensor(np.array([node.mode for node in self.nodes], dtype=np.uint8)),
            "nodes_truenodeids": [max(node.if_true, ~node.if_true) for node in self.nodes],
            "nodes_falsenodeids": [max(node.if_false, ~node.if_false) for node in self.nodes],
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
    """Whether only one path leads to each jump, so that none would be repeated. It stops at the first repeated jump."""
    targets, found = [made.start], set[int]()
    for target in targets:  # the list grows while it is read
        if target in found:
            return False
        if target >= 0:
            found.add(target)
            known = _where_known(made, made.jumps[target])
            targets += [made.jumps[target].passes, made.jumps[target].fails if known is None else known]
    return True


def _where_known(made: Program, jump: Jump) -> int | None:
    """The target of a row that is not above a number, if missing values and values above it go the same way; else None."""
    if not isinstance(jump.question, Between) or jump.fails < 0:
        return None
    following = made.jumps[jump.fails]
    same = following.question == Missing(jump.question.feature)
    with_those_above = same and following.passes == next_unknown(made.jumps, jump.passes, following.question, outcome=True)
    return following.fails if with_those_above else None
