"""A source grows the tree of its dataset, in bins too."""

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import C45, CART, ID3, Branch, Dataset, entropy, gain_ratio, gini, grow, misclassification, recount
from ftree.criteria import dkm
from ftree.routing import heaviest
from ftree.scan import counts, encode_to, open_encoded, ranges, source_of, survey
from ftree.scan.bins import Bins
from ftree.scan.source import in_parts
from ftree.splitters import by_gain_ratio, by_permutation_test, by_score, multiway, subset, threshold
from ftree.stop import max_depth, max_leaves, min_rows, never
from ftree.testing import datasets
from ftree.tree import preorder


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
        patch.setattr(counts, "_WAITING", chunk)
        assert grow(source, policy) == grow(dataset, policy, engine="plain")


OF_NUMBERS = [
    evolve(CART, missing=heaviest()),
    evolve(CART, missing=heaviest(), splits=(threshold(bins=3), multiway())).stopping(min_rows(3)),
    evolve(CART, missing=heaviest(), splits=(threshold(at="observed"), subset()), choose=by_permutation_test(0.9)),
]


@given(
    st.sampled_from(["numbers", "classes"]).flatmap(
        lambda kind: datasets(response=kind, missing=True, weighted=True, max_rows=40)
    ),
    st.sampled_from(OF_NUMBERS),
    st.integers(1, 20),
    st.integers(2, 5),
    st.sampled_from([None, 1, 2]),
)
def test_a_source_of_numbers_or_classes_grows_the_tree_of_its_dataset(dataset, policy, rows, bins, cells):
    all_values = isinstance(policy.choose, by_permutation_test)
    source = evolve(source_of(dataset, bins=4096 if all_values else bins, rows_per_part=rows), most_cells=cells)
    assert grow(source, policy) == grow(dataset, policy)
    targets = source.fold_datasets(lambda part: part.target_column.tolist(), lambda one, other: one + other)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    assert sorted(targets) == sorted(dataset.target_column[weights > 0].tolist())


def measured(n=60):
    random = np.random.default_rng(0)
    columns = {"x": random.normal(size=n).round(1), "w": random.choice(list("abc"), n), "y": 1e6 * random.normal(size=n)}
    return columns | {"y": columns["y"] + 1e6 * columns["x"]}


def test_surveyed_and_encoded_numbers_grow_the_tree_of_their_frame(tmp_path):
    table = pa.table(measured())
    wanted = grow(Dataset.from_frame(table, "y"), CART)
    encode_to(table, tmp_path / "rows", "y")
    for source in (survey(table, "y"), open_encoded(tmp_path / "rows"), survey(table, "y", bins=20)):
        for policy in (CART, evolve(CART, splits=(threshold(bins=10), subset()))):
            assert grow(source, policy).root == grow(Dataset.from_frame(table, "y"), policy).root
    assert grow(table, CART, target="y") == wanted
    assert survey(pa.table({"x": [1.0, 2.0], "y": [1, 2]}), "y", response="numbers").schema.response.kind == "numbers"


GAPS = Dataset.from_columns({"x": [1.0, None, 3.0], "y": [0.5, 1.5, 2.5]}, target="y")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: grow(survey(pa.table(measured()), "y", bins=9), OF_NUMBERS[2]),
            r"choose must be by_score\(\), or threshold\(bins",
        ),
        (lambda: grow(source_of(GAPS), CART), 'missing must be "heaviest", which divides no row, with a target of numbers'),
        (lambda: grow(evolve(source_of(GAPS), memory="1GB"), CART), "memory must be None for a target of numbers"),
        (
            lambda: survey(pa.table({"x": [1], "y": [2]}), "y", response="events"),
            "response must be 'numbers', 'classes' or None for a table in parts, got 'events'. None decides by the labels.",
        ),
        (
            lambda: survey(pa.table({"x": [1], "y": ["2"]}), "y", response="numbers"),
            "must be numeric for regression",
        ),
    ],
)
def test_what_a_source_of_numbers_does_not_do_is_refused(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


@given(st.data(), datasets(max_rows=60, weighted=True), st.integers(0, 3), st.integers(1, 30), st.integers(1, 20))
def test_finishing_nodes_in_memory_grows_the_same_tree(data, dataset, number, most, rows):
    policy = [ID3, evolve(ID3, stop=never), evolve(ID3, impurity=gini), ID3.stopping(max_leaves(4))][number]
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    memory = most * 40 * (len(dataset.columns) + 1)
    assert grow(evolve(source, memory=memory), policy) == grow(dataset, policy, engine="plain")


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


@pytest.mark.parametrize("native", ["on", "off"])
def test_many_rows_finish_in_memory(native, monkeypatch):
    monkeypatch.setenv("FTREE_NATIVE", native)
    random = np.random.default_rng(0)
    numbers = random.normal(size=(300, 2))
    dataset = Dataset.from_rows(numbers, (numbers.sum(axis=1) + random.normal(size=300) > 0).tolist())
    source = source_of(dataset, rows_per_part=100)
    assert grow(evolve(source, memory=40 * 40 * 3), ID3) == grow(dataset, ID3)


RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(120, 3)).round(1)
TABLE = Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 1] > 0.1).tolist())


@pytest.mark.parametrize("choose", [by_score(), by_gain_ratio()])
def test_values_in_few_bins_are_narrowed_to_the_same_tree(choose):
    policy = evolve(ID3, choose=choose)
    assert grow(evolve(source_of(TABLE, bins=5), most_cells=8), policy) == grow(TABLE, policy)


def by(bins, policy=ID3, **options):
    return evolve(policy, splits=(multiway(), threshold(bins=bins, **options)))


IN_BINS = [
    ID3,
    evolve(ID3, stop=never, impurity=gini),
    evolve(ID3, missing="heaviest", score=gain_ratio),
    evolve(ID3, missing="as_value", choose=C45.choose),
    ID3.stopping(max_leaves(4)),
]


@given(
    st.data(),
    datasets(max_rows=40, missing=True, weighted=True),
    st.sampled_from(IN_BINS),
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
    counts = sorted(column)
    return {counts[-(-len(counts) * number // bins) - 1] for number in range(1, bins + 1)}


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
    assert grow(evolve(source, memory=40 * 40 * 4), by(bins)) == grow(TABLE, by(bins))


@given(st.data(), datasets(max_rows=30, missing=True, weighted=True), st.integers(1, 20))
def test_thresholds_at_observed_values_of_a_source(data, dataset, rows):
    policy = evolve(ID3, splits=(multiway(), threshold(at="observed"))).stopping(min_rows(3))
    source = in_parts(dataset, data.draw(any_bins(dataset)), rows)
    assert grow(source, policy) == grow(dataset, policy)
    if not source.summary.gaps:
        assert grow(evolve(source, memory=10 * 40 * (len(dataset.columns) + 1)), policy) == grow(dataset, policy)


def test_features_are_looked_at_in_groups(monkeypatch):
    monkeypatch.setattr("ftree.scan.number_bins._ROWS", 10)
    assert grow(source_of(TABLE, bins=40), by(9)) == grow(TABLE, by(9))
