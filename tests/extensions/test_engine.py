"""An engine of one's own, in plain Python: it passes the battery, and so it grows every policy."""

from math import inf

import numpy as np
from attrs import evolve, frozen

from ftree.growth.engines import Avc, Joint, parts_of, unit_of
from ftree.testing import check_engine


@frozen
class Listed:
    """The cases of each open node as a list of pairs: a row of the table, and the part of it that is there."""

    table: object
    setup: object
    columns: list
    weights: list
    nodes: list
    single_use = False

    def totals(self):
        (nodes,), counts = self.tally(1, lambda _: [()])
        totals = np.zeros((len(self.nodes), counts.shape[1]))
        totals[nodes.astype(int)] = counts
        return totals

    def keep(self, nodes):
        return evolve(self, nodes=[cases for cases, kept in zip(self.nodes, nodes, strict=True) if kept])

    def count(self):
        cells = self.tally(3, lambda row: [(feature, column[row]) for feature, column in enumerate(self.columns)])
        (node, feature, value), counts = cells
        return Avc(node.astype(int), feature.astype(int), value, counts)

    def joint(self, features):
        (node, *vector), counts = self.tally(1 + len(features), lambda row: [[self.columns[f][row] for f in features]])
        return Joint(node.astype(int), np.transpose(vector), counts)

    def advance(self, splits, _):
        going_on = [pair for pair in zip(splits, self.nodes, strict=True) if pair[0] is not None]
        return evolve(self, nodes=[cases for pair in going_on for cases in self.children(*pair)])

    def children(self, split, cases):
        below, rows = [[] for _ in range(split.n_children)], [row for row, _ in cases]
        child = split.child(*(self.table.columns[feature][rows] for feature in split.features))
        for case, number in zip(cases, child, strict=True):
            if number >= 0:
                below[number].append(case)
        sizes = np.array([sum(part * self.weights[row] for row, part in some) for some in below])
        for (row, whole), number in zip(cases, child, strict=True):
            if number < 0:
                parts = parts_of(np.array([whole]), sizes, self.setup.missing, unit_of(self.table))[0]
                for place in np.flatnonzero(parts):
                    below[place].append((row, parts[place]))
        return below

    def tally(self, width, keys_of):
        """The counts of every key of a node and what a row has there, in order, missing values last."""
        n_classes, counts = len(self.table.schema.classes), {}
        for node, cases in enumerate(self.nodes):
            for row, part in cases:
                for key in keys_of(row):
                    cell = counts.setdefault((node, *key), [0.0] * n_classes)
                    cell[self.table.labels[row]] += part * self.weights[row]
        keys = np.array(sorted(counts), dtype=float).reshape(-1, width)
        return np.where(keys == inf, np.nan, keys).T, np.array([counts[key] for key in sorted(counts)]).reshape(-1, n_classes)


def listed(table, setup):
    columns = [np.where(np.isnan(c) if c.dtype.kind == "f" else c < 0, inf, c).tolist() for c in table.columns]
    weights = [1] * len(table) if table.weights is None else table.weights.tolist()
    return Listed(table, setup, columns, weights, [[(row, 1.0) for row in range(len(table))]])


def test_an_engine_of_lists_passes_the_battery():
    check_engine(listed)
