"""Labels, counts, probabilities and paths of rows, in any form and with any missing values."""

import os
import warnings
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree.datasets import weather
from ftree.routing import costs_of_answers, laplace, m_estimate
from ftree.routing.flat import flat
from ftree.show import NoneOf, OneOf
from ftree.testing import datasets, trees
from ftree.tree import IsMissing, Multiway, Subset, Threshold, WithDefault, subtree_at

POLICIES = ("all_routes", "weighted", "heaviest", "stop")
SCHEMA = ft.Schema(
    (ft.Feature("sky", "nominal", ("grey", "blue", "red")), ft.Feature("wind", "numeric"), ft.Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)
CALM = ft.Branch((1, 5), Threshold(1, 3.0), (ft.Leaf((0, 4)), ft.Leaf((1, 1))))
TREE = ft.Tree(SCHEMA, ft.Branch((4, 5), Multiway(0, (0, 1)), (ft.Leaf((3, 0)), CALM)))


# Laws -------------------------------------------------------------------------------------------------------------


@st.composite
def points(draw, schema):
    """Rows of raw values: halves, so that some equal a threshold; with missing and unseen values."""
    cells = [
        st.integers(-1, 9).map(lambda n: n / 2) if feature.kind == "numeric" else st.sampled_from(feature.values)
        for feature in schema.features
    ]
    lacking = [
        st.one_of(cell, st.sampled_from([None, float("nan")] if feature.kind == "numeric" else [None, "unheard of"]))
        for cell, feature in zip(cells, schema.features, strict=True)
    ]
    return draw(st.lists(st.tuples(*lacking), max_size=8))


@st.composite
def trees_and_points(draw):
    tree = draw(trees(max_leaves=10))
    return tree, draw(points(tree.schema))


@given(trees_and_points(), st.sampled_from(POLICIES))
def test_dataset_sequences_dicts_and_single_points_agree(drawn, missing):
    tree, rows = drawn
    names = [feature.name for feature in tree.schema.features]
    as_dicts = [dict(zip(names, row, strict=True)) for row in rows]
    partial = [{name: value for name, value in row.items() if value is not None} for row in as_dicts]
    expected = ft.predict_counts(tree, rows, missing=missing)
    forms = [tuple(rows), [list(row) for row in rows], as_dicts, partial, [np.array(row, dtype=object) for row in rows]]
    for form in forms:
        assert np.array_equal(ft.predict_counts(tree, form, missing=missing), expected)
    for form in zip(*forms, strict=True):
        for point in form:
            number = forms[0].index(form[0])
            assert np.array_equal(ft.predict_counts(tree, point, missing=missing), expected[number])
            assert ft.predict(tree, point, missing=missing) == ft.predict(tree, rows, missing=missing)[number]
    if rows:
        table = ft.Dataset.from_rows(
            rows,
            ["any"] * len(rows),
            features=names,
            kinds={f.name: "numeric" if f.kind == "numeric" else "nominal" for f in tree.schema.features},
        )
        assert list(ft.predict(tree, table, missing=missing)) == list(ft.predict(tree, rows, missing=missing))


@given(trees_and_points(), st.sampled_from(POLICIES))
def test_renaming_features_and_classes_renames_the_answers_and_nothing_else(drawn, missing):
    tree, rows = drawn
    features = [evolve(feature, name=f"new {feature.name}") for feature in tree.schema.features]
    classes = [f"new {label}" for label in tree.schema.classes]
    renamed = evolve(tree, schema=ft.Schema(features, "new", classes))
    assert ft.predict(renamed, rows, missing=missing) == [f"new {label}" for label in ft.predict(tree, rows, missing=missing)]


@given(st.data())
def test_predicting_leaves_a_dataset_and_arrays_unchanged(data):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True))
    before = [column.tobytes() for column in (*dataset.columns, dataset.target_column)]
    ft.predict(tree, dataset)
    ft.accuracy(tree, dataset)
    assert [column.tobytes() for column in (*dataset.columns, dataset.target_column)] == before
    numbers = np.array([[0.0, 3.5]])
    kept = numbers.copy()
    ft.predict(ft.Tree(ft.Schema([ft.Feature("a", "numeric"), ft.Feature("b", "numeric")], "c", ("n",)), ft.Leaf((1,))), numbers)
    assert np.array_equal(numbers, kept)


# The prediction for a row without an answer, by hand --------------------------------------------------------------


@pytest.mark.parametrize("lacking", [None, "red", "never declared", float("nan")])
@pytest.mark.parametrize(
    ("missing", "counts"),
    [
        ("all_routes", [3 + 0, 0 + 4]),
        ("weighted", [3 / 9 * 1 + 6 / 9 * 0, 3 / 9 * 0 + 6 / 9 * 1]),
        ("heaviest", [0, 4]),
        ("stop", [4, 5]),
    ],
)
def test_a_missing_an_unseen_and_an_undeclared_value_follow_the_policy(lacking, missing, counts):
    point = [lacking, 3.0, "S"]
    assert ft.predict_counts(TREE, point, missing=missing).tolist() == pytest.approx(counts)
    assert ft.predict(TREE, point, missing=missing) == "yes"


def test_rounding_breaks_no_tie_of_weighted_routes():
    """Shares .3 and .7 of (1/3, 2/3) and (4/7, 3/7) make .5 each, but not in floating point."""
    tree = ft.Tree(SCHEMA, ft.Branch((5, 5), Threshold(1, 0.0), (ft.Leaf((1, 2)), ft.Leaf((4, 3)))))
    swapped = ft.Tree(SCHEMA, ft.Branch((5, 5), Threshold(1, 0.0), (ft.Leaf((2, 1)), ft.Leaf((3, 4)))))
    rows = [["grey", None, "S"]] * 3
    assert ft.predict(tree, rows, missing="weighted") == ft.predict(swapped, rows, missing="weighted") == ["no"] * 3


def test_a_tree_without_cases_answers_with_its_first_class():
    tree = ft.Tree(SCHEMA, ft.Leaf((0, 0)))
    for missing in POLICIES:
        assert ft.predict(tree, ["grey", 0, "S"], missing=missing) == "no"
        assert ft.predict_proba(tree, ["grey", 0, "S"], missing=missing).tolist() == [0, 0]


def test_missing_as_a_value_has_a_branch_of_its_own():
    data = ft.Dataset.from_rows([["a"], [None], [None], ["b"]], ["no", "yes", "yes", "no"])
    tree = ft.grow(data, evolve(ft.ID3, missing="as_value"))
    for missing in POLICIES:
        assert ft.predict(tree, [["a"], [None], [float("nan")], ["b"]], missing=missing) == ["no", "yes", "yes", "no"]
        assert list(ft.predict(tree, data, missing=missing)) == ["no", "yes", "yes", "no"]
    assert ft.predict(tree, {}) == "yes"


def test_values_that_python_calls_equal_are_one_value():
    tree = ft.grow(ft.Dataset.from_rows([[0], [1]], ["no", "yes"], kinds="nominal"))
    assert ft.predict(tree, [[False], [True], [1.0], [np.int8(0)]]) == ["no", "yes", "yes", "no"]


# Probabilities ----------------------------------------------------------------------------------------------------


@given(trees_and_points(), st.sampled_from(POLICIES))
def test_probabilities_sum_to_1_and_are_largest_for_the_label(drawn, missing):
    tree, rows = drawn
    for estimate in (laplace, m_estimate(3, prior=[1 / len(tree.schema.classes)] * len(tree.schema.classes))):
        probabilities = ft.predict_proba(tree, rows, estimate=estimate, missing=missing)
        assert np.allclose(probabilities.sum(axis=1), 1)
        for row, label in zip(probabilities, ft.predict(tree, rows, missing=missing), strict=True):
            assert missing == "weighted" or row[tree.schema.classes.index(label)] == pytest.approx(row.max())


@given(trees_and_points(), st.sampled_from(POLICIES), st.sampled_from(["rule", "missing"]))
def test_the_native_library_answers_as_numpy_does_also_for_unseen_values(drawn, missing, unseen):
    tree, rows = drawn
    several = [row for row in rows for _ in range(20)]  # fewer are walked one by one
    ways = ft.predict_counts, partial(ft.predict_proba, estimate=laplace)
    by_library = [way(tree, several, missing=missing, unseen=unseen).tolist() for way in ways]
    with patch.dict(os.environ, {"FTREE_NATIVE": "off"}):
        assert [way(tree, several, missing=missing, unseen=unseen).tolist() for way in ways] == by_library


def test_probabilities_by_laplace_are_those_of_J48():
    """`J48 -A` of Weka 3.8 on its table weather.nominal: sunny, cool, high."""
    assert ft.predict_proba(ft.c45(weather()), ["sunny", "cool", "high", None], estimate=laplace).tolist() == pytest.approx(
        [0.8, 0.2]
    )


# Costs and priors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "options", "label"),
    [
        ((5, 5), {}, "no"),
        ((5, 5), {"costs": [[0, 1], [2, 0]]}, "yes"),
        ((5, 5), {"costs": [[0, 1], [1, 0]]}, "no"),
        ((5, 5), {"priors": (0.2, 0.8)}, "yes"),
        ((5, 5), {"priors": (0.2, 0.8), "costs": [[0, 9], [1, 0]]}, "no"),
        ((6, 4), {"priors": (0.1, 0.9)}, "yes"),
    ],
)
def test_costs_and_priors_weigh_the_counts_of_leaves_and_those_of_ones_own(counts, options, label):
    own = {"leaves": lambda _, rows, __: np.array([6.0, 4.0]) if rows == row else np.tile([6.0, 4.0], (len(rows), 1))}
    tree, row = ft.Tree(SCHEMA, ft.Leaf(counts)), ["grey", 1.0, "S"]
    for leaves in (own, {}) if counts == (6, 4) else (own,):
        assert ft.predict(tree, row, **leaves, **options) == label
        assert ft.predict(tree, [row] * 2, **leaves, **options) == [label] * 2


# Accuracy ---------------------------------------------------------------------------------------------------------


@given(st.data(), st.sampled_from(POLICIES))
def test_accuracy_is_the_share_of_weight_that_is_labelled_right(data, missing):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True))
    predicted = ft.predict(tree, dataset, missing=missing)
    truth = dataset.labels.tolist()
    right = sum(int(w) for w, p, t in zip(dataset.weights, predicted, truth, strict=True) if p == t)
    assert ft.accuracy(tree, dataset, missing=missing) == pytest.approx(right / int(dataset.weights.sum()))


def test_the_votes_tree_answers_the_complete_records_and_195_of_the_203_incomplete_ones(shared):
    tree = ft.grow(ft.Dataset.read_csv(shared / "data" / "votes_complete.csv"))
    incomplete = ft.Dataset.read_csv(shared / "data" / "votes_incomplete.csv")
    assert ft.accuracy(tree, ft.Dataset.read_csv(shared / "data" / "votes_complete.csv")) == 1
    assert round(ft.accuracy(tree, incomplete) * len(incomplete)) == 195


# Paths ------------------------------------------------------------------------------------------------------------


@given(trees_and_points(), st.sampled_from(["heaviest", "stop"]))
def test_a_path_ends_where_the_prediction_comes_from(drawn, missing):
    tree, rows = drawn
    for row in rows:
        route = ft.path_of(tree, row, missing=missing)
        assert route.label == ft.predict(tree, row, missing=missing)
        assert subtree_at(tree, route.path).root is route.node
        assert len(route.reasons) == len(route.path)
        assert ft.leaf_of(tree, row, missing=missing) == ft.Leaf(route.node.counts)
        assert isinstance(route.node, ft.Leaf) or missing == "stop"


def test_a_path_gives_its_reasons_in_words():
    assert str(ft.path_of(TREE, ["blue", 3.0, "S"])) == "sky = blue and wind <= 3 -> yes"
    assert ft.path_of(TREE, {"sky": "blue", "wind": 4}).reasons == ("sky = blue", "wind > 3")


def test_a_path_says_what_it_did_not_know():
    route = ft.path_of(TREE, ["red", None, "S"], missing="heaviest")
    assert str(route) == "sky unknown, so sky = blue and wind unknown, so wind <= 3 -> yes"
    assert (route.path, route.node) == ((1, 0), ft.Leaf((0, 4)))


def test_a_path_that_stops_tells_the_branch_where_it_did():
    route = ft.path_of(TREE, ["red", None, "S"], missing="stop")
    assert (route.path, route.reasons, route.node, route.label) == ((), (), TREE.root, "yes")
    assert str(route) == "always -> yes"
    assert ft.leaf_of(TREE, ["blue", None, "S"], missing="stop") == ft.Leaf((1, 5))


@pytest.mark.parametrize("missing", ["all_routes", "weighted", lambda sizes: 0 * sizes + 0.5])
def test_a_path_is_one_way(missing):
    with pytest.raises(
        ValueError, match=r"missing must be a rule that follows one route, such as heaviest\(\) or stop_here\(\), got "
    ):
        ft.path_of(TREE, ["red", 1, "S"], missing=missing)


def test_many_rows_have_many_paths():
    for rows in ([["grey", 1, "S"]], [], ft.Dataset.from_rows([["grey", 1, "S"]], ["no"], features=["sky", "wind", "size"])):
        with pytest.raises(ValueError, match=r"row must be one row.*got a table of (1 row|0 rows)"):
            ft.path_of(TREE, rows)


# Forms of rows ----------------------------------------------------------------------------------------------------

XY = ft.Tree(
    ft.Schema((ft.Feature("x", "numeric"), ft.Feature("y", "numeric")), "class", ("no", "yes")),
    ft.Branch((1, 1), Threshold(1, 0.5), (ft.Leaf((1, 0)), ft.Leaf((0, 1)))),
)
X = ft.Tree(
    ft.Schema((ft.Feature("x", "numeric"),), "class", ("no", "yes")),
    ft.Branch((1, 1), Threshold(0, 0.5), (ft.Leaf((1, 0)), ft.Leaf((0, 1)))),
)


def test_a_list_of_numbers_for_one_feature_is_a_point_too_long_and_not_a_column():
    for column in ([0.0, 1.0], np.array([0.0, 1.0])):
        with pytest.raises(ValueError, match=r"each of the 1 features \(x\), got 2"):
            ft.predict(X, column)


@pytest.mark.parametrize("rows", [[], (), np.zeros((0, 2)), np.array([])])
def test_no_rows_have_no_answers(rows):
    assert list(ft.predict(XY, rows)) == []
    assert ft.predict_counts(XY, rows).shape == ft.predict_proba(XY, rows).shape == (0, 2)


def test_a_leaf_of_a_schema_without_features_answers_empty_rows():
    tree = ft.Tree(ft.Schema((), "class", ("no", "yes")), ft.Leaf((1, 2)))
    assert ft.predict(tree, [[], ()]) == ["yes", "yes"]
    assert ft.predict(tree, {}) == "yes"


def test_rows_may_differ_in_form():
    assert ft.predict(XY, [[0, 1], {"y": 0}, np.array([0, 1]), (1, 0)]) == ["yes", "no", "yes", "no"]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ("grey", TypeError, "rows must be a Dataset, a data frame, a list of rows, or one row .*, got 'grey'"),
        (b"grey", TypeError, "rows must be "),
        (None, TypeError, "got None"),
        (3, TypeError, "got 3"),
        ({"grey", 1.0, "S"}, TypeError, "rows must be "),
        (iter([["grey", 1.0, "S"]]), TypeError, "rows must be "),
        (np.array(3.0), TypeError, "rows must be "),
        (np.zeros((1, 3, 1)), TypeError, "rows must be "),
        ([["grey", 1.0, "S"], "red"], TypeError, "A row must be a sequence or a dict of values, got 'red'"),
        ([["grey", 1.0, "S"], None], TypeError, "A row must be .*, got None"),
        ([["grey", 1.0, "S"], {"grey", 1.0, "S"}], TypeError, "A row must be "),
        (["red", "red"], ValueError, r"3 features \(sky, wind, size\), got 2: \['red', 'red'\]"),
        ([["grey", 1.0]], ValueError, "features .*, got 2: "),
        ([["grey", 1.0, "S", 4]], ValueError, "features .*, got 4: "),
        (np.zeros(2), ValueError, "features .*, got 2: "),
        (np.zeros((2, 4)), ValueError, "features .*, got 4: "),
        ({"sky": "grey", "wnid": 3}, KeyError, "got 'wnid'. Did you mean 'wind'"),
        ([{"sky": "grey", "colour": 3}], KeyError, "got 'colour'"),
        ({3: "grey"}, KeyError, "got '3'"),
        (["grey", "strong", "S"], ValueError, "'wind' must be numbers, got 'strong' in row 0"),
        (["grey", float("inf"), "S"], ValueError, "must be finite"),
        ({"sky": ["grey", "blue"]}, KeyError, "a column 'wind', got the columns 'sky'"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, error, words):
    for question in (ft.predict, ft.predict_counts, ft.predict_proba, ft.path_of, ft.leaf_of):
        with pytest.raises(error, match=words):
            question(TREE, rows)


def test_a_long_list_of_features_is_cut_in_the_message():
    tree = ft.Tree(ft.Schema([ft.Feature(f"f{n}", "numeric") for n in range(7)], "class", ("no",)), ft.Leaf((1,)))
    with pytest.raises(ValueError, match=r"7 features \(f0, f1, f2, f3, f4, \.\.\.\), got 1"):
        ft.predict(tree, [1.0])


def test_a_dataset_is_matched_by_name_whatever_its_order_of_columns_and_values():
    rows = {"size": ["L", "S"], "extra": [1, 2], "wind": [3.0, 4.0], "sky": ["blue", "pink"], "class": ["?", "!"]}
    table = ft.Dataset.from_columns(rows, missing=())
    expected = [["blue", 3.0, "L"], ["pink", 4.0, "S"]]
    assert list(ft.predict(TREE, table)) == list(ft.predict(TREE, expected))


@pytest.mark.parametrize("missing", ["majority", "", 3, [], "ALL_ROUTES"])
def test_an_unknown_way_with_missing_values_is_refused_with_those_that_there_are(missing):
    for question in (ft.predict, ft.predict_counts, ft.predict_proba, ft.path_of, ft.leaf_of):
        with pytest.raises(ValueError, match="or one of 'all_routes', 'weighted', 'heaviest', 'stop_here', got "):
            question(TREE, ["grey", 1, "S"], missing=missing)


# Size -------------------------------------------------------------------------------------------------------------


def test_splits_of_very_many_values_need_no_table_of_them_all():
    values = tuple(f"v{code}" for code in range(100_000))
    schema = ft.Schema([ft.Feature("name", "nominal", values)], "class", ("no", "yes"))
    node = ft.Leaf((0, 1))
    for code in range(99_999, 99_800, -1):
        node = ft.Branch((200, 1), Subset(0, (code,)), (ft.Leaf((1, 0)), node))
    tree = ft.Tree(schema, node)
    assert not flat(tree.root).questions.in_tables
    rows = [["v99801"], ["v99999"], ["v3"], [None], ["new"]]
    assert ft.predict(tree, rows) == ["no", "no", "yes", "no", "no"]
    assert ft.predict(tree, rows[2]) == "yes"


@pytest.mark.parametrize("sky", [[], ["red"]], ids=["numbers only", "with a nominal feature"])
def test_one_row_is_read_as_many_rows_are(sky):
    tree = ft.grow(ft.Dataset.from_rows([[1, *sky], [10, *sky]], ["low", "high"]))
    for cell in ("1_0", b"3", "red", 2**53 + 1, 10**400, float("inf")):
        with pytest.raises(ValueError, match="must be"):
            ft.predict(tree, [cell, *sky])
    nearly = True, 2**53 - 1, 2**53, -(2**53), None, float("nan"), "?", np.ma.masked
    for cell in ("9", np.int8(9), np.int64(9), np.float32(9), *nearly):
        assert [ft.predict(tree, [cell, *sky])] == ft.predict(tree, [[cell, *sky]])
        assert ft.predict(tree, np.array([cell, *sky], object)) == ft.predict(tree, (cell, *sky))


def test_a_tuple_in_a_list_is_a_row_also_where_values_are_tuples():
    schema = ft.Schema([ft.Feature("pair", "nominal", (("a", 1), ("b", 2)))], "class", ("no", "yes"))
    tree = ft.Tree(schema, ft.Branch((1, 1), Multiway(0, (0, 1)), (ft.Leaf((1, 0)), ft.Leaf((0, 1)))))
    assert ft.predict(tree, [[("b", 2)]]) == [ft.predict(tree, {"pair": ("b", 2)})] == ["yes"]
    with pytest.raises(ValueError, match="A row must have one value for each of the 1 features"):
        ft.predict(tree, [("b", 2)])


def test_a_time_is_one_number_in_every_form_of_a_row():
    days = np.array(["1970-01-01", "1970-01-02"], "M8[ns]")
    tree = ft.grow(ft.Dataset.from_columns({"day": days, "class": ["first", "second"]}))
    forms = [days[1:], [days[1]], {"day": days[1]}, ["1970-01-02"], [86400]]
    assert {ft.predict(tree, row) for row in forms} == {"second"}


MATRIX = [[0, 1], [1, 0]]
TAKE_A_TABLE = {
    "predict": lambda tree, rows, **option: list(ft.predict(tree, rows, **option)),
    "predict a list": lambda tree, rows, **option: ft.predict(tree, [[row["x0"]] for row in rows.rows()], **option),
    "predict_counts": lambda tree, rows, **option: ft.predict_counts(tree, rows, **option).tolist(),
    "predict_proba of a dict": lambda tree, rows, **option: ft.predict_proba(tree, {"x0": rows["x0"][1]}, **option).tolist(),
    "accuracy": ft.accuracy,
    "accuracy with leaves": partial(ft.accuracy, leaves=lambda tree, rows, _: ft.predict_counts(tree, rows)),
    "mean_cost": partial(ft.mean_cost, costs=MATRIX),
    "costs_of_answers": lambda tree, rows, **option: costs_of_answers(tree, rows, costs=MATRIX, **option)[0].tolist(),
    "confusion": ft.confusion,
    "recount": lambda tree, rows, **option: ft.recount(tree, rows, **option).root,
    "path_of": lambda tree, rows, **option: ft.path_of(tree, rows.rows()[1], **option),
    "leaf_of": lambda tree, rows, **option: ft.leaf_of(tree, [rows["x0"][1]], **option),
}


@pytest.mark.parametrize("answer", TAKE_A_TABLE.values(), ids=TAKE_A_TABLE)
def test_a_misspelt_value_is_missing_or_refused_with_the_one_that_was_meant(answer):
    tree = ft.grow(ft.Dataset.from_rows([["sunny"], ["rainy"], ["sunny"]], ["no", "yes", "no"]))
    misspelt, missing = (ft.Dataset.from_rows([["sunny"], [cell]], ["no", "yes"]) for cell in ("Sunny", None))
    assert answer(tree, misspelt) == answer(tree, missing) == answer(tree, missing, unseen="raise")
    with pytest.raises(ValueError, match=r"Values of 'x0' must be among .*, got 'Sunny' \(did you mean 'sunny'\?\)"):
        answer(tree, misspelt, unseen="raise")
    for option in ("refuse", None, ["raise"]):
        with pytest.raises(ValueError, match="unseen must be one of 'rule', 'missing', 'raise', got"):
            answer(tree, misspelt, unseen=option)


@given(datasets(min_rows=1, missing=True), st.sampled_from(["ignore", "heaviest", "as_value", "as_branch"]), st.data())
def test_an_unseen_value_that_counts_as_missing_goes_where_missing_ones_go(dataset, missing, data):
    tree = ft.grow(dataset, evolve(ft.CART, missing=missing))
    rows = data.draw(points(tree.schema).filter(bool))
    gaps = [[None if cell == "unheard of" else cell for cell in row] for row in rows]
    kinds = {each.name: "numeric" if each.kind == "numeric" else "nominal" for each in tree.schema.features}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unknown values, and kinds in doubt
        expected = ft.predict_counts(tree, gaps)
        table = ft.Dataset.from_rows(rows, [0] * len(rows), features=[*kinds], kinds=kinds)
        for form in (rows, table):
            assert np.array_equal(ft.predict_counts(tree, form, unseen="missing"), expected)
        assert ft.apply(tree, rows, unseen="missing") == ft.apply(tree, gaps)
        assert [ft.path_of(tree, row, unseen="missing") for row in rows] == [ft.path_of(tree, row) for row in gaps]


@pytest.mark.parametrize(("missing", "expected"), [("as_value", [0, 30]), ("as_branch", [0, 30]), ("ignore", [50, 30])])
def test_an_unseen_value_that_counts_as_missing_goes_by_the_policy(missing, expected):
    data = ft.Dataset.from_columns({"plan": ["a", "b"] * 25 + [None] * 30, "class": ["no"] * 50 + ["yes"] * 30})
    tree = ft.grow(data, evolve(ft.CART, missing=missing))
    table = ft.Dataset.from_columns({"plan": ["new"], "class": ["yes"]})
    for row in (["new"], {"plan": "new"}, {"plan": ["new"]}, table):
        assert ft.predict_counts(tree, row, unseen="missing").ravel().tolist() == expected
    root = ft.recount(tree, table, unseen="missing").root
    assert (missing == "ignore") or [each.counts for each in root.children] == [(0, 0), (0, 1)]


@pytest.mark.parametrize("child", [0, 1])
def test_a_value_is_missing_to_splits_below_one_that_asks_for_it(child):
    below = ft.Branch((0, 4), Subset(0, (2,)), [ft.Leaf((0, 1)), ft.Leaf((0, 3))])
    split = Answering(child_of_unseen=lambda values: [child] * len(values))
    tree = ft.Tree(
        ft.Schema([ft.Feature("word", "nominal", ("a", "b", None))], "class", ("no", "yes")),
        ft.Branch((1, 4), split, [ft.Leaf((1, 0)), below]),
    )
    assert ft.apply(tree, [["c"], [None], ["b"]], unseen="missing") == [child, 1, 2]


def test_a_users_split_that_sends_missing_values_to_a_child_has_no_answer_for_unseen_ones():
    schema = ft.Schema([ft.Feature("word", "nominal", ("a", "b"))], "class", ("no", "yes"))
    tree = ft.Tree(schema, ft.Branch((3, 1), Answering(child=lambda codes: (codes > 0) * 1), [ft.Leaf((3, 0)), ft.Leaf((0, 1))]))
    assert ft.predict_counts(tree, [[None], ["c"], ["b"]]).tolist() == [[3, 0], [3, 1], [0, 1]]


# What users' rules and splits answer for rows and for unseen values


@pytest.mark.parametrize("wrong", [[[0.5, 0.5]], [[1.0, -1.0]] * 2, [[np.nan, 1.0]] * 2, [0.5, 0.5]])
def test_shares_of_rows_that_are_none_are_refused(wrong):
    schema, leaves = ft.Schema([ft.Feature("x", "numeric")], "class", ("no", "yes")), [ft.Leaf((1, 0)), ft.Leaf((0, 1))]
    tree = ft.Tree(schema, ft.Branch((1, 1), Threshold(0, 0.5), leaves))
    with pytest.raises(ValueError, match=r"of_rows of .* must return None or finite shares from 0 of shape"):
        ft.predict(tree, [[0.0], [1.0]], missing=Answering(of_rows=lambda *_: wrong))


@pytest.mark.parametrize("wrong", [[0, 1], [0.5], ["a"]])
def test_children_of_unseen_values_that_are_none_are_refused(wrong):
    split = Answering(child_of_unseen=lambda _: wrong)
    schema = ft.Schema([ft.Feature("word", "nominal", ("a", "b"))], "class", ("no", "yes"))
    tree = ft.Tree(schema, ft.Branch((1, 1), split, [ft.Leaf((1, 0)), ft.Leaf((0, 1))]))
    with pytest.raises(TypeError, match="child_of_unseen must return one integer for each of 1 values"):
        ft.predict(tree, ["c"])


class Answering:
    """A rule, and a split of values into the first and the others, with more answers."""

    features, n_children = (0,), 2
    conditions = OneOf(0, (0,)), NoneOf(0, (0,))

    def __init__(self, **answers):
        vars(self).update(answers)

    def __call__(self, sizes):
        return sizes / sizes.sum()

    def child(self, column):
        return np.where(column < 0, -1, column > 0)


@pytest.mark.parametrize("unseen", ["rule", "missing"])
@pytest.mark.parametrize("split", [IsMissing(0), WithDefault(IsMissing(0), default_child=1)])
def test_a_nominal_feature_without_values_has_unseen_ones_as_any_other_has(split, unseen):
    def answers(values):
        schema = ft.Schema([ft.Feature("sky", "nominal", values)], "class", ("no", "yes"))
        tree = ft.Tree(schema, ft.Branch((3, 2), split, [ft.Leaf((3, 0)), ft.Leaf((0, 2))]))
        return ft.predict(tree, [["red"], [None], ["green"]], unseen=unseen)

    assert answers(()) == answers(("blue",))
