"""The results of a survey: types that its numbers fit into, findings that merge, and the same summary from its file."""

import json
from collections import Counter
from itertools import chain, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema, grow
from ftree.data.missing_values import missing_among
from ftree.scan import arrivals, bins, column_look, count_nodes, observed_values, source_of, values
from ftree.scan.bins import Bins
from ftree.scan.column_look import ColumnLook, decided, look_at
from ftree.scan.counts import CellLayout
from ftree.scan.level import _cells_for
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.ranges import Ranges, _merged
from ftree.scan.reading import check_total, rows_with_weight, whole_weights
from ftree.scan.routes import root_routes
from ftree.scan.rows_of_nodes import _groups, most_rows_within
from ftree.scan.samples import Sample
from ftree.scan.summary_file import summary_from_fields, summary_to_fields
from ftree.scan.table_look import used_columns
from ftree.scan.values import Values, merged_values

FEATURES = [
    Feature("c", "nominal", ("a", "b", None)),
    Feature("x", "numeric"),
    Feature("o", "ordinal", ("S", "M")),
    Feature("d", "numeric", time="date"),
]
SUMMARY = SourceSummary(
    Schema(FEATURES, "y", ("no", True, 3)),
    (5, 0, 2),
    frozenset({1, 2}),
    (None, Bins(np.array([0.1, 1 / 3]), np.array([True, False, False])), None, Bins(np.array([]))),
    7,
)


def test_a_feature_has_as_many_codes_as_values_or_bins_and_numbers_have_a_row_each():
    assert SUMMARY.n_codes.tolist() == [3, 3, 2, 1]
    assert SUMMARY.numeric.tolist() == [-1, 0, -1, 1]
    growth = SUMMARY.for_growth()
    assert (growth.n_cases, growth.class_counts(), growth.gaps()) == (7, (5, 0, 2), {1, 2})


def test_missing_becomes_a_value_of_nominal_features_that_miss_values():
    plain = evolve(SUMMARY, schema=evolve(SUMMARY.schema, features=[Feature("c", "nominal", "ab"), *FEATURES[1:]]))
    filled = evolve(plain, gaps=frozenset({0, 1, 2})).missing_as_value()
    assert filled.schema.features[0].values == ("a", "b", None)
    assert filled.schema.features[1:] == tuple(FEATURES[1:])
    assert filled.gaps == {1, 2}, "those of features with an order stay"
    assert plain.missing_as_value().schema == plain.schema


@pytest.mark.parametrize(
    ("n", "code", "label"), [(255, np.uint16, np.uint8), (256, np.uint16, np.uint8), (257, np.uint16, np.int32)]
)
def test_codes_and_labels_are_as_small_as_holds_all_of_them(n, code, label):
    summary = SourceSummary(Schema([Feature("c", "nominal", range(n))], "y", range(n)), (1,) * n, frozenset(), (None,), n)
    assert (summary.code_type, summary.label_type) == (code, label)
    assert np.iinfo(summary.label_type).max >= n - 1


@pytest.mark.parametrize(("edges", "kind"), [(2**16 - 2, np.uint16), (2**16 - 1, np.uint32)])
def test_the_code_of_missing_values_fits_as_well(edges, kind):
    summary = evolve(SUMMARY, bins=(None, Bins(np.arange(float(edges))), None, Bins(np.array([]))))
    assert summary.code_type is kind
    assert np.iinfo(kind).max >= summary.n_codes.max()


def test_a_summary_is_the_same_after_its_file():
    again = summary_from_fields(json.loads(json.dumps(summary_to_fields(SUMMARY))))
    assert (again.schema, again.class_counts, again.gaps, again.n_rows) == (SUMMARY.schema, (5, 0, 2), {1, 2}, 7)
    for one, other in zip(again.bins, SUMMARY.bins, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert (one.edges.tolist(), one.single.tolist()) == (other.edges.tolist(), other.single.tolist())
    strange = evolve(SUMMARY, schema=evolve(SUMMARY.schema, classes=("no", True, (3,))))
    with pytest.raises(TypeError, match=r"must be texts, numbers, booleans or None, got \(3,\)"):
        summary_to_fields(strange)


columns = st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), max_size=9)


@given(columns, columns)
def test_looks_at_parts_of_numbers_merge_to_the_look_at_all(one, other):
    is_missing = missing_among([])
    looks = [look_at("x", np.array(part, dtype=float), None, is_missing) for part in (one, other, one + other)]
    merged, whole = looks[0].merged(looks[1]), looks[2]
    assert (merged.has_gaps, merged.is_numeric, merged.times) == (whole.has_gaps, whole.is_numeric, whole.times)
    assert merged.few.tolist() == whole.few.tolist() == sorted({x for x in one + other if not np.isnan(x)})
    assert (
        sorted(merged.sample.numbers.tolist())
        == whole.sample.numbers.tolist()
        == sorted(x for x in one + other if not np.isnan(x))
    )


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=6), st.lists(st.sampled_from(["a", "c", None]), max_size=6))
def test_looks_at_parts_of_texts_add_up(one, other):
    looks = [look_at("c", part, "nominal", missing_among([])) for part in (one, other)]
    merged = looks[0].merged(looks[1])
    assert merged.counts == Counter(value for value in one + other if value is not None)
    assert merged.has_gaps == (None in one + other)
    assert not merged.is_numeric


def test_many_numbers_are_not_noted(monkeypatch):
    monkeypatch.setattr(column_look, "_FEW", 6)
    assert look_at("x", np.arange(9.0), None, missing_among([])).few is None
    few = [look_at("x", np.arange(low, low + 4.0), None, missing_among([])) for low in (0, 2, 4)]
    both = few[0].merged(few[1])
    assert both.few.tolist() == [0, 1, 2, 3, 4, 5], "six are few"
    assert both.merged(few[2]).few is None


def test_a_sample_is_thinned_alike_in_all_parts():
    one, other = look_at("x", np.arange(9.0)[::-1], None, missing_among([]), most=4).sample, Sample.of(np.arange(10.0, 14.0), 4)
    assert (one.numbers.tolist(), one.step) == ([2, 6], 4), "a part gives no more than four, in order"
    assert other.numbers.tolist() == [10, 11, 12, 13]
    assert one.merged(other).numbers.tolist() == [2, 6, 12]
    eight = other.merged(other)
    assert (len(eight.numbers), eight.step, eight.error) == (8, 1, 0), "all numbers are in it"
    nine = eight.merged(Sample.of(np.array([99.0]), 4))
    assert (nine.numbers.tolist(), nine.step, nine.n_parts) == ([11, 13, 11, 13], 2, 3)
    assert nine.error == pytest.approx(6 * 0.5 / 4)


@given(st.lists(st.lists(st.floats(-9, 9), max_size=60), min_size=1, max_size=9), st.integers(4, 20))
def test_shares_of_a_sample_are_those_of_all_rows_except_for_its_error(parts, most):
    sample, every = Sample(most=most), sorted(chain.from_iterable(parts))
    for part in parts:
        sample = sample.merged(Sample.of(np.sort(np.array(part)), most))
    assert len(sample.numbers) <= 2 * most
    assert sample.step > 1 or sorted(sample.numbers) == every
    for number in every if len(sample.numbers) else ():
        wrong = np.mean(sample.numbers <= number) - np.mean(np.array(every) <= number)
        # A number stands for as many rows, and half as many are below it; a part's last ones may lack one or have one too many.
        assert abs(wrong) <= 2 * sample.n_parts / len(sample.numbers)


def test_a_feature_is_decided_from_all_that_its_parts_have_shown():
    def feature(*parts, wanted=None, bins=9):
        look = parts[0]
        for part in parts[1:]:
            look = look.merged(part)
        return decided("f", look, wanted, missing_among([]), bins)

    numbers = look_at("f", np.array([1.0, 2.0]), None, missing_among([]))
    date, moment = (ColumnLook(has_gaps=False, times=frozenset({kind})) for kind in ("date", "datetime"))
    assert feature(numbers)[0] == Feature("f", "numeric")
    assert feature(numbers)[1].single.tolist() == [True, True, True], "all numbers are known"
    assert feature(numbers, bins=2)[1].n <= 2
    assert feature(date, moment)[0].time == feature(moment, date)[0].time == "datetime", "midnights alone seem dates"
    assert feature(date)[0].time == feature(date, date)[0].time == "date"
    assert feature(moment)[0].time == "datetime"
    ordered = ColumnLook(has_gaps=False, counts=Counter("ba"), categories=("b", "a", "c"), ordered=True)
    assert feature(ordered) == (Feature("f", "ordinal", ("b", "a", "c")), None)
    assert feature(look_at("f", ["x", "y"], None, missing_among([])))[1] is None
    with pytest.raises(ValueError, match="'f' must have one type, got numbers in some parts"):
        feature(numbers, ordered)


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(1, 12))
def test_leaves_are_read_in_groups_that_fit_and_a_larger_one_alone(sizes, most):
    groups = list(_groups(sizes, most))
    assert [number for group in groups for number in group] == list(range(len(sizes)))
    assert all(group and (len(group) == 1 or sum(sizes[number] for number in group) <= most) for group in groups)
    for one, other in pairwise(groups):
        assert sum(sizes[number] for number in one) + sizes[other[0]] > most, "no group could take the next one"


def test_memory_has_room_for_rows_by_their_cells():
    assert most_rows_within(40 * 5 * 7, SUMMARY) == 7, "four features, and the class"
    assert most_rows_within(40 * 5 * 7 - 1, SUMMARY) == 6


@pytest.mark.parametrize(("total", "fits"), [(0, False), (1, True), (2**53 - 1, True), (2**53, False)])
def test_the_sum_of_weights_is_one_that_floats_count(total, fits):
    if fits:
        check_total(total)
    else:
        with pytest.raises(ValueError, match=f"weights must sum to a number from 1 to .*, got a sum of {total}"):
            check_total(total)


def test_weights_are_whole_numbers_each_of_which_floats_count():
    assert whole_weights({"w": np.array([0, 3], np.uint8)}, "w").tolist() == [0, 3]
    for wrong in ([1.0, 2.0], [1, -1], np.ma.array([1, 2], mask=[False, True]), [2**53, 1]):
        with pytest.raises(ValueError, match=r"weights"):
            whole_weights({"w": np.ma.asanyarray(wrong) if isinstance(wrong, np.ma.MaskedArray) else np.array(wrong)}, "w")


def test_rows_of_weight_0_are_left_out_of_a_part():
    part = Part(np.array([[0, 1, 2]]), np.array([[0.5, 1.5, 2.5]]), np.array([0, 1, 0]), np.array([1, 0, 2]))
    kept = rows_with_weight(part)
    assert [kept.codes.tolist(), kept.numbers.tolist(), kept.labels.tolist(), kept.weights.tolist()] == [
        *([[0, 2]], [[0.5, 2.5]], [0, 0], [1, 2]),
    ]
    for whole in (evolve(part, weights=None), evolve(part, weights=np.array([1, 1, 2]))):
        assert rows_with_weight(whole) is whole


def test_columns_are_used_but_for_the_target_and_the_weights():
    assert used_columns(("a", "b", "w", "y"), "y", None, "w") == ("a", "b")
    assert used_columns(("a", "b", "w", "y"), "y", None, None) == ("a", "b", "w")
    assert used_columns(("a", "b", "w", "y"), "y", ["b"], "w") == ("b",)


def test_parts_and_nodes_are_what_nobody_can_change():
    given_codes = np.array([[0, 1]])
    part = Part(given_codes, np.zeros((0, 2)), np.array([0, 1]), np.array([1, 2]))
    for name in ("codes", "numbers", "labels", "weights"):
        assert not getattr(part, name).flags.writeable
    assert given_codes.flags.writeable, "the view is read-only, and no more"


def test_whole_counts_of_nodes_are_integers():
    data = Dataset.from_rows([[1.0], [2.0], [3.0]], ["a", "b", "b"], weights=[1, 2, 3])
    counts = count_nodes(grow(data), source_of(data))
    assert repr(counts) == "[(1, 5), (1, 0), (0, 5)]"
    gaps = Dataset.from_rows([[1.0], [2.0], [None]], ["a", "b", "b"], kinds="numeric")
    assert count_nodes(grow(data), source_of(gaps))[1] == pytest.approx((1, 1 / 6))


def test_all_numbers_of_a_dataset_are_known_so_that_few_have_a_bin_each():
    data = Dataset.from_rows([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    assert source_of(data).summary.bins[0].single[:3].all()
    assert [len(part) for part in source_of(data, rows_per_part=2).parts.parts] == [2, 1]
    assert len(repr(source_of(data))) < 200


@pytest.mark.parametrize(
    ("rows", "due", "taken"), [(arrivals._MANY, True, True), (arrivals._MANY - 1, True, False), (arrivals._MANY, False, False)]
)
def test_large_parts_take_compiled_code_where_that_is_due(rows, due, taken, monkeypatch):
    asked = []
    monkeypatch.setattr(arrivals, "compiled_code_is_due", lambda seconds: asked.append(seconds) or due)
    assert arrivals.takes_kernels(Part(np.zeros((3, rows), np.uint8), np.zeros((0, rows)), np.zeros(rows, np.uint8))) == taken
    assert asked == ([3 * rows * arrivals._SECONDS_PER_CELL] if rows >= arrivals._MANY else [])


def test_few_rows_find_their_way_as_entries_and_many_by_a_kernel(monkeypatch):
    source = source_of(Dataset.from_rows([[1.0], [2.0]], ["a", "b"]))
    (part,), routes = source.parts.parts, root_routes(2.0**-40)
    for kernels in (False, True):
        monkeypatch.setattr(arrivals, "takes_kernels", lambda _, kernels=kernels: kernels)
        here = arrivals.arrivals(routes, part, source.summary.numeric)
        assert (here.node is None) == (not kernels)
        assert len(here.entries.row) == (0 if kernels else 2)
        assert here.entries.fraction is None, "whole rows have no fractions"


@pytest.mark.parametrize("most", [1, 3, 4, 9])
def test_cells_are_at_most_so_many_of_numbers_and_one_of_each_value_besides_that_of_missing_ones(most):
    layout = CellLayout.of(np.array([8, 2, 3]), np.array([0, 1, -1]), most)
    sizes = (np.diff(layout.first) - 1).tolist()
    assert sizes[2] == 3
    assert all(size <= most for size in sizes[:2])
    assert all(size * 2 > min(most, n) for size, n in zip(sizes[:2], (8, 2), strict=True)), "and not much fewer"
    assert layout.width == sum(sizes) + 3
    assert layout.cells(np.array([0, 7, 8]), 0).tolist() == [0, sizes[0] - 1, sizes[0]]


@pytest.mark.parametrize(
    ("n_rows", "n_nodes", "n_features", "cells"),
    [
        (1_000, 1, 2, 512),
        (16 * 2_000, 1, 2, 1_000),
        (16 * 2_000, 2, 1, 1_000),
        (16 * 6_000, 2, 2, 1_500),
        (16 * 2_000, 1, 0, 2_000),
        (10**9, 1, 1, 640_000),
        (10**9, 10, 4, 16_000),
        (10**9, 10_000, 4, 512),
    ],
)
def test_few_nodes_of_many_rows_are_counted_in_more_cells(n_rows, n_nodes, n_features, cells):
    """As many cells in all as a sixteenth of the rows, at most 640,000, but 512 of a number at a node."""
    assert _cells_for(SimpleNamespace(n_rows=n_rows, bins=(None,) * n_features), n_nodes) == cells


def test_ranges_between_which_no_cut_can_win_become_one():
    """A wanted range stays alone; so does the one after a cut that may win, whose lowest value the threshold needs."""
    value = np.arange(8.0)
    wanted, cut_wins = value == 2, value == 4
    zeros = np.zeros(8, np.int64)
    ranges = Ranges(zeros, zeros, np.arange(8), value, np.ones(8, bool), np.eye(8, dtype=int))
    found, bound = _merged(ranges, wanted, cut_wins, value / 2, np.zeros(8, bool))
    assert found.counts.tolist() == [
        [1, 1, 0, 0, 0, 0, 0, 0],
        *np.eye(8)[[2]].tolist(),
        [0, 0, 0, 1, 1, 0, 0, 0],
        *np.eye(8)[[5]].tolist(),
        [0] * 6 + [1] * 2,
    ]
    assert found.value.tolist() == [1, 2, 4, 5, 7]
    assert found.code.tolist() == [0, 2, 3, 5, 6]
    assert found.unsure.tolist() == [False, True, False, False, False]
    assert bound.tolist() == [0.5, 1, 2, 2.5, 3.5]
    nothing = np.zeros(8, bool)
    assert _merged(ranges, nothing, nothing, value, nothing)[0].value.tolist() == [7]
    assert _merged(evolve(ranges, node=np.arange(8) // 3), nothing, nothing, value, nothing)[0].value.tolist() == [2, 5, 7]
    assert _merged(evolve(ranges, feature=np.arange(8) // 3), nothing, nothing, value, nothing)[0].value.tolist() == [2, 5, 7]
    assert len(_merged(ranges, nothing, nothing, value, ~nothing)[0].value) == 8, "values that are no numbers"
    missing = evolve(ranges, value=np.append(np.arange(7.0), np.nan))
    assert _merged(missing, nothing, nothing, value, nothing)[0].value[:-1].tolist() == [6]


@pytest.mark.parametrize(
    ("rows", "due", "taken"), [(bins._MANY, True, True), (bins._MANY - 1, True, False), (bins._MANY, False, False)]
)
def test_many_numbers_are_binned_by_compiled_code_where_that_is_due(rows, due, taken, monkeypatch):
    asked = []
    monkeypatch.setattr(bins, "compiled_code_is_due", lambda seconds: asked.append(seconds) or due)
    assert bins.takes_kernel(np.zeros(rows)) == taken
    assert asked == ([rows * bins._SECONDS_PER_NUMBER] if rows >= bins._MANY else [])


def test_the_file_of_a_summary_lists_features_in_order():
    assert summary_to_fields(evolve(SUMMARY, gaps=frozenset({8, 1})))["gaps"] == [1, 8]


def test_only_numbers_of_features_with_a_threshold_are_read(monkeypatch):
    read = []
    whole = observed_values.numbers_of
    monkeypatch.setattr(observed_values, "numbers_of", lambda codes, *own: read.append(codes.tolist()) or whole(codes, *own))
    source = source_of(Dataset.from_rows([[5.0, 1.0, "a"], [5.0, 4.0, "a"]], ["no", "yes"]))
    tree = grow(source)
    found = observed_values.observed_values(tree, source)
    assert [None if own is None else own.tolist() for own in found] == [None, [1, 4], None]
    assert len(read) == 1


def test_pieces_of_values_are_summed_once_that_at_least_halves_them(monkeypatch):
    monkeypatch.setattr(values, "_WAITING", 3)

    def piece(*found):
        return Values(np.zeros(len(found), int), np.array(found, float), np.zeros(len(found), int), np.ones(len(found), int))

    two, few = (piece(1, 2),), (piece(2),)
    assert [len(each.number) for each in merged_values(two, two)] == [2, 2], "two wait"
    three = merged_values(two + two, few)
    assert [(each.value.tolist(), each.cases.tolist()) for each in three] == [([1, 2], [2, 3])], "three of five wait"
    many = (piece(*range(9)),)
    assert len(merged_values(many, two)) == 2, "not even a quarter waits"
    assert len(merged_values(many, many)) == 1, "half of them waits"


def test_every_row_begins_at_the_open_root():
    routes = root_routes(0.5)
    found = routes.entries(source_of(Dataset.from_rows([[1.0], [2.0]], ["a", "b"])).parts.parts[0], np.array([0]))
    assert (routes.n_open, routes.unit) == (1, 0.5)
    assert (found.row.tolist(), found.node.tolist(), found.fraction) == ([0, 1], [0, 0], None)
    closed = routes.keep(np.array([False]))
    assert closed.n_open == 0
    assert len(closed.entries(source_of(Dataset.from_rows([[1.0]], ["a"])).parts.parts[0], np.array([0])).row) == 0
