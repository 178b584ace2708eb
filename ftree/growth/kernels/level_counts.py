"""Attribute-value-class counts of all open nodes, a feature at a time, for a search that is not compiled itself."""

import numpy as np

from ftree._lib.jit import alloc_free
from ftree.growth.kernels.keys import bits_of


@alloc_free
def count_present(feature, features, entries, nodes, tally, present):
    """Fill `present` (m, F) with the number of values of a feature in each node; a missing value counts as one more.

    `tally` has a cell for each class of each code, zero before and after the call.
    """
    place, n_classes = entries.place[feature], nodes.totals.shape[1]
    _, fresh, gone = bits_of(features.shift)
    for j in range(len(nodes.start)):
        n = 0
        if place < 0:
            for i in range(nodes.start[j], nodes.end[j]):
                key = entries.keys[-1 - place, i]
                if key & gone:
                    n += 1
                    break
                n += (key & fresh) != 0
        else:
            _tally(place, entries, nodes.start[j], nodes.end[j], n_classes, tally)
            for code in range(features.absent[feature] + 1):
                n += _take(tally, code, n_classes, tally, -1)
        present[j, feature] = n


@alloc_free
def fill_counts(feature, values, features, entries, nodes, offset, tally, value, counts):
    """Fill the values (R,) and class counts (R * K,), zeros at first, of a feature in each node, from `offset[j, feature]` on.

    `values` are those of the feature by code, or of a sorted feature by row of the table.
    """
    place, n_classes = entries.place[feature], nodes.totals.shape[1]
    mask, fresh, gone = bits_of(features.shift)
    for j in range(len(nodes.start)):
        row = offset[j, feature]
        if place < 0:
            row, missing = row - 1, False
            for i in range(nodes.start[j], nodes.end[j]):
                key = entries.keys[-1 - place, i]
                if (key & gone) != 0:
                    row += not missing
                    value[row], missing = np.nan, True
                elif key & fresh:
                    row += 1
                    value[row] = values[entries.origin[key >> features.shift]]
                counts[row * n_classes + (key & mask)] += entries.weights[key >> features.shift] if len(entries.weights) else 1
        else:
            _tally(place, entries, nodes.start[j], nodes.end[j], n_classes, tally)
            for code in range(features.absent[feature] + 1):
                if _take(tally, code, n_classes, counts, row):
                    value[row] = values[code]
                    row += 1


@alloc_free
def _weight(entries, i):
    return entries.weights[i] if len(entries.weights) else 1.0


@alloc_free
def _tally(column, entries, low, high, n_classes, tally):
    """Class counts of each code of a feature, in a range of entries."""
    for i in range(low, high):
        tally[np.int64(entries.codes[i, column]) * n_classes + entries.classes[i]] += _weight(entries, i)


@alloc_free
def _take(tally, code, n_classes, counts, row):
    """Whether a code is present; its counts move into a row, or nowhere if that is -1, and leave zeros behind."""
    found = False
    for c in range(n_classes):
        found |= tally[code * n_classes + c] > 0
    for c in range(n_classes if found else 0):
        if row >= 0:
            counts[row * n_classes + c] = tally[code * n_classes + c]
        tally[code * n_classes + c] = 0.0
    return found
