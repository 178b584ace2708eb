"""Optimal trees without classes: no tree loses less, by brute force; the trees that other programs prove."""

from itertools import islice, pairwise

import numpy as np
import pytest
from attrs import frozen
from drawn_problems import least_by_brute_force, nominal_of_numbers, sides_of_values
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, look_ahead, n_leaves, optimal
from ftree.datasets import lung
from ftree.exact import Limits, best_trees, quantile_cuts, tree_cost
from ftree.responses import effect, events, policy, quantiles, several, survival
from ftree.splitters import DistinctValues, multiway, one_value


@frozen
class Spread:
    """A user's response: the root of a mean square, of one sum beside the cases."""

    kind, channels = "spreads", ("cases", "squares")

    def add(self, values):
        return [values * values]

    def answer(self, cases, squares):
        return squares / np.where(cases > 0, cases, 1)

    def loss(self, answer, cases, squares):
        return np.where(answer > 0, cases * np.log1p(answer) + squares / np.where(answer > 0, answer, 1), 0)


RESPONSES = {
    "numbers": ("numbers", ("y",)),
    "events": (events("b"), ("a", "b")),
    "rates without shrinkage": (events(shrink=0), ("a",)),
    "several": (several(["a", "b", "c"]), ("a", "b", "c")),
    "quantiles": (quantiles([0.25, 0.5]), ("b",)),
    "survival": (survival("b", "arm"), ("b", "arm")),
    "policy": (policy(["a", "b", "c"]), ("a", "b", "c")),
    "effect": (effect("arm", "b"), ("b", "arm")),
    "a user's": (Spread(), ("a",)),
}


def drawn_table(response, names, random):
    n = int(random.integers(2, 13))
    weights = [None, random.choice([1, 2], n), random.choice([1, 3, 0.3], n)][int(random.integers(3))]
    drawn = {"a": random.integers(0, 4, n), "b": random.choice([0.1, 0.7, 2.5, 30.0], n), "c": random.normal(size=n)}
    drawn |= {"arm": random.integers(0, 2, n), "y": random.choice([0.1, 0.7, -5.0, 1e3], n) * random.random(n)}
    columns = {f"w{number}": random.choice(list("abc"), n) for number in range(3)}
    kinds = dict.fromkeys(columns, "nominal")
    columns |= {name: drawn[name] for name in names}
    return Dataset.from_columns(columns, target=names[0], kinds=kinds, response=response, weights=weights)


def loss_of(table):
    """What the answer for some rows loses on them, by the definition of the response."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    columns, response = (table.target_column, *table.further_targets), table.schema.response
    if response.kind == "numbers":
        return lambda rows: weights[rows] @ (columns[0][rows] - np.average(columns[0][rows], weights=weights[rows])) ** 2
    own = response.at_root(table.weights, *columns).own
    given = own.add(*columns)
    added = np.array([np.ones(len(table)), *given, *(column**2 for column in given[: getattr(own, "squared", 0)])])

    def loss(rows):
        sums = (weights[rows] * added[:, rows]).sum(axis=1)
        return float(own.loss(own.answer(*sums), *sums))

    return loss


@pytest.mark.parametrize("name", RESPONSES)
@given(st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from([0.0, 0.02]), st.sampled_from([0, 1.5]))
def test_no_tree_loses_less(name, seed, deepest, penalty, min_leaf):
    table = drawn_table(*RESPONSES[name], np.random.default_rng(seed))
    weights, loss = np.ones(len(table)) if table.weights is None else table.weights, loss_of(table)
    min_leaf, price = min(min_leaf, table.n_cases), penalty * loss(np.arange(len(table)))
    least = least_by_brute_force(
        sides_of_values(table), lambda rows: loss(rows) + price if weights[rows].sum() > min_leaf - 1e-9 else np.inf, deepest
    )
    same, near = {"leaf_penalty": penalty, "limits": Limits(min_leaf=min_leaf), "max_depth": deepest}, {"rel": 1e-5, "abs": 1e-5}
    found = optimal(table, **same)
    assert found.proved
    assert found.cost == tree_cost(found.tree, leaf_penalty=penalty)
    assert found.cost == pytest.approx(least, **near)
    listed = [tree_cost(tree, leaf_penalty=penalty) for tree in islice(best_trees(table, **same), 9)]
    assert all(before <= after * (1 + 1e-5) + 1e-5 for before, after in pairwise(listed))
    ahead = look_ahead(table, steps=max(deepest, 1), **same)
    assert listed[0] == pytest.approx(found.cost, **near) == tree_cost(ahead, leaf_penalty=penalty)


def test_a_response_may_have_more_sums_than_eight_bits_count():
    found = optimal(lung(), max_depth=1, splitters=(one_value(), quantile_cuts(2)))
    assert len(found.tree.root.counts) > 127
    assert found.cost == pytest.approx(tree_cost(found.tree))


def test_a_response_whose_answers_differ_in_a_leaf_is_refused():
    @frozen
    class Slopes(Spread):
        row_features = ("x",)
        further_targets = ("x",)

        def add(self, values, _):
            return [values * values]

    table = Dataset.from_columns({"x": [1.0, 2.0], "y": [1.0, 2.0]}, target="y", response=Slopes())
    with pytest.raises(ValueError, match=r"dataset must have a response with an answer for each leaf .* got one of spreads. Use"):
        optimal(table)


def test_splits_with_several_children_are_searched_too():
    random = np.random.default_rng(0)
    table = drawn_table(policy(["a", "b", "c"]), ("a", "b", "c"), random)
    assert optimal(table, splitters=(multiway(), one_value()), max_depth=2).cost <= optimal(table, max_depth=2).cost


TABLE = nominal_of_numbers(np.random.default_rng(1).normal(size=70).round(2), np.random.default_rng(2))


def test_a_power_of_two_and_another_origin_change_no_cost_but_by_its_square():
    scaled = nominal_of_numbers(4 * TABLE.target_column - 8, np.random.default_rng(2))
    assert optimal(scaled, max_depth=4).cost == pytest.approx(16 * optimal(TABLE, max_depth=4).cost, rel=1e-14)


def test_few_thresholds_of_many_numbers_have_the_optimum_of_their_bins():
    x, y = np.arange(30.0), np.random.default_rng(4).normal(size=30)
    cuts = [split.at for split in quantile_cuts(3).candidates(DistinctValues(0, "x", x, np.ones(30)))]
    many, few = (Dataset.from_columns({"x": each, "y": y}, target="y") for each in (x, np.searchsorted(cuts, x).astype(float)))
    assert optimal(many, max_depth=2, splitters=(quantile_cuts(3),)).cost == pytest.approx(optimal(few, max_depth=2).cost)


def test_a_slack_counts_from_the_squared_error_and_not_from_that_beyond_the_groups_of_rows():
    trees = [tree_cost(tree) for tree in best_trees(TABLE, max_depth=1, slack=0.05)]
    every = [tree_cost(tree) for tree in best_trees(TABLE, max_depth=1)]
    assert len(trees) == sum(cost <= 1.05 * every[0] for cost in every) < len(every)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_equal_numbers_of_any_size_are_a_leaf(factor):
    assert n_leaves(optimal(nominal_of_numbers(np.full(70, factor), np.random.default_rng(2)), leaf_penalty=0.1).tree) == 1


# Costs and leaves of the trees that STreeD 1.4.0 (`STreeDRegressor`) proves optimal, by depth and price of a leaf.
STREED = {
    (2, 0.0): (267.765045700624, 4),
    (3, 0.0): (232.1430012347826, 8),
    (3, 0.01): (265.4746642406523, 6),
    (4, 0.0): (177.64058907316434, 16),
    (4, 0.01): (249.42418907879622, 14),
}


@pytest.mark.parametrize(("deepest", "penalty"), STREED)
def test_the_optima_are_those_that_streed_proves(deepest, penalty):
    random = np.random.default_rng(1)
    x = random.integers(0, 2, (200, 15))
    y = np.round(random.normal(size=200) + 2 * x[:, 0] * x[:, 1] - x[:, 2] + (x[:, 3] ^ x[:, 4]), 3)
    columns = {f"b{number}": np.array(["n", "y"])[x[:, number]] for number in range(15)}
    table = Dataset.from_columns({**columns, "y": y}, target="y", kinds=dict.fromkeys(columns, "nominal"))
    found = optimal(table, max_depth=deepest, leaf_penalty=penalty)
    assert (found.cost, n_leaves(found.tree)) == (pytest.approx(STREED[deepest, penalty][0]), STREED[deepest, penalty][1])


ACTIONS = ("1", "2", "3")


@pytest.fixture(scope="module")
def rewards(shared):
    return [np.genfromtxt(shared / "policytree" / f"data_clf_{name}.csv", delimiter=",", skip_header=1) for name in "XY"]


def table_of(columns, earned):
    given = {f"V{number + 1}": cells for number, cells in enumerate(columns.T)} | dict(zip(ACTIONS, earned.T, strict=True))
    return Dataset.from_columns(given, kinds="numeric", response=policy(ACTIONS))


def printed(node, table):
    """A tree as policytree prints it: features with their largest value on the left, and actions."""
    if not isinstance(node, Branch):
        return table.schema.response.answer(node.counts)
    left, right = (printed(child, table) for child in node.children)
    name, values = table.schema.features[node.split.feature].name, table.columns[node.split.feature]
    return name, float(f"{values[values <= node.split.at].max():.6g}"), left, right


def read(lines):
    """The printed tree of lines that are indented by two blanks a level."""
    fields = lines.pop(0).split()
    if fields[1] == "*":
        return fields[-1]
    return fields[2], float(fields[4]), read(lines), read(lines)


@pytest.fixture(scope="module")
def told(shared):
    return lambda name: read((shared / "policytree" / f"{name}_tree.txt").read_text().splitlines()[4:])


def test_the_best_policy_is_the_tree_that_policytree_prints(rewards, told):
    columns, earned = rewards
    table = table_of(np.column_stack([columns[:, :2].round(1), columns[:, 2:4]]), earned)
    found = optimal(table, max_depth=2, limits=Limits(max_candidates=2000))
    assert found.proved
    assert printed(found.tree.root, table) == told("data_pt1")


def of_letters(bits, **targets):
    letters = {f"b{number}": np.array(["n", "y"])[column] for number, column in enumerate(bits.T)}
    return letters | targets, dict.fromkeys(letters, "nominal")


# What the best trees by pystreed 1.4.0 (`STreeDPrescriptivePolicyGenerator`, teacher_method="DR") earn, and their leaves.
@pytest.mark.parametrize(("deepest", "earned", "size"), [(1, 255.879, 2), (2, 308.923, 4), (3, 349.525, 8), (4, 411.121, 15)])
def test_the_best_policies_earn_what_those_of_streed_do(deepest, earned, size):
    random, n = np.random.default_rng(1), 200
    bits, given_action = random.integers(0, 2, (n, 10)), random.integers(0, 3, n)
    gain = np.stack([np.zeros(n), 1.0 * bits[:, 0], 2.0 * (bits[:, 1] ^ bits[:, 2])], axis=1)
    row = np.arange(n)
    outcome = np.round(gain[row, given_action] + random.normal(size=n), 3)
    scores = np.round(gain * 0.5 + random.normal(size=(n, 3)) * 0.3, 3)
    scores[row, given_action] += (outcome - scores[row, given_action]) / 0.25
    columns, kinds = of_letters(bits, **dict(zip(ACTIONS, scores.T, strict=True)))
    found = optimal(Dataset.from_columns(columns, kinds=kinds, response=policy(ACTIONS)), max_depth=deepest)
    assert (found.proved, n_leaves(found.tree)) == (True, size)
    assert scores.max(axis=1).sum() - found.cost == pytest.approx(earned, rel=1e-12)


# The deviance of the trees that pystreed 1.4.0 (`STreeDSurvivalAnalysis`) proves best, of events and cumulative hazards.
@pytest.mark.parametrize(("deepest", "cost"), [(1, 249.44088901577123), (2, 237.59233198768752), (3, 216.87834490384773)])
def test_the_best_survival_trees_have_the_deviance_of_those_of_streed(deepest, cost):
    random, n = np.random.default_rng(2), 200
    bits = random.integers(0, 2, (n, 10))
    times = random.exponential(np.exp(-(0.8 * bits[:, 0] - 1.0 * (bits[:, 1] ^ bits[:, 2]))))
    ends = random.exponential(1.5, n)
    died = (times <= ends).astype(int)
    order = np.argsort(np.minimum(times, ends))
    hazard = np.empty(n)
    hazard[order] = np.cumsum(died[order] / (n - np.arange(n)))
    hazard[hazard == 0] = 1 / (n + 1)  # as STreeD has it before the first event
    columns, kinds = of_letters(bits, hazard=hazard, died=died)
    table = Dataset.from_columns(columns, target="died", kinds=kinds, response=events("hazard", shrink=0))
    found = optimal(table, max_depth=deepest)
    assert found.proved
    assert found.cost == pytest.approx(cost, rel=1e-9)
