"""Columns prepared once: codes for a feature with few values, presorted keys for one with many; and counts of their values.

Numbers are sorted as integers with row and class packed into the low bits, several times faster than by an index; the few that
differ only in these lowest bits are sorted afterwards.
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped
from ftree.growth.kernels.radix_sort import sort_by_digits
from ftree.growth.kernels.records import ABSENT, CLASS, END, FLAGS, ORIGIN, PLACE, START
from ftree.growth.kernels.run_splits import in_value_order, merge_sort
from ftree.growth.kernels.sorted_cuts import bits_of

# From this many values on, passes over their digits take less time than comparisons.
_MANY = 1024


@kernel
def packed_keys(column, classes, low, class_bits, into):
    """Pack a column into integers of its order, with row and class in the lowest bits; whether these replaced any set bits."""
    mask, sign, cut = (np.uint64(1) << np.uint64(low)) - np.uint64(1), np.uint64(1) << np.uint64(63), np.uint64(0)
    for i in range(len(column)):
        x = np.float64(column[i]) + 0.0  # this makes -0.0 equal to 0.0
        u = np.float64(x).view(np.uint64)
        if np.isnan(x):
            u = ~np.uint64(0)
        else:
            cut |= u & mask
            u = ~u if u & sign else u | sign
        into[i] = (u & ~mask) | (np.uint64(i) << np.uint64(class_bits)) | np.uint64(classes[i])
    return cut != 0


@kernel
def put_in_order(column, numbers, low, class_bits):
    """Sort the runs that the lowest bits left unsorted by the column itself; the sort is stable."""
    mask, begin = (np.uint64(1) << np.uint64(low)) - np.uint64(1), 0
    while begin < len(numbers) and numbers[begin] < ~mask:  # values after these are missing
        end, rising = begin + 1, True
        here = column[(numbers[begin] & mask) >> np.uint64(class_bits)]
        while end < len(numbers) and (numbers[end] ^ numbers[begin]) <= mask:
            before, here = here, column[(numbers[end] & mask) >> np.uint64(class_bits)]
            rising &= before <= here
            end += 1
        if not rising:
            _sort(column, numbers[begin:end], mask, class_bits)
        begin = end


@section
def _sort(column, numbers, mask, class_bits):
    n = len(numbers)
    given, order, values, more = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n), np.empty(n)
    for k in range(n):
        given[k] = numbers[k]
        values[k] = column[(given[k] & mask) >> np.uint64(class_bits)]
    in_value_order(order, n)
    merge_sort(order, n, values, more)
    for k in range(n):
        numbers[k] = given[order[k]]


@kernel
def keyed(column, numbers, low, class_bits, cut, keys):
    """Keys of sorted integers; if lowest bits were replaced (`cut`), the column decides whether values differ."""
    mask, shift, row = (np.uint64(1) << np.uint64(low)) - np.uint64(1), class_bits + FLAGS, np.uint64(0)
    classes, fresh, gone = bits_of(shift)
    for i in range(len(numbers)):
        before, row = row, (numbers[i] & mask) >> np.uint64(class_bits)
        missing = numbers[i] >= ~mask
        another = i == 0 or (numbers[i] ^ numbers[i - 1]) > mask or (cut and not missing and column[row] != column[before])
        flags = (fresh if another else 0) | (gone if missing else 0)
        keys[i] = np.int64(row) << shift | flags | np.int64(numbers[i] & np.uint64(classes))


def _of_one_type(column: np.ndarray) -> np.ndarray:
    """The same column, read-only like a table's columns, so that kernels are compiled for one type."""
    column = np.ascontiguousarray(column).view()
    column.flags.writeable = False
    return column


def sort_column(column: np.ndarray, classes: np.ndarray, shift: int, keys: np.ndarray, room: np.ndarray) -> None:
    """Fill `keys` in the order of a column's values, missing ones last; `room` (2, n) is for whole numbers of 64 bits.

    Digits sort many values, if these are not too close together.
    """
    class_bits = shift - FLAGS
    low = max(len(column) - 1, 1).bit_length() + class_bits
    column = _of_one_type(column)
    numbers = room[0]
    cut = packed_keys(column, classes, low, class_bits, numbers)
    if len(column) < _MANY or not sort_by_digits(*room):
        numbers.sort()
    if cut:
        put_in_order(column, numbers, low, class_bits)
    keyed(column, numbers, low, class_bits, cut, keys)


@kernel
def put_codes(column, absent, codes, position):
    """Write a column of codes at a position of the block; missing ones (negative) get the code after the last."""
    # Numbers are compared in a loop of its own, several at a time, so that codes without missing ones are only copied.
    least = np.int64(0)
    for i in range(len(column)):
        least = min(least, column[i])
    if least < 0:
        for i in range(len(column)):
            codes[i, position] = absent if column[i] < 0 else column[i]
    else:
        for i in range(len(column)):
            codes[i, position] = column[i]


@kernel
def _number_values(column, slots, values, codes):
    """Number the values of a column as they appear, missing ones 255; returns their number, -1 if there are too many."""
    found, latest, code, missing = 0, np.nan, 0, len(slots) - 1
    for i in range(len(column)):
        x = np.float64(column[i]) + 0.0  # this makes -0.0 equal to 0.0
        if np.isnan(x):
            codes[i] = missing
            continue
        if x != latest:  # otherwise it has the code of the previous value
            slot = (np.float64(x).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(56)
            while slots[slot] >= 0 and values[slots[slot]] != x:
                slot = (slot + np.uint64(1)) & np.uint64(missing)
            if slots[slot] < 0:
                if found == len(values):
                    return -1
                slots[slot], values[found] = found, x
                found += 1
            latest, code = x, slots[slot]
        codes[i] = code
    return found


def few_values(column: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The values of a column, increasing, and their codes, with the last one for missing; None for more than `most` values.

    >>> few_values(np.array([0.5, np.nan, 0.1, 0.5]), 2)
    (array([0.1, 0.5]), array([1, 2, 0, 1], dtype=uint8))
    """
    column = _of_one_type(column)
    values, codes = np.empty(most), np.empty(len(column), np.uint8)
    n = _number_values(column, np.full(256, -1, np.int64), values, codes)
    if n < 0:
        return None
    order = np.argsort(values[:n])
    ranks = np.full(256, n, np.uint8)
    ranks[order] = np.arange(n)
    return values[order], ranks[codes]


# Attribute-value-class counts of all open nodes, a feature at a time, for a search that is not compiled itself.


@kernel
def count_present(feature, columns, entries, nodes, tally, n_classes, present):
    """Fill `present` (m, F) with the number of values of a feature in each node; a missing value counts as one more.

    `tally` has a cell for each class of each code, zero before and after the call.
    """
    features, keys, place = columns.features, entries.keys, columns.features[PLACE, feature]
    _, fresh, gone = bits_of(columns.shift)
    for j in range(nodes.shape[1]):
        n = 0
        if place < 0:
            for i in range(nodes[START, j], nodes[END, j]):
                key = keys[-1 - place, i]
                if key & gone:
                    n += 1
                    break
                n += (key & fresh) != 0
        else:
            _tally(place, entries, nodes[START, j], nodes[END, j], n_classes, tally)
            for code in range(features[ABSENT, feature] + 1):
                n += _take(tally, code, n_classes, tally, np.int64(-1))
        present[j, feature] = n


@kernel
def fill_counts(feature, values, columns, entries, nodes, n_classes, offset, tally, value, counts):
    """Fill the values (R,) and class counts (R * K,), zeros at first, of a feature in each node, from `offset[j, feature]` on.

    `values` are those of the feature by code, or of a sorted feature by row of the table.
    """
    features, shift, keys, rows, weights = columns.features, columns.shift, entries.keys, entries.rows, entries.weights
    place, (mask, fresh, gone) = features[PLACE, feature], bits_of(shift)
    for j in range(nodes.shape[1]):
        row = offset[j, feature]
        if place < 0:
            row, missing = row - 1, False
            for i in range(nodes[START, j], nodes[END, j]):
                key = keys[-1 - place, i]
                if (key & gone) != 0:
                    row += not missing
                    value[row], missing = np.nan, True
                elif key & fresh:
                    row += 1
                    value[row] = values[rows[ORIGIN, key >> shift]]
                counts[row * n_classes + (key & mask)] += weights[key >> shift] if len(weights) else 1.0
        else:
            _tally(place, entries, nodes[START, j], nodes[END, j], n_classes, tally)
            for code in range(features[ABSENT, feature] + 1):
                if _take(tally, code, n_classes, counts, row):
                    value[row] = values[code]
                    row += 1


@unwrapped
def _tally(column, entries, low, high, n_classes, tally):
    """Class counts of each code of a feature, in a range of entries."""
    codes, rows, weights = entries.codes, entries.rows, entries.weights
    for i in range(low, high):
        tally[np.int64(codes[i, column]) * n_classes + rows[CLASS, i]] += weights[i] if len(weights) else 1.0


@unwrapped
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
