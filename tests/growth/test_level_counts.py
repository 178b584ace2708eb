"""Searches by functions of Python: they see the counts of levels, which they cannot change."""

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, grow
from ftree.stop import never
from ftree.tree.splits import Threshold


def own_gini(counts):
    """Gini, in NumPy."""
    return 1 - (np.asarray(counts) ** 2).sum(-1) / np.maximum(np.asarray(counts).sum(-1), 1) ** 2


@pytest.mark.parametrize("n_rows", [120, 3000])
def test_a_function_sees_counts_that_it_cannot_change(n_rows):
    def spoils(counts):
        counts += 1
        return own_gini(counts)

    numbers = np.random.default_rng(0).normal(size=n_rows)
    data = Dataset.from_columns({"a": numbers, "b": list("pqr") * (n_rows // 3), "y": numbers > 0.3}, target="y")
    with pytest.raises(ValueError, match="read-only"):
        grow(data, evolve(ID3, impurity=spoils), engine="compiled")


def test_runs_of_one_value_have_no_cut():
    data = Dataset.from_columns({"a": [1.0, 1.0], "b": [0.0, 1.0], "y": [0, 1]}, target="y")
    both = data.take([0, 0, 0])
    assert grow(data, evolve(ID3, impurity=own_gini), engine="compiled").root.split == Threshold(1, 0.5)
    assert grow(both, evolve(ID3, impurity=own_gini, stop=never), engine="compiled").root.counts == (3, 0)
