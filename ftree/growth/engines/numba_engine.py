"""The compiled engine: sorted and coded columns, moved level by level, searched by kernels that count and score at once.

A feature of many values is kept sorted, one of few as small codes; both are grouped by node. Where a choice hangs on
a difference that rounding could make, the engine says so, and the node is asked again from its AVC-set, so that trees
equal those of the plain engine. After SLIQ (Mehta et al. 1996) and SPRINT (Shafer et al. 1996).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import define, evolve, frozen

from ftree._lib.arrays import Array, grid, midpoint, run_starts, times_and_fractions
from ftree._lib.threads import ThreadPool
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.fused import Closing, Criterion, Finished, Found
from ftree.growth.engines.numpy_engine import Missing, Plain, ranked
from ftree.growth.engines.subtree_tasks import Group, Tables, dealt, grown_in_parts, joined
from ftree.growth.kernels import best_splits, grow_subtrees, partition
from ftree.growth.kernels.keys import FLAGS, bits_of, key_type, most_entries
from ftree.growth.kernels.presort import few_values, put_codes, sort_column
from ftree.growth.kernels.scan import ENTROPY, MISCLASSIFICATION, whole_table
from ftree.growth.kernels.value_counts import GAIN
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD, Cuts
from ftree.tree.splits import Split

# A feature of up to so many values is counted from codes; beyond, it is sorted.
_FEW = 64
# Tables of n log2 n up to so many rows; beyond, logarithms are taken one by one.
_TABLE = 2**24

# Tables for up to so many rows are kept, and longer than need be, so that more growths share them; others take too much room.
_SHARED = 2**17

# Entries are numbered in 32 bits.
_MOST_ENTRIES = 2**31

# Nodes of up to so many cells (entries times features) are grown to the end at once, small ones in groups of so many.
_SMALL, _GROUP = 2**18, 2**16
# From so many nodes on, threads share coded features by nodes; fewer, by features.
_MANY_NODES = 64

_NOTHING = np.zeros(0)
_NO_COPIES = np.zeros((0, 3), np.int64)


@frozen(eq=False)
class Fixed:
    """What stays the same while a tree grows: values, the criterion, tables, threads.

    `values` has those of a coded feature by code, NaN last, those of a sorted one by row: its column.
    """

    values: tuple[Array, ...]
    absent: Array
    criterion: Criterion
    n_classes: int
    shift: int
    missing: Missing
    grid: float
    fast: bool
    whole: Array
    steps: Array
    unit: float
    table: Array
    crew: ThreadPool


@define(eq=False)
class Columns:
    """Sorted features as rows of a block, with a spare row for each thread to move one into; coded features side by side.

    `place` says which row of keys, or which column of codes, has which feature; `base` where its cells are among the
    counts of all codes. Rows of codes are moved into `spare_codes`, some bytes wider than there are features.
    """

    keys: Array
    codes: Array
    spare_codes: Array
    place: Array
    base: Array
    spare: list[int]

    def widen(self, n: int, shift: int) -> None:
        """Make room for n entries in what columns are moved into."""
        if n > self.keys.shape[1]:
            self.keys = np.empty((len(self.keys), n), key_type(n, shift))
        if n > len(self.spare_codes):
            self.spare_codes = np.empty((n, self.codes.shape[1]), self.codes.dtype)

    def sorted_features(self) -> Array:
        """Numbers of the features that are kept sorted."""
        return np.flatnonzero(self.place < 0)

    def coded_features(self) -> Array:
        """Numbers of the features that are kept as codes."""
        return np.flatnonzero(self.place >= 0)


@frozen(eq=False)
class Moved:
    """Where entries go: the kind of each node's split, its first child, each entry's child and new number.

    `position` is where each child's entries begin; `copies` has (old number, child, new number) of entries that have
    no answer, once for each child that gets a share of them; `work` is how many entries move.
    """

    kind: Array
    first_child: Array
    child: Array
    number: Array
    position: Array
    copies: Array
    shares: Array
    work: int


@frozen(eq=False)
class Compiled:
    """Entries of the open nodes; node j's stand from `start[j]` to `end[j]` in every column. `advance` uses it up.

    `origin` has the row of the table that each entry is.
    """

    fixed: Fixed
    columns: Columns
    classes: Array
    origin: Array
    times: Array
    fractions: Array
    weights: Array
    start: Array
    end: Array
    exact: Array

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        return self._counts(self.exact)

    def keep(self, nodes: Array) -> "Compiled":
        """The engine of the nodes that a boolean mask marks, in order."""
        if nodes.all():
            return self
        return evolve(self, start=self.start[nodes], end=self.end[nodes], exact=self.exact[nodes])

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes, as the plain engine counts them."""
        return self.plain().count()

    def recount(self, found: Found) -> Avc:
        """Counts of the nodes in doubt, of the features that might be best there: all could be more than fits memory."""
        doubtful = self.keep(found.doubt)
        features = np.flatnonzero(found.rivals[:, found.doubt].any(axis=1))
        avc = doubtful.plain(features).count()
        return evolve(avc, feature=features[avc.feature])

    def joint(self, features: Sequence[int]) -> Joint:
        """Counts of the vectors of several numeric features, as the plain engine counts them."""
        return self.plain().joint(features)

    def plain(self, features: Array | None = None) -> Plain:
        """The plain engine of the same nodes, with all features or with some."""
        sizes = self.end - self.start
        entries = _ranges(self.start, self.end)
        chosen = range(len(self.fixed.values)) if features is None else features.tolist()
        coded = [self._coded(f, entries) for f in chosen]
        return Plain(
            values=tuple(values for values, _ in coded),
            codes=np.array([codes for _, codes in coded], np.intp).reshape(-1, len(entries)),
            classes=self.classes[entries].astype(np.intp),
            times=self.times[entries] if len(self.times) else None,
            fractions=self.fractions[entries] if len(self.fractions) else None,
            starts=np.cumsum(sizes) - sizes,
            n_classes=self.fixed.n_classes,
            missing=self.fixed.missing,
            grid=self.fixed.grid,
        )

    def best(self) -> Found:
        """The best split of each open node, searched in one go."""
        fixed, m = self.fixed, len(self.start)
        chosen, cuts, doubt, rivals = self._chosen()
        ways = np.where(chosen < 0, NONE, fixed.criterion.ways[chosen]) if len(fixed.criterion.ways) else np.zeros(m, np.int8)
        common = self._common()
        impurity, score = fixed.criterion.impurity, fixed.criterion.score
        width = np.where(ways > THRESHOLD, cuts[chosen, np.arange(m)], 0) if len(cuts) else np.zeros(m, np.int64)
        n_children = np.where(ways == MULTIWAY, width, np.where(ways == NONE, 1, 2))
        first_code, first_child = np.append(0, np.cumsum(width)), np.append(0, np.cumsum(n_children))
        lower, upper, codes = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(first_code[-1], np.int64)
        children = np.zeros((first_child[-1], fixed.n_classes))

        def describe(first: int, last: int, _: int) -> None:
            best_splits.describe(
                first, last, chosen, *common, self.exact, fixed.shift, impurity, score, self._fast(), self._table(), cuts,
                first_code, first_child, lower, upper, codes, children,
            )  # fmt: skip

        fixed.crew.share(describe, m, int((self.end - self.start).sum()))
        sides, at = (lower.copy(), upper.copy()), np.flatnonzero(ways == THRESHOLD)
        for side in sides:
            side[at] = self._rows(chosen[at], side[at])
        found = self._cuts(ways, chosen, sides, first_code, self._rows(np.repeat(chosen, width), codes), lower)
        return Found(found, self._counts(children), n_children, doubt, rivals)

    def advance(self, splits: "Sequence[Split | None]") -> "Compiled":
        """The engine of the children, node after node; rows of a node whose split is None are done."""
        cuts = splits if isinstance(splits, Cuts) else Cuts.of(splits)
        moved = self._routed(cuts, int((self.end - self.start)[cuts.kind != NONE].sum()))
        classes, origin = self._renumbered(moved)
        times, fractions = self._shared_out(moved)
        weights = _product(times, fractions)
        self._move_columns(moved)
        return evolve(
            self, classes=classes, origin=origin, times=times, fractions=fractions, weights=weights,
            start=moved.position[:-1], end=moved.position[1:], exact=self._counted(moved.position, classes, weights),
        )  # fmt: skip

    def finish(self, depth: int, closing: Closing) -> Finished | None:
        """The small ones of the open nodes, all at one depth, grown to the end; threads take groups of them in turn."""
        cells = (self.end - self.start) * len(self.fixed.values)
        small = np.flatnonzero(cells <= _SMALL)
        if not len(self.fixed.values) or not len(small):
            return None
        c = self.columns
        entries = c.keys, c.codes, self.classes, self.origin, self.times, self.fractions, c.place
        groups = [
            Group(nodes, depth, self.start, self.end, self.exact, entries, number)
            for number, nodes in enumerate(dealt(small, cells[small], _GROUP))
        ]
        parts = grown_in_parts(groups, partial(self._grown, closing), self.fixed.crew, int(cells[small].sum()))
        if (found := joined(parts, len(self.start))) is None:
            return None
        nodes, places, first, tables = found
        counts, kind, feature, lower, upper, _, width, codes = tables
        cuts = self._cuts(kind, feature, (lower, upper), np.append(0, np.cumsum(width)), codes, lower)
        return Finished(nodes, places, counts, cuts, first)

    def _grown(self, closing: Closing, group: Group, idle: Array) -> tuple[Tables, tuple[Any, ...]]:
        """What is below a group of nodes, and what is left for another thread."""
        c, fixed, criterion = self.columns, self.fixed, self.fixed.criterion
        tables, left = grow_subtrees.finish(
            group.nodes, group.depth, closing.pure, float(closing.depth), float(closing.rows), float(closing.leaf),
            float(closing.gain), group.start, group.end, group.exact, *group.entries, c.sorted_features(), c.coded_features(),
            c.base, criterion.ways, fixed.absent, criterion.impurity, criterion.score, fixed.shift, fixed.missing == "heaviest",
            fixed.grid, fixed.fast, fixed.whole, fixed.steps, fixed.unit, fixed.table,
            min(_MOST_ENTRIES, most_entries(c.keys.dtype, fixed.shift)), idle,
        )  # fmt: skip
        return tables, left

    # Searching -------------------------------------------------------------------------------------------------

    def _counts(self, exact: Array) -> Array:
        return exact if len(self.weights) else exact.astype(np.int64)

    def _fast(self) -> bool:
        """Whether thresholds of sorted features are found in one pass, for which rows that are counted need a table."""
        return self.fixed.fast and (len(self.weights) > 0 or len(self.fixed.table) > 0)

    def _table(self) -> Array:
        """The table of n log2 n while rows are counted; shares of rows take logarithms one by one."""
        return self.fixed.table if not len(self.weights) else _NOTHING

    def _common(self) -> tuple[Any, ...]:
        c, fixed = self.columns, self.fixed
        ways = fixed.criterion.ways
        return ways, c.place, c.base, fixed.absent, c.keys, c.codes, self.classes, self.weights, self.start, self.end

    def _chosen(self) -> tuple[Array, Array, Array, Array]:
        """Each node's feature, what describes each feature's cut, which nodes are too close to call, between which features."""
        fixed, m = self.fixed, len(self.start)
        n_features = len(fixed.values)
        scores, cuts = np.full((n_features, m), -np.inf), np.zeros((n_features, m), np.int32)
        unsure, rivals, doubt = np.zeros((n_features, m), np.bool_), np.zeros((n_features, m), np.bool_), np.zeros(m, np.bool_)
        c, work = self.columns, int((self.end - self.start).sum())
        in_order, coded = c.sorted_features(), c.coded_features()
        counted = np.ones(m, np.bool_)
        if len(self.weights):
            best_splits.find_counted(self.weights, self.start, self.end, fixed.table, counted)
        held = self.weights, counted, self.start, self.end, self.exact
        asked, answers = (fixed.criterion.impurity, fixed.criterion.score), (scores, cuts, unsure)
        ways = fixed.criterion.ways
        above, parent = np.zeros((n_features, 1)), np.zeros(m, np.int64)  # of which nothing is known

        def score_sorted(first: int, last: int, _: int) -> None:
            best_splits.score_sorted(
                first, last, in_order, ways, c.place, fixed.absent, c.keys, *held, fixed.shift, *asked, self._fast(),
                fixed.whole, fixed.steps, fixed.unit, fixed.table, *answers,
            )  # fmt: skip

        def score_coded(features: slice, nodes: slice) -> None:
            best_splits.score_coded(
                features.start, features.stop, nodes.start, nodes.stop, coded, c.base, ways, fixed.absent, c.codes,
                self.classes, *held, above, parent, *asked, fixed.table, *answers,
            )  # fmt: skip

        def score_closely(first: int, last: int, _: int) -> None:
            best_splits.score_closely(
                first, last, ways, c.place, c.base, fixed.absent, c.keys, c.codes, self.classes, *held, fixed.shift, *asked,
                fixed.table, *answers,
            )  # fmt: skip

        fixed.crew.share(score_sorted, len(in_order), work * len(in_order))
        if len(coded) and m < _MANY_NODES:
            fixed.crew.share(lambda first, last, _: score_coded(slice(first, last), slice(0, m)), len(coded), work * len(coded))
        elif len(coded):
            everything = slice(0, len(coded))
            fixed.crew.share(lambda first, last, _: score_coded(everything, slice(first, last)), m, work * len(coded))
        if len(self.weights) and self._fast() and fixed.criterion.impurity == ENTROPY:
            fixed.crew.share(score_closely, m, work)
        chosen = np.full(m, -1, np.int64)
        best_splits.choose(scores, self.exact, *asked, fixed.unit, unsure, chosen, doubt, rivals)
        return chosen, cuts, doubt, rivals

    def _rows(self, features: Array, at: Array) -> Array:
        """What finds values in the table: codes as they are, and of sorted features the rows whose keys stand at given places."""
        columns, place = self.columns, self.columns.place[features]
        found, lane = at.copy(), np.flatnonzero(place < 0)
        found[lane] = self.origin[columns.keys[-1 - place[lane], at[lane]] >> self.fixed.shift]
        return found

    def _cuts(self, kind: Array, feature: Array, sides: tuple[Array, Array], first: Array, listed: Array, lower: Array) -> Cuts:
        """Cuts from what finds the values on both sides of each threshold, and those that other splits list."""
        thresholds, is_sorted = kind == THRESHOLD, self.columns.place < 0
        at, codes = np.zeros(len(kind)), listed
        if thresholds.any():
            at = midpoint(*(self._values(feature, side, thresholds) for side in sides))
        if len(listed) and is_sorted.any():
            which = np.repeat(feature, np.diff(first))
            codes = self._values(which, listed, is_sorted[which]).astype(np.int64)
        return Cuts(kind.astype(np.int8), feature.astype(np.int32), at, first, codes, lower)

    def _values(self, features: Array, found: Array, wanted: Array) -> Array:
        """The wanted values, each of a feature, by what finds them; what is not wanted stays as it is."""
        values = found.astype(np.float64)
        for feature, places in _by_feature(features, wanted):
            values[places] = self.fixed.values[feature][found[places]]
        return values

    def _coded(self, feature: int, entries: Array) -> tuple[Array, Array]:
        """Values of a feature, NaN last, and the code of each entry."""
        values, place = self.fixed.values[feature], int(self.columns.place[feature])
        if place >= 0:
            return values, self.columns.codes[entries, place]
        return ranked(values[self.origin[entries]], int(self.fixed.absent[feature]))

    # Moving ----------------------------------------------------------------------------------------------------

    def _looked_up(self, cuts: Cuts) -> tuple[Array, Array]:
        """The last value below each threshold, looked up where the search did not leave it, and the listed ones.

        A value is known by its code, or in a sorted feature by the place of a key.
        """
        lower, listed, unknown = cuts.lower.copy(), cuts.codes.copy(), (cuts.kind == THRESHOLD) & (cuts.lower < 0)
        is_sorted = np.append(self.columns.place, 0)[cuts.feature] < 0  # nodes without a split have feature -1
        for feature, nodes in _by_feature(cuts.feature, unknown & ~is_sorted):
            lower[nodes] = np.searchsorted(self.fixed.values[feature][:-1], cuts.at[nodes], side="right") - 1
        for node in np.flatnonzero(unknown & is_sorted).tolist():
            lower[node] = self.start[node] - 1 + np.searchsorted(self._held(cuts, node), cuts.at[node], side="right")
        for node in np.flatnonzero((cuts.kind > THRESHOLD) & is_sorted).tolist():
            some, held = slice(*cuts.first[node : node + 2]), self._held(cuts, node)
            at = np.searchsorted(held, cuts.codes[some])
            listed[some] = np.where(np.append(held, -1)[at] == cuts.codes[some], self.start[node] + at, -1)
        return lower, listed

    def _held(self, cuts: Cuts, node: int) -> Array:
        """The known values that a node's entries have of its sorted feature, rising."""
        feature, (_, _, gone) = cuts.feature[node], bits_of(self.fixed.shift)
        keys = self.columns.keys[-1 - self.columns.place[feature], self.start[node] : self.end[node]]
        held: Array = self.fixed.values[feature][self.origin[keys[keys & gone == 0] >> self.fixed.shift]]
        return held

    def _routed(self, cuts: Cuts, work: int) -> Moved:
        """The child of every entry, and where each child's entries will stand."""
        fixed, columns = self.fixed, self.columns
        first_child = np.append(0, np.cumsum(cuts.arity))
        ends = first_child, self.start, self.end
        child, number = np.empty(len(self.classes), np.int32), np.empty(len(self.classes), np.int32)
        lower, listed = self._looked_up(cuts)
        asked = cuts.kind, cuts.feature, lower, cuts.first, listed
        held = columns.place, fixed.absent, columns.keys, columns.codes, self.start, self.end, fixed.shift
        sizes, heavy, lost = np.zeros(first_child[-1], np.int64), np.zeros(first_child[-1]), [0] * fixed.crew.n

        def route(first: int, last: int, worker: int) -> None:
            partition.route(first, last, *asked, *held, child)
            lost[worker] += partition.sizes_of(first, last, cuts.kind, *ends, child, sizes)

        fixed.crew.share(route, len(cuts), work)
        copies, shares = _NO_COPIES, _NOTHING
        if sum(lost):
            partition.weigh(0, len(cuts), cuts.kind, *ends, child, self.weights, heavy)
            heaviest = fixed.missing == "heaviest"
            given = cuts.kind, *ends, child, self.fractions, heavy, heaviest, fixed.grid, number
            room = partition.scatter(*given, copies, shares, sizes)
            copies, shares = np.empty((room, 3), np.int64), np.empty(room)
            partition.scatter(*given, copies, shares, sizes)
        if sizes.sum() >= _MOST_ENTRIES:
            remedy = "Grow with missing='heaviest', or with engine='plain'."
            message = f"Rows with missing values have been shared out to {sizes.sum()} entries, too many to number. {remedy}"
            raise ValueError(message)
        return Moved(cuts.kind, first_child, child, number, np.append(0, np.cumsum(sizes)), copies, shares, work)

    def _renumbered(self, moved: Moved) -> tuple[Array, Array]:
        """Entries and their copies get numbers; classes and rows in the new order."""
        n, copies = moved.position[-1], moved.copies
        classes, origin = np.empty(n, self.classes.dtype), np.empty(n, np.int32)
        ends = moved.kind, moved.first_child, self.start, self.end, moved.child, moved.position

        def renumber(first: int, last: int, _: int) -> None:
            partition.renumber(first, last, *ends, self.classes, self.origin, moved.number, classes, origin)

        self.fixed.crew.share(renumber, len(moved.kind), moved.work)
        partition.number_copies(moved.first_child, self.end, moved.position, copies, self.classes, self.origin, classes, origin)
        return classes, origin

    def _shared_out(self, moved: Moved) -> tuple[Array, Array]:
        """Times and fractions in the new order, empty where all are 1."""
        n = int(moved.position[-1])
        times = np.empty(n if len(self.times) else 0)
        fractions = np.ones(n if len(self.fractions) or len(moved.copies) else 0)
        given = moved.copies, moved.shares, self.times
        partition.move_shares(moved.kind, self.start, self.end, moved.number, *given, self.fractions, times, fractions)
        return times, fractions

    def _counted(self, position: Array, classes: Array, weights: Array) -> Array:
        """Class counts of nodes whose entries stand in order."""
        exact = np.zeros((len(position) - 1, self.fixed.n_classes))

        def count(first: int, last: int, _: int) -> None:
            partition.count_classes(first, last, position, classes, weights, exact)

        self.fixed.crew.share(count, len(exact), len(classes))
        return exact

    def _move_columns(self, moved: Moved) -> None:
        """Every column into the new order; copies may need more room, and then all move into new blocks."""
        columns, crew = self.columns, self.fixed.crew
        keys, shift = columns.keys, self.fixed.shift
        columns.widen(int(moved.position[-1]), shift)
        ends = moved.kind, moved.first_child, self.start, self.end, moved.child, moved.position, moved.number, moved.copies
        words, new_words = columns.codes.view(np.uint64), columns.spare_codes.view(np.uint64)

        def move(first: int, last: int, worker: int) -> None:
            columns.spare[worker] = partition.move_sorted(
                first, last, in_order, columns.place, keys, columns.keys, shift, columns.spare[worker], *ends
            )

        def move_codes(first: int, last: int, _: int) -> None:
            partition.move_coded(first, last, words, new_words, moved.kind, self.start, self.end, moved.number)

        in_order = columns.sorted_features()
        crew.share(move, len(in_order), moved.work * len(in_order))
        if words.shape[1]:
            crew.share(move_codes, len(moved.kind), moved.work * words.shape[1])
            new_words[moved.copies[:, 2]] = words[moved.copies[:, 0]]
            columns.codes, columns.spare_codes = columns.spare_codes, columns.codes


def _ranges(start: Array, end: Array) -> Array:
    """All numbers from each start to its end, one range after another."""
    sizes = end - start
    numbers: Array = np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return numbers


def _by_feature(features: Array, wanted: Array) -> Iterator[tuple[int, Array]]:
    """The wanted nodes of each feature."""
    nodes = np.flatnonzero(wanted)
    nodes = nodes[np.argsort(features[nodes], kind="stable")]
    starts = run_starts(features[nodes]).tolist()
    for start, end in pairwise([*starts, len(nodes)]):
        yield int(features[nodes[start]]), nodes[start:end]


def _product(times: Array, fractions: Array) -> Array:
    if len(times) and len(fractions):
        return times * fractions
    return times.astype(np.float64) if len(times) else fractions


def compiled(dataset: Dataset, missing: Missing, criterion: Criterion, crew: ThreadPool) -> Compiled:
    """The engine at the root, all rows of positive weight in one node."""
    if dataset.weights is not None and not dataset.weights.all():
        dataset = dataset.take(dataset.weights > 0)
    n, n_classes = len(dataset), len(dataset.schema.classes)
    total = n if dataset.weights is None else sum(dataset.class_counts())
    step = grid(float(total), len(dataset.columns))
    times, fractions = (
        _NOTHING if part is None else part.astype(np.float64) for part in times_and_fractions(dataset.weights, step)
    )
    classes = dataset.labels.astype(np.int32)
    shift = max(n_classes - 1, 1).bit_length() + FLAGS
    values, absent, columns = _columns(dataset, classes, shift, crew)
    weights = _product(times, fractions)
    exact = np.bincount(classes, weights if len(weights) else None, n_classes)[None].astype(np.float64)
    small = n <= _TABLE and not len(weights)
    fast = criterion.impurity != MISCLASSIFICATION and criterion.score == GAIN
    no_tables = np.zeros(0, np.int64), np.zeros(0, np.int64), np.inf, _NOTHING
    whole, steps, unit, table = _tables_for(n) if small else no_tables
    fixed = Fixed(values, absent, criterion, n_classes, shift, missing, step, fast, whole, steps, unit, table, crew)
    one = np.zeros(1, np.int64)
    return Compiled(fixed, columns, classes, np.arange(n, dtype=np.int32), times, fractions, weights, one, one + n, exact)


def _tables_for(n: int) -> tuple[Array, Array, float, Array]:
    """Tables for n rows: small ones are kept and as long as the next power of two, so that many growths share them."""
    return _kept_tables(1 << n.bit_length()) if n <= _SHARED else _tables(n)


def _tables(n: int) -> tuple[Array, Array, float, Array]:
    """N log2 n up to n, as whole numbers of a unit, their differences, the unit, and as floats."""
    whole, unit = whole_table(n)
    return whole, np.diff(whole), unit, _n_log_n(n)


_kept_tables = lru_cache(maxsize=8)(_tables)


def _n_log_n(n: int) -> Array:
    numbers = np.arange(n + 1, dtype=np.float64)
    product: Array = numbers * np.log2(np.maximum(numbers, 1))
    return product


def _columns(dataset: Dataset, classes: Array, shift: int, crew: ThreadPool) -> tuple[tuple[Array, ...], Array, Columns]:
    """Each feature's values, the code of a missing one (or a number as large as that of the values), columns sorted or coded."""
    n, n_features = len(dataset), len(dataset.columns)
    values, absent = list(dataset.columns), np.full(n_features, n)
    small: dict[int, Array] = {}
    for f, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        if feature.kind != "numeric":
            absent[f] = len(feature.values)
            if absent[f] <= _FEW:
                values[f], small[f] = _codes_and_none(len(feature.values)), column
        elif found := few_values(column, _FEW):
            values[f], small[f] = np.append(found[0], np.nan), found[1]
            absent[f] = len(found[0])
    large = [f for f in range(n_features) if f not in small]
    place = np.zeros(n_features, np.int64)
    keys = np.empty((len(large) + crew.n, n), key_type(n, shift))
    codes = np.zeros((n, -(-len(small) // 8) * 8), np.uint8)
    place[large], place[list(small)] = -1 - np.arange(len(large)), np.arange(len(small))
    for beside, (f, column) in enumerate(small.items()):
        put_codes(column, len(values[f]) - 1, codes, beside)
    cells = [len(values[f]) * len(dataset.schema.classes) for f in small]
    room = np.empty((crew.n, n), np.uint64)

    def sort(first: int, last: int, worker: int) -> None:
        for row in range(first, last):
            column = values[large[row]]
            numbers = column if column.dtype.kind == "f" else np.where(column < 0, np.nan, column)
            sort_column(numbers, classes, shift, keys[row], room[worker])

    crew.share(sort, len(large), n * len(large))
    spare = [len(large) + worker for worker in range(crew.n)]
    base = np.cumsum([0, *cells], dtype=np.int64)
    return tuple(values), absent, Columns(keys, codes, np.empty_like(codes), place, base, spare)


@lru_cache(maxsize=256)
def _codes_and_none(n: int) -> Array:
    """The values of a feature that has codes: these, and NaN for none."""
    values: Array = np.append(np.arange(n, dtype=np.float64), np.nan)
    values.flags.writeable = False
    return values
