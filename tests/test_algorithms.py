"""The one-call algorithms: each is the growth and the pruning that its docstring states."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import algorithms, prune
from ftree.criteria import cost_risk
from ftree.datasets import agrawal
from ftree.prune import cross_validated, one_standard_error, select
from ftree.responses import events
from ftree.routing import heaviest
from ftree.splitters import multiway, oblique, threshold
from ftree.stop import max_depth, max_leaves, no_gain, pure
from ftree.testing import datasets
from ftree.tree import preorder

RANDOM = np.random.default_rng(0)
CARS = ft.Dataset.from_columns({"kg": RANDOM.normal(size=200), "mpg": RANDOM.normal(size=200)}, target="mpg")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_jobs": 0}, ValueError, "n_jobs must be a whole number from 1, or -1 for all processors, got 0"),
        ({"n_jobs": "two"}, ValueError, "n_jobs must be a whole number from 1, or -1 for all processors, got 'two'"),
        ({"folds": [None] * 20}, ValueError, "folds must be a number of folds, or a fold number for each of 20 rows"),
        ({"by": list}, TypeError, "by must be a function, got the class list"),
        ({"by": lambda rows: rows}, TypeError, "<lambda> must return one of the measured trees, got a tuple"),
    ],
)
def test_cart_refuses_arguments_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        ft.cart(ft.Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10), **arguments)


def test_raising_takes_the_training_set_whose_rows_differ_much_in_weight():
    rows = [["a", 1.0], ["b", None], ["a", 3.0], ["b", 4.0], ["c", 2.0]]
    data = ft.Dataset.from_rows(rows, list("pqpqp"), weights=[0.1, 1e12, 1.0, 1e12, 1e-12])
    tree = ft.grow(data)
    assert prune.error_based(raise_with=data)(tree).schema == tree.schema


@given(datasets(min_rows=1, missing=True))
def test_id3_and_chaid_are_their_policies(dataset):
    assert ft.id3(dataset) == ft.grow(dataset, ft.ID3)
    assert ft.chaid(dataset) == ft.grow(dataset, ft.CHAID)


@given(datasets(min_rows=1, missing=True))
def test_c45_grows_and_prunes_with_raising_or_without(dataset):
    grown = ft.grow(dataset, ft.c45_policy(1))
    for raising in (True, False):
        pruning = prune.error_based(confidence=0.1, raise_with=dataset if raising else None, collapse=True)
        assert ft.c45(dataset, min_cases=1, confidence=0.1, raising=raising) == pruning(grown)


@given(datasets(min_rows=3, missing=True))
def test_cart_selects_from_the_path_of_its_policy(dataset):
    policy = evolve(ft.CART, missing="heaviest")
    path = prune.cross_validated(dataset, lambda rows: ft.grow(rows, policy), folds=3, seed=1)
    assert ft.cart(dataset, policy=policy, folds=3, seed=1, by=prune.lowest_error) == prune.select(path, by=prune.lowest_error)


@given(
    datasets(min_rows=4, max_rows=24, missing=True) | datasets(min_rows=4, max_rows=24, missing=True, response="numbers"),
    st.sampled_from([0.0, 0.01]),
    st.integers(-40, 40),
    st.data(),
)
def test_a_power_of_two_in_all_importances_changes_no_tree_of_cart(dataset, cp, power, data):
    digits = data.draw(st.lists(st.floats(-6, 3), min_size=len(dataset), max_size=len(dataset)))
    tables = [evolve(dataset, weights=10 ** np.array(digits) * unit) for unit in (1.0, 2.0**power)]
    one, other = (ft.cart(table, folds=3, cp=cp, n_jobs=1) for table in tables)
    assert [node.split for node in branches(one)] == [node.split for node in branches(other)]
    one, other = ([row.cases for row in prune.measured([tree], table)] for tree, table in zip([one, other], tables, strict=True))
    assert one == other
    assert one[0] <= len(dataset) * (1 + 1e-9)


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, ft.Branch)]


@pytest.mark.parametrize("algorithm", [ft.grow, ft.id3, ft.c45, partial(ft.cart, folds=2), ft.chaid])
def test_an_algorithm_takes_a_table_or_a_file_with_its_target(algorithm, tmp_path):
    rows = [{"size": size, "buys": buys} for size, buys in [("s", "no"), ("m", "yes"), ("s", "no"), ("l", "yes")] * 5]
    columns = {name: [row[name] for row in rows] for name in ("size", "buys")}
    path = tmp_path / "people.csv"
    path.write_text("".join(f"{size},{buys}\n" for size, buys in [columns, *map(dict.values, rows)]))
    expected = algorithm(ft.Dataset.from_columns(columns, target="buys"))
    for table in (columns, rows, path, str(path)):
        assert algorithm(table, target="buys") == expected
        with pytest.raises(TypeError, match=r"^dataset must be a Dataset, got a .*\. For a table, .* give target="):
            algorithm(table)
    with pytest.raises(TypeError, match=r"^target must be given for a table .* a Dataset, which has the target 'buys'"):
        algorithm(ft.Dataset.from_columns(columns, target="buys"), target="size")


def test_raising_takes_no_other_data():
    data = ft.Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    for wrong, shown in [(data, "a Dataset"), ("yes", "'yes'"), (1, "1")]:
        with pytest.raises(TypeError, match=f"raising must be True or False, got {shown}. Raising always uses the data"):
            ft.c45(data, raising=wrong)


def test_cases_fewer_than_none_and_folds_that_are_no_number_are_refused():
    data = ft.Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    for wrong in (-1, "2", tuple):
        with pytest.raises((ValueError, TypeError), match="min_cases"):
            ft.c45(data, min_cases=wrong)
    for folds in (1, 3, "2"):
        with pytest.raises(ValueError, match="folds must be a whole number from 2 to"):
            ft.cart(data, folds=folds)


def noisy(seed, n=80):
    """Three features with nine values; the first is informative about two classes."""
    random = np.random.default_rng(seed)
    cells = random.integers(0, 9, (n, 3)).astype(float)
    labels = np.where(random.random(n) < 0.7, random.integers(0, 2, n), (cells[:, 0] > 4) * 1)
    return ft.Dataset.from_columns({"a": cells[:, 0], "b": cells[:, 1], "c": cells[:, 2], "label": labels}, target="label")


def test_c45_raises_subtrees_and_asks_for_two_cases_unless_told_otherwise():
    data = noisy(2)
    grown = ft.grow(data, ft.C45)
    raised, cut = (prune.error_based(raise_with=each, collapse=True)(grown) for each in (data, None))
    assert raised != cut
    assert ft.c45(data) == ft.c45(data, raising=True, min_cases=2, confidence=0.25) == raised
    assert ft.c45(data, raising=False) == cut
    assert ft.c45(data, confidence=0.1) != raised != ft.c45(data, min_cases=1)


@pytest.mark.parametrize(
    "given", [{"priors": (0.9, 0.1)}, {"costs": ((0, 1), (5, 0))}, {"priors": (0.5, 0.5), "costs": ((0, 2), (1, 0))}]
)
def test_cart_prunes_by_mean_cost_where_its_policy_has_priors_or_costs_and_chooses_another_tree(given):
    random = np.random.default_rng(1)
    cells = random.normal(size=(80, 2))
    labels = np.where(cells[:, 0] + random.normal(size=80) > 0.5, "yes", "no")
    data = ft.Dataset.from_columns({"a": cells[:, 0].round(1), "b": cells[:, 1].round(1), "y": labels}, target="y")
    policy, risk = evolve(ft.CART, **given), cost_risk(data.class_counts(), **given)
    by_cost, by_errors = (
        prune.cross_validated(data, partial(ft.grow, policy=policy), risk=each, folds=4) for each in (risk, ft.misclassification)
    )
    assert (
        ft.cart(data, policy=policy, folds=4)
        == select(by_cost, by=one_standard_error)
        != select(by_errors, by=one_standard_error)
    )
    assert all(row.deviation is not None for row in by_cost)


def test_parts_of_a_policy_become_values_that_compare():
    policy = ft.Policy(missing="heaviest", splits=[threshold()], priors=[0.5, 0.5], costs=[[0, 1], [2, 0]])
    assert (policy.missing, policy.splits) == (heaviest(), (threshold(),))
    assert hash(policy) == hash(evolve(policy))
    assert (policy.priors, policy.costs) == ((0.5, 0.5), ((0.0, 1.0), (2.0, 0.0)))
    assert ft.Policy(stop=max_depth(1)).stop == max_depth(1)
    assert ft.Policy(splits=[multiway(), oblique()]).splits == (multiway(), oblique()), (
        "a splitter of one feature, and one of several"
    )


@given(st.sampled_from(["classes", "numbers", "events"]), st.data())
def test_growth_that_stops_where_cp_would_cut_gives_the_tree_and_the_table_of_growth_to_the_end(response, draw):
    data = draw.draw(datasets(min_rows=4, max_rows=40, missing=True, weighted=True, response=response))
    stop = draw.draw(st.sampled_from([pure() | no_gain(), pure() | no_gain() | max_leaves(3)]))
    policy, cp = evolve(ft.CART, stop=stop), draw.draw(st.sampled_from([0.001, 0.03, 0.3, 2.0, np.inf]))
    grown_out = cross_validated(data, partial(ft.grow, policy=policy), cp=cp, folds=4)
    learner = partial(algorithms._grown_to_risk, policy, algorithms._least_risk(data, policy, cp))
    stopped = cross_validated(data, learner, cp=cp, folds=4)
    assert [row.error for row in stopped] == pytest.approx([row.error for row in grown_out], rel=1e-12)
    assert [row.tree for row in stopped] == [row.tree for row in grown_out]
    assert ft.cart(data, policy=policy, cp=cp, folds=4) == select(grown_out, by=one_standard_error)


TABLES = {
    "classes": agrawal(200, function=2, seed=3, noise=0.2),
    "numbers": CARS,
    "events": ft.Dataset.from_columns({"kg": CARS.columns[0], "n": RANDOM.poisson(2, 200)}, target="n", response=events()),
}


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_no_branch_grows_below_the_risk_that_cp_cuts(data):
    grown = algorithms._grown_to_risk(ft.CART, algorithms._least_risk(data, ft.CART, 0.3), data)
    assert ft.n_leaves(grown) < ft.n_leaves(ft.grow(data, ft.CART)) / 5


@pytest.mark.parametrize("least", range(1, 6))
def test_a_node_with_just_the_risk_that_cp_cuts_is_left_to_pruning(least):
    """Its errors are cp times those of the root, a product that is rounded."""
    for errors in range(2 * least, 40):
        sizes = [(0, 0, 50), (0, 1, least), (1, 0, errors - least)]  # all but the first are of the other class
        rows = [(x, z) for x, z, n in sizes for _ in range(n)]
        data = ft.Dataset.from_rows(rows, [x or z for x, z in rows])
        grown = algorithms._grown_to_risk(ft.CART, algorithms._least_risk(data, ft.CART, least / errors), data)
        assert ft.accuracy(grown, data) == 1


def test_priors_and_costs_are_grown_to_the_end_whatever_cp():
    data = agrawal(300, function=2, seed=3, noise=0.2)
    policy = evolve(ft.CART, priors=(0.3, 0.7))
    risk = cost_risk(data.class_counts(), priors=policy.priors)
    assert ft.cart(data, policy=policy, cp=0.05, folds=3) == select(
        cross_validated(data, partial(ft.grow, policy=policy), risk=risk, cp=0.05, folds=3), by=one_standard_error
    )


def test_a_branch_of_few_but_costly_errors_is_grown_whatever_cp():
    rows = [["b", "a"]] * 81 + [["b", "b"]] * 8 + [["a", "a"]] * 11
    data = ft.Dataset.from_rows(rows, ["no"] * 85 + ["yes"] * 15)
    costly = evolve(ft.CART, costs=((0, 1), (20, 0)))
    assert ft.n_leaves(ft.cart(data, policy=ft.CART, cp=0.4, folds=5)) == 2, (
        "four errors more are less than 0.4 of the root's fifteen"
    )
    assert ft.n_leaves(ft.cart(data, policy=costly, cp=0.4, folds=5)) == 3, "85 cases that cost one each, or four"
