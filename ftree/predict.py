"""Using a tree: labels, class counts and probabilities for rows, and the way a point takes, in words.

Rows come as a `Dataset` (matched by feature name), as sequences (in the schema's order) or as dicts (an absent
feature is missing); a single point, a sequence or a dict, gets a single answer. A value that a split never saw
is treated as a missing one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree.coding import encode, missing_among
from ftree.dataset import Dataset, recoded_columns
from ftree.flat import flat
from ftree.impurity import proportions
from ftree.point import label_of_point
from ftree.route import Missing, arrivals, check_dataset, check_missing
from ftree.schema import Schema, names, unknown_name
from ftree.split import UNKNOWN, Columns, child_of
from ftree.tree import NEARLY, Branch, Leaf, Node, Path, Tree, check_tree, majority
from ftree.words import condition

Floats: TypeAlias = npt.NDArray[np.float64]


def predict(tree: Tree, rows: Any, *, missing: Missing = "all_routes") -> Any:
    """The label of one point, or a list of the labels of rows; the first of equals in schema order.

    Raises a ValueError for points of another length, a KeyError for a column that the schema does not have.

    >>> from ftree.grow import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> predict(tree, ["sunny"]), predict(tree, [["rainy"], ["sunny"]])
    ('play', ['stay', 'play'])
    """
    check_tree(tree)
    check_missing(missing)
    single = label_of_point(tree, rows)
    if single is not None:
        return tree.schema.classes[single]
    columns, n, is_point = _columns(tree.schema, rows)
    labels = _labels(tree, columns, n, missing)
    if is_point:
        return tree.schema.classes[labels[0]]
    classes = np.empty(len(tree.schema.classes), dtype=object)
    classes[:] = tree.schema.classes
    return classes[labels].tolist()


def predict_counts(tree: Tree, rows: Any, *, missing: Missing = "all_routes") -> Floats:
    """Class counts that answer each row, (n, K), or (K,) for one point.

    At a leaf these are the leaf's counts, or those of the nearest node above that has cases. A row that takes several
    routes gets the sum of their leaves (`all_routes`; where none has cases, class by class the most that any of the
    nodes above them has), or the mean of their distributions (`weighted`).

    Raises a ValueError for points of another length, a KeyError for a column that the schema does not have.

    >>> from ftree.grow import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_counts(tree, [None]).tolist()
    [1.0, 2.0]
    """
    check_tree(tree)
    check_missing(missing)
    columns, n, single = _columns(tree.schema, rows)
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

    >>> from ftree.grow import grow
    >>> from ftree.impurity import laplace
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_proba(tree, ["rainy"], estimate=laplace).tolist()
    [0.25, 0.75]
    """
    if not callable(estimate):
        message = f"estimate is a function of counts, such as laplace or m_estimate(2, prior=(0.6, 0.4)); {estimate!r} came."
        raise TypeError(message)
    return estimate(predict_counts(tree, rows, missing=missing))


def accuracy(tree: Tree, dataset: Dataset, *, missing: Missing = "all_routes") -> float:
    """Share of the dataset's rows, by weight, that the tree labels right; a class unknown to the tree is never right.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> accuracy(grow(data), data)
    0.75
    """
    check_tree(tree)
    check_dataset(dataset)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    if not weights.sum():
        message = f"accuracy needs a row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    check_missing(missing)
    code_of = {label: code for code, label in enumerate(dataset.schema.classes)}
    codes = np.array([code_of.get(label, UNKNOWN) for label in tree.schema.classes])
    predicted = _labels(tree, recoded_columns(dataset, tree.schema.features), len(dataset), missing)
    return float(weights[codes[predicted] == dataset.labels].sum() / weights.sum())


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

    >>> from ftree.grow import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(path_of(tree, ["rainy"]))
    sky = rainy -> stay
    """
    check_tree(tree)
    if missing not in ("heaviest", "stop"):
        message = f"One point's path follows 'heaviest' or 'stop' where an answer is missing; missing came as {missing!r}."
        raise ValueError(message)
    columns, n, single = _columns(tree.schema, point)
    if not single:
        message = f"path_of takes one point, a sequence of values or a dict; {n} rows came."
        raise ValueError(message)
    node, seen, path, reasons = tree.root, tree.root, [], []
    while isinstance(node, Branch):
        child = int(child_of(node.split, columns[node.split.feature])[0])
        reason = "" if child != UNKNOWN else f"{tree.schema.features[node.split.feature].name} unknown, so "
        if child == UNKNOWN:
            if missing == "stop":
                break
            sizes = [sum(below.counts) for below in node.children]
            child = sizes.index(max(sizes))
        reasons.append(reason + condition(tree.schema, node.split, child))
        path.append(child)
        node = node.children[child]
        seen = node if any(node.counts) else seen
    return Route(tuple(path), tuple(reasons), node, tree.schema.classes[majority(seen.counts)])


def leaf_of(tree: Tree, point: Any, *, missing: Literal["heaviest", "stop"] = "heaviest") -> Leaf:
    """The leaf where one point ends, or its last node as a leaf when it stops before; see `path_of`.

    >>> from ftree.grow import grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, point, missing=missing).node.counts)


def _labels(tree: Tree, columns: Columns, n: int, missing: Missing) -> npt.NDArray[np.intp]:
    """The number of the class that each row is given."""
    straight = flat(tree.root)
    leaf = straight.leaf_numbers(columns, n)
    labels: npt.NDArray[np.intp] = straight.labels[leaf]
    lost = np.flatnonzero(leaf == UNKNOWN)
    if len(lost):
        counts = _gathered(tree, tuple(column[lost] for column in columns), len(lost), missing)
        labels[lost] = (counts >= counts.max(axis=-1, keepdims=True) * NEARLY).argmax(axis=-1)
    return labels


def _gathered(tree: Tree, columns: Columns, n: int, missing: Missing) -> Floats:
    """Class counts of rows that may take several routes: those of all nodes where they end."""
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


def _columns(schema: Schema, rows: Any) -> tuple[Columns, int, bool]:
    """Rows as columns in the schema's codes, their number, and whether they were one single point."""
    if isinstance(rows, Dataset):
        return recoded_columns(rows, schema.features), len(rows), False
    single = _is_point(rows)
    listed = [rows] if single else list(rows)
    cells = [_in_order(schema, row) for row in listed]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(schema.features)
    is_missing = missing_among(())
    encoded = tuple(encode(feature, column, is_missing) for feature, column in zip(schema.features, columns, strict=True))
    return encoded, len(listed), single


def _is_point(rows: Any) -> bool:
    """A dict is a point, and so is a sequence whose first item is not itself a row."""
    if isinstance(rows, Mapping):
        return True
    if not _is_sequence(rows) or getattr(rows, "ndim", 1) not in (1, 2):
        message = f"Rows are a Dataset, a list of rows, or one row (a sequence or a dict of values); {rows!r} came."
        raise TypeError(message)
    if getattr(rows, "ndim", 1) == 2:  # noqa: PLR2004  # rows by columns
        return False
    return len(rows) > 0 and not isinstance(rows[0], (list, tuple, Mapping, np.ndarray))


def _is_sequence(row: Any) -> bool:
    """Text is no sequence of values here, and a set has no order."""
    return isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, (str, bytes))


def _in_order(schema: Schema, row: Any) -> Sequence[Any]:
    known = names(schema.features)
    if isinstance(row, Mapping):
        strange = [name for name in row if name not in known and name != schema.target]
        if strange:
            raise KeyError(unknown_name(strange[0], known))
        return [row.get(name) for name in known]
    if not _is_sequence(row):
        message = f"A row is a sequence or a dict of values; {row!r} came."
        raise TypeError(message)
    values: Sequence[Any] = row.tolist() if isinstance(row, np.ndarray) else row
    if len(values) != len(known):
        shown = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")  # noqa: PLR2004  # enough to tell
        message = f"A row has a value for each of the {len(known)} features ({shown}); one with {len(values)} came: {row!r}."
        raise ValueError(message)
    return values
