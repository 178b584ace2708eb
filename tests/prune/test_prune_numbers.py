"""Worked numbers of every pruning method: trees A and B, and figures of the programs that made the methods famous."""

import re

import pytest
from attrs import evolve

from ftree import Branch, Dataset, Leaf, Schema, Threshold, Tree, n_leaves, prune, simplify, stop
from ftree.criteria.estimates import laplace, m_estimate
from ftree.criteria.impurity import gini, misclassification
from ftree.criteria.scores import gain_ratio, pearson
from ftree.datasets import weather
from ftree.prune.description_length import class_code, split_cost
from ftree.prune.error_estimate import deviate, expected_error, expected_errors
from ftree.tree.schema import Feature
from ftree.tree.splits import Multiway, Subset

FEATURES = [Feature(name, "numeric") for name in ("w", "x", "y", "z")]
SCHEMA = Schema(FEATURES, "class", ("P", "N"))

T5 = Branch((5, 5), Threshold(2, 0.5), (Leaf((4, 1)), Leaf((1, 4))))
T2 = Branch((20, 6), Threshold(1, 0.5), (Leaf((15, 1)), T5))
A = Tree(SCHEMA, Branch((24, 16), Threshold(0, 0.5), (T2, Leaf((4, 10)))))
B = Tree(
    SCHEMA,
    Branch(
        (9, 10),
        Threshold(0, 0.5),
        (
            Branch((6, 3), Threshold(1, 0.5), (Leaf((5, 1)), Leaf((1, 2)))),
            Branch((3, 7), Threshold(1, 0.5), (Leaf((2, 1)), Leaf((1, 6)))),
        ),
    ),
)
KEPT, WITHOUT_T5, WITHOUT_T2, ROOT = (), ((0, 1),), ((0,),), ((),)


def cuts(pass_, tree=A):
    """Paths of the nodes that a pass turned into leaves and that are in the result."""
    return prune.snip([made.path for made in pass_.decisions(tree) if made.cut]).paths


def node(*children):
    """A branch above leaves with these counts."""
    counts = tuple(map(sum, zip(*children, strict=True)))
    return Tree(
        Schema([Feature("f", "nominal", tuple(range(len(children))))], "class", tuple(range(len(counts)))),
        Branch(counts, Multiway(0, range(len(children))), [Leaf(child) for child in children]),
    )


def with_errors(n, e, leaf_errors):
    """A branch of n cases, e of them errors, and leaves with the given errors."""
    right = n - sum(leaf_errors)
    sizes = [right // len(leaf_errors)] * len(leaf_errors)
    sizes[0] += right - sum(sizes)
    schema = Schema([Feature("f", "nominal", range(len(sizes)))], "class", range(3))
    leaves = [Leaf((size, wrong, 0)) for size, wrong in zip(sizes, leaf_errors, strict=True)]
    return Tree(schema, Branch((n - e, e, 0), Multiway(0, range(len(sizes))), leaves))


def reaching(schema, *leaves):
    """A dataset with the given number of rows of each class (second) at each point (first)."""
    cells = [(point, code) for point, counts in leaves for code, count in enumerate(counts) for _ in range(count)]
    columns = list(zip(*(point for point, _ in cells), strict=True)) or [()] * len(schema.features)
    return Dataset(schema, [list(map(float, column)) for column in columns], [code for _, code in cells])


V1 = [((0, 0, 0, 0), (1, 2)), ((0, 1, 0, 0), (3, 1)), ((1, 0, 0, 0), (1, 3)), ((1, 1, 0, 0), (0, 2))]


# Tree A in short ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pass_", "paths"),
    [
        (prune.error_based(), KEPT),
        (prune.error_based(confidence=0.05), WITHOUT_T2),
        (prune.pessimistic(), KEPT),
        (prune.minimum_error(), KEPT),
        (prune.minimum_error(m=10), KEPT),
        (prune.minimum_error(m=15), WITHOUT_T2),
        (prune.minimum_error(m=15, prior=(0.6, 0.4)), WITHOUT_T2),
        (prune.cost_complexity(0.0375), WITHOUT_T2),
        (prune.cost_complexity(0.045, risk=gini), WITHOUT_T5),
        (prune.critical_value(5, score=pearson), WITHOUT_T5),
        (prune.critical_value(7, score=pearson), WITHOUT_T2),
        (prune.critical_value(9, score=pearson), ROOT),
        (prune.mdl(features=4, value_cost=0), ROOT),
        (prune.chi_squared(0.05), WITHOUT_T5),
    ],
    ids=repr,
)
def test_tree_A_is_cut_where_it_should_be(pass_, paths):
    assert cuts(pass_) == paths
    assert pass_(A) == prune.snip(paths)(A)


def test_probabilities_at_a_leaf():
    assert laplace((15, 1))[0] == pytest.approx(0.888889, abs=5e-7)
    assert m_estimate(2, prior=(0.6, 0.4))((15, 1))[0] == pytest.approx(0.9)


# Reduced error ------------------------------------------------------------------------------------------------


def test_reduced_error_bottom_up_cuts_t2_and_t3_of_tree_B():
    pass_ = prune.reduced_error(reaching(SCHEMA, *V1))
    judged = {made.path: (made.as_leaf, made.as_subtree) for made in pass_.decisions(B)}
    assert judged[0,] == (3, 5)
    assert judged[1,] == (1, 3)
    assert judged[()][1] == 4
    assert cuts(pass_, B) == ((0,), (1,))
    assert n_leaves(pass_(B)) == 2


def test_reduced_error_best_first_cuts_the_root_of_tree_B():
    pass_ = prune.reduced_error(reaching(SCHEMA, *V1), order="best_first")
    (made,) = pass_.decisions(B)
    assert (made.path, made.as_leaf, made.as_subtree) == ((), 5, 8)
    assert [n_leaves(tree) for tree in pass_.path(B)] == [4, 1]


def test_an_empty_pruning_set_ties_everywhere():
    empty = reaching(SCHEMA, *V1).take([])
    assert prune.reduced_error(empty)(B).root == Leaf((9, 10))
    assert prune.reduced_error(empty, ties="keep")(B) is B


def test_a_table_that_counts_nodes_itself_is_a_pruning_set():
    class Counting:
        def count_nodes(self, tree):
            seen.append(tree)
            return [(5, 8), (4, 3), (1, 5), (1, 2), (3, 1), (1, 3), (0, 2)]

    seen = []
    for ties in ("prune", "keep"):
        by_rows = prune.reduced_error(reaching(SCHEMA, *V1), ties=ties)
        assert prune.reduced_error(Counting(), ties=ties).decisions(B) == by_rows.decisions(B)
    assert seen == [B, B]


# Cost-complexity ----------------------------------------------------------------------------------------------


def test_the_path_of_tree_A_by_errors():
    path = [(step.alpha, step.leaves, step.risk) for step in prune.cost_complexity_path(A)]
    assert path == [pytest.approx(step) for step in [(0, 4, 0.175), (0.0375, 2, 0.25), (0.15, 1, 0.4)]]


def test_the_path_of_tree_A_by_gini():
    path = [(step.alpha, step.leaves, step.risk) for step in prune.cost_complexity_path(A, risk=gini)]
    wanted = [(0, 4, 0.269732), (0.045, 3, 0.314732), (0.058894, 2, 0.373626), (0.106374, 1, 0.48)]
    assert path == [pytest.approx(step, abs=5e-7) for step in wanted]


def test_cp_is_alpha_in_units_of_the_roots_risk():
    assert [step.cp for step in prune.cost_complexity_path(A)] == pytest.approx([0, 0.0375 / 0.4, 0.375])
    assert prune.cost_complexity(0.0375 / 0.4, scale="cp")(A) == prune.cost_complexity(0.0375)(A)
    with_pure_child, leaf = node((4, 0), (1, 3)), node((3, 1)).root.children[0]
    # The cut costs 1/4, which is 2/3 of the root's 3/8.
    assert [prune.cost_complexity(cp, scale="cp")(with_pure_child) is with_pure_child for cp in (0.66, 0.67)] == [True, False]
    alone = evolve(A, root=leaf)
    assert prune.cost_complexity(0.5, scale="cp")(alone) is alone


def test_a_risk_of_ones_own_gets_floats_that_it_cannot_change():
    seen = []

    def risk(counts):
        seen.append((counts.dtype, counts.flags.writeable))
        return misclassification(counts)

    assert prune.cost_complexity(0.0375, risk=risk)(A) == prune.cost_complexity(0.0375)(A)
    assert len(list(prune.cost_complexity_path(A, risk=risk))) == 3
    assert seen == [(float, False)] * 2


# Error-based --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "e", "errors"),
    [
        (6, 0, 1.237797),
        (9, 0, 1.284804),
        (1, 0, 0.75),
        (16, 1, 2.475715),
        (5, 1, 2.250333),
        (10, 0.5, 1.853528),
        (14, 5, 6.761120),
        (26, 6, 8.092376),
        (0, 0, 0),
        (1, 0.5, 1.0 - 0.5 * 0.25),
    ],
)
def test_pessimistic_errors_are_those_of_weka(n, e, errors):
    counts = (n - e, e) if n - e >= e else (n / 2, n / 2)
    assert expected_errors(counts, 0.25, deviate(0.25, "normal")) == pytest.approx(errors, abs=5e-7)


def test_the_table_of_C45_gives_another_deviate():
    assert deviate(0.25, "table") == pytest.approx(0.6925)
    assert deviate(0.25, "normal") == pytest.approx(0.674490, abs=5e-7)
    assert expected_errors((15, 1), 0.25, deviate(0.25, "table")) == pytest.approx(2.506894, abs=5e-7)


def two_questions(cases_at_a):
    """Node (8,6): x = a is a leaf of two cases, x = b tests B and is pure on both sides."""
    rows = [["a", b] for b, _ in cases_at_a] + [["b", 0]] * 7 + [["b", 1]] * 5
    labels = [label for _, label in cases_at_a] + ["P"] * 7 + ["Q"] * 5
    data = Dataset.from_rows(rows, labels, features=["x", "B"], kinds="nominal")
    below = Branch((7, 5), Multiway(1, (0, 1)), (Leaf((7, 0)), Leaf((0, 5))))
    return Tree(data.schema, Branch((8, 6), Multiway(0, (0, 1)), (Leaf((1, 1)), below))), data


def test_a_subtree_is_raised_where_its_siblings_cases_fall_on_the_right_sides():
    tree, data = two_questions([(0, "P"), (1, "Q")])
    pass_ = prune.error_based(raise_with=data)
    made = next(made for made in pass_.decisions(tree) if made.path == () and made.done != "kept")
    assert (made.done, made.child) == ("raised", 1)
    assert (made.as_leaf, made.as_subtree, made.as_raised) == pytest.approx((7.754503, 4.259854, 2.510626), abs=5e-7)
    assert made.threshold == pytest.approx(2.510626 + 0.1, abs=5e-7), "a leaf may have 0.1 errors more than the better of the two"
    assert pass_(tree).root == Branch((8, 6), Multiway(1, (0, 1)), (Leaf((8, 0)), Leaf((0, 6))))


def test_of_two_children_of_equal_size_the_last_is_raised():
    rows = [[x, b] for x in "ab" for b in (0, 1) for _ in range(4)]
    data = Dataset.from_rows(rows, list("PPPPQQQQ") * 2, features=["x", "B"], kinds="nominal")
    below = Branch((4, 4), Multiway(1, (0, 1)), (Leaf((4, 0)), Leaf((0, 4))))
    tree = Tree(data.schema, Branch((8, 8), Multiway(0, (0, 1)), (below, below)))
    pass_ = prune.error_based(raise_with=data)
    assert [made.child for made in pass_.decisions(tree) if made.done == "raised"] == [1]
    assert pass_(tree).root == Branch((8, 8), Multiway(1, (0, 1)), (Leaf((8, 0)), Leaf((0, 8))))


def test_a_subtree_stays_below_where_its_siblings_cases_fall_on_the_wrong_sides():
    tree, data = two_questions([(1, "P"), (0, "Q")])
    pass_ = prune.error_based(raise_with=data)
    made = pass_.decisions(tree)[-1]
    assert (made.path, made.done) == ((), "kept")
    assert made.as_raised == pytest.approx(4.674717, abs=5e-7)
    assert pass_(tree) is tree


def test_collapse_first_cuts_what_saves_no_error():
    tree = node((9, 1), (6, 1))
    assert prune.error_based(collapse=True, confidence=0.5)(tree).root == Leaf((15, 2))
    assert [made.threshold for made in prune.error_based(collapse=True).decisions(tree)] == [2.001]


# Pessimistic --------------------------------------------------------------------------------------------------


def test_pessimistic_cuts_within_one_standard_error():
    (made,) = prune.pessimistic().decisions(with_errors(14, 5, (2, 1, 2)))
    assert (made.as_leaf, made.as_subtree, made.done) == (5.5, 6.5, "cut")
    assert made.threshold == pytest.approx(6.5 + 1.866050, abs=5e-7)


def test_pessimistic_keeps_what_is_better_by_more():
    (made,) = prune.pessimistic().decisions(with_errors(35, 15, (2, 0, 6, 2)))
    assert (made.as_leaf, made.as_subtree, made.done) == (15.5, 12, "kept")
    assert made.threshold == pytest.approx(12 + 2.808151, abs=5e-7)


def test_a_subtree_of_more_halves_than_cases_has_no_standard_error():
    (made,) = prune.pessimistic().decisions(node((1, 0), (0, 0), (0, 0)))
    assert (made.as_leaf, made.as_subtree, made.threshold, made.done) == (0.5, 1.5, 1.5, "cut")
    (made,) = prune.pessimistic().decisions(node((0, 0), (0, 0)))
    assert (made.as_leaf, made.as_subtree, made.threshold, made.done) == (0.5, 1, 1, "cut")


# Minimum error ------------------------------------------------------------------------------------------------


def test_minimum_error_compares_the_static_with_the_backed_up_error():
    (made,) = prune.minimum_error().decisions(node((6, 0), (2, 1)))
    assert (made.as_leaf, made.as_subtree) == pytest.approx((0.181818, 0.216667), abs=5e-7)
    assert made.done == "cut"


@pytest.mark.parametrize(
    ("m", "static", "backed_up", "done"),
    [(10, 0.277778, 0.272189, "kept"), (15, 0.292683, 0.302419, "cut")],
)
def test_minimum_error_with_m_and_the_priors_of_the_root(m, static, backed_up, done):
    at_t2 = {made.path: made for made in prune.minimum_error(m=m).decisions(A)}[0,]
    assert (at_t2.as_leaf, at_t2.as_subtree) == pytest.approx((static, backed_up), abs=5e-7)
    assert at_t2.done == done


# Critical value and chi-squared -------------------------------------------------------------------------------


def test_chi_squared_of_the_nodes_of_tree_A():
    judged = prune.critical_value(9, score=pearson).decisions(A)
    assert [made.as_leaf for made in judged] == pytest.approx([3.6, 6.635417, 8.864469], abs=5e-7)


def test_the_critical_value_of_the_statistic_has_alpha_as_p_value():
    t5, t2 = prune.chi_squared(0.05).decisions(A)[:2]
    assert (t5.as_leaf, t5.done, t2.done) == (pytest.approx(3.6), "cut", "kept")
    assert t5.threshold == pytest.approx(3.841459, abs=5e-7)
    assert not prune.chi_squared(0.0578).decisions(A)[0].cut
    assert prune.chi_squared(0.0577).decisions(A)[0].cut
    assert [prune.chi_squared(alpha).decisions(A)[1].cut for alpha in (0.00999, 0.01)] == [True, False]


@pytest.mark.parametrize(
    ("children", "statistic", "p_value"),
    [
        ([(2, 3), (4, 0), (3, 2)], 3.546667, 0.169766),
        ([(3, 4), (6, 1)], 2.8, 0.094264),
        ([(6, 2), (3, 3)], 0.933333, 0.333998),
        ([(2, 2), (4, 2), (3, 1)], 0.570370, 0.751875),
    ],
    ids=["outlook", "humidity", "windy", "temperature"],
)
def test_chi_squared_of_the_weather(children, statistic, p_value):
    tree = node(*children)
    assert prune.chi_squared(p_value - 1e-6).decisions(tree)[0].cut
    (made,) = prune.chi_squared(p_value + 1e-6).decisions(tree)
    assert (made.as_leaf, made.done) == (pytest.approx(statistic, abs=5e-7), "kept")


def test_empty_branches_and_absent_classes_have_no_degree_of_freedom():
    with_empty = node((3, 4, 0), (0, 0, 0), (6, 1, 0))
    assert prune.chi_squared(0.0943)(with_empty) is with_empty
    assert prune.chi_squared(0.0942)(with_empty) != with_empty
    assert prune.chi_squared(0.99)(node((3, 0), (4, 0))).root == Leaf((7, 0))


def test_a_split_whose_p_value_is_alpha_stays():
    independent = node((2, 4), (1, 2))
    assert prune.chi_squared(1.0)(independent) is independent
    assert prune.chi_squared(0.999)(independent).root == Leaf((3, 6))


# MDL ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "bits"),
    [
        ((15, 1), 8.548137),
        ((4, 1), 5.922101),
        ((5, 5), 12.812460),
        ((20, 6), 23.764812),
        ((4, 10), 15.138862),
        ((24, 16), 42.650484),
        ((0, 0), 0),
    ],
)
def test_the_code_of_classes(counts, bits):
    assert class_code(counts) == pytest.approx(bits, abs=5e-7)


def test_bits_of_tree_A():
    (t5, *_, t1) = prune.mdl(features=4, value_cost=0).decisions(A)
    assert (t5.as_leaf, t5.as_subtree) == pytest.approx((1 + 12.812460, 3 + 2 * (1 + 5.922101)), abs=5e-6)
    assert (t1.as_leaf, t1.done) == (pytest.approx(1 + 42.650484, abs=5e-7), "cut")
    assert prune.mdl(value_cost=0).decisions(A)[0].as_subtree == t5.as_subtree, "the schema has four features"
    for features, value_cost, more in ((8, 0, 1), (1, 0, -2), (4, 1.5, 1.5)):
        other = prune.mdl(features=features, value_cost=value_cost).decisions(A)[0]
        assert other.as_subtree - t5.as_subtree == pytest.approx(more)
    nothing = Tree(Schema((), "class", ("P", "N")), Leaf((1, 2)))
    assert prune.mdl()(nothing) is nothing


def test_the_value_of_a_split_costs_by_the_distinct_values_of_its_feature():
    assert split_cost(Threshold(0, 1.5), 5) == 2
    assert split_cost(Subset(0, (1,)), 3) == pytest.approx(2.584963, abs=5e-7)
    assert split_cost(Multiway(0, (0, 1)), 4) == split_cost(Threshold(0, 1.5), 1) == split_cost(Subset(0, (0,)), 1) == 0
    data = Dataset.from_rows([[-1.0, "u"], [2.0, "v"], [2.0, None], [5.0, "w"], [None, "u"]], list("PPNNP"))
    tree = Tree(data.schema, Branch((3, 2), Threshold(0, 3.0), (Leaf((1, 2)), Leaf((2, 0)))))
    by_subset = evolve(tree, root=evolve(tree.root, split=Subset(1, (0,))))

    def above_leaves(pass_, tree):
        (made,) = pass_.decisions(tree)
        return made.as_subtree - sum(1 + class_code(child.counts) for child in tree.root.children) - 1 - 1

    assert above_leaves(prune.mdl(), tree) == pytest.approx(2)  # five cases, none alike
    assert above_leaves(prune.mdl(values=data), tree) == pytest.approx(1)  # three values
    assert above_leaves(prune.mdl(values=data), by_subset) == pytest.approx(2.584963, abs=5e-7)
    assert above_leaves(prune.mdl(value_cost=7), tree) == pytest.approx(7)


# Others -------------------------------------------------------------------------------------------------------


def test_best_first_goes_on_after_a_cut_that_makes_another_one_needless():
    """Cutting the lower left branch saves 4 errors; its parent and the root do not save any after that; the right branch does."""
    lowest = Branch((3, 5), Threshold(0, 2), [Leaf((3, 0)), Leaf((0, 5))])
    left = Branch((4, 5), Threshold(0, 5), [lowest, Leaf((1, 0))])
    right = Branch((9, 2), Threshold(0, 15), [Leaf((0, 2)), Leaf((9, 0))])
    tree = evolve(A, root=Branch((13, 7), Threshold(0, 10), [left, right]))
    errors = [(1, "N")] * 4 + [(3, "P")] * 2 + [(7, "P"), (12, "P")]
    numbers, labels = [float(x) for x, _ in errors], [SCHEMA.classes.index(label) for _, label in errors]
    data = Dataset(SCHEMA, [numbers, *[[0.0] * len(errors)] * 3], labels)
    pass_ = prune.reduced_error(data, order="best_first")
    assert [made.path for made in pass_.decisions(tree) if made.cut] == [(0, 0), (1,)]
    kept = Branch((4, 5), Threshold(0, 5), [Leaf((3, 5)), Leaf((1, 0))])
    assert pass_(tree).root == Branch((13, 7), Threshold(0, 10), [kept, Leaf((9, 2))])


def test_purity_cuts_from_the_root_down_where_the_largest_class_is_large_enough():
    assert cuts(prune.purity(20 / 26)) == WITHOUT_T2
    assert cuts(prune.purity(0.77)) == KEPT
    assert cuts(prune.purity(0.6)) == ROOT
    assert [made.path for made in prune.purity(0.6).decisions(A)] == [()]


def test_snip_cuts_where_told():
    assert prune.snip([(0, 1), (0,), (0,)])(A).root.children[0] == Leaf((20, 6))
    (made,) = prune.snip([(0,), (1,)]).decisions(A)
    assert (made.path, made.as_leaf, made.as_subtree) == ((0,), 6, 3)


def test_collapse_by_class_and_by_probability():
    tree = node((9, 1), (6, 1))
    assert prune.collapse()(tree).root == Leaf((15, 2))
    assert prune.collapse(by="probability")(tree) is tree
    assert prune.collapse(by="probability")(node((4, 2), (2, 1))).root == Leaf((6, 3))
    assert prune.collapse(by="errors")(tree).root == Leaf((15, 2))


@pytest.mark.parametrize(("beyond", "cut"), [(1e-14, True), (1e-10, False)])
def test_distributions_are_the_same_but_for_rounding(beyond, cut):
    assert (n_leaves(prune.collapse(by="probability")(node((1, 1), (1, 1 + beyond)))) == 1) == cut


def test_collapse_by_errors_cuts_what_saves_none_whatever_the_distributions():
    lower = Branch((1, 1), Threshold(0, 1.5), [Leaf((1, 0)), Leaf((0, 1))])
    saving = evolve(A, root=Branch((9, 2), Threshold(0, 0.5), [Leaf((8, 1)), lower]))
    assert prune.collapse(by="errors")(saving) is saving
    equal = evolve(A, root=Branch((3, 2), Threshold(0, 0.5), [Leaf((2, 1)), Leaf((1, 1))]))
    assert prune.collapse(by="errors")(equal).root == Leaf((3, 2))
    assert prune.collapse(by="probability")(equal) is equal


def test_trim_tells_what_the_splits_took_off():
    (made,) = prune.trim(stop.max_depth(0), impurity=misclassification).decisions(A)
    assert (made.path, made.as_leaf, made.as_subtree, made.done) == ((), pytest.approx(16), pytest.approx(10), "cut")
    assert cuts(prune.trim(stop.max_leaves(3))) == WITHOUT_T5
    with pytest.raises(ValueError, match="max_leaves must stand alone"):
        prune.trim(~stop.max_leaves(3))


def test_critical_values_are_in_the_unit_of_the_measure():
    assert cuts(prune.critical_value(0.18, impurity=gini)) == KEPT  # t5 gains just that
    assert cuts(prune.critical_value(0.1801, impurity=gini)) == ROOT
    ratios = [made.as_leaf for made in prune.critical_value(9, score=gain_ratio).decisions(A)]
    assert ratios == pytest.approx([0.278072, 0.194762, 0.173735], abs=5e-4)
    assert cuts(prune.critical_value(0.27, score=gain_ratio)) == KEPT  # the strong split below saves the weak ones above


def test_minimum_error_is_one_minus_the_m_estimate():
    assert expected_error((15, 1), 2, (0.6, 0.4)) == pytest.approx(1 - 0.9)


@pytest.mark.parametrize(
    ("confidence", "z"), [(0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)]
)
def test_the_table_of_C45_has_the_deviates_that_its_source_lists(confidence, z):
    assert deviate(confidence, "table") == pytest.approx(z)


def test_between_rows_and_at_both_ends_the_table_is_interpolated():
    assert deviate(0.0005, "table") == pytest.approx((4.0 + 3.09) / 2)
    assert deviate(0.15, "table") == pytest.approx((1.28 + 0.84) / 2)
    assert deviate(0.7, "table") == pytest.approx(0.125)


def test_a_leaf_without_a_case_predicts_what_the_branch_does():
    empty = node((1, 3), (0, 0))
    assert prune.collapse()(empty).root == Leaf((1, 3))
    assert prune.collapse(by="probability")(empty).root == Leaf((1, 3))
    assert prune.collapse()(node((3, 1), (0, 1))).root != Leaf((3, 2))


def test_a_split_of_cases_of_one_class_has_no_degree_of_freedom_and_is_cut():
    (made,) = prune.chi_squared(0.05).decisions(node((3, 0), (2, 0)))
    assert (made.as_leaf, made.threshold, made.done) == (0, 0, "cut")


def test_decisions_of_trim_are_about_the_branches_that_stay_or_are_cut_the_root_first():
    made = prune.trim(stop.max_depth(1)).decisions(A)
    assert [(each.path, each.done) for each in made] == [((), "kept"), ((0,), "cut")]
    assert [each.path for each in prune.trim(stop.never).decisions(B)] == [(), (0,), (1,)]


@pytest.mark.parametrize("pass_", [prune.chi_squared(1.0), prune.critical_value(0.0)])
def test_a_branch_above_a_branch_that_stays_is_not_judged(pass_):
    assert [made.path for made in pass_.decisions(A)] == [(0, 1)]
    assert [made.path for made in pass_.decisions(B)] == [(0,), (1,)]


def test_a_score_of_ones_own_is_called_with_children_of_the_same_number():
    seen = []

    def score(children, impurity):
        seen.append((children.shape, children.dtype))
        return gain_ratio(children, impurity)

    prune.critical_value(0.1, score=score)(A)
    assert seen == [((3, 2, 2), float)]


def test_decisions_are_ties_at_the_threshold_and_at_the_subtree_where_there_is_none():
    assert prune.Decision((), (1, 1), 0.3, 0.1 + 0.2).tie
    assert not prune.Decision((), (1, 1), 0.3, 0.2).tie
    assert prune.Decision((), (1, 1), 0.3, 0.2, 0.3).tie
    assert not prune.Decision((), (1, 1), 0.2, 0.2, 0.3).tie
    assert not prune.Decision((), (1, 1)).tie


def test_a_step_of_a_path_prints_its_figures_and_no_tree():
    tree = Tree(Schema((), "class", ("no", "yes")), Leaf((3, 1)))
    (step,) = prune.cost_complexity_path(tree)
    assert repr(step) == "PathStep(alpha=0.0, cp=0.0, leaves=1, risk=0.25)"
    assert step == evolve(step, grown=Tree(Schema((), "class", ("a", "b")), Leaf((3, 1))))


@pytest.mark.parametrize(
    "make",
    [
        lambda: prune.purity(0),
        lambda: prune.purity(1),
        lambda: prune.minimum_error(m=0),
        lambda: prune.minimum_error(m=0.5),
        lambda: prune.within(0),
        lambda: prune.within(0.5),
        lambda: prune.cost_complexity(0),
        lambda: prune.cost_complexity(0.5),
        lambda: prune.error_based(confidence=0.5),
        lambda: prune.chi_squared(alpha=1),
        lambda: prune.chi_squared(alpha=0),
    ],
)
def test_numbers_at_the_border_of_what_is_allowed_are_allowed(make):
    assert make() == make()


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda it: prune.collapse(by=it), "by must be one of 'class', 'probability', 'errors', got 'none'"),
        (lambda it: prune.error_based(z=it), "z must be one of 'normal', 'table', got 'none'"),
        (lambda it: prune.cost_complexity(0.1, scale=it), "scale must be one of 'alpha', 'cp', got 'none'"),
        (lambda it: prune.reduced_error(reaching(SCHEMA, *V1), ties=it), "ties must be one of 'prune', 'keep', got 'none'"),
        (
            lambda it: prune.reduced_error(reaching(SCHEMA, *V1), order=it),
            "order must be one of 'bottom_up', 'best_first', got 'none'",
        ),
        (
            lambda it: prune.reduced_error(reaching(SCHEMA, *V1), labels=it),
            "labels must be one of 'growing', 'pruning', 'backfit', got 'none'",
        ),
        (lambda it: prune.explain(prune.pessimistic(), A, form=it), "form must be 'text' or 'table', got 'none'"),
    ],
)
def test_an_option_is_one_of_those_that_are_listed(make, wanted):
    with pytest.raises(ValueError, match=wanted):
        make("none")


@pytest.mark.parametrize(
    ("make", "wanted", "beyond"),
    [
        (lambda it: prune.error_based(confidence=it), "confidence must be above 0 and at most 0.5", [0, 0.51, -0.1]),
        (lambda it: simplify([], weather(), confidence=it), "confidence must be above 0 and at most 0.5", [0, 0.51, -0.1]),
        (lambda it: prune.minimum_error(m=it), "m must be a finite number of at least 0", [-0.1, float("inf")]),
        (prune.purity, "threshold must be a share between 0 and 1", [-0.1, 1.1]),
        (prune.critical_value, "c must be a number in the unit of the score", []),
        (prune.cost_complexity, "alpha must be a number of at least 0", [-0.1]),
        (prune.within, "loss must be a number of at least 0", [-0.1]),
        (lambda it: prune.mdl(features=it), "features must be a number of at least 1", [0, 0.9]),
        (lambda it: prune.mdl(value_cost=it), "value_cost must be a number of at least 0", [-0.1]),
    ],
)
def test_a_number_is_no_text_and_within_its_range(make, wanted, beyond):
    for wrong in ("0.25", float("nan"), (0.25,), *beyond):
        with pytest.raises(ValueError, match=f"^{wanted}, got {re.escape(repr(wrong))}[.]"):
            make(wrong)
