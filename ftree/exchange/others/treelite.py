"""Structures of treelite's trees, whichever library they are from."""

from collections.abc import Sequence
from functools import partial
from math import inf, nextafter
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exchange.others.regions import at_threshold
from ftree.exchange.others.scikit_learn import last_rounded_to
from ftree.exchange.others.structures import chosen, counted_in, last_below, loaded, value_of
from ftree.tree.nodes import Tree
from ftree.tree.splits.protocol import Split


def from_treelite(model: Any, dataset: Dataset, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a treelite.Model, or the result of `dump_as_json()`, as text or as a dict. Its features are the dataset's by
    number. Thresholds of 32 bits are replaced by ones that divide all numbers as their roundings.

    Raises a ValueError for another model, an invalid tree number, or a split by categories; a TypeError without a Dataset.

    >>> from ftree import Dataset
    >>> root = {"node_id": 0, "split_feature_id": 0, "threshold": 2.5, "comparison_op": "<=", "default_left": True}
    >>> leaves = [{"node_id": 1, "leaf_value": -0.4}, {"node_id": 2, "leaf_value": 0.4}]
    >>> dump = {"threshold_type": "float64", "trees": [{"nodes": [{**root, "left_child": 1, "right_child": 2}, *leaves]}]}
    >>> print(from_treelite(dump, Dataset.from_rows([[1], [3], [4]], ["no", "yes", "yes"], features=["x"])))
    x <= 2.5 or x is missing: no (1.0)
    x > 2.5: yes (2.0)
    """
    dump = loaded(model.dump_as_json() if hasattr(model, "dump_as_json") else model, "treelite")
    nodes = value_of(chosen(dump.get("trees") if isinstance(dump, dict) else None, tree), "nodes", list)
    by_number = {value_of(node, "node_id", int): node for node in nodes}
    seen: set[int] = set()

    def children(record: Any) -> Sequence[Any]:
        if "left_child" not in record:
            return ()
        return [_once(by_number, seen, value_of(record, key, int)) for key in ("left_child", "right_child")]

    bits = value_of(dump, "threshold_type", str)
    return counted_in(dataset, _once(by_number, seen, 0), children, partial(_split, bits == "float32"))


def _once(by_number: dict[int, Any], seen: set[int], number: int) -> Any:
    """The node with a number, which must be below only one node."""
    if number not in by_number or number in seen:
        message = f"Each node must exist, and be below at most one other, got {number}."
        raise ValueError(message)
    seen.add(number)
    return by_number[number]


def _split(rounded: bool, record: Any) -> Split:  # noqa: FBT001  # the first part of a partial
    feature, operator = value_of(record, "split_feature_id", int), record.get("comparison_op")
    if operator not in ("<=", "<"):
        message = f"comparison_op must be '<=' or '<', got {short_repr(operator)}."
        raise ValueError(message)
    at = float(value_of(record, "threshold", float, int))
    last = (last_below(at) if rounded else nextafter(at, -inf)) if operator == "<" else (last_rounded_to(at) if rounded else at)
    return at_threshold(feature, last, missing_left=value_of(record, "default_left", bool))
