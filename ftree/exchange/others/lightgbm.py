"""Structures of LightGBM's trees."""

from collections.abc import Sequence
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exchange.others.regions import among_codes, at_threshold
from ftree.exchange.others.structures import chosen, counted_in, loaded, value_of
from ftree.tree.nodes import Tree
from ftree.tree.splits.protocol import Split


def from_lightgbm(model: Any, dataset: Dataset, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted LGBMClassifier, or the result of `dump_model()`, as a dict or JSON. Its features are the
    dataset's by number, and category numbers are codes. Missing and unseen values go where LightGBM sends them.

    Raises a ValueError for another model, an invalid tree number, or zeros as missing values; a TypeError without a Dataset.

    >>> from ftree import Dataset
    >>> root = {"split_feature": 0, "threshold": 2.5, "decision_type": "<=", "missing_type": "NaN", "default_left": True}
    >>> leaves = {"left_child": {"leaf_value": -0.4}, "right_child": {"leaf_value": 0.4}}
    >>> dump = {"tree_info": [{"tree_structure": {**root, **leaves}}]}
    >>> print(from_lightgbm(dump, Dataset.from_rows([[1], [3], [4]], ["no", "yes", "yes"], features=["x"])))
    x <= 2.5 or x is missing: no (1.0)
    x > 2.5: yes (2.0)
    """
    booster = getattr(model, "booster_", model)
    dump = loaded(booster.dump_model() if hasattr(booster, "dump_model") else booster, "LightGBM")
    trees = dump.get("tree_info") if isinstance(dump, dict) else None
    return counted_in(dataset, value_of(chosen(trees, tree), "tree_structure", dict), _children, _split)


def _children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "split_feature" not in record:
        return ()
    return value_of(record, "left_child", dict), value_of(record, "right_child", dict)


def _split(record: Any) -> Split:
    feature, operator = value_of(record, "split_feature", int), value_of(record, "decision_type", str)
    missing = value_of(record, "missing_type", str)
    if operator == "==":
        codes = [int(code) for code in value_of(record, "threshold", str).split("||")]
        return among_codes(feature, codes, missing_left=False)
    if operator != "<=" or missing not in ("None", "NaN"):
        message = f"decision_type must be '<=' or '==', and missing_type 'None' or 'NaN', got {short_repr((operator, missing))}."
        raise ValueError(message)
    at = float(value_of(record, "threshold", float, int))
    goes_left = value_of(record, "default_left", bool) if missing == "NaN" else at >= 0  # without missing values, one is 0
    return at_threshold(feature, at, missing_left=goes_left)
