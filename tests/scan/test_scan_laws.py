"""A tree grown from a source is the tree of the dataset, whatever the bins, the cells and the parts."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import CART, ID3, Dataset, grow
from ftree.criteria import dkm, entropy, gini, misclassification
from ftree.missing import heaviest
from ftree.scan import arrivals, ranges, source_of, values
from ftree.scan.bins import Bins
from ftree.scan.from_dataset import in_parts
from ftree.splitters import by_gain_ratio, multiway, subset, threshold
from ftree.stop import max_leaves, min_rows, never
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
    evolve(ID3, missing="as_value"),
]


@settings(max_examples=max(300, settings.default.max_examples))  # HYPOTHESIS_PROFILE=thorough looks at 3,000
@given(
    st.data(),
    datasets(max_rows=40, missing=True, weighted=True),
    st.sampled_from(POLICIES),
    st.integers(1, 20),
    st.sampled_from([1, 2, 1024]),
    st.sampled_from([1, 30, 150_000]),
)
def test_a_source_grows_the_tree_of_its_dataset(data, dataset, policy, rows, cells, chunk):
    source = evolve(in_parts(dataset, data.draw(any_bins(dataset)), rows), most_cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "_ROWS", chunk)
        patch.setattr(values, "_WAITING", chunk)
        assert grow(source, policy) == grow(dataset, policy, engine="plain")


@settings(max_examples=100)
@given(st.data(), datasets(max_rows=60, weighted=True), st.integers(0, 3), st.integers(1, 30), st.integers(1, 20))
def test_finishing_nodes_in_memory_grows_the_same_tree(data, dataset, number, most, rows):
    policy = [ID3, evolve(ID3, stop=never), evolve(ID3, impurity=gini), ID3.stopping(max_leaves(4))][number]
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    memory = most * 40 * (len(dataset.columns) + 1)
    assert grow(source, policy, memory=memory) == grow(dataset, policy, engine="plain")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_larger_tables_grow_the_same_tree(seed):
    random = np.random.default_rng(seed)
    n, n_classes = int(random.integers(50, 2000)), int(random.integers(2, 8))
    columns = {}
    for number in range(4):
        x = random.normal(size=n)
        x = np.round(x, 1) if random.random() < 0.3 else x
        columns[f"x{number}"] = np.where(random.random(n) < 0.1, np.nan, x) if random.random() < 0.4 else x
    label = (np.nan_to_num(columns["x0"]) + random.normal(size=n) > 0) + random.integers(0, n_classes - 1, n)
    weights = random.integers(1, 4, n) if random.random() < 0.3 else None
    dataset = Dataset.from_columns({**columns, "u": random.choice(list("abcd"), n), "class": label.astype(str)}, weights=weights)
    policy = evolve(ID3, impurity=gini if random.random() < 0.5 else entropy).stopping(min_rows(int(random.integers(2, 30))))
    bins, rows, cells = (int(random.choice(some)) for some in ([5, 30, 300], [100, 1000], [2, 8, 64]))
    assert grow(evolve(source_of(dataset, bins=bins, rows_per_part=rows), most_cells=cells), policy) == grow(dataset, policy)


def test_many_rows_finish_in_memory_by_kernels(monkeypatch):
    monkeypatch.setattr(arrivals, "_MANY", 10)
    random = np.random.default_rng(0)
    numbers = random.normal(size=(300, 2))
    dataset = Dataset.from_rows(numbers, (numbers.sum(axis=1) + random.normal(size=300) > 0).tolist())
    source = source_of(dataset, rows_per_part=100)
    assert grow(source, ID3, memory=40 * 40 * 3) == grow(dataset, ID3)
