"""One descent of the rows gives the losses of all trees of a path that single descents give."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, gini, grow, misclassification, prune, recount
from ftree.criteria import cost_risk
from ftree.prune.path_losses import loss, path_losses
from ftree.responses import events as numbers_of_events
from ftree.show import NoneOf, OneOf
from ftree.testing import chain, datasets, trees

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd")], "label", ("no", "maybe", "yes")
)
COSTS = [[0, 1, 4], [2, 0, 1], [3, 1, 0]]
ROWS = datasets(schema=SCHEMA, missing=True, weighted=True)
RISKS = {
    "errors": lambda _: misclassification,
    "gini": lambda _: gini,
    "costs": lambda tree: cost_risk(tree.root.counts, costs=COSTS),
    "priors": lambda tree: cost_risk(tree.root.counts, priors=(0.2, 0.5, 0.3)),
}


@pytest.mark.parametrize("risk_of", RISKS.values(), ids=RISKS)
@given(trees(schema=SCHEMA), ROWS, ROWS)
def test_in_one_descent_each_tree_of_the_path_loses_what_it_loses_alone(risk_of, tree, train, test):
    tree = recount(tree, train)
    assume(all(tree.root.counts))
    risk = risk_of(tree)
    steps = list(prune.cost_complexity_path(tree, risk=risk))
    alphas, losses = path_losses(tree, test, risk)
    assert alphas == [step.alpha for step in steps]
    np.testing.assert_allclose(losses, [loss(step.tree, test, risk) for step in steps], atol=1e-9)


@given(st.permutations(["no", "yes", "other"]))
def test_classes_are_matched_by_name_and_those_that_the_tree_lacks_are_errors(classes):
    train = Dataset.from_rows([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    test = Dataset.from_rows([["a"], ["b"], ["b"]], ["other", "yes", "no"], classes=classes)
    tree = grow(train, CART)
    for losses, step in zip(path_losses(tree, test, misclassification)[1], prune.cost_complexity_path(tree), strict=True):
        assert losses.tolist() == pytest.approx(loss(step.tree, test, misclassification))


class AsksUnseen:
    """Code 0 and missing values are at child 0, other codes and values that no code stands for at child 1."""

    features, n_children, conditions = (0,), 2, (OneOf(0, (0,)), NoneOf(0, (0,)))
    child = staticmethod(lambda column: np.maximum(column, 0))
    child_of_unseen = staticmethod(lambda values: [1] * len(values))


@pytest.mark.filterwarnings("error")
def test_a_split_answers_for_values_that_the_tree_never_saw():
    schema = Schema([Feature("word", "nominal", "ab")], "class", ("no", "yes"))
    tree = Tree(schema, Branch((1, 1), AsksUnseen(), [Leaf((1, 0)), Leaf((0, 1))]))
    data = Dataset.from_rows([["c"], [None], ["a"], ["d"]], ["yes", "no", "no", "yes"], features=["word"])
    assert path_losses(tree, data, misclassification)[1].tolist() == [[0, 0], [2, 2]]


def test_a_chain_two_thousand_deep_is_measured_in_one_descent():
    tree = chain(2_000)
    rows = np.arange(2_000.0)
    data = Dataset(tree.schema, [rows], (rows % 2).astype(int))
    alphas, losses = path_losses(tree, data, misclassification)
    assert alphas[0] == 0
    assert losses[[0, -1], 0].tolist() == [0, 1_000]


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=9))
def test_rows_without_weight_lose_nothing_even_where_a_rate_is_zero(rows):
    def calls(rows):
        x, n, weight = zip(*rows, strict=True)
        return Dataset.from_columns({"x": x, "n": n, "w": weight}, target="n", weights="w", response=numbers_of_events(shrink=0))

    assume(any(weight for *_, weight in rows))
    tree, some = grow(calls([(0.0, 0, 1), (1.0, 0, 1), (2.0, 3, 1), (3.0, 4, 1)]), CART), [row for row in rows if row[2]]
    for measure in (lambda test: path_losses(tree, test, misclassification)[1], lambda test: loss(tree, test, misclassification)):
        assert np.array_equal(measure(calls(rows)), measure(calls(some)))


@pytest.mark.parametrize("target", [["no", "yes", "yes", "no"], [1.0, 2.0, 2.0, 0.0]])
def test_a_fold_without_weight_adds_no_loss_and_a_test_set_without_weight_is_refused(target):
    columns = {"word": ["a", "b", "b", "c"] * 2, "t": target * 2, "w": [1] * 4 + [0] * 4}
    every = Dataset.from_columns(columns, target="t", weights="w")
    tree, weightless = grow(every, CART), every.take(np.arange(4, 8))
    assert not path_losses(tree, weightless, misclassification)[1].any()
    learner = partial(grow, policy=CART)
    assert prune.cross_validated(every, learner, folds=[0, 0, 1, 1, 2, 2, 2, 2])
    with pytest.raises(ValueError, match="row with a weight above 0, got 4 rows"):
        prune.measured(prune.cost_complexity_path(tree), weightless)


def test_a_rate_of_zero_loses_infinitely_on_an_event_and_a_larger_tree_is_left_out():
    def calls(events):
        columns = {"x": [0.0, 0.0, 1.0, 1.0], "n": events}
        return Dataset.from_columns(columns, target="n", response=numbers_of_events(shrink=0))

    tree, test = grow(calls([0, 0, 3, 4]), CART), calls([1, 0, 3, 4])
    alphas, losses = path_losses(tree, test, misclassification)
    assert len(alphas) == 2
    assert losses[0].tolist() == [np.inf, np.inf]
    assert np.isfinite(losses[1]).all()
    chosen = prune.measured(prune.cost_complexity_path(tree), test)
    assert prune.one_standard_error(chosen).leaves == prune.lowest_error(chosen).leaves == 1
    assert prune.one_standard_error(chosen[:1]).leaves == 2
