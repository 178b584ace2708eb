"""Which rows fit a rule or a condition, for all rows at once; `holds` and `fits` are the plain twins for one row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree.data.column_changes import recoded_columns
from ftree.data.dataset import Dataset, require_dataset
from ftree.show.formulas import Dnf, Rule, terms
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.schema import position
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.lookup import weighted_sum

Mask = npt.NDArray[np.bool_]


def covers(formula: Dnf | Rule, dataset: Dataset) -> Mask:
    """The rows of a dataset for which a rule's conditions, or a formula, hold, as a mask (n,).

    Raises a TypeError for anything that is not a formula, rule or dataset, a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets, grow, rules
    >>> days = datasets.weather()
    >>> [int(covers(rule, days).sum()) for rule in rules(grow(days))]
    [4, 3, 2, 3, 2]
    """
    require_dataset(dataset)
    found = np.zeros(len(dataset), dtype=bool)
    for term in terms(formula):
        found |= mask_of(AllOf(term), dataset)
    return found


def mask_of(condition: Condition, dataset: Dataset) -> Mask:
    """The rows for which a condition with names instead of numbers holds, as a mask (n,).

    >>> from ftree import datasets
    >>> int(mask_of(OneOf("outlook", ("sunny",)), datasets.weather()).sum())
    5
    """
    match condition:
        case AllOf(parts):
            return all_of([mask_of(each, dataset) for each in parts], len(dataset))
        case AnyOf(parts):
            return ~all_of([~mask_of(each, dataset) for each in parts], len(dataset))
        case FirstKnown(pairs, default):
            return _first_known(pairs, dataset, default=default)
        case SumBetween():
            return _sum_between(condition, dataset)
        case Opaque():
            answers = child_of(condition.split, *recoded_columns(dataset, condition.features))
            return np.asarray(answers == condition.child)
    return _of_one_feature(condition, dataset)


def all_of(masks: Sequence[Mask], n: int) -> Mask:
    """The rows for which all masks are true, (n,); all rows without a mask.

    >>> all_of([np.array([True, False]), np.array([True, True])], 2).tolist()
    [True, False]
    """
    found = np.ones(n, dtype=bool)
    for mask in masks:
        found &= mask
    return found


def _of_one_feature(condition: Between | OneOf | NoneOf | Missing, dataset: Dataset) -> Mask:
    number = position(dataset.schema, str(condition.feature))
    feature, column = dataset.schema.features[number], dataset.columns[number]
    missing = missing_cells(column)
    match condition:
        case Missing():
            return missing
        case Between(_, above, at_most):
            return np.asarray((column > above) & (column <= at_most))
    listed: Any = condition.values
    here = np.isin(column, [code for code, value in enumerate(feature.values) if value in listed])
    return here | (missing & (None in listed)) if isinstance(condition, OneOf) else ~missing & ~here


def _sum_between(condition: SumBetween, dataset: Dataset) -> Mask:
    columns = [dataset.columns[position(dataset.schema, str(name))] for name in condition.features]
    known = ~np.logical_or.reduce([missing_cells(column) for column in columns])
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that overflows is not above any number, as in `fits`
        total = weighted_sum(condition.weights, columns)
    above = np.ones(len(total), dtype=bool) if condition.above == -np.inf else total > condition.above
    return np.asarray(known & above & ~(total > condition.at_most))


def _first_known(pairs: Sequence[tuple[Condition, Condition]], dataset: Dataset, *, default: bool) -> Mask:
    found = np.full(len(dataset), default)
    for holding, opposite in reversed(pairs):
        found = mask_of(holding, dataset) | (found & ~mask_of(opposite, dataset))
    return found
