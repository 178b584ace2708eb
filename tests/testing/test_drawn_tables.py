"""The levels, tables and parts that batteries draw, and the numbers that they try: all that is meant, and nothing else."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ftree import Branch, Dataset, Feature, Leaf, Schema, Threshold, Tree, n_leaves
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import entropy
from ftree.criteria.predicate import all_of, any_of, not_
from ftree.prune import Measured, lowest_error
from ftree.splitters import merging, oblique
from ftree.testing import chain, frontiers, passes, policies, rules
from ftree.testing.laws import equal, law, near, trying
from ftree.testing.tables import Table, as_runs, tables
from ftree.tree.splits import Multiway, Oblique, Subset


def module(name):
    """A module of the room, whose name may also be a function's."""
    return import_module(f"ftree.testing.{name}")


def seen(strategy, what, n=150):
    """The facts that many draws show, each draw as a set of facts."""
    found = set()
    fast = {"phases": [Phase.generate], "database": None, "derandomize": True, "deadline": None}

    @settings(max_examples=n, suppress_health_check=list(HealthCheck), **fast)
    @given(strategy)
    def look(value):
        found.update(what(value))

    look()
    return found


def every(**facts):
    """Pairs of a name and each of its values."""
    return {(name, value) for name, values in facts.items() for value in values}


def test_impurities_meet_one_to_four_nodes_of_one_to_four_classes_with_up_to_nine_cases():
    def facts(nodes):
        yield "nodes", len(nodes)
        yield from (("classes", len(node)) for node in nodes)
        yield from (("cases", n) for node in nodes for n in node)

    found = seen(module("check_impurity")._nodes(), facts)
    assert found == every(nodes=range(1, 5), classes=range(1, 5), cases=range(10))


@pytest.mark.parametrize(("asked", "drawn"), [(None, range(1, 5)), (2, [2])])
def test_scores_meet_one_to_four_splits_of_up_to_three_classes_with_halves_of_cases(asked, drawn):
    def facts(level):
        yield from zip(("splits", "children", "classes"), level.shape, strict=True)
        yield from (("halves", 2 * count) for count in level.ravel().tolist())

    found = seen(module("check_score")._levels(asked), facts)
    assert found == every(splits=range(1, 5), children=drawn, classes=range(1, 4), halves=range(10))


def test_splitters_meet_one_to_three_tables_of_up_to_five_of_seven_values():
    def facts(level):
        yield "tables", len(level)
        yield "numbered in order", [table.number for table in level] == list(range(len(level)))
        for table in level:
            yield from [("values", len(table.values)), ("classes", table.counts.shape[1]), ("kind", table.feature.kind)]
            yield "in order", table.values == sorted(set(table.values))
            yield "cases at each", bool((table.counts.sum(axis=1) > 0).all())
            yield "named", table.feature.values == (() if table.feature.kind == "numeric" else tuple("abcdefg"))
            yield from (("value", value) for value in table.values)
            yield from (("halves", 2 * count) for count in table.counts.ravel().tolist())

    wanted = every(tables=(1, 2, 3), values=range(1, 6), classes=(1, 2, 3), kind=("numeric", "nominal"))
    wanted |= every(value=range(7), halves=range(10), named=[True])
    truths = {(name, True) for name in ("numbered in order", "in order", "cases at each")}
    assert seen(tables(["numeric", "nominal"]), facts) == wanted | truths


def test_a_table_has_its_cuts_its_divisions_and_the_counts_of_their_children():
    table = Table(2, Feature("f2", "nominal", tuple("abcdefg")), [1.0, 3.0, 6.0], np.array([[2, 0], [1, 1], [0, 4]]))
    assert list(table.cuts()) == [Threshold(2, 2.0), Threshold(2, 4.5)]
    assert list(table.divisions()) == [Subset(2, (1, 3)), Subset(2, (1, 6)), Subset(2, (1,))]
    assert table.children(Subset(2, (1, 6))).tolist() == [[2, 4], [1, 1]]
    assert table.children(Threshold(2, 4.5)).tolist() == [[3, 1], [0, 4]]
    runs = as_runs([table, Table(0, Feature("f0", "numeric"), [5.0], np.array([[1, 1]]))])
    assert (runs.value.tolist(), runs.counts.tolist()) == ([1, 3, 6, 5], [[2, 0], [1, 1], [0, 4], [1, 1]])
    assert (runs.start.tolist(), runs.end.tolist(), runs.node.tolist(), runs.feature.tolist()) == ([0, 3], [3, 4], [0, 1], [2, 0])
    assert [feature.name for feature in runs.features] == ["f0", "none", "f2"]


def test_rules_are_drawn_with_small_numbers():
    def facts(rule):
        yield from [repr(rule)] if not isinstance(rule, any_of | all_of | not_) else []

    found = seen(rules(), facts, 300)
    names = ("max_depth({})", "min_rows({})", "min_best_child({})", "min_errors({})", "per_node(max_depth({}))")
    wanted = {name.format(n) for name in names for n in range(7)}
    wanted |= {f"min_gain({least})" for least in (0.0, 0.1, 0.5)}
    wanted |= {f"chi_squared({alpha})" for alpha in (0.01, 0.05, 0.5)} | {"pure()", "no_gain()"}
    assert found == wanted


def test_passes_are_drawn_with_all_their_options():
    schema = Schema([Feature("x", "numeric")], "label", ("no", "yes"))

    def facts(pass_):
        name = type(pass_).__name__
        for option in ("by", "ties", "order", "alpha", "scale", "confidence", "collapse", "z", "m", "least", "value_cost"):
            if hasattr(pass_, option):
                yield name, option, getattr(pass_, option)
        if name == "trim":
            yield name, "rule", repr(pass_.rule)
        if name == "compose":
            yield name, "passes", len(pass_.passes)

    found = seen(passes(schema), facts, 500)
    of = {(name, option): {value for one, other, value in found if (one, other) == (name, option)} for name, option, _ in found}
    assert of["collapse", "by"] == {"class", "probability", "errors"}
    assert (of["reduced_error", "ties"], of["reduced_error", "order"]) == ({"prune", "keep"}, {"bottom_up", "best_first"})
    assert of["cost_complexity", "alpha"] == {0.0, 0.01, 0.05, 0.2}
    assert of["cost_complexity", "scale"] == {"alpha", "cp"}
    assert of["error_based", "confidence"] == {0.01, 0.05, 0.25, 0.5}
    assert (of["error_based", "collapse"], of["error_based", "z"]) == ({True, False}, {"normal", "table"})
    assert of["minimum_error", "m"] == {None, 0, 1.5, 20}
    assert of["mdl", "value_cost"] == {None, 0, 5}
    assert of["compose", "passes"] == {0, 1, 2, 3}
    assert of["trim", "rule"] <= {
        *(f"max_depth({n})" for n in range(5)),
        *(f"min_rows({n})" for n in range(21)),
        *(f"max_leaves({n})" for n in range(1, 7)),
    }
    assert {f"max_depth({n})" for n in (0, 4)} | {f"max_leaves({n})" for n in (1, 6)} <= of["trim", "rule"]


def test_policies_are_drawn_with_merging_that_splits_what_it_has_merged():
    found = seen(policies(), lambda policy: [policy.splits], 100)
    assert len(found) == 8
    assert (merging(alpha_merge=0.9, alpha_split=1, alpha_resplit=0.8, bonferroni=False), oblique()) in found


def test_rules_are_tried_in_the_order_of_each_figure():
    sweeps = module("check_rule")._SWEEPS
    assert list(sweeps) == ["depth", "weight", "gain"]
    assert sweeps["depth"] == list(range(10))
    assert (sweeps["weight"][0], sweeps["weight"][-1], len(sweeps["weight"])) == pytest.approx((0.25, 32, 12))
    assert sweeps["gain"] == pytest.approx([n * 2 / 11 for n in range(12)])


LEVEL = Frontier(3, np.array([[4.0, 4.0], [2.0, 0.0]]), np.array([1.0, 0.0])).with_splits(
    (Multiway(0, (0, 1)), Multiway(0, (0, 1))), [np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])], entropy
)


def test_a_level_is_tried_at_and_beside_a_number():
    placed = list(module("check_rule")._placed(LEVEL, 2.0))
    assert sorted(each.depth for each in placed[:3]) == [1, 2, 3]
    assert [each.gain.tolist() for each in placed[3:6]] == [[2 + by] * 2 for by in (-1e-6, 0, 1e-6)]
    assert [each.weight.tolist() for each in placed[6:]] == [[1, 1], [2, 2], [2.5, 2.5]]
    assert placed[7].counts.tolist() == [[1, 1], [2, 0]]
    assert placed[7].child_counts.tolist() == [[1, 0.25], [0, 0.75], [1, 0], [1, 0]]
    assert sorted(each.depth for each in list(module("check_rule")._placed(LEVEL, 0))[:2]) == [0, 1]
    assert len(list(module("check_rule")._placed(LEVEL, 0))) == 5, "no node has a weight of 0"
    assert module("check_rule")._with("depth", LEVEL, 7.0).depth == 7


def test_chains_have_a_leaf_on_each_level_and_the_counts_of_alternating_cases():
    assert chain(0).root == Leaf((1, 0))
    inner = Branch((1, 1), Threshold(0, 1.5), (Leaf((0, 1)), Leaf((1, 0))))
    assert chain(2).root == Branch((2, 1), Threshold(0, 0.5), (Leaf((1, 0)), inner))
    assert chain(2).schema == Schema([Feature("x", "numeric")], "class", ("even", "odd"))
    for depth in (-1, 1.5, "2", None):
        with pytest.raises(ValueError, match=rf"^depth must be a whole number from 0, got {depth!r}\.$"):
            chain(depth)


def test_a_broken_law_is_told_with_what_is_given_of_it():
    for given_values, message in [
        ({}, "a law"),
        ({"got": 0}, "a law: got 0"),
        ({"wanted": "more"}, "a law: must be more"),
        ({"got": None, "wanted": np.array([1, 2])}, "a law: got None, must be [1, 2]"),
        ({"n": np.int64(3), "name": "x"}, "a law: n = 3, name = x"),
        ({"got": np.float64(0.5), "n": (1,)}, "a law: got 0.5, for n = (1,)"),
    ]:
        with pytest.raises(AssertionError) as told:
            law("a law", holds=False, **given_values)
        assert str(told.value) == message
    law("a law", holds=1, got=0)


def test_numbers_are_equal_up_to_seven_digits_and_all_else_by_itself():
    assert near(1.0, 1 + 1e-7)
    assert near([0.0, np.nan], [1e-8, np.nan])
    assert near(1e6, 1e6 + 0.05)
    for one, other in [(1.0, 1 + 1e-6), (0.0, 1e-6), ([1], [[1]]), ("a", "b"), ((1, "a"), (1, "b")), (None, 0)]:
        assert not near(one, other)
        with pytest.raises(AssertionError, match=r"^equal: got .*, must be .*, for n = 1$"):
            equal("equal", one, other, n=1)


@pytest.mark.parametrize(("most", "fewer", "wanted"), [(60, 1, 60), (60, 3, 20), (60, 20, 10), (4, 3, 4), (100, 10, 10)])
def test_a_battery_takes_a_share_of_the_profiles_examples_and_at_least_ten_of_them(most, fewer, wanted):
    before = settings.get_current_profile_name()
    try:
        settings.register_profile("counted", max_examples=most)
        settings.load_profile("counted")
        found = trying(fewer=fewer)
    finally:
        settings.load_profile(before)
    assert found.max_examples == wanted
    assert (found.report_multiple_bugs, found.deadline) == (False, None)
    assert set(found.suppress_health_check) == {HealthCheck.too_slow, HealthCheck.data_too_large}
    assert trying().max_examples == settings.default.max_examples


SCHEMA = Schema([Feature("x", "numeric")], "label", ("no", "yes"))
TWIG = Tree(SCHEMA, Branch((3, 3), Threshold(0, 0.5), (Leaf((3, 0)), Leaf((0, 0)))))


def test_cases_end_at_a_leaf_or_where_a_split_has_no_answer_and_are_judged_by_the_nearest_node_with_cases():
    made = module("check_path_choice")
    data = Dataset(SCHEMA, [np.array([0.0, 1.0, np.nan, 0.0])], np.array([0, 1, 1, 1]), np.array([1, 2, 3, 4]))
    assert [made._way(TWIG, data, row) for row in range(3)] == [
        [TWIG.root, TWIG.root.children[0]],
        [TWIG.root, TWIG.root.children[1]],
        [TWIG.root],
    ]
    assert list(made._ends(TWIG, data)) == [
        (TWIG.root.children[0], 0),
        (TWIG.root, 1),
        (TWIG.root, 1),
        (TWIG.root.children[0], 1),
    ]
    assert made._error(TWIG, data) == 0.9
    assert made._leaf(TWIG) == Leaf((3, 0))
    row = Measured(3, 0.25, 100.0, TWIG)
    assert made._standard_error(row) == row.standard_error == (0.25 * 0.75 / 100) ** 0.5
    assert made._like(row, Measured(3, 0.25, 10.0, TWIG))
    assert not made._like(row, Measured(4, 0.25, 100.0, TWIG))
    assert not made._like(row, Measured(3, 0.5, 100.0, TWIG))
    assert lowest_error([row, Measured(2, 0.25, 100.0, TWIG)]).leaves == 2


def test_trees_with_cases_have_two_rows_that_reach_a_leaf():
    made = module("check_path_choice")

    def facts(drawn):
        tree, dataset = drawn
        yield "rows", min(len(dataset), 3)
        yield "weighted", dataset.weights is not None
        yield "leaves", n_leaves(tree)
        yield "all reach a leaf", all(isinstance(made._way(tree, dataset, row)[-1], Leaf) for row in range(len(dataset)))

    found = seen(made._trees_with_cases(), facts, 60)
    assert found >= every(rows=(2, 3), weighted=(True, False), leaves=(1, 2))
    assert max(value for name, value in found if name == "leaves") <= 8
    assert ("all reach a leaf", False) not in found
    assert ("rows", 1) not in found


def test_sizes_of_branches_are_of_two_to_five_children_with_up_to_nine_cases_in_all_not_none():
    def facts(sizes):
        return {("children", len(sizes)), ("some", any(sizes)), *(("cases", n) for n in sizes)}

    assert seen(module("check_missing")._SIZES, facts) == every(children=range(2, 6), some=[True], cases=range(10))


def test_frontiers_are_of_up_to_six_cases_of_a_class_in_each_child_and_have_their_entropy():
    def facts(level):
        yield from (("cases", count) for count in level.child_counts.ravel().tolist())
        yield "entropy", bool(np.allclose(level.impurity, entropy(level.counts)))
        yield "sums", bool((level.counts.sum(axis=1) == level.weight).all())

    assert seen(frontiers(), facts) == every(cases=range(7), entropy=[True], sums=[True])


def test_sums_have_weights_of_quarters_on_some_numeric_features_and_thresholds_of_quarters():
    def facts(split):
        yield "type", type(split)
        yield from (("weight", weight) for weight in split.weights)
        yield "at", 4 * split.at
        yield "features", split.features

    found = seen(module("strategies")._sums(3, [0, 2]), facts, 200)
    assert found == {
        ("type", Oblique),
        *every(weight=(-2, -1, -0.25, 0, 0.5, 1, 1.5), at=range(-8, 17), features=((0,), (2,), (0, 2))),
    }
