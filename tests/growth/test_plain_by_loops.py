"""The NumPy engine counts, keeps and moves cases as plain loops over rows do; engines are compared with it."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import missing_cells
from ftree.growth.engines import EngineSetup, plain
from ftree.testing import datasets, splits
from ftree.tree.splits import UNKNOWN, child_of


def to_the_first(sizes):
    """A user's rule: the first child gets every case without a child."""
    return np.eye(1, len(sizes))[0]


SHARES = {
    "ignore": lambda sizes: [size / sum(sizes) for size in sizes],
    "heaviest": lambda sizes: [float(number == sizes.index(max(sizes))) for number in range(len(sizes))],
    to_the_first: to_the_first,
}


@given(st.data(), datasets(missing=True, weighted=True) | datasets(), st.sampled_from(list(SHARES)))
def test_the_numpy_engine_counts_as_loops_do(draws, dataset, missing):
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    engine, nodes = plain(dataset, EngineSetup(missing)), [dict(enumerate(weights.tolist()))]
    cells = [known_cells(column) for column in dataset.columns]
    numbers = [number for number, feature in enumerate(dataset.schema.features) if feature.kind == "numeric"]
    for _ in range(3):
        totals = summed(dataset, nodes, lambda _: [()])
        assert engine.totals().tolist() == [pytest.approx(totals[node, ()]) for node in range(len(nodes))]
        avc = engine.count()
        by_value = summed(dataset, nodes, lambda row: [(number, column[row]) for number, column in enumerate(cells)])
        check(avc, list(zip(avc.feature.tolist(), known_cells(avc.value), strict=True)), by_value)
        if numbers:
            joint = engine.joint(numbers)
            by_vector = summed(dataset, nodes, lambda row: [tuple(cells[number][row] for number in numbers)])
            check(joint, [tuple(known_cells(vector)) for vector in joint.vector], by_vector)
        kept = [draws.draw(st.booleans()) for _ in nodes]
        level = draws.draw(st.lists(st.none() | splits(dataset.schema), min_size=sum(kept), max_size=sum(kept)))
        engine = engine.keep(np.array(kept, dtype=bool)).advance(level)
        pairs = zip([cases for cases, own in zip(nodes, kept, strict=True) if own], level, strict=True)
        nodes = [child for cases, split in pairs if split is not None for child in children(dataset, cases, split, missing)]


def known_cells(column):
    """Values as floats, None where missing."""
    return [None if gap else float(value) for value, gap in zip(column.tolist(), missing_cells(column), strict=True)]


def summed(dataset, nodes, keys):
    """Class counts by node and each key of a row."""
    found = defaultdict(lambda: [0.0] * len(dataset.schema.classes))
    for node, cases in enumerate(nodes):
        for row, weight in cases.items():
            for key in keys(row):
                found[node, key][dataset.target_column[row]] += weight
    return found


def children(dataset, cases, split, missing):
    """The cases of each child; cases without a child are divided by the sizes of the children."""
    below, unknown = [{} for _ in range(split.n_children)], {}
    columns = [dataset.columns[feature][list(cases)] for feature in split.features]
    for (row, weight), child in zip(cases.items(), child_of(split, *columns).tolist(), strict=True):
        (unknown if child == UNKNOWN else below[child])[row] = weight
    sizes = [sum(known.values()) for known in below]
    for child, share in zip(below, SHARES[missing](sizes if any(sizes) else [1.0] * len(sizes)), strict=True):
        child.update({row: weight * share for row, weight in unknown.items() if weight * share})
    return below


def check(counted, keys, wanted):
    """Each value that is present has a row with its counts; rows are sorted by node, then feature, then value."""
    found = list(zip(counted.node.tolist(), keys, strict=True))
    order = [(node, [(part is None, part or 0) for part in key]) for node, key in found]
    assert order == sorted(order)
    assert dict(zip(found, counted.counts.tolist(), strict=True)) == {key: pytest.approx(own) for key, own in wanted.items()}
