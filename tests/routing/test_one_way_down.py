"""One way down: every way to route rows sends each of them where `child_of`, called row by row, sends it.

The ways are those of the table in `ftree.routing`, and the partition of growth. Each is compared with `Definition`.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from functools import cached_property
from math import floor
from unittest.mock import patch

import numpy as np
import pytest
from attrs import define, evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Tree, path_of, predict, predict_counts, recount
from ftree._lib.arrays import grid, times_and_fractions
from ftree._lib.threads import thread_pool
from ftree._lib.ties import NEARLY
from ftree.data.coding import decode
from ftree.growth.criterion_codes import GAIN, GINI
from ftree.growth.engines import numba_columns
from ftree.growth.engines.fused import Criterion
from ftree.growth.engines.numba_engine import compiled
from ftree.growth.engines.numpy_engine import plain
from ftree.growth.engines.protocol import EngineSetup
from ftree.growth.split_arrays import MULTIWAY, THRESHOLD
from ftree.routing.count import counts_and_gaps
from ftree.routing.flat import _in_compiled_code, _level_by_level, flat
from ftree.routing.incremental import Descent
from ftree.routing.one_row import label_of_row
from ftree.routing.route import arrivals
from ftree.routing.rule_names import as_prediction_rule
from ftree.testing import datasets, schemas, trees
from ftree.testing.strategies import _sums
from ftree.tree.nodes import level_order
from ftree.tree.splits import (
    UNKNOWN,
    Intervals,
    Oblique,
    Surrogate,
    Threshold,
    WithSurrogates,
    child_of,
    children_of,
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
        _, end = self.sent_down(np.ones(len(self.data)), "stop", grid(1.0))
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

    def predicted(self, rule):
        """The counts that predict each row, (n, K)."""
        _, end = self.sent_down(np.ones(len(self.data)), rule, grid(1.0))
        if adds_distributions(rule):
            return end.T @ (self.answer / np.maximum(self.answer.sum(axis=1, keepdims=True), 1))
        total = end.T @ np.array([node.counts for node in self.nodes], dtype=float)
        most = np.array([(self.answer * reached[:, None])[reached > 0].max(axis=0) for reached in end.T]).reshape(total.shape)
        return np.where(total.any(axis=1, keepdims=True), total, most)

    @property
    def rows(self):
        """The rows as a user writes them."""
        columns = [decode(feature, each) for feature, each in zip(self.tree.schema.features, self.data.columns, strict=True)]
        return list(map(list, zip(*columns, strict=True)))

    def weights(self, n_features=1):
        """The grid of shares, whole weights or None, and the weight of each row."""
        step = grid(float(sum(self.data.class_counts())), n_features)
        times, fractions = times_and_fractions(self.data.weights, step)
        return step, times, np.ones(len(self.data)) if fractions is None else fractions

    def counts(self, rule):
        """The part of each row that reaches each node (m, n), and class counts there (m, K), by a rule of counting."""
        step, times, start = self.weights()
        by = "weighted" if rule == "as_known" else rule
        share, _ = self.sent_down(start, by, step, times=times, as_known=rule == "as_known")
        cases = share if times is None else share * times
        return share, cases @ np.eye(len(self.tree.schema.classes))[self.data.labels]


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
    return Definition(tree, evolve(data, weights=np.asarray(data.weights) / 7) if weights == "fractions" else data)


# The ways -----------------------------------------------------------------------------------------------------------


def children_of_many_splits(rows):
    n, inner = len(rows.data), [number for number, kids in enumerate(rows.below) if kids]
    splits = [rows.nodes[number].split for number in inner]
    if splits:
        child = children_of(splits, np.full(len(splits), n), rows.data.columns, np.tile(np.arange(n), len(splits)))
        assert child.tolist() == rows.child[inner].ravel().tolist()


def tables_of_questions(rows):
    n, inner = len(rows.data), [number for number, kids in enumerate(rows.below) if kids]
    here, every = np.repeat(np.array(inner, dtype=int), n), np.tile(np.arange(n), len(inner))
    questions = flat(rows.tree.root).questions
    child = questions.child_of(rows.data.columns, questions.cells(rows.data.columns, len(rows.data)), here, every)
    assert child.tolist() == rows.child[inner].ravel().tolist()


def arrivals_node_by_node(rows):
    number_of = {id(node): number for number, node in enumerate(rows.nodes)}
    weights = np.ones(len(rows.data)) if rows.data.weights is None else np.asarray(rows.data.weights, dtype=float)
    for rule in RULES:
        share, end = np.zeros((2, *rows.child.shape))
        for arrival in arrivals(rows.tree.root, rows.data.columns, weights, as_prediction_rule(rule)):
            number = number_of[id(arrival.node)]
            share[number, arrival.rows] = np.maximum(share[number, arrival.rows], arrival.weights)
            if arrival.ends:
                end[number, arrival.rows] = arrival.weights
        expected = rows.sent_down(weights, rule, grid(float(weights.max())))
        assert np.array_equal(share, expected[0])
        assert np.array_equal(end, expected[1])


def counts_level_by_level(rows):
    for rule in ("weighted", "heaviest", "as_known", smallest_first):
        share, counts = rows.counts(rule)
        given = {"as_known": True} if rule == "as_known" else {"rule": as_prediction_rule(rule)}
        found, gaps = counts_and_gaps(rows.nodes, rows.below, rows.data, **given)
        assert found.tolist() == counts.tolist()
        inner = [number for number, kids in enumerate(rows.below) if kids]
        assert gaps == {number for number in inner if (share[number] * (rows.child[number] == UNKNOWN)).any()}


def recounted_trees(rows):
    for rule in ("weighted", "heaviest", smallest_first):
        nodes, _ = level_order(recount(rows.tree, rows.data, missing=rule).root)
        assert [list(node.counts) for node in nodes] == rows.counts(rule)[1].tolist()


def descent_split_by_split(rows):
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


def leaves_in_numpy(rows):
    assert _level_by_level(flat(rows.tree.root), rows.data.columns, len(rows.data)).tolist() == rows.leaf.tolist()


def leaves_in_compiled_code(rows):
    assert _in_compiled_code(flat(rows.tree.root), rows.data.columns, len(rows.data)).tolist() == rows.leaf.tolist()


def predicted_counts_and_labels(rows):
    for rule in RULES:
        expected = rows.predicted(rule)
        assert predict_counts(rows.tree, rows.data, missing=rule) == pytest.approx(expected, abs=1e-12)
        best = (expected >= expected.max(axis=1, keepdims=True) * NEARLY).argmax(axis=1)
        assert list(predict(rows.tree, rows.data, missing=rule)) == [rows.tree.schema.classes[label] for label in best]


def gathered_in_compiled_code(rows):
    for rule in RULES:
        found = flat(rows.tree.root).gather_counts(rows.data.columns, len(rows.data), as_prediction_rule(rule))
        assert np.array_equal(found, predict_counts(rows.tree, rows.data, missing=rule))
        assert found == pytest.approx(rows.predicted(rule), abs=1e-12)


def one_row_in_python(rows):
    sums = any(isinstance(node, Branch) and isinstance(node.split, Oblique) for node in rows.nodes)
    labels = (rows.answer >= rows.answer.max(axis=1, keepdims=True) * NEARLY).argmax(axis=1)
    for row, leaf in zip(rows.rows, rows.leaf.tolist(), strict=True):
        left_to_others = sums or leaf == UNKNOWN or any(cell is None or cell != cell for cell in row)  # noqa: PLR0124  # NaN
        assert label_of_row(rows.tree, row) == (None if left_to_others else labels[leaf])


def paths_of_one_row(rows):
    for rule in ("heaviest", "stop"):
        share, _ = rows.sent_down(np.ones(len(rows.data)), rule, grid(1.0))
        for row, visited in zip(rows.rows, share.T, strict=True):
            number, seen = 0, [0]
            for child in path_of(rows.tree, row, missing=rule).path:
                number = rows.below[number][child]
                seen.append(number)
            assert seen == np.flatnonzero(visited).tolist()


@contextmanager
def compiled_engine(data, rule, few):
    """The compiled engine; it keeps features of up to `few` values as codes, and others sorted."""
    ways = [THRESHOLD if feature.kind != "nominal" else MULTIWAY for feature in data.schema.features]
    with thread_pool(1) as threads, patch.object(numba_columns, "_FEW", few):
        yield compiled(data, EngineSetup(rule, Criterion(np.array(ways, dtype=np.int8), GINI, GAIN), threads))


def partition_of(rows, engine, rule, opens):
    """Each entry of each level; the last feature of the engine's dataset is the row's number."""
    step, times, start = rows.weights(len(rows.data.columns) + 1)
    by = "weighted" if rule == "ignore" else rule
    split_on = []

    def noted(split, known):
        split_on.append(opens(split) and any(known))
        return split_on[-1]

    share, _ = rows.sent_down(start, by, step, times=times, as_known=True, opens=noted)
    goes_on = {
        number for number, opened in zip([n for n, kids in enumerate(rows.below) if kids], split_on, strict=True) if opened
    }
    level = [0]
    while level:
        table = engine if isinstance(engine, type(plain(rows.data, EngineSetup()))) else engine.plain()
        row = table.values[-1][table.codes[-1]].astype(int)
        found = np.zeros((len(level), len(rows.data)))
        found[table._nodes(), row] = 1 if table.fractions is None else table.fractions
        assert np.array_equal(found, share[level])
        engine = engine.advance([rows.nodes[number].split if number in goes_on else None for number in level])
        level = [kid for number in level if number in goes_on for kid in rows.below[number]]


def numbered(data):
    schema = evolve(data.schema, features=(*data.schema.features, Feature("row", "numeric")))
    return evolve(data, schema=schema, columns=[*data.columns, np.arange(len(data), dtype=float)])


def partition_of_growth_in_numpy(rows):
    for rule in ("ignore", "heaviest", smallest_first):
        partition_of(rows, plain(numbered(rows.data), EngineSetup(rule)), rule, lambda _: True)


def partition_of_growth_in_compiled_code(rows):
    for rule in ("ignore", "heaviest"):
        for few in (0, 64):
            with compiled_engine(numbered(rows.data), rule, few) as engine:
                partition_of(rows, engine, rule, lambda _: True)


WAYS = [
    children_of_many_splits,
    tables_of_questions,
    arrivals_node_by_node,
    counts_level_by_level,
    recounted_trees,
    descent_split_by_split,
    leaves_in_numpy,
    leaves_in_compiled_code,
    predicted_counts_and_labels,
    gathered_in_compiled_code,
    one_row_in_python,
    paths_of_one_row,
    partition_of_growth_in_numpy,
    partition_of_growth_in_compiled_code,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@given(rows=definitions())
def test_every_way_down_sends_each_row_where_its_definition_says(way, rows):
    way(rows)
