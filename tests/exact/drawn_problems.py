"""Tables, problems and sets of rows that the tests of this room draw."""

from functools import cache
from itertools import product

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from ftree import Dataset
from ftree.exact import bayes, class_bits, costs, errors, quantile_cuts
from ftree.exact.every_tree import leaf_cost
from ftree.exact.listed.items import items_of
from ftree.exact.listed.problem import problem_of, rows_divided
from ftree.exact.listed.row_set import RowSet, all_rows
from ftree.exact.task import SearchTask
from ftree.splitters import multiway, one_value, threshold
from ftree.tree import Threshold

BINARY, WIDE = (one_value(), threshold()), (one_value(), multiway(), threshold())
FEW = one_value(), quantile_cuts(1)
NUMBERS = Dataset.from_rows([[float(number)] for number in range(9)], list("pq" * 4 + "p"))


class every_second:  # noqa: N801  # named as splitters are
    """A splitter of a user."""

    kinds = ("numeric",)

    def candidates(self, column):
        return [Threshold(column.feature, float(value)) for value in (*column.values[:-1:2], 99)]


def twice_the_least(counts):
    return 2.0 * np.asarray(counts).min(axis=-1)


def task_for(table, splitters=BINARY, **options):
    """A task in which every option has its default."""
    return SearchTask(dataset=table, splitters=splitters, **options)


def problem_for(table, splitters=BINARY, **options):
    """A problem in which every option has its default."""
    return problem_of(task_for(table, splitters, **options))


def least_by_brute_force(sides, leaf, depth, prices=None):
    """The least cost of all trees whose splits send rows (n,) to one of two sides, given what a leaf with some rows costs."""

    def least(rows, depth):
        if not len(rows):
            return 0.0
        ways = [
            price + least(rows[side[rows]], depth - 1) + least(rows[~side[rows]], depth - 1)
            for side, price in zip(sides, prices or [0.0] * len(sides), strict=True)
            if depth
        ]
        return min([leaf(rows), *ways])

    return least(np.arange(len(sides[0])), depth)


def sides_of_values(table):
    return [table[each.name] == value for each in table.schema.features for value in each.values]


def least_of_proper_trees(problem):
    """A function of rows, a depth, a number of leaves and a first split: the least cost of a tree with so many leaves with cases.

    Each split of such a tree divides its rows.
    """

    @cache
    def least(rows, depth, n_leaves=0, first=None):
        costs = [leaf_cost(problem, rows)] if first is None and n_leaves <= bool(rows) else []
        numbers = range(len(problem.splits) if depth and first is None else 0)
        costs.extend(least(rows, depth, n_leaves, number) for number in numbers)
        parts = [] if first is None else [tuple(part.tolist()) for part in rows_divided(problem, np.array(rows, int), first)]
        if sum(map(bool, parts)) > 1:
            for sizes in product(range(n_leaves + 1), repeat=len(parts)):
                if sum(sizes) == n_leaves:
                    below = (least(part, depth - 1, size) for part, size in zip(parts, sizes, strict=True))
                    costs.append(float(problem.prices[first]) + sum(below))
        return min(costs, default=np.inf)

    return least


@st.composite
def tables(draw, *, missing=True, most=16, measured=False):
    """A table of few rows, with words and numbers, possibly weights and missing values; with `measured`, some of numbers."""
    n, seed = draw(st.integers(1, most)), draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    n_classes = draw(st.integers(2, 3))
    columns = {f"w{i}": random.choice(list("abc")[: random.integers(2, 4)], n) for i in range(draw(st.integers(0, 3)))}
    columns["x"] = random.integers(0, 4, n).astype(float)
    if missing and draw(st.booleans()):
        columns["x"][random.random(n) < 0.2] = np.nan
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), 2000 * random.integers(1, 4, n), random.random(n) + 0.1]))
    of_numbers = measured and draw(st.booleans())
    labels = random.choice([0, 1, 2.5, -70.25, 1e-3, 1 / 3] if of_numbers else list("pqr")[:n_classes], n)
    kinds = {name: "numeric" if name == "x" else "nominal" for name in columns}
    return Dataset.from_columns(
        {**columns, "class": labels},
        target="class",
        weights=weights,
        kinds=kinds,
        **({"response": "numbers"} if of_numbers else {"classes": list("pqr")[:n_classes]}),
    )


def objectives(table):
    k = len(table.schema.classes)
    if not k:
        return [errors()]
    by_class = (1 - np.eye(k)) * np.arange(1, k + 1)[:, None]
    any_matrix = (1 - np.eye(k)) * (1 + np.arange(k * k).reshape(k, k) % 3)
    return [errors(), costs(by_class), costs(any_matrix), bayes(np.full(k, 1 / k)), class_bits(), twice_the_least]


def nominal(random, n=60, features=5, classes="pq"):
    columns = {f"w{i}": random.choice(list("abc"), n) for i in range(features)}
    labels = np.where(
        random.random(n) < 0.2, random.choice(list(classes), n), np.where(columns["w0"] < columns["w1"], *classes[:2])
    )
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds="nominal")


def nominal_of_numbers(numbers, random, n_columns=4, weights=None):
    columns = {f"w{number}": random.choice(list("abc"), len(numbers)) for number in range(n_columns)}
    return Dataset.from_columns({**columns, "y": numbers}, target="y", kinds="nominal", response="numbers", weights=weights)


@st.composite
def conjunctions(draw):
    """A table of two classes, one of which is nearly a conjunction, whose trees are chains; `draw` says which row is not."""
    cells = list(product("ab", repeat=4))
    labels = ["p" if "b" in row else "q" for row in cells]
    labels[draw(st.integers(0, 15))] = "q"
    return Dataset.from_rows(cells, labels, kinds="nominal", classes=["p", "q"])


@st.composite
def row_sets(draw, *, others=True):
    """All rows of a random table, or those with its first item; with `others`, for objectives that are no errors as well."""
    table = draw(tables(missing=False, most=90, measured=others))
    listed = objectives(table)
    objective = draw(st.sampled_from(listed if others else listed[:2]))
    prices = draw(st.sampled_from([None, {"x": 0.01}, dict.fromkeys((each.name for each in table.schema.features), 0.02)]))
    splitters = draw(st.sampled_from([BINARY, WIDE, (one_value(), multiway())]))
    limits = {"leaf_penalty": draw(st.sampled_from([0, 0.02])), "min_leaf": draw(st.sampled_from([0, 1.5]))}
    limits["min_leaf"] = min(limits["min_leaf"], 0.5 * table.n_cases)
    rows = all_rows(items_of(problem_for(table, splitters, objective=objective, feature_costs=prices, **limits)))
    return rows.part(0) if rows.items.n and draw(st.booleans()) else rows


def by_numpy(rows):
    """The same rows, and those that they are a part of, without the native library and without counts."""
    items = evolve(rows.items, is_native=False)
    whole = rows.whole and RowSet(items, rows.whole.mask, rows.whole.total, is_table=rows.whole.is_table)
    return RowSet(items, rows.mask, rows.total, whole, rows.item, is_table=rows.is_table)


def rows_with_items(rows):
    """Which rows have which items (n, M), and the segment of each row, from the bits themselves."""
    items, (bits, starts, _) = rows.items, rows.rows
    shifts = np.arange(64, dtype=np.uint64)
    has = ((bits[:, None, :] >> shifts[None, :, None]) & np.uint64(1)).astype(bool).reshape(-1, bits.shape[1])
    return has[:, : items.n], np.repeat(np.arange(len(starts) - 1), 64 * np.diff(starts))


def parts_of(rows):
    """The rows, and those with and without each of the first items."""
    parts = [rows.part(item) for item in range(min(rows.items.n_binary, 4))]
    return [rows, *parts, *map(rows.others, parts)]
