"""The search among all cuts finds the least cost of all trees, as the plain search does; a stop leaves a bound that holds."""

from time import perf_counter

import numpy as np
import plain_sorted_trees
import pytest
from attrs import evolve
from drawn_problems import BINARY, objectives, problem_for, tables, task_for, twice_the_least
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from plain_sorted_trees import Cuts, PlainSearch

from ftree import Dataset, Leaf, depth, n_leaves, native, optimal, recount
from ftree.exact import Limits, bayes, class_bits, quantile_cuts, tree_cost
from ftree.exact.cuts.all_cuts import (
    _with_fewest_leaves,
    best_of_all_cuts,
    empty_plan,
    first_cut,
    known_before,
    plan_begin,
    prepared_call,
    single_leaf,
)
from ftree.exact.cuts.ranked_table import ranked_table
from ftree.exact.every_tree import best_by_definition
from ftree.exact.listed.problem import tree_of
from ftree.exact.listed.ranked_trees import best_listed
from ftree.exact.rounding import BITS
from ftree.splitters import multiway, one_value, threshold
from ftree.tree import preorder

pytestmark = pytest.mark.skipif(not native.is_here(), reason="the native library searches")
WITHOUT_END = {"report": str, "deadline": np.inf, "max_states": np.inf}
OBSERVED = threshold(at="observed")


def columns_for(table, splitters=BINARY, fewest=-1, **options):
    """The columns of a table, however few its cuts are."""
    return ranked_table(task_for(table, splitters, **options), fewest=fewest)


def best_tree_of(columns, deepest, **options):
    """The tree and what the search says of it."""
    leaf = single_leaf(columns)
    found = best_of_all_cuts(columns, deepest, tree_cost(leaf, **options), **WITHOUT_END)
    return found.tree or leaf, found


@st.composite
def numbers(draw, *, most=40):
    """A table of three columns of numbers, of two to five classes, with repeated or missing values."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, values, n_classes = draw(st.integers(2, most)), draw(st.sampled_from([3, 12, 1000])), draw(st.sampled_from([2, 2, 3, 5]))
    columns = {f"x{i}": random.integers(0, values, n).astype(float) for i in range(3)}
    for column in columns.values():
        column[random.random(n) < draw(st.sampled_from([0.0, 0.0, 0.1]))] = np.nan
    signal = np.nan_to_num(columns["x0"]) * n_classes // values
    labels = np.where(random.random(n) < draw(st.sampled_from([0.2, 0.9])), random.integers(0, n_classes, n), signal)
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.random(n) + 0.1, random.integers(1, 4, n) + 2**30]))
    kinds, classes = dict.fromkeys(columns, "numeric"), list("pqrst")[:n_classes]
    given = {**columns, "class": [classes[int(each)] for each in labels]}
    return Dataset.from_columns(given, target="class", kinds=kinds, classes=classes, weights=weights)


@given(tables(), st.data())
@settings(max_examples=60)  # the plain twin looks at every tree
def test_the_least_cost_is_that_of_looking_at_every_tree(table, data):
    options = {
        "objective": data.draw(st.sampled_from(objectives(table)[:4])),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        "feature_costs": data.draw(st.sampled_from([None, {"x": 0.03}])),
    }
    splitters = data.draw(st.sampled_from([BINARY, (threshold(),), (one_value(), quantile_cuts(1)), (OBSERVED,)]))
    deepest = data.draw(st.integers(0, 4))
    columns = columns_for(table, splitters, **options)
    assume(columns is not None)
    problem = problem_for(table, splitters, **options)
    least = tree_cost(tree_of(problem, best_by_definition(problem, deepest)[1]), **options)
    tree, found = best_tree_of(columns, deepest, **options)
    assert found.proved
    assert depth(tree) <= deepest
    counted = [pytest.approx(node.counts) for node in preorder(recount(tree, table).root)]
    assert [node.counts for node in preorder(tree.root)] == counted
    # Fractional weights times a prior are rounded, so that sums are exact.
    assert tree_cost(tree, **options) == pytest.approx(least, rel=1e-5, abs=1e-9)
    assert found.bound == pytest.approx(least, rel=1e-5, abs=1e-9)


def test_a_first_tree_that_costs_whole_units_but_for_rounding_is_proved_to_cost_them():
    weights = [float.fromhex("0x1.10a22da74cb7ap+0"), float.fromhex("0x1.56b3fca5d2d42p-1")]
    table = Dataset.from_columns({"x": [3.0, 0.0], "class": ["q", "p"]}, kinds={"x": "numeric"}, weights=weights)
    options = {"objective": bayes((0.5, 0.5))}
    tree, found = best_tree_of(columns_for(table, (threshold(),), **options), 0, **options)
    assert n_leaves(tree) == 1
    assert found.bound == pytest.approx(tree_cost(tree, **options), rel=1e-12) == pytest.approx(0.867158293050184, rel=1e-12)


def tree_of_plan(plan, depth):
    """A plan of C as nested tuples."""
    cut = first_cut(plan, depth)
    return cut and (*cut[:2], *(tree_of_plan(side, depth - 1) for side in cut[2:]))


def takes_the_steps_of_the_plain_search(columns, deepest, upper, cuts=0, states=np.inf):
    known, plan = known_before(upper, states), empty_plan(deepest)
    found = prepared_call(columns, deepest, np.zeros(1, np.int64), known)(cuts, plan)
    plain = PlainSearch(columns, deepest, upper, cuts, states)
    tree, is_found, is_ended = plain.run()
    cost, bound, n_states, most_states = known[0].item()
    assert (bool(found), n_states <= most_states) == (is_found, is_ended)
    assert (plain.cost, plain.bound, plain.states, states) == (cost, bound, n_states, most_states)
    if is_found:
        assert tree_of_plan(plan[plan_begin(deepest) :], deepest) == tree


@given(numbers(most=24), st.integers(0, 4), st.sampled_from([0, 3]), st.data())
@settings(max_examples=100)  # the plain search is slow
def test_it_takes_the_steps_of_the_search_in_plain_python(table, deepest, cuts, data):
    penalty, states, part = (
        data.draw(st.sampled_from(each)) for each in ([0.0, 0.02], [2.0, 9.0, 40.0, np.inf], [0.7, 1.0, 2.0])
    )
    columns = columns_for(table, leaf_penalty=penalty, feature_costs=data.draw(st.sampled_from([None, {"x1": 0.02}])))
    assume(columns is not None)
    upper = part * tree_cost(single_leaf(columns), leaf_penalty=penalty)
    takes_the_steps_of_the_plain_search(columns, deepest, upper, cuts, states)


def test_cuts_are_solved_as_the_page_on_sorted_trees_has_it(monkeypatch):
    steps = []

    class Recorded(Cuts):
        def raise_bounds(self, cut, costs):
            super().raise_bounds(cut, costs)
            steps.append((cut + 1, [*costs], self.costs.tolist()))

    monkeypatch.setattr(plain_sorted_trees, "Cuts", Recorded)
    table = Dataset.from_rows([[float(value)] for value in range(1, 13)], list("ppppqqqpppqq"), kinds="numeric")
    assert PlainSearch(columns_for(table), 2, 5.0).run()[0] == (0, 6, (0, 3, None, None), (0, 9, None, None))
    assert steps[0] == (6, [0, 1], [1] * 6 + [0] * 5)
    assert steps[1] == (9, [2, 0], [1] * 6 + [0, 1, 2, 2, 2])
    assert [step[:2] for step in steps[2:]] == [(7, [0, 0])]


def test_a_bound_by_column_allows_for_the_leaves_that_a_cut_needs_which_divides_only_similar_rows():
    rows = [[0, 1, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 0, 0]]
    columns = columns_for(Dataset.from_rows(rows, list("pqpqqqqp"), kinds="numeric"), leaf_penalty=0.15)
    takes_the_steps_of_the_plain_search(columns, 3, 10.0)


# Kept bounds are of rows that a column does not divide, though it divides others.
EIGHT = [[2, 1, 1], [1, 0, 1], [1, 2, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0], [1, 2, 1], [1, 1, 0]]


@given(numbers(most=70), st.sampled_from([0.0, 0.02]), st.integers(1, 4), st.sampled_from([None, {"x1": 0.02}]))
@example(Dataset.from_rows(EIGHT, list("rrsqprsp"), kinds="numeric"), 0.0, 3, None)
@settings(max_examples=60)  # a search each
def test_the_least_cost_is_that_of_the_search_among_listed_splits(table, penalty, deepest, prices):
    table = table.head(20 if deepest > 3 else 70)  # four levels of 70 rows may take minutes
    options = {"leaf_penalty": penalty, "feature_costs": prices}
    columns = columns_for(table, **options)
    assume(columns is not None)
    tree, found = best_tree_of(columns, deepest, **options)
    listed = best_listed(problem_for(table, **options), deepest, np.inf)
    assert found.proved
    assert tree_cost(tree, **options) == pytest.approx(tree_cost(listed.tree, **options), rel=1e-6, abs=1e-9)
    counts = [node.counts for node in preorder(tree)]
    assert all(any(each) for each in counts)


@given(numbers().filter(lambda table: table.weights is None), st.integers(1, 4))
@settings(max_examples=40)  # two searches each
def test_a_tree_has_no_more_leaves_than_its_cost_needs(table, deepest):
    columns = columns_for(table)
    assume(columns is not None)
    tree = best_tree_of(columns, deepest)[0]
    least = best_listed(problem_for(table, leaf_penalty=0.01 / table.n_cases), deepest, np.inf).tree
    assert tree_cost(tree) == pytest.approx(tree_cost(least), rel=1e-9)
    assert n_leaves(tree) == n_leaves(least)


@given(numbers(), st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=30)  # two searches each
def test_rows_in_another_order_and_copies_in_place_of_weights_have_the_same_tree(table, random, deepest):
    assume(columns_for(table) is not None)
    order = list(range(len(table)))
    random.shuffle(order)
    tree = best_tree_of(columns_for(table), deepest)[0]
    assert best_tree_of(columns_for(table.take(np.array(order))), deepest)[0] == tree
    times = np.arange(len(table)) % 3 + 1
    copies, weighted = evolve(table, weights=None).take(np.repeat(np.arange(len(table)), times)), evolve(table, weights=times)
    assert best_tree_of(columns_for(weighted), deepest)[0] == best_tree_of(columns_for(copies), deepest)[0]


@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 7, 10, 20]), st.sampled_from([0.0, 0.02]), st.sampled_from([8, 10]))
@settings(max_examples=60)  # few sums are as close as rounding
def test_fractional_weights_have_the_tree_of_whole_ones_however_deep(seed, deepest, penalty, part):
    random = np.random.default_rng(seed)
    n, times = int(random.integers(8, 14)), random.integers(1, 20, 14)
    table = Dataset.from_rows(random.integers(0, 2, (n, 3)), random.choice(list("pq"), n), kinds="numeric")
    whole, parts = (columns_for(evolve(table, weights=each[:n]), leaf_penalty=penalty) for each in (times, times / part))
    tree, found = best_tree_of(whole, deepest, leaf_penalty=penalty)
    same = best_of_all_cuts(parts, deepest, found.bound + 1, **WITHOUT_END | {"deadline": perf_counter() + 9})
    assert same.proved, "a search whose bounds do not rise never ends"
    assert part * same.bound == pytest.approx(found.bound, rel=1e-6)
    if part == 8:  # tenths are rounded, so that trees of equal cost may differ in it
        assert n_leaves(same.tree) == n_leaves(tree)


@given(numbers(), st.integers(1, 60), st.integers(2, 4), st.sampled_from([0.0, 0.02]))
@settings(max_examples=40)  # two searches each
def test_wherever_it_stops_the_bound_is_below_the_optimum_and_the_cost_above(table, states, deepest, penalty):
    columns = columns_for(table, leaf_penalty=penalty)
    assume(columns is not None)
    known = tree_cost(single_leaf(columns), leaf_penalty=penalty)
    least = tree_cost(best_tree_of(columns, deepest, leaf_penalty=penalty)[0], leaf_penalty=penalty)
    found = best_of_all_cuts(columns, deepest, 2 * known + 1, **WITHOUT_END | {"max_states": states})
    cost = tree_cost(found.tree or single_leaf(columns), leaf_penalty=penalty)
    assert found.bound <= least * (1 + 1e-9)
    assert least <= cost * (1 + 1e-9)
    assert found.proved == (found.bound >= cost * (1 - 1e-12)), "sums of weights near 2**30 may differ by one"
    assert found.states <= states + deepest


@pytest.mark.parametrize("depth", [1, 4])
def test_errors_and_penalties_of_equal_trees_have_the_bits_of_all_sums(depth):
    table = Dataset.from_rows([[1.0], [2.0], [3.0]], ["p", "q", "p"], kinds="numeric", weights=[2**48 + 1, 2**47, 2**47])
    problem = _with_fewest_leaves(columns_for(table), depth)
    assert problem.amounts.sum() * problem.unit / problem.penalty <= 2**BITS


RANDOM = np.random.default_rng(3)
MANY = Dataset.from_columns(
    {**{f"x{i}": RANDOM.normal(size=2000) for i in range(6)}, "class": RANDOM.choice(list("pq"), 2000)}, target="class"
)


def test_more_cuts_than_candidates_may_be_listed_are_searched_and_a_time_ends_the_search():
    found = optimal(MANY, max_depth=1)
    assert found.proved
    stopped = optimal(MANY, max_depth=4, limits=Limits(seconds=0.3))
    assert not stopped.proved
    assert 0 <= stopped.bound < stopped.cost
    counted = optimal(MANY, max_depth=4, limits=Limits(states=1000))
    assert not counted.proved
    assert 0 <= counted.bound < counted.cost < found.cost
    assert stopped.seconds < 30
    assert optimal(MANY, max_depth=4, limits=Limits(seconds=1e-9), start=found.tree).tree == found.tree


def test_ctrl_c_leaves_the_best_tree_with_its_bound_and_progress_shows_both():
    told = []

    def report(text):
        told.append(text.split())
        raise KeyboardInterrupt

    columns = columns_for(MANY)
    found = best_of_all_cuts(columns, 5, 2000.0, **WITHOUT_END | {"report": report})
    assert not found.proved
    assert found.bound < tree_cost(found.tree or single_leaf(columns))
    assert {(each[0], *each[2:4]) for each in told} == {("cost", "at", "least")}


def test_what_it_does_not_serve_is_left_to_the_search_among_listed_splits():
    rows = Dataset.from_rows([[1.0, "a"], [2.0, "b"], [3.0, "c"]], ["p", "q", "p"], kinds={"x1": "nominal", "x0": "numeric"})
    assert columns_for(rows, (multiway(), threshold())) is None
    assert columns_for(rows, objective=class_bits()) is None
    assert columns_for(rows, objective=twice_the_least) is None
    assert columns_for(rows, min_leaf=1.5) is None
    assert columns_for(rows, fewest=5) is None
    assert columns_for(rows, fewest=4) is not None
    constant = Dataset.from_rows([[1.0], [1.0]], ["p", "q"])
    assert columns_for(constant) is None
    assert isinstance(optimal(constant).tree.root, Leaf)


def test_listed_splits_are_limited_beside_columns_of_any_number_of_values():
    words = {"w": RANDOM.choice(list("abcdef"), 2000), "x": RANDOM.normal(size=2000), "class": RANDOM.choice(list("pq"), 2000)}
    table = Dataset.from_columns(words, target="class")
    with pytest.raises(ValueError, match="must list at most 3 candidate splits, got more"):
        optimal(table, limits=Limits(max_candidates=3))
    assert optimal(table, max_depth=2, limits=Limits(max_candidates=6)).proved
    once, twice = (columns_for(table, (*splitters, threshold())).columns for splitters in ([one_value()], [one_value()] * 2))
    assert len(once) == len(twice), "splits that divide rows alike are listed once"


@pytest.mark.wide
def test_optima_of_raw_numbers_are_those_that_contree_proves(shared):
    for name, wrong in (("bank", 23), ("raisin", 94), ("wilt", 88), ("segment", 278), ("bidding", 50)):
        rows = np.loadtxt(shared / "contree" / f"{name}.txt.gz")
        columns = {f"x{number}": column for number, column in enumerate(rows.T[1:])}
        kinds = dict.fromkeys(columns, "numeric")
        table = Dataset.from_columns({**columns, "class": rows[:, 0].astype(int).astype(str)}, target="class", kinds=kinds)
        found = optimal(table, max_depth=3)
        assert (found.cost, found.proved) == (wrong, True)
