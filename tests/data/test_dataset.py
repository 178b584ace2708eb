"""A dataset is a value: made from users' data, refused with a reason if invalid, and never written to."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from attrs import asdict, evolve, make_class
from attrs import field as attrib
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema
from ftree.data.changes import recoded_columns
from ftree.data.coding import decode
from ftree.responses import events
from ftree.testing import datasets
from ftree.tree.response import numbers

ROWS = [["red", 1], ["grey", 2], ["red", 3]]
LABELS = ["yes", "no", "yes"]
NAN = float("nan")


def small(**options):
    return Dataset.from_rows(ROWS, LABELS, **options)


def cells(dataset):
    columns = [decode(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def labels(dataset):
    return dataset.labels.tolist()


def names(dataset):
    return [feature.name for feature in dataset.schema.features]


def arrays(dataset):
    return [*dataset.columns, dataset.target_column, *([] if dataset.weights is None else [dataset.weights])]


# Three ways to make one ---------------------------------------------------------------------------------------


def test_pairs_rows_and_columns_of_any_iterables_make_the_same_dataset():
    pairs = Dataset.from_pairs(zip(ROWS, LABELS, strict=True))
    columns = Dataset.from_columns({"x0": ["red", "grey", "red"], "x1": [1, 2, 3], "class": LABELS})
    assert pairs == small() == columns
    assert (cells(pairs), labels(pairs)) == (ROWS, LABELS)
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    from_array = Dataset.from_rows(numbers, np.array([0, 1]))
    assert from_array == Dataset.from_rows(((1.0, 2.0), iter([3.0, 4.0])), (0, 1))
    assert from_array == Dataset.from_rows((row for row in numbers), (label for label in (0, 1)))
    columns = {"a": np.array(["u", "v"]), "b": (number for number in (1, 2)), "class": (0, 1)}
    assert Dataset.from_columns(columns) == Dataset.from_columns(pd.DataFrame({"a": ["u", "v"], "b": [1, 2], "class": [0, 1]}))


# What is refused ----------------------------------------------------------------------------------------------


NONE = "must have at least one row"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Dataset.from_pairs([]), ValueError, NONE),
        (lambda: Dataset.from_rows([], []), ValueError, NONE),
        (lambda: Dataset.from_rows([], [], features=["a", "b"]), ValueError, NONE),
        (lambda: Dataset.from_columns({"x": [], "class": []}), ValueError, NONE),
        (lambda: Dataset.from_rows([[1, 2], [1, 2], [1]], [0, 1, 0]), ValueError, "got 2 values in row 0 and 1 in row 2"),
        (lambda: small(features=["sky", "class"]), ValueError, "target must not be the name of a feature, got 'class'"),
        (lambda: small(features=["sky"]), ValueError, "features must be 2 names, one for each value of a row, got 1"),
        (lambda: small(features=["sky", "sky"]), ValueError, "distinct names, got 'sky' twice"),
        (lambda: Dataset.from_columns({1: [0], "1": [0]}), ValueError, "names, got '1' twice. Names are compared as text"),
        (lambda: Dataset.from_columns({"x": [1], "class": [0]}, target=" Class"), KeyError, "got ' Class'. Did you mean 'class'"),
        (lambda: small(kinds={"X1": "nominal"}), KeyError, r"got 'X1'. Did you mean 'x1'"),
        (lambda: small(kinds={"class": "nominal"}), ValueError, r"got the target 'class'.*its values are the classes"),
        (lambda: small(kinds=["nominal"]), TypeError, "kinds must be one kind for all features, or a mapping"),
        (lambda: small(kinds="categorical"), ValueError, r"kind of 'x0' must be one of .*, got 'categorical'"),
        (lambda: small(classes=["no"]), ValueError, "without 'yes'"),
        (lambda: small(classes=["no", "no", "yes"]), ValueError, "distinct"),
        (lambda: small().recoded(Schema([Feature("X0", "numeric")], "class", ("no", "yes"))), KeyError, "did you mean 'x0'"),
        (
            lambda: small().recoded(Schema([], "class", (), response=numbers())),
            ValueError,
            "schema must be of classes, as the dataset is",
        ),
        (lambda: hash(small()), TypeError, "unhashable"),
    ],
)
def test_what_is_no_dataset_is_refused(make, error, message):
    with pytest.raises(error, match=f"(?i){message}"):
        make()


def test_what_is_no_pair_or_no_row_is_refused_with_its_number_and_the_remedy():
    for pair in ("ab", ([1],), ([1], 0, 2), 3, None):
        with pytest.raises(ValueError, match=r"A pair must be \(row, label\), got .* as pair 1"):
            Dataset.from_pairs([([1], 0), pair])
    for row in ("sunny", b"sunny", 3, None, {"sky": "red"}, {1, 2}, np.float64(1)):
        with pytest.raises(TypeError, match=r"of values, got .* as row 1. .* list of one. For columns by name, use from_columns"):
            Dataset.from_rows([["rainy"], row], [0, 1])


@pytest.mark.parametrize("answers", [[1.5, 2, 3], np.array([1.5, 2, 3], dtype=np.float32), [np.float32(1.5), 2, 3]], ids=repr)
def test_a_target_that_is_a_measurement_is_one_of_numbers_and_may_be_binned(answers):
    dataset = Dataset.from_rows(ROWS, answers)
    assert dataset.schema.response == numbers(centre=1.5, unit=0.5)
    assert (dataset["class"].tolist(), dataset.target_column.dtype) == ([1.5, 2.0, 3.0], np.float64)
    assert "-> class: numbers from 1.5 to 3" in repr(dataset)
    assert dataset.binned("class", cuts=[2]).class_counts() == (2, 1)
    assert dataset.take([0, 2]).schema == dataset.schema
    assert pickle.loads(pickle.dumps(dataset)) == dataset  # noqa: S301  # our own bytes


def test_the_response_decides_what_labels_are():
    assert Dataset.from_rows(ROWS, [1, 2, 3]).schema.classes == (1, 2, 3)
    assert Dataset.from_rows(ROWS, ["1", "2.5", "3"], response="numbers").target_column.tolist() == [1.0, 2.5, 3.0]
    assert Dataset.from_rows(ROWS, [1, 2, 3], response=numbers(unit=0.25)).schema.response == numbers(unit=0.25)
    assert Dataset.from_rows(ROWS, [1.5, 2, 3], response="classes").schema.classes == (1.5, 2, 3)
    assert Dataset.from_rows(ROWS, [1.5, 2, 3], classes=[3, 2, 1.5]).schema.classes == (3, 2, 1.5)
    with pytest.raises(ValueError, match=r"response must be 'numbers', 'events', 'classes', None, or .* got 'ranks'"):
        Dataset.from_rows(ROWS, [1.5, 2, 3], response="ranks")
    with pytest.raises(ValueError, match="classes must be None for a target of numbers"):
        Dataset.from_rows(ROWS, [1.5, 2, 3], response="numbers", classes=[1])


def test_many_floats_are_measurements_and_many_integers_are_classes():
    rows, many = [[number] for number in range(40)], np.arange(40) % 31
    assert Dataset.from_rows(rows, many.astype(float)).schema.response.kind == "numbers"
    with pytest.warns(UserWarning, match="may be a measurement. Give response='numbers', or classes="):
        assert len(Dataset.from_rows(rows, many).schema.classes) == 31


@pytest.mark.parametrize("wrong", [NAN, float("inf"), None, "many"], ids=repr)
def test_a_target_of_numbers_has_a_finite_number_in_every_row(wrong):
    with pytest.raises(ValueError, match=r"in row 1"):
        Dataset.from_rows(ROWS, [1.5, wrong, 3.0], response="numbers")


def test_an_outlier_that_rounds_distinct_numbers_together_warns():
    with pytest.warns(
        UserWarning, match=r"Target 'class' has numbers from 0 to 1e\+15, so far apart that some are rounded to one"
    ):
        Dataset.from_rows(ROWS, [0.0, 0.25, 1e15], response="numbers")


def test_rows_of_numbers_join_and_get_other_labels():
    one, other = (Dataset.from_rows(ROWS, [start, 2.5, 3.0]) for start in (1.5, 0.25))
    both = one.concatenate(other)
    assert both.schema.response == numbers(centre=0.25, unit=0.25)
    assert both.target_column.tolist() == [1.5, 2.5, 3.0, 0.25, 2.5, 3.0]
    assert one.with_labels([4, 5, 7]).schema.response == numbers(centre=4, unit=1)
    assert one.with_labels(["a", "b", "a"], classes=["a", "b"]).class_counts() == (2, 1)
    with pytest.raises(ValueError, match="same columns"):
        one.concatenate(Dataset.from_rows(ROWS, ["a", "b", "a"]))


# Weights ------------------------------------------------------------------------------------------------------


def test_weights_count_rows_several_times_and_whole_ones_stay_whole():
    dataset = small(weights=[2, 1, 3])
    assert (dataset.class_counts(), len(dataset)) == ((1, 5), 3)
    assert ("weighted" in repr(dataset), "weighted" in repr(small())) == (True, False)
    assert small(weights=[2, True, 0]).weights.dtype == np.int64
    assert small(weights=[2, 0.5, 0]).weights.dtype == np.float64
    assert small(weights=[2, 0.5, 0]).class_counts() == (0.5, 2)


def test_a_column_may_hold_the_weights():
    columns = {"x": ["a", "b"], "times": [1, 2], "class": [0, 1]}
    dataset = Dataset.from_columns(columns, weights="times")
    assert (names(dataset), dataset.weights.tolist()) == (["x"], [1, 2])
    with pytest.raises(KeyError, match=r"got 'Times'. Did you mean 'times'"):
        Dataset.from_columns(columns, weights="Times")
    with pytest.raises(ValueError, match="weights must not be the target's column, got 'class'"):
        Dataset.from_columns(columns, weights="class")


TOO_LARGE = [
    *([1e308, 1e308, 1], [2**53, 1, 0], [2**62, 2**62, 0], [2**70, 0, 0], [2.0**53, 0, 0]),
    *(np.array([2**63, 2, 1], np.uint64), np.array([2**62, 2**62, 0])),
]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        *(([1, wrong, 1], "be finite numbers from 0, got .* in row 1") for wrong in (-1, NAN, float("inf"), None, "nan")),
        *(([1, wrong, 1], "be numbers, got .* in row 1") for wrong in ("many", [1, 1], 1j, 10**400)),
        *((large, r"sum to less than 2\*\*53, so that counts are exact, got a sum of") for large in TOO_LARGE),
    ],
    ids=lambda weights: repr(weights)[:30],
)
def test_weights_are_finite_numbers_from_0_that_can_be_counted_exactly(weights, message):
    with pytest.raises(ValueError, match=f"weights must {message}"):
        small(weights=weights)


# The constructor ----------------------------------------------------------------------------------------------

SCHEMA = Schema([Feature("sky", "nominal", ("grey", "red")), Feature("wind", "numeric")], "ride", ("no", "yes"))


@pytest.mark.parametrize(
    ("columns", "answers", "message"),
    [
        ([[0, 1]], [0, 1], "one array for each of the 2 features, got 1"),
        ([[0, 1], [0.5]], [0, 1], "equally long, got lengths"),
        ([[0, 2], [0.5, 1.0]], [0, 1], "codes of 'sky' must be integers from -1 to 1"),
        ([[0, -2], [0.5, 1.0]], [0, 1], "codes of 'sky' must be integers from -1 to 1"),
        ([[0.0, 1.0], [0.5, 1.0]], [0, 1], "codes of 'sky' must be integers from -1 to 1"),
        ([[[0], [1]], [0.5, 1.0]], [0, 1], "codes of 'sky' must be integers from -1 to 1"),
        ([[0, 1], [1, 2]], [0, 1], "numeric feature 'wind' must be an array of floats"),
        ([[0, 1], [[1.0], [2.0]]], [0, 1], "numeric feature 'wind' must be an array of floats"),
        ([[0, 1], [0.5, 1.0]], [0, -1], "codes of 'ride' must be integers from 0 to 1"),
        ([[0, 1], [0.5, 1.0]], [0, 2], "codes of 'ride' must be integers from 0 to 1"),
    ],
)
def test_columns_that_do_not_fit_the_schema_are_refused(columns, answers, message):
    with pytest.raises(ValueError, match=message):
        Dataset(SCHEMA, columns, answers)


# Rows of one --------------------------------------------------------------------------------------------------


@given(datasets(min_rows=0, missing=True, weighted=True), st.data())
def test_a_mask_and_the_numbers_it_marks_take_the_same_rows(dataset, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(dataset), max_size=len(dataset)))
    taken = dataset.take(np.array(mask, dtype=bool))
    assert taken == dataset.take([number for number, marked in enumerate(mask) if marked])
    assert len(taken) == sum(mask)
    assert cells(taken) == [row for row, marked in zip(cells(dataset), mask, strict=True) if marked]


def test_rows_are_taken_in_the_order_asked_for_and_as_often():
    taken = small(weights=[1, 2, 3]).take([2, 0, 0, -1])
    assert (cells(taken), labels(taken), taken.weights.tolist()) == (
        [ROWS[2], ROWS[0], ROWS[0], ROWS[2]],
        ["yes"] * 4,
        [3, 1, 1, 3],
    )
    assert len(small().take([])) == 0


def test_a_row_that_is_not_there_cannot_be_taken_and_a_mask_has_one_boolean_for_each_row():
    for rows in ([3], [-4], [0.5], ["a"], 1, [[0, 1]], [[0], [1, 2]], [0, 2**40], [None]):
        with pytest.raises(IndexError, match="rows must be a boolean mask, or numbers from 0 to 2, got "):
            small().take(rows)
    for mask in ([True], [True] * 4, [[True, False, True]], True):
        with pytest.raises(IndexError, match="A mask must have one boolean for each of the 3 rows, got shape"):
            small().take(mask)


@given(datasets(min_rows=0, missing=True, weighted=True))
def test_complete_and_incomplete_rows_are_all_rows(dataset):
    complete, incomplete = dataset.complete(), dataset.incomplete()
    whole = [None not in row for row in cells(dataset)]
    assert (complete, incomplete) == (dataset.take(np.array(whole, bool)), dataset.take(~np.array(whole, bool)))
    assert all(None not in row for row in cells(complete))
    assert all(None in row for row in cells(incomplete))


@given(datasets(min_rows=0, missing=True), st.floats(0, 1), st.integers(0, 9))
def test_a_split_has_every_row_once_and_the_fraction_asked_for(dataset, fraction, seed):
    first, second = dataset.split(fraction, seed=seed)
    assert (len(first), len(first) + len(second)) == (round(fraction * len(dataset)), len(dataset))
    key = repr
    assert sorted(cells(first) + cells(second), key=key) == sorted(cells(dataset), key=key)
    assert dataset.split(fraction, seed=seed) == (first, second)


@given(datasets(missing=True, weighted=True), st.integers(0, 9))
def test_shuffling_keeps_the_rows_and_is_repeatable(dataset, seed):
    many = Dataset.from_rows([[number] for number in range(50)], [0, 1] * 25)
    assert many != many.shuffle(seed=seed) != many.shuffle(seed=seed + 1)
    shuffled = dataset.shuffle(seed=seed)
    assert sorted(zip(cells(shuffled), labels(shuffled), shuffled.weights, strict=True), key=repr) == sorted(
        zip(cells(dataset), labels(dataset), dataset.weights, strict=True), key=repr
    )
    assert dataset.shuffle(seed=seed) == shuffled


# Codes of another schema --------------------------------------------------------------------------------------


@given(datasets(missing=True, weighted=True), st.data())
def test_recoding_keeps_the_values_that_both_schemas_have(dataset, data):
    features = data.draw(st.permutations(dataset.schema.features))
    wider = [evolve(f, values=("new", *reversed(f.values))) if f.kind == "nominal" else f for f in features]
    other = Schema(wider, "other", ("never", *reversed(dataset.schema.classes)))
    recoded = dataset.recoded(other)
    order = [dataset.schema.features.index(feature) for feature in features]
    assert cells(recoded) == [[row[number] for number in order] for row in cells(dataset)]
    assert labels(recoded) == labels(dataset)


def test_recoding_loses_what_the_other_schema_has_not_except_labels():
    schema = Schema([Feature("x0", "nominal", ("red",))], "class", ("no", "yes"))
    assert cells(small().recoded(schema)) == [["red"], [None], ["red"]]
    gaps = Dataset.from_rows([["a"], [None]], [0, 1])
    assert gaps.recoded(gaps.missing_as_value().schema) == gaps.missing_as_value()
    assert gaps.missing_as_value().recoded(gaps.schema) == gaps
    schema = evolve(small().schema, classes=("yes",))
    assert labels(small().take([0, 2]).recoded(schema)) == ["yes", "yes"]
    with pytest.raises(ValueError, match=r"Labels must be classes of the schema .'yes'., got 'no'"):
        small().recoded(schema)


@pytest.mark.parametrize("number", [0, 1])
def test_a_feature_of_another_kind_is_refused_with_the_remedy(number):
    feature = small().schema.features[number]
    other = Feature(feature.name, "numeric") if feature.kind == "nominal" else Feature(feature.name, "nominal", (1, 2, 3))
    with pytest.raises(ValueError, match=f"must be {other.kind}, got a feature that is {feature.kind}. Read it with kinds="):
        recoded_columns(small(), [other])


@given(datasets(missing=True))
def test_missing_as_a_value_leaves_no_gap_in_nominal_features_and_the_rest_as_it_was(dataset):
    filled = dataset.missing_as_value()
    assert cells(filled) == cells(dataset)
    for feature, old, column in zip(filled.schema.features, dataset.schema.features, filled.columns, strict=True):
        assert feature.kind != "nominal" or (column >= 0).all()
        assert feature == old or (feature.kind, feature.values) == ("nominal", (*old.values, None))
    assert filled.missing_as_value() == filled


# As a value ---------------------------------------------------------------------------------------------------


@given(datasets(missing=True), datasets(missing=True))
def test_datasets_are_equal_when_schema_cells_labels_and_weights_are(one, other):
    same = (one.schema, cells(one), labels(one)) == (other.schema, cells(other), labels(other))
    assert (one == other) == same
    assert one == Dataset(one.schema, [column.copy() for column in one.columns], one.target_column.copy())


def test_weights_order_and_labels_matter_and_types_of_codes_do_not():
    dataset = small()
    assert dataset != small(weights=[1, 1, 1])
    assert small(weights=[1, 1, 1]) != dataset
    assert small(weights=[1, 1, 2]) != small(weights=[1, 1, 1])
    assert dataset != dataset.take([1, 0, 2])
    assert dataset != Dataset.from_rows(ROWS, ["yes", "no", "no"])
    assert dataset != "a dataset"
    wide = [column.astype(np.int64) if column.dtype.kind == "i" else column for column in dataset.columns]
    assert dataset == evolve(dataset, columns=wide)


@given(datasets(min_rows=0, missing=True, weighted=True))
@pytest.mark.parametrize("copied", [lambda d: pickle.loads(pickle.dumps(d)), copy.copy, copy.deepcopy])  # noqa: S301  # made here
def test_a_pickled_or_copied_dataset_is_equal_and_as_read_only(copied, dataset):
    other = copied(dataset)
    assert other == dataset
    assert not any(array.flags.writeable for array in arrays(other))


def test_a_field_of_a_class_of_your_own_survives_what_makes_another_dataset():
    noted = make_class("noted", {"note": attrib(default="", kw_only=True)}, bases=(Dataset,), frozen=True)
    table = noted(**asdict(small(), recurse=False), note="kept")
    made = copy.copy(table), copy.deepcopy(table), table.take([0]), table.concatenate(table), table.keep_columns([])
    assert {each.note for each in made} == {"kept"}


def test_the_repr_shows_rows_features_kinds_and_classes():
    dataset = small(features=["sky", "wind"], target="ride", kinds={"wind": "ordinal"})
    assert repr(dataset) == "Dataset of 3 rows: sky nominal(2), wind ordinal(3) -> ride: no 1, yes 2"
    assert repr(dataset.take([])) == "Dataset of 0 rows: sky nominal(2), wind ordinal(3) -> ride: no 0, yes 0"


# Size and order -----------------------------------------------------------------------------------------------

MANY = 20_000


def test_thousands_of_categories_and_classes_are_read():
    texts = [f"v{number}" for number in range(MANY)]
    kinds = {"x": "nominal", "rank": texts}
    dataset = Dataset.from_columns({"x": texts, "rank": texts, "class": texts}, kinds=kinds, classes=sorted(texts))
    assert len(dataset.missing_as_value().recoded(dataset.take([0]).schema)) == MANY
    assert len(repr(dataset)) < 700
    assert [len(feature.values) for feature in dataset.schema.features] == [MANY, MANY]


def test_the_schema_does_not_depend_on_how_python_hashes_text():
    code = """if True:
        from ftree import Dataset
        print(Dataset.from_rows([["b", 1], ["a", "c"], ["c", True], ["d", 1.0]], ["y", 2, "n", None or 1.0]).schema)
    """
    one = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "1"}, capture_output=True, check=True, text=True)  # noqa: S603  # our own code
    assert one.stdout == f"{Dataset.from_rows([['b', 1], ['a', 'c'], ['c', True], ['d', 1.0]], ['y', 2, 'n', 1.0]).schema}\n"


# Classes and counts ----------------------------------------------------------------------------------------------


@given(datasets(missing=True, weighted=True))
def test_counts_by_a_feature_are_the_class_counts_of_its_values(dataset):
    for feature, column in zip(dataset.schema.features, dataset.columns, strict=True):
        if feature.kind == "numeric":
            with pytest.raises(ValueError, match="must be nominal or ordinal"):
                dataset.counts_by(feature.name)
        else:
            counts = dataset.counts_by(feature.name)
            present = [value for code, value in enumerate(feature.values) if code in column]
            assert counts == {value: dataset.take(column == feature.values.index(value)).class_counts() for value in present}


# Other columns, weights, labels, and rows of several datasets --------------------------------------------------------


@given(datasets(), st.data())
def test_kept_columns_are_the_same_columns_in_another_order(data, drawn):
    names = [feature.name for feature in data.schema.features]
    wanted = drawn.draw(st.permutations(names)) if names else []
    kept = data.keep_columns(wanted[: len(wanted) // 2 + 1])
    for name in [feature.name for feature in kept.schema.features]:
        np.testing.assert_array_equal(kept[name], data[name])
    assert kept.class_counts() == data.class_counts()
    with pytest.raises(KeyError, match="no such column"):
        data.keep_columns(["no such column"])


@given(datasets(), st.floats(0.1, 0.9))
def test_parts_put_together_again_are_the_whole(data, fraction):
    n = int(fraction * len(data))
    parts = data.take(np.arange(n)), data.take(np.arange(n, len(data)))
    assert parts[0].concatenate(parts[1]) == data


def test_datasets_of_other_columns_are_not_put_together():
    one = Dataset.from_rows([["a"], ["b"]], [0, 1])
    wider = one.concatenate(Dataset.from_rows([["c"], ["b"]], [2, 1]).with_weights([2, 3]))
    assert (wider.schema.features[0].values, wider.schema.classes, wider.weights.tolist()) == (
        ("a", "b", "c"),
        (0, 1, 2),
        [1, 1, 2, 3],
    )
    for rows, target, found in (
        ([[1.5], [2.5]], "class", r"\('x0', 'nominal'\) and \('x0', 'numeric'\)"),
        ([["a"], ["b"]], "y", r"\('class', 'classes'\) and \('y', 'classes'\)"),
        ([["a", "c"], ["b", "c"]], "class", r"'no column' and \('x1', 'nominal'\)"),
    ):
        with pytest.raises(ValueError, match=f"Datasets must have the same columns of the same kinds, got {found}"):
            one.concatenate(Dataset.from_rows(rows, [0, 1], target=target))


def test_labels_and_weights_are_replaced_as_they_are_given():
    data = Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[2, 3])
    other = data.with_labels(["no", "yes"], classes=["yes", "no", "perhaps"])
    assert (other.schema.classes, other.class_counts()) == (("yes", "no", "perhaps"), (3, 2, 0))
    assert data.with_weights(None).class_counts() == (1, 1)
    for wrong in (lambda: data.with_weights([1]), lambda: data.with_labels([1, 2, 3]), lambda: data.with_labels([None, 1])):
        with pytest.raises(ValueError, match="must"):
            wrong()


@example(Dataset.from_rows([["a"], ["b"], [None]], [0, 1, 1]).missing_as_value(), 2, "other")
@given(datasets(missing=True, weighted=True), st.integers(0, 6), st.sampled_from(["other", "a", 3]))
def test_rare_values_are_one_and_other_rows_repeat_it(dataset, least, into):
    merged = dataset.merge_rare(least=least, into=into)
    assert dataset.recoded(merged.schema, others=into) == merged
    kept, had = ([None in feature.values for feature in each.schema.features] for each in (merged, dataset))
    assert kept == had
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    for feature in (feature for feature in dataset.schema.features if feature.kind == "nominal"):
        before, after = dataset[feature.name], merged[feature.name]
        assert [cell is None for cell in after] == [cell is None for cell in before]
        for value in feature.values:
            here = np.array([cell == value for cell in before], dtype=bool)
            expected = value if weights[here].sum() >= least or value is None else into
            assert {cell for cell in after[here] if cell is not None} <= {expected}


@pytest.mark.parametrize("options", [{"least": -1}, {"least": "a"}, {"least": 2, "into": None}, {"least": 2, "into": [1]}])
def test_rare_values_need_a_number_of_cases_and_a_value(options):
    with pytest.raises(ValueError, match=r"^(least|into) must be a .*, got"):
        small().merge_rare(**options)


def test_an_exposure_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"lengths \{'t': 3, 'y': 2\}|^t must be one number"):
        Dataset.from_columns({"t": [1, 2, 3], "y": [0, 1]}, target="y", response=events("t"))
