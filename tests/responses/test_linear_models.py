"""Linear models as a response: the sums of a node give the coefficients of least squares, their errors, and what they lose."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    CART,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    grow,
    n_leaves,
    predict,
    prune,
    recount,
    text,
)
from ftree._lib.arrays import solved
from ftree.data.changes import with_response
from ftree.datasets import auto_mpg
from ftree.explain import explain_row
from ftree.responses import linear, linear_model
from ftree.show import draw, page
from ftree.splitters import only, subset, threshold
from ftree.stop import max_depth
from ftree.study import Predictions, bagging, cross_validate, metrics
from ftree.testing import check_response
from ftree.tree import Subset, Threshold, exact_sums, leaves, numbers, subtree_at

FEW = st.sampled_from([0.0, 0.5, 1.0, 2.5, 4.0])


def least_squares(y, *columns):
    """Intercept, coefficients and mean; a column that depends on those before it is left out."""
    y, design, kept = np.array(y), np.ones((len(y), 1)), []
    for number, column in enumerate(columns):
        more = np.column_stack([design, column])
        if np.linalg.matrix_rank(more, tol=1e-9) > design.shape[1]:
            design, kept = more, [*kept, number]
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    slopes = np.zeros(len(columns))
    slopes[kept] = found[1:]
    return (found[0], *slopes.tolist(), y.mean())


def table(seed, n=30):
    """Rows of two regressors with gaps, and of two other features, with weights of 0 to 3."""
    random = np.random.default_rng(seed)
    columns = {"a": random.normal(size=n).round(2), "b": random.integers(0, 5, n).astype(float)}
    columns |= {"z": random.integers(0, 9, n).astype(float), "c": random.normal(size=n).round(1)}
    columns["y"] = (columns["a"] * (1 + (columns["z"] > 4)) + columns["b"] + random.normal(size=n)).round(3)
    for name in "ab":
        columns[name][random.integers(0, n, 3)] = np.nan
    weights = random.integers(0, 4, n)
    return Dataset.from_columns(columns, target="y", kinds="numeric", weights=weights, response=linear(["a", "b"]))


def in_rows(data):
    """The target and the regressors, each row as often as its weight says, and which rows are complete."""
    y, a, b = (np.repeat(column, data.weights) for column in (data.target_column, *data.further_targets))
    return y, a, b, ~np.isnan(a + b)


def by_loop(data):
    """The model of rows: intercept, two coefficients and the mean."""
    y, a, b, complete = in_rows(data)
    model = least_squares(y[complete], a[complete], b[complete])[:-1] if complete.any() else (y.mean(), 0.0, 0.0)
    return (*model, y.mean())


def lost_by(model, data):
    y, a, b, complete = in_rows(data)
    return float((np.where(complete, y - model[0] - model[1] * a - model[2] * b, y - model[3]) ** 2).sum())


@pytest.mark.parametrize("on", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_it_keeps_the_laws(on):
    check_response(linear(on), values=FEW, further=[FEW] * len(on), oracle=least_squares)


def test_it_keeps_the_laws_with_missing_regressors():
    few = st.sampled_from([0.0, 1.0, 2.5, np.nan])
    check_response(linear(["a", "b"]), values=FEW, further=[few, few], exempt=["least"])


@pytest.mark.parametrize("seed", range(40))
def test_models_and_the_best_split_are_those_of_a_loop(seed):
    data = table(seed)
    tree = grow(data, evolve(CART, splits=(only(["z", "c"], (threshold(),)),), stop=max_depth(1)))
    response, model, known = tree.schema.response, by_loop(data), data.take(data.weights > 0)
    assert response.answer(tree.root.counts) == pytest.approx(model, rel=1e-6, abs=1e-9)
    assert response.risk(tree.root.counts) == pytest.approx(lost_by(model, data), rel=1e-9)

    def decrease(name, at):
        sides = [known.take(known[name] <= at), known.take(known[name] > at)]
        # A node may answer rows that lack a regressor better than its child does, which counts as no decrease.
        return sum(max(lost_by(model, side) - lost_by(by_loop(side), side), 0.0) for side in sides)

    best = max(decrease(name, at) for name in ("z", "c") for at in np.unique(known[name])[:-1])
    split = tree.root.split
    assert decrease(tree.schema.features[split.feature].name, split.at) == pytest.approx(best, rel=1e-6)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=4, max_size=9))
def test_elimination_solves_what_can_be_solved(rows):
    design = np.array(rows, float)
    matrix, right = design.T @ design, np.arange(6.0).reshape(3, 2)
    solutions, stay = solved(matrix, right, np.full(3, 1e-9))
    assert np.count_nonzero(stay) == np.linalg.matrix_rank(design)
    assert np.allclose(matrix[np.ix_(stay, stay)] @ solutions[stay], right[stay], atol=1e-6)
    assert not solutions[~stay].any()


CARS = with_response(auto_mpg(numeric=True), linear("weight"))
TREE = grow(CARS, CART.stopping(max_depth(2)))
ROW = {"modelyear": 70, "horsepower": 130, "acceleration": 12, "weight": 3504}


def test_a_tree_of_models_prints_and_predicts():
    assert "|   horsepower > 84: 34.829144 - 0.0048481 weight (208.0)" in text(TREE).splitlines()
    intercept, slope = linear_model(TREE, (0, 1)).coefficients
    assert predict(TREE, ROW) == pytest.approx(intercept + slope * 3504)
    assert predict(TREE, ROW | {"weight": None}) == TREE.schema.response.answer(subtree_at(TREE, (0, 1)).root.counts)[-1]
    lost = sum(TREE.schema.response.risk(leaf.counts) for leaf in leaves(TREE))
    assert ((predict(TREE, CARS) - CARS.target_column) ** 2).sum() == pytest.approx(lost)
    assert n_leaves(prune.cost_complexity(0.05, scale="cp")(TREE)) < n_leaves(TREE)


def test_metrics_measure_the_numbers_that_rows_get():
    errors = predict(TREE, CARS) - CARS.target_column
    measured = Predictions(TREE, CARS)
    assert metrics.rmse(measured) ** 2 == pytest.approx((errors**2).mean()) == pytest.approx(metrics.deviance(measured))
    assert metrics.mae(measured) == pytest.approx(np.abs(errors).mean())
    assert metrics.r_squared(measured) == pytest.approx(1 - (errors**2).mean() / CARS.target_column.var())
    assert cross_validate(CARS, CART.stopping(max_depth(1)), folds=3, metrics=("rmse",)).mean < 5


def test_a_row_is_explained_by_the_models_on_its_path():
    found = explain_row(TREE, ROW)
    first, *_, last = str(found).splitlines()
    assert first == "mpg = 17.841413"
    assert last == "14.737234 if horsepower <= 84 (now 130): 49.988925 - 0.0100604 weight (70)"
    assert found.other.label == predict(TREE, ROW | {"horsepower": 84})


def test_a_forest_of_models_errs_by_the_mean_of_its_numbers():
    forest = bagging(CARS, CART.stopping(max_depth(1)), n_trees=9, seed=1)
    left = np.array([np.bincount(rows, minlength=len(CARS)) == 0 for rows, _ in forest.bags.draw()])
    answers = np.array([predict(tree, CARS) for tree in forest.trees])
    assert forest(CARS) == pytest.approx(answers.mean(axis=0))
    some = left.any(axis=0)
    mean = (answers * left).sum(axis=0)[some] / left.sum(axis=0)[some]
    assert forest.out_of_bag(CARS).error == pytest.approx(np.sqrt(np.mean((mean - CARS.target_column[some]) ** 2)))


def test_a_tree_that_grows_by_means_gets_models_afterwards():
    data, plain = with_response(auto_mpg(numeric=True), linear("weight", splits="means")), auto_mpg(numeric=True)
    policy = CART.stopping(max_depth(2))
    tree, other = grow(data, policy), recount(grow(plain, policy), plain, response=linear("weight"))
    assert [leaf.counts for leaf in leaves(tree)] == [leaf.counts for leaf in leaves(other)]
    deeper = CART.stopping(max_depth(3))
    assert grow(data, deeper, start=tree) == grow(data, deeper)
    assert n_leaves(grow(data, deeper, start=(tree, (0, 0)))) == n_leaves(tree) + 1
    with pytest.raises(TypeError, match="start must be a Tree"):
        grow(data, policy, start=[tree])


def test_a_tree_drawn_by_hand_gets_models():
    schema = Schema([Feature("modelyear", "numeric")], "mpg", (), response=numbers())
    by_hand = Tree(schema, Branch((2, 2, 2), Threshold(0, 78.5), [Leaf((1, 1, 1)), Leaf((1, 1, 1))]))
    assert recount(by_hand, auto_mpg(numeric=True), response=linear("weight")).root.counts[0] == 392


def test_categories_are_divided_by_their_slopes_not_by_their_means():
    x, c = np.tile(np.arange(10.0), 4), np.repeat([*"abcd"], 10)
    y = np.where(np.isin(c, ["a", "d"]), x, -x) + np.repeat([0.0, 9.5, 9.1, 1.0], 10)
    data = Dataset.from_columns({"x": x, "c": c, "y": y}, target="y", response=linear("x"))
    for least in (0, 15):
        tree = grow(data, evolve(CART, splits=(subset(min_cases=least),), stop=max_depth(1)))
        assert tree.root.split == Subset(1, (0, 3))
    assert grow(data, evolve(CART, splits=(subset(exact=0),), stop=max_depth(1))).root.split != Subset(1, (0, 3))


def test_pictures_have_a_line_of_one_regressor_and_bars_of_several():
    one, two = (
        with_response(auto_mpg(numeric=True), linear(on)).schema.response.own for on in ("weight", ["weight", "horsepower"])
    )
    (low, *_, high), levels = (each[1] for each in one.chart((46.2, -0.0076, 23.0))[::15]), one.chart((23.0, 0.0, 23.0))
    assert low > high
    assert len({level for _, level, _, _ in levels}) == 1
    up, down = two.chart((23.0, 0.001, -0.05, 23.0))
    assert (up[1], down[1] + down[3]) == (0.5, 0.5)
    assert all(
        0 <= left <= left + width <= 1 and 0 <= at <= at + high <= 1 for left, at, width, high in one.chart((99.0, 9.0, 1.0))
    )
    assert linear(["a", "b"]).chart((1.0, 0.0, 0.0, 1.0))[0][3] == 0
    assert "<svg" in str(draw(TREE).text)
    assert "3504" not in str(page(TREE))


def test_models_print_without_regressors_of_no_effect():
    own = linear(["kg", "hp"])
    assert own.text((39.9, -0.006, 0.0, 20.0)) == "39.9 - 0.006 kg"
    assert own.text((39.9, 0.0, 1.5, 20.0)) == "39.9 + 1.5 hp"
    assert own.text(2.25) == "2.25"
    constant = grow(Dataset.from_columns({"kg": [1.5, 1.5, 1.5], "y": [1.5, 2.5, 5.0]}, target="y", response=linear("kg")), CART)
    assert text(constant).strip(": ") == "3 (3.0)"
    model = linear_model(constant)
    assert model.errors[0] == pytest.approx(np.std([1.5, 2.5, 5.0], ddof=1) / 3**0.5)
    assert np.isnan(model.errors[1])
    assert np.isnan(linear_model(Tree(constant.schema, Leaf((0,) * 9))).errors).all()


def test_a_model_has_the_standard_errors_of_least_squares():
    x = np.column_stack([np.ones(len(CARS)), CARS["weight"], CARS["horsepower"]])
    tree = grow(with_response(auto_mpg(numeric=True), linear(["weight", "horsepower"])), CART.stopping(max_depth(0)))
    found, lost, *_ = np.linalg.lstsq(x, CARS.target_column, rcond=None)
    errors = np.sqrt(np.diagonal(np.linalg.inv(x.T @ x)) * lost[0] / (len(x) - 3))
    model = linear_model(tree)
    assert model.coefficients == pytest.approx(found)
    assert model.errors == pytest.approx(errors)
    assert model.residuals == pytest.approx(lost[0])


def test_regressors_with_values_are_numbers():
    data = {"a": [1, 2, 2, 1, 3, 1], "y": [1.5, 2.5, 2.5, 1.5, 3.5, 1.5]}
    tree = grow(Dataset.from_columns(data, target="y", kinds={"a": "nominal"}, response=linear("a")), CART.stopping(max_depth(0)))
    assert predict(tree, {"a": [1, 3, None]}) == pytest.approx([1.5, 3.5, 13 / 6])


def test_what_is_no_regressor_is_refused():
    columns, one = {"a": [1.0, 2.0], "y": [1.5, 2.5]}, CARS.take([0])
    with pytest.raises(ValueError, match="'weight' must be finite or missing, got inf in row 0"):
        evolve(one, further_targets=[[np.inf]])
    with pytest.raises(KeyError, match="must be one of 'a', got 'b'"):
        Dataset.from_columns(columns, target="y", response=linear("b"))
    with pytest.raises(ValueError, match="Names must be one or more, each of them once, got \\('a', 'a'\\)"):
        linear(["a", "a"])
    with pytest.raises(ValueError, match="splits must be one of 'models', 'means', got 'medians'"):
        linear("a", splits="medians")
    with pytest.raises(ValueError, match="features must include 'weight', on which answers depend, got 'horsepower'"):
        CARS.keep_columns(["horsepower"])
    with pytest.raises(ValueError, match="features must include 'a', on which answers depend, got none"):
        Schema([], "y", (), response=exact_sums(linear("a")))
    with pytest.raises(ValueError, match="tree must have the response linear"):
        linear_model(grow(auto_mpg()))
