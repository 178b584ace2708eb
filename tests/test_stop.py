"""Stopping rules one by one: the parts of a frontier that each uses, and the arguments that it refuses."""

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given

from ftree import CART, ID3, Dataset, Leaf, entropy, gain, grow, n_leaves, stop
from ftree.criteria import Nodes, any_of
from ftree.datasets import weather
from ftree.estimator import TreeClassifier
from ftree.prune import cost_complexity, trim
from ftree.responses import events
from ftree.testing import check_rule, frontiers
from ftree.tree import Multiway


def level(*nodes, depth=0):
    """A frontier of nodes given by their children's class counts."""
    children = [np.array(node) for node in nodes]
    counts = np.array([node.sum(axis=0) for node in children])
    splits = tuple(Multiway(0, range(len(node))) for node in children)
    return Nodes(depth, counts, entropy(counts)).with_splits(splits, children, entropy)


TWO = level([[4, 0], [0, 4]], [[3, 1], [3, 1]], depth=2)


def test_pure_means_one_class_is_left_whatever_the_impurity():
    nodes = level([[2, 0], [1, 0]], [[1, 0], [0, 1]])
    assert stop.pure()(nodes).tolist() == stop.pure()(evolve(nodes, impurity=np.zeros(2))).tolist() == [True, False]


def test_chi_squared_drops_empty_branches_and_absent_classes():
    with_nothing = level([[4, 1, 0], [1, 4, 0], [0, 0, 0]])
    assert with_nothing.chi2 == pytest.approx([3.6])
    assert with_nothing.dof.tolist() == [1]
    assert level([[3, 0], [2, 0]]).p_value.tolist() == [1.0], "one class cannot depend on anything"


@given(frontiers())
def test_the_gain_of_a_frontier_is_the_gain_of_its_children(frontier):
    assert frontier.gain.tolist() == pytest.approx([float(gain(node.child_counts)) for node in frontier.nodes()])


def test_what_needs_no_split_is_asked_before_the_search():
    rule = (
        stop.max_depth(3)
        | stop.no_gain()
        | ~stop.pure()
        | (stop.min_rows(2) & stop.pure())
        | (stop.min_rows(2) & stop.no_gain())
        | len
    )
    assert stop.before_the_search(rule) == stop.max_depth(3) | ~stop.pure() | (stop.min_rows(2) & stop.pure())
    assert stop.before_the_search(stop.no_gain()) == stop.never
    assert stop.alternatives(stop.pure()) == (stop.pure(),)


@pytest.mark.parametrize("shrink", [0, 0.3, 1])
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_errors_of_events_are_the_deviance_of_the_rates_that_nodes_answer(engine, shrink):
    """In the root's of a case; rates are shrunken towards the root's."""
    happened = np.array([1, 0, 2, 1, 9, 4, 6, 9] * 3)
    table = Dataset.from_columns({"x": np.arange(8.0).tolist() * 3, "y": happened}, target="y", response=events(shrink=shrink))
    expected, prior = happened.mean(), shrink and shrink**-2

    def deviance(rows, rate):
        return 2 * sum(y * np.log(y / rate) - (y - rate) if y else rate for y in rows.tolist())

    first = grow(table, CART.stopping(stop.max_depth(1)), engine=engine).root.split
    left, right = (happened[(table.columns[0] > first.at) == side] for side in (False, True))
    for place, rows in enumerate((left, right)):
        rate = (rows.sum() + prior) / (len(rows) + prior / expected)
        errors = deviance(rows, rate) / deviance(happened, expected) * len(happened)
        for times, is_leaf in ((1 - 1e-9, False), (1 + 1e-9, True)):
            tree = grow(table, CART.stopping(stop.min_errors(errors * times)), engine=engine)
            assert isinstance(tree.root.children[place], Leaf) == is_leaf


def test_errors_of_numbers_are_all_cases_at_the_root():
    table = Dataset.from_rows([[0], [1]] * 4, [0, 1] * 4, response="numbers", kinds="numeric")
    grown = [grow(table, CART.stopping(stop.min_errors(n)), engine="plain").root for n in (8, 8 + 1e-9)]
    assert [isinstance(root, Leaf) for root in grown] == [False, True]


@given(frontiers())
def test_a_rule_of_a_number_keeps_nodes_that_have_the_number(frontier):
    """Of a gain, a number within a tie; of one that is 0 but for rounding, the number would be below 0."""
    for node in frontier.nodes():
        gain = max(node.gain, 0) + 1e-12
        for rule in (
            stop.min_rows(float(node.weight)),
            stop.min_errors(float(node.weight - node.counts.max())),
            stop.min_best_child(float(node.smallest_child)),
            stop.min_gain(gain),
            stop.min_impurity_decrease(gain * node.weight / 9, cases=9),
            stop.not_significant(float(node.p_value)),
        ):
            assert not rule(node)


def test_all_cases_of_a_decrease_may_be_fewer_than_one():
    light = weather().with_weights(np.full(14, 0.5 / 14))
    trees = [grow(light, ID3.stopping(stop.min_impurity_decrease(0.2, cases=cases))) for cases in (0.5, 1)]
    assert [n_leaves(tree) for tree in trees] == [5, 1]


RULES = [
    *(stop.pure(), stop.max_depth(3), stop.min_rows(5), stop.min_errors(2), stop.min_best_child(2), stop.no_gain()),
    *(stop.min_gain(0.1), stop.min_impurity_decrease(0.1, cases=9), stop.not_significant(), stop.max_leaves(3)),
]


def test_every_rule_that_reads_no_split_says_so():
    assert {type(rule).__name__ for rule in RULES} == set(stop.__all__) - {
        *("rule", "never", "always", "all_of", "any_of", "not_"),  # no classes of rules, or made of rules
        "per_node",  # its function may look at anything
    }

    other = evolve(TWO, gain=TWO.gain * 0, child_counts=TWO.child_counts // 4)
    for rule in RULES:  # `check_rule` finds rules that say it and read one
        reads_a_split = rule(TWO).tolist() != rule(other).tolist()
        assert reads_a_split == (getattr(rule, "looks_at", None) is None) or type(rule) is stop.max_leaves


def test_a_class_of_ones_own_says_that_it_reads_no_split_and_its_subclasses_say_nothing():
    class ByDepth:
        looks_at = "node"

        def __call__(self, frontier):
            return frontier.depth >= 2

    class ByMore(ByDepth):
        """It may read anything."""

    mine, more = ByDepth(), ByMore()
    assert stop.before_the_search(any_of(mine, more, stop.no_gain())) == any_of(mine)
    lying = ByDepth()
    ByDepth.__call__ = lambda _, frontier: frontier.gain > 0.1
    with pytest.raises(AssertionError, match='a rule that looks_at = "node" reads no split'):
        check_rule(lying)


@pytest.mark.parametrize(
    "make",
    [
        lambda: stop.max_depth(-1),
        lambda: stop.min_rows(-1),
        lambda: stop.min_best_child(float("nan")),
        lambda: stop.min_gain(float("inf")),
        lambda: stop.max_leaves(0),
        lambda: stop.not_significant(1.5),
        lambda: stop.not_significant(alpha=-0.1),
        lambda: stop.max_depth("3"),
        lambda: stop.min_rows(None),
        lambda: stop.not_significant(alpha="5 %"),
    ],
)
def test_a_rule_refuses_what_makes_no_sense(make):
    with pytest.raises(ValueError, match=r"must be .*, got "):
        make()


# Each rule of a number from 0, with the name by which it refuses others: its own, except for what only a keyword takes.
FROM_0 = {
    "min_rows": stop.min_rows,
    "min_errors": stop.min_errors,
    "min_best_child": stop.min_best_child,
    "min_gain": stop.min_gain,
    "min_impurity_decrease": lambda least: stop.min_impurity_decrease(least, cases=9),
    "cases": lambda cases: stop.min_impurity_decrease(0.1, cases=cases),
}


@pytest.mark.parametrize(("name", "make"), FROM_0.items(), ids=FROM_0)
@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf, True, "5", None, 10**400], ids=lambda wrong: repr(wrong)[:9])
def test_all_rules_of_a_number_refuse_others_by_one_sentence(name, make, wrong):
    assert make(0)(TWO).shape == make(np.uint8(200))(TWO).shape == (2,)
    with pytest.raises(ValueError, match=rf"^{name} must be a number of at least 0, got "):
        make(wrong)


@stop.rule
@frozen
class Mixed:
    share: float

    def __call__(self, frontier):
        return frontier.counts.max(axis=-1) < self.share * frontier.weight


@frozen
@stop.rule
class MixedToo(Mixed):
    pass


@pytest.mark.parametrize("rule", [stop.pure(), stop.never, ~stop.pure(), stop.per_node(len), Mixed(0.9), MixedToo(0.9)])
def test_a_rule_is_no_measure_of_counts_no_pass_and_no_learner(rule):
    """A rule of one's own like those of the library: otherwise it fails at the first node, in a sentence about that."""
    for ask in (
        lambda: cost_complexity(0.1, risk=rule),
        lambda: evolve(ID3, impurity=rule),
        lambda: evolve(ID3, score=rule),
        lambda: evolve(ID3, choose=rule),
        lambda: TreeClassifier(prune=rule).fit([[0.0], [1.0]], ["no", "yes"]),
        lambda: TreeClassifier(policy=rule).fit([[0.0], [1.0]], ["no", "yes"]),
    ):
        with pytest.raises(TypeError, match=" must be "):
            ask()


def test_per_node_hears_plain_numbers():
    heard = []
    stop.per_node(lambda node: heard.append((float(node.weight), node.counts.tolist(), node.depth)))(TWO)
    assert heard == [(8.0, [4, 4], 2), (8.0, [6, 2], 2)]
    assert stop.per_node(lambda node: node.gain > 0.5 and node.depth > 1)(TWO).tolist() == [True, False]
    assert stop.per_node(stop.pure())(TWO[0]) is False


def test_a_rule_of_one_node_answers_with_booleans_even_where_there_is_no_node():
    nothing = Nodes(0, np.zeros((0, 2)), np.zeros(0))
    for rule in (stop.per_node(len), stop.never, stop.max_depth(0), stop.max_leaves(1)):
        assert rule(nothing).dtype == bool
        assert rule(nothing).shape == (0,)


@pytest.mark.parametrize(
    "rule",
    [
        *[~stop.max_leaves(3), stop.max_leaves(3) & stop.max_depth(1), stop.max_depth(1) | ~stop.max_leaves(3)],
        *[stop.per_node(stop.max_leaves(3)), stop.pure() | stop.per_node(stop.max_leaves(3) | stop.pure())],
    ],
)
def test_a_number_of_leaves_has_no_meaning_under_not_and_and_and_for_one_node(rule):
    with pytest.raises(ValueError, match=r"max_leaves must stand alone or under \|"):
        stop.leaf_limit(rule)
    for asks in (lambda: evolve(ID3, stop=rule), lambda: trim(rule)):
        with pytest.raises(ValueError, match=r"max_leaves must stand alone or under \|"):
            asks()


def test_the_least_of_several_limits_of_leaves_counts():
    assert [stop.leaf_limit(stop.max_leaves(n) | stop.max_leaves(8 - n) | stop.pure()) for n in (3, 5)] == [3, 3]
