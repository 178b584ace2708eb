"""Prunings by worked examples: paths and errors, shared nodes, descriptions, measures, and pictures of paths."""

from math import lgamma, log, log2, pi, sqrt

import numpy as np
import pytest
from attrs import evolve

from ftree import Branch, Feature, Leaf, Multiway, Schema, Subset, Threshold, Tree, prune
from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import misclassification
from ftree.prune.decisions import Decision
from ftree.prune.description_length import class_code, split_cost
from ftree.prune.measures import Measured, measured_step
from ftree.prune.order import in_level_order, path_to
from ftree.prune.rule_sets import _bits, chosen_rules, condition_bits, log2_factorial
from ftree.prune.sharing import as_pruning
from ftree.show.formulas import Rule
from ftree.testing import chain

SCHEMA = Schema([Feature("x", "numeric"), Feature("w", "nominal", "abc")], "y", ("no", "yes"))
LOW = Branch((3, 1), Threshold(0, 1.5), [Leaf((3, 0)), Leaf((0, 1))])
HIGH = Branch((2, 3), Multiway(1, (0, 1, 2)), [Leaf((2, 0)), Leaf((0, 0)), Leaf((0, 3))])
TREE = Tree(SCHEMA, Branch((5, 4), Threshold(0, 4.5), [LOW, HIGH]))


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


def test_nodes_are_numbered_level_by_level():
    order = in_level_order(TREE)
    assert order.nodes == [TREE.root, LOW, HIGH, *LOW.children, *HIGH.children]
    assert order.parents == [-1, 0, 0, 1, 1, 2, 2, 2]
    assert [list(some) for some in order.below] == [[1, 2], [3, 4], [5, 6, 7], [], [], [], [], []]
    assert [order.path(number) for number in range(8)] == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    assert path_to(7, order.parents, order.below) == (1, 2)
    assert [order.nearest_with_cases(number) for number in (0, 5, 6)] == [TREE.root, HIGH.children[0], HIGH]
    empty = in_level_order(Tree(SCHEMA, Branch((0, 0), Threshold(0, 1.0), [Leaf((0, 0)), Leaf((0, 0))])))
    assert empty.nearest_with_cases(2) is empty.nodes[0]


# Functions that return prunings -----------------------------------------------------------------------------------------


def own(tree):
    return tree


def test_a_pruning_is_made_of_the_nodes_of_its_input():
    copy = Branch((5, 4), Threshold(0, 4.5), [Branch(LOW.counts, LOW.split, [Leaf((3, 0)), Leaf((0, 1))]), Leaf((2, 3))])
    for result in (copy, Tree(SCHEMA, copy)):
        made = as_pruning(TREE, result, own).root
        assert made == copy
        assert made.children[0] is LOW
    whole = as_pruning(TREE, Branch((5, 4), Threshold(0, 4.5), [LOW, HIGH]), own)
    assert whole is TREE
    assert as_pruning(TREE, Leaf((5, 4)), own).root == Leaf((5, 4))
    deep = chain(3000)
    assert as_pruning(deep, Leaf(deep.root.counts), own).root == Leaf(deep.root.counts)


@pytest.mark.parametrize(
    ("result", "error", "fault"),
    [
        (None, TypeError, "own must return a Tree or a node (Leaf or Branch), got None."),
        (
            Tree(evolve(SCHEMA, target="z"), TREE.root),
            ValueError,
            "own must return a tree with the schema of its input, got another schema.",
        ),
        (Leaf((5, 3)), ValueError, "counts (5, 3) in place of (5, 4) at the path ()"),
        (
            Branch((5, 4), Threshold(0, 4.0), [LOW, HIGH]),
            ValueError,
            "the split Threshold(feature=0, at=4.0) in place of Threshold(feature=0, at=4.5) at the path ()",
        ),
        (
            Branch((5, 4), Threshold(0, 4.5), [LOW, Branch((2, 3), HIGH.split, [Leaf((2, 0)), Leaf((0, 0)), Leaf((1, 2))])]),
            ValueError,
            "counts (1, 2) in place of (0, 3) at the path (1, 2)",
        ),
        (
            Branch(
                (5, 4),
                Threshold(0, 4.5),
                [Branch((3, 1), LOW.split, [Branch((3, 0), LOW.split, LOW.children), LOW.children[1]]), HIGH],
            ),
            ValueError,
            "a branch in place of a leaf at the path (0, 0)",
        ),
    ],
    ids=["none", "schema", "counts", "split", "leaf", "branch"],
)
def test_what_is_no_pruning_is_refused_with_the_path_of_the_first_difference(result, error, fault):
    with pytest.raises(error, match="own must return") as caught:
        as_pruning(TREE, result, own)
    remedy = "Cut a branch with Leaf(branch.counts), and return all others unchanged."
    whole = fault if fault.startswith("own") else f"own must return a pruning of its input, got {fault}. {remedy}"
    assert str(caught.value) == whole


# Descriptions -----------------------------------------------------------------------------------------------------------


def test_the_code_of_classes_is_krichevsky_and_trofimovs():
    for counts in ((15, 1), (4, 4, 0), (1,), (0.5, 0.25), (7, 0, 2, 1)):
        n, k = sum(counts), len(counts)
        shares = sum(count * log2(n / count) for count in counts if count)
        extra = (k - 1) / 2 * log2(max(n, 1) / 2) + log2(pi ** (k / 2)) - lgamma(k / 2) / log(2)
        assert class_code(counts) == pytest.approx(shares + extra)
    assert class_code((0, 0)) == 0
    assert split_cost(Threshold(0, 0.5), 9) == 3
    assert split_cost(Threshold(0, 0.5), 2) == split_cost(Threshold(0, 0.5), 1) == 0
    assert [split_cost(Subset(1, (0,)), n) for n in (2, 3)] == pytest.approx([1, log2(6)]), "all divisions of the values in two"


class Marked:
    """Cases with a mask for each rule, by the rule's label."""

    def __init__(self, labels, weights, masks):
        self.labels, self.weights, self.masks = np.array(labels), np.array(weights, float), masks

    def covered(self, rule):
        return np.array(self.masks[rule.label], bool)


def choose(n, k):
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def test_a_set_of_rules_costs_half_its_theory_and_its_exceptions():
    cases = Marked([1, 1, 1, 0, 0, 1, 0, 0], [1, 2, 1, 1, 1, 1, 1, 2], {})
    covered = np.array([True, True, False, True, True, False, False, False])
    expected = 0.5 * (3 + 4 - log2_factorial(2)) + choose(5, 2) + choose(5, 2)
    assert _bits(covered, cases, 1, np.array([3.0, 4.0])) == pytest.approx(expected)
    assert choose(5, 2) == pytest.approx(log2(10))
    assert [round(log2_factorial(n), 9) for n in (0, 1, 2, 3)] == [0, 0, 1, round(log2(6), 9)]


def test_rules_that_make_the_description_longer_are_dropped():
    labels, weights = [1] * 12 + [0] * 12, [1.0] * 24
    good = [True] * 12 + [False] * 12
    again = [True] * 11 + [False] * 13
    bad = [False] * 12 + [True] * 6 + [False] * 6
    rules = [Rule(("one", "two"), name, (1, 1)) for name in ("good", "bad", "again")]
    cases = Marked(labels, weights, {"good": good, "bad": bad, "again": again})
    assert chosen_rules(rules, cases, 1, 2.0) == rules[:1]
    assert chosen_rules(rules[1:], cases, 1, 2.0) == rules[2:]
    assert chosen_rules([], cases, 1, 2.0) == []
    assert condition_bits([]) == condition_bits([Rule((), "a", (1, 0))]) == 0
    four = [Rule(conditions, "a", (1, 0)) for conditions in (("p", "q"), ("q", "r"), ("s",))]
    assert condition_bits(four) == 2


# Measures and pictures --------------------------------------------------------------------------------------------------


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


@pytest.fixture
def axes():
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415  # after the backend is chosen

    yield plt.subplots()[1]
    plt.close("all")


def curve(n, shift=0.0):
    """A path of n trees, whose error is least in the middle."""
    return [Measured(n - i, abs(i - n // 2) / n + shift, 100.0, TREE, i / 7, i / 7) for i in range(n)]


def test_a_picture_has_errors_marks_and_at_most_a_dozen_or_so_labels(axes):
    rows, other = curve(30), curve(30, 0.1)
    drawn = prune.plot_path({"training": rows, "$cost$": other}, ax=axes)
    assert drawn is axes
    first, second = axes.get_lines()
    assert [first.get_xdata().tolist(), first.get_ydata().tolist()] == [list(range(30)), [row.error for row in rows]]
    assert second.get_ydata().tolist() == [row.error for row in other]
    assert (first.get_markersize(), second.get_markersize()) == (4, 4)
    assert first.get_marker() != second.get_marker()
    assert first.get_color() != second.get_color()
    assert axes.get_xticks().tolist() == list(range(0, 30, 2))
    labels = axes.get_xticklabels()
    assert [label.get_text() for label in labels] == [str(30 - i) for i in range(0, 30, 2)]
    assert {label.get_rotation() for label in labels} == {0}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("leaves", "share of errors")
    assert not axes.spines["top"].get_visible()
    assert not axes.spines["right"].get_visible()
    assert axes.spines["left"].get_visible()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["training", r"\$cost\$"]


@pytest.mark.parametrize(("n", "every"), [(1, 1), (3, 1), (22, 1), (23, 1), (24, 2), (35, 2), (36, 3)])
def test_each_of_up_to_23_trees_has_its_label(n, every, axes):
    prune.plot_path({"training": curve(n)}, ax=axes)
    assert axes.get_xticks().tolist() == list(range(0, n, every))


def test_a_cross_validated_curve_has_bars_its_limit_and_its_choice(axes):
    rows = curve(12, 0.1)
    prune.plot_path({"cross-validated": rows}, against="alpha", ax=axes)
    (bars,) = axes.containers
    heights = [segment[1][1] - segment[0][1] for segment in bars.lines[2][0].get_segments()]
    assert heights == pytest.approx([2 * row.standard_error for row in rows])
    assert len(bars.lines[1]) == 2
    assert {cap.get_markersize() for cap in bars.lines[1]} == {4}, "twice the size of a cap"
    best = rows[6]
    limit, chosen = (line for line in axes.get_lines() if line.get_label().endswith(("error", "rule")))
    assert set(limit.get_ydata()) == {best.error + best.standard_error}
    assert set(chosen.get_xdata()) == {rows.index(prune.one_standard_error(rows))}
    assert (limit.get_linestyle(), chosen.get_linestyle()) == (":", "--")
    assert limit.get_color() == chosen.get_color() == bars.lines[0].get_color()
    labels = axes.get_xticklabels()
    assert [label.get_text() for label in labels][:3] == ["0", "0.1429", "0.2857"]
    assert len(labels) == 12
    assert {label.get_rotation() for label in labels} == {45}


def test_what_makes_no_picture_is_refused_in_full():
    one = curve(3)
    for curves, against, message in (
        ({"a": one}, "x", "against must be 'alpha' or 'leaves', got 'x'."),
        ({}, "leaves", "curves must be at least one curve of at least one tree, got [] trees."),
        ({"a": [], "b": one}, "leaves", "curves must be at least one curve of at least one tree, got [0, 3] trees."),
        ({"a": one, "b": one[:2]}, "leaves", "curves must be of one path, got curves of [3, 2] trees with different leaves."),
        (
            {"a": [evolve(row, alpha=None) for row in one]},
            "alpha",
            "against must be 'leaves' for a path without alphas, got 'alpha'.",
        ),
    ):
        with pytest.raises(ValueError, match="must be") as caught:
            prune.plot_path(curves, against=against)
        assert str(caught.value) == message
