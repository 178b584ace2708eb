"""Cases of open nodes in plain Python: an engine's results by loops over rows, without any code of an engine."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, missing_cells
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.testing.laws import equal, law
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Split

# The weight of each row of a node, by row number.
_Cases: TypeAlias = dict[int, float]
# Class counts by node, feature (none for vectors), and value or vector; a missing value is None.
_Table: TypeAlias = dict[tuple[object, ...], list[float]]


@frozen(eq=False)
class Loops:
    """The cases of each open node of a dataset, and the rule that divides rows without a child."""

    dataset: Dataset
    missing: MissingRows
    nodes: list[_Cases]

    @classmethod
    def of(cls, dataset: Dataset, missing: MissingRows) -> "Loops":
        """One open node with all rows of positive weight."""
        weights = [1.0] * len(dataset) if dataset.weights is None else dataset.weights.tolist()
        return cls(dataset, missing, [{row: float(weight) for row, weight in enumerate(weights) if weight}])

    def keep(self, nodes: Sequence[bool]) -> "Loops":
        """The nodes that a mask marks."""
        kept = [cases for cases, own in zip(self.nodes, nodes, strict=True) if own]
        return Loops(self.dataset, self.missing, kept)

    def advance(self, splits: Sequence[Split | None]) -> "Loops":
        """The children of the nodes with a split."""
        pairs = zip(self.nodes, splits, strict=True)
        children = [child for cases, split in pairs if split is not None for child in self._children(cases, split)]
        return Loops(self.dataset, self.missing, children)

    def _children(self, cases: _Cases, split: Split) -> list[_Cases]:
        """The cases of each child; cases without a child are divided by the sizes of the children."""
        below: list[_Cases] = [{} for _ in range(split.n_children)]
        unknown: _Cases = {}
        columns = [self.dataset.columns[feature][list(cases)] for feature in split.features]
        for (row, weight), child in zip(cases.items(), child_of(split, *columns).tolist(), strict=True):
            (unknown if child == UNKNOWN else below[child])[row] = weight
        sizes = [sum(known.values()) for known in below]
        for child, share in zip(below, self._shares(sizes if any(sizes) else [1.0] * len(sizes)), strict=True):
            child.update({row: weight * share for row, weight in unknown.items() if weight * share})
        return below

    def _shares(self, sizes: list[float]) -> list[float]:
        if self.missing == "ignore":
            return [size / sum(sizes) for size in sizes]
        if self.missing == "heaviest":
            return [float(number == sizes.index(max(sizes))) for number in range(len(sizes))]
        shares: list[float] = np.asarray(self.missing(np.array(sizes))).tolist()
        return shares

    def totals(self) -> list[list[float]]:
        """The class counts of each node."""
        return [self._counted({0: list(cases)}, cases)[(0,)] if cases else self._none() for cases in self.nodes]

    def table(self, features: Sequence[int] | None = None) -> _Table:
        """Class counts for each value of each feature in each node, or for each vector of several features."""
        found: _Table = {}
        cells = [_cells(column) for column in self.dataset.columns]
        for node, cases in enumerate(self.nodes):
            rows: defaultdict[object, list[int]] = defaultdict(list)
            for row in cases:
                if features is None:
                    for number, column in enumerate(cells):
                        rows[node, number, column[row]].append(row)
                else:
                    rows[node, tuple(cells[number][row] for number in features)].append(row)
            found |= self._counted(rows, cases)
        return found

    def _counted(self, rows: dict[object, list[int]], cases: _Cases) -> _Table:
        found: _Table = {}
        for key, some in rows.items():
            counts = found.setdefault(key if isinstance(key, tuple) else (key,), self._none())
            for row in some:
                counts[int(self.dataset.labels[row])] += cases[row]
        return found

    def _none(self) -> list[float]:
        return [0.0] * len(self.dataset.schema.classes)


def check_table(text: str, got: Avc | Joint, wanted: _Table) -> None:
    """Counts have a row for each value present, with the counts that loops find, sorted as the protocol requires."""
    if isinstance(got, Avc):
        columns = got.node.tolist(), got.feature.tolist(), _cells(got.value)
        keys: list[tuple[object, ...]] = list(zip(*columns, strict=True))
        order = [(node, feature, value is None, value or 0) for node, feature, value in zip(*columns, strict=True)]
    else:
        vectors = [tuple(_cells(vector)) for vector in got.vector]
        keys = list(zip(got.node.tolist(), vectors, strict=True))
        order = [
            (node, *((value is None, value or 0) for value in vector))
            for node, vector in zip(got.node.tolist(), vectors, strict=True)
        ]
    law(text + ": rows are sorted by node, then feature, then value", order == sorted(order), got=keys)
    law(text + ": each value that is present has a row", set(keys) == set(wanted), got=keys, wanted=list(wanted))
    equal(text, got.counts, [wanted[key] for key in keys] if keys else got.counts, keys=keys)


def _cells(column: Array) -> list[float | None]:
    """Values as floats, None where missing."""
    pairs = zip(column.tolist(), missing_cells(column).tolist(), strict=True)
    return [None if missing else float(value) for value, missing in pairs]
