"""Class counts on both sides of cuts, a block at a time: the compiled twin of `ftree.splitters.cuts.every_cut`."""

import numpy as np

from ftree._lib.jit import kernel

_NONE = np.int64(-1)


@kernel
def fill_sides(counts, start, end, place, left, total, children):
    """Fill the class counts (B, 2, K) of the next cuts of some runs, whose rows have `counts` (R, K).

    `place` is the run and the row of the next cut, -1 and any row at first. `left` and `total` (K,) are the counts of that run's
    rows so far, and of all its rows.
    """
    run, row = place[0], place[1]
    n_classes = counts.shape[1]
    for b in range(children.shape[0]):
        while run == _NONE or row >= end[run] - 1:
            run += 1
            row = start[run]
            for c in range(n_classes):
                left[c], total[c] = 0, 0
            for i in range(row, end[run] if end[run] - row > 1 else row):
                for c in range(n_classes):
                    total[c] += counts[i, c]
        for c in range(n_classes):
            left[c] += counts[row, c]
            children[b, 0, c] = left[c]
            children[b, 1, c] = total[c] - left[c]
        row += 1
    place[0], place[1] = run, row
