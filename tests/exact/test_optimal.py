"""Optimal trees: no tree of the same splits and depth costs less, by the plain search that examines every tree."""

from functools import partial
from itertools import count, islice, pairwise, product

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import (
    BINARY,
    FEW,
    NUMBERS,
    WIDE,
    least_by_brute_force,
    nominal,
    nominal_of_numbers,
    objectives,
    problem_for,
    sides_of_values,
    tables,
    twice_the_least,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import ID3, Branch, Dataset, depth, grow, look_ahead, misclassification, n_leaves, optimal
from ftree.datasets import weather
from ftree.exact import Limits, bayes, best_trees, class_bits, class_errors, costs, errors, tree_cost
from ftree.exact.every_tree import best_by_definition
from ftree.exact.listed.problem import rows_divided, tree_of
from ftree.exact.listed.ranked_trees import best_listed
from ftree.splitters import as_value, multiway, one_value
from ftree.stop import max_depth, no_gain
from ftree.tree import preorder


@given(tables(measured=True), st.data())
def test_the_search_equals_looking_at_every_tree(table, data):
    options = {
        "objective": data.draw(st.sampled_from(objectives(table))),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        "feature_costs": data.draw(st.sampled_from([None, {"x": 0.03}])),
    }
    least = data.draw(st.sampled_from([0, 0, 2]))
    grown = {"splitters": data.draw(st.sampled_from([BINARY, WIDE, FEW])), "limits": Limits(min_leaf=least)}
    assume(least <= table.n_cases)
    deepest = data.draw(st.integers(0, 4))
    problem = problem_for(table, grown["splitters"], min_leaf=least, **options)
    _, plan = best_by_definition(problem, deepest)
    found = optimal(table, max_depth=deepest, **grown, **options)
    assert found.proved
    assert found.gap == 0
    assert found.cost == tree_cost(found.tree, **options)
    assert depth(found.tree) <= deepest
    assert tree_cost(tree_of(problem, plan), **options) == pytest.approx(found.cost, rel=1e-6, abs=1e-9)
    assert all(map(divides, branches(found.tree)))


@pytest.mark.parametrize("max_depth", range(5))
def test_a_child_with_too_few_cases_spoils_no_other_split_of_an_objective_without_bounds(max_depth):
    """Its cost is infinite and the bound of the other child minus infinity, so that their sum is no number."""
    table = Dataset.from_rows([[3.0], [1.0], [2.0], [3.0]], list("qppq"))
    found = optimal(table, objective=twice_the_least, max_depth=max_depth, splitters=BINARY, limits=Limits(min_leaf=2))
    assert (found.cost, found.proved) == (0.0 if max_depth else 4.0, True)


@pytest.mark.parametrize("objective", [class_bits(), twice_the_least, costs([[0, 1], [2, 0]]), errors()])
@given(seed=st.integers(0, 999))
@settings(max_examples=10)  # the plain twin looks at every tree
def test_the_search_is_right_where_rows_outside_a_part_may_cost_more_than_they_weigh(objective, seed):
    """Bits may, and only tables of many different rows tell: each part has splits that a wrong bound would exclude."""
    random = np.random.default_rng(seed)
    table = Dataset.from_rows(random.integers(0, 2, (60, 6)).astype(str), random.integers(0, 2, 60).tolist())
    least, _ = best_by_definition(problem_for(table, objective=objective), 4)
    assert optimal(table, max_depth=4, objective=objective).cost == pytest.approx(least)


@given(tables(measured=True), st.data())
def test_the_search_is_the_same_without_the_native_library(table, data):
    options = {"objective": data.draw(st.sampled_from(objectives(table))), "leaf_penalty": data.draw(st.sampled_from([0, 0.03]))}
    options |= {"splitters": data.draw(st.sampled_from([BINARY, WIDE, FEW])), "max_depth": data.draw(st.integers(0, 4))}
    options["limits"] = Limits(states=data.draw(st.sampled_from([None, 5])))
    found = optimal(table, **options)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FTREE_NATIVE", "off")
        assert optimal(table, **options) == found


@given(st.data(), st.sampled_from([0.0, 0.03]), st.integers(0, 2))
def test_of_columns_that_divide_rows_alike_the_cheapest_is_used(data, penalty, deepest):
    n = data.draw(st.integers(2, 7))
    some = data.draw(st.lists(st.lists(st.sampled_from("abc"), min_size=n, max_size=n), min_size=1, max_size=2))
    renamed = [[{"a": "z", "b": "a", "c": "y"}[value] for value in column] for column in some]
    columns = data.draw(st.permutations(some + renamed))
    prices = data.draw(st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.3]), min_size=len(columns), max_size=len(columns)))
    labels = data.draw(st.lists(st.sampled_from("pq"), min_size=n, max_size=n))
    names = [f"w{number}" for number in range(len(columns))]
    table = Dataset.from_columns(
        {**dict(zip(names, columns, strict=True)), "class": labels}, target="class", kinds="nominal", classes=["p", "q"]
    )
    options = {"max_depth": deepest, "leaf_penalty": penalty, "feature_costs": dict(zip(names, prices, strict=True))}
    found = optimal(table, splitters=(one_value(),), **options)
    classes, by_name = table.target_column, dict(zip(names, prices, strict=True))
    prices_of_sides = [n * by_name[each.name] for each in table.schema.features for _ in each.values]
    least = least_by_brute_force(
        sides_of_values(table),
        lambda rows: len(rows) - np.bincount(classes[rows]).max() + n * penalty,
        deepest,
        prices_of_sides,
    )
    assert found.proved
    assert found.cost == pytest.approx(least)
    costs = {name: options[name] for name in ("leaf_penalty", "feature_costs")}
    for tree in (
        next(best_trees(table, splitters=(one_value(),), **options)),
        look_ahead(table, splitters=(one_value(),), **options),
    ):
        assert tree_cost(tree, **costs) == pytest.approx(least)


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, Branch)]


def divides(branch):
    """Whether rows go to more than one child."""
    return sum(any(child.counts) for child in branch.children) > 1


@pytest.mark.parametrize("objective", [class_bits(), costs([[0, 1], [2, 0]]), twice_the_least, errors()])
@pytest.mark.parametrize("splitters", [BINARY, WIDE])
def test_no_split_of_a_tree_without_penalty_leaves_its_rows_together(objective, splitters):
    for seed in range(12):
        random = np.random.default_rng(seed)
        table = nominal(random, n=int(random.integers(5, 40)), features=3)
        for found in (optimal, partial(look_ahead, steps=2), partial(look_ahead, steps=3)):
            tree = found(table, max_depth=4, objective=objective, splitters=splitters)
            assert all(map(divides, branches(getattr(tree, "tree", tree))))


TABLE = nominal(np.random.default_rng(1))
OF_NUMBERS = nominal_of_numbers(np.random.default_rng(1).normal(size=60).round(2), np.random.default_rng(2))


@given(st.permutations(range(60)), st.sampled_from([(TABLE, 3), (TABLE, 5), (OF_NUMBERS, 4)]))
@settings(max_examples=6)  # a search each
def test_rows_in_another_order_have_the_same_tree_and_weight_k_equals_k_copies(order, given_one):
    table, deepest = given_one
    assert optimal(table.take(np.array(order)), max_depth=deepest) == optimal(table, max_depth=deepest)
    times = np.arange(60) % 3
    copies, weighted = table.take(np.repeat(np.arange(60), times)), evolve(table, weights=times)
    assert optimal(weighted, max_depth=4).tree == optimal(copies, max_depth=4).tree


def test_duplicated_and_complemented_columns_and_other_names_change_no_cost():
    columns = {feature.name: TABLE[feature.name] for feature in TABLE.schema.features}
    two = {"a": "no", "b": "yes"}
    first = {name: [two.get(value, "no") for value in column] for name, column in columns.items()}
    other = {f"not {name}": ["yes" if value == "no" else "no" for value in column] for name, column in first.items()}
    once = Dataset.from_columns({**first, "class": TABLE["class"]}, target="class", kinds="nominal")
    twice = Dataset.from_columns({**first, **other, "class": TABLE["class"]}, target="class", kinds="nominal")
    renamed = Dataset.from_columns(
        {**first, "class": [f"z{ord('z') - ord(x)}" for x in TABLE["class"]]}, target="class", kinds="nominal"
    )
    found, doubled = optimal(once, max_depth=4), optimal(twice, max_depth=4)
    assert doubled.tree.root == found.tree.root
    assert doubled.states == found.states
    assert optimal(renamed, max_depth=4).cost == found.cost


@given(st.integers(1, 60), st.sampled_from([4, 5]), st.sampled_from([0.0, 0.02, 0.05]), st.none() | st.integers(0, 9))
def test_wherever_it_stops_the_bound_is_below_the_optimum_and_the_cost_above(states, deepest, penalty, seed):
    table = OF_NUMBERS if seed is None else nominal(np.random.default_rng(seed), features=4)
    least = optimal(table, max_depth=deepest, leaf_penalty=penalty).cost
    stopped = optimal(table, max_depth=deepest, leaf_penalty=penalty, limits=Limits(states=states))
    assert stopped.bound <= least + 1e-9
    assert least <= stopped.cost == tree_cost(stopped.tree, leaf_penalty=penalty)
    assert stopped.proved == (stopped.bound == stopped.cost)
    assert stopped.states <= states + 1


def raising(error, moment):
    """A report that raises an error the n-th time that it is called, as Ctrl-C does."""
    moments = count(1)

    def report(_):
        if next(moments) == moment:
            raise error

    return report


@given(st.integers(1, 20), st.sampled_from([0.0, 0.02]), st.integers(0, 9))
def test_wherever_a_user_interrupts_the_bound_is_below_the_optimum_and_the_cost_above(moment, penalty, seed):
    table = nominal(np.random.default_rng(seed), features=4)
    problem = problem_for(table, leaf_penalty=penalty)
    least = optimal(table, max_depth=5, leaf_penalty=penalty).cost
    stopped = best_listed(problem, 5, np.inf, report=raising(KeyboardInterrupt(), moment))
    cost = tree_cost(stopped.tree, leaf_penalty=penalty)
    assert stopped.bound <= least + 1e-9
    assert least <= cost + 1e-9
    assert stopped.proved == (stopped.bound >= cost - 1e-9)


def test_bounds_of_trees_of_three_levels_exclude_no_deeper_tree_of_a_child():
    """After `part`, only `side` divides the heavy rows into two parities, each of which takes three more levels."""
    bits = list(product((0, 1), repeat=3))
    heavy = [(0, 0, *abc, 0, 0, 0) for abc in bits] + [(0, 1, 0, 0, 0, *others) for others in bits]
    rows = heavy + [(1, 0, *abcd, 0, 0) for abcd in product((0, 1), repeat=4)]
    weights = [20] * len(heavy) + [1] * (len(rows) - len(heavy))
    labels = [(part + sum(others)) % 2 for part, _, *others in rows]
    table = Dataset.from_rows(rows, labels, features=["part", "side", *"abcdef"], weights=weights, kinds="nominal")
    assert optimal(table, max_depth=5).cost == 0


def test_a_start_that_nothing_beats_is_the_answer():
    for table, penalty in ((OF_NUMBERS, 0.0), (OF_NUMBERS, 0.02), (TABLE, 0.0)):
        best = optimal(table, max_depth=4, leaf_penalty=penalty)
        again = optimal(table, max_depth=4, leaf_penalty=penalty, start=best.tree)
        assert (again.tree, again.cost, again.proved) == (best.tree, best.cost, True)
    leaf = grow(TABLE, ID3.stopping(max_depth(0)))
    assert optimal(TABLE, max_depth=4, start=leaf).tree == best.tree
    assert optimal(TABLE, max_depth=2, start=best.tree).tree == best.tree


def test_however_soon_it_stops_rows_that_are_always_wrong_and_a_leaf_are_in_the_bound():
    table = Dataset.from_rows([[0]] * 5 + [[1]] * 5, list("pppqqqqqpp"), kinds="nominal")
    stopped = best_listed(problem_for(table, leaf_penalty=0.05), 4, np.inf, deadline=0.0)
    assert (stopped.tree, stopped.bound) == (None, 2 + 2 + 0.05 * 10)


def test_a_limit_ends_every_search():
    at_once = Limits(seconds=1e-9)
    assert not optimal(TABLE, max_depth=6, limits=at_once).proved
    assert not list(islice(best_trees(TABLE, limits=at_once), 9))
    assert depth(look_ahead(TABLE, limits=at_once)) == 0


@given(st.integers(1, 40), st.integers(1, 3))
@settings(max_examples=10)  # the plain twin looks at every tree
def test_what_looks_ahead_grows_on_from_where_a_limit_ended_it(states, steps):
    whole = look_ahead(TABLE, steps=steps, max_depth=4)
    some = look_ahead(TABLE, steps=steps, max_depth=4, limits=Limits(states=states))
    assert n_leaves(some) <= n_leaves(whole)
    assert {node.split for node in branches(some)} <= {node.split for node in branches(whole)}
    ended = list(islice(best_trees(TABLE, max_depth=3, limits=Limits(states=states)), 50))
    assert ended == list(islice(best_trees(TABLE, max_depth=3), len(ended)))


def test_trees_are_up_to_twenty_deep():
    few = NUMBERS.take([0, 1, 2])
    assert optimal(few, max_depth=20).tree == next(best_trees(few, max_depth=20)) == look_ahead(few, max_depth=20)


def test_progress_tells_the_cost_and_the_bound(capsys):
    optimal(TABLE, max_depth=4, progress=True)
    assert "first splits: cost" in capsys.readouterr().err


@given(tables(missing=False), st.integers(1, 3))
@settings(max_examples=10)  # the plain twin looks at every tree
def test_looking_as_far_ahead_as_the_tree_is_deep_is_optimal_and_further_is_no_worse(table, deepest):
    least = optimal(table, max_depth=deepest).cost
    assert tree_cost(look_ahead(table, steps=deepest, max_depth=deepest)) == pytest.approx(least)
    assert tree_cost(look_ahead(table, steps=3, max_depth=4)) >= optimal(table, max_depth=4).cost - 1e-9


def test_looking_one_step_ahead_is_greedy_by_the_objective():
    policy = evolve(ID3, impurity=misclassification, splits=(one_value(),), stop=no_gain() | max_depth(3))
    assert tree_cost(look_ahead(TABLE, steps=1, max_depth=3)) == pytest.approx(tree_cost(grow(TABLE, policy)))


def test_as_value_makes_missing_a_value():
    words = Dataset.from_rows([["a"], [None], ["b"], [None]], ["p", "q", "p", "q"])
    assert optimal(words, missing=as_value()).cost == optimal(words).cost == 0


def test_a_depth_may_be_a_number_of_numpy():
    for deepest in (0, 1, 2):
        assert optimal(NUMBERS, max_depth=np.int64(deepest)) == optimal(NUMBERS, max_depth=deepest)
        assert look_ahead(NUMBERS, steps=np.int64(1), max_depth=np.int64(deepest)) == look_ahead(
            NUMBERS, steps=1, max_depth=deepest
        )


@pytest.mark.parametrize("objective", [errors(), lambda counts: -np.max(counts, axis=-1)])
def test_a_penalty_above_all_errors_is_what_it_says(objective):
    optimum = optimal(NUMBERS, max_depth=2, objective=objective, leaf_penalty=5)
    assert optimum.proved
    assert optimum.cost == float(objective(optimum.tree.root.counts)) + 45
    problem = problem_for(NUMBERS, objective=objective, leaf_penalty=5)
    assert best_by_definition(problem, 2)[0] == pytest.approx(optimum.cost)


def test_a_penalty_whose_multiples_are_no_floats_allows_a_leaf():
    optimum = optimal(NUMBERS, max_depth=4, leaf_penalty=1e306, feature_costs={NUMBERS.schema.features[0].name: 1e306})
    assert (n_leaves(optimum.tree), optimum.cost, optimum.proved) == (1, 9e306, True)


def test_a_tree_has_the_cases_of_its_rows_whatever_classes_weigh():
    weighted = evolve(NUMBERS, weights=[0.1, 0.2, 0.3] * 3)
    tree = optimal(weighted, max_depth=2, objective=bayes([1 / 3, 2 / 3])).tree
    assert tree.root.counts == pytest.approx(tuple(weighted.class_counts()), rel=1e-12)


def test_weights_with_fractions_reach_the_least_cases_of_a_leaf_that_they_sum_to():
    table = Dataset.from_rows([[1.0], [2.0], [3.0]], ["p", "q", "p"], weights=[0.1] * 3)
    assert n_leaves(optimal(table, limits=Limits(min_leaf=0.1)).tree) == 3
    assert (
        n_leaves(optimal(table, limits=Limits(min_leaf=0.2)).tree)
        == n_leaves(optimal(table, limits=Limits(min_leaf=0.3)).tree)
        == 1
    )


def test_tables_of_one_case_are_leaves():
    words = Dataset.from_rows([["a"], ["b"], ["c"]], ["p", "q", "q"])
    assert optimal(evolve(words, weights=[0, 1, 1])).cost == 0
    assert optimal(Dataset.from_rows([["a"], ["a"]], ["p", "q"])).cost == 1
    assert tree_cost(optimal(words, objective=bayes([0.5, 0.5])).tree, objective=bayes([0.5, 0.5])) == 0


@pytest.mark.wide
def test_optima_of_real_tables_are_those_that_streed_proves(shared):
    for name, deepest, wrong in (("car", 5, 193), ("tictactoe", 5, 63)):
        found = optimal(Dataset.read_csv(shared / "data" / f"{name}.csv"), max_depth=deepest)
        assert (found.cost, found.proved) == (wrong, True)


def test_how_long_a_search_took_is_no_part_of_what_it_found():
    one, other = optimal(TABLE, max_depth=2), optimal(TABLE, max_depth=2)
    assert one == other == evolve(one, seconds=one.seconds + 1)


def every_plan(problem, rows, depth):
    """All plans for rows, by enumeration."""
    yield None
    for number in range(len(problem.splits) if depth else 0):
        parts = rows_divided(problem, rows, number)
        if sum(len(part) > 0 for part in parts) > 1:
            below = [list(every_plan(problem, part, depth - 1 if len(part) else 0)) for part in parts]
            combined = [()]
            for plans in below:
                combined = [(*some, plan) for some in combined for plan in plans]
            yield from ((number, each) for each in combined)


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from([0.0, 0.05]), st.sampled_from([(one_value(),), (multiway(),)])
)
@settings(max_examples=15)  # the plain twin looks at every tree
def test_the_trees_are_all_that_there_are_in_the_order_of_costs(seed, depth, penalty, splitters):
    random = np.random.default_rng(seed)
    columns = {"u": random.choice(["a", "b"], 8), "v": random.choice(["a", "b", "c"], 8)}
    table = Dataset.from_columns({**columns, "class": random.choice(["p", "q"], 8)}, target="class", kinds="nominal")
    problem = problem_for(table, splitters, leaf_penalty=penalty)
    expected = [tree_of(problem, plan) for plan in every_plan(problem, np.arange(8), depth)]
    found = list(best_trees(table, max_depth=depth, leaf_penalty=penalty, splitters=splitters))
    assert len(found) == len(expected)
    assert {tree.root for tree in found} == {tree.root for tree in expected}
    listed = [tree_cost(tree, leaf_penalty=penalty) for tree in found]
    assert all(before <= after + 1e-9 for before, after in pairwise(listed))
    assert listed[0] == pytest.approx(optimal(table, max_depth=depth, leaf_penalty=penalty, splitters=splitters).cost)


@pytest.mark.parametrize("depth", [3, 4])
def test_bounds_of_splits_with_several_children_cut_no_best_tree(depth):
    """Without a penalty these bounds are not asked."""
    days, options = weather(), {"max_depth": depth, "leaf_penalty": 0.01}
    first = next(best_trees(days, splitters=(one_value(), multiway()), **options))
    found = optimal(days, splitters=(one_value(), multiway()), **options)
    assert found.cost == pytest.approx(tree_cost(first, leaf_penalty=0.01))
    assert found.cost <= optimal(days, splitters=(one_value(),), **options).cost + 1e-12


def test_rows_whose_errors_are_free_are_cases_of_trees_too():
    table = Dataset.from_rows([["a"], ["b"], ["c"], ["d"]], list("pqqq"))
    options = {"objective": class_errors([0.3, 0]), "leaf_penalty": 0.1}
    trees = list(best_trees(table, **options))
    assert len(trees) == len(list(best_trees(table)))
    costs = [tree_cost(tree, **options) for tree in trees]
    assert costs == pytest.approx(sorted(costs))


def test_a_slack_ends_the_list():
    table = Dataset.from_rows([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, list("pqqqpqqpppqqpqqqpqqp"))
    least = optimal(table, max_depth=2).cost
    some = list(best_trees(table, max_depth=2, slack=0.25))
    *same, beyond = islice(best_trees(table, max_depth=2), len(some) + 1)
    assert some == same
    assert {tree_cost(tree) <= 1.25 * least for tree in some} == {True}
    assert tree_cost(beyond) > 1.25 * least > 1.25, "a share of the least cost, which is not 1"
    assert len(list(best_trees(table, max_depth=1, limits=Limits(min_leaf=11)))) == 1


def test_a_slack_counts_from_the_least_cost_where_it_is_negative():
    table = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], list("pqqq"))
    same = list(best_trees(table, max_depth=1, slack=0.1, objective=lambda counts: -np.sum(counts, axis=-1)))
    assert len(same) == 2


def test_trees_come_in_the_order_of_prices_above_all_errors():
    table = Dataset.from_rows([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("pqqq"))
    prices = {"x0": 70.0, "x1": 50.0}
    costs = [tree_cost(tree, feature_costs=prices) for tree in best_trees(table, max_depth=1, feature_costs=prices)]
    assert costs == [1, 201, 281]
