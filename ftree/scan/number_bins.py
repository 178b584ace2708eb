"""A source in the bins that `threshold(bins=...)` requests: the same as for the whole table in memory.

The ends of bins are values at certain ranks. Codes are counted once, which locates the code of each rank; the values of
these codes are then counted, some features at a time.

By hand: twelve rows have the numbers 1 to 12, the survey's bins end at 3, 5, 8, 10 and infinity, and three bins are requested.

    code                     0       1       2       3       4
    cases up to its end      3       5       8       10      12
    ends at the ranks                4       8               12      so the values of the codes 1, 2 and 4 are counted: 4, 8, 12
    new code                 0       0 or 1  1       2       2       of code 1, the number decides
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from attrs import evolve, frozen
from toolz import compose

from ftree._lib.arrays import Array, Floats
from ftree.growth.given_table import Ends, ends_of_bins, ranks
from ftree.scan.bins import Bins
from ftree.scan.cells import CellLayout, cell_counts
from ftree.scan.folding import groups_up_to
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.recounting import Wanted, merged_values, value_counts, values_of_codes
from ftree.scan.routes import root_routes
from ftree.scan.table_parts import TableParts

# Values of this many rows are counted at a time, unless one feature has more.
_ROWS = 4_000_000
# In place of a code whose bin depends on the number. No bin has this number, since there are at most 60,000.
_UNSURE = 2**16 - 1


@frozen(eq=False)
class _Binning:
    """Puts a part into requested bins; `codes` has for each numeric feature the new code of each old one."""

    codes: tuple[Array | None, ...]
    summary: SourceSummary

    def __call__(self, part: Part) -> Part:
        codes = np.empty(part.codes.shape, dtype=self.summary.code_type)
        for feature, (bins, row) in enumerate(zip(self.summary.bins, self.summary.numeric.tolist(), strict=True)):
            new, own = self.codes[feature], part.codes[feature]
            codes[feature] = own if new is None else new[own]
            if bins is not None:
                unsure = np.flatnonzero(codes[feature] == _UNSURE)
                codes[feature, unsure] = bins.codes(part.numbers[row, unsure])
        return evolve(part, codes=codes)


def _without_numbers(part: Part) -> Part:
    """The part without its numbers: requested bins are exact, so that no number is read."""
    return evolve(part, numbers=np.zeros(part.numbers.shape))


def source_in_bins(summary: SourceSummary, parts: TableParts, most: int) -> tuple[SourceSummary, TableParts, Ends]:
    """The summary and the parts of a source in at most `most` bins, and the ends of these.

    Machines that keep encoded parts keep the bins as well, so that a scan reads one or two bytes a cell.

    >>> from ftree import Dataset
    >>> from ftree.scan import source_of
    >>> source = source_of(Dataset.from_columns({"x": [float(n) for n in range(1, 13)], "class": [*"ab" * 6]}), bins=5)
    >>> _, parts, ends = source_in_bins(source.summary, source.parts, 3)
    >>> ends[0].tolist(), parts.fold(lambda part: part.codes[0].tolist(), list.__add__)
    ([4.0, 8.0, 12.0], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    parts, ends = _ends(summary, parts, most)
    bins = tuple(None if own is None else Bins(own, np.ones(len(own) + 1, dtype=bool)) for own in ends)
    codes = tuple(
        None if one is None or own is None else _new_codes(one, own) for one, own in zip(summary.bins, ends, strict=True)
    )
    binning = _Binning(codes, evolve(summary, bins=bins))
    return binning.summary, parts.kept(compose(_without_numbers, binning)) or parts.recoded(binning), ends


def _new_codes(bins: Bins, ends: Floats) -> Array:
    """The new code of each code, the missing value's last; `_UNSURE` for a bin that an end divides."""
    last = np.searchsorted(ends, bins.upper)
    first = np.searchsorted(ends, np.append(-np.inf, bins.edges), side="right")
    return np.append(np.where(bins.single | (first == last), last, _UNSURE), len(ends) + 1).astype(np.uint16)


def _ends(summary: SourceSummary, parts: TableParts, most: int) -> tuple[TableParts, Ends]:
    """The ends of the bins of each feature, from one scan of all codes, and scans of the values of some.

    The parts that are returned have the numbers of all codes that hold an end. Machines that keep parts keep only those that the
    survey's sample shows to be likely, unless it was wrong.
    """
    likely = LikelyNumbers.of(summary.bins, most)
    narrowed = parts.kept(likely)
    layout = CellLayout.of(summary.n_codes, summary.numeric, int(summary.n_codes.max(initial=1)))
    cases = _cases(summary, narrowed or parts, layout)
    wanted = {feature: _wanted(summary.bins[feature], own, most) for feature, own in cases.items()}
    if narrowed is not None and all(likely.has(feature, own) for feature, own in wanted.items()):
        parts = narrowed
    ends: dict[int, Floats] = {}
    rows = {feature: int(cases[feature][own].sum()) for feature, own in wanted.items()}
    for some in groups_up_to(rows, rows.__getitem__, _ROWS):
        counted = {feature: (cases[feature], wanted[feature]) for feature in some}
        ends |= _ends_of_some(summary, parts, layout, counted, most)
    return parts, tuple(ends.get(feature) for feature in range(len(summary.bins)))


def _cases(summary: SourceSummary, parts: TableParts, layout: CellLayout) -> dict[int, Array]:
    """The cases of each code of each numeric feature."""
    # Weights of rows are whole, so no row is divided.
    count = compose(partial(cell_counts, root_routes(1.0), layout, 1), _of_one_class)
    counts = parts.fold(count, np.add)[0, :, 0]
    pairs = enumerate(summary.bins)
    return {feature: counts[layout.first[feature] :][: bins.n] for feature, bins in pairs if bins is not None}


def _of_one_class(part: Part) -> Part:
    return evolve(part, labels=np.zeros_like(part.labels))


def _wanted(bins: Bins | None, cases: Array, most: int) -> Array:
    """The codes whose values determine the ends of bins: all codes if there are few, else those that contain a rank.

    >>> bins = Bins(np.array([2.5, 5.0]))
    >>> [_wanted(bins, np.array(cases), 2).tolist() for cases in ([1, 0, 9], [1, 4, 9])]
    [[0, 2], [2]]
    """
    present = np.flatnonzero(cases)
    if len(present) > most:
        upto = np.cumsum(cases[present])
        present = present[np.unique(np.append(np.searchsorted(upto, ranks(upto[-1].item(), most)), len(present) - 1))]
    return present[~bins.single[present]] if bins is not None else present


def _ends_of_some(
    summary: SourceSummary, parts: TableParts, layout: CellLayout, counted: dict[int, tuple[Array, Array]], most: int
) -> dict[int, Floats]:
    """The ends of the bins of some features, given the cases of each code, and the codes whose values are wanted."""
    feature = np.repeat(list(counted), [len(wanted) for _, wanted in counted.values()])
    code = np.concatenate([np.zeros(0, np.int64), *(wanted for _, wanted in counted.values())])
    number, values, cases = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
    if len(code):
        codes = Wanted.of_codes(layout, 1, np.zeros_like(code), feature, code)
        count = compose(partial(value_counts, root_routes(1.0), layout, codes), _of_one_class)
        number, values, counts = values_of_codes(parts.fold(count, merged_values), 0, len(code), 1)
        cases = counts[:, 0]
    ends = {}
    for own, (of_codes, wanted) in counted.items():
        bins, mine = summary.bins[own], feature[number] == own
        others = np.setdiff1d(np.flatnonzero(of_codes), wanted)
        both = np.concatenate([values[mine], bins.upper[others]]) if bins is not None else values[mine]
        order = np.argsort(both, kind="stable")
        ends[own] = ends_of_bins(both[order], np.concatenate([cases[mine], of_codes[others]])[order], most)
    return ends


# The rounding error of sums of shares, at most.
_ROUNDING = 1e-9


@frozen(eq=False)
class LikelyNumbers:
    """Sets numbers to 0 but those in kept codes; `codes` has a mask (n + 1,) of each numeric feature's codes, None for others."""

    codes: tuple[Array | None, ...]

    @staticmethod
    def of(bins: Sequence[Bins | None], most: int) -> "LikelyNumbers":
        """The codes that may hold an end if at most `most` bins are requested."""
        return LikelyNumbers(tuple(None if own is None else np.append(_likely(own, most), False) for own in bins))

    def __call__(self, part: Part) -> Part:
        """The part with fewer numbers."""
        kept = [np.flatnonzero(mask[own]) for mask, own in zip(self.codes, part.codes, strict=True) if mask is not None]
        numbers = np.zeros(part.numbers.shape)
        for row, own in enumerate(kept):
            numbers[row, own] = part.numbers[row, own]
        return evolve(part, numbers=numbers)

    def has(self, feature: int, codes: Array) -> bool:
        """Whether the numbers of all these codes are kept."""
        mask = self.codes[feature]
        return mask is not None and bool(mask[codes].all())


def _likely(bins: Bins, most: int) -> Array:
    """The codes that may hold an end, (n,): all if no sample tells."""
    if bins.shares is None:
        return ~bins.single
    upto, ranks, error = np.cumsum(bins.shares), np.arange(1, most + 1) / most, bins.error + _ROUNDING
    first = np.searchsorted(upto, ranks - error)
    last = np.append(np.searchsorted(upto, ranks[:-1] + error), bins.n - 1)
    begun = np.bincount(np.minimum(first, bins.n - 1), minlength=bins.n)
    ended = np.bincount(np.minimum(last, bins.n - 1) + 1, minlength=bins.n + 1)[:-1]
    return (np.cumsum(begun - ended) > 0) & ~bins.single
