"""The search among all cuts of columns of any number of values: ranks in place of listed splits, errors as the objective.

A column is an order of the rows, and a cut sends its lower ranks to the left. A numeric feature is one such order, or two where
values are missing, which come last or first; a listed split is an order of two ranks. `native/sorted_trees.c` searches in a
thread of its own, so that a stop by time or by Ctrl-C is heard at once. Source: Briţa, van der Linden & Demirović 2025 (ConTree).
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from math import ceil, log2
from time import perf_counter
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import thread_pool
from ftree._lib.objects import is_exactly
from ftree.data.dataset import Dataset
from ftree.exact.candidates import (
    and_missing,
    check_splitters,
    distinct_places,
    division_of,
    listed_of_column,
    prepared_rows,
    too_many,
)
from ftree.exact.items import packed
from ftree.exact.objectives import charges_of, class_weights, require_price
from ftree.exact.problem import FoundTree, SearchTask, charges_on_grid, exact_weights, problem_counts
from ftree.splitters import DistinctValues, ListsCandidates, threshold
from ftree.tree.nodes import Branch, Leaf, Node, Tree, new_tree, whole_numbers
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import Split

_TWO = 2
# With so few cuts, the search among listed splits is quicker.
_FEW = 256
# The first search looks at so many cuts of a column in each node: it finds a good tree early, which excludes most others.
_CUTS = 3
# Sets of rows that are kept for each depth, to bound similar ones.
_KEPT = 512
# Places beyond the end of a column, so that it divides into equal parts.
_PAD = 16
# Bits of the sum of weights that are fractions.
_BITS = 50
# Seconds between two looks at the time and the progress.
_PAUSE = 0.1


@frozen(eq=False)
class RowOrder:
    """An order of the rows: by `values` of a feature, missing ones on the side of `default_child`; or by a listed split."""

    feature: int
    splitter: Any
    values: Array
    default_child: int | None = None
    listed: Split | None = None

    def split_at(self, rank: int) -> Split:
        """The split whose left rows have ranks up to this one."""
        if self.listed is not None:
            return self.listed
        place = rank - (self.default_child == 0)
        both = self.values[max(place, 0) : place + _TWO]
        splits = self.splitter.candidates(DistinctValues(self.feature, "", both, np.ones(len(both))))
        made = list(and_missing(self.feature, splits, missing=self.default_child is not None))
        return made[: (self.default_child or 0) + 1][-1]  # the only one beside missing values is "is missing"


@frozen(eq=False)
class RankedTable:
    """A table as `columns` with the `rank` (F, n) of each row, and what leaves and cuts cost.

    `amounts` (n,) are what an error in a row costs, in whole units of `unit`; `prices` (F,) are those of columns.
    """

    dataset: Dataset
    columns: Sequence[RowOrder]
    rank: Array
    cases: Floats
    amounts: Array
    unit: float
    penalty: float
    prices: Floats


def ranked_table(task: SearchTask, *, fewest: int = _FEW) -> RankedTable | None:
    """The columns of a table that this search serves; None for others.

    It serves the objectives that count errors, splits of two children, and leaves of any size, where there are more cuts than
    `fewest`; it needs the native library. Raises the errors of `problem_of`.
    """
    dataset, splitters = task.dataset, task.splitters
    check_splitters(splitters)
    if not (native.is_here() and isinstance(dataset, Dataset) and _has_numbers(dataset, splitters)):
        return None
    table = prepared_rows(dataset, task.missing)
    given, cases, weights = exact_weights(task.objective, table)
    factors = class_weights(given, len(table.schema.classes))
    if factors is None or task.min_leaf > cases.min():
        return None
    found = list(_columns(table, splitters, task.max_candidates))
    known = [each for each in found if each is not None]
    if len(known) < max(len(found), 1) or sum(int(rank.max()) for _, rank in known) <= fewest:
        return None
    columns, ranks = zip(*known, strict=True)
    charges, total = charges_of(table.schema, task.feature_costs, table.n_cases), float(weights.sum())
    require_price("leaf_penalty", task.leaf_penalty, total)
    shares = np.array([sum(charges[number] for number in _features(column)) for column in columns])
    amounts, unit = _whole(weights * factors[table.target_column])
    worst = float(given(problem_counts(table.target_column, weights, len(table.schema.classes))))
    penalty, prices, _ = charges_on_grid(worst, float(task.leaf_penalty), shares, total)
    return RankedTable(table, columns, np.array(ranks, np.int32), cases, amounts, unit, penalty, prices)


def _has_numbers(dataset: Dataset, splitters: Sequence[Any]) -> bool:
    """Whether a table of classes has a feature that a threshold may divide."""
    kinds = {kind for splitter in splitters if is_exactly(splitter, threshold) for kind in splitter.kinds}
    return bool(dataset.schema.classes) and any(feature.kind in kinds for feature in dataset.schema.features)


def _features(column: RowOrder) -> tuple[int, ...]:
    return (column.feature,) if column.listed is None else tuple(column.listed.features)


def _columns(table: Dataset, splitters: Sequence[Any], most: int) -> "Iterator[tuple[RowOrder, Array] | None]":
    """The columns of a table with the ranks (n,) of rows; None for a split with several children."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    n_listed = 0
    for number, (feature, cells) in enumerate(zip(table.schema.features, table.columns, strict=True)):
        seen: set[bytes] = set()
        for splitter in splitters:
            if is_exactly(splitter, threshold) and feature.kind in splitter.kinds:
                yield from _of_values(number, splitter, cells)
            elif feature.kind in splitter.kinds:
                listed: ListsCandidates = splitter
                splits, children, of_row = listed_of_column(number, feature, cells, weights, [listed])
                for split, child in zip(splits, children, strict=True):
                    if split.n_children != _TWO:
                        yield None
                        return
                    rank = child.take(of_row)
                    division = division_of(rank)
                    if division not in seen:
                        seen.add(division)
                        n_listed += 1
                        yield RowOrder(number, splitter, cells[:0], listed=split), rank
                    if n_listed > most:
                        raise too_many(most)


def _of_values(number: int, splitter: threshold, cells: Array) -> Iterator[tuple[RowOrder, Array]]:
    """The orders of a feature's rows by their values."""
    values, place = distinct_places(cells)
    splitter.candidates(DistinctValues(number, "", values[:1], np.ones(len(values[:1]))))  # it refuses limits
    if (place == len(values)).any():
        yield RowOrder(number, splitter, values, 1), place
        yield RowOrder(number, splitter, values, 0), (place + 1) % (len(values) + 1)
    elif len(values) > 1:
        yield RowOrder(number, splitter, values), place


def _whole(amounts: Floats) -> tuple[Array, float]:
    """Amounts as whole numbers of a unit, and the unit: their greatest common divisor, or a power of two for fractions."""
    if (amounts == np.rint(amounts)).all():
        whole = amounts.astype(np.int64)
        unit = max(int(np.gcd.reduce(whole)), 1)
        return whole // unit, float(unit)
    power = 2.0 ** (ceil(log2(amounts.sum())) - _BITS)
    return np.rint(amounts / power).astype(np.int64), power


def best_of_all_cuts(
    problem: RankedTable, depth: int, upper: float, *, report: Callable[[str], Any], deadline: float, max_states: float
) -> FoundTree:
    """The best tree up to a depth, if it costs less than `upper`; at a stop, the best one so far.

    Where leaves and cuts are free, it has no more leaves than its cost needs.
    """
    stop, start = np.zeros(1, np.int64), native.record(native.TREES_KNOWN, cost=upper, most_states=max_states)
    known = np.array([start], native.TREES_KNOWN)
    free = not problem.penalty and not problem.prices.any()
    plans: list[Array] = []
    call = _prepared_call(_with_fewest_leaves(problem, depth) if free else problem, depth, stop, known)

    def search() -> None:
        for cuts in (_CUTS, 0) if depth > _TWO else (0,):
            plan = np.empty((max(_plan_begin(depth + 1), 1), 2), np.int32)  # a leaf alone has an entry too
            if call(cuts, plan):
                plans.append(plan)
            if stop[0] or known["states"] > max_states:
                return

    def cost_and_bound() -> tuple[float, float]:
        costs = np.concatenate([known["cost"], known["bound"]])
        whole_units = costs // problem.unit * problem.unit
        cost, bound = (whole_units if free else costs).tolist()  # without the penalties of `_with_fewest_leaves`
        return cost, bound

    _in_thread(search, stop, deadline, lambda: report("cost {:g}, at least {:g}".format(*cost_and_bound())))
    tree, (cost, bound) = _tree(problem, plans[-1], depth) if plans else None, cost_and_bound()
    return FoundTree(tree, bound, bound >= cost, int(known["states"][0]))


def _with_fewest_leaves(problem: RankedTable, depth: int) -> RankedTable:
    """A problem without penalties, with one so small that it only decides between trees of equal cost.

    Proof: errors cost whole units, and the penalties of at most 2^depth leaves are half a unit at most. So a tree with fewer
    errors costs less, whatever its leaves; and rounding a cost or a bound down to whole units takes all penalties off.
    """
    return evolve(problem, penalty=problem.unit / 2 ** (depth + 1))


def single_leaf(problem: RankedTable) -> Tree:
    """The tree of a leaf."""
    return _tree(problem, np.empty((0, 2), np.int32), 0)


def _prepared_call(problem: RankedTable, depth: int, stop: Array, known: Floats) -> Callable[[int, Array], int]:
    """The native search, of which `cuts` and the plan (P, 2) are left to give."""
    rank, labels = problem.rank, problem.dataset.target_column.astype(np.int32)
    (f, n), k = rank.shape, len(problem.dataset.schema.classes)
    order = rank.argsort(axis=1, kind="stable").astype(np.int32)
    total = np.bincount(labels, problem.amounts, k).astype(np.int64)
    everything = packed(np.arange(64 * _words(n)) < n)
    table = {"rank": rank, "order": order, "label": labels, "weight": problem.amounts, "total": total, "set": everything}
    costs = {"prices": problem.prices, "unit": problem.unit, "penalty": problem.penalty}
    room = _room(f, n, k, max(depth - 1, 1))

    def call(cuts: int, plan: Array) -> int:
        plans = {"best": plan, "trial": np.empty_like(plan)}
        return native.call("sorted_tree", **table, **costs, depth=depth, cuts=cuts, stop=stop, known=known, **plans, **room)

    return call


def _words(n: int) -> int:
    """Words of 64 bits for n rows."""
    return -(-n // 64)


def _room(f: int, n: int, k: int, levels: int) -> dict[str, Array]:
    """Room for a search in f columns, n rows and k classes, by the names in its signature; see `native/sorted_trees.c`."""
    arrays: dict[str, tuple[Any, tuple[int, ...]]] = {
        "lanes": (np.int32, (levels, f, n)),
        "at": (np.int32, (levels, f, n)),
        "place": (np.int32, (n,)),
        "spread": (np.int32, (3, f, n + _PAD)),
        "bounds": (np.float64, (levels, f, 3, n)),
        "least": (np.float64, (levels, f)),
        "first": (np.float64, (f,)),
        "by_column": (np.float64, (levels, 2, f)),
        "n_cuts": (np.int64, (levels, f)),
        "totals": (np.int64, (levels, 2, k)),
        "seen": (np.int64, (4, k)),
        "sets": (np.uint64, (levels, 2, _words(n))),
        "kept_sets": (np.uint64, (levels, _KEPT, _words(n))),
        "kept": (np.float64, (levels, _KEPT, 1 + k + f)),
        "n_kept": (np.int64, (levels,)),
    }
    return {name: np.empty(shape, kind) for name, (kind, shape) in arrays.items()}


def _in_thread(search: Callable[[], None], stop: Array, deadline: float, progress: Callable[[], None]) -> None:
    """Run a search in a thread; stop it at the deadline or by Ctrl-C, and show its progress until it ends."""
    stop[0] |= perf_counter() >= deadline  # before the search begins, since it may find a tree before this thread looks again
    with thread_pool(_TWO) as threads:
        running = threads.begin(search)
        while not running.done():
            try:
                _wait(running, min(_PAUSE, deadline - perf_counter()))
                stop[0] |= perf_counter() >= deadline
                progress()
            except KeyboardInterrupt:
                stop[0] = 1
    running.result()


def _wait(running: "Future[None]", seconds: float) -> None:
    with suppress(NotYet):
        running.exception(timeout=max(seconds, 0.0))


def _tree(problem: RankedTable, plan: Array, depth: int) -> Tree:
    """The tree of a plan (P, 2), with the counts of the rows that reach each node."""
    return new_tree(problem.dataset.schema, _node(problem, np.arange(len(problem.dataset)), plan, _plan_begin(depth), depth))


def _plan_begin(depth: int) -> int:
    """Where the plan of a depth begins, after those of all lower depths."""
    return int(2**depth - 1 - depth)


def _node(problem: RankedTable, rows: Array, plan: Array, at: int, depth: int) -> Node:
    table = problem.dataset
    counts = tuple(whole_numbers(problem_counts(table.target_column[rows], problem.cases[rows], len(table.schema.classes))))
    column, rank = plan[at].tolist() if depth else (-1, 0)
    if column < 0:
        return Leaf(counts)
    split = problem.columns[column].split_at(rank)
    left = problem.rank[column, rows] <= rank
    places = at + 1, at + 2 ** (depth - 1)
    sides = [(rows[left], places[0]), (rows[~left], places[1])]
    first = child_of(split, table.columns[problem.columns[column].feature][sides[0][0][:1]])[0]
    children = [_node(problem, some, plan, place, depth - 1) for some, place in (sides[::-1] if first else sides)]
    return Branch(counts, split, children)
