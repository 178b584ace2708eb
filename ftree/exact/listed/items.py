"""The rows of a problem as bits.

An item is one side of a binary candidate split, the one with fewer rows, or a child of a split with several children. The
search counts items, pairs and triples of items among sets of rows. Rows are sorted into segments; each begins with a word of
its own, and the rest of its last word is 0.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, class_counts_of_cells, offsets
from ftree.exact.listed.leaf_formulas import LeafFormula, costs_by_formula, formula_of
from ftree.exact.listed.problem import Problem

_TWO = 2
# Triples are counted for at most so many items, with places beyond for loops without a rest.
MOST, PAD = 256, 16
# Counts of triples take at most this many bytes; otherwise pairs are counted for one item after another.
_MOST_BYTES = 64e6
# The largest count of 32 bits: the shorter counts are, the more of them are added at once.
_LONG = 2**31 - 1
# Half of the bits that are still to be transposed, and a word with the lower one of each two such halves.
_HALVES = tuple((width, np.uint64((2**64 - 1) // (2**width + 1))) for width in (32, 16, 8, 4, 2, 1))


@frozen(eq=False)
class Items:
    """Items of a problem as bits, which never change.

    - `bits` (W, M + 2): the M items, the rows that every tree gets wrong, and all rows.
    - `starts` (S + 1,): the first word of each segment of rows, of one class and weight: `of_class`, `weight` (S,).
    - `wide`: the c-th split of several children has the items `wide[c]` to `wide[c + 1]`; a binary split has that of its number.
    - `flipped` (n_binary,): whether the item of a binary split is its child 0.
    - `short_counts`: errors of two classes are counted in short integers, in which weights include those of classes.
    - `buffers`: arrays for counts of triples, to be used again; these take `most_bytes` at most.
    - `is_native`: whether the native library counts.
    """

    problem: Problem
    bits: Array
    starts: Array
    of_class: Array
    weight: Array
    wide: Array
    flipped: Array
    short_counts: bool
    most_bytes: float = _MOST_BYTES
    buffers: list[Array] = field(factory=list)
    is_native: bool = field(factory=native.is_here)

    @cached_property
    def n(self) -> int:
        """Number of items."""
        return int(self.bits.shape[1]) - _TWO

    @cached_property
    def n_binary(self) -> int:
        """Number of splits with two children, which come first, and of their items."""
        return int(self.wide[0])

    @cached_property
    def n_splits(self) -> int:
        """Number of candidate splits."""
        return len(self.problem.splits)

    @property
    def prices(self) -> Floats:
        """The prices of splits (C,)."""
        return self.problem.prices

    @property
    def dtype(self) -> Any:
        """The type of counts."""
        return np.int32 if self.short_counts else np.float64

    @cached_property
    def rows(self) -> Array:
        """The bits by row (64 W, V), with 64 items a word."""
        return rows_of_bits(self.bits)

    @property
    def counts_errors(self) -> bool:
        """Whether leaves cost errors."""
        return self.problem.class_weights is not None

    @cached_property
    def cost_weights(self) -> Floats:
        """The weights of each class's counts in errors (K,): all equal if the weights of rows include them."""
        weights = self.problem.class_weights
        return np.ones(self.problem.n_classes) if self.short_counts or weights is None else weights

    @cached_property
    def formula(self) -> LeafFormula | None:
        """What leaves cost, as C computes it; None for other objectives."""
        return formula_of(self.problem, self.cost_weights)

    def leaf_costs(self, counts: Array) -> Floats:
        """The costs of leaves with these counts (..., K), as they are counted here; including the penalty."""
        return costs_by_formula(self.problem, self.formula, counts)

    @cached_property
    def library(self) -> dict[str, Callable[..., int]]:
        """Functions of the native library that count, without the arguments that are the same for all row sets."""
        counts, segments = np.dtype(self.dtype).name, (self.of_class, self.weight)
        return {
            "select_rows": native.prepared("select_rows", self.rows, self.starts),
            "pairs": native.prepared(f"pairs_{counts}", *segments),
            "triples": native.prepared(f"triples_{counts}", *segments),
            "pairs_with": native.prepared(f"pairs_with_{counts}"),
            "subtract": native.prepared(f"subtract_{counts}"),
        }

    @cached_property
    def terms(self) -> tuple[Any, ...] | None:
        """Arguments of the native library that are the same for each node; None where NumPy finds trees of depth two."""
        if self.formula is None or not self.is_native:
            return None
        kind, table = self.formula
        least, penalty, step = self.problem.min_leaf, self.problem.penalty, self.problem.step
        leaves = native.record(native.LEAF_TERMS, kind=kind, penalty=penalty, least=least, step=step)
        return self.wide, self.prices, np.array([leaves], native.LEAF_TERMS), table

    @cached_property
    def row_weights(self) -> Floats:
        """The highest cost of a row of each segment (S,)."""
        return self.weight * self.cost_weights[self.of_class]

    @property
    def counts_triples(self) -> bool:
        """Whether there is room for the counts of all triples."""
        size = float(self.n) ** 2 * (self.n + PAD) * self.problem.n_classes * np.dtype(self.dtype).itemsize
        return self.n <= MOST and size <= self.most_bytes

    @property
    def has_wide(self) -> bool:
        """Whether a candidate split has several children."""
        return self.n_binary < self.n_splits

    # The numbering of items: by split, and as (M, 2), for the rows with each item and for those without it

    def items_of_split(self, number: int) -> range:
        """The items of a candidate split."""
        if number < self.n_binary:
            return range(number, number + 1)
        return range(self.wide[number - self.n_binary], self.wide[number - self.n_binary + 1])

    def of_children(self, number: int, of_sides: Floats) -> list[float]:
        """The values of a split's children, of those (M, 2) of sides."""
        chosen = of_sides[number] if number < self.n_binary else of_sides[list(self.items_of_split(number)), 0]
        return list(chosen.tolist())

    def by_split(self, of_sides: Floats) -> Floats:
        """The cost of each candidate split (C,), given the costs (M, 2) of sides."""
        n = self.n_binary
        costs: Floats = of_sides[:n, 0] + of_sides[:n, 1]
        return (np.append(costs, np.add.reduceat(of_sides[:, 0], self.wide[:-1])) if self.has_wide else costs) + self.prices

    def buffer(self) -> Array:
        """An array for counts of triples, reused if there is one."""
        shape = (self.n, self.problem.n_classes, self.n, self.n + PAD)
        try:
            return self.buffers.pop()
        except IndexError:  # asked first, another thread could take the last one
            return np.zeros(shape, self.dtype)


def items_of(problem: Problem) -> Items:
    """The items of a problem."""
    order, first, label, weight = _segments(problem)
    n = problem.n_binary
    sizes = [split.n_children for split in problem.splits[n:]]
    flipped = _larger_second(problem)
    starts = offsets(-(-np.diff(first) // 64))
    short_counts = _counts_are_short(problem, first, weight, label)
    scaled = weight * problem.class_weights[label] if short_counts and problem.class_weights is not None else weight
    listed = [(number, 1, bool(turned)) for number, turned in enumerate(flipped)]
    listed += [(number, each, False) for number, size in enumerate(sizes, n) for each in range(size)]
    bits = _bits(problem, listed, order, places_of_rows(starts, first), 64 * int(starts[-1]))
    weight = scaled.astype(np.int32 if short_counts else np.float64)
    return Items(problem, bits, starts, label, weight, n + offsets(sizes), flipped, short_counts)


def _larger_second(problem: Problem) -> Array:
    """Whether more than half of the rows go to the second child of each binary split."""
    rows_of = [np.bincount(place) for place in problem.place]
    half = len(problem.dataset) / _TWO
    pairs = [(problem.child[number] == 1, rows_of[problem.column[number]]) for number in range(problem.n_binary)]
    # The last values may be those of no row here.
    return np.array([second[: len(rows)] @ rows > half for second, rows in pairs], dtype=bool)


def _bits(problem: Problem, listed: list[tuple[int, int, bool]], order: Array, places: Array, n_bits: int) -> Array:
    """Bits of items, the child of a split or, where True, its other child; of rows that are always wrong; and of all rows."""
    row, is_row = np.zeros(n_bits, np.int64), np.zeros(n_bits, dtype=bool)
    row[places], is_row[places] = order, True
    place = problem.place[:, row]
    # `take` is quicker than an index of 32 bits.
    items = (((problem.child[number] == child) ^ other).take(place[problem.column[number]]) for number, child, other in listed)
    return bits_of_items(chain(items, [_always_wrong(problem)[row], is_row]), is_row)


def places_of_rows(starts: Array, first: Array) -> Array:
    """The bit of each row (n,), given the first word of each segment, `starts` (S + 1,), and its `first` row (S + 1,)."""
    answer: Array = np.arange(first[-1]) + np.repeat(64 * starts[:-1] - first[:-1], np.diff(first))
    return answer


def bits_of_items(items: Iterable[Array], is_row: Array) -> Array:
    """Bits (W, M) of items, each (64 W,) says which bits have it; those that stand for no row, by `is_row` (64 W,), are 0."""
    kept = packed(is_row)
    return np.ascontiguousarray(np.array([packed(item) & kept for item in items]).T)


def bits_as_numbers(bits: Array) -> Floats:
    """Numbers (64 W, M), 0 or 1, of bits (W, M)."""
    shifts = np.arange(64, dtype=np.uint64)
    return ((bits[:, None] >> shifts[:, None]) & np.uint64(1)).reshape(64 * len(bits), bits.shape[1]).astype(np.float64)


def packed(flags: Array) -> Array:
    """Flags (64 W,) as bits (W,).

    >>> packed(np.arange(64) < 3)
    array([7], dtype=uint64)
    """
    return np.packbits(flags, bitorder="little").view(np.uint64)


def rows_of_bits(bits: Array) -> Array:
    """The rows (64 W, V) of bits (W, M), 64 items a word: blocks of 64 x 64 bits are transposed, half by half."""
    n_words, n = bits.shape
    n_blocks = -(-n // 64)
    blocks = np.zeros((n_words, 64 * n_blocks), np.uint64)
    blocks[:, :n] = bits
    for width, low in _HALVES:
        first, second = np.moveaxis(blocks.reshape(n_words, 32 * n_blocks // width, 2, width), 2, 0)
        exchanged = ((first >> np.uint64(width)) ^ second) & low
        second ^= exchanged
        first ^= exchanged << np.uint64(width)
    return np.ascontiguousarray(blocks.reshape(n_words, n_blocks, 64).transpose(0, 2, 1)).reshape(64 * n_words, n_blocks)


def _segments(problem: Problem) -> tuple[Array, Array, Array, Floats]:
    """The order of rows by class and weight; the first row of each segment and the number of rows; their classes and weights."""
    labels = problem.dataset.target_column
    order = np.lexsort((problem.weights, labels))
    label, weight = labels[order], problem.weights[order]
    starts = np.flatnonzero(np.append(True, (np.diff(label) != 0) | (np.diff(weight) != 0)))
    return order, np.append(starts, len(order)), label[starts].astype(np.int64), weight[starts]


def _counts_are_short(problem: Problem, first: Array, weight: Floats, label: Array) -> bool:
    """Whether only whole weights of two classes count, small enough for short integers."""
    weights = problem.class_weights
    if weights is None or len(weights) != _TWO or problem.limits_leaves or problem.prices.any():
        return False
    own = weight * weights[label]
    whole = bool((own == np.round(own)).all()) and (own * np.diff(first)).sum() <= _LONG
    return whole and problem.n_binary == len(problem.splits)


def _always_wrong(problem: Problem) -> Array:
    """The rows outside the heaviest class among rows that no candidate split distinguishes; none for other objectives."""
    weights, labels = problem.class_weights, problem.dataset.target_column
    if weights is None or not len(problem.splits):
        return np.zeros(len(labels), dtype=bool)
    alike = problem.alike
    counted = class_counts_of_cells(alike, labels, problem.weights * weights[labels], alike.max() + 1, problem.n_classes)
    wrong: Array = counted.argmax(axis=1)[alike] != labels
    return wrong
