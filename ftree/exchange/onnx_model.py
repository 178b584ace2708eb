"""A tree as an ONNX model: one tree for rows that follow one path, sums over the leaves as graph operators for divided ones."""

from collections.abc import Iterator
from itertools import groupby
from math import frexp, ldexp
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import NEARLY
from ftree._lib.fields import require_boolean
from ftree._lib.messages import how_to_install, imported, joined
from ftree.exchange.jumps import Program, child_program, program
from ftree.exchange.neutral_form import ExportNode, ExportNodes, Step, export_nodes
from ftree.exchange.onnx_graph import PREFIX, Ensemble, Graph, are_texts, is_tree, is_whole
from ftree.exchange.plain_values import free_names, plain_labels, without_nul
from ftree.exchange.sums_of_nodes import Quotient
from ftree.routing.missing_rules import MissingRule
from ftree.tree.nodes import Tree, tree_of
from ftree.tree.schema import names_of

# Onnxruntime reads a tree by recursion.
_DEEP = 1_000


def to_onnx(tree: Tree, *, missing: MissingRule | None = None, bool_inputs: bool = False) -> Any:
    """A tree as a model of ONNX, of type `onnx.ModelProto`, with the outputs `label` (n,) and `counts` (n, K).

    The output of a regression tree is `number` (n,), doubles. An output's name ends in _ where a feature has the name.
    It has an input (n, 1) for each feature, with its name: doubles, NaN where missing, for numbers, seconds for a time; texts for
    texts; integers for integers and booleans, or with `bool_inputs` booleans for these, which cannot be missing. The empty text
    is missing, or the value None if it is one; where it is a value itself, and of integers, any that the schema lacks is
    missing. Numbers are compared as doubles. The outputs are those of `predict` and `predict_counts` by the rule `missing`,
    which may be any rule; None is the tree's own. A divided row evaluates all leaves, another row one path. With surrogates,
    every row evaluates all leaves. Needs the extra `onnx`, and a runtime with ai.onnx.ml 5.

    Raises an ImportError without onnx, a TypeError for anything but a Tree. Raises a ValueError for a tree with more than 1,000
    splits on a path, for an opaque split, for a schema without features, and for a feature or classes that are neither
    texts nor whole numbers.

    >>> from ftree import Dataset, grow
    >>> model = to_onnx(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    >>> [put.name for put in model.graph.input], [put.name for put in model.graph.output]
    (['sky'], ['label', 'counts'])
    """
    require_boolean("bool_inputs", bool_inputs)
    onnx = imported("onnx", f"onnx must be installed for to_onnx, got none. {how_to_install('onnx')}")
    listed = export_nodes(tree_of(tree), missing=missing)
    _check(listed)
    if listed.quotient is None:
        return _model_of_classes(Graph(onnx, listed, bool_inputs))
    listed, quotient = _without_centre(listed, listed.quotient)
    return _model_of_numbers(Graph(onnx, listed, bool_inputs), quotient)


def _model_of_classes(graph: Graph) -> Any:
    types, listed = graph.onnx.TensorProto, graph.listed
    label_name, counts_name = free_names(names_of(listed.schema.features), "label", "counts")
    counts = graph.add("Identity", _counts(graph), output=counts_name)
    most = graph.add("ReduceMax", counts, [1], keepdims=1)
    least = graph.add("Sub", most, graph.add("Mul", most, 1 - NEARLY))  # onnxruntime omits a product with nearly 1
    is_label = graph.add("Cast", graph.add("GreaterOrEqual", counts, least), to=types.FLOAT)
    number = graph.add("ArgMax", is_label, axis=1, keepdims=0)  # the first of those with the largest count
    labels = _labels(listed)
    graph.add("Gather", labels, number, output=label_name)
    kind = types.STRING if labels.dtype.kind == "U" else graph.onnx.helper.np_dtype_to_tensor_dtype(labels.dtype)
    return graph.model({label_name: (kind, [None]), counts_name: (types.DOUBLE, [None, len(labels)])})


def _model_of_numbers(graph: Graph, quotient: Quotient) -> Any:
    (name,), sums = free_names(names_of(graph.listed.schema.features), "number"), _counts(graph)
    size, total = (graph.add("Gather", sums, channel, axis=1) for channel in (0, 1))
    if quotient.more:
        size, total = graph.add("Add", size, quotient.rest), graph.add("Add", total, quotient.more)
    graph.add("Div", total, size, output=name)
    return graph.model({name: (graph.onnx.TensorProto.DOUBLE, [None])})


def _without_centre(listed: ExportNodes, old: Quotient) -> tuple[ExportNodes, Quotient]:
    """Nodes whose sums answer by a quotient alone: onnxruntime omits additions of numbers near 0, such as a centre.

    For the same reason, sums are multiplied by a power of two so that none of the others is below 1.
    """
    least = min(old.rest, old.more)
    times = ldexp(1.0, 1 - frexp(least)[1]) if 0 < least < 1 else 1.0

    def sums(node: ExportNode) -> tuple[float, float]:
        size, total = node.counts
        whole = (size * old.centre + old.unit * total) / old.divisor
        return (times * size, times * whole) if size + old.rest > 0 else (1.0, old.empty)

    found = evolve(listed, nodes=tuple([evolve(node, counts=sums(node)) for node in listed.nodes]))
    return found, Quotient(rest=times * old.rest, more=times * old.more)


def _check(listed: ExportNodes) -> None:
    listed.check_depth(_DEEP, "ONNX")
    if listed.regressors:
        wanted = "nodes that answer with a number to be written in ONNX"
        raise ValueError(f"tree must have {wanted}, got {listed.schema.response.kind}. Use to_python, to_c, to_sql or to_pmml.")
    names = [without_nul(feature.name, "ONNX") for feature in listed.schema.features]
    taken = [name for name in names if not name or name.startswith(PREFIX)]
    if taken:
        wanted = f"features whose names are not empty and do not begin with {PREFIX!r} to be written in ONNX"
        raise ValueError(f"tree must have {wanted}, got {taken[0]!r}. Rename the feature.")
    if not listed.schema.features:
        raise ValueError("tree must have a feature to be written in ONNX, since a model's inputs determine its rows.")


def _labels(listed: ExportNodes) -> Any:
    """The classes as an array."""
    labels = plain_labels(listed.schema)
    if not (are_texts(labels) or is_whole(labels)):
        wanted = "classes that are all texts or all whole numbers to be written in ONNX"
        raise ValueError(f"tree must have {wanted}, got {joined(map(repr, labels))}.")
    return np.array([without_nul(each, "ONNX") if isinstance(each, str) else each for each in labels])


def _counts(graph: Graph) -> str:
    """The counts that answer each row, (n, K)."""
    made = program(graph.listed)
    return _counts_of_one_tree(graph, made) if is_tree(made) else _counts_of_sums(graph)


def _counts_of_one_tree(graph: Graph, made: Program) -> str:
    """The counts of the end that each row reaches, and sums over all ends for those rows that are divided."""
    nodes, ensemble = graph.listed.nodes, Ensemble(graph.used)
    ensemble.add(made, range(len(made.ends)))
    reached = graph.add("Squeeze", graph.add("Cast", graph.trees(ensemble), to=graph.onnx.TensorProto.INT64), [1])
    counts = graph.add("Gather", np.array([nodes[end.number].counts for end in made.ends], dtype=np.float64), reached, axis=0)
    divides = np.array([bool(end.routes) for end in made.ends])
    if not divides.any():
        return counts
    rows = graph.add("Squeeze", graph.add("NonZero", graph.add("Gather", divides, reached, axis=0)), [0])
    sums = _counts_of_sums(evolve(graph, rows=rows))
    return graph.add("ScatterND", counts, graph.add("Unsqueeze", rows, [1]), sums)


def _counts_of_sums(graph: Graph) -> str:
    """The counts of all ends, times the part of the row that ends there."""
    parts, ended = zip(*_ends(graph), strict=True)
    ends = [graph.listed.nodes[number] for numbers in ended for number in numbers]
    part = graph.add("Concat", *parts, axis=1)
    counts = np.array([end.counts for end in ends], dtype=np.float64)
    inherited = np.array([end.inherited for end in ends])
    own = graph.add("MatMul", part, np.where(inherited[:, None], 0.0, counts))
    if not inherited.any():
        return own
    chosen = graph.add("Gather", graph.add("Unsqueeze", part, [2]), np.flatnonzero(inherited), axis=1)
    from_above = graph.add("ReduceMax", graph.add("Mul", chosen, counts[inherited]), [1], keepdims=0)
    has_cases = graph.add("Greater", graph.add("ReduceSum", own, [1], keepdims=1), 0.0)
    return graph.add("Where", has_cases, own, from_above)


def _ends(graph: Graph) -> Iterator[tuple[str, list[int]]]:
    """The parts of rows that end, (n, ends), and the numbers of the nodes where they do, level by level."""
    steps = list(graph.listed.steps())
    taken = _taken(graph, steps)
    below = {node: list(numbers) for node, numbers in groupby(range(len(steps)), key=lambda number: steps[number].node)}
    level, part = [(0, 0)], ""  # the branches of a level, each with the column of its part
    while level:
        onward = [(column, number) for column, node in level for number in below[node]]
        part = _times(graph, part, [column for column, _ in onward], taken, [number for _, number in onward])
        level, ended = list[tuple[int, int]](), list[tuple[int, int]]()
        for column, (_, number) in enumerate(onward):
            child = steps[number].child
            (level if child in below else ended).append((column, steps[number].node if child is None else child))
        if ended:
            yield graph.add("Gather", part, [column for column, _ in ended], axis=1), [node for _, node in ended]


def _times(graph: Graph, part: str, places: list[int], factors: str, columns: list[int]) -> str:
    """Some columns of the factors, times the parts at some places; "" is a whole row."""
    chosen = graph.add("Gather", factors, columns, axis=1)
    return graph.add("Mul", chosen, graph.add("Gather", part, places, axis=1)) if part else chosen


def _taken(graph: Graph, steps: list[Step]) -> str:
    """The part of a row at a node that takes each step from there, (n, steps)."""
    nodes, ensemble, column = graph.listed.nodes, Ensemble(graph.used), dict[int, int]()
    for number, node in enumerate(nodes):
        if node.children:
            made = child_program(node)
            column[number] = len(ensemble.roots)
            ensemble.add(made, [end.number for end in made.ends])
    child = graph.add("Gather", graph.trees(ensemble), [column[step.node] for step in steps], axis=1)
    passes = graph.add("Equal", child, np.array([step.place for step in steps], np.float64))
    passes_none = graph.add("Equal", child, np.array([len(nodes[step.node].children) for step in steps], np.float64))
    whole = graph.add("Cast", passes, to=graph.onnx.TensorProto.DOUBLE)
    return graph.add("Where", passes_none, np.array([step.share for step in steps]), whole)
