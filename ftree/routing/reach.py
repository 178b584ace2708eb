"""Rows of any form at the leaves that they reach.

A row whose values are all known reaches one leaf: `leaf_numbers`. Rows without an answer at a split may reach several, which
`reached_counts` adds up. Both run in the native library over blocks of rows, where it is here and knows all splits of the tree,
else in `descent`; up to 16 rows take less time in plain Python (`end_of_row`).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import chain
from math import isfinite, isinf, nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, blocks_of, exact_unit
from ftree._lib.machine import thread_pool
from ftree._lib.objects import cached_by_identity
from ftree.data.frames import in_memory
from ftree.data.labelled import Unseen, check_unseen
from ftree.data.rows import columns_to_route
from ftree.routing.descent import numpy_leaf_numbers, plain_counts_of_leaves
from ftree.routing.flat import Flat, flat, flat_of_tree
from ftree.routing.missing_rules import adds_distributions, is_by_rule, sees_rows
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.schema import Feature, Schema, codes_of_values, position
from ftree.tree.splits.split import ABOVE, CODE, LEAF, UNKNOWN, Columns

# Up to this many rows, a single call of NumPy takes longer than a walk.
_FEW = 16
# Rows of a block, which is copied at once: the fewer copies, the less threads wait for each other.
_BLOCK = 1 << 13
# This many steps of rows through nodes take a few tenths of a second, for which an interruption can wait.
_MOST_STEPS = 1 << 26


@frozen(eq=False)
class Reached:
    """The columns of rows in the codes of a tree, its nodes, and each row's last one, -1 without an answer at some split.

    `single` says whether one row was given instead of several; `cells` are those of `row_cells`.
    """

    nodes: Flat = field(repr=False)
    columns: Columns = field(repr=False)
    single: bool
    leaf: Array = field(repr=False)
    cells: Sequence[Floats] = field(repr=False)

    def answers(
        self, of_leaves: Callable[[Array], Array], rule: PredictionRule, of_divided: Callable[[Columns, int], Array]
    ) -> Array:
        """What `of_leaves` has for each row's leaf, (n, ...); for those that a rule may divide, `of_divided` of columns and n."""
        answers = of_leaves(self.leaf)  # where the leaf is -1, it is that of any node, and replaced here
        rows = np.arange(len(self.leaf)) if sees_rows(rule) else np.flatnonzero(self.leaf == UNKNOWN)
        if len(rows):
            answers[rows] = of_divided(tuple([column[rows] for column in self.columns]), len(rows))
        return answers


def reach(tree: Tree, rows: Any, unseen: Unseen = "rule") -> Reached:
    """Send rows down a tree.

    Raises a ValueError for rows of another length, for infinity and, if `unseen` is "raise", for an unseen value; a KeyError
    for a column that the rows lack and a split uses.

    >>> from ftree import Dataset, grow
    >>> reach(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), [["rainy"], ["snowy"]]).leaf.tolist()
    [1, -1]
    """
    if not is_by_rule(unseen):
        check_unseen(tree.schema, rows, unseen)
    rows = in_memory(rows)
    own, depends_on = flat(tree).questions, _row_features(tree.schema)
    asking = own.asks_unseen if tree.schema.has_classes else ()
    columns, n, single, refuse_infinity = columns_to_route(tree.schema, rows, asking, own.all_features.union(depends_on))
    if depends_on and refuse_infinity is not None:
        refuse_infinity()
    cells = row_cells(tree.schema, columns)
    tree, columns = with_answers_for_unseen(tree, rows, columns, unseen)
    nodes = flat_of_tree(tree)
    return Reached(nodes, columns, single, leaf_numbers(nodes, columns, n, refuse_infinity), cells)


def with_answers_for_unseen(tree: Tree, rows: Any, columns: Columns, unseen: Unseen) -> tuple[Tree, Columns]:
    """`unseen_values.with_unseen`, which is loaded only for trees with a split that distinguishes values that it has not seen."""
    own = flat(tree).questions
    if unseen != "missing" and not (own.asks_unseen or own.tells_unseen):
        return tree, tuple(columns)
    from ftree.routing.unseen_values import with_unseen  # noqa: PLC0415  # few trees need it

    return with_unseen(tree, rows, columns, unseen)


def row_cells(schema: Schema, columns: Columns) -> list[Floats]:
    """The numbers of rows on which their answers depend, a column for each of `row_features`; NaN where missing or unseen."""
    return [_as_numbers(schema.features[number], columns[number]) for number in _row_features(schema)]


def _row_features(schema: Schema) -> list[int]:
    """The numbers of the features on whose cells the answers of rows depend; none for most responses."""
    return [] if schema.has_classes else [position(schema, name) for name in schema.response.row_features]


def _as_numbers(feature: Feature, column: Array) -> Floats:
    """The cells of a feature as floats; values of a nominal or ordinal one are numbers, or the response would refuse them."""
    if feature.kind == "numeric":
        return column
    known = (column >= 0) & (column < len(feature.values))
    numbers: Floats = np.array([*feature.values, np.nan], dtype=np.float64)[np.where(known, column, UNKNOWN)]
    return numbers


def leaf_numbers(tree: Flat, columns: Columns, n: int, refuse_infinity: Callable[[], None] | None = None) -> Array:
    """The leaf of each row, (n,); -1 for a row without an answer at some split on its path.

    If columns may have infinity, `refuse_infinity` raises an error if they do; the native library checks while it reads.

    >>> from ftree import Branch, Leaf
    >>> from ftree.tree import Threshold
    >>> from ftree.routing.flat import flat
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> leaf_numbers(flat(twig), (np.array([0.0, 1.0, np.nan]),), 3).tolist()
    [1, 2, -1]
    """
    found = few_leaf_numbers(tree, columns, refuse_infinity) if n <= _FEW else None
    if found is not None:
        return found
    if tree.compiled and native.is_here():
        return native_leaf_numbers(tree, columns, n, refuse_infinity)
    if refuse_infinity is not None:
        refuse_infinity()
    return numpy_leaf_numbers(tree, columns, n)


def reached_counts(tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats) -> Floats:
    """The counts by which rows that may reach several leaves are predicted, (n, K): sums of what nodes add (m, K)."""
    takes = native_counts if tree.compiled and not sees_rows(rule) and native.is_here() else plain_counts_of_leaves
    return takes(tree, columns, n, rule, of_nodes)


# Blocks of rows in the native library.


def native_leaf_numbers(
    tree: Flat, columns: Columns, n: int, refuse_infinity: Callable[[], None] | None = None, *, block: int = _BLOCK
) -> Array:
    """`leaf_numbers` in the native library."""
    floats = [column for column in columns if column.dtype.kind == "f"]
    leaf, infinite = np.empty(n, np.intp), list[int]()

    def down(rows: slice, cells: Array, by_row: bool, ways: tuple[Array, ...]) -> None:  # noqa: FBT001  # as the library takes it
        if refuse_infinity is not None and _some_infinite([cells] if by_row else [column[rows] for column in floats]):
            infinite.append(rows.start)
        native.call("leaves", cells, by_row, *ways, leaf[rows])

    _in_blocks(down, tree, columns, n, block=block, steps=n)
    if infinite and refuse_infinity is not None:
        refuse_infinity()
    return leaf


def _some_infinite(arrays: Sequence[Array]) -> bool:
    """Whether a number is infinite; the extremes, which pass over missing values, are found faster than each is checked."""
    return any(isinf(extreme(each, axis=None, initial=0.0)) for each in arrays for extreme in (np.fmax.reduce, np.fmin.reduce))


def native_counts(tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats, *, block: int = _BLOCK) -> Floats:
    """`reached_counts` in the native library."""
    n_nodes, n_classes = of_nodes.shape
    given = tree.divisions(rule), np.ascontiguousarray(of_nodes), adds_distributions(rule), exact_unit(1.0)
    added = np.zeros((n, n_classes))

    def down(rows: slice, cells: Array, by_row: bool, ways: tuple[Array, ...]) -> None:  # noqa: FBT001  # as above
        room = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_classes)
        native.call("add_up", cells, by_row, *ways, *given, *room, added[rows])

    # A row with missing values may visit every node.
    _in_blocks(down, tree, columns, n, block=min(block, _MOST_STEPS // n_nodes), steps=n * n_nodes)
    return added


def _in_blocks(work: Callable[..., None], tree: Flat, columns: Columns, n: int, *, block: int, steps: int) -> None:
    """Call `work` with blocks of rows, their cells, whether these lie row by row, and the tree's arrays, in several threads.

    The cells are those of the table whose columns these are, if the library can read it, or copied lines of the used columns.
    """
    block = max(1, min(block, n))  # few rows take little memory
    table, ways = table_of(columns), tree.walk_arrays_of_table
    if table is None or ways is None:
        table, ways = None, tree.walk_arrays

    def several(low: int, high: int, _: int) -> None:
        cells = np.full((len(tree.questions.used_features) + 1, block if table is None else 0), np.nan)
        for rows in blocks_of(low * block, min(high * block, n), block):
            if table is None:
                tree.questions.fill(cells, columns, rows)
            work(rows, cells if table is None else table[rows], table is not None, ways)

    with thread_pool(None) as threads:
        threads.share(several, -(-n // block), steps)


def table_of(columns: Columns) -> Array | None:
    """The table of floats (n, F) whose columns these are, which need no copy; None if they are others."""
    table = columns[0].base if columns else None
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype != np.float64:  # noqa: PLR2004  # rows and columns
        return None
    n = len(columns[0])
    table = (table if table.flags.c_contiguous else table.T)[:n]
    same = len(columns) == table.shape[1] and all(
        column.__array_interface__ == own.__array_interface__ for column, own in zip(columns, table.T, strict=True)
    )
    return table if same and table.flags.c_contiguous else None


# Few rows in plain Python: a single call of NumPy takes longer than the whole walk.


def leaf_of_known_row(tree: Tree, row: Any) -> int:
    """The leaf of one row, a list, tuple or array of values in the schema's order, in microseconds.

    -1 if the row has another form, a value is missing or unknown, or a split of the tree is a sum or has no table form.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> leaf_of_known_row(tree, ["rainy"]), leaf_of_known_row(tree, ["snowy"]), leaf_of_known_row(tree, [["rainy"]])
    (1, -1, -1)
    """
    schema, kind = tree.schema, type(row)
    if kind is np.ndarray and row.ndim == 1 and row.dtype.kind not in "mM":  # tolist gives times as other values
        row = row.tolist()
    elif kind is not list and kind is not tuple:
        return UNKNOWN
    if len(row) != len(schema.features) or not row or type(row[0]) is tuple:  # a tuple may be a row, too
        return UNKNOWN
    cells, steps = _cells(schema, row), flat(tree).steps
    return UNKNOWN if cells is None or steps is None else end_of_row(steps, cells)


# Text, bytes, times and masked cells are left to the coding of tables, whose errors explain what is wrong.
_FLOATS = {float}
_NUMBER_TYPES = {int, float, bool, np.float64, np.float32, np.int64, np.int32}
# Beyond this number, some whole numbers are not floats.
_EXACT = 2**53


def _cells(schema: Schema, row: Any) -> list[Any] | None:
    """The row's numbers and codes; None if a value is missing, unknown or not finite."""
    tables = _tables(schema)
    try:
        if tables is None:
            cells = row if _FLOATS.issuperset(map(type, row)) else list(map(_number, row))
        else:
            cells = [_number(cell) if table is None else table[cell] for cell, table in zip(row, tables, strict=True)]
        return cells if all(map(isfinite, cells)) else None
    except (TypeError, OverflowError, KeyError):
        return None


def _number(cell: Any) -> float:
    """The cell as a float; NaN if the coding of tables must decide."""
    if type(cell) is float:
        return cell
    return float(cell) if type(cell) in _NUMBER_TYPES and -_EXACT < cell < _EXACT else nan


@cached_by_identity
def _tables(schema: Schema) -> tuple[Any, ...] | None:
    """For each feature the code of each value, None for a numeric one; None if all features are numeric."""
    tables = [None if feature.kind == "numeric" else codes_of_values(feature) for feature in schema.features]
    return tuple(tables) if any(table is not None for table in tables) else None


def few_leaf_numbers(tree: Flat, columns: Columns, refuse_infinity: Callable[[], None] | None = None) -> Array | None:
    """`leaf_numbers` for a few rows, in plain Python; None if a split may have an answer for a missing value."""
    if tree.steps is None or not columns:
        return None
    known = [column.tolist() if column.dtype.kind == "f" else np.where(column < 0, nan, column).tolist() for column in columns]
    rows = list(zip(*known, strict=True))
    if refuse_infinity is not None and any(map(isinf, chain.from_iterable(rows))):
        refuse_infinity()
    leaves = [end_of_row(tree.steps, row) for row in rows]
    return None if UNKNOWN in leaves and tree.questions.has_fallback.any() else np.array(leaves, np.intp)


def end_of_row(steps: Sequence[tuple[int, int, Any, int]], cells: Sequence[Any]) -> int:
    """The node at which a row ends, by `Flat.steps` and its cells, NaN where missing; -1 if the way there is not known."""
    node = 0
    while True:
        kind, feature, at, end = steps[node]
        if kind == LEAF:
            return node
        cell = cells[feature]
        if cell != cell:  # noqa: PLR0124  # NaN is not equal to itself
            return UNKNOWN
        if kind == ABOVE:
            node = end + (cell > at)
        elif kind == CODE:
            child = at[int(cell) if cell < len(at) else -1]
            if child == UNKNOWN:
                return UNKNOWN
            node = end + child
        else:
            node = end + bisect_left(at, cell)
