"""Checks for split types."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.arrays import Array, missing_cells
from ftree.data.dataset import Dataset
from ftree.data.matching import fits
from ftree.exchange.dictionary import from_dict, to_dict
from ftree.routing.flat import flat
from ftree.routing.reach import leaf_numbers
from ftree.show.indented_text import text
from ftree.testing.laws import NEAR, check_laws, equal, law, same
from ftree.testing.strategies import datasets
from ftree.tree.describe import named
from ftree.tree.nodes import Branch, Leaf, Tree
from ftree.tree.schema import Schema
from ftree.tree.splits.shared import recoded
from ftree.tree.splits.split import UNKNOWN, Split, answers_all_known, bits, child_of, is_split, with_observed
from ftree.tree.splits.split import require_fit as check_schema


def check_split(
    splits: Split | SearchStrategy[Any], schema: Schema, *, oracle: Callable[[Any, dict[str, Any]], int | None] | None = None
) -> None:
    """Check a split type: a row's child depends on that row alone, and is the child whose condition holds.

    `splits` is a split that fits the schema, or a strategy of such splits. Optional methods of the type are checked as
    well: tables and routes agree with `child`, fields and keys lead back to an equal split, a split in another schema's codes
    sends the same rows to the same children, and so does a split with its thresholds at observed values.

    `oracle` gives the right child: from a split and one row, a dict of values by feature name with None for a missing one, to the
    number of the child, or None.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> check_split(Threshold(0, 1.5), Schema([Feature("age", "numeric")], "ill", ("no", "yes")))
    """

    def laws(split: Any, dataset: Dataset) -> None:
        law("a split has features, n_children, child and conditions", is_split(split), got=split)
        _check_value(split, schema)
        child = child_of(split, *_columns(split, dataset))
        _check_rows(split, dataset, child)
        _check_missing(split, dataset, child)
        _check_far(split, _Far(schema, tuple(map(_elsewhere, dataset.columns))))
        _check_readers(split, dataset, child)
        _check_recoding(split, dataset, child)
        _check_observed(split, dataset, child)
        if oracle is not None:
            for point, own in zip(_points(dataset), child.tolist(), strict=True):
                told = None if own == UNKNOWN else own
                same("a row goes to the oracle's child", told, oracle(split, point), split=split, row=point)

    drawn = splits if isinstance(splits, SearchStrategy) else st.just(splits)
    check_laws(laws, split=drawn, dataset=datasets(schema=schema, missing=True))


class _Far(NamedTuple):
    """Columns with fractions and infinities, which rows to predict may have."""

    schema: Schema
    columns: tuple[Array, ...]


def _elsewhere(column: Array) -> Array:
    """A column of numbers with infinities in place of its largest number, and of 0, next floats, and others not whole."""
    if column.dtype.kind != "f":
        return column
    place, beside = np.arange(len(column)) % 7, np.nextafter(column, np.inf)
    where = column == 0, column == np.nanmax(column, initial=0.0), place == 0
    return np.select(where, (-np.inf, np.inf, beside), column + place / 8 - 0.3)


def _check_value(split: Split, schema: Schema) -> None:
    """A split is a value: hashable, equal to its copies, of features that the schema has."""
    copy = pickle.loads(pickle.dumps(split))  # noqa: S301  # made here
    same("a split equals its copy", copy, split)
    same("equal splits have equal hashes", hash(copy), hash(split), split=split)
    law("a split uses at least one feature", split.features, split=split)
    equal("a split has a condition for each child", len(split.conditions), split.n_children, split=split)
    check_schema(schema, split)


def _check_rows(split: Split, table: "Dataset | _Far", child: Array) -> None:
    """A row's child depends on the row alone, and is the one whose condition holds."""
    columns = _columns(split, table)
    alone = [int(child_of(split, *(column[[row]] for column in columns)).item()) for row in range(len(columns[0]))]
    same("a row's child depends on that row alone", child, alone, split=split, columns=columns)
    conditions = [named(table.schema, stated) for stated in split.conditions]
    for point, own in zip(_points(table), child.tolist(), strict=True):
        holding = [number for number, stated in enumerate(conditions) if fits(stated, point)]
        text_of_law = "the condition of a child holds for exactly the rows that go there"
        same(text_of_law, holding, [] if own == UNKNOWN else [own], split=split, row=point)


def _check_far(split: Split, far: _Far) -> None:
    with np.errstate(invalid="ignore"):  # inf - inf
        _check_rows(split, far, child_of(split, *_columns(split, far)))


def _check_missing(split: Split, dataset: Dataset, child: Array) -> None:
    """Codes may be floats, and missing ones any below 0; a split that says so has a child for all known values."""
    columns = _columns(split, dataset)
    floats = [np.where(missing_cells(column), np.nan, column.astype(np.float64)) for column in columns]
    _same_children("codes as floats, with NaN for missing values, lead to the same children", split, floats, child)
    lower = [np.where(column < 0, UNKNOWN - 1, column) if column.dtype.kind == "i" else column for column in columns]
    _same_children("all codes below 0 are missing", split, lower, child)
    known = ~np.logical_or.reduce([missing_cells(column) for column in columns])
    told = not answers_all_known(split) or (child[known] != UNKNOWN).all()
    law("answers_all_known: known values have a child", told, got=child, split=split, columns=columns)


def _same_children(text: str, split: Split, columns: list[Array], child: Array) -> None:
    same(text, child_of(split, *columns), child, split=split, columns=columns)


def _check_readers(split: Split, dataset: Dataset, child: Array) -> None:
    """All functions that read a tree agree with the split."""
    classes = len(dataset.schema.classes)
    leaves = [Leaf((1, *(0,) * (classes - 1))) for _ in range(split.n_children)]
    tree = Tree(dataset.schema, Branch((split.n_children, *(0,) * (classes - 1)), split, leaves))
    routed = leaf_numbers(flat(tree), dataset.columns, len(dataset)) - 1
    expected, columns = np.where(child == UNKNOWN, UNKNOWN - 1, child), _columns(split, dataset)
    same("tables lead to the same children as child", routed, expected, split=split, columns=columns)
    equal("the text has a line for each child", len(text(tree).splitlines()), split.n_children, split=split)
    again = from_dict(to_dict(tree, counts=True), tree.schema, splits=(type(split),))
    same("the dict of a split is read as an equal split", again, tree)


def _check_recoding(split: Split, dataset: Dataset, child: Array) -> None:
    """In a schema with features, and values of nominal ones, in reverse order, the same rows go to the same children."""
    features = [
        evolve(feature, values=feature.values[::-1]) if feature.kind == "nominal" else feature
        for feature in reversed(dataset.schema.features)
    ]
    schema = evolve(dataset.schema, features=features)
    try:
        moved = recoded(split, dataset.schema, schema)
    except (TypeError, ValueError):
        return  # it says that it cannot
    _same_children("in other numbers, rows go to the same children", moved, _columns(moved, dataset.recoded(schema)), child)


def _check_observed(split: Split, dataset: Dataset, child: Array) -> None:
    """Thresholds at observed values change no child of an observed row, and no value costs fewer than 0 bits."""
    numeric = [feature.kind == "numeric" for feature in dataset.schema.features]
    values = [
        np.unique(column[~missing_cells(column)]) if own else None for own, column in zip(numeric, dataset.columns, strict=True)
    ]
    moved = with_observed(split, values)
    children = child_of(moved, *_columns(moved, dataset))
    equal("with thresholds at observed values, rows go to the same children", children, child, split=split, moved=moved)
    for distinct in (2, 3, 10):
        cost = bits(split, distinct)
        is_cost = cost is None or -NEAR < cost < np.inf
        law("the bits of a split are a number from 0", is_cost, got=cost, split=split, distinct=distinct)


def _columns(split: Split, dataset: Dataset | _Far) -> list[Array]:
    return [dataset.columns[feature] for feature in split.features]


def _points(dataset: Dataset | _Far) -> Iterator[dict[str, Any]]:
    """Each row as a dict of values by feature name, None where missing."""
    for cells in zip(*(column.tolist() for column in dataset.columns), strict=True):
        named_cells = zip(dataset.schema.features, cells, strict=True)
        yield {feature.name: _value(feature.values, cell) for feature, cell in named_cells}


def _value(values: Any, cell: float) -> Any:
    if values:
        return None if cell < 0 else values[int(cell)]
    return None if np.isnan(cell) else cell
