"""What holds for trees of any response: engines, orders of rows and units of weights change nothing, and readers know them."""

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve
from published_form import written_and_read

from ftree import (
    CART,
    Dataset,
    draw,
    explain_row,
    grow,
    misclassification,
    page,
    path_of,
    predict,
    prune,
    recount,
    responses,
    shap_values,
    study,
    text,
)
from ftree import missing as rules
from ftree.data.coding import decode
from ftree.explain import scores
from ftree.explain.nearest_leaf import Region, nearest_value
from ftree.growth import by_definition
from ftree.lesson import growth_steps
from ftree.prune.path_losses import loss, path_losses
from ftree.responses import effect, events, linear, policy, quantiles, several, survival
from ftree.show import OneOf
from ftree.stop import max_depth
from ftree.tree import Branch, exact_sums, preorder

RESPONSES = {
    "effect": effect("arm", "y"),
    "honest effect": effect("arm", "y", "honest"),
    "events": events("years", shrink=0),
    "linear": linear(["z", "y"]),
    "linear by means": linear("z", splits="means"),
    "policy": policy(["y", "z"]),
    "quantiles": quantiles([0.25, 0.5]),
    "quantiles by means": quantiles(0.5, splits="means"),
    "several": several(["y", "z"]),
    "survival": survival("weeks", "arm", shrink=0),
    "survival by scores": survival("weeks", "arm", splits="scores", shrink=0),
    "log-rank": survival("weeks", "arm", splits="log-rank"),
}
TARGETS = {"events": "n", "linear": "weeks", "linear by means": "y", "quantiles": "y", "quantiles by means": "y"}
ANY, SEEDS = pytest.mark.parametrize("name", RESPONSES), pytest.mark.parametrize("seed", range(4))


def table_of(name, seed=0):
    """Rows with gaps in the features of nodes, numbers with few digits, and weights from 1 to 3."""
    random, n = np.random.default_rng(seed), 50
    x, arm = random.normal(size=n).round(1), random.integers(0, 2, n)
    columns = {"x": np.where(random.random(n) < 0.1, np.nan, x), "g": random.choice([*"abc", None], n)}
    columns |= {"arm": arm, "y": (x + arm * (x > 0) + random.normal(size=n)).round(2), "z": random.normal(size=n).round(1)}
    columns |= {"n": random.poisson(2, n), "weeks": random.integers(1, 30, n) / 2, "years": random.integers(1, 4, n) / 2}
    own = RESPONSES[name]
    reads = {"x", "g", TARGETS.get(name), getattr(own, "target", None), *getattr(own, "further_targets", ())}
    columns = {key: column for key, column in columns.items() if key in reads}
    target = {"target": TARGETS[name]} if name in TARGETS else {}
    return Dataset.from_columns(columns, kinds={"g": "nominal"}, weights=random.integers(1, 4, n), response=own, **target)


GROWN = evolve(CART, missing="heaviest").stopping(max_depth(3))


def test_every_response_is_tried():
    public = {getattr(responses, name) for name in dir(responses)}
    tried = set(map(type, RESPONSES.values()))
    assert tried == {one for one in public if hasattr(one, "channels")}, "Add it to RESPONSES, and its form to ftree.schema.json"


@ANY
@SEEDS
def test_neither_order_nor_engine_change_a_tree_and_its_rows_give_it_back(name, seed):
    table = table_of(name, seed)
    tree, rows = grow(table, GROWN), np.random.default_rng(seed).permutation(len(table))
    assert grow(table.take(rows), GROWN) == tree == grow(table, GROWN, engine="plain") == grow(table, GROWN, engine="compiled")
    assert recount(tree, table, missing="heaviest") == tree


@ANY
@SEEDS
def test_the_definition_scores_and_steps_tell_of_the_tree_that_grows(name, seed):
    """Also where it grows by another response than that of its answers, as trees of linear models do by means."""
    table = table_of(name, seed)
    tree, stump = grow(table, GROWN), grow(table, GROWN.stopping(max_depth(1)))
    assert by_definition(table, GROWN) == tree
    assert by_definition(table, GROWN, start=stump) == grow(table, GROWN, start=stump)
    assert scores(table, GROWN).rows[0].split == tree.root.split
    *_, last = growth_steps(table, GROWN)
    assert last.tree == tree
    first = growth_steps(table, GROWN)[0].nodes[0]
    assert repr(first.scores) == repr(scores(table, GROWN))


@pytest.mark.parametrize("name", [each for each in RESPONSES if each not in ("log-rank", "honest effect")])
@SEEDS
def test_weights_of_another_unit_change_no_split_and_no_answer(name, seed):
    """But for a statistic and standard errors, which depend on the number of cases."""
    factor = (4, 0.25)[seed % 2]
    table, own = table_of(name, seed), RESPONSES[name]
    scaled = evolve(own, min_cases=factor * own.min_cases) if name == "effect" else own
    weighed = evolve(table, weights=table.weights * factor, schema=evolve(table.schema, response=with_own(table, scaled)))
    tree, twin = grow(table, GROWN), grow(weighed, GROWN)
    assert [node.split for node in branches(twin)] == [node.split for node in branches(tree)]
    answers = [np.asarray(predict(each, table)) for each in (tree, twin)]
    assert name == "effect" or answers[0].tolist() == answers[1].tolist()


def with_own(table, own):
    return exact_sums(own).of(table.target_column, *table.further_targets)


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, Branch)]


@ANY
def test_its_trees_are_saved_and_their_answers_stand_in_every_picture(name):
    tree = grow(table_of(name), GROWN)
    assert written_and_read(tree) == pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree  # noqa: S301  # made here
    answer = tree.schema.response.text(tree.schema.response.answer(tree.root.children[0].counts))
    assert len(text(tree).splitlines()) >= 2
    assert str(answer) in page(tree).text
    assert "<svg" in draw(tree, leaf_charts=True).text


def rows_of(table):
    """The rows by the names of the features, without the target."""
    columns = {
        feature.name: decode(feature, column) for feature, column in zip(table.schema.features, table.columns, strict=True)
    }
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def as_answered(answers):
    """The answers of rows as Python values: numbers, labels, or tuples of numbers."""
    return [tuple(each) if isinstance(each, list) else each for each in np.asarray(answers).tolist()]


@ANY
@pytest.mark.parametrize(
    ("rule", "is_empty"),
    [("heaviest", False), ("stop_here", False), ("weighted", False), ("weighted", True), ("all_routes", False)],
)
def test_a_row_has_one_answer_whatever_answers_it(name, rule, is_empty):
    """A row by itself, among others, in a frame and in a stream; its path and its explanation; a forest of its tree alone."""
    tree, table = evolve(grow(table_of(name), GROWN), missing=getattr(rules, rule)()), table_of(name, 9)
    tree = recount(tree, table.take([])) if is_empty else tree
    rows = rows_of(table)
    frame = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    answers = as_answered(predict(tree, table))
    for given in (rows, frame, frame.to_reader()):
        found = predict(tree, given)
        columns = np.transpose(found.columns) if isinstance(found, pa.Table) else found
        assert as_answered(columns) == answers
    assert as_answered(study.Forest([tree])(table)) == answers
    for row, answer in zip(rows, answers, strict=True):
        assert as_answered([predict(tree, row)]) == [path_of(tree, row).label] == [explain_row(tree, row).label] == [answer]


@ANY
def test_the_other_answer_of_an_explained_row_is_that_of_the_changed_row(name):
    tree, table = grow(table_of(name), GROWN), table_of(name, 9)
    features = {feature.name: feature for feature in table.schema.features}

    def value_of(change):
        if isinstance(change.condition, OneOf):
            return change.condition.values[0]
        return nearest_value(
            Region(change.condition, missing=False),
            features[change.feature],
            np.nan if change.value is None else change.value,
        )

    explained = [(row, found) for row in rows_of(table) if (found := explain_row(tree, row)).other is not None]
    assert explained
    for row, found in explained:
        changed = row | {change.feature: value_of(change) for change in found.other.changes}
        assert as_answered([predict(tree, changed)]) == [found.other.label] != [found.label]


@ANY
def test_rows_are_predicted_by_trees_that_have_not_seen_them(name):
    table, folds = table_of(name), np.arange(50) % 2
    found = prune.cross_predicted(table, lambda rows: grow(rows, GROWN), folds=folds)
    assert found.dtype == (object if name == "policy" else np.float64)
    for fold in (0, 1):
        path = tuple(prune.cost_complexity_path(grow(table.take(folds != fold), GROWN)))
        ends = [path[0], path[-1]] if found.shape[1] > 1 else [path[-1]]  # an only tree is best for every price of a leaf
        for column, step in zip((0, -1), ends, strict=False):
            assert found[folds == fold, column].tolist() == predict(step.tree, table.take(folds == fold)).tolist()


class Mean:
    """An estimator that predicts the weighted mean, and keeps what it was fitted to."""

    def fit(self, _, y, sample_weight=None):
        self.seen = np.array(y), None if sample_weight is None else np.array(sample_weight)
        self.mean = np.average(y, weights=sample_weight)
        return self

    def predict(self, rows):
        return np.full(len(rows), self.mean)


@ANY
def test_an_estimator_is_fitted_to_the_number_of_each_row_or_refused(name):
    """Not to arms, rewards or regressors as weights, which stand where events have their exposure."""
    table = table_of(name)
    if name in ("events", "linear", "linear by means", "quantiles", "quantiles by means"):
        y, weights = study.learn(Mean(), table).estimator.seen
        exposure = table.further_targets[0] if name == "events" else 1.0
        assert (y * exposure).tolist() == pytest.approx(table.target_column.tolist())
        assert weights.tolist() == (table.weights * exposure).tolist()
    else:
        with pytest.raises(ValueError, match="dataset must have rows with one label or number each for an estimator, got "):
            study.learn(Mean(), table)


@ANY
def test_a_curve_is_drawn_of_numbers_alone(name):
    """Rows of any response stand below it, though events need a time after 0, and arms a label."""
    tree = grow(table := table_of(name), GROWN)
    if np.ndim(predict(tree, table)) == 1 and name != "policy":
        assert study.plot_boundary(tree, table, features=["x"], cells=3).get_xlabel() == "x"
    else:
        with pytest.raises(
            ValueError, match=f"tree must answer with a class or a number, got one of {table.schema.response.kind}"
        ):
            study.plot_boundary(tree, table, features=["x"], cells=3)


@ANY
def test_shapley_values_add_up_to_numbers_and_are_refused_of_other_answers(name):
    tree, table = grow(table_of(name), GROWN), table_of(name, 9)
    if name in ("policy", "linear", "linear by means"):
        with pytest.raises(ValueError, match="tree must have leaves that answer with numbers, got one of "):
            shap_values(tree, table)
    else:
        found, predicted = shap_values(tree, table), predict(tree, table)
        assert found.base + found.values.sum(axis=1) == pytest.approx(predicted, abs=1e-9)
        assert found.classes == (tree.schema.response.own.names() if predicted.ndim > 1 else ())


@ANY
def test_errors_of_answers_are_those_of_one_number_or_of_several_and_refused_of_others(name):
    table = table_of(name)
    tree, forest = grow(table, GROWN), study.random_forest(table, n_trees=3)
    is_number = np.ndim(predict(tree, table)) == 1 and name != "policy"
    if is_number:
        assert study.metrics.rmse(study.Predictions(tree, table)) > 0
    else:
        with pytest.raises(ValueError, match=r"rmse must be given predictions of one number, got those of .*\. Use deviance"):
            study.metrics.rmse(study.Predictions(tree, table))
    if is_number or name == "several":
        assert forest.out_of_bag(table).error > 0
        assert forest.out_of_bag(table).r_squared < 1
    else:
        with pytest.raises(ValueError, match="dataset must have rows with one answer each to count errors, got "):
            forest.out_of_bag(table)


@ANY
@SEEDS
@pytest.mark.parametrize("missing", ["heaviest", "all_routes"])
def test_the_trees_of_a_path_lose_on_rows_what_their_answers_lose(name, seed, missing):
    """One descent for all trees, and one for each of them, which rows without an answer need."""
    tree, test = evolve(grow(table_of(name, seed), GROWN), missing=getattr(rules, missing)()), table_of(name, seed + 9)
    path = list(prune.cost_complexity_path(tree))
    one_by_one = [loss(step.tree, test, misclassification) for step in path]
    together = path_losses(tree, test, misclassification)[1]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-6, atol=1e-6)
    errors = [step.error for step in prune.measured(path, test)]
    assert errors == pytest.approx([lost / test.n_cases for lost, _ in one_by_one])
    if name in ("linear", "linear by means"):  # what they lose is the squared error of what they predict
        squared = [(predict(step.tree, test) - test.target_column) ** 2 for step in path]
        assert errors == pytest.approx([np.average(each, weights=test.weights) for each in squared])
