"""An engine of lists and dicts: everything that growth requires of an engine. The longest example, since it has five methods."""

from math import inf

import numpy as np
from attrs import evolve, frozen

from ftree.criteria import Avc, Joint
from ftree.growth import parts_of, unit_of
from ftree.testing import check_engine


@frozen
class Listed:
    """The cases of each open node as pairs: a row of the table, and the size of its part."""

    table: object
    setup: object
    nodes: list
    single_use = False  # `advance` makes another engine

    def tally(self, width, keys_of):
        """The class counts of every key of a node for which a row has a value, in order, missing values last."""
        n_classes, counts = len(self.table.schema.classes), {}
        for node, cases in enumerate(self.nodes):
            for row, part in cases:
                for key in keys_of(row):
                    cell = counts.setdefault((node, *key), [0.0] * n_classes)
                    cell[self.table.target_column[row]] += part * self.table.weights[row]
        keys = np.array(sorted(counts), dtype=float).reshape(-1, width)
        return np.where(keys == inf, np.nan, keys).T, np.array([counts[key] for key in sorted(counts)]).reshape(-1, n_classes)

    def value(self, feature, row):
        value = self.table.columns[feature][row]
        return inf if np.isnan(value) or (value < 0 and self.table.schema.features[feature].kind != "numeric") else float(value)

    def totals(self):
        (nodes,), counts = self.tally(1, lambda _: [()])
        totals = np.zeros((len(self.nodes), counts.shape[1]))
        totals[nodes.astype(int)] = counts
        return totals

    def keep(self, nodes):
        return evolve(self, nodes=[cases for cases, kept in zip(self.nodes, nodes, strict=True) if kept])

    def count(self):
        features = range(len(self.table.columns))
        (node, feature, value), counts = self.tally(3, lambda row: [(f, self.value(f, row)) for f in features])
        return Avc(node.astype(int), feature.astype(int), value, counts)

    def joint(self, features):
        (node, *vector), counts = self.tally(1 + len(features), lambda row: [[self.value(f, row) for f in features]])
        return Joint(node.astype(int), np.transpose(vector), counts)

    def advance(self, splits, _):
        going_on = [pair for pair in zip(splits, self.nodes, strict=True) if pair[0] is not None]
        return evolve(self, nodes=[cases for pair in going_on for cases in self.children(*pair)])

    def children(self, split, cases):
        child = split.child(*(self.table.columns[feature][[row for row, _ in cases]] for feature in split.features))
        below = [[case for case, number in zip(cases, child, strict=True) if number == v] for v in range(split.n_children)]
        sizes = np.array([sum(part * self.table.weights[row] for row, part in some) for some in below])
        for row, whole in [case for case, number in zip(cases, child, strict=True) if number < 0]:
            parts = parts_of(np.array([whole]), sizes, self.setup.missing, unit_of(self.table))[0]
            for number in np.flatnonzero(parts):
                below[number].append((row, parts[number]))
        return below


def start(table, setup):
    weights = np.ones(len(table), dtype=int) if table.weights is None else table.weights
    return Listed(evolve(table, weights=weights), setup, [[(row, 1.0) for row in range(len(table))]])


def test_it_keeps_the_laws_and_grows_every_policy():
    check_engine(start)
