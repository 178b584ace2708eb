"""Optimal trees: no tree of the same splits and depth costs less, by the plain search that examines every tree."""

from functools import partial
from itertools import count
from time import perf_counter

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import (
    CART,
    ID3,
    Branch,
    Dataset,
    Leaf,
    Multiway,
    Subset,
    Threshold,
    depth,
    grow,
    look_ahead,
    misclassification,
    multiway,
    n_leaves,
    oblique,
    one_value,
    optimal,
    preorder,
    subset,
    threshold,
)
from ftree.exact import bayes, best_trees, class_errors, costs, entropy, errors, quantiles, tree_cost
from ftree.exact.checks import costs_of
from ftree.exact.plain import plain, tree_of
from ftree.exact.problem import problem_of
from ftree.exact.search import Search
from ftree.missing import as_branch, as_value
from ftree.prune import cost_complexity
from ftree.splitters import DistinctValues
from ftree.stop import max_depth, no_gain

BINARY, WIDE = (one_value(), threshold()), (one_value(), multiway(), threshold())


def twice_the_least(counts):
    return 2.0 * np.asarray(counts).min(axis=-1)


@st.composite
def tables(draw, *, missing=True):
    """A table of few rows, with words and numbers, possibly weights and missing values."""
    n, seed = draw(st.integers(1, 16)), draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    n_classes = draw(st.integers(2, 3))
    columns = {f"w{i}": random.choice(list("abc")[: random.integers(2, 4)], n) for i in range(draw(st.integers(0, 3)))}
    columns["x"] = random.integers(0, 4, n).astype(float)
    if missing and draw(st.booleans()):
        columns["x"][random.random(n) < 0.2] = np.nan
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.random(n) + 0.1]))
    labels = random.choice(list("pqr")[:n_classes], n)
    kinds = {name: "numeric" if name == "x" else "nominal" for name in columns}
    return Dataset.from_columns(
        {**columns, "class": labels}, target="class", weights=weights, kinds=kinds, classes=list("pqr")[:n_classes]
    )


def objectives(table):
    k = len(table.schema.classes)
    by_class = (1 - np.eye(k)) * np.arange(1, k + 1)[:, None]
    any_matrix = (1 - np.eye(k)) * (1 + np.arange(k * k).reshape(k, k) % 3)
    return [errors(), costs(by_class), costs(any_matrix), bayes(np.full(k, 1 / k)), entropy(), twice_the_least]


@given(tables(), st.data())
@settings(max_examples=40)
def test_the_search_equals_looking_at_every_tree(table, data):
    options = {
        "objective": data.draw(st.sampled_from(objectives(table))),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        "feature_costs": data.draw(st.sampled_from([None, {"x": 0.03}])),
    }
    grown = {"splitters": data.draw(st.sampled_from([BINARY, WIDE])), "min_leaf": data.draw(st.sampled_from([0, 0, 2]))}
    assume(grown["min_leaf"] <= (len(table) if table.weights is None else table.weights.sum()))
    deepest = data.draw(st.integers(0, 4))
    problem = problem_of(table, grown["splitters"], missing=as_branch(), min_leaf=grown["min_leaf"], most=1000, **options)
    _, plan = plain(problem, deepest)
    found = optimal(table, max_depth=deepest, **grown, **options)
    assert found.proved
    assert found.gap == 0
    assert found.cost == tree_cost(found.tree, **options)
    assert depth(found.tree) <= deepest
    assert tree_cost(tree_of(problem, plan), **options) == pytest.approx(found.cost, rel=1e-6, abs=1e-9)
    assert all(map(divides, branches(found.tree)))


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, Branch)]


def divides(branch):
    """Whether rows go to more than one child."""
    return sum(any(child.counts) for child in branch.children) > 1


@pytest.mark.parametrize("objective", [entropy(), costs([[0, 1], [2, 0]]), twice_the_least, errors()])
@pytest.mark.parametrize("splitters", [BINARY, WIDE])
def test_no_split_of_a_tree_without_penalty_leaves_its_rows_together(objective, splitters):
    for seed in range(12):
        random = np.random.default_rng(seed)
        table = nominal(random, n=int(random.integers(5, 40)), features=3)
        for found in (optimal, partial(look_ahead, steps=2), partial(look_ahead, steps=3)):
            tree = found(table, max_depth=4, objective=objective, splitters=splitters)
            assert all(map(divides, branches(getattr(tree, "tree", tree))))


def nominal(random, n=60, features=5, classes="pq"):
    columns = {f"w{i}": random.choice(list("abc"), n) for i in range(features)}
    labels = np.where(
        random.random(n) < 0.2, random.choice(list(classes), n), np.where(columns["w0"] < columns["w1"], *classes[:2])
    )
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds="nominal")


TABLE = nominal(np.random.default_rng(1))


def test_a_deeper_tree_costs_no_more_and_a_penalty_leaves_no_more_leaves():
    found = [optimal(TABLE, max_depth=deepest) for deepest in range(6)]
    assert [each.cost for each in found] == sorted((each.cost for each in found), reverse=True)
    pruned = [n_leaves(optimal(TABLE, max_depth=4, leaf_penalty=penalty).tree) for penalty in (0.0, 0.01, 0.03, 0.1)]
    assert pruned == sorted(pruned, reverse=True)


@pytest.mark.parametrize("penalty", [0.0, 0.02])
def test_no_tree_that_is_grown_or_pruned_costs_less(penalty):
    least = optimal(TABLE, max_depth=4, leaf_penalty=penalty, splitters=(subset(), multiway())).cost
    for policy in (ID3, CART, evolve(CART, splits=(subset(), multiway()))):
        grown = grow(TABLE, policy.stopping(max_depth(4)))
        assert all(tree_cost(each, leaf_penalty=penalty) >= least for each in (grown, cost_complexity(0.01)(grown)))
    assert tree_cost(look_ahead(TABLE, max_depth=4, leaf_penalty=penalty), leaf_penalty=penalty) >= least


@given(tables(missing=False), st.integers(0, 3), st.sampled_from([0.0, 0.05]), st.sampled_from([errors(), entropy()]))
@settings(max_examples=30)
def test_no_tree_of_a_random_table_that_is_grown_or_pruned_costs_less(table, deepest, penalty, objective):
    least = optimal(table, max_depth=deepest, leaf_penalty=penalty, objective=objective, splitters=WIDE).cost
    for policy in (ID3, CART):
        grown = grow(table, evolve(policy, splits=WIDE).stopping(max_depth(deepest)))
        for each in (grown, cost_complexity(0.02)(grown)):
            assert tree_cost(each, leaf_penalty=penalty, objective=objective) >= least - 1e-9


@given(st.permutations(range(60)), st.sampled_from([3, 5]))
@settings(max_examples=4)
def test_rows_in_another_order_have_the_same_tree(order, deepest):
    assert optimal(TABLE.take(np.array(order)), max_depth=deepest) == optimal(TABLE, max_depth=deepest)


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


def test_weight_k_equals_k_copies():
    times = np.arange(len(TABLE)) % 3
    copies = TABLE.take(np.repeat(np.arange(len(TABLE)), times))
    weighted = evolve(TABLE, weights=times)
    assert optimal(weighted, max_depth=4).tree == optimal(copies, max_depth=4).tree


@given(st.integers(1, 60), st.sampled_from([4, 5]), st.sampled_from([0.0, 0.02, 0.05]), st.integers(0, 9))
@settings(max_examples=30)
def test_wherever_it_stops_the_bound_is_below_the_optimum_and_the_cost_above(states, deepest, penalty, seed):
    table = nominal(np.random.default_rng(seed), features=4)
    least = optimal(table, max_depth=deepest, leaf_penalty=penalty).cost
    stopped = optimal(table, max_depth=deepest, leaf_penalty=penalty, states=states)
    assert stopped.bound <= least + 1e-9
    assert least <= stopped.cost == tree_cost(stopped.tree, leaf_penalty=penalty)
    assert stopped.proved == (stopped.bound == stopped.cost)
    assert stopped.states <= states + 1


@given(st.integers(1, 80), st.sampled_from([0.0, 0.02]), st.integers(0, 9))
@settings(max_examples=30)
def test_wherever_a_user_interrupts_the_bound_is_below_the_optimum_and_the_cost_above(moment, penalty, seed):
    table = nominal(np.random.default_rng(seed), features=4)
    least = optimal(table, max_depth=5, leaf_penalty=penalty).cost
    moments = count(1)

    def interrupted():
        if next(moments) == moment:
            raise KeyboardInterrupt
        return 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ftree.exact.search.perf_counter", interrupted)
        stopped = optimal(table, max_depth=5, leaf_penalty=penalty, seconds=60)
    assert stopped.bound <= least + 1e-9
    assert least <= stopped.cost == tree_cost(stopped.tree, leaf_penalty=penalty)
    assert stopped.proved == (stopped.bound == stopped.cost)


def test_a_start_that_nothing_beats_is_the_answer():
    best = optimal(TABLE, max_depth=4)
    again = optimal(TABLE, max_depth=4, start=best.tree)
    assert (again.tree, again.cost, again.proved) == (best.tree, best.cost, True)
    leaf = grow(TABLE, ID3.stopping(max_depth(0)))
    assert optimal(TABLE, max_depth=4, start=leaf).tree == best.tree
    assert optimal(TABLE, max_depth=2, start=best.tree).tree == best.tree


def test_time_ends_a_search_and_so_does_an_interruption(monkeypatch):
    assert not optimal(TABLE, max_depth=6, seconds=1e-9).proved
    for error in (KeyboardInterrupt(), SystemError()):
        monkeypatch.setattr(Search, "run", interrupted_by(error))
        assert optimal(TABLE, max_depth=4).bound == -np.inf
    monkeypatch.setattr(Search, "run", interrupted_by(SystemError("another"), cause=None))
    with pytest.raises(SystemError, match="another"):
        optimal(TABLE, max_depth=4)


def test_time_ends_a_search_between_splits_of_one_node(monkeypatch):
    ticks = count()
    monkeypatch.setattr("ftree.exact.search.perf_counter", lambda: perf_counter() + 100 * next(ticks))
    # A function of three classes has no kernel.
    table = nominal(np.random.default_rng(1), classes="pqr")
    optimum = optimal(table, max_depth=3, seconds=250, objective=twice_the_least)
    assert not optimum.proved
    assert optimum.states == 1
    assert optimum.cost == optimal(table, max_depth=2, objective=twice_the_least).cost


def interrupted_by(error, cause=KeyboardInterrupt):
    def run(*_):
        raise error from (cause and cause())

    return run


@pytest.mark.parametrize(("deepest", "widths"), [(0, [None]), (3, [None]), (4, [1, 4, None]), (5, [1, 4, None])])
def test_a_search_begins_with_the_best_split_and_then_four_of_each_node(deepest, widths, monkeypatch):
    passes, run = [], Search.run
    monkeypatch.setattr(
        Search, "run", lambda search, rows, depth, width: passes.append((depth, width)) or run(search, rows, depth, width)
    )
    assert optimal(TABLE, max_depth=deepest).proved
    assert passes == [(deepest, width) for width in widths]


def test_trees_are_at_most_twenty_deep():
    few = NUMBERS.take([0, 1, 2])
    assert optimal(few, max_depth=20).tree == next(best_trees(few, max_depth=20)) == look_ahead(few, max_depth=20)
    for search in (optimal, best_trees, look_ahead):
        with pytest.raises(ValueError, match=r"^max_depth must be a whole number from 0 to 20, got 21\.$"):
            search(few, max_depth=21)


def test_whoever_waits_until_a_search_is_compiled_is_told(monkeypatch):
    told = []
    monkeypatch.setattr("ftree.exact.best_tree.tell_of_compiling", lambda *what: told.append(what))
    for search in (optimal, look_ahead, lambda table: next(best_trees(table))):
        search(TABLE)
        assert told.pop() == ("the search for optimal trees", 5)
    assert not told


def test_progress_tells_the_cost_and_the_bound(capsys):
    optimal(TABLE, max_depth=4, progress=True)
    assert "first splits: cost" in capsys.readouterr().err


@given(tables(missing=False), st.integers(1, 3))
@settings(max_examples=10)
def test_looking_as_far_ahead_as_the_tree_is_deep_is_optimal_and_further_is_no_worse(table, deepest):
    least = optimal(table, max_depth=deepest).cost
    assert tree_cost(look_ahead(table, steps=deepest, max_depth=deepest)) == pytest.approx(least)
    assert tree_cost(look_ahead(table, steps=3, max_depth=4)) >= optimal(table, max_depth=4).cost - 1e-9


def test_looking_one_step_ahead_is_greedy_by_the_objective():
    policy = evolve(ID3, impurity=misclassification, splits=(one_value(),), stop=no_gain() | max_depth(3))
    assert tree_cost(look_ahead(TABLE, steps=1, max_depth=3)) == pytest.approx(tree_cost(grow(TABLE, policy)))


@pytest.mark.parametrize("objective", [costs([[0, 1, 2], [3, 0, 1], [1, 4, 0]]), errors()])
def test_tables_that_are_too_wide_for_triples_have_the_same_optimum(monkeypatch, objective):
    table = nominal(np.random.default_rng(2), n=30, features=2)
    table = Dataset.from_columns({f.name: table[f.name] for f in table.schema.features} | {"class": np.resize(list("pqr"), 30)})
    options = {"max_depth": 4, "objective": objective, "splitters": WIDE}
    least = optimal(table, **options)
    monkeypatch.setattr("ftree.exact.items._MOST_BYTES", 0)
    assert optimal(table, **options).cost == least.cost


def test_as_value_makes_missing_a_value_and_refuses_missing_numbers():
    words = Dataset.from_rows([["a"], [None], ["b"], [None]], ["p", "q", "p", "q"])
    assert optimal(words, missing=as_value()).cost == optimal(words).cost == 0
    with pytest.raises(ValueError, match=r"'x0' must have no missing value for as_value\(\), since its kind is numeric"):
        optimal(Dataset.from_rows([[1.0], [None], [2.0]], ["p", "q", "p"]), missing="as_value")


class every_second:  # noqa: N801  # named as splitters are
    kinds = ("numeric",)

    def candidates(self, column):
        return [Threshold(column.feature, float(value)) for value in (*column.values[:-1:2], 99)]


def test_a_splitter_of_ones_own_lists_candidates():
    table = Dataset.from_rows([[1], [2], [3]], ["p", "q", "q"], kinds="numeric")
    assert optimal(table, splitters=(every_second(),)).tree.root.split == Threshold(0, 1.0)


def test_candidates_of_splitters():
    column = DistinctValues(0, "x", np.array([0, 1, 2]), np.array([1, 1, 1]))
    pair, single, none = (DistinctValues(0, "x", column.values[:n], column.cases[:n]) for n in (2, 1, 0))
    assert [split.members for split in one_value().candidates(column)] == [(0,), (0, 2), (0, 1)]
    assert [split.members for split in subset().candidates(column)] == [(0, 1), (0, 2), (0,)]
    assert one_value().candidates(pair) == subset().candidates(pair) == [Subset(0, (0,))]
    assert multiway().candidates(column) == [Multiway(0, (0, 1, 2))]
    for empty in (single, none):
        assert [each.candidates(empty) for each in (*WIDE, subset(), quantiles(3))] == [[]] * 5
    assert [split.at for split in threshold().candidates(column)] == [0.5, 1.5]
    assert [split.at for split in threshold(at="observed").candidates(column)] == [0.0, 1.0]
    assert [split.at for split in quantiles(9).candidates(column)] == [0.5, 1.5]


UNLIMITED = {"feature_costs": None, "min_leaf": 0, "most": 1000}
NUMBERS = Dataset.from_rows([[float(number)] for number in range(9)], list("pq" * 4 + "p"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"splitters": (oblique(),)}, TypeError, r"splitters must be splitters that list candidates, .* got oblique\("),
        ({"splitters": (threshold,)}, TypeError, "splitters must be splitters that list candidates, .* got threshold"),
        ({"splitters": (threshold(min_cases=2),)}, ValueError, "min_cases must not be set where candidates are listed, got 2"),
        ({"missing": "ignore"}, ValueError, r"missing must be as_branch\(\) or as_value\(\), got ignore\(\)"),
        ({"max_candidates": 3}, ValueError, r"at most 3 candidate splits, got more. Use quantiles\(20\)"),
        ({"leaf_penalty": -1}, ValueError, "leaf_penalty must be a finite number of at least 0, got -1"),
        ({"feature_costs": {"x0": -1}}, ValueError, r"feature_costs\['x0'\] must be a finite number"),
        ({"feature_costs": {"y": 1}}, KeyError, "y"),
        ({"min_leaf": 10}, ValueError, "min_leaf must be at most the 9 cases of the dataset, got 10"),
        ({"max_depth": 21}, ValueError, "max_depth must be a whole number from 0 to 20, got 21"),
        ({"seconds": 0}, ValueError, "seconds must be a finite number above 0, got 0"),
        ({"states": 0}, ValueError, "states must be a whole number from 1, got 0"),
        ({"objective": lambda _: [1, 2, 3]}, ValueError, r"objective must return costs of shape \(2,\) for .* got \[1, 2, 3\]"),
        ({"objective": lambda _: 1.0}, ValueError, r"objective must return costs of shape \(2,\)"),
        ({"objective": lambda counts: [None] * len(counts)}, ValueError, "objective must return .*, got NaN"),
        ({"objective": lambda counts: ["few"] * len(counts)}, ValueError, "objective must return .*, got "),
        ({"objective": lambda _: "few"}, ValueError, "objective must return costs of shape .*, got 'few'"),
        ({"objective": lambda counts: counts.sum(axis=-1) * np.nan}, ValueError, "objective must return .*, got NaN"),
        ({"objective": lambda counts: counts.sum(axis=-1) * np.inf}, ValueError, "objective must return a finite cost"),
        ({"objective": lambda counts: np.where(counts.sum(axis=-1) < 9, np.nan, 1)}, ValueError, "objective must .*, got NaN"),
        ({"objective": lambda counts: counts.sort()}, ValueError, "read-only"),
        ({"objective": entropy}, TypeError, r"objective must be a function, got the class entropy. Write entropy\(...\)"),
        ({"objective": "gini"}, TypeError, "objective must be a function, got 'gini'"),
        ({"objective": class_errors([1, 1, 1])}, ValueError, "weights must be for the 2 classes of the schema, got 3"),
        ({"objective": bayes([0.5, 0.25, 0.25])}, ValueError, "priors must be for the 2 classes"),
        ({"splitters": threshold()}, TypeError, r"splitters must be a sequence of splitters .* got threshold\(\)"),
        ({"max_candidates": "few"}, ValueError, "max_candidates must be a whole number of splits from 1, got 'few'"),
        ({"feature_costs": [1]}, TypeError, "feature_costs must be a mapping of features' names to costs"),
        ({"leaf_penalty": 1e308}, ValueError, "leaf_penalty must be a finite number of at least 0, got 1e"),
        ({"min_leaf": "3"}, ValueError, "min_leaf must be a finite number of at least 0, got '3'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_input_gets_an_answer_at_the_door(arguments, error, message):
    with pytest.raises(error, match=message):
        optimal(NUMBERS, **arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"leaf_penalty": -1}, ValueError, "leaf_penalty must be a finite number of at least 0, got -1"),
        ({"feature_costs": {"y": 1}}, KeyError, "y"),
        ({"objective": "gini"}, TypeError, "objective must be a function"),
        ({"objective": lambda _: 1.0}, ValueError, r"objective must return costs of shape \(2,\)"),
        ({"tree": 3}, TypeError, "tree must be a Tree, got an int"),
    ],
)
def test_the_cost_of_a_tree_refuses_what_the_search_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        tree_cost(**{"tree": grow(NUMBERS), **arguments})


@pytest.mark.parametrize("weights", [[-1, 1], ["few"], [np.nan, 1], [], 3])
def test_weights_of_classes_are_numbers_from_0(weights):
    with pytest.raises(ValueError, match="weights must be numbers from 0, one for each class"):
        class_errors(weights)


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
    problem = problem_of(NUMBERS, BINARY, objective=objective, missing=as_branch(), leaf_penalty=5, **UNLIMITED)
    assert plain(problem, 2)[0] == pytest.approx(optimum.cost)


def test_a_tree_has_the_cases_of_its_rows_whatever_classes_weigh():
    weighted = evolve(NUMBERS, weights=[0.1, 0.2, 0.3] * 3)
    tree = optimal(weighted, max_depth=2, objective=bayes([1 / 3, 2 / 3])).tree
    assert tree.root.counts == pytest.approx(tuple(weighted.class_counts()), rel=1e-12)


def test_weights_with_fractions_reach_the_least_cases_of_a_leaf_that_they_sum_to():
    table = Dataset.from_rows([[1.0], [2.0], [3.0]], ["p", "q", "p"], weights=[0.1] * 3)
    assert n_leaves(optimal(table, min_leaf=0.1).tree) == 3
    assert n_leaves(optimal(table, min_leaf=0.2).tree) == n_leaves(optimal(table, min_leaf=0.3).tree) == 1


class half:  # noqa: N801  # as above
    kinds = ("nominal",)

    def candidates(self, column):
        return [Multiway(column.feature, column.values[:-1].tolist())]


def test_what_divides_no_rows_or_leaves_out_values_is_refused():
    words = Dataset.from_rows([["a"], ["b"], ["c"]], ["p", "q", "q"])
    with pytest.raises(ValueError, match="must list splits with a child for all values present, got Multiway"):
        optimal(words, splitters=(half(),))
    many = Dataset.from_rows([[word] for word in "abcdefghijkl"], list("pq" * 6), kinds="nominal")
    with pytest.raises(ValueError, match=r"The values that subset\(\) divides must be at most 10, got 12 of 'x0'"):
        optimal(many, splitters=(subset(),))
    with pytest.raises(ValueError, match="dataset must have a row with a weight above 0"):
        optimal(evolve(words, weights=[0, 0, 0]))
    with pytest.raises(TypeError, match="dataset must be a Dataset"):
        optimal([1])
    assert optimal(evolve(words, weights=[0, 1, 1])).cost == 0
    assert optimal(Dataset.from_rows([["a"], ["a"]], ["p", "q"])).cost == 1
    assert tree_cost(optimal(words, objective=bayes([0.5, 0.5])).tree, objective=bayes([0.5, 0.5])) == 0
    assert bayes([0.5, 0.5])([3, 1]) == 1


@pytest.mark.wide
def test_optima_of_real_tables_are_those_that_streed_proves(shared):
    for name, deepest, wrong in (("car", 5, 193), ("tictactoe", 5, 63)):
        found = optimal(Dataset.read_csv(shared / "data" / f"{name}.csv"), max_depth=deepest)
        assert (found.cost, found.proved) == (wrong, True)


def test_a_function_of_counts_without_a_bound_has_the_same_optimum_at_depth_three():
    for penalty in (0.0, 0.01):
        doubled = optimal(TABLE, max_depth=3, objective=twice_the_least, leaf_penalty=2 * penalty)
        assert doubled.cost == pytest.approx(2 * optimal(TABLE, max_depth=3, leaf_penalty=penalty).cost)


def test_rows_without_weight_are_no_rows():
    table = Dataset.from_rows([[1.0, "a"], [2.0, "a"], [3.0, "b"], [9.0, "c"]], list("pqpq"), weights=[1, 2, 1, 0])
    for missing in (as_branch(), as_value()):
        kept, whole = (
            problem_of(each, WIDE, objective=errors(), missing=missing, **SAME) for each in (table.take([0, 1, 2]), table)
        )
        assert kept.splits == whole.splits
        assert len(whole.dataset) == 3


SAME = {"leaf_penalty": 0, **UNLIMITED}


@pytest.mark.parametrize(("least", "limits"), [(0, False), (1, False), (2, True), (5, True), (9, True)])
def test_leaves_are_limited_where_some_row_alone_is_too_little(least, limits):
    table = evolve(NUMBERS, weights=np.array([1, 5] * 4 + [1]))
    problem = problem_of(table, BINARY, objective=errors(), missing=as_branch(), **SAME | {"min_leaf": least})
    assert problem.limits_leaves == limits
    best = optimal(table, max_depth=3, min_leaf=least).tree
    assert min(sum(node.counts) for node in preorder(best) if isinstance(node, Leaf)) >= least


def test_a_cost_that_is_no_number_is_refused_among_others():
    with pytest.raises(ValueError, match=r"objective must return costs of shape \(2,\) for .*, got NaN"):
        costs_of(lambda counts: np.where(counts[..., 0] > 1, np.nan, 1), np.array([[2, 1], [1, 1]]))


@pytest.mark.parametrize("steps", [0, -1, 1.5])
def test_looking_no_step_ahead_is_refused(steps):
    with pytest.raises(ValueError, match=f"steps must be a whole number from 1, got {steps}"):
        look_ahead(NUMBERS, steps=steps)


def test_objectives_need_their_weights():
    with pytest.raises(ValueError, match="costs must be a square matrix"):
        costs(None)
    with pytest.raises(ValueError, match="priors must be "):
        bayes(None)


def test_looking_ahead_goes_as_deep_as_the_search_does():
    with pytest.raises(ValueError, match="max_depth must be a whole number from 0 to 20, got 21"):
        look_ahead(NUMBERS, max_depth=21)


def test_how_long_a_search_took_is_no_part_of_what_it_found():
    one, other = optimal(TABLE, max_depth=2), optimal(TABLE, max_depth=2)
    assert one == other == evolve(one, seconds=one.seconds + 1)


def test_objectives_of_any_sequences_are_the_same_value():
    assert bayes(np.array([0.25, 0.75])) == bayes([0.25, 0.75])
    assert costs(np.array([[0, 1], [2, 0]])) == costs([[0, 1], [2, 0]])
    assert len({bayes([0.25, 0.75]), bayes((0.25, 0.75)), class_errors([1, 2]), class_errors((1, 2))}) == 2


@pytest.mark.parametrize(
    ("number", "cuts"), [(1, [3.5]), (2, [2.5, 5.5]), (3, [1.5, 3.5, 6.5]), (8, [each + 0.5 for each in range(8)])]
)
def test_so_many_thresholds_divide_the_cases_evenly(number, cuts):
    column = DistinctValues(0, "x", np.arange(9), np.ones(9))
    assert [split.at for split in quantiles(number).candidates(column)] == cuts


@pytest.mark.parametrize("number", [0, 1.5, True])
def test_quantiles_are_a_whole_number_of_thresholds(number):
    with pytest.raises(ValueError, match=f"n must be a whole number of thresholds from 1, got {number}"):
        quantiles(number)


@pytest.mark.parametrize("objective", [errors(), class_errors([1, 1]), entropy(), costs([[0, 1], [1, 0]]), bayes([0.5, 0.5])])
@pytest.mark.parametrize("kind", [np.float32, np.int32, list, tuple])
def test_objectives_cost_doubles_whatever_the_counts_are(objective, kind):
    large = [2**24, 1]  # their sum is no 32-bit float
    found = objective(kind(large) if kind in (list, tuple) else np.array(large, kind))
    assert np.asarray(found).dtype == np.float64
    assert found == objective(np.array(large, float))


def test_an_objective_is_given_floats_that_it_cannot_change():
    given = []
    tree_cost(grow(NUMBERS), objective=lambda counts: given.append(counts) or counts.min(axis=-1))
    optimal(NUMBERS, max_depth=1, objective=lambda counts: given.append(counts) or counts.min(axis=-1))
    assert {(each.dtype.name, each.flags.writeable) for each in given} == {("float64", False)}
