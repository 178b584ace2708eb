"""A tree as an ONNX model: one tree if rows follow one path, sums over the leaves as graph operators if they are divided."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ftree._lib.messages import joined
from ftree._lib.ties import NEARLY
from ftree.exchange.checks import plain_labels
from ftree.exchange.jumps import Program, program
from ftree.exchange.onnx_graph import PREFIX, Graph, is_texts, is_whole
from ftree.exchange.onnx_trees import Ensemble, child_program, is_tree
from ftree.exchange.step_list import Steps, steps
from ftree.routing.rule_names import Missing
from ftree.tree.nodes import Tree

# Onnxruntime reads a tree by recursion.
DEEPEST = 1_000


def to_onnx(tree: Tree, *, missing: Missing | None = None) -> Any:
    """A tree as a model of ONNX, of type `onnx.ModelProto`, with the outputs `label` (n,) and `counts` (n, K).

    It has an input (n, 1) for each feature, with its name: doubles, NaN where missing, for numbers, seconds for a time; texts for
    texts; integers for integers and booleans. Any value that the schema lacks is missing; if None is one of the values, it
    is the empty text. Numbers are compared as doubles. The outputs are those of `predict` and `predict_counts` by the rule
    `missing`, which may be any rule; None is the tree's own. Needs the extra `onnx`, and a runtime with ai.onnx.ml 5.

    Raises an ImportError without onnx, a TypeError for anything but a Tree. Raises a ValueError for a tree with more than 1,000
    splits on a path, for an opaque split, for a schema without features, and for a feature or classes that are neither
    texts nor whole numbers.

    >>> from ftree import Dataset, grow
    >>> model = to_onnx(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    >>> [put.name for put in model.graph.input], [put.name for put in model.graph.output]
    (['sky'], ['label', 'counts'])
    """
    onnx = _onnx()
    listed = steps(tree, missing=missing)
    _check(listed)
    graph = Graph(onnx, listed)
    made = program(listed)
    one_tree = listed.one_route and is_tree(made)
    counts = _counts_of_one_tree(graph, made) if one_tree else _counts_of_sums(graph, listed)
    graph.add("Identity", counts, output="counts")
    most = graph.add("ReduceMax", counts, [1], keepdims=1)
    least = graph.add("Sub", most, graph.add("Mul", most, 1 - NEARLY))  # onnxruntime omits a product with nearly 1
    is_label = graph.add("Cast", graph.add("GreaterOrEqual", counts, least), to=onnx.TensorProto.FLOAT)
    number = graph.add("ArgMax", is_label, axis=1, keepdims=0)  # the first of those with the largest count
    graph.add("Gather", _labels(listed), number, output="label")
    return graph.model(_labels(listed).dtype)


def _onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415  # an extra that only this export needs
    except ImportError as error:
        message = "onnx must be installed for to_onnx, got none. Run pip install 'ftrees[onnx]'."
        raise ImportError(message) from error
    return onnx


def _check(listed: Steps) -> None:
    if listed.depth > DEEPEST:
        message = (
            f"tree must have at most {DEEPEST} splits on a path to be written in ONNX, got {listed.depth}. Use to_python or to_c."
        )
        raise ValueError(message)
    names = [feature.name for feature in listed.schema.features]
    taken = [name for name in names if name in {"label", "counts"} or name.startswith(PREFIX)]
    if taken:
        message = (
            f"tree must have features with other names than the outputs, label and counts, got {taken[0]!r}. Rename the feature."
        )
        raise ValueError(message)
    if not listed.schema.features:
        message = "tree must have a feature to be written in ONNX, since a model's inputs determine its rows."
        raise ValueError(message)


def _labels(listed: Steps) -> Any:
    """The classes as an array."""
    labels = plain_labels(listed.schema)
    if not (is_texts(labels) or is_whole(labels)):
        wanted = "classes that are all texts or all whole numbers to be written in ONNX"
        message = f"tree must have {wanted}, got {joined(map(repr, labels))}."
        raise ValueError(message)
    return np.array(labels)


def _counts_of_one_tree(graph: Graph, made: Program) -> str:
    """The counts of the end that each row reaches."""
    ensemble = Ensemble(graph.used)
    ensemble.add(made, range(len(made.ends)))
    end = graph.add("Cast", graph.trees(ensemble), to=graph.onnx.TensorProto.INT64)
    counts = np.array([end.counts for end in made.ends], dtype=np.float64)
    return graph.add("Gather", counts, graph.add("Squeeze", end, [1]), axis=0)


def _counts_of_sums(graph: Graph, listed: Steps) -> str:
    """The counts of all ends, times the part of the row that ends there."""
    parts, ended = zip(*_ends(graph, listed), strict=True)
    ends = [listed.steps[number] for numbers in ended for number in numbers]
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


def _ends(graph: Graph, listed: Steps) -> Iterator[tuple[str, list[int]]]:
    """The parts of rows that end, (n, ends), and the numbers of the steps where they do, level by level."""
    branches = [number for number, step in enumerate(listed.steps) if step.children]
    ensemble = Ensemble(graph.used)
    for number in branches:
        made = child_program(listed, listed.steps[number])
        ensemble.add(made, [end.counts[0] for end in made.ends])
    answer = graph.trees(ensemble)
    goes, stays = _goes(graph, listed, branches, answer), _stays(graph, listed, branches, answer)
    level, part = [0], ""
    while level:
        leaves = [place for place, number in enumerate(level) if not listed.steps[number].children]
        if leaves:
            yield graph.add("Gather", part, leaves, axis=1), [level[place] for place in leaves]
        ending = [place for place, number in enumerate(level) if listed.steps[number].children and listed.steps[number].stays]
        if ending:
            numbers = [level[place] for place in ending]
            here = graph.add("Gather", stays, [branches.index(number) for number in numbers], axis=1)
            yield (graph.add("Mul", here, graph.add("Gather", part, ending, axis=1)) if part else here), numbers
        below = [(place, child) for place, number in enumerate(level) for child in listed.steps[number].children]
        level = [child for _, child in below]
        if level:
            onward = graph.add("Gather", goes, [child - 1 for child in level], axis=1)
            came = graph.add("Gather", part, [place for place, _ in below], axis=1) if part else ""
            part = graph.add("Mul", onward, came) if part else onward


def _goes(graph: Graph, listed: Steps, branches: list[int], answer: str) -> str:
    """The part of a row that goes to each step but the root from the step above, (n, steps - 1)."""
    above = {
        child: (column, place)
        for column, number in enumerate(branches)
        for place, child in enumerate(listed.steps[number].children)
    }
    ways = [above[child] for child in range(1, len(listed.steps))]
    asked = [listed.steps[branches[column]] for column, _ in ways]
    answers = graph.add("Gather", answer, [column for column, _ in ways], axis=1)
    passes = graph.equal(answers, [place for _, place in ways])
    none = graph.equal(answers, [len(step.children) for step in asked])
    shares = np.array([step.shares[place] for step, (_, place) in zip(asked, ways, strict=True)])
    return graph.add("Add", passes, graph.add("Mul", none, shares))


def _stays(graph: Graph, listed: Steps, branches: list[int], answer: str) -> str:
    """The part of a row at each branch that ends there, (n, branches)."""
    asked = [listed.steps[number] for number in branches]
    none = graph.equal(answer, [len(step.children) for step in asked])
    return graph.add("Mul", none, np.array([step.stays for step in asked]))
