"""Trees of LightGBM and XGBoost, from what these libraries dump: their leaves have scores, but no counts."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve

from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exchange.others.readers import check_dataset, chosen, from_splits, numbered, recounted, sums_of_numbers
from ftree.exchange.others.split_readers import among_categories, at_number, at_threshold, last_below
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema, names_of
from ftree.tree.splits.split import Split


def from_lightgbm(model: Any, dataset: Dataset | Schema, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted LGBMClassifier or LGBMRegressor, or the result of `dump_model()`, as a dict or JSON. Its
    features are the dataset's by number. Categories of pandas are found by their values; other numbers of categories are values
    of a feature of numbers, or codes. Missing and unseen values go where LightGBM sends them.

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
    dump = _loaded(booster.dump_model() if hasattr(booster, "dump_model") else booster, "LightGBM")
    trees = dump.get("tree_info") if isinstance(dump, dict) else None
    root = _value_of(chosen(trees, tree), "tree_structure", dict)
    return _counted_in(dataset, root, _lightgbm_children, partial(_lightgbm_split, dump), score="leaf_value", cases="leaf_count")


def _lightgbm_children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "split_feature" not in record:
        return ()
    return _value_of(record, "left_child", dict), _value_of(record, "right_child", dict)


def _lightgbm_split(dump: Any, schema: Schema, record: Any) -> tuple[Split, Sequence[int]]:
    feature, operator = _value_of(record, "split_feature", int), _value_of(record, "decision_type", str)
    missing = _value_of(record, "missing_type", str)
    if operator == "==":
        categories = _value_of(record, "threshold", str).split("||")
        if not all(map(re.compile("[0-9]{1,9}").fullmatch, categories)):
            raise ValueError(f"The threshold of a split by categories must be their numbers, got {short_repr(categories)}.")
        labels = _lightgbm_labels(dump, schema, feature)
        return among_categories(schema, feature, list(map(int, categories)), labels, missing_left=False)
    if operator != "<=" or missing not in ("None", "NaN"):
        message = f"decision_type must be '<=' or '==', and missing_type 'None' or 'NaN', got {short_repr((operator, missing))}."
        raise ValueError(message)
    at = _finite_of(record, "threshold")
    goes_left = _value_of(record, "default_left", bool) if missing == "NaN" else at >= 0  # without missing values, one is 0
    if dump.get("pandas_categorical") and schema.features[feature : feature + 1] and schema.features[feature].kind == "ordinal":
        return at_threshold(feature, at, missing_left=goes_left), (0, 1)  # LightGBM has the numbers of ordered categories
    return at_number(schema, feature, at, missing_left=goes_left)


def _lightgbm_labels(dump: Any, schema: Schema, feature: int) -> Sequence[Any] | None:
    """The categories of a feature in pandas, in the order of their numbers; None if the model has none of pandas."""
    told = dump.get("pandas_categorical")
    if not told:
        return None
    infos, names = _value_of(dump, "feature_infos", dict), _value_of(dump, "feature_names", list)
    ordered = {number for number, each in enumerate(schema.features) if each.kind == "ordinal"}  # LightGBM has numbers for these
    of_pandas = [number for number, name in enumerate(names) if number in ordered or infos.get(name, {}).get("values")]
    if feature not in of_pandas or len(of_pandas) != len(told):
        wanted = f"one for each of the {len(of_pandas)} features with categories"
        raise ValueError(f"pandas_categorical must be {wanted}, got {len(told)}. Let all of them be categories in pandas.")
    return told[of_pandas.index(feature)]  # type: ignore[no-any-return]


def from_xgboost(model: Any, dataset: Dataset | Schema, *, tree: int = 0) -> Tree:
    """The structure of one of a model's trees, with the counts of the dataset's rows, since leaf values are scores, not counts.

    `model` is a Booster, a fitted XGBClassifier or XGBRegressor, or the list from `get_dump(dump_format="json")`, which garbles
    thresholds of large whole numbers, and lacks the values of categories. Its features are the dataset's by name, or by number
    without names. Thresholds are replaced by ones that divide all numbers as their roundings to 32 bits. Categories are found as
    by `from_lightgbm`.

    Given a schema of numbers in place of a dataset, leaves answer with the scores, which the trees of a model add up.

    Raises a ValueError for another model, an invalid tree number, for scores of a DART booster, and in a dump for a garbled
    threshold or a split by categories; a TypeError without a Dataset or such a schema.

    >>> from ftree import Dataset
    >>> leaves = [{"nodeid": 1, "leaf": -0.4}, {"nodeid": 2, "leaf": 0.4}]
    >>> root = {"nodeid": 0, "split": "x", "split_condition": 2.5, "yes": 1, "no": 2, "missing": 1, "children": leaves}
    >>> print(from_xgboost([root], Dataset.from_rows([[1], [3], [4]], ["no", "yes", "yes"], features=["x"])))
    x <= 2.49999988079071 or x is missing: no (1.0)
    x > 2.49999988079071: yes (2.0)
    """
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    dump, labels = _xgboost_dump(booster) if hasattr(booster, "get_dump") else (booster, None)
    if isinstance(dataset, Schema) and '"name":"dart"' in getattr(booster, "save_config", str)():
        raise ValueError(
            "model must add up its trees as they are, got a DART booster, which weighs them. Give a dataset to count."
        )
    root = _loaded(chosen(dump, tree), "XGBoost")
    return _counted_in(dataset, root, _xgboost_children, partial(_xgboost_split, labels), score="leaf", cases="cover")


def _xgboost_dump(booster: Any) -> tuple[list[str], dict[str, Any] | None]:
    """The trees of a model, and its features' categories by name, None if it has none of pandas.

    Columns are called floats, since a dump garbles large thresholds of whole numbers, and has none of booleans.
    """
    types, copied = booster.feature_types or [], booster.copy()
    copied.feature_types = ["c" if each == "c" else "float" for each in types] or None
    dump = copied.get_dump(dump_format="json", with_stats=True)
    if "c" not in types or not hasattr(booster, "get_categories"):
        return dump, None
    told = booster.get_categories(export_to_arrow=True).to_arrow()
    return dump, {name: None if values is None else values.to_pylist() for name, values in told}


def _xgboost_children(record: Any) -> Sequence[Any]:
    if not isinstance(record, dict) or "children" not in record:
        return ()
    below = {_value_of(each, "nodeid", int): each for each in _value_of(record, "children", list)}
    named = [_value_of(record, key, int) for key in ("yes", "no")]
    if sorted(named) != sorted(below):
        raise ValueError(f"A node must have the children that it names, got {short_repr(named)} of {short_repr(list(below))}.")
    return [below[number] for number in (named if "split_condition" in record else below)]  # of a boolean, False is first


def _xgboost_split(labels: Mapping[str, Any] | None, schema: Schema, record: Any) -> tuple[Split, Sequence[int]]:
    at, name = record.get("split_condition", 1), _value_of(record, "split", str)
    known, numbered = names_of(schema.features), re.fullmatch(r"f([0-9]{1,9})", name)
    if name not in known and numbered is None:
        raise ValueError(f"A split must name one of the dataset's features, got {short_repr(name)}.")
    feature = known.index(name) if name in known else int(numbered[1]) if numbered else 0
    sides = [each["nodeid"] for each in _xgboost_children(record)]
    missing = _value_of(record, "missing" if "split_condition" in record else "no", int)
    if missing not in sides:
        raise ValueError(f"Missing values must go to one of the children {short_repr(sides)}, got {missing}.")
    if isinstance(at, list):
        if labels is None:
            remedy = "Give the booster of XGBoost 3.1 or later, which has them."
            raise ValueError(f"A split by categories must come with their values, got {short_repr(name)} without them. {remedy}")
        return among_categories(schema, feature, at, labels.get(name), missing_left=missing == sides[0])
    if type(at) not in (int, float) or not abs(at) <= _MOST or (type(at) is int and abs(at) >= _GARBLED):
        wanted = "a number of 32 bits, and a whole number between -2^31 and 2^31"
        remedy = "Dumps garble larger ones: give the booster itself."
        raise ValueError(f"'split_condition' of {short_repr(name)} must be {wanted}, got {short_repr(at)}. {remedy}")
    return at_number(schema, feature, last_below(at), missing_left=missing == sides[0])


# The largest number of 32 bits; from the second one on, a dump garbles the thresholds of whole numbers.
_MOST, _GARBLED = 3.4028234663852886e38, 2**31 - 1


# Records of nodes.


def _counted_in(
    dataset: Dataset | Schema,
    root: Any,
    children: Callable[[Any], Sequence[Any]],
    split: Callable[[Schema, Any], tuple[Split, Sequence[int]]],
    *,
    score: str,
    cases: str,
) -> Tree:
    """The tree of a record of nodes, with the counts of the dataset's rows; `split` also gives the order of a node's children.

    Given a schema of numbers in place of a dataset, leaves have the scores and the cases of their records, by these keys.
    """
    of_numbers = isinstance(dataset, Schema) and not dataset.has_classes
    schema: Any = dataset if of_numbers else check_dataset(dataset).schema
    records, below = numbered(root, children)
    made = {number: split(schema, records[number]) for number, kids in enumerate(below) if kids}
    node_of = partial(from_splits, below, made)
    if isinstance(dataset, Dataset):
        empty = (0,) * len(schema.response.channels)
        return recounted(node_of(lambda _: empty), dataset)
    leaves = {number: record for number, record in enumerate(records) if not below[number]}
    response, counts = sums_of_numbers({number: _scored(record, score, cases) for number, record in leaves.items()})
    return Tree(evolve(schema, response=response), node_of(counts.__getitem__))


def _scored(record: Any, score: str, cases: str) -> tuple[float, float, float]:
    """The cases of a leaf, or one, its score, and no deviation from it."""
    return (_finite_of(record, cases) if isinstance(record, dict) and cases in record else 0) or 1, _finite_of(record, score), 0


def _finite_of(record: Any, key: str) -> float:
    """The finite number of a node's key. Raises a ValueError for anything else."""
    value = _value_of(record, key, float, int)
    if not is_finite(value):
        raise ValueError(f"A node must have a finite number {key!r}, got {short_repr(value)}.")
    return float(value)


def _value_of(record: Any, key: str, *types: type) -> Any:
    """The value of a node's key. Raises a ValueError if it is absent, or has another type."""
    value = record.get(key) if isinstance(record, dict) else None
    if type(value) not in types:
        message = f"A node must have {key!r} of type {' or '.join(each.__name__ for each in types)}, got {short_repr(record)}."
        raise ValueError(message)
    return value


def _loaded(text: Any, library: str) -> Any:
    """JSON text as values; other values unchanged. Raises a ValueError for other text."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError) as error:
        raise ValueError(f"model must be a model of {library}, or JSON that it dumps, got {short_repr(text)}: {error}.") from None
