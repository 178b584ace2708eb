"""Trees of Yggdrasil Decision Forests: CART models, and each tree of a random forest."""

from collections.abc import Sequence
from typing import Any

from ftree._lib.messages import short_repr
from ftree._lib.recursion import fold_over
from ftree.exchange.others.grown_from import whole_where_near
from ftree.exchange.others.regions import among_codes, at_threshold
from ftree.exchange.others.structures import chosen, last_below
from ftree.tree.nodes import Branch, Leaf, Node, Tree
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import IsMissing
from ftree.tree.splits.protocol import Split

# Types of columns in a data specification.
_NUMERICAL, _CATEGORICAL, _BOOLEAN = 1, 4, 7


def from_ydf(model: Any, *, tree: int = 0) -> Tree:
    """One of the trees of a CARTModel or a RandomForestModel for classification, with its counts and dictionaries of values.

    Thresholds divide all numbers as their roundings to 32 bits. Missing values go where YDF sends them; so do values that its
    dictionary lacks, which YDF sends with those that a condition does not name.

    Raises a ValueError for a tree whose leaves have no counts, such as a boosted tree, and for conditions of other types;
    a TypeError for any other model.

    >>> from_ydf(model)  # doctest: +SKIP
    """
    if not all(hasattr(model, name) for name in ("get_all_trees", "data_spec", "input_feature_names", "label_classes")):
        message = f"model must be a CARTModel or a RandomForestModel of ydf, got {short_repr(model)}."
        raise TypeError(message)
    root = chosen(list(model.get_all_trees()), tree).root
    columns = list(model.data_spec().columns)
    column_of = {column.name: column for column in columns}
    features = [_feature(column_of[name]) for name in model.input_feature_names()]
    schema = Schema(features, model.label(), list(model.label_classes()))

    def node(record: Any, nodes: tuple[Node, ...]) -> Node:
        counts = whole_where_near(_counts(record))
        return Branch(_sums(nodes), _split(schema, columns, record.condition), nodes) if nodes else Leaf(counts)

    return Tree(schema, fold_over(root, _children, node))


def _feature(column: Any) -> Feature:
    if column.type == _NUMERICAL:
        return Feature(column.name, "numeric")
    if column.type == _BOOLEAN:
        return Feature(column.name, "nominal", (False, True))
    if column.type != _CATEGORICAL:
        message = f"Columns must be numerical, categorical or boolean, got {column.name!r} of type {column.type}."
        raise ValueError(message)
    # The first entry stands for values that the dictionary lacks.
    items = sorted((item.index, name) for name, item in dict(column.categorical.items).items())
    return Feature(column.name, "nominal", [name for _, name in items[1:]])


def _children(record: Any) -> Sequence[Any]:
    """The child of lower numbers or of the values named first."""
    if not hasattr(record, "condition"):
        return ()
    named_first = type(record.condition).__name__ == "CategoricalIsInCondition"
    return (record.pos_child, record.neg_child) if named_first else (record.neg_child, record.pos_child)


def _split(schema: Schema, columns: Sequence[Any], condition: Any) -> Split:
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
    message = f"Conditions must be on numbers, values, booleans or missing values, got {short_repr(condition)}."
    raise ValueError(message)


def _number(schema: Schema, columns: Sequence[Any], condition: Any) -> int:
    return position(schema, columns[condition.attribute].name)


def _counts(record: Any) -> list[float]:
    value = record.value
    if not hasattr(value, "probability"):
        message = f"Leaves must have probabilities and numbers of examples, got {short_repr(value)}."
        raise ValueError(message)
    return [share * value.num_examples for share in value.probability]


def _sums(nodes: Sequence[Node]) -> list[float]:
    return [sum(counted) for counted in zip(*(node.counts for node in nodes), strict=True)]
