"""Rows of a part go where the split sends them, by their bins or by their numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset
from ftree.scan.bins import bins_of_sample
from ftree.scan.routes import root_routes, rows_at_nodes
from ftree.scan.source import in_parts
from ftree.tree import Threshold

NEIGHBOURS = [1.0, 1.0 + 2**-52, 1.0 + 2**-51]


@pytest.mark.parametrize("native", ["on", "off"])
@given(st.lists(st.sampled_from([-1.0, *NEIGHBOURS, 2.5, 4.0]), min_size=1, max_size=12), st.integers(2, 9), st.data())
def test_a_number_up_to_the_threshold_goes_left_whatever_its_bin(native, numbers, n_bins, data):
    at = data.draw(st.sampled_from([*numbers, *np.nextafter(numbers, -np.inf).tolist(), (min(numbers) + max(numbers)) / 2]))
    dataset = Dataset.from_columns({"x": np.array(numbers), "class": [0] * len(numbers)})
    source = in_parts(dataset, [bins_of_sample(dataset.columns[0], n_bins)], 100)
    (part,) = source.parts.table.parts
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FTREE_NATIVE", native)
        node, _ = rows_at_nodes(root_routes(unit=1 / 8).below([Threshold(0, at)], source.summary, np.array([0.5, 0.5])), part)
    assert node.tolist() == [int(number > at) for number in numbers]
