"""Trees of YDF, with its dictionaries of values."""

from collections.abc import Sequence
from typing import Any

from ftree._lib.messages import short_repr
from ftree.exchange.others.readers import chosen, from_links, numbered, sums_of_numbers, whole_where_near
from ftree.exchange.others.split_readers import among_codes, at_threshold, last_below
from ftree.tree.nodes import Tree
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import IsMissing
from ftree.tree.splits.split import Split

# Types of columns in a data specification.
_NUMERICAL, _CATEGORICAL, _BOOLEAN = 1, 4, 7


def from_ydf(model: Any, *, tree: int = 0) -> Tree:
    """One of the trees of a CARTModel or a RandomForestModel, of classes or of numbers, with its dictionaries of values.

    Thresholds divide all numbers as their roundings to 32 bits. Missing values go where YDF sends them; so do values that its
    dictionary lacks, which YDF sends with those that a condition does not name. Of a boosted regression, the numbers of a tree
    are what it adds to the prediction.

    Raises a ValueError for a classification tree whose leaves have no counts, such as a boosted tree, and for conditions of other
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
        raise ValueError(
            f"Columns must be numerical, categorical or boolean, got {short_repr(column.name)} of type {column.type}."
        )
    # The first entry stands for values that the dictionary lacks.
    items = sorted((item.index, name) for name, item in dict(column.categorical.items).items())
    return Feature(column.name, "nominal", [name for _, name in items[1:]])


def _ydf_children(record: Any) -> Sequence[Any]:
    """The child of lower numbers or of the values named first; that of missing values only is last."""
    if not hasattr(record, "condition"):
        return ()
    named_first = type(record.condition).__name__ == "CategoricalIsInCondition" and any(record.condition.mask)
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
        case "CategoricalIsInCondition" if condition.missing:  # missing values, and those that the dictionary lacks
            return IsMissing(_number(schema, columns, condition))
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
