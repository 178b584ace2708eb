"""Worked numbers of every pruning method: trees A and B, and figures of the programs that made the methods famous."""

from math import expm1, sqrt

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, gain_ratio, gini, misclassification, n_leaves, prune
from ftree.criteria import cost_risk, pearson
from ftree.criteria.error_limits import deviate, expected_errors, one_minus_exp
from ftree.prune import Decision, Measured
from ftree.prune.figures import class_code, split_cost
from ftree.prune.path_errors import measured_step
from ftree.tree import Multiway, Threshold
from ftree.tree.splits import Subset

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


def two_questions(cases_at_a):
    """Node (8,6): x = a is a leaf of two cases, x = b tests B and is pure on both sides."""
    rows = [["a", b] for b, _ in cases_at_a] + [["b", 0]] * 7 + [["b", 1]] * 5
    labels = [label for _, label in cases_at_a] + ["P"] * 7 + ["Q"] * 5
    data = Dataset.from_rows(rows, labels, features=["x", "B"], kinds="nominal")
    below = Branch((7, 5), Multiway(1, (0, 1)), (Leaf((7, 0)), Leaf((0, 5))))
    return Tree(data.schema, Branch((8, 6), Multiway(0, (0, 1)), (Leaf((1, 1)), below))), data


@given(st.floats(0, 1000) | st.floats(0, 1e-3))
def test_one_minus_an_exponential_is_that_of_the_standard_library(t):
    assert one_minus_exp(t) == pytest.approx(-expm1(-t), rel=2e-15, abs=0)


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


# Others -------------------------------------------------------------------------------------------------------


def test_purity_cuts_from_the_root_down_where_the_largest_class_is_large_enough():
    assert cuts(prune.purity(20 / 26)) == WITHOUT_T2
    assert cuts(prune.purity(0.77)) == KEPT
    assert cuts(prune.purity(0.6)) == ROOT
    assert [made.path for made in prune.purity(0.6).decisions(A)] == [()]


def test_collapse_by_class_and_by_probability():
    tree = node((9, 1), (6, 1))
    assert prune.collapse()(tree).root == Leaf((15, 2))
    assert prune.collapse(by="probability")(tree) is tree
    assert prune.collapse(by="probability")(node((4, 2), (2, 1))).root == Leaf((6, 3))
    assert prune.collapse(by="errors")(tree).root == Leaf((15, 2))


def test_collapse_by_errors_cuts_what_saves_none_whatever_the_distributions():
    lower = Branch((1, 1), Threshold(0, 1.5), [Leaf((1, 0)), Leaf((0, 1))])
    saving = evolve(A, root=Branch((9, 2), Threshold(0, 0.5), [Leaf((8, 1)), lower]))
    assert prune.collapse(by="errors")(saving) is saving
    equal = evolve(A, root=Branch((3, 2), Threshold(0, 0.5), [Leaf((2, 1)), Leaf((1, 1))]))
    assert prune.collapse(by="errors")(equal).root == Leaf((3, 2))
    assert prune.collapse(by="probability")(equal) is equal


@pytest.mark.parametrize(
    ("confidence", "z"), [(0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)]
)
def test_the_table_of_C45_has_the_deviates_that_its_source_lists(confidence, z):
    assert deviate(confidence, "table") == pytest.approx(z)


def test_a_score_of_ones_own_is_called_with_children_of_the_same_number():
    seen = []

    def score(children, impurity):
        seen.append((children.shape, children.dtype))
        return gain_ratio(children, impurity)

    prune.critical_value(0.1, score=score)(A)
    assert seen == [((3, 2, 2), float)]


def test_a_step_of_a_path_prints_its_figures_and_no_tree():
    tree = Tree(Schema((), "class", ("no", "yes")), Leaf((3, 1)))
    (step,) = prune.cost_complexity_path(tree)
    assert repr(step) == "PathStep(alpha=0.0, cp=0.0, leaves=1, risk=0.25)"
    assert step == evolve(step, grown=Tree(Schema((), "class", ("a", "b")), Leaf((3, 1))))


OF_X = Schema([Feature("x", "numeric"), Feature("w", "nominal", "abc")], "y", ("no", "yes"))
LOW = Branch((3, 1), Threshold(0, 1.5), [Leaf((3, 0)), Leaf((0, 1))])
HIGH = Branch((2, 3), Multiway(1, (0, 1, 2)), [Leaf((2, 0)), Leaf((0, 0)), Leaf((0, 3))])
TREE = Tree(OF_X, Branch((5, 4), Threshold(0, 4.5), [LOW, HIGH]))


# Snipping and numbering -------------------------------------------------------------------------------------------------


def test_snipping_cuts_the_topmost_branches_and_tells_their_errors():
    both = prune.snip([(1, 0), (1,), [0], (0,)])
    assert both.paths == ((0,), (1,))
    assert prune.snip([(0, 1), (1,), (0,), (0, 1, 1), (2, 0), (2, 0, 1)]).paths == ((0,), (1,), (2, 0))
    assert prune.snip([()]).paths == ((),) == prune.snip([(1,), ()]).paths
    assert both.decisions(TREE) == (
        Decision((0,), (3, 1), 1, 0, done="cut", becomes=Leaf((3, 1))),
        Decision((1,), (2, 3), 2, 0, done="cut", becomes=Leaf((2, 3))),
    )
    assert both(TREE).root == Branch((5, 4), Threshold(0, 4.5), [Leaf((3, 1)), Leaf((2, 3))])
    assert prune.snip([(0, 1)])(TREE) is TREE
    assert prune.snip([()])(TREE).root == Leaf((5, 4))
    for wrong in (3, [1, 2], [None]):
        with pytest.raises(TypeError, match=r"^paths must be tuples of child numbers, such as \[\(0, 1\)\], got "):
            prune.snip(wrong)
    with pytest.raises(IndexError):
        prune.snip([(0, 2)])(TREE)


# Measures --------------------------------------------------------------------------------------------------


def test_an_error_rate_has_the_standard_error_of_a_proportion_and_a_cost_that_of_its_mean():
    rate = Measured(3, 0.2, 100.0, TREE)
    assert (rate.alpha, rate.cp, rate.deviation) == (None, None, None)
    assert rate.standard_error == sqrt(0.2 * 0.8) / 10
    assert evolve(rate, error=1.5).standard_error == 0, "a share above 1 has no deviation"
    assert evolve(rate, deviation=3.0).standard_error == pytest.approx(0.3)
    step = Measured(3, 0.0, 1.0, TREE, 0.5, 0.25)
    assert measured_step(step, (20.0, 60.0), 10.0, misclassification) == Measured(3, 2.0, 10.0, TREE, 0.5, 0.25)
    priced = measured_step(step, (20.0, 60.0), 10.0, cost_risk((5, 5), costs=((0, 1), (2, 0))))
    assert priced.deviation == pytest.approx(sqrt(6 - 4))
    assert measured_step(step, (20.0, 39.0), 10.0, cost_risk((5, 5), costs=((0, 1), (2, 0)))).deviation == 0, "but for rounding"


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
