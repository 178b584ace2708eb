"""Noise in a dataset: labels and values that are replaced at random, and values that are deleted at random."""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree._lib.fields import require_probability
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.data.values import Column
from ftree.tree.schema import Feature, names_of, position


def noisy_labels(dataset: Dataset, rate: float, *, seed: int = 0) -> Dataset:
    """The same rows, where each label is replaced with probability `rate` by another class, all equally probable.

    Raises a ValueError for a rate outside 0 to 1, and for a dataset of only one class.

    >>> clean = Dataset.from_rows([["a"], ["b"]] * 50, ["no", "yes"] * 50)
    >>> int((noisy_labels(clean, 0.2).labels != clean.labels).sum())
    19
    """
    require_probability("rate", rate)
    n_classes = len(dataset.schema.classes)
    if n_classes < 2:  # noqa: PLR2004  # a label needs another class
        raise ValueError(f"dataset must have at least two classes, got {short_repr(dataset.schema.classes)}.")
    random = generator_of(seed)
    hit = random.random(len(dataset)) < rate
    return evolve(dataset, labels=_replaced(dataset.labels, hit, n_classes, random))


def noisy_values(dataset: Dataset, rate: float, *, features: Collection[str] | None = None, seed: int = 0) -> Dataset:
    """The same rows, where each known value is replaced with probability `rate`, in all features or in those named.

    A nominal or ordinal value becomes another value of the feature, all equally probable; a number becomes one that is uniform
    between the least and the greatest of its column. Missing values stay missing, and so does the only value of a feature.

    Raises a ValueError for a rate outside 0 to 1, a KeyError for a feature that does not exist.

    Source: Zhu & Wu (2004), "Class Noise vs. Attribute Noise: A Quantitative Study of Their Impacts".

    >>> clean = Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 50, ["no", "yes"] * 50)
    >>> [int((new != old).sum()) for new, old in zip(noisy_values(clean, 0.2).columns, clean.columns)]
    [19, 18]
    """
    require_probability("rate", rate)
    random = generator_of(seed)
    columns = list(dataset.columns)
    for number, feature, hit in _hits(dataset, rate, features, random):
        columns[number] = _with_noise(feature, columns[number], hit, random)
    return evolve(dataset, columns=columns)


def with_missing(dataset: Dataset, share: float, *, features: Collection[str] | None = None, seed: int = 0) -> Dataset:
    """The same rows, where each value becomes missing with probability `share`, in all features or in those named.

    Raises a ValueError for a share outside 0 to 1, a KeyError for a feature that does not exist.

    >>> known = Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 50, ["no", "yes"] * 50)
    >>> len(with_missing(known, 0.2, features=["x0"]).incomplete())
    19
    """
    require_probability("share", share)
    columns = list(dataset.columns)
    for number, feature, hit in _hits(dataset, share, features, generator_of(seed)):
        columns[number] = _with_gaps(feature, columns[number], hit)
    return evolve(dataset, columns=columns)


def _hits(
    dataset: Dataset, rate: float, wanted: Collection[str] | None, random: np.random.Generator
) -> Iterator[tuple[int, Feature, npt.NDArray[np.bool_]]]:
    """For each wanted feature: its number, the feature, and which rows change."""
    if isinstance(wanted, str):
        raise TypeError(f"features must be a list of names, got {short_repr(wanted)}. Write a single name as [{wanted!r}].")
    for name in names_of(dataset.schema.features) if wanted is None else wanted:
        number = position(dataset.schema, name)
        yield number, dataset.schema.features[number], random.random(len(dataset)) < rate


def _with_noise(feature: Feature, column: Column, hit: Any, random: np.random.Generator) -> Column:
    if feature.kind != "numeric":
        return _replaced(column, hit & (column >= 0), len(feature.values), random)
    known = column[~np.isnan(column)]
    if not known.size:
        return column
    drawn = known.min() + (known.max() - known.min()) * random.random(len(column))
    return np.where(hit & ~np.isnan(column), drawn, column).astype(column.dtype)


def _replaced(codes: Column, hit: Any, n_values: int, random: np.random.Generator) -> Column:
    """Codes, with another one from 0 to n_values - 1 where `hit`; the only value of a feature stays."""
    other = random.integers(1, max(n_values, 2), len(codes))
    return smallest_integers(np.where(hit, (codes + other) % max(n_values, 1), codes), n_values)


def _with_gaps(feature: Feature, column: Column, hit: Any) -> Column:
    if feature.kind == "numeric":
        return np.where(hit, np.nan, column).astype(column.dtype)
    return smallest_integers(np.where(hit, -1, column.astype(np.intp)), len(feature.values))
