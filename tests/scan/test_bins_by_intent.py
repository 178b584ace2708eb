"""`threshold(bins=...)`: the same tree in memory, by both engines, and from a source; its thresholds are ends of bins."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from test_scan_laws import any_bins

from ftree import C45, CART, ID3, Dataset, grow, recount
from ftree.criteria import gain_ratio, gini
from ftree.missing import as_branch
from ftree.scan import source_of
from ftree.scan.from_dataset import in_parts
from ftree.splitters import intervals, multiway, per_feature, subset, threshold
from ftree.stop import max_depth, max_leaves, min_rows, never
from ftree.testing import datasets
from ftree.tree import Branch, preorder

RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(120, 3)).round(1)
TABLE = Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 1] > 0.1).tolist())


def by(bins, policy=ID3, **options):
    return evolve(policy, splits=(multiway(), threshold(bins=bins, **options)))


POLICIES = [
    ID3,
    evolve(ID3, stop=never, impurity=gini),
    evolve(ID3, missing="heaviest", score=gain_ratio),
    evolve(ID3, missing="as_value", choose=C45.choose),
    ID3.stopping(max_leaves(4)),
]


@settings(max_examples=80)
@given(
    st.data(),
    datasets(max_rows=40, missing=True, weighted=True),
    st.sampled_from(POLICIES),
    st.integers(2, 6),
    st.sampled_from([{}, {"mdl": True}, {"min_cases": 2, "at": "observed"}]),
    st.integers(1, 20),
)
def test_a_source_in_bins_grows_the_tree_of_its_dataset(data, dataset, policy, bins, options, rows):
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    tree = grow(dataset, by(bins, policy, **options), engine="plain")
    assert grow(source, by(bins, policy, **options)) == tree
    assert grow(dataset, by(bins, policy, **options), engine="compiled") == tree


@given(datasets(max_rows=30, missing=True, weighted=True), st.booleans())
def test_with_a_bin_for_each_value_thresholds_are_observed_values(dataset, mdl):
    policies = (evolve(ID3, splits=(multiway(), threshold(mdl=mdl, **own))) for own in ({"bins": 30}, {"at": "observed"}))
    in_bins, observed = (grow(dataset, policy) for policy in policies)
    assert in_bins == observed


def ends_by_loops(column, bins):
    """The first value up to which each share of the rows lies."""
    values = sorted(column)
    return {values[-(-len(values) * number // bins) - 1] for number in range(1, bins + 1)}


@pytest.mark.parametrize("bins", [2, 5, 20])
def test_thresholds_are_ends_of_bins_and_counts_those_of_the_rows(bins):
    tree = grow(TABLE, by(bins))
    assert recount(tree, TABLE) == tree
    ends = [ends_by_loops(column, bins) for column in NUMBERS.T.tolist()]
    found = [node.split for node in preorder(tree.root) if isinstance(node, Branch)]
    assert {split.at in ends[split.feature] for split in found} == {True}
    # Each cut between bins is a candidate, so the ends grow the same tree as the numbers.
    columns = [[min(end for end in own if end >= x) for x in column] for column, own in zip(NUMBERS.T, ends, strict=True)]
    of_ends = grow(evolve(TABLE, columns=[np.array(column) for column in columns]), ID3)
    assert [node.counts for node in preorder(of_ends.root)] == [node.counts for node in preorder(tree.root)]


def test_weights_count_as_copies():
    weights = RANDOM.integers(0, 4, len(TABLE))
    copies = TABLE.take(np.repeat(np.arange(len(TABLE)), weights))
    assert grow(evolve(TABLE, weights=weights), by(7)).root == grow(copies, by(7)).root
    # Fractional rows have no copies; halves have the bins of the whole rows.
    assert grow(evolve(TABLE, weights=weights / 2), by(7)).root.split == grow(copies, by(7)).root.split


def test_values_that_are_equal_but_for_rounding_share_a_bin():
    near = Dataset.from_rows([[0.3], [0.1 + 0.2], [0.5]], ["a", "b", "b"])
    assert grow(near, by(9)).root.split.at == 0.1 + 0.2


def test_traced_thresholds_are_those_of_the_tree():
    traced = []
    tree = grow(TABLE, by(5), trace=traced.append)
    assert traced[0].splits[0] == tree.root.split
    assert [level.splits for level in traced[-1:]] == [(None,) * len(traced[-1].counts)]


def test_growth_goes_on_from_a_tree_in_bins():
    above = grow(TABLE, by(9).stopping(max_depth(1)))
    assert grow(TABLE, by(9), start=above) == grow(TABLE, by(9))
    assert grow(source_of(TABLE), by(9), start=above) == grow(TABLE, by(9))


@pytest.mark.parametrize("bins", [3, 60])
def test_nodes_in_bins_are_finished_in_memory(bins):
    source = source_of(TABLE, bins=10, rows_per_part=50)
    assert grow(source, by(bins), memory=40 * 40 * 4) == grow(TABLE, by(bins))


def test_features_are_looked_at_in_groups(monkeypatch):
    monkeypatch.setattr("ftree.scan.number_bins._ROWS", 10)
    assert grow(source_of(TABLE, bins=40), by(9)) == grow(TABLE, by(9))


def test_surrogates_are_refused_where_values_are_missing():
    policy = evolve(CART, splits=(subset(), threshold(bins=3)))
    assert grow(TABLE, policy) == grow(TABLE, evolve(policy, missing="ignore"))
    gaps = Dataset.from_rows([[1.0], [np.nan], [3.0]], ["a", "b", "a"])
    with pytest.raises(ValueError, match="missing must be a policy without surrogates if numbers are binned"):
        grow(gaps, policy)
    tree = grow(gaps, evolve(policy, missing=as_branch()))
    assert tree.root.counts == (2, 1)


@pytest.mark.parametrize(
    "splits",
    [(threshold(bins=5), intervals()), (per_feature({"x0": threshold(bins=4)}, otherwise=(threshold(bins=5),)),)],
)
def test_all_numbers_have_the_same_bins(splits):
    with pytest.raises(ValueError, match=r"splits must have threshold\(bins=5\) for all numeric features"):
        grow(TABLE, evolve(ID3, splits=splits))


@pytest.mark.parametrize("bins", [1, 2.5, 10**6, "many"])
def test_bins_are_a_whole_number(bins):
    with pytest.raises(ValueError, match="bins must be a whole number of bins from 2 to 60"):
        threshold(bins=bins)


@settings(max_examples=60)
@given(st.data(), datasets(max_rows=30, missing=True, weighted=True), st.integers(1, 20))
def test_thresholds_at_observed_values_of_a_source(data, dataset, rows):
    policy = evolve(ID3, splits=(multiway(), threshold(at="observed"))).stopping(min_rows(3))
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    assert grow(source, policy) == grow(dataset, policy)
    if not source.summary.gaps:
        assert grow(source, policy, memory=10 * 40 * (len(dataset.columns) + 1)) == grow(dataset, policy)
