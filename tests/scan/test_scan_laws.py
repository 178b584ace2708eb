"""A source grows the tree of its dataset, whatever its bins, parts and cells, and whatever part of it is grown in memory."""

from functools import reduce

import numpy as np
import pytest
from attrs import evolve, field, frozen
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ftree import C45, CART, ID3, Branch, Dataset, entropy, gain_ratio, gini, grow, misclassification, recount
from ftree.criteria import dkm
from ftree.routing import heaviest
from ftree.scan import number_bins, ranges, recounting, source_of
from ftree.scan.bins import Bins, Sample
from ftree.scan.folding import fold_answers
from ftree.scan.number_bins import source_in_bins
from ftree.scan.source import PartsInMemory, in_parts
from ftree.scan.table_parts import TableParts
from ftree.splitters import by_gain_ratio, by_permutation_test, by_score, multiway, subset, threshold
from ftree.stop import max_depth, max_leaves, min_rows, never
from ftree.testing import datasets
from ftree.tree import preorder

# Where many laws fail at once, it takes minutes to simplify each example; these are small as they are drawn.
unsimplified = settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))


@st.composite
def any_source(draw, dataset):
    """The dataset as a source of any edges of bins, many and few, near the data and far from them; of any parts and cells."""
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
    source = in_parts(dataset, bins, draw(st.integers(1, 20)))
    return evolve(source, most_cells=draw(st.sampled_from([None, 1, 2, 1024])))


def by(bins, policy=ID3, **options):
    return evolve(policy, splits=(multiway(), threshold(bins=bins, **options)))


POLICIES = [
    ID3,
    evolve(ID3, stop=never),
    evolve(ID3, impurity=gini, splits=(threshold(min_cases=2), multiway())),
    evolve(ID3, impurity=misclassification, splits=(threshold(), subset())),
    evolve(ID3, impurity=dkm, choose=by_gain_ratio()),
    evolve(ID3, missing=heaviest()),
    evolve(CART, missing="ignore"),
    evolve(ID3, missing="as_value"),
    evolve(ID3, splits=(multiway(),)),
    evolve(ID3, splits=(multiway(), threshold(at="observed"))).stopping(min_rows(3)),
]
IN_BINS = [
    ID3,
    evolve(ID3, stop=never, impurity=gini),
    evolve(ID3, missing="heaviest", score=gain_ratio),
    evolve(ID3, missing="as_value", choose=C45.choose),
    ID3.stopping(max_leaves(4)),
]
OPTIONS = [{}, {"mdl": True}, {"min_cases": 2, "at": "observed"}]
in_bins = st.builds(
    lambda bins, policy, options: by(bins, policy, **options),
    st.integers(2, 6),
    st.sampled_from(IN_BINS),
    st.sampled_from(OPTIONS),
)


@pytest.mark.parametrize("policies", [st.sampled_from(POLICIES), in_bins], ids=["numbers", "bins"])
@unsimplified
@given(st.data(), datasets(max_rows=40, missing=True, weighted=True), st.sampled_from([1, 30, 150_000]))
def test_a_source_grows_the_tree_of_its_dataset(policies, data, dataset, chunk):
    policy = data.draw(policies)
    tree = grow(dataset, policy, engine="plain")
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((ranges, "_ROWS"), (number_bins, "_ROWS"), (recounting, "_WAITING")):
            patch.setattr(module, name, chunk)
        assert grow(data.draw(any_source(dataset)), policy) == tree
    assert grow(dataset, policy, engine="auto") == tree


IN_MEMORY = [*IN_BINS[:2], IN_BINS[4], evolve(ID3, impurity=gini), POLICIES[-1], by(3), by(60)]


@unsimplified
@given(st.data(), datasets(max_rows=60, weighted=True), st.sampled_from(IN_MEMORY), st.integers(1, 30))
def test_finishing_nodes_in_memory_grows_the_same_tree(data, dataset, policy, most):
    memory, k = most * 40 * (len(dataset.columns) + 1), len(dataset.schema.classes)
    matrix = data.draw(st.none() | arrays(int, (k, k), elements=st.integers(1, 5)))
    policy = policy if matrix is None else evolve(policy, costs=matrix * (1 - np.eye(k)))
    assert grow(evolve(data.draw(any_source(dataset)), memory=memory), policy) == grow(dataset, policy, engine="plain")


@frozen
class ChangesOnce:
    """Parts of which one row has another class, or other values, in one scan."""

    parts: tuple
    row: int
    scan: int
    name: str = "labels"
    scans: list = field(factory=list)

    def fold(self, function, merge):
        self.scans.append(function)
        parts = self.parts if len(self.scans) != self.scan else self.changed()
        return fold_answers(map(function, parts), merge)

    def changed(self):
        """The parts, of which the first has another class, or other values, in a row."""
        first, *others = self.parts
        codes = getattr(first, self.name).copy()
        codes[..., self.row] = 1 - np.minimum(codes[..., self.row], 1)
        return [evolve(first, **{self.name: codes}), *others]


@unsimplified
@given(st.data(), datasets(max_rows=40, missing=True, weighted=True), st.sampled_from(POLICIES))
def test_a_row_that_changes_in_one_scan_is_found_or_changes_nothing(data, dataset, policy):
    assume(len(dataset.schema.classes) > 1)
    source = data.draw(any_source(dataset))
    parts = source.parts.table.parts
    row = data.draw(st.integers(0, len(parts[0]) - 1))
    stays = ChangesOnce(parts, row, scan=0)
    tree = grow(evolve(source, parts=evolve(source.parts, table=stays)), policy)
    for scan in range(1, len(stays.scans) + 1):
        changes = ChangesOnce(parts, row, scan)
        try:
            assert grow(evolve(source, parts=evolve(source.parts, table=changes)), policy) == tree
        except ValueError as error:
            assert "source must have the same rows each time" in str(error)  # noqa: PT017  # either this, or the same tree


@pytest.mark.parametrize(("row", "name"), [(4, "labels"), (0, "codes")], ids=["class of the divided row", "child of another"])
def test_a_row_that_changes_while_one_is_divided_is_found(row, name):
    source = source_of(Dataset.from_columns({"sky": [*"aabb", None], "class": [*"ppqqp"]}))
    changes = ChangesOnce(source.parts.table.parts, row, 2, name)  # the scan that counts the children with the divided row
    with pytest.raises(ValueError, match="source must have the same rows each time"):
        grow(evolve(source, parts=evolve(source.parts, table=changes)), ID3.stopping(max_depth(1)))  # no scan follows


def test_a_row_that_changes_while_codes_of_a_cell_are_counted_is_found_though_another_feature_is_tested():
    columns = {"length": [float(n) for n in range(1, 9)], "red": [*"yyynnnny"], "class": [*"aaabbbbb"]}
    source = evolve(source_of(Dataset.from_columns(columns)), most_cells=2)
    changes = ChangesOnce(source.parts.table.parts, row=1, scan=2)  # with the class b, length would tell less than red
    with pytest.raises(ValueError, match="source must have the same rows each time"):
        grow(evolve(source, parts=evolve(source.parts, table=changes)), ID3.stopping(max_depth(1)))


OF_NUMBERS = [
    evolve(CART, missing=heaviest()),
    evolve(CART, missing=heaviest(), splits=(threshold(bins=3), multiway())).stopping(min_rows(3)),
    evolve(CART, missing=heaviest(), splits=(threshold(at="observed"), subset()), choose=by_permutation_test(0.9)),
]


@unsimplified
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


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 60))])
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
    policy = evolve(policy, choose=by_gain_ratio() if seed % 3 else by_score())
    bins, rows, cells = (int(random.choice(some)) for some in ([5, 30, 300], [100, 1000], [2, 8, 64]))
    source, tree = evolve(source_of(dataset, bins=bins, rows_per_part=rows), most_cells=cells), grow(dataset, policy)
    assert grow(source, policy) == tree
    assert seed % 3 or source.gaps() or grow(evolve(source, memory=n // 4 * 40 * 6), policy) == tree


NEEDING_ALL_VALUES = {
    "gain_ratio": evolve(ID3, score=gain_ratio),
    "C45": C45,
    "mdl": evolve(ID3, splits=(threshold(mdl=True),)),
    "permutations": evolve(ID3, choose=by_permutation_test()),
}


@pytest.mark.parametrize("name", NEEDING_ALL_VALUES)
def test_where_no_cut_may_be_left_out_every_value_is_counted_at_once(name):
    random, policy = np.random.default_rng(0), NEEDING_ALL_VALUES[name].stopping(max_depth(6))
    numbers = random.normal(size=(700, 2))
    dataset = Dataset.from_rows(numbers, (numbers.sum(axis=1) + random.normal(size=700) > 0).tolist())
    assert grow(evolve(source_of(dataset), most_cells=8), policy) == grow(dataset, policy)


@pytest.mark.parametrize("n_parts", [1, 2, 9, 40])
def test_shares_of_a_sample_err_by_no_more_than_it_says(n_parts):
    random = np.random.default_rng(n_parts)
    parts = [np.sort(random.normal(size=random.integers(1, 900))) for _ in range(n_parts)]
    numbers, sample = np.concatenate(parts), reduce(Sample.merged, [Sample.of(part, 50) for part in parts])
    shares = [np.searchsorted(np.sort(each), numbers, "right") / len(each) for each in (sample.numbers, numbers)]
    assert sample.error / 6 < np.abs(np.subtract(*shares)).max() <= sample.error


# Bins that a policy requests, in memory


@unsimplified
@given(datasets(max_rows=30, missing=True, weighted=True), st.booleans())
def test_with_a_bin_for_each_value_thresholds_are_observed_values(dataset, mdl):
    policies = (evolve(ID3, splits=(multiway(), threshold(mdl=mdl, **own))) for own in ({"bins": 30}, {"at": "observed"}))
    binned, observed = (grow(dataset, policy) for policy in policies)
    assert binned == observed


class KeepsPartsInMemory(PartsInMemory):
    """Parts that are kept in any code, as machines of a cluster keep them."""

    def kept(self, encode, _):
        return PartsInMemory(tuple(map(encode, self.parts)))


def test_bins_have_their_ends_though_a_sample_misleads_of_the_numbers_to_keep():
    source = source_of(Dataset.from_columns({"x": [float(n) for n in range(1, 13)], "class": [*"ab" * 6]}), bins=5)
    bins = evolve(source.summary.bins[0], shares=np.array([0.96, 0.01, 0.01, 0.01, 0.01]))
    parts = TableParts(KeepsPartsInMemory(source.parts.table.parts), 12)
    *_, ends = source_in_bins(evolve(source.summary, bins=(bins,)), parts, 3)
    assert ends[0].tolist() == [4.0, 8.0, 12.0]


RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(120, 3)).round(1)
TABLE = Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 1] > 0.1).tolist())


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
    for table in (TABLE, source_of(TABLE)):
        assert grow(table, by(9), start=above) == grow(TABLE, by(9))


def test_a_case_that_a_split_loses_is_noticed_beside_a_number_far_away():
    """The sum of all channels is rounded, so that one case more or less does not change it."""
    dataset = Dataset.from_columns({"sky": ["b", *["a"] * 6, None], "y": [1.02425e9, *[0.25] * 7]}, target="y")
    policy = evolve(CART, missing=heaviest())
    assert grow(source_of(dataset), policy) == grow(dataset, policy)
