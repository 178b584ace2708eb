"""The graph of an ONNX model while it is made: its nodes, the features as inputs and as columns of doubles, and the trees.

Trees are programs of jumps, as attributes of ONNX's operator TreeEnsemble, which sends each row to one leaf of each tree.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from math import inf, nan
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.messages import short_repr
from ftree.exchange.jumps import Jump, Program, next_unknown
from ftree.exchange.neutral_form import ExportNodes
from ftree.exchange.plain_values import plain_value, without_nul
from ftree.tree.conditions import Between, Missing, OneOf, SumBetween
from ftree.tree.logic import subject_of
from ftree.tree.schema import Feature

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


# The prefix of the names of inner values.
PREFIX = "ftree:"
_NEARLY_ONE = 1e-3


@frozen(eq=False)
class Graph:
    """The nodes made so far, each with one output; with `rows`, the name of row numbers, features are read in these only."""

    onnx: Any
    listed: ExportNodes
    bool_inputs: bool = False
    nodes: list[Any] = field(factory=list)
    rows: str | None = None

    @property
    def used(self) -> tuple[int, ...]:
        """Numbers of the features that tests use; at least one, which determines the number of rows."""
        return self.listed.used_features or (0,)

    def add(self, operator: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """The name of the output of a new node; an input that is not a name is a constant."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        made = output or f"{PREFIX}{len(self.nodes)}"
        domain = "ai.onnx.ml" if operator in {"LabelEncoder", "TreeEnsemble"} else ""
        self.nodes.append(self.onnx.helper.make_node(operator, names, [made], domain=domain, **attributes))
        return made

    def constant(self, value: Any) -> str:
        """The name of a constant array."""
        return self.add("Constant", value=self.tensor(value))

    def tensor(self, value: Any) -> Any:
        """A tensor of an array; texts are an array of objects."""
        array = np.asarray(value)
        return self.onnx.numpy_helper.from_array(array.astype(object) if array.dtype.kind == "U" else array)

    def trees(self, ensemble: Ensemble) -> str:
        """The numbers that the trees of an ensemble predict, (n, trees)."""
        columns = [self._column(number) for number in self.used]
        columns += [
            self._sum([columns[self.used.index(each)] for each in features], weights) for features, weights in ensemble.sums
        ]
        return self.add("TreeEnsemble", self.add("Concat", *columns, axis=1), **ensemble.attributes(self.tensor))

    def model(self, results: dict[str, tuple[Any, list[int | None]]]) -> Any:
        """The model of all nodes; `results` are the types and the shapes of its outputs."""
        make, types = self.onnx.helper.make_tensor_value_info, self.onnx.TensorProto
        inputs = [make(each.name, _input_type(types, each, self.bool_inputs), [None, 1]) for each in self.listed.schema.features]
        outputs = [make(name, *result) for name, result in results.items()]
        versions = [self.onnx.helper.make_opsetid("", 18), self.onnx.helper.make_opsetid("ai.onnx.ml", 5)]
        graph = self.onnx.helper.make_graph(self.nodes, "tree", inputs, outputs)
        return self.onnx.helper.make_model(graph, opset_imports=versions, ir_version=8, producer_name="ftree")

    def _column(self, number: int) -> str:
        """A feature as doubles (n, 1): its numbers or codes, NaN where missing."""
        feature = self.listed.schema.features[number]
        column = feature.name if self.rows is None else self.add("Gather", feature.name, self.rows, axis=0)
        if feature.kind == "numeric":
            return column
        if self.bool_inputs and _is_boolean(feature):
            column = self.add("Cast", column, to=self.onnx.TensorProto.INT64)
        keys = _keys(feature)
        codes, other = np.arange(float(len(keys))), nan
        if keys.dtype.kind == "U" and "" not in keys:  # the empty text is missing, any other one unseen
            keys, codes, other = np.append(keys, ""), np.append(codes, nan), -1.0
        given = {"keys_tensor": keys, "values_tensor": codes, "default_tensor": [other]}
        return self.add("LabelEncoder", column, **{name: self.tensor(each) for name, each in given.items()})

    def _sum(self, columns: list[str], weights: tuple[float, ...]) -> str:
        """A weighted sum, added up from left to right."""
        terms = []
        for column, weight in zip(columns, weights, strict=True):
            nearly = weight != 1 and abs(weight - 1) < _NEARLY_ONE  # onnxruntime would omit such a weight
            terms.append(self.add("Neg", self.add("Mul", column, [-weight])) if nearly else self.add("Mul", column, [weight]))
        return reduce(partial(self.add, "Add"), terms)


def are_texts(values: Iterable[Any]) -> bool:
    """Whether all values are texts.

    >>> are_texts(["a", "b"]), are_texts(["a", 1])
    (True, False)
    """
    return all(isinstance(value, str) for value in values)


def is_whole(values: Iterable[Any]) -> bool:
    """Whether all values are integers, or all are booleans.

    >>> is_whole([1, 2]), is_whole([True, False]), is_whole([1, "a"])
    (True, True, False)
    """
    return {type(value) for value in values} in ({int}, {bool})


def _keys(feature: Feature) -> Any:
    """The values of a feature as an array; None is the empty text."""
    values = [plain_value(f"A value of {feature.name!r}", value) for value in feature.values]
    texts = ["" if value is None else value for value in values]
    if are_texts(texts) and len(set(texts)) == len(texts):
        return np.array([without_nul(text, "ONNX") for text in texts])
    if not is_whole(values):
        wanted = "all texts, of which None is the empty one, or all whole numbers, to be written in ONNX"
        raise ValueError(f"Values of {short_repr(feature.name)} must be {wanted}, got {short_repr(values)}.")
    if not all(-(2**63) <= value < 2**63 for value in values):
        raise ValueError(
            f"Whole numbers of {short_repr(feature.name)} must be of 64 bits to be written in ONNX, got {short_repr(values)}."
        )
    return np.array(values, dtype=np.int64)


def _is_boolean(feature: Feature) -> bool:
    return {type(value) for value in feature.values} == {bool}


def _input_type(types: Any, feature: Feature, bool_inputs: bool) -> Any:  # noqa: FBT001  # private
    if feature.kind == "numeric":
        return types.DOUBLE
    if bool_inputs and _is_boolean(feature):
        return types.BOOL
    return types.INT64 if is_whole(feature.values) else types.STRING
