"""One way down: every way to route rows sends each of them where `child_of`, called row by row, sends it.

The ways are the descent in NumPy, the native one, one row, and growth's partition. Each is compared with `Definition`.
"""

from collections.abc import Sequence
from functools import cached_property
from math import floor, nan

import numpy as np
import pytest
from attrs import define, evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, apply, path_of, predict, predict_counts, predict_proba, recount
from ftree._lib.arrays import NEARLY, exact_unit, times_and_fractions
from ftree.criteria import proportions
from ftree.data.coding import decode
from ftree.growth.engines import EngineSetup, plain
from ftree.routing import laplace
from ftree.routing.counting import counts_and_gaps
from ftree.routing.descent import descend, numpy_leaf_numbers, plain_counts_of_leaves
from ftree.routing.flat import flat
from ftree.routing.missing_rules import as_prediction_rule
from ftree.routing.one_split import Descent
from ftree.routing.predict import answers_of_nodes
from ftree.routing.reach import few_leaf_numbers, leaf_numbers, native_counts, native_leaf_numbers
from ftree.testing import datasets, schemas, trees
from ftree.testing.strategies import _sums
from ftree.tree import level_order, preorder
from ftree.tree.splits import (
    UNKNOWN,
    Groups,
    Intervals,
    Oblique,
    Surrogate,
    Threshold,
    WithSurrogates,
    child_of,
)


class SharedByRoots:
    """A user's rule without a base class: shares in proportion to the roots of the sizes; a third stays."""

    def __call__(self, sizes):
        return np.sqrt(sizes) / np.sqrt(sizes).sum() * 2 / 3

    def __repr__(self):
        return "SharedByRoots()"


def smallest_first(sizes):
    """A user's rule that adds up distributions by shares that add up to 1."""
    shares = sizes.max() + 1 - sizes
    return shares / shares.sum()


smallest_first.distributions = True

NAMES = ("all_routes", "weighted", "heaviest", "stop")
RULES = (*NAMES, SharedByRoots(), smallest_first)


def divide(weight: float, sizes: Sequence[float], rule: object, step: float) -> list[float]:
    """Each child's part of a row without an answer, in plain Python."""
    sizes = sizes if any(sizes) else [1] * len(sizes)
    largest = sizes.index(max(sizes))
    match rule:
        case "stop":
            return [0.0] * len(sizes)
        case "all_routes":
            return [weight] * len(sizes)
        case "heaviest":
            return [weight * (child == largest) for child in range(len(sizes))]
        case "weighted":
            parts = [floor(weight * (size / sum(sizes)) / step) * step for size in sizes]
            parts[largest] += weight - sum(parts)
            return parts
        case _:
            shares = rule(np.array(sizes, dtype=float)).tolist()
            parts = [floor(weight * share / step) * step for share in shares]
            if sum(shares) > 0.9:  # the others leave a third
                parts[shares.index(max(shares))] += weight - sum(parts)
            return parts


def adds_distributions(rule):
    return rule == "weighted" or rule is smallest_first


@define(eq=False, slots=False)
class Definition:
    """A tree, a dataset, and the node of each row, by `child_of` of one row and one split at a time."""

    tree: Tree
    data: Dataset
    # Rows of a block, and parts of rows that go down together.
    block: int = 4096
    many: int = 1 << 16

    @cached_property
    def nodes(self):
        return level_order(self.tree.root)[0]

    @cached_property
    def below(self):
        return level_order(self.tree.root)[1]

    @cached_property
    def child(self):
        """The child of each row at each node, (m, n)."""
        child = np.full((len(self.nodes), len(self.data)), UNKNOWN)
        for number, node in enumerate(self.nodes):
            for row in range(len(self.data)) if isinstance(node, Branch) else ():
                cells = (self.data.columns[feature][row : row + 1] for feature in node.split.features)
                (child[number, row],) = child_of(node.split, *cells)
        return child

    def sent_down(self, start, rule, step, *, times=None, as_known=False, opens=lambda _, __: True):
        """The part of each row that reaches each node, and the part of it that ends there, (m, n) each.

        Rows without an answer go by the tree's counts or, with `as_known`, by the rows whose answers are known; `times` are
        their weights. Only branches for which `opens` is true, given the split and the sizes of the children, send rows on.
        """
        times = np.ones(len(self.data)) if times is None else times
        share, end = np.zeros((2, *self.child.shape))
        share[0] = start
        for number, (node, kids) in enumerate(zip(self.nodes, self.below, strict=True)):
            here, child = share[number], self.child[number]
            known = [float((here * times)[child == at].sum()) for at in range(len(kids))]
            if isinstance(node, Leaf) or not opens(node.split, known):
                end[number] = here
                continue
            sizes = known if as_known else [sum(each.counts) for each in node.children]
            for row in np.flatnonzero(here).tolist():
                if child[row] != UNKNOWN:
                    share[kids[child[row]], row] = here[row]
                else:
                    share[kids.start : kids.stop, row] = divide(here[row], sizes, rule, step)
                    gone = sum(share[kids.start : kids.stop, row])
                    end[number, row] = max(here[row] - gone, 0) if rule in ("stop", RULES[-2]) else 0
        return share, end

    @cached_property
    def leaf(self):
        """The leaf of each row, -1 for one without an answer at some split."""
        _, end = self.sent_down(np.ones(len(self.data)), "stop", exact_unit(1.0))
        number = end.argmax(axis=0)
        return np.where([isinstance(self.nodes[each], Leaf) for each in number.tolist()], number, UNKNOWN)

    @cached_property
    def answer(self):
        """The counts that predict at each node: its own, or those of its nearest ancestor with cases, (m, K)."""
        answer = [self.nodes[0].counts] * len(self.nodes)
        for number, kids in enumerate(self.below):
            for kid in kids:
                answer[kid] = self.nodes[kid].counts if any(self.nodes[kid].counts) else answer[number]
        return np.array(answer, dtype=float)

    def predicted(self, rule, estimate=proportions):
        """The counts that predict each row, (n, K), or the distributions that a rule adds up."""
        _, end = self.sent_down(np.ones(len(self.data)), rule, exact_unit(1.0))
        if adds_distributions(rule):
            return end.T @ estimate(self.answer)
        total = end.T @ np.array([node.counts for node in self.nodes], dtype=float)
        most = np.array([(self.answer * reached[:, None])[reached > 0].max(axis=0) for reached in end.T]).reshape(total.shape)
        return np.where(total.any(axis=1, keepdims=True), total, most)

    @property
    def rows(self):
        """The rows as a user writes them."""
        columns = [decode(feature, each) for feature, each in zip(self.tree.schema.features, self.data.columns, strict=True)]
        return list(map(list, zip(*columns, strict=True)))

    def weights(self, n_features=None):
        """The grid of shares, whole weights or None, and the weight of each row."""
        step = exact_unit(float(sum(self.data.class_counts())), len(self.data.columns) if n_features is None else n_features)
        times, fractions = times_and_fractions(self.data.weights, step)
        return step, times, np.ones(len(self.data)) if fractions is None else fractions

    def counts(self, rule):
        """The part of each row that reaches each node (m, n), and class counts there (m, K), by a rule of counting."""
        step, times, start = self.weights()
        by = "weighted" if rule == "as_known" else rule
        share, _ = self.sent_down(start, by, step, times=times, as_known=rule == "as_known")
        cases = share if times is None else share * times
        return share, cases @ np.eye(len(self.tree.schema.classes))[self.data.target_column]


@st.composite
def trees_of_numbers(draw):
    """Trees of thresholds, of intervals, of sums, or with surrogates.

    Some are deeper than compiled code goes without checking for finished rows.
    """
    schema = draw(schemas(kinds={"numeric"}))
    features = range(len(schema.features))
    feature, halves = st.sampled_from(features), st.integers(0, 7).map(lambda n: n / 2)
    intervals = st.builds(Intervals, feature, st.sets(halves, min_size=1, max_size=2).map(sorted))
    cuts = st.builds(Threshold, feature, halves)
    surrogates = st.lists(st.builds(Surrogate, cuts, reversed=st.booleans()), min_size=1, max_size=2)
    backed = st.builds(WithSurrogates, cuts, surrogates, default_child=st.sampled_from([None, 0, 1]))
    splits = draw(st.sampled_from([cuts, backed, intervals, _sums(len(features), list(features))]))

    def shape(depth):
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            return Leaf(draw(st.tuples(*[st.integers(0, 5)] * len(schema.classes))))
        split = draw(splits)
        below = [shape(depth - 1), *(shape(draw(st.integers(0, min(depth - 1, 2)))) for _ in range(1, split.n_children))]
        return Branch(tuple(map(sum, zip(*(node.counts for node in below), strict=True))), split, below)

    return Tree(schema, shape(6))


@st.composite
def definitions(draw):
    """Trees of all split types; rows with missing values and values that splits do not know, with whole and other weights."""
    tree = draw(st.one_of(trees().filter(lambda tree: isinstance(tree.root, Branch)), trees_of_numbers()))
    weights = draw(st.sampled_from([None, "whole", "fractions"]))
    data = draw(
        datasets(
            schema=tree.schema, missing=draw(st.booleans()), weighted=weights is not None, min_rows=draw(st.sampled_from([8, 1]))
        )
    )
    data = evolve(data, weights=np.asarray(data.weights) / 7) if weights == "fractions" else data
    return Definition(tree, data, draw(st.integers(1, 9)), draw(st.sampled_from([0, 1, 3, 1 << 16])))


# The ways -----------------------------------------------------------------------------------------------------------


def plain_descent(rows):
    levels_of_parts(rows)
    split_by_split(rows)
    tree, n = flat(rows.tree.root), len(rows.data)
    assert numpy_leaf_numbers(tree, rows.data.columns, n, block=rows.block).tolist() == rows.leaf.tolist()
    assert leaf_numbers(tree, rows.data.columns, n).tolist() == rows.leaf.tolist()
    assert [rows.nodes[number] for number in np.argsort(tree.preorder)] == list(preorder(rows.tree.root))
    few = few_leaf_numbers(tree, rows.data.columns)
    assert few is None or few.tolist() == rows.leaf.tolist()
    for rule in RULES:
        expected = rows.predicted(rule)
        assert predict_counts(rows.tree, rows.data, missing=rule) == pytest.approx(expected, abs=1e-12)
        estimated = rows.predicted(rule, laplace) if adds_distributions(rule) else laplace(expected)
        assert predict_proba(rows.tree, rows.data, missing=rule, estimate=laplace) == pytest.approx(estimated, abs=1e-12)
        best = (expected >= expected.max(axis=1, keepdims=True) * NEARLY).argmax(axis=1)
        assert list(predict(rows.tree, rows.data, missing=rule)) == [rows.tree.schema.classes[label] for label in best]
    counts_at_nodes(rows)


def levels_of_parts(rows):
    """Parts of rows at each node and what of them ends there, by rules, weights, grids and sizes that go down together."""
    weights = np.ones(len(rows.data)) if rows.data.weights is None else np.asarray(rows.data.weights, dtype=float)
    tree, step = flat(rows.tree.root), exact_unit(float(weights.sum()), len(rows.data.columns))
    weights = np.round(weights / step) * step  # sums of multiples of the grid are exact, in whichever order
    for rule, as_known in (*((rule, False) for rule in RULES), ("weighted", True)):
        share, end = np.zeros((2, *rows.child.shape))
        visited, times = [], np.ones(len(weights)) if as_known else None
        for level in descend(tree, rows.data.columns, weights, as_prediction_rule(rule), step, times=times, many=rows.many):
            assert not share[level.node, level.rows].any(), "a row comes to a node once"
            share[level.node, level.rows], end[level.node, level.rows] = level.sizes, level.ends
            inner = np.array(list(map(bool, rows.below)))[level.node]
            assert level.unanswered.tolist() == (inner & (rows.child[level.node, level.rows] == UNKNOWN)).tolist()
            ends = level.ending()
            assert end[ends.node, ends.rows].tolist() == ends.sizes.tolist()
            visited += [set(level.node.tolist())]
        expected = rows.sent_down(weights, rule, step, as_known=as_known)
        assert np.array_equal(share, expected[0])
        assert np.array_equal(end, expected[1])
        if rows.many == 0:
            order = tree.preorder[[node for nodes in visited for node in nodes]].tolist()
            assert all(len(nodes) == 1 for nodes in visited)
            assert order == sorted(order)


def split_by_split(rows):
    """One node after another, each by one split, as subtree raising sends rows down."""
    descent, (share, counts) = Descent.of(rows.data), rows.counts("as_known")
    here = {0: descent.all_rows}
    for number, (node, kids) in enumerate(zip(rows.nodes, rows.below, strict=True)):
        found = np.zeros(len(rows.data))
        found[here[number][0]] = here[number][1]
        assert found.tolist() == share[number].tolist()
        assert list(descent.count(here[number], (0,) * len(node.counts))) == counts[number].tolist()
        if kids:
            groups, all_known = descent.divide(node.split, here[number])
            here.update(zip(kids, groups, strict=True))
            assert all_known == (rows.child[number][share[number] > 0] != UNKNOWN).all()


def counts_at_nodes(rows):
    for rule in ("weighted", "heaviest", "as_known", smallest_first):
        share, counts = rows.counts(rule)
        given = {"as_known": True} if rule == "as_known" else {"rule": as_prediction_rule(rule)}
        found, gaps = counts_and_gaps(rows.tree.root, rows.data, **given, block=rows.block)
        assert found.tolist() == counts.tolist()
        inner = [number for number, kids in enumerate(rows.below) if kids]
        assert gaps == {number for number in inner if (share[number] * (rows.child[number] == UNKNOWN)).any()}
        if rule != "as_known":
            nodes, _ = level_order(recount(rows.tree, rows.data, missing=rule).root)
            assert [list(node.counts) for node in nodes] == counts.tolist()


def compiled_descent(rows):
    tree, n, columns = flat(rows.tree.root), len(rows.data), rows.data.columns
    for form in (columns, columns_of_a_table(columns)):
        assert native_leaf_numbers(tree, form, n, block=rows.block).tolist() == rows.leaf.tolist()
    for name in RULES:
        rule = as_prediction_rule(name)
        of_nodes = answers_of_nodes(tree, rule)
        found = native_counts(tree, columns, n, rule, of_nodes, block=rows.block)
        assert np.array_equal(found, plain_counts_of_leaves(tree, columns, n, rule, of_nodes, most=rows.block * len(tree.arity)))
        assert found == pytest.approx(rows.predicted(name), abs=1e-12)


def columns_of_a_table(columns):
    """The same columns as those of one array of floats, where all are numbers."""
    return tuple(np.column_stack(columns).T) if all(column.dtype == np.float64 for column in columns) else columns


def one_row(rows):
    labels = (rows.answer >= rows.answer.max(axis=1, keepdims=True) * NEARLY).argmax(axis=1)
    expected = predict(rows.tree, rows.data)
    for row, leaf, label in zip(rows.rows, rows.leaf.tolist(), expected, strict=True):
        assert predict(rows.tree, row) == label
        if leaf != UNKNOWN:
            assert label == rows.tree.schema.classes[labels[leaf]]
    for rule in ("heaviest", "stop"):
        share, end = rows.sent_down(np.ones(len(rows.data)), rule, exact_unit(1.0))
        ranks = [flat(rows.tree.root).leaf_ranks[number] for number in end.argmax(axis=0)]
        assert list(apply(rows.tree, rows.data, missing=rule)) == ranks
        for row, visited in zip(rows.rows, share.T, strict=True):
            number, seen = 0, [0]
            for child in path_of(rows.tree, row, missing=rule).path:
                number = rows.below[number][child]
                seen.append(number)
            assert seen == np.flatnonzero(visited).tolist()


def partition_of(rows, engine, rule, opens):
    """Each entry of each level; the last feature of the engine's dataset is the row's number."""
    step, times, start = rows.weights(len(rows.data.columns) + 1)
    split_on = []

    def noted(split, known):
        split_on.append(opens(split) and any(known))
        return split_on[-1]

    share, _ = rows.sent_down(start, rule, step, times=times, as_known=True, opens=noted)
    goes_on = {
        number for number, opened in zip([n for n, kids in enumerate(rows.below) if kids], split_on, strict=True) if opened
    }
    level = [0]
    while level:
        row = engine.values[-1][engine.codes[-1]].astype(int)
        found = np.zeros((len(level), len(rows.data)))
        found[engine._nodes(), row] = 1 if engine.fractions is None else engine.fractions
        assert np.array_equal(found, share[level])
        engine = engine.advance([rows.nodes[number].split if number in goes_on else None for number in level])
        level = [kid for number in level if number in goes_on for kid in rows.below[number]]


def numbered(data):
    schema = evolve(data.schema, features=(*data.schema.features, Feature("row", "numeric")))
    return evolve(data, schema=schema, columns=[*data.columns, np.arange(len(data), dtype=float)])


def growths_partition(rows):
    for rule in ("weighted", "heaviest", smallest_first):
        partition_of(rows, plain(numbered(rows.data), EngineSetup(rule)), rule, lambda _: True)


every_way = pytest.mark.parametrize(
    "way", [plain_descent, compiled_descent, one_row, growths_partition], ids=lambda way: way.__name__
)


@every_way
def test_a_number_or_a_sum_that_equals_its_threshold_goes_to_the_first_child(way):
    data = Dataset.from_columns({"x": [1.0, 3.0, 2.0, 1.0], "z": [2.0, 6.0, 3.0, 3.0], "y": list("abba")}, target="y")
    children = Leaf((2, 0)), Branch((0, 2), Threshold(0, 2.0), (Leaf((0, 1)), Leaf((0, 1))))
    way(Definition(Tree(data.schema, Branch((2, 2), Oblique((1, -0.5), 0), children)), data, 4, 0))


@every_way
def test_a_code_that_the_last_surrogate_does_not_list_goes_to_the_default_child(way):
    schema = Schema([Feature("x", "numeric"), Feature("sky", "nominal", "rgb")], "y", "pq")
    split = WithSurrogates(Threshold(0, 1.0), (Surrogate(Groups(1, ((0,), (1,)))),), default_child=1)
    data = Dataset(schema, [[0.0, nan, nan, nan, nan], [2, 0, 1, 2, -1]], [0, 0, 1, 1, 1])
    way(Definition(Tree(schema, Branch((2, 3), split, (Leaf((2, 0)), Leaf((0, 3))))), data, 4, 0))


@every_way
@given(rows=definitions())
def test_every_way_down_sends_each_row_where_its_definition_says(way, rows):
    way(rows)
