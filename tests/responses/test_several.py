"""Several numbers as the response: their trees are scikit-learn's, and those that the definition grows."""

from datetime import date, timedelta
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_linnerud
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

import ftree as ft
from ftree import CART, Dataset, grow, predict, prune, recount, study
from ftree.estimator import TreeRegressor
from ftree.responses import several, survival
from ftree.splitters import threshold
from ftree.stop import max_depth, min_rows, never
from ftree.testing import check_response
from ftree.tree import preorder

GROWN_OUT = CART.stopping(never)


def table_of(x, y, **options):
    columns = {f"x{number}": column for number, column in enumerate(np.transpose(x))}
    names = [f"y{number}" for number in range(np.shape(y)[1])]
    return Dataset.from_columns(columns | dict(zip(names, np.transpose(y), strict=True)), target=names, **options)


def test_it_keeps_the_laws():
    numbers = st.sampled_from([-3.0, 0.1, 0.7, 2.0, 1000.5])
    check_response(
        several(["answer", "b", "c"]), values=numbers, further=[numbers, numbers], oracle=lambda *columns: means(columns)
    )


@pytest.mark.parametrize("n_targets", [16, 17])
def test_as_many_targets_as_the_library_has_room_for_and_one_more_grow_the_same_tree(n_targets):
    random = np.random.default_rng(0)
    data = table_of(random.normal(size=(300, 2)), random.normal(size=(300, n_targets)).round(2))
    policy = ft.evolve(CART, splits=(threshold(),), missing="ignore")
    assert grow(data, policy, engine="compiled") == grow(data, policy, engine="plain")


def means(columns):
    return [sum(column) / len(column) for column in columns]


@pytest.mark.parametrize("seed", range(40))
def test_trees_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 120)), int(rng.integers(2, 5))
    x = rng.normal(size=(n, 4))
    y = np.round(rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 3) + 3 * x[:, :1], 3)
    weights = rng.integers(1, 4, n) if seed % 2 else None
    table = table_of(x, y, weights=weights)
    tree = grow(table, CART.stopping(max_depth(4) | min_rows(10)))
    peer = DecisionTreeRegressor(max_depth=4, random_state=0)
    if weights is None:
        peer = peer.set_params(min_samples_split=10).fit(x, y)
        assert predict(tree, table) == pytest.approx(peer.predict(x), rel=1e-9, abs=1e-9)
    shallow = grow(table, CART.stopping(max_depth(3)))
    peer = DecisionTreeRegressor(max_depth=3, random_state=0).fit(x, y, sample_weight=weights)
    assert predict(shallow, table) == pytest.approx(peer.predict(x), rel=1e-9, abs=1e-9)


@st.composite
def tables(draw):
    """Tables of a few rows with equal numbers, values and weights among them."""
    n, k = draw(st.integers(2, 40)), draw(st.integers(2, 4))
    cells = st.lists(st.sampled_from([0.0, 1.0, 2.5, -7.25, 0.1, 1e6]), min_size=n, max_size=n)
    y = np.transpose([draw(cells) for _ in range(k)])
    x = np.transpose(
        [draw(st.lists(st.integers(0, draw(st.sampled_from([1, 5, 40]))), min_size=n, max_size=n)) for _ in range(3)]
    )
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return table_of(x.astype(float), y, weights=weights, kinds="numeric")


@given(tables(), st.sampled_from([never, max_depth(3), min_rows(4), CART.stop]))
def test_the_library_grows_what_numpy_grows(table, stop):
    policy = CART.stopping(stop)
    assert grow(table, policy, engine="compiled") == grow(table, policy, engine="plain")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")), min_size=2, max_size=30))
def test_certain_shares_grow_the_tree_of_their_labels(rows):
    x, labels = np.array([row[:2] for row in rows], float), [row[2] for row in rows]
    shares = table_of(x, np.array([[label == each for each in "abc"] for label in labels], float), kinds="numeric")
    classes = Dataset.from_rows(x.tolist(), labels, classes=["a", "b", "c"], kinds="numeric")
    one, other = grow(shares, CART), grow(classes, CART)
    assert [getattr(node, "split", None) for node in preorder(one)] == [getattr(node, "split", None) for node in preorder(other)]
    assert predict(one, shares) == pytest.approx(ft.predict_proba(other, classes))


def test_a_tree_is_read_written_pruned_and_asked_like_any_other():
    x, y = load_linnerud(return_X_y=True)
    table = table_of(x, y)
    tree = grow(table, GROWN_OUT)
    path = list(prune.cost_complexity_path(tree))
    assert path[-1].tree.root.counts == tree.root.counts
    assert "178.6, 35.4, 56.1" in str(path[-1].tree)
    assert predict(tree, x[0]).shape == (3,)
    assert len(predict(tree, x.tolist())) == 20
    assert ft.path_of(tree, x[0]).label == tuple(predict(tree, x[0]))
    frame = pytest.importorskip("pandas").DataFrame(x, columns=["x0", "x1", "x2"])
    assert list(predict(tree, frame).columns) == ["y0", "y1", "y2"]
    assert all("y0, y1, y2" in text for text in (ft.draw(tree).text, ft.page(tree).text, str(ft.explain_row(tree, x[0]))))
    assert "±" not in ft.draw(tree).text
    assert ft.rules(tree)[0].text.count(",") == 2
    with pytest.raises(ValueError, match="answers are numbers, got one of several numbers"):
        ft.routing.leaf_moments(tree)
    for ask, remedy in (
        (ft.predict_proba, "Use predict.$"),
        (ft.predict_counts, "Use predict.$"),
        (ft.routing.leaf_quantiles, "Use predict.$"),
        (ft.accuracy, "Use study.metrics.r_squared"),
    ):
        with pytest.raises(ValueError, match=remedy):
            ask(tree, table)
    assert study.metrics.r_squared(study.Predictions(tree, table)) == 1


def test_a_row_without_an_answer_gets_of_each_number_what_a_tree_of_that_number_says():
    table = Dataset.from_columns({"x": [0.0, 1.0, None], "a": [0.0, 2.0, 4.0], "b": [1.0, 1.0, 4.0]}, target=["a", "b"])
    tree, labels = grow(table, GROWN_OUT), {"a": table.target_column, "b": table.further_targets[0]}
    for rule in ("weighted", "all_routes", "heaviest", "stop_here"):
        alone = [
            recount(tree, Dataset.from_columns({"x": [0.0, 1.0, None], name: labels[name]}, target=name), response="numbers")
            for name in "ab"
        ]
        assert predict(tree, [None], missing=rule).tolist() == pytest.approx(
            [predict(each, [None], missing=rule) for each in alone]
        )


def test_several_targets_are_named_once_and_are_columns():
    columns = {"x": [1.0, 2.0], "a": [1.0, 2.0], "b": [3.0, 4.0]}
    both = Dataset.from_columns(columns, response=several(["a", "b"]))
    for listed in (["a", "b"], ("a", "b"), np.array(["a", "b"])):
        assert Dataset.from_columns(columns, target=listed) == Dataset.from_frame(columns, target=listed) == both
    assert Dataset.from_columns(columns, target=["a"]) == Dataset.from_columns(columns, target="a")
    assert Dataset.from_frame(columns, ["a", "b"], response=several(["a", "b"])) == Dataset.from_frame(columns, ["a", "b"])
    assert Dataset.read(b"x,a,b\n1,1.5,3\n2,2,4.5\n", format="csv", target=["b", "a"]).schema.response.own.columns == ("b", "a")
    for names in (["a"], ["a", "a"], "a"):
        with pytest.raises(ValueError, match="columns must be two or more names, each of them once"):
            several(names)
    with pytest.raises(ValueError, match=r"target must be the columns \('a', 'b'\) of the response, got \('a', 'x'\)"):
        Dataset.from_frame(columns, ["a", "x"], response=several(["a", "b"]))
    with pytest.raises(ValueError, match=r"target must be 'a', which the response reads, got 'x'\. Omit it"):
        Dataset.from_frame(columns, "x", response=several(["a", "b"]))
    longer = {name: [*column, 3.0] for name, column in columns.items()}
    for names in (["a", "c"], ["a", "a"]):
        with pytest.raises(ValueError, match="Several targets must be columns of the table, each named once"):
            Dataset.from_frame(longer, target=names)
    for named in ({"target": ["a", "c"]}, {"response": several(["a", "c"])}):
        with pytest.raises(KeyError, match=r"must be one of 'x', .*'b', got 'c'"):
            Dataset.from_columns(columns, **named)
    with pytest.raises(TypeError, match=r"A name must be a text"):
        Dataset.from_columns(columns, target={"a", "b"})


def test_a_forest_of_several_numbers_explains_as_much_as_scikit_learns():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 5))
    y = np.stack([x[:, 0] + x[:, 1], np.abs(x[:, 2])], axis=1) + 0.1 * rng.normal(size=(400, 2))
    forest = ft.study.random_forest(table_of(x[:300], y[:300]), n_trees=30)
    peer = RandomForestRegressor(30, random_state=0, max_features=1 / 3).fit(x[:300], y[:300])
    ours, theirs = (
        ((np.array(answers) - y[300:]) ** 2).sum() for answers in (forest(table_of(x[300:], y[300:])), peer.predict(x[300:]))
    )
    assert ours < 1.3 * theirs


@pytest.mark.parametrize(
    "parameters",
    [{"ccp_alpha": 0.1}, {"min_impurity_decrease": 0.05}, {"max_leaf_nodes": 5}, {"max_depth": 3, "min_samples_leaf": 5}],
    ids=str,
)
def test_the_parameters_of_the_regressor_mean_what_they_mean_to_scikit_learn(parameters):
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(120, 3)), rng.normal(size=(120, 2))
    y[:, 0] += 2 * x[:, 0]
    ours, theirs = (made(**parameters).fit(x, y) for made in (TreeRegressor, partial(DecisionTreeRegressor, random_state=0)))
    assert ours.predict(x) == pytest.approx(theirs.predict(x))
    assert ours.score(x, y) == pytest.approx(theirs.score(x, y))
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    path, peer = ours.cost_complexity_pruning_path(x, y), theirs.cost_complexity_pruning_path(x, y)
    assert path.ccp_alphas[-3:] == pytest.approx(peer.ccp_alphas[-3:])
    assert path.impurities[-3:] == pytest.approx(peer.impurities[-3:])


def test_a_further_target_must_be_a_number_in_every_row_or_its_row_is_left_out():
    columns = {"x": [1.0, 2.0, 3.0], "a": [1.0, 2.0, 3.0], "b": [3.0, None, 4.0]}
    with pytest.raises(ValueError, match=r"The target 'b' must have a finite number in every row, got nan in row 1. Omit"):
        Dataset.from_columns(columns, target=["a", "b"])
    known = Dataset.from_frame(columns, target=["a", "b"], drop_missing_labels=True)
    assert (known["a"].tolist(), known["b"].tolist()) == ([1.0, 3.0], [3.0, 4.0])
    with pytest.raises(ValueError, match=r"'b' must be a number in every row for a target of several numbers, got 'no' in row 0"):
        Dataset.from_columns(columns | {"b": ["no", "yes", "no"]}, target=["a", "b"])
    texts = Dataset.from_columns(columns | {"b": ["1", "2.5", "3"]}, target=["a", "b"])
    assert texts.further_targets[0].tolist() == [1.0, 2.5, 3.0]
    with pytest.raises(ValueError, match=r"'b'.*9007199254740993"):
        Dataset.from_columns(columns | {"b": [1, 2, 2**53 + 1]}, target=["a", "b"])
    with pytest.raises(ValueError, match="event must be another column than the time, got 't' for both"):
        survival("t", "t")


@pytest.mark.parametrize("targets", [("end", "cost"), ("cost", "end")])
def test_dates_are_no_amounts_and_durations_are_seconds(targets):
    days = [timedelta(2), timedelta(1)]
    columns = {"cost": [3.0, 4.0], "end": days}
    assert Dataset.from_columns(columns, target=targets)["end"].tolist() == [172800.0, 86400.0]
    dates = [date(2020, 2, 29) + each for each in days]
    for ends in (dates, list(map(str, dates)), np.array(dates, "M8[D]")):
        with pytest.raises(ValueError, match=r"'end' must be numbers or durations, got .*2020.* in row 0\. Subtract a date"):
            Dataset.from_columns(columns | {"end": ends}, target=targets)


def test_a_response_that_is_a_class_or_lacks_a_column_is_refused():
    columns = {"x": [1.0, 2.0], "a": [1.0, 2.0], "b": [3.0, 4.0]}
    with pytest.raises(ValueError, match=r"response must be 'numbers', .* or a response such as events"):
        Dataset.from_columns(columns, target=["a", "b"], response=several)
    own = Dataset.from_columns(columns, target=["a", "b"]).schema.response
    with pytest.raises(ValueError, match=r"further must be the columns \('b',\) that a response of several .* got 0"):
        own.of([1.0, 2.0])


@pytest.mark.parametrize("k", [1, 2])
def test_the_first_of_cuts_that_tie_is_taken_though_a_later_one_is_a_little_better(k):
    x, y = np.arange(40.0), np.zeros(40)
    y[0], y[-1] = -1.0, 1.0 + 1e-11
    columns = {"x": x} | {f"y{number}": y for number in range(k)}
    names = [f"y{number}" for number in range(k)]
    table = Dataset.from_columns(columns, target=names if k > 1 else "y0", response=None if k > 1 else "numbers")
    trees = [grow(table, CART.stopping(max_depth(1)), engine=engine) for engine in ("compiled", "plain")]
    assert trees[0] == trees[1]
    assert trees[0].root.split.at == 0.5
