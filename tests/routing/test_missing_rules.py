"""Missing-value policies as values: names, users' own, errors, and the rule that a tree keeps."""

import pickle
import re
from operator import itemgetter
from typing import get_args

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree.exchange import to_sql
from ftree.prune import collapse, compose, mdl, pessimistic
from ftree.routing import all_routes, at_observed, heaviest, missing_rules, stop_here, weighted
from ftree.routing.missing_rules import as_prediction_rule, child_of_rest, divide_weights, shares_of, whole_shares
from ftree.routing.predict import cheapest_class
from ftree.splitters import as_branch, as_value, ignore, missing_policies, surrogates
from ftree.splitters.missing_policies import _DEFAULTS as HOOKS
from ftree.splitters.missing_policies import as_missing_policy
from ftree.testing import check_missing, datasets
from ftree.tree import Subset, Threshold, map_leaves, replace_at, subtree_at

SCHEMA = ft.Schema([ft.Feature("x", "numeric")], "class", ("no", "yes"))
STUMP = ft.Branch((4, 5), Threshold(0, 0.5), [ft.Leaf((4, 0)), ft.Leaf((0, 5))])
TREE = ft.Tree(SCHEMA, STUMP)
NAMED = {
    "all_routes": all_routes(),
    "weighted": weighted(),
    "heaviest": heaviest(),
    "stop": stop_here(),
    "stop_here": stop_here(),
}


def lightest(sizes):
    """A user's rule: the whole row to the child with the fewest cases."""
    return np.arange(len(sizes)) == sizes.argmin()


@pytest.mark.parametrize(("name", "rule"), NAMED.items())
def test_a_name_stands_for_its_rule(name, rule):
    assert as_prediction_rule(name) == as_prediction_rule(rule) == rule
    assert eval(repr(rule)) == rule  # noqa: S307  # a repr is Python, which is the claim
    assert ft.predict_counts(TREE, [None], missing=name).tolist() == ft.predict_counts(TREE, [None], missing=rule).tolist()


def test_a_rule_of_ones_own_goes_wherever_ours_do():
    data = ft.Dataset.from_rows([[None], [0.0], [1.0]], ["no", "no", "yes"], features=["x"], kinds="numeric")
    assert ft.predict(TREE, [None], missing=lightest) == "no"
    assert ft.predict_proba(TREE, [None], missing=lightest).tolist() == [1, 0]
    assert ft.accuracy(TREE, data, missing=lightest) == 1
    assert ft.confusion(TREE, data, missing=lightest).accuracy == 1
    assert ft.mean_cost(TREE, data, costs=[[0, 1], [1, 0]], missing=lightest) == 0
    assert ft.path_of(TREE, [None], missing=lightest).path == (0,)
    assert ft.recount(TREE, data, missing=lightest).root.children[0].counts == (2, 0)
    rows = ft.Dataset.from_rows([[None], [0.0], [1.0]] * 4, ["no", "no", "yes"] * 4, kinds="numeric")
    assert ft.cross_validate(rows, folds=2, missing=lightest).mean <= 1
    assert ft.learning_curve(rows, sizes=[6], repeats=2, missing=lightest)[0].size == 6


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ([1.0], r"got \[1\.0\]"),
        ([[1.0, 0.0]], "got"),
        ([-1.0, 2.0], "got"),
        ([np.nan, 1.0], "got"),
        ([np.inf, 1.0], "got"),
        (["a", "b"], "got"),
        (None, "got None"),
        (np.ones(3), r"got ndarray of shape \(3,\)"),
    ],
)
def test_a_rule_must_return_a_finite_share_for_each_child(answer, shown):
    def wrong(_):
        return answer

    with pytest.raises(ValueError, match=f"wrong must return shares, a finite number from 0 for each of 2 children, {shown}"):
        ft.predict(TREE, [None], missing=wrong)


def test_a_rule_is_no_class_and_no_growth_policy():
    with pytest.raises(TypeError, match=r"missing must be a prediction rule, got the class weighted. Write weighted\(\)"):
        ft.predict(TREE, [None], missing=weighted)
    for wrong in (surrogates(), as_value(), "ignore"):
        with pytest.raises(ValueError, match="missing must be a prediction rule such as weighted"):
            ft.predict(TREE, [None], missing=wrong)


def test_paths_refuse_a_rule_that_follows_several_routes_at_a_node():
    three = ft.Branch((3, 3), Threshold(0, 0.5), [STUMP, ft.Leaf((1, 1))])
    with pytest.raises(ValueError, match="follows one route"):
        ft.path_of(ft.Tree(SCHEMA, three), [None], missing=lambda sizes: sizes / sizes.sum() if sizes[0] > 5 else sizes > 1)


@pytest.mark.parametrize(("module", "members"), [(missing_rules, missing_rules.RULE_OPTIONS), (missing_policies, HOOKS)])
def test_the_table_of_a_module_lists_each_optional_member(module, members):
    assert re.findall(r"^\| `(\w+)` \|", module.__doc__, re.MULTILINE) == list(members)


def test_every_name_stands_for_a_rule():
    assert set(get_args(missing_rules.RuleName)) == NAMED.keys()


class Asked:
    """A rule that notes for which optional members it is asked."""

    def __init__(self):
        self.names = set()

    def __call__(self, sizes):
        return weighted()(sizes)

    def __getattr__(self, name):
        self.names.add(name)
        if name == "distributions":  # else `shap_values` refuses the rule
            return True
        raise AttributeError(name)


def test_a_rule_is_asked_for_no_other_members():
    rule, data = Asked(), ft.Dataset.from_rows([[None], [0.0], [1.0]] * 3, ["no", "no", "yes"] * 3, features=["x"])
    for function in (ft.predict, ft.predict_proba, ft.shap_values, ft.recount, ft.confusion):
        function(TREE, data, missing=rule)
    own = evolve(TREE, missing=rule)
    for answer in (ft.path_of(own, [None]), ft.explain_row(own, [None]), to_sql(own), ft.leaf_of(own, [None])):
        assert answer
    assert {name for name in rule.names if not name.startswith("_")} == missing_rules.RULE_OPTIONS.keys()


@frozen
class OfTwo:
    """A user's rule that divides a row among two children as one rule, and among more as another."""

    two: object
    more: object

    @property
    def distributions(self):
        return getattr(self.more, "distributions", False)

    def __call__(self, sizes):
        return (self.two if len(sizes) == 2 else self.more)(sizes)


THREE = ["a", "a", "b", "b", "c", "c", "c"]
TABLES = {
    "classes": ft.Dataset.from_columns({"x": THREE, "y": [*"ppqqrrp"]}, target="y"),
    "numbers": ft.Dataset.from_columns({"x": THREE, "y": [1.5, 1.5, 2.0, 2.0, 3.0, 3.0, 3.5]}, target="y"),
}


def outcome(function, *args, **options):
    """What a function returns, or that it refuses its arguments."""
    try:
        return function(*args, **options)
    except ValueError:
        return "refused"


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("two", NAMED.values(), ids=repr)
@pytest.mark.parametrize("more", NAMED.values(), ids=repr)
def test_a_rule_is_judged_by_the_branches_that_it_meets(kind, two, more):
    table, rule = TABLES[kind], OfTwo(two, more)
    tree = evolve(ft.grow(table, evolve(ft.ID3, impurity=ft.gini)), missing=more)
    own, gaps = evolve(tree, missing=rule), evolve(table, columns=[np.array([0, 0, 1, 1, 2, -1, -1])])
    assert len(tree.root.children) == 3
    assert ft.path_of(own, [None]) == ft.path_of(tree, [None])
    assert ft.explain_row(own, [None]) == ft.explain_row(tree, [None])
    assert ft.recount(own, gaps).root == ft.recount(tree, gaps).root
    assert outcome(parts_of_shap, own) == outcome(parts_of_shap, tree)
    answers = ft.predict if kind == "numbers" else ft.predict_proba
    assert np.array_equal(answers(own, [[None]]), answers(tree, [[None]]))


def parts_of_shap(tree):
    found = ft.shap_values(tree, [[None], ["b"]])
    return found.base.tolist(), found.values.tolist()


@frozen
class Shared:
    """A user's rule that gives these shares."""

    shares: object

    def __call__(self, _):
        return self.shares


def test_shares_may_be_numbers_of_any_kind_and_become_floats():
    for shares in ([True, False], [1, 0], np.array([1, 0], np.uint8), (1.0, 0.0)):
        found = shares_of(Shared(shares), np.array([1.0, 2.0]))
        assert (found.tolist(), found.dtype) == ([1, 0], np.float64)
    assert shares_of(weighted(), np.zeros(2)).tolist() == [0.5, 0.5], "children without cases count as equal"
    assert shares_of(lambda sizes: sizes / sizes.sum(), np.array([[1, 3], [0, 0]])).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert shares_of(lambda sizes: sizes, np.zeros((0, 2))).shape == (0, 2)


def test_shares_that_add_up_but_for_rounding_are_whole():
    for rest, whole in [(0.5 + 9e-10, True), (0.5 - 9e-10, True), (0.5 + 2e-9, False), (0.5 - 2e-9, False)]:
        rule, sizes = Shared([0.5, rest]), np.array([1.0, 2.0])
        assert (child_of_rest(np.array([0.5, rest])) >= 0) == whole
        if whole:
            assert whole_shares(rule, sizes).tolist() == [0.5, rest]
            continue
        with pytest.raises(
            ValueError, match=r"^missing must be a rule with shares that add up to 1, such as weighted\(\), got .*Shared.*"
        ):
            whole_shares(rule, sizes)
    assert child_of_rest(np.array([[0.5, 0.5], [0.2, 0.8], [0, 0]])).tolist() == [0, 1, -1], "the first of the largest"


@pytest.mark.parametrize(
    ("shares", "parts", "stays"),
    [
        ([1.0, 1.0], [[1, 0.5], [1, 0.5]], [0, 0]),
        ([0.0, 0.0], [[0, 0], [0, 0]], [1, 0.5]),
        ([0.0, 1.0], [[0, 0], [1, 0.5]], [0, 0]),
        ([0.3, 0.7], [[0.25, 0], [0.75, 0.5]], [0, 0]),
        ([0.7, 0.3], [[0.75, 0.5], [0.25, 0]], [0, 0]),
        ([0.5, 0.3], [[0.5, 0.25], [0.25, 0]], [0.25, 0.25]),
        ([1.0, 0.3], [[1, 0.5], [0.25, 0]], [0, 0]),
        ([0.5, 0.75], [[0.5, 0.25], [0.75, 0.25]], [0, 0]),
    ],
)
def test_weights_are_divided_on_the_grid_and_what_no_child_gets_stays(shares, parts, stays):
    found, left = divide_weights(np.array([1.0, 0.5]), np.array(shares), 0.25)
    assert (found.tolist(), left.tolist()) == (parts, stays)


OWN = ft.Tree(SCHEMA, STUMP, missing=heaviest())


def test_a_tree_predicts_by_its_own_rule_unless_told_otherwise():
    assert ft.predict_counts(OWN, [None]).tolist() == [0, 5]
    assert ft.predict_counts(OWN, [None], missing="all_routes").tolist() == ft.predict_counts(TREE, [None]).tolist() == [4, 5]
    low = ft.Dataset.from_rows([[None]], ["no"], features=["x"], kinds="numeric")
    stopped = ft.Tree(SCHEMA, ft.Branch((9, 5), Threshold(0, 0.5), [ft.Leaf((4, 0)), ft.Leaf((5, 5))]), missing=stop_here())
    assert ft.accuracy(stopped, low) == 1 == ft.confusion(stopped, low).accuracy
    assert ft.accuracy(OWN, low) == 0 == ft.confusion(OWN, low).accuracy
    assert ft.mean_cost(OWN, low, costs=[[0, 3], [1, 0]]) == 3


def test_the_rule_is_part_of_the_tree():
    assert OWN != TREE
    assert hash(OWN) != hash(TREE)
    assert repr(OWN) == "<Tree for 'class': 3 nodes, 2 leaves, missing=heaviest()>"
    assert repr(TREE) == "<Tree for 'class': 3 nodes, 2 leaves>"
    assert pickle.loads(pickle.dumps(OWN)) == OWN  # noqa: S301  # made here
    assert ft.from_dict(ft.to_dict(OWN, counts=True), SCHEMA, missing=heaviest()) == OWN


def test_edits_counts_and_passes_keep_the_rule():
    data = ft.Dataset.from_rows([[0.0], [1.0]], ["no", "yes"], features=["x"])
    edits = [
        ft.collapse_at(OWN, ()),
        subtree_at(OWN, (0,)),
        replace_at(OWN, (0,), ft.Leaf((4, 0))),
        map_leaves(OWN, lambda leaf: ft.Leaf(leaf.counts[::-1])),
        ft.recount(OWN, data),
        at_observed(OWN, data),
        compose(collapse(), mdl(), pessimistic())(OWN),
    ]
    assert [edited.missing for edited in edits] == [heaviest()] * len(edits)


def test_a_policy_names_the_rule_of_its_trees():
    data = ft.Dataset.from_rows([["a"], ["b"], [None]], [0, 1, 1])
    rules = [ft.grow(data, policy).missing for policy in (ft.ID3, ft.C45, ft.CART, ft.CHAID, evolve(ft.ID3, missing="heaviest"))]
    assert rules == [None, weighted(), None, None, heaviest()]
    assert ft.grow(data, evolve(ft.ID3, missing=ignore(predict=lightest))).missing is lightest
    assert ft.grow(data, evolve(ft.CART, missing=as_branch(predict="stop"))).missing == stop_here()


@pytest.mark.parametrize("wrong", ["weighted", 3, weighted])
def test_the_rule_of_a_tree_is_a_function(wrong):
    with pytest.raises(TypeError, match="missing must be a function, got"):
        ft.Tree(SCHEMA, STUMP, missing=wrong)


@frozen
class FillWithZero:
    """A user's policy with one hook."""

    def prepare(self, dataset):
        return evolve(dataset, columns=[np.nan_to_num(column) for column in dataset.columns])


def test_names_stand_for_policies_and_policies_for_themselves():
    named = [as_missing_policy(name) for name in ("ignore", "heaviest", "as_value")]
    assert named == [ignore(), heaviest(), as_value()]
    assert evolve(ft.ID3, missing="as_value").missing == as_value()
    assert as_missing_policy(FillWithZero()) == FillWithZero()
    assert repr(evolve(ft.ID3, missing="heaviest")).endswith("missing=heaviest())")
    assert ft.ID3 == ft.Policy() != ft.C45


def test_what_has_no_hook_is_no_growth_policy():
    for wrong in ("drop", 3, None, weighted(), itemgetter(0)):
        with pytest.raises(ValueError, match=r"be a policy such as surrogates\(\), or one of 'ignore', 'heaviest', 'as_value'"):
            evolve(ft.ID3, missing=wrong)
    with pytest.raises(TypeError, match=r"got the class surrogates. Write surrogates\(\.\.\.\), with parentheses"):
        evolve(ft.ID3, missing=surrogates)


def test_a_prepared_dataset_is_what_grows():
    data = ft.Dataset.from_rows([[None], [1.0], [2.0]], [1, 0, 0], kinds="numeric")
    assert ft.grow(data, evolve(ft.ID3, missing=FillWithZero())).root.split == Threshold(0, 0.5)
    check_missing(FillWithZero())

    @frozen
    class Forgetful:
        def prepare(self, _):
            return None

    with pytest.raises(TypeError, match=r"prepare of .*Forgetful.* must return a Dataset, got None"):
        ft.grow(data, evolve(ft.ID3, missing=Forgetful()))


def test_a_discount_decides_what_a_score_counts():
    """The feature with gaps splits better, but half of its values are missing: `ignore` halves its gain."""

    @frozen
    class Whole:
        def discount(self, known):
            return np.ones_like(known)

    rows = [["a", "p"], ["b", "q"], [None, "p"], [None, "q"], ["a", "p"], ["b", "q"], [None, "p"], [None, "p"]]
    data = ft.Dataset.from_rows(rows, [0, 1, 0, 1, 0, 1, 0, 1])
    assert ft.grow(data, ft.ID3).root.split.feature == 1
    assert ft.grow(data, evolve(ft.ID3, missing=Whole())).root.split.feature == 0
    assert ft.grow(data, evolve(ft.ID3, missing=Whole()), engine="compiled").root.split.feature == 0


@given(datasets(missing=True, weighted=True), st.sampled_from(["ignore", "heaviest"]))
def test_shares_of_ones_own_that_are_those_of_ours_grow_our_trees(data, name):
    rule = {"ignore": weighted(), "heaviest": heaviest()}[name]

    @frozen
    class Same:
        def shares(self, sizes):
            return rule(sizes)

    own, ours = ft.grow(data, evolve(ft.ID3, missing=Same())), ft.grow(data, evolve(ft.ID3, missing=name))
    assert own.root == ours.root


@pytest.mark.parametrize("factor", [2.0**-40, 1.0, 2.0**40])
def test_costs_in_another_unit_choose_the_same_class(factor):
    counts, tree = np.array([[0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3], [0.3, 0.3 + 1e-6], [0.0, 0.0]]), ft.Tree(SCHEMA, ft.Leaf((1, 1)))
    assert cheapest_class(tree, counts, None, [[0, factor], [factor, 0]]).tolist() == [0, 0, 1, 0]


def test_thresholds_at_observed_values_leave_the_other_nodes_as_they_are():
    data = ft.Dataset.from_rows([["a", 1.0], ["a", 2.0], ["b", 1.0], ["c", 2.0]], [0, 1, 0, 2])
    twig = ft.Branch((1, 1, 0), Threshold(1, 1.5), [ft.Leaf((1, 0, 0)), ft.Leaf((0, 1, 0))])
    still = ft.Branch((1, 0, 1), Subset(0, (1,)), [ft.Leaf((1, 0, 0)), ft.Leaf((0, 0, 1))])
    tree = ft.Tree(data.schema, ft.Branch((2, 1, 1), Subset(0, (0,)), [twig, still]))
    moved = at_observed(tree, data)
    assert moved.root.children[0] == ft.Branch(twig.counts, Threshold(1, 1.0), twig.children)
    assert moved.root.children[1] is still
    assert at_observed(moved, data).root is moved.root


def test_a_misspelt_hook_is_refused_and_other_methods_are_not():
    class Misspelt:
        predict = "weighted"

        def share(self, sizes):
            return sizes

    class Helped:
        def shares(self, sizes):
            return self.shared(sizes)

        def shared(self, sizes):
            return sizes / sizes.sum()

    message = r"^Hooks of Misspelt must be among prepare, .*, predict, got share\. Did you mean shares\?$"
    with pytest.raises(TypeError, match=message):
        evolve(ft.ID3, missing=Misspelt())
    assert isinstance(as_missing_policy(Helped()), Helped)
