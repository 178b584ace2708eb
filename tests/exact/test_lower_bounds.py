"""Each lemma of `listed/bounds.py`: no tree costs less than its bound, by looking at every tree of some rows."""

from itertools import product

import numpy as np
from attrs import define, field, frozen
from drawn_problems import (
    WIDE,
    by_numpy,
    conjunctions,
    least_of_proper_trees,
    objectives,
    parts_of,
    problem_for,
    row_sets,
    tables,
)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ftree import Dataset
from ftree.exact.listed.bounds import (
    Bounds,
    SimilarRows,
    equivalent_points,
    four_leaves,
    no_bounds,
    no_similar_rows,
    part_of_rows,
    shallow_or_four_leaves,
    similar_rows_help,
)
from ftree.exact.listed.branch_and_bound import BranchAndBound
from ftree.exact.listed.items import items_of
from ftree.exact.listed.row_set import all_rows
from ftree.exact.listed.shallow_trees import best_depth_two
from ftree.splitters import multiway, one_value

# The least cost of all trees of some rows is looked for by trying each.
few = settings(max_examples=25)


@frozen(eq=False, repr=False)
class Case:
    """A problem of few splits: all its rows, and the sides of its binary splits, each as a set and as numbers of rows.

    `cost(numbers, depth, n_leaves, first)` is the least cost of trees each of whose splits divides its rows.
    """

    rows: object
    numbers: tuple
    sides: list
    cost: object

    def by_split(self, numbers, *limits):
        """The least costs of trees by their first split (C,)."""
        return np.array([self.cost(numbers, *limits, number) for number in range(self.rows.items.n_splits)])

    def deep(self, numbers):
        """The least costs (C,) of trees that begin with each split; with a penalty, of those with four leaves."""
        prices, penalty = self.rows.items.prices, self.rows.items.problem.penalty
        costs = self.by_split(numbers, 3, 4 if penalty else 0)
        # A split that does not divide the rows leaves them trees of two levels.
        return costs if penalty else np.minimum(costs, self.cost(numbers, 2) + prices)

    def of_items(self, depth):
        """The least costs (n_binary, 2) of the sides of items."""
        return np.array([[self.cost(numbers, depth) for _, numbers in both] for both in self.sides])


def case_of(problem):
    items, numbers = items_of(problem), np.arange(len(problem.dataset))
    rows, sides = all_rows(items), []
    for item in range(items.n_binary):
        has, part = problem.child_of(item, numbers) != items.flipped[item], rows.part(item)
        own, others = (tuple(np.flatnonzero(each).tolist()) for each in (has, ~has))
        sides.append([(part, own), (rows.others(part), others)])
    return Case(rows, tuple(numbers.tolist()), sides, least_of_proper_trees(problem))


@st.composite
def cases(draw):
    table = draw(tables(missing=False, most=12) | conjunctions())
    problem = problem_for(
        table,
        draw(st.sampled_from([(one_value(),), WIDE])),
        min_leaf=draw(st.sampled_from([0, 0.3 * table.n_cases])),
        objective=draw(st.sampled_from(objectives(table))),
        leaf_penalty=draw(st.sampled_from([0, 0.01, 0.03, 0.3])),
    )
    assume(problem.n_binary and len(problem.splits) <= 6)
    return case_of(problem)


def words(rows, penalty=0, splitters=WIDE, weights=None, min_leaf=0):
    """A case of rows of words, whose last letter is the class."""
    table = Dataset.from_rows([list(row[:-1]) for row in rows], [row[-1] for row in rows], kinds="nominal", weights=weights)
    return case_of(problem_for(table, splitters, leaf_penalty=penalty, min_leaf=min_leaf))


# All rows but one have a letter b, which three splits in a row find out among half of them.
CHAIN = words(["".join(row) + "qp"["b" in row] for row in product("ab", repeat=4)], 0.01)
# Each child of the first word's split in three has two classes, which the second word divides.
THREE_PAIRS = words(["aap", "abq", "baq", "bbp", "cap", "cbq"], 0.01)
# The last row alone has some word, and is an error of any tree of the others, since a leaf costs more than an error.
ONE_MORE = words(["aaap", "abaq", "baaq", "bbap", "aabq"], 0.3)
# The last row alone is in the third child of the first word's split: the leaf costs more than it weighs, or has too few cases.
ONE_MORE_CHILD = words([*["aaap", "abaq", "baaq", "bbap"] * 2, "cabq"], 0.3)
ONE_MORE_SMALL_CHILD = words([*["aaap", "abaq", "baaq", "bbap"] * 2, "cabq"], min_leaf=2)
ONE_MORE_LIGHT_CHILD = words(["aaap", "abaq", "baaq", "bbap", "cabq"], 0.05, (multiway(),), [1, 1, 1, 1, 0.1])


@given(cases())
@few
def test_equivalent_points_are_errors_of_every_tree(case):
    items = case.rows.items
    wrong = equivalent_points(case.rows)[: items.n_binary]
    assert np.all(wrong <= case.of_items(3))
    if items.counts_errors:
        assert case.rows.always_wrong[1] + items.problem.penalty <= case.cost(case.numbers, 3)


@given(cases())
@example(THREE_PAIRS)
@few
def test_no_deep_tree_costs_less_than_four_leaves(case):
    assert np.all(four_leaves(case.rows) <= case.by_split(case.numbers, 3, 4))


@given(cases())
@example(CHAIN)
@few
def test_every_tree_is_shallow_or_has_four_leaves(case):
    items = case.rows.items
    two = np.resize(case.of_items(2), (items.n, 2))
    assert np.all(shallow_or_four_leaves(case.rows, two)[: items.n_binary] <= case.of_items(3))


@given(cases())
@example(ONE_MORE)
@example(ONE_MORE_CHILD)
@example(ONE_MORE_SMALL_CHILD)
@few
def test_a_deep_tree_of_a_part_of_the_rows_saves_at_most_the_weight_of_the_others(case):
    deep = case.by_split(case.numbers, 3, 4)
    for part, numbers in [side for both in case.sides for side in both]:
        assert np.all(part_of_rows(case.rows, deep, part) <= case.by_split(numbers, 3, 4))


@given(cases())
@example(ONE_MORE_LIGHT_CHILD)
@few
def test_a_tree_of_similar_rows_saves_at_most_the_weight_of_the_rows_outside(case):
    if not similar_rows_help(case.rows.items):
        return
    sets = [(case.rows, case.numbers), *(side for both in case.sides for side in both)]
    for kept, of_kept in sets:
        archive = no_similar_rows(case.rows.items)
        bounds = Bounds(case.cost(of_kept, 3), case.deep(of_kept))
        archive.add(kept, bounds, case.cost(of_kept, 2))
        for rows, numbers in sets:
            if numbers:
                found = archive.raised(rows, no_bounds(rows.items))
                assert found.any_tree <= case.cost(numbers, 3)
                assert np.all(found.deep <= case.deep(numbers))


def ones_in(words):
    """The number of ones in each word."""
    return np.unpackbits(words.view(np.uint8).reshape(len(words), 8), axis=1).sum(axis=1)


@given(row_sets(others=False), st.floats(0, 20))
@settings(max_examples=20)  # the plain twin looks at every tree
def test_the_bound_by_similar_rows_is_the_highest_and_none_costs_less(rows, known):
    items, sets = rows.items, parts_of(rows)
    archive, plain = no_similar_rows(items), no_similar_rows(by_numpy(rows).items)
    assume(items.n_splits and all(best_depth_two(part)[0] < np.inf for part in sets))
    kept = sets[1:]  # the first one has all rows, and so more of each class than those that are kept
    for number, part in enumerate(kept):
        bounds = Bounds(best_depth_two(part)[0], np.full(items.n_splits, best_depth_two(part)[0] + number))
        archive.add(part, bounds, np.inf)
        plain.add(part, bounds, np.inf)
    before = no_bounds(items)._replace(any_tree=known)
    segment = np.repeat(np.arange(len(items.weight)), np.diff(items.starts))
    weight = (items.weight * items.cost_weights[items.of_class])[segment]
    for part in sets:
        lost = [float(ones_in(other.mask & ~part.mask) @ weight) for other in kept]
        costs = [best_depth_two(other)[0] - less for other, less in zip(kept, lost, strict=True)]
        found, by_numpy_too = archive.raised(part, before), plain.raised(part, before)
        assert found.any_tree == max(known, *costs) == by_numpy_too.any_tree
        assert np.array_equal(by_numpy_too.deep, found.deep)
        assert found is before if found.any_tree == known else found.deep.min() >= found.any_tree
        if similar_rows_help(items) and part.total.any():
            assert max(costs) <= best_depth_two(part)[0]


@define(eq=False)
class Recorded(SimilarRows):
    """Row sets with their bounds, which the test sees."""

    sets: list = field(factory=list)

    def add(self, rows, bounds, depth_two):
        super().add(rows, bounds, depth_two)
        self.sets.append((rows, self.any_tree[self.n - 1], self.deep[self.n - 1].copy()))


def row_numbers(rows):
    """The numbers of rows, by the items on the path to them."""
    problem, items, numbers = rows.items.problem, rows.items, np.arange(len(rows.items.problem.dataset))
    for item in rows.path:
        number = max(item, ~item)
        has = problem.child_of(number, numbers) != items.flipped[number]
        numbers = numbers[has == (item >= 0)]
    return tuple(numbers.tolist())


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 0.01, 0.05]), st.sampled_from([0, 0.03]))
@settings(max_examples=15)  # all trees of five levels
def test_every_bound_that_a_search_keeps_holds(seed, penalty, price):
    """Also those of first splits that it has passed over, of whose sides it knows nothing."""
    random = np.random.default_rng(seed)
    cells = random.integers(0, 2, (24, 5))
    labels = np.where(random.random(24) < 0.3, random.integers(0, 3, 24), cells[:, 0] + cells[:, 1] * (cells[:, 2] ^ cells[:, 4]))
    table = Dataset.from_rows(cells, ["pqr"[label] for label in labels], kinds="nominal", classes=list("pqr"))
    problem = problem_for(table, (one_value(),), leaf_penalty=penalty, feature_costs={"x0": price})
    items, least = items_of(problem), least_of_proper_trees(problem)
    search = BranchAndBound(items)
    for depth in (3, 4):
        empty = no_similar_rows(items)
        search.similar[depth] = Recorded(empty.masks, empty.totals, empty.any_tree, empty.deep, empty.most_of_others)
    search.solve(all_rows(items), 5, np.inf)
    for depth, kept in search.similar.items():
        for rows, any_tree, deep in kept.sets if depth < 5 else ():
            case = Case(rows, row_numbers(rows), [], least)
            assert any_tree <= case.cost(case.numbers, depth)
            divided, whole = case.by_split(case.numbers, depth, 0), case.cost(case.numbers, depth - 1) + items.prices
            begun = np.where(divided < np.inf, divided, whole)  # by splits that divide the rows, or leave them together
            assert np.all((np.minimum(deep, case.cost(case.numbers, 2)) if penalty else deep) <= begun)
