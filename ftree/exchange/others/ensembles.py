"""Trees of LightGBM, XGBoost and YDF, one function each, from what these libraries write."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exchange.others.readers import (
    among_codes,
    at_threshold,
    chosen,
    counted_in,
    from_links,
    last_below,
    loaded,
    numbered,
    sums_of_numbers,
    value_of,
    whole_where_near,
)
from ftree.tree.nodes import Tree
from ftree.tree.schema import Feature, Schema, names_of, position
from ftree.tree.splits import IsMissing
from ftree.tree.splits.split import Split


def from_lightgbm(model: Any, dataset: Dataset | Schema, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted LGBMClassifier or LGBMRegressor, or the result of `dump_model()`, as a dict or JSON. Its
    features are the dataset's by number, and category numbers are codes. Missing and unseen values go where LightGBM sends them.

    Given a schema of numbers in place of a dataset, leaves answer with the scores, which the trees of a model add up.

    Raises a ValueError for another model, an invalid tree number, or zeros as missing values; a TypeError without a Dataset or
    such a schema.

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
    root = value_of(chosen(trees, tree), "tree_structure", dict)
    return counted_in(dataset, root, _lightgbm_children, _lightgbm_split, score="leaf_value", cases="leaf_count")


def _lightgbm_children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "split_feature" not in record:
        return ()
    return value_of(record, "left_child", dict), value_of(record, "right_child", dict)


def _lightgbm_split(record: Any) -> Split:
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


def from_xgboost(model: Any, dataset: Dataset | Schema, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted XGBClassifier or XGBRegressor, or the list from `get_dump(dump_format="json")`. Its features
    are the dataset's by name, or by number without names. Thresholds are replaced by ones that divide all numbers as their
    roundings to 32 bits.

    Given a schema of numbers in place of a dataset, leaves answer with the scores, which the trees of a model add up.

    Raises a ValueError for another model, an invalid tree number, or a split by categories; a TypeError without a Dataset or
    such a schema.

    >>> from ftree import Dataset
    >>> leaves = [{"nodeid": 1, "leaf": -0.4}, {"nodeid": 2, "leaf": 0.4}]
    >>> root = {"nodeid": 0, "split": "x", "split_condition": 2.5, "yes": 1, "no": 2, "missing": 1, "children": leaves}
    >>> print(from_xgboost([root], Dataset.from_rows([[1], [3], [4]], ["no", "yes", "yes"], features=["x"])))
    x <= 2.5 or x is missing: no (1.0)
    x > 2.5: yes (2.0)
    """
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    dump = booster.get_dump(dump_format="json", with_stats=True) if hasattr(booster, "get_dump") else booster
    root, split = loaded(chosen(dump, tree), "XGBoost"), partial(_xgboost_split, getattr(dataset, "schema", dataset))
    return counted_in(dataset, root, _xgboost_children, split, score="leaf", cases="cover")


def _xgboost_children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "children" not in record:
        return ()
    below = {value_of(each, "nodeid", int): each for each in value_of(record, "children", list)}
    return [_child(below, value_of(record, key, int)) for key in ("yes", "no")]


def _child(below: dict[int, Any], number: int) -> Any:
    if number not in below:
        raise ValueError(f"A node must have the children that it names, got {number} of {short_repr(list(below))}.")
    return below[number]


def _xgboost_split(schema: Any, record: Any) -> Split:
    at, name = value_of(record, "split_condition", float, int), value_of(record, "split", str)
    known, numbered = names_of(schema.features), re.fullmatch(r"f(\d+)", name)
    if name not in known and numbered is None:
        raise ValueError(f"A split must name one of the dataset's features, got {short_repr(name)}.")
    feature = known.index(name) if name in known else int(numbered[1]) if numbered else 0
    missing_left = value_of(record, "missing", int) == value_of(record, "yes", int)
    return at_threshold(feature, last_below(at), missing_left=missing_left)


# Types of columns in a data specification.
_NUMERICAL, _CATEGORICAL, _BOOLEAN = 1, 4, 7


def from_ydf(model: Any, *, tree: int = 0) -> Tree:
    """One of the trees of a CARTModel or a RandomForestModel, of classes or of numbers, with its dictionaries of values.

    Thresholds divide all numbers as their roundings to 32 bits. Missing values go where YDF sends them; so do values that its
    dictionary lacks, which YDF sends with those that a condition does not name. Of a boosted regression, the numbers of a tree
    are what it adds to the prediction.

    Raises a ValueError for a tree of classes whose leaves have no counts, such as a boosted tree, and for conditions of other
    types; a TypeError for any other model.

    >>> from_ydf(model)  # doctest: +SKIP
    """
    if not all(hasattr(model, name) for name in ("get_all_trees", "data_spec", "input_feature_names", "label_classes")):
        raise TypeError(f"model must be a CARTModel or a RandomForestModel of ydf, got {short_repr(model)}.")
    root = chosen(list(model.get_all_trees()), tree).root
    columns, (records, below) = list(model.data_spec().columns), numbered(root, _ydf_children)
    leaves = {number: record.value for number, record in enumerate(records) if not below[number]}
    column_of = {column.name: column for column in columns}
    features = [_feature(column_of[name]) for name in model.input_feature_names()]
    if model.task().name == "REGRESSION":
        response, counts = sums_of_numbers({number: _ydf_number(value) for number, value in leaves.items()})
        schema = Schema(features, model.label(), (), response=response)
    else:
        counts = {number: tuple(whole_where_near(_counts(value))) for number, value in leaves.items()}
        schema = Schema(features, model.label(), list(model.label_classes()))
    split = lambda number: _ydf_split(schema, columns, records[number].condition)  # noqa: E731  # the next line has the others
    return Tree(schema, from_links(below.__getitem__, split, counts.__getitem__))


def _feature(column: Any) -> Feature:
    if column.type == _NUMERICAL:
        return Feature(column.name, "numeric")
    if column.type == _BOOLEAN:
        return Feature(column.name, "nominal", (False, True))
    if column.type != _CATEGORICAL:
        raise ValueError(f"Columns must be numerical, categorical or boolean, got {column.name!r} of type {column.type}.")
    # The first entry stands for values that the dictionary lacks.
    items = sorted((item.index, name) for name, item in dict(column.categorical.items).items())
    return Feature(column.name, "nominal", [name for _, name in items[1:]])


def _ydf_children(record: Any) -> Sequence[Any]:
    """The child of lower numbers or of the values named first."""
    if not hasattr(record, "condition"):
        return ()
    named_first = type(record.condition).__name__ == "CategoricalIsInCondition"
    return (record.pos_child, record.neg_child) if named_first else (record.neg_child, record.pos_child)


def _ydf_split(schema: Schema, columns: Sequence[Any], condition: Any) -> Split:
    match type(condition).__name__:
        case "NumericalHigherThanCondition":
            number = _number(schema, columns, condition)
            return at_threshold(number, last_below(condition.threshold), missing_left=not condition.missing)
        case "CategoricalIsInCondition" if any(condition.mask):
            codes = [code - 1 for code in condition.mask if code]
            return among_codes(_number(schema, columns, condition), codes, missing_left=condition.missing)
        case "IsTrueCondition":
            return among_codes(_number(schema, columns, condition), [0], missing_left=not condition.missing)
        case "IsMissingInCondition":
            return IsMissing(_number(schema, columns, condition))
    raise ValueError(f"Conditions must be on numbers, values, booleans or missing values, got {short_repr(condition)}.")


def _number(schema: Schema, columns: Sequence[Any], condition: Any) -> int:
    return position(schema, columns[condition.attribute].name)


def _counts(value: Any) -> list[float]:
    if not hasattr(value, "probability"):
        raise ValueError(f"Leaves must have probabilities and numbers of examples, got {short_repr(value)}.")
    return [share * value.num_examples for share in value.probability]


def _ydf_number(value: Any) -> tuple[float, float, float]:
    return value.num_examples, value.value, value.num_examples * (value.standard_deviation or 0) ** 2
