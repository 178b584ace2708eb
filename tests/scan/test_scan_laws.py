"""A tree grown from a source is the tree of the dataset, whatever the bins, the cells and the parts."""

import numpy as np
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import CART, ID3, grow
from ftree.criteria import dkm, gini, misclassification
from ftree.missing import heaviest
from ftree.scan.bins import Bins
from ftree.scan.from_dataset import in_parts
from ftree.splitters import by_gain_ratio, multiway, subset, threshold
from ftree.stop import max_leaves, never
from ftree.testing import datasets


@st.composite
def any_bins(draw, dataset):
    """Bins of any edges, many and few, near the data and far from them."""
    bins = []
    for feature, column in zip(dataset.schema.features, dataset.columns, strict=True):
        if feature.kind != "numeric":
            bins.append(None)
            continue
        numbers = sorted({float(x) for x in column if not np.isnan(x)})
        chosen = draw(st.sets(st.sampled_from(numbers), max_size=len(numbers))) if numbers else set()
        others = draw(st.sets(st.floats(-5, 5), max_size=4))
        near = {float(np.nextafter(x, -np.inf)) for x in chosen} if draw(st.booleans()) else set()
        bins.append(Bins(np.array(sorted(chosen | others | near))))
    return bins


POLICIES = [
    ID3,
    evolve(ID3, stop=never),
    evolve(ID3, impurity=gini, splits=(threshold(min_cases=2), multiway())),
    evolve(ID3, impurity=misclassification, splits=(threshold(), subset())),
    evolve(ID3, impurity=dkm, choose=by_gain_ratio()),
    evolve(ID3, missing=heaviest()),
    evolve(CART, missing="ignore"),
]


@settings(max_examples=300)
@given(
    st.data(),
    datasets(max_rows=40, missing=True, weighted=True),
    st.sampled_from(POLICIES),
    st.integers(1, 20),
    st.sampled_from([1, 2, 1024]),
)
def test_a_source_grows_the_tree_of_its_dataset(data, dataset, policy, rows, cells):
    source = evolve(in_parts(dataset, data.draw(any_bins(dataset)), rows), most_cells=cells)
    assert grow(source, policy) == grow(dataset, policy, engine="plain")


@settings(max_examples=100)
@given(st.data(), datasets(max_rows=60, weighted=True), st.integers(0, 3), st.integers(1, 30), st.integers(1, 20))
def test_finishing_nodes_in_memory_grows_the_same_tree(data, dataset, number, most, rows):
    policy = [ID3, evolve(ID3, stop=never), evolve(ID3, impurity=gini), ID3.stopping(max_leaves(4))][number]
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    memory = most * 40 * (len(dataset.columns) + 1)
    assert grow(source, policy, memory=memory) == grow(dataset, policy, engine="plain")
