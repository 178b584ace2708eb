"""Structures of XGBoost's trees."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exchange.others.regions import at_threshold
from ftree.exchange.others.structures import chosen, counted_in, last_below, loaded, value_of
from ftree.tree.nodes import Tree
from ftree.tree.schema import names
from ftree.tree.splits.protocol import Split


def from_xgboost(model: Any, dataset: Dataset, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted XGBClassifier, or the list from `get_dump(dump_format="json")`. Its features are the
    dataset's by name, or by number without names. Thresholds are replaced by ones that divide all numbers as their roundings
    to 32 bits.

    Raises a ValueError for another model, an invalid tree number, or a split by categories; a TypeError without a Dataset.

    >>> from ftree import Dataset
    >>> leaves = [{"nodeid": 1, "leaf": -0.4}, {"nodeid": 2, "leaf": 0.4}]
    >>> root = {"nodeid": 0, "split": "x", "split_condition": 2.5, "yes": 1, "no": 2, "missing": 1, "children": leaves}
    >>> print(from_xgboost([root], Dataset.from_rows([[1], [3], [4]], ["no", "yes", "yes"], features=["x"])))
    x <= 2.5 or x is missing: no (1.0)
    x > 2.5: yes (2.0)
    """
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    dump = booster.get_dump(dump_format="json") if hasattr(booster, "get_dump") else booster
    return counted_in(dataset, loaded(chosen(dump, tree), "XGBoost"), _children, partial(_split, dataset))


def _children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "children" not in record:
        return ()
    below = {value_of(each, "nodeid", int): each for each in value_of(record, "children", list)}
    return [_child(below, value_of(record, key, int)) for key in ("yes", "no")]


def _child(below: dict[int, Any], number: int) -> Any:
    if number not in below:
        message = f"A node must have the children that it names, got {number} of {short_repr(list(below))}."
        raise ValueError(message)
    return below[number]


def _split(dataset: Dataset, record: Any) -> Split:
    at, name = value_of(record, "split_condition", float, int), value_of(record, "split", str)
    known, numbered = names(dataset.schema.features), re.fullmatch(r"f(\d+)", name)
    if name not in known and numbered is None:
        message = f"A split must name one of the dataset's features, got {short_repr(name)}."
        raise ValueError(message)
    feature = known.index(name) if name in known else int(numbered[1]) if numbered else 0
    missing_left = value_of(record, "missing", int) == value_of(record, "yes", int)
    return at_threshold(feature, last_below(at), missing_left=missing_left)
