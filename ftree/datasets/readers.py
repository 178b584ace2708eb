"""Readers of the archive's files: delimited text whose columns have no names, and two files of other forms."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.fields import ConstructorRepr
from ftree.data.dataset import Dataset
from ftree.datasets.monk_features import MONK_FEATURES
from ftree.tree.schema import position


@frozen(repr=False)
class delimited(ConstructorRepr):
    """Reads a file of values separated by commas; `columns` has the names in order, separated by blanks.

    Features are nominal, except those in `numeric`; the column `without` is omitted.
    """

    columns: str
    target: str = "class"
    numeric: tuple[str, ...] = ()
    without: str | None = field(default=None, kw_only=True)

    def __call__(self, path: Path) -> Dataset:
        """The file's dataset."""
        names = self.columns.split()
        kinds = {name: "numeric" if name in self.numeric else "nominal" for name in names if name != self.target}
        dataset = Dataset.read_csv(path, header=names, target=self.target, kinds=kinds, delimiter=",")
        return dataset if self.without is None else _without(dataset, self.without)


def monk_rows(path: Path) -> Dataset:
    """Robots of the MONK's problems with the values of `monks`, from lines of numbers: the class, six values from 1, an id."""
    label, *values = np.loadtxt(path, dtype=np.intp, usecols=range(7), ndmin=2).T
    named: Mapping[str, tuple[str, ...]] = MONK_FEATURES
    pairs = zip(named.items(), values, strict=True)
    columns = {name: np.array(words)[numbers - 1].tolist() for (name, words), numbers in pairs}
    return Dataset.from_columns({**columns, "monk": np.array(["no", "yes"])[label].tolist()}, target="monk")


def digit_pictures(path: Path) -> Dataset:
    """Digits as 256 bits, from lines of numbers: a picture's bits row by row, then ten more, one of which marks the digit."""
    table = np.loadtxt(path, ndmin=2)
    pixels = {f"p{number // 16:02}_{number % 16:02}": bits for number, bits in enumerate(table[:, :256].T.copy())}
    return Dataset.from_columns({**pixels, "class": table[:, 256:].argmax(axis=1)})


def _without(dataset: Dataset, name: str) -> Dataset:
    """The dataset without one of its features."""
    number = position(dataset.schema, name)
    kept = [other for other in range(len(dataset.columns)) if other != number]
    return evolve(
        dataset,
        schema=evolve(dataset.schema, features=[dataset.schema.features[each] for each in kept]),
        columns=[dataset.columns[each] for each in kept],
        origins=[origin for origin in dataset.origins if origin.name != name],
    )
