"""Using a tree: labels, class counts and probabilities for rows, and the way a point takes, in words.

Rows come as a `Dataset` (matched by feature name), as sequences (in the schema's order) or as dicts (an absent
feature is missing); a single point, a sequence or a dict, gets a single answer. A value that a split never saw
is treated as a missing one.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.ties import NEARLY, first_largest
from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset, recoded_columns
from ftree.data.rows import columns_of
from ftree.routing.flat import flat
from ftree.routing.one_row import label_of_point
from ftree.routing.route import Missing, arrivals, check_dataset, check_missing
from ftree.tree.describe import asked, condition
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, check_tree, majority
from ftree.tree.schema import Schema
from ftree.tree.splits import UNKNOWN, Columns, Split, WithSurrogates, child_of, features_of, primary

# From so many rows on that may take several routes, compiled code pays for being loaded.
_MANY = 5_000
# From a tree, rows as `predict` takes them, and the way with missing values, to the counts (n, K) or (K,) that answer.
Leaves: TypeAlias = Callable[[Tree, Any, Missing], Floats]
# From rows to their labels.
Classifier: TypeAlias = Callable[[Any], Any]


def predict(
    tree: Tree,
    rows: Any,
    *,
    missing: Missing = "all_routes",
    leaves: Leaves | None = None,
    priors: Iterable[float] | None = None,
    costs: Iterable[Iterable[float]] | None = None,
) -> Any:
    """The label of one point, or a list of the labels of rows; the first of equals in schema order.

    `leaves` lets something else than a leaf's counts answer, such as `ftree.neighbors.nearest(dataset, k=3)`. With `costs`
    (K, K), rows by true class, the label is that of least expected cost; with `priors` (K,) classes weigh as if they had
    these shares in all.

    Raises a ValueError for points of another length, a KeyError for a column that the schema does not have.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> predict(tree, ["sunny"]), predict(tree, [["rainy"], ["sunny"]])
    ('play', ['stay', 'play'])
    """
    check_tree(tree)
    check_missing(missing)
    if leaves is not None or priors is not None or costs is not None:
        counts = predict_counts(tree, rows, missing=missing, leaves=leaves)
        best = first_largest(counts) if priors is None and costs is None else _cheapest(tree, counts, priors, costs)
        return [tree.schema.classes[code] for code in best] if best.ndim else tree.schema.classes[best]
    single = label_of_point(tree, rows)
    if single is not None:
        return tree.schema.classes[single]
    columns, n, is_point = columns_of(tree.schema, rows)
    labels = _labels(tree, columns, n, missing)
    if is_point:
        return tree.schema.classes[labels[0]]
    classes = np.empty(len(tree.schema.classes), dtype=object)
    classes[:] = tree.schema.classes
    return classes[labels].tolist()


def predict_counts(tree: Tree, rows: Any, *, missing: Missing = "all_routes", leaves: Leaves | None = None) -> Floats:
    """Class counts that answer each row, (n, K), or (K,) for one point.

    At a leaf these are the leaf's counts, or those of the nearest node above that has cases. A row that takes several
    routes gets the sum of their leaves (`all_routes`; where none has cases, class by class the most that any of the
    nodes above them has), or the mean of their distributions (`weighted`).

    With `leaves`, a function of the tree, the rows and `missing`, its answer is taken instead.

    Raises a ValueError for points of another length, a KeyError for a column that the schema does not have.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_counts(tree, [None]).tolist()
    [1.0, 2.0]
    """
    check_tree(tree)
    check_missing(missing)
    if leaves is not None:
        return _asked(leaves, tree, rows, missing)
    columns, n, single = columns_of(tree.schema, rows)
    straight = flat(tree.root)
    leaf = straight.leaf_numbers(columns, n)
    answer = straight.counts[straight.answer[leaf]]
    if missing == "weighted":
        answer = proportions(answer)
    lost = np.flatnonzero(leaf == UNKNOWN)
    if len(lost):
        answer[lost] = _gathered(tree, tuple(column[lost] for column in columns), len(lost), missing)
    return answer[0] if single else answer


def predict_proba(
    tree: Tree, rows: Any, *, estimate: Callable[[Floats], Floats] = proportions, missing: Missing = "all_routes"
) -> Floats:
    """Class probabilities of each row, (n, K), or (K,) for one point, estimated from the counts that answer it.

    `estimate` is `proportions` (raw), `laplace`, `m_estimate(m, prior)`, or any function from counts (..., K) to shares.

    >>> from ftree import grow, laplace
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_proba(tree, ["rainy"], estimate=laplace).tolist()
    [0.25, 0.75]
    """
    if not callable(estimate):
        message = f"estimate is a function of counts, such as laplace or m_estimate(2, prior=(0.6, 0.4)); {estimate!r} came."
        raise TypeError(message)
    return estimate(predict_counts(tree, rows, missing=missing))


def accuracy(
    tree: Tree | Classifier, dataset: Dataset, *, missing: Missing = "all_routes", leaves: Leaves | None = None
) -> float:
    """Share of the dataset's rows, by weight, that the tree labels right; a class unknown to the tree is never right.

    In place of a tree, any classifier: a function from a dataset to a list of labels, such as `ftree.neighbors.knn` answers.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> accuracy(grow(data), data)
    0.75
    """
    if not callable(tree):
        check_tree(tree)
    check_dataset(dataset)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    if not weights.sum():
        message = f"accuracy needs a row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    if not callable(tree) and leaves is None:
        check_missing(missing)
        code_of = {label: code for code, label in enumerate(dataset.schema.classes)}
        codes = np.array([code_of.get(label, UNKNOWN) for label in tree.schema.classes])
        labels = _labels(tree, recoded_columns(dataset, tree.schema.features), len(dataset), missing)
        return float(weights[codes[labels] == dataset.labels].sum() / weights.sum())
    predicted = tree(dataset) if callable(tree) else predict(tree, dataset, missing=missing, leaves=leaves)
    right = [label == dataset.schema.classes[code] for label, code in zip(predicted, dataset.labels, strict=True)]
    return float(weights[np.array(right, dtype=bool)].sum() / weights.sum())


def mean_cost(
    tree: Tree, dataset: Dataset, *, costs: Iterable[Iterable[float]], missing: Missing = "all_routes", decide: bool = True
) -> float:
    """What the tree's answers cost on the dataset's rows, by weight, for a cost matrix (K, K) with rows by true class.

    The tree answers with the label of least expected cost, or, with `decide=False`, with the majority's.

    Raises a ValueError for a dataset without a row of positive weight, for costs of another number of classes, and for
    a row of a class that the tree does not know.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs = [[0, 5], [1, 0]]
    >>> mean_cost(grow(data), data, costs=costs), mean_cost(grow(data), data, costs=costs, decide=False)
    (0.5, 1.25)
    """
    cost, weights = costs_of_answers(tree, dataset, costs=costs, missing=missing, decide=decide)
    return float((weights * cost).sum() / weights.sum())


def costs_of_answers(
    tree: Tree,
    dataset: Dataset,
    *,
    costs: Iterable[Iterable[float]] | None,
    priors: Iterable[float] | None = None,
    missing: Missing = "all_routes",
    decide: bool = True,
) -> tuple[Floats, Floats]:
    """What the tree's answer to each row costs, and the rows' weights; an error costs 1 where no costs are given.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs_of_answers(grow(data), data, costs=[[0, 5], [1, 0]])[0].tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    check_tree(tree)
    check_dataset(dataset)
    rows = dataset.recoded(tree.schema)
    matrix = costs_for(costs, len(tree.schema.classes))
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    if not weights.sum():
        message = f"A mean cost needs a row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    counts = predict_counts(tree, rows, missing=missing)
    given = _cheapest(tree, counts, priors, matrix) if decide else first_largest(counts)
    return np.array(matrix)[rows.labels, given], weights


@frozen
class Route:
    """The way of one point down a tree: its path of child numbers, the reasons in words, the node where it ended."""

    path: Path
    reasons: tuple[str, ...]
    node: Node
    label: Any

    def __str__(self) -> str:
        """Read as a sentence."""
        return f"{' and '.join(self.reasons) or 'always'} -> {self.label}"


def path_of(tree: Tree, point: Any, *, missing: Literal["heaviest", "stop"] = "heaviest") -> Route:
    """The way of one point, with the reasons in words.

    A way is one way, so where an answer is missing the point follows the heaviest branch, or stops.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(path_of(tree, ["rainy"]))
    sky = rainy -> stay
    """
    check_tree(tree)
    if missing not in ("heaviest", "stop"):
        message = f"One point's path follows 'heaviest' or 'stop' where an answer is missing; missing came as {missing!r}."
        raise ValueError(message)
    columns, n, single = columns_of(tree.schema, point)
    if not single:
        message = f"path_of takes one point, a sequence of values or a dict; {n} rows came."
        raise ValueError(message)
    node, seen, path, reasons = tree.root, tree.root, [], []
    while isinstance(node, Branch):
        child = _child(node.split, columns)
        if child == UNKNOWN:
            if missing == "stop":
                break
            sizes = [sum(below.counts) for below in node.children]
            child = sizes.index(max(sizes))
        reasons.append(_reason(tree.schema, node.split, child, columns))
        path.append(child)
        node = node.children[child]
        seen = node if any(node.counts) else seen
    return Route(tuple(path), tuple(reasons), node, tree.schema.classes[majority(seen.counts)])


def leaf_of(tree: Tree, point: Any, *, missing: Literal["heaviest", "stop"] = "heaviest") -> Leaf:
    """The leaf where one point ends, or its last node as a leaf when it stops before; see `path_of`.

    >>> from ftree import grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, point, missing=missing).node.counts)


def _child(split: Split, columns: Columns) -> int:
    """The child of one point."""
    return int(child_of(split, *(columns[feature] for feature in features_of(split)))[0])


def _reason(schema: Schema, split: Split, child: int, columns: Columns) -> str:
    """Why one point takes a child, in words: the split's answer, or that of the surrogate that stands in, or for want of one."""
    if _child(primary(split), columns) != UNKNOWN:
        return condition(schema, split, child)
    stand_ins = [surrogate.split for surrogate in split.surrogates] if isinstance(split, WithSurrogates) else []
    answers = ((each, _child(each, columns)) for each in stand_ins)
    said = next((condition(schema, each, own) for each, own in answers if own != UNKNOWN), condition(schema, split, child))
    return f"{asked(schema, split)} unknown, so {said}"


def _labels(tree: Tree, columns: Columns, n: int, missing: Missing) -> npt.NDArray[np.intp]:
    """The number of the class that each row is given."""
    straight = flat(tree.root)
    leaf = straight.leaf_numbers(columns, n)
    labels: npt.NDArray[np.intp] = straight.labels[leaf]
    lost = np.flatnonzero(leaf == UNKNOWN)
    if len(lost):
        counts = _gathered(tree, tuple(column[lost] for column in columns), len(lost), missing)
        labels[lost] = first_largest(counts)
    return labels


def _asked(leaves: Leaves, tree: Tree, rows: Any, missing: Missing) -> Floats:
    """What answers in place of the leaves' counts."""
    if not callable(leaves):
        message = f"leaves is a function of a tree, rows and missing, such as ftree.neighbors.nearest(dataset); {leaves!r} came."
        raise TypeError(message)
    return np.asarray(leaves(tree, rows, missing), dtype=np.float64)


def _gathered(tree: Tree, columns: Columns, n: int, missing: Missing) -> Floats:
    """Class counts of rows that may take several routes: those of all nodes where they end."""
    straight = flat(tree.root)
    if n >= _MANY and straight.routes:
        return straight.gathered(columns, n, missing)
    answer, spare = np.zeros((n, len(tree.schema.classes))), np.zeros((n, len(tree.schema.classes)))
    for arrival in arrivals(tree.root, columns, np.ones(n), missing):
        if arrival.ends:
            counts = np.array(arrival.node.counts, dtype=np.float64)
            if missing == "weighted":
                answer[arrival.rows] += arrival.weights[:, None] * proportions(counts if counts.any() else arrival.seen.counts)
            elif counts.any():
                answer[arrival.rows] += counts
            else:
                spare[arrival.rows] = np.maximum(spare[arrival.rows], arrival.seen.counts)
    unseen = ~answer.any(axis=1)
    answer[unseen] = spare[unseen]
    return answer


def _cheapest(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class that costs least as the answer, the first of equals."""
    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    same = counts.sum(axis=-1, keepdims=True) * (np.max(matrix) * (1 - NEARLY))
    return (cost <= cost.min(axis=-1, keepdims=True) + same).argmax(axis=-1)
