"""Each law of the batteries by itself: it holds for what is right, and a worked wrong answer breaks it with its text."""

import pickle
import re
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import Phase, settings

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Schema, Threshold, Tree, grow, prune, stop
from ftree.criteria.counts import Avc, Joint
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain
from ftree.missing import all_routes, as_value, heaviest, weighted
from ftree.prune import Decision, Measured, cost_complexity_path
from ftree.splitters import subset, threshold
from ftree.stop import max_depth
from ftree.testing.laws import near
from ftree.testing.loops import Loops, check_table
from ftree.testing.tables import Table
from ftree.tree.splits import Multiway, Oblique, Subset


def of(module, name):
    """A function of a module of the room."""
    return getattr(import_module(f"ftree.testing.{module}"), name)


def breaks(text):
    """The law with this text must be broken."""
    return pytest.raises(AssertionError, match=f"^{re.escape(text)}")


SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc")], "k", ("no", "yes"))
LEFT = Branch((3, 1), Multiway(1, (0, 1)), (Leaf((2, 0)), Leaf((1, 1))))
TREE = Tree(SCHEMA, Branch((3, 5), Threshold(0, 0.5), (LEFT, Leaf((0, 4)))))
STUMP = Tree(SCHEMA, Branch((3, 5), Threshold(0, 0.5), (Leaf((3, 1)), Leaf((0, 4)))))
ROWS = Dataset(SCHEMA, [np.array([0.0, 0, 0, 1, 1]), np.array([0, 1, 1, 2, 0])], [0, 0, 1, 1, 1])
GROWN = grow(ROWS)

# Passes ------------------------------------------------------------------------------------------------------------------


def test_a_decision_is_about_a_branch_and_has_its_counts():
    place = of("decision_laws", "_check_place")
    place(Decision((0,), (3, 1)), TREE)
    place(Decision((0,), (3, 1), done="cut", becomes=Leaf((3, 1))), TREE)
    place(Decision((1,), (0, 4), done="recounted", becomes=Leaf((0, 3))), TREE)
    for decision, text in [
        (Decision((1,), (0, 4)), "a decision is about a branch"),
        (Decision((0,), (3, 2)), "a decision has the counts of its branch"),
        (Decision((0,), (3, 1), done="cut"), "only a kept node has no replacement"),
        (Decision((0,), (3, 1), becomes=Leaf((3, 1))), "only a kept node has no replacement"),
        (Decision((0,), (3, 1), done="cut", becomes=Leaf((1, 3))), "a cut leaves a leaf with the branch's counts"),
    ]:
        with breaks(text):
            place(decision, TREE)


def test_a_branch_is_cut_where_its_score_is_at_most_the_threshold():
    check = of("decision_laws", "_check_scores")
    for as_leaf, done in ((1.0, "cut"), (3.0, "kept"), (2.0, "cut"), (2.0, "kept"), (None, "cut")):
        check(Decision((), (3, 5), as_leaf, 1.0, 2.0, done))
    check(Decision((), (3, 5), 9.0, 1.0, None, "cut"))
    with breaks("no branch is cut against its scores"):
        check(Decision((), (3, 5), 3.0, 1.0, 2.0, "cut"))
    with breaks("no branch is kept against its scores"):
        check(Decision((), (3, 5), 1.0, 1.0, 2.0, "kept"))


def test_the_figures_of_a_decision_are_estimates_of_the_branch_and_of_its_leaves():
    check = of("decision_laws", "_check_figures")

    def errors(counts, _):
        return sum(counts) - max(counts)

    check(Decision((), (3, 5), 3, 1), TREE, errors, TREE)
    with breaks("the score as a leaf is the estimate for its counts"):
        check(Decision((), (3, 5), 2, 1), TREE, errors, TREE)
    with breaks("the score as a subtree is the sum of its leaves' estimates"):
        check(Decision((), (3, 5), 3, 2), TREE, errors, TREE)


def test_decisions_come_up_or_down_from_left_to_right_and_once_each():
    check = of("decision_laws", "_check_order")
    up, down = [(0, 0), (0, 1), (0,), (1,), ()], [(), (0,), (0, 0), (0, 1), (1,)]
    for paths in (up, down, [], [()]):
        check([Decision(path, (1,)) for path in paths])
    check([Decision((), (1,), done="recounted"), *[Decision(path, (1,)) for path in up]])
    for paths in ([(0, 1), (0, 0), (0,)], [(0,), (0, 0), ()], [(1,), (0,), ()]):
        with breaks("decisions come children first or parents first"):
            check([Decision(path, (1,)) for path in paths])
    with breaks("each branch is judged once"):
        check([Decision((0,), (1,))] * 2)


def test_decisions_are_those_of_an_oracle_in_place_kind_and_numbers():
    check = of("decision_laws", "check_against")
    made = [Decision((0,), (3, 1), 1.0, 1.0, 1.0, "cut"), Decision((), (3, 5), 3.0, 1.0, 2.0)]
    check(made, iter(made))
    check(made, [evolve(made[0], as_leaf=1 + 1e-9), made[1]])
    for wanted in (made[:1], made[::-1], [evolve(made[0], done="kept"), made[1]], [evolve(made[0], path=(1,)), made[1]]):
        with breaks("a pass decides what the oracle decides"):
            check(made, wanted)
    for name, value in (("counts", (1, 3)), ("as_leaf", 2.0), ("as_subtree", None), ("threshold", 0.5)):
        with breaks(f"{name} is that of the oracle"):
            check(made, [evolve(made[0], **{name: value}), made[1]])


def test_explanations_have_every_decision_and_every_node():
    check, pass_ = of("decision_laws", "_check_explained"), prune.pessimistic()
    made = pass_.decisions(TREE)
    check(pass_, TREE, made)
    with breaks("the table of explain has every decision"):
        check(pass_, TREE, [evolve(made[0], done="cut" if made[0].done == "kept" else "kept"), *made[1:]])
    with breaks("only a pass without scores has a note"):
        check(pass_, TREE, made[:0])
    with breaks("the table of explain has every decision"):
        check(pass_, TREE, [*made, made[0]])
    unscored = prune.from_function(lambda tree: STUMP if tree == TREE else tree)
    check(unscored, TREE, unscored.decisions(TREE))


def test_decisions_lead_from_the_tree_to_the_result():
    check, pass_ = of("decision_laws", "check_decisions"), prune.trim(stop.max_depth(1))
    check(pass_, TREE, STUMP, None, ())
    with breaks("replaying the decisions gives the result"):
        check(pass_, TREE, TREE, None, ())


def test_the_result_of_a_pass_is_a_pruning_that_shares_what_it_keeps():
    check = of("check_pass", "_check_result")

    def told(pruned, again=lambda tree: tree, exempt=()):
        check(again, TREE, pruned, exempt)

    told(TREE)
    told(evolve(TREE, root=evolve(TREE.root, children=(Leaf((3, 1)), TREE.root.children[1]))))
    copy = Tree(
        SCHEMA,
        Branch((3, 5), Threshold(0, 0.5), (Branch((3, 1), Multiway(1, (0, 1)), (Leaf((2, 0)), Leaf((1, 1)))), Leaf((0, 4)))),
    )
    other = Tree(SCHEMA, Branch((3, 5), Threshold(0, 0.7), STUMP.root.children))
    large = Tree(SCHEMA, Branch((3, 5), Threshold(0, 0.5), (LEFT, LEFT)))
    half = evolve(TREE, root=Branch((3, 5), Threshold(0, 0.5), (Leaf((3, 1)), Leaf((0, 4)))))
    with breaks("a pass returns a pruning of its input"):
        told(other)
    told(other, exempt=("pruning",))
    with breaks("a pass adds no leaf"):
        told(large, exempt=("pruning",))
    with breaks("a pass keeps the schema"):
        told(evolve(TREE, schema=evolve(SCHEMA, target="other")))
    with breaks("a pass keeps the prediction rule"):
        told(evolve(TREE, missing=lambda sizes: sizes))
    with breaks("pruning twice is pruning once"):
        told(TREE, again=lambda _: STUMP)
    told(TREE, again=lambda _: STUMP, exempt=("once",))
    with breaks("a pass that cuts nothing returns the same object; prune.from_function makes such a pass"):
        told(copy)
    with breaks("untouched subtrees are shared; prune.from_function makes such a pass"):
        told(half)
    told(half, exempt=("pruning",))


def test_trees_are_alike_where_splits_are_equal_and_counts_but_for_rounding():
    alike, shares = of("check_pass", "_alike"), of("check_pass", "_shares")
    nearly = evolve(TREE, root=evolve(TREE.root, counts=(3 + 1e-9, 5)))
    assert alike(TREE, nearly)
    for other in (
        STUMP,
        evolve(TREE, root=evolve(TREE.root, counts=(3, 6))),
        evolve(TREE, root=evolve(TREE.root, split=Threshold(0, 1))),
    ):
        assert not alike(TREE, other)
        assert not alike(other, TREE)
    assert shares(TREE, TREE)
    assert shares(evolve(TREE, root=evolve(TREE.root, children=(Leaf((3, 1)), TREE.root.children[1]))), TREE)
    assert not shares(STUMP, TREE)


def test_a_tree_is_enlarged_beside_leaves_without_cases_until_it_is_large():
    enlarged, large = of("check_pass", "_enlarged"), of("check_pass", "_LARGE")
    found = enlarged(TREE)
    sizes = len(list(import_module("ftree").preorder(found)))
    assert large <= sizes < large + 2
    assert found.root.counts == TREE.root.counts
    assert found.root.children[0] == Leaf((0, 0))
    assert found.root.children[1].split == TREE.root.split
    assert enlarged(Tree(SCHEMA, Leaf((1, 2)))).root == Leaf((1, 2))
    alone = Tree(SCHEMA, Branch((1, 2), Multiway(1, (0,)), [Leaf((1, 2))]))
    assert enlarged(alone) == alone, "there is no child beside which it could be"


# Paths and choices -------------------------------------------------------------------------------------------------------


def test_the_cheapest_pruning_weighs_errors_and_leaves_and_is_the_smallest():
    cheapest = of("check_path", "_cheapest")

    def errors(counts):
        return sum(counts) - max(counts)

    assert cheapest(TREE, errors, 0.0) == (1, 2)
    assert cheapest(TREE, errors, 0.5) == (2, 2)
    assert cheapest(TREE, errors, 2.0) == (5, 1), "as cheap with two leaves"
    assert cheapest(TREE, errors, 1.99) == (pytest.approx(4.98), 2)
    assert cheapest(Tree(SCHEMA, Leaf((3, 1))), errors, 0.5) == (1.5, 1)


def test_the_steps_of_a_path_have_the_figures_of_their_trees():
    check = of("check_path", "_check_steps")
    steps = list(cost_complexity_path(TREE, risk=gini))
    check(TREE, steps, gini)
    first, last = steps[0], steps[-1]
    for wrong, text in [
        ([evolve(first, alpha=0.1), *steps[1:]], "alphas increase from 0"),
        ([first, first, *steps[1:]], "alphas increase from 0"),
        (steps[:-1], "the last tree is a leaf"),
        ([evolve(first, leaves=first.leaves + 1), *steps[1:]], "a step has the leaves of its tree"),
        ([evolve(first, risk=first.risk + 0.1), *steps[1:]], "a step has the risk of its leaves"),
        ([*steps[:-1], evolve(last, cp=last.cp + 0.1)], "cp is alpha over the risk of the root"),
        ([*steps[:-1], evolve(last, alpha=last.alpha / 2, cp=last.cp / 2)], "no pruning is cheaper at alpha = 0.140625"),
        (
            [*steps[:-1], evolve(last, alpha=last.alpha * 2, cp=last.cp * 2)],
            "no pruning is cheaper at alpha = 0.3125: got 0.8125, must be 0.78125",
        ),
    ]:
        with breaks(text):
            check(TREE, wrong, gini)


def test_a_choice_is_one_of_the_rows_and_none_is_better():
    check = of("check_path_choice", "_check_chosen")
    rows = [Measured(5, 0.2, 100.0, TREE), Measured(3, 0.2, 100.0, TREE), Measured(1, 0.4, 100.0, TREE)]
    check(lambda rows: rows[1], rows, ())
    check(lambda rows: rows[2], rows, ())
    with breaks("a choice returns one of the rows"):
        check(lambda rows: evolve(rows[1]), rows, ())
    with breaks("no smaller tree has as few errors, and none of its size fewer"):
        check(lambda rows: rows[0], rows, ())
    check(lambda rows: rows[0], rows, ("smallest",))
    same_size = [Measured(3, 0.3, 100.0, TREE), Measured(3, 0.2, 100.0, TREE)]
    with breaks("no smaller tree has as few errors, and none of its size fewer"):
        check(lambda rows: rows[0], same_size, ())
    check(lambda rows: rows[0], [rows[1], rows[1]], ())
    wrong = SimpleNamespace(leaves=3, error=0.2, cases=100.0, standard_error=0.05, tree=TREE)
    with breaks("a standard error is that of a proportion"):
        check(lambda rows: rows[0], [wrong], ())


# Policies ----------------------------------------------------------------------------------------------------------------


def test_counts_of_a_grown_tree_add_up():
    check = of("check_policy", "_check_counts")
    check(ROWS, GROWN)
    with breaks("the root has every case"):
        check(ROWS.take([0, 1, 2]), GROWN)
    broken = Branch(GROWN.root.counts, GROWN.root.split, (Leaf((1, 1)), Leaf((1, 1))))
    with breaks("a branch's counts are the sum of its children's"):
        check(ROWS, Tree(SCHEMA, broken))


def test_every_case_is_in_the_leaf_of_its_splits():
    check = of("check_policy", "_check_cases")
    check(ROWS, GROWN, ())
    swapped = Tree(SCHEMA, Branch((2, 3), Threshold(0, 0.5), (Leaf((0, 2)), Leaf((2, 1)))))
    with breaks("splitters count what goes to the children of their splits"):
        check(ROWS, swapped, ())
    empty = Tree(SCHEMA, Branch((2, 3), Threshold(0, 5.0), (Leaf((2, 3)), Leaf((0, 0)))))
    with breaks("no leaf is without a case"):
        check(ROWS, empty, ())
    check(ROWS, empty, ("empty",))


def test_no_other_feature_splits_the_root_better():
    check = of("check_policy", "_check_choice")
    data = Dataset(SCHEMA, [np.array([0.0, 0, 1, 1]), np.array([0, 1, 0, 1])], [0, 0, 1, 1])
    check(ID3, data, grow(data))
    check(ID3, data, Tree(SCHEMA, Leaf((2, 2))))
    poor = Tree(SCHEMA, Branch((2, 2), Multiway(1, (0, 1)), (Leaf((1, 1)), Leaf((1, 1)))))
    with breaks("no other feature's split scores higher"):
        check(ID3, data, poor)
    twice = Dataset(SCHEMA, [data.columns[0], np.array([0, 0, 1, 1])], data.labels)
    second = Tree(SCHEMA, Branch((2, 2), Multiway(1, (0, 1)), (Leaf((2, 0)), Leaf((0, 2)))))
    check(ID3, twice, grow(twice))
    with breaks("of equal splits the lowest feature's is chosen"):
        check(ID3, twice, second)
    score = of("check_policy", "_root_score")
    assert (score(ID3, second.root), score(CART, second.root)) == pytest.approx((1, 0.5))


def test_datasets_are_listed_renamed_and_freed_of_points_with_two_labels():
    made = import_module("ftree.testing.check_policy")
    listed = made._listed(evolve(ROWS, weights=[1, 2, 3, 4, 5]))
    assert listed == {"x": [0, 0, 0, 1, 1], "c": [0, 1, 1, 2, 0], "labels": [0, 0, 1, 1, 1], "weights": [1, 2, 3, 4, 5]}
    new = made._renamed(ROWS)
    assert [feature.name for feature in new.schema.features] == ["new x", "new c"]
    assert (new.schema.features[1].values, new.schema.target) == (("new a", "new b", "new c"), "new target")
    assert (new.schema.classes, new.labels.tolist()) == (("new no", "new yes"), ROWS.labels.tolist())
    clear = made._unambiguous(ROWS)
    assert clear == ROWS.take([0, 3, 4]), "two rows agree in all but the label"
    assert made._labels(clear) == ["no", "yes", "yes"]


# Scores, impurities and splitters ------------------------------------------------------------------------------------------


def test_a_score_is_a_number_from_zero_or_refuses():
    check = of("check_score", "_check_value")
    divided, alone = np.array([[1.0, 0], [0, 1]]), np.array([[1.0, 1], [0, 0]])
    for children, own in ((divided, 0.5), (divided, 0.0), (divided, -np.inf), (alone, 0.0), (alone, -np.inf), (divided, -1e-10)):
        check(children, own)
    for children, own, text in [
        (divided, np.nan, "a score is finite, or -inf"),
        (divided, np.inf, "a score is finite, or -inf"),
        (divided, -0.1, "a score is never negative"),
        (alone, 0.1, "a split that sends all cases to one child scores 0"),
    ]:
        with breaks(text):
            check(children, own)


@pytest.mark.parametrize(
    ("score", "text", "exempt"),
    [
        (lambda counts, _: counts[..., 0, 0] / 10, "the order of children does not matter", ""),
        (lambda counts, _: np.full(counts.shape[:-2], counts.shape[-2] / 1.0), "a child without cases does not matter", ""),
        (lambda counts, _: counts[..., 0].sum(axis=-1), "the order of classes does not matter", "symmetric"),
        (lambda counts, _: counts.sum(axis=(-1, -2)), "children with their parent's class shares score 0", "proportional"),
    ],
)
def test_splits_that_mean_the_same_score_the_same(score, text, exempt):
    check = of("check_score", "_check_alike")
    level = np.array([[[1.0, 3.0], [2.0, 0.5]]])
    turned = SimpleNamespace(sample=lambda given, n: list(given)[::-1][:n])
    options = {"wider": True, "exempt": ()}
    check(gain, level, entropy, gain(level, entropy), turned, **options)
    with breaks(text):
        check(score, level, entropy, score(level, entropy), turned, **options)
    if text.startswith("a child"):
        check(gain, level, entropy, gain(level, entropy), turned, wider=False, exempt=())
    if exempt:
        check(score, level, entropy, score(level, entropy), turned, wider=True, exempt=("symmetric", "proportional"))


def test_an_impurity_of_a_node_is_zero_for_one_class_and_above_it_for_two():
    check = of("check_impurity", "_check_value")
    for node, own in (([3, 0], 0.0), ([0, 0], 0.0), ([1, 1], 0.5)):
        check(node, own, ())
    check([1, 1], 0.0, ("mixed",))
    for node, own, text in [
        ([1, 1], np.nan, "an impurity is finite"),
        ([1, 1], -0.1, "an impurity is never negative"),
        ([3, 0], 0.1, "the impurity of a pure or empty node is 0"),
        ([0, 0], 0.1, "the impurity of a pure or empty node is 0"),
        ([1, 1], 1e-8, "a node of two classes is impure"),
    ]:
        with breaks(text):
            check(node, own, ())


def test_children_are_on_average_no_more_impure_than_their_parent():
    check = of("check_impurity", "_check_gain")
    check(gini, [[2, 1], [1, 2]], [float(gini(np.array(node))) for node in ([2, 1], [1, 2])])
    check(gini, [[0, 0]], [0.0])
    with breaks("gain is never negative for a concave impurity"):
        check(gini, [[3, 0], [0, 1]], [0.5, 0.5])
    check(gini, [[3, 0], [0, 1]], [0.0, 1.5])
    with breaks("gain is never negative for a concave impurity"):
        check(gini, [[3, 0], [0, 1]], [0.0, 1.6])


def test_nodes_that_mean_the_same_are_equally_impure():
    check = of("check_impurity", "_check_alike")
    turned = SimpleNamespace(sample=lambda given, n: given[::-1][:n])
    check(gini, [3, 1], float(gini(np.array([3, 1]))), turned, ())
    check(gini, [3, 1], float(gini(np.array([3, 1]))), None, ())
    for impurity, text, exempt in [
        (lambda counts: counts.sum(), "nodes with the same shares are equally impure", "scale"),
        (lambda counts: counts[0] / counts.sum(), "the order of classes does not matter", "symmetric"),
        (lambda counts: float(len(counts)), "a class without cases does not matter", "absent"),
    ]:
        own = float(impurity(np.array([3, 1])))
        for random in (turned, None):
            with breaks(text):
                check(impurity, [3, 1], own, random, ())
            check(impurity, [3, 1], own, random, (exempt,))


TABLE = Table(0, Feature("f0", "numeric"), [1.0, 2.0, 3.0], np.array([[2.0, 0], [0, 1], [0, 2]]))


def measure(children):
    return gain(children, impurity=entropy)


def test_a_split_of_a_table_is_of_its_feature_and_counts_its_children():
    check = of("check_splitter", "_check_split")
    check(TABLE, Threshold(0, 1.5), TABLE.children(Threshold(0, 1.5)), ())
    check(TABLE, Threshold(0, 1.2), TABLE.children(Threshold(0, 1.2)), ("midway",))
    for split, counts, text in [
        (Threshold(1, 1.5), TABLE.children(Threshold(0, 1.5)), "a split is of its run's feature"),
        (Threshold(0, 1.5), TABLE.children(Threshold(0, 2.5)), "a splitter's counts are those of its children"),
        (Threshold(0, 9.5), TABLE.children(Threshold(0, 9.5)), "two children have cases"),
        (Threshold(0, 1.2), TABLE.children(Threshold(0, 1.2)), "cuts are midway between adjacent values"),
    ]:
        with breaks(text):
            check(TABLE, split, counts, ())


def test_no_candidate_of_a_table_is_better_and_of_equal_ones_the_lowest_is_best():
    check = of("check_splitter", "_check_best")
    best = float(measure(TABLE.children(Threshold(0, 1.5))))
    check(TABLE, best, Threshold(0, 1.5), measure)
    check(evolve(TABLE, values=[1.0], counts=TABLE.counts[:1]), -np.inf, None, measure)
    with breaks("a table of two values has a split"):
        check(evolve(TABLE, values=[1.0, 2.0], counts=TABLE.counts[:2]), -np.inf, None, measure)
    with breaks("no other candidate scores higher, as Threshold(feature=0, at=1.5) does"):
        check(TABLE, float(measure(TABLE.children(Threshold(0, 2.5)))), Threshold(0, 2.5), measure)
    even = evolve(TABLE, counts=np.array([[1.0, 0], [0, 1], [1, 0]]))
    check(even, float(measure(even.children(Threshold(0, 1.5)))), Threshold(0, 1.5), measure)
    with breaks("of equal cuts the lowest is best"):
        check(even, float(measure(even.children(Threshold(0, 2.5)))), Threshold(0, 2.5), measure)
    with breaks("no other candidate scores higher, as Subset"):
        check(TABLE, 0.1, Subset(0, (1, 3)), measure)


def test_the_answer_for_a_table_is_that_of_the_oracle():
    check = of("check_splitter", "_check_oracle")
    check(TABLE, 0.5, Threshold(0, 1.5), (0.5 + 1e-9, Threshold(0, 1.5)))
    check(TABLE, -np.inf, None, None)
    for score, split, wanted, text in [
        (0.4, Threshold(0, 1.5), (0.5, Threshold(0, 1.5)), "a score is that of the oracle"),
        (0.5, Threshold(0, 1.5), None, "a score is that of the oracle"),
        (0.5, Threshold(0, 1.5), (0.5, Threshold(0, 2.5)), "a split is that of the oracle"),
    ]:
        with breaks(text):
            check(TABLE, score, split, wanted)


VECTOR, COUNTS = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, np.nan]]), np.array([[2, 0], [0, 1], [0, 1]])


def test_a_sum_is_scored_by_its_known_cases_against_every_cut():
    made = import_module("ftree.testing.check_joint_splitter")
    split = Oblique((1, -1), 0.0)
    score, children = made._score(split, VECTOR, COUNTS, measure)
    assert children.tolist() == [[2, 0], [0, 1]]
    assert score == pytest.approx(float(measure(np.array([[2, 0], [0, 1]]))) * 3 / 4)
    assert made._cuts(VECTOR) == [Threshold(0, 0.5), Threshold(0, 1.5), Threshold(1, 0.5)]
    cut = [(Threshold(0, 0.5), 0.5)]
    made._check_best(Threshold(0, 0.5), 0.5, cut, {})
    made._check_best(split, 0.5 + 1e-6, cut, {})
    with breaks("no cut of one feature scores higher"):
        made._check_best(split, 0.4, cut, {})
    with breaks("a sum scores more than any cut of one feature"):
        made._check_best(split, 0.5, cut, {})


def test_the_same_points_in_other_units_score_the_same():
    check = of("check_joint_splitter", "_check_units")
    asked = []

    def best(vector, counts, given):
        asked.append((vector.tolist(), counts, given))
        return found

    found = (0.5, None, None)
    check(SimpleNamespace(best=best), VECTOR[:2], COUNTS, measure, 0.5)
    assert asked == [([[8, 24], [16, 8]], COUNTS, measure)]
    for answer in (None, (0.6, None, None)):
        with breaks("the units of features do not matter"):
            check(SimpleNamespace(best=lambda *_, answer=answer: answer), VECTOR, COUNTS, measure, 0.5)


# Rules -------------------------------------------------------------------------------------------------------------------

LEVEL = Frontier(3, np.array([[4.0, 4.0], [2.0, 0.0]]), np.array([1.0, 0.0])).with_splits(
    (Multiway(0, (0, 1)), Multiway(0, (0, 1))), [np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])], entropy
)


def test_rules_treat_gains_as_equal_that_rounding_tells_apart_and_rise_or_fall_as_said():
    rounding, order = of("check_rule", "_check_rounding"), of("check_rule", "_check_order")
    rounding(stop.min_gain(0.5), LEVEL, 0.5)
    for rule in (lambda frontier: frontier.gain < 0.5, lambda frontier: frontier.gain <= 0.5):
        with breaks("a rule treats gains as equal that differ only by rounding"):
            rounding(rule, LEVEL, 0.5)
    order(max_depth(3), LEVEL, "depth", rises=True)
    order(stop.min_rows(3), LEVEL, "weight", rises=False)
    with breaks("the rule falls with depth"):
        order(max_depth(3), LEVEL, "depth", rises=False)
    with breaks("the rule rises with weight"):
        order(stop.min_rows(3), LEVEL, "weight", rises=True)


@frozen
class Composed:
    """A rule whose operators answer as they are told."""

    answers: dict

    def __call__(self, _):
        return np.array([True, False])

    def __invert__(self):
        return self.answers["not"]

    def __or__(self, _):
        return self.answers["or"]

    def __and__(self, _):
        return self.answers["and"]


def test_operators_of_rules_are_those_of_their_results(monkeypatch):
    check = of("check_rule", "_check_composed")
    monkeypatch.setattr(import_module("ftree.testing.check_rule"), "as_rule", lambda rule: rule)

    def told(*closed):
        return lambda _: np.array(closed)

    right = {"not": told(False, True), "or": told(True, True), "and": told(True, False)}  # noqa: FBT003  # results for nodes
    other = told(True, True)  # noqa: FBT003  # as above
    check(Composed(right), other, LEVEL, [True, False])
    for name, text in (
        ("not", "not a rule closes the other nodes"),
        ("or", "rules joined by | close"),
        ("and", "rules joined by & close"),
    ):
        with breaks(text):
            check(Composed(right | {name: told(False, False)}), other, LEVEL, [True, False])  # noqa: FBT003  # as above


# Tables in parts and engines ---------------------------------------------------------------------------------------------


def test_a_table_in_parts_is_made_of_columns_with_their_values():
    made = import_module("ftree.testing.check_source")
    ordinal = Feature("o", "ordinal", "SML")
    data = Dataset(
        Schema([Feature("x", "numeric"), ordinal], "k", ("no", "yes")), [np.array([0.5, np.nan]), np.array([2, -1])], [1, 0]
    )
    columns = {name: list(column) for name, column in made._columns(data).items()}
    assert list(columns) == ["x", "o", "label"]
    assert (columns["o"], columns["label"], columns["x"][0]) == (["L", None], ["yes", "no"], 0.5)
    assert [made._kind(feature) for feature in data.schema.features] == ["numeric", ("S", "M", "L")]
    assert made._n_rows({"a": [1, 2], "b": (3, 4)}) == 2
    with breaks("the columns of a part are equally long: got [1, 2]"):
        made._n_rows({"a": [1, 2], "b": [3]})


def test_loops_count_and_divide_rows_in_plain_python():
    data = Dataset(
        SCHEMA, [np.array([0.0, 1, np.nan, 1, 0]), np.array([0, 1, 1, -1, 2])], [0, 1, 1, 0, 0], weights=[1, 2, 4, 0, 1]
    )
    loops = Loops.of(data, "ignore")
    assert loops.nodes == [{0: 1.0, 1: 2.0, 2: 4.0, 4: 1.0}]
    assert loops.totals() == [[2, 6]]
    assert loops.table() == {
        (0, 0, 0.0): [2, 0], (0, 0, 1.0): [0, 2], (0, 0, None): [0, 4],
        (0, 1, 0.0): [1, 0], (0, 1, 1.0): [0, 6], (0, 1, 2.0): [1, 0],
    }  # fmt: skip
    assert loops.table([0]) == {(0, (0.0,)): [2, 0], (0, (1.0,)): [0, 2], (0, (None,)): [0, 4]}
    split = Threshold(0, 0.5)
    assert loops.advance([split]).nodes == [{0: 1.0, 4: 1.0, 2: 2.0}, {1: 2.0, 2: 2.0}]
    assert evolve(loops, missing="heaviest").advance([split]).nodes == [{0: 1.0, 4: 1.0, 2: 4.0}, {1: 2.0}]
    assert evolve(loops, missing=lambda sizes: sizes * 0 + [0, 1]).advance([split]).nodes == [{0: 1.0, 4: 1.0}, {1: 2.0, 2: 4.0}]
    assert evolve(loops, missing="heaviest")._shares([1.0, 4.0, 4.0]) == [0, 1, 0], "the first of the heaviest gets all"
    assert loops._shares([1.0, 3.0]) == [0.25, 0.75]
    assert loops.advance([None]).nodes == []
    assert (loops.keep([True]).nodes, loops.keep([False]).nodes) == (loops.nodes, [])
    lost = evolve(loops, nodes=[{2: 4.0}]).advance([split])
    assert lost.nodes == [{2: 2.0}, {2: 2.0}], "children without cases count as equal"
    assert lost.advance([None, None]).totals() == []
    assert evolve(loops, nodes=[{}]).totals() == [[0, 0]]
    assert Loops.of(evolve(data, weights=None), "ignore").nodes == [dict.fromkeys(range(5), 1.0)]


def test_an_engine_that_counts_sides_is_asked_those_of_thresholds_and_subsets_and_no_others():
    check, level = of("check_engine", "_check_step"), [Threshold(0, 0.5), Multiway(1, (0, 1)), Subset(1, (0,)), None]
    asked = []

    class Asked:
        single_use = True

        def __init__(self, counts):
            self.counts = counts

        def sides(self, splits):
            asked.append(splits)
            return Avc(*(np.array(self.counts),) * 4)

        def advance(self, splits, known):
            asked.append((splits, known))
            return self

        def totals(self):
            return self.counts

    whole = Dataset(SCHEMA, ROWS.columns, ROWS.labels)
    check(level, (Asked([1]), Asked([1])), SimpleNamespace(sides=True), whole)
    in_two = [level[0], None, level[2], None]
    assert asked == [in_two, in_two, (level, None), (level, None)], "of other splits some cases may have no child"
    asked.clear()
    check(level[:1], (Asked([1]), Asked([1])), SimpleNamespace(sides=False), whole)
    assert asked == [(level[:1], None), (level[:1], [1])], "children's counts are given where every case has a child"
    with breaks("sides are those of the NumPy engine"):
        check(level, (Asked([1]), Asked([2])), SimpleNamespace(sides=True), whole)


def test_counts_of_an_engine_are_sorted_and_have_every_value():
    node, feature, value, counts = (
        np.array([0, 0, 1]),
        np.array([0, 0, 1]),
        np.array([1.0, np.nan, 2.0]),
        np.array([[1, 0], [2, 0], [0, 3]]),
    )
    wanted = {(0, 0, 1.0): [1, 0], (0, 0, None): [2, 0], (1, 1, 2.0): [0, 3]}
    check_table("counts", Avc(node, feature, value, counts), wanted)
    with breaks("counts: rows are sorted by node, then feature, then value"):
        check_table("counts", Avc(node, feature, value[[1, 0, 2]], counts[[1, 0, 2]]), wanted)
    with breaks("counts: each value that is present has a row"):
        check_table("counts", Avc(node[:2], feature[:2], value[:2], counts[:2]), wanted)
    with breaks("counts: got"):
        check_table("counts", Avc(node, feature, value, counts + 1), wanted)
    check_table("counts", Avc(node[:0], feature[:0], value[:0], counts[:0]), {})
    vectors = np.array([[0.0, 1.0], [0.0, np.nan], [0.0, 0.0]])
    pairs = {(0, (0.0, 1.0)): [1, 0], (0, (0.0, None)): [2, 0], (1, (0.0, 0.0)): [0, 3]}
    check_table("counts", Joint(node, vectors, counts), pairs)
    with breaks("counts: rows are sorted by node, then feature, then value"):
        check_table("counts", Joint(node, vectors[[1, 0, 2]], counts[[1, 0, 2]]), pairs)


# Exports -----------------------------------------------------------------------------------------------------------------


def test_a_row_lacks_an_answer_where_a_value_is_missing_or_in_no_split():
    gap, kinds = of("check_export", "_gap"), of("check_export", "_kinds")
    rows = [[0.0, "a"], [0.0, None], [0.0, "c"], [None, "a"], [1.0, None]]
    assert [gap(TREE, row) for row in rows] == [None, "missing", "unseen", "missing", None]
    meant = dict(kinds(TREE, rows, ()))
    assert meant == {
        "rows to which every split gives a child": [rows[0], rows[4]],
        "rows with missing values": [rows[1], rows[3]],
        "rows with unseen values": [rows[2]],
    }
    assert list(dict(kinds(TREE, rows[:1], ()))) == ["rows to which every split gives a child"]
    assert list(dict(kinds(TREE, rows, ("missing", "unseen")))) == ["rows to which every split gives a child"]


def test_an_export_is_refused_by_name_or_the_law_is_broken():
    refused = of("check_export", "_refused")

    def fails(words):
        raise ValueError(words)

    refused(lambda: fails("Even is opaque"), "Even", "a law")
    for export in (lambda: None, lambda: fails("opaque")):
        with breaks("a law"):
            refused(export, "Even", "a law")


def test_users_splits_of_exports_answer_and_say_their_conditions():
    made = import_module("ftree.testing.export_cases")
    column = np.array([-1.0, 0.0, 2.5, 3.0, np.nan, 4.0])
    inside = made.Inside(0, -1.0, 2.5)
    assert inside.child(column).tolist() == [1, 0, 0, 1, -1, 1]
    assert made.Even(0).child(column).tolist() == [1, 0, 1, 1, -1, 0]
    assert [str(each) for each in inside.conditions] == ["0 > -1 and 0 <= 2.5", "0 <= -1 or 0 > 2.5"]
    assert [str(each) for each in made.Even(0).conditions] == ["{0} is even", "{0} is not even"]
    assert (inside.features, made.Even(0).features) == ((0,), (0,))
    tree = made.tree_of(inside)
    assert tree.root == Branch((3, 3), inside, (Leaf((1, 0)), Branch((2, 3), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 3))))))
    rows = [[1e300], [-1e300], [2.0], [None]]
    assert made.with_infinities(tree, rows) == [[np.inf], [-np.inf], [2.0], [None]]
    summed = Tree(
        Schema([Feature("x", "numeric")], "k", ("no", "yes")), Branch((1, 1), Oblique((2.0,), 1.0), (Leaf((1, 0)), Leaf((0, 1))))
    )
    assert made.with_infinities(summed, rows) == []
    assert near(1.0, 1.0)


# Split types -------------------------------------------------------------------------------------------------------------

SPLIT = Multiway(1, (0, 1))
CHILD = np.array([0, 1, 1, -1, 0])


def test_a_split_is_a_value_of_the_schemas_features():
    check = of("check_split", "_check_value")
    check(SPLIT, SCHEMA)

    class Unequal(Multiway):
        def __eq__(self, other):
            return self is other

        __hash__ = Multiway.__hash__

    class Drifting(Multiway):
        def __hash__(self):
            return id(self)

    module = import_module("ftree.testing.check_split")
    copied = pickle.loads
    for kind, text in ((Unequal, "a split equals its copy"), (Drifting, "equal splits have equal hashes")):
        with pytest.MonkeyPatch.context() as patched, breaks(text):
            patched.setattr(module, "pickle", SimpleNamespace(dumps=lambda each: each, loads=lambda each: type(each)(1, (0, 1))))
            check(kind(1, (0, 1)), SCHEMA)
    assert pickle.loads is copied
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "pickle", SimpleNamespace(dumps=lambda each: each, loads=lambda each: each))
        patched.setattr(module, "check_schema", lambda *_: None)
        plain = {"features": (1,), "conditions": SPLIT.conditions, "n_children": 2}
        check(SimpleSplit(**plain), SCHEMA)
        with breaks("a split uses at least one feature"):
            check(SimpleSplit(**plain | {"features": ()}), SCHEMA)
        with breaks("a split has a condition for each child"):
            check(SimpleSplit(**plain | {"n_children": 3}), SCHEMA)
    with pytest.raises(ValueError, match="A split must use features 0 to 1 of the schema"):
        check(Multiway(2, (0, 1)), SCHEMA)


@frozen
class SimpleSplit:
    """A split of given members."""

    features: tuple
    conditions: tuple
    n_children: int
    answer: object = None
    answers_all_known: bool = False

    def child(self, *columns):
        return np.array([self.answer(*(column[row] for column in columns)) for row in range(len(columns[0]))], int)


def split_that(answer, n_children=2, *, known=False):
    """A split of the second feature that answers row by row."""
    return SimpleSplit((1,), SPLIT.conditions, n_children, answer, known)


def test_the_child_of_a_row_depends_on_the_row_alone():
    check = of("check_split", "_check_rows")
    check(SPLIT, ROWS, CHILD)
    for child, text in [
        (CHILD[:4], "a split has one child for each row"),
        (CHILD - 1, "a child is from -1 to n_children - 1"),
        (CHILD + 1, "a child is from -1 to n_children - 1"),
        (np.array([1, 1, 1, -1, 0]), "a row's child depends on that row alone"),
    ]:
        with breaks(text):
            check(SPLIT, ROWS, child)
    by_kind = split_that(lambda cell: int(isinstance(cell, np.floating)))
    with breaks("codes as floats, with NaN for missing values, lead to the same children"):
        check(by_kind, ROWS, np.zeros(5, int))
    for known in (True, False):
        lacking = split_that(lambda cell: -1 if cell == 2 else 0, known=known)
        if known:
            with breaks("answers_all_known: known values have a child"):
                check(lacking, ROWS, np.array([0, 0, 0, -1, 0]))
        else:
            check(lacking, ROWS, np.array([0, 0, 0, -1, 0]))


def test_conditions_and_readers_of_a_split_agree_with_its_children():
    conditions, readers = of("check_split", "_check_conditions"), of("check_split", "_check_readers")
    conditions(SPLIT, ROWS, CHILD)
    readers(SPLIT, ROWS, CHILD)
    for child in (np.array([1, 1, 1, -1, 0]), np.array([-1, 1, 1, -1, 0]), np.array([0, 1, 1, 0, 0])):
        with breaks("the condition of a child holds for exactly the rows that go there"):
            conditions(SPLIT, ROWS, child)
        with breaks("tables lead to the same children as child"):
            readers(SPLIT, ROWS, child)
    module = import_module("ftree.testing.check_split")
    for name, wrong, text in [
        ("text", lambda _: "one line", "the text has a line for each child"),
        ("rules", lambda _: [1, 2, 3], "there is at most one rule for each child"),
        ("from_dict", lambda *_, **__: TREE, "the dict of a split is read as an equal split"),
    ]:
        with pytest.MonkeyPatch.context() as patched, breaks(text):
            patched.setattr(module, name, wrong)
            readers(SPLIT, ROWS, CHILD)


def test_a_split_in_other_codes_at_observed_values_and_by_its_oracle_sends_rows_to_the_same_children():
    module = import_module("ftree.testing.check_split")
    module._check_recoding(SPLIT, ROWS, CHILD)
    module._check_observed(Threshold(0, 0.5), ROWS, np.array([0, 0, 0, 1, 1]))
    with breaks("in other numbers, rows go to the same children"):
        module._check_recoding(SPLIT, ROWS, CHILD[::-1])
    with breaks("with thresholds at observed values, rows go to the same children"):
        module._check_observed(Threshold(0, 0.5), ROWS, np.array([0, 0, 0, 1, 0]))
    for cost in (-0.1, np.inf, np.nan):
        with pytest.MonkeyPatch.context() as patched, breaks("the bits of a split are a number from 0"):
            patched.setattr(module, "bits", lambda *_, cost=cost: cost)
            module._check_observed(Threshold(0, 0.5), ROWS, np.array([0, 0, 0, 1, 1]))
    asked = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "bits", lambda split, distinct: asked.append((split, distinct)))
        module._check_observed(Threshold(0, 0.5), ROWS, np.array([0, 0, 0, 1, 1]))
    assert asked == [(Threshold(0, 0.5), distinct) for distinct in (2, 3, 10)]
    module._check_oracle(SPLIT, ROWS, CHILD, lambda _, row: {"a": 0, "b": 1}.get(row["c"]))
    with breaks("a row goes to the oracle's child: got -1, must be 0"):
        module._check_oracle(SPLIT, ROWS, CHILD, lambda _, row: {"a": 0, "b": 1}.get(row["c"], 0))
    points = list(module._points(Dataset(SCHEMA, [np.array([0.5, np.nan]), np.array([2, -1])], [0, 1])))
    assert points == [{"x": 0.5, "c": "c"}, {"x": None, "c": None}]


# Missing values ------------------------------------------------------------------------------------------------------------


def test_shares_of_a_rule_depend_on_the_sizes_alone():
    check, sizes = of("check_missing", "_check_shares"), np.array([1.0, 3.0])
    check(weighted(), sizes)
    check(lambda sizes: sizes / sizes.sum(), sizes)

    def spoiled(sizes):
        sizes += 1
        return sizes

    calls = iter(range(100))
    with breaks("a rule does not change the sizes"):
        check(spoiled, sizes.copy())
    with breaks("a rule returns the same for the same sizes"):
        check(lambda _: [0, next(calls)], sizes)

    class Mixing:
        broadcasts = True

        def __call__(self, sizes):
            return np.broadcast_to(sizes.reshape(-1, sizes.shape[-1])[0], sizes.shape)

    with breaks("a rule that broadcasts returns for many branches the shares of each"):
        check(Mixing(), sizes)


def test_the_answers_of_a_rule_are_finite_and_those_of_each_row():
    check, module = of("check_missing", "_check_answers"), import_module("ftree.testing.check_missing")
    rows = Dataset(SCHEMA, [np.array([0.0, np.nan, 1.0]), np.array([0, -1, 2])], [0, 1, 1])
    random = SimpleNamespace(sample=lambda given, n: list(given)[::-1][:n])
    check(weighted(), TREE, rows, random)
    for counts, text in (
        ([[np.inf, 0]] * 3, "predicted counts are finite"),
        ([[-1.0, 0]] * 3, "predicted counts are never negative"),
    ):
        with pytest.MonkeyPatch.context() as patched, breaks(text):
            patched.setattr(module, "predict_counts", lambda *_, counts=counts, **__: np.array(counts))
            check(weighted(), TREE, rows, random)
    labels = iter([["no", "no", "yes"], ["yes", "no", "yes"]])
    with pytest.MonkeyPatch.context() as patched, breaks("a row with an answer at every split does not depend on the rule"):
        patched.setattr(module, "predict", lambda *_, **__: next(labels))
        check(weighted(), TREE, rows, random)
    answers = iter([np.arange(6.0).reshape(3, 2), np.zeros((3, 2))])
    with pytest.MonkeyPatch.context() as patched, breaks("row order does not matter"):
        patched.setattr(module, "predict_counts", lambda *_, **__: next(answers))
        check(weighted(), TREE, rows, random)
    with pytest.MonkeyPatch.context() as patched, breaks("compiled code predicts as NumPy does"):
        patched.setattr(module, "gather_counts", lambda *_: np.zeros((3, 2)))
        check(weighted(), TREE, rows, random)
    multiway, binary = module._policies("heaviest")
    assert (multiway, binary) == (
        evolve(ID3, missing="heaviest"),
        evolve(ID3, missing="heaviest", splits=(subset(), threshold())),
    )


def test_a_growth_policy_is_also_checked_as_a_part_of_a_policy_and_its_prediction_as_a_rule(monkeypatch):
    module, asked = import_module("ftree.testing.check_missing"), []
    monkeypatch.setattr(
        module, "trying", lambda **_: settings(max_examples=1, deadline=None, phases=[Phase.generate], database=None)
    )
    monkeypatch.setattr(module, "check_policy", asked.append)
    monkeypatch.setattr(module, "_check_rule", asked.append)
    for policy, rule in ((heaviest(), heaviest()), (as_value(), all_routes())):
        asked.clear()
        module.check_missing(policy)
        assert asked == [evolve(ID3, missing=policy), rule]


def test_errors_of_a_path_are_counted_row_by_row_and_the_chosen_tree_is_returned():
    check, module = of("check_path_choice", "_check_measured"), import_module("ftree.testing.check_path_choice")
    rows = ROWS.take([0, 1, 2, 4])
    check(prune.lowest_error, TREE, rows)
    right, folded = module.measured, module.cross_validated

    def worse(found):
        return [evolve(row, error=row.error + 0.1) for row in found]

    def larger(found):
        return [evolve(row, leaves=row.leaves + 1) for row in found]

    for name, wrong, text in [
        ("measured", lambda *each: worse(right(*each)), "an error is the share of the cases that a tree predicts wrongly"),
        (
            "cross_validated",
            lambda *each, **by: worse(folded(*each, **by)),
            "if all folds grow one tree, its errors are those on all",
        ),
        ("measured", lambda *each: larger(right(*each)), "leaves, alpha and cp are those of the path"),
        ("select", lambda *_, **__: None, "select returns the tree that is chosen"),
    ]:
        with pytest.MonkeyPatch.context() as patched, breaks(text):
            patched.setattr(module, name, wrong)
            check(prune.lowest_error, TREE, rows)
