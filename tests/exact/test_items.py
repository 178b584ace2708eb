"""The integers that counts are kept in."""

import numpy as np
import pytest
from attrs import evolve

from ftree import Dataset, optimal
from ftree.datasets import monks
from ftree.exact.candidates import BINARY, candidates_of

TABLE = monks(3)


@pytest.mark.parametrize("weight", [1, 75, 76, 4_970_000, 4_980_000])
def test_counts_of_every_size_have_the_same_optimum(weight):
    """432 rows: 75 times as many are counted in 16 bits, 76 times in 32, and 4,980,000 times in doubles."""
    heavy = optimal(evolve(TABLE, weights=np.full(len(TABLE), weight)), max_depth=3)
    assert heavy.cost == weight * optimal(TABLE, max_depth=3).cost
    assert heavy.proved


def test_rows_are_told_apart_by_any_number_of_features():
    """70 features of two values make more groups than a whole number of 64 bits can count at once."""
    random = np.random.default_rng(0)
    columns = {f"b{number}": random.choice(list("01"), 40) for number in range(70)}
    table = Dataset.from_columns({**columns, "class": random.choice(list("pq"), 40)}, target="class")
    listed = candidates_of(table, BINARY, 100)
    rows = np.column_stack(table.columns)
    assert len(set(listed.alike.tolist())) == len(np.unique(rows, axis=0))
    assert optimal(table, max_depth=2).proved
