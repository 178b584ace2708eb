"""Counts of rows that have two items, from joint histograms of columns, for items that are intervals of a column's cells.

Cells of all columns are numbered one after another; the first of each column stays empty, so that a running sum starts there
with 0. `hist` (K, D, D) counts rows by class and by their cells in two columns, of which the second is not before the first.
A `layout` is the tuple (first, column, low, high, ladders, ladder): the first cell of each column (C + 1,); the column of each
item (M,); the cell before its first one, and its last one (M,); the first item and the end of each ladder, (L, 2); and the
ladder of each item (M,). A ladder is a sequence of items of a column that begin with the same cell, each of which has one cell
more than the one before. A `table` is the tuple (cells, labels, weights) of the cell of each row in each column (n, C), and its
class and weight (n,).
"""

from ftree._lib.jit import alloc_free, inlined_section, internal
from ftree.exact.kernels.shallow import call_depth_two


@internal
def _count(hist, table, rows, times):
    """Count rows `times` times: 1 adds them, -1 takes them away."""
    cells, labels, weights = table
    n_columns = cells.shape[1]
    for row in rows:
        of_class, weight = hist[labels[row]], times * weights[row]
        for a in range(n_columns):
            line = of_class[cells[row, a]]
            for b in range(a, n_columns):
                line[cells[row, b]] += weight


@internal
def _pairs(hist, layout, sums, line, pairs):
    """Counts (K, M, M) of rows that have two items, the second not before the first.

    `sums` (D, D) and `line` (D,) are arrays of any content.
    """
    first, column, low, high, ladders, _ = layout
    end = first[-1]
    for k in range(len(pairs)):
        for c in range(len(first) - 1):
            sums[first[c], first[c] :] = 0
            for cell in range(first[c] + 1, first[c + 1]):
                now, before, own = sums[cell, first[c] : end], sums[cell - 1, first[c] : end], hist[k, cell, first[c] : end]
                for place in range(len(now)):
                    now[place] = before[place] + own[place]
        for i in range(len(column)):
            upper, lower = sums[high[i]], sums[low[i]]
            for c in range(column[i], len(first) - 1):
                total = line.dtype.type(0)
                for cell in range(first[c], first[c + 1]):
                    total += upper[cell] - lower[cell]
                    line[cell] = total
            for s in range(len(ladders)):
                begin, stop = max(ladders[s, 0], i), ladders[s, 1]
                if begin < stop:
                    base, given = line[low[begin]], line[high[begin] : high[begin] + stop - begin]
                    to = pairs[k, i, begin:stop]
                    for place in range(len(to)):
                        to[place] = given[place] - base


@alloc_free
def pairs_of_rows(table, layout, rows, pairs, hist, sums, line):
    """Counts (K, M, M) of rows that have two items, the second not before the first, in `pairs`.

    `hist`, of zeros, gets the joint histogram; `sums` (D, D) and `line` (D,) are overwritten.
    """
    _count(hist, table, rows, 1)
    _pairs(hist, layout, sums, line, pairs)


@inlined_section
def _by_cell(cells, rows, column, begin, end, ordered, starts):
    """The rows in the order of their cells in a column, and where each of the cells from `begin` to `end` starts.

    `starts` is longer by two, so that each entry can say first where the cell before ends.
    """
    for cell in range(end - begin + 2):
        starts[cell] = 0
    for row in rows:
        starts[cells[row, column] - begin + 2] += 1
    for cell in range(2, end - begin + 2):
        starts[cell] += starts[cell - 1]
    for row in rows:
        place = cells[row, column] - begin + 1
        ordered[starts[place]] = row
        starts[place] += 1


@inlined_section
def _between(mass, two, known, ladder, item):
    """Lower bounds on the costs of depth two with an item and without it, by the nearest items of its ladder that are known.

    More rows never cost less, and cost at most their weight more.
    """
    inside = outside = 0.0
    for before in range(item - 1, ladder[0] - 1, -1):
        if known[before]:
            inside, outside = two[before, 0], two[before, 1] - (mass[item] - mass[before])
            break
    for after in range(item + 1, ladder[1]):
        if known[after]:
            inside, outside = max(inside, two[after, 0] - (mass[after] - mass[item])), max(outside, two[after, 1])
            break
    return inside, outside


@inlined_section
def _move(hist, table, ordered, window, begin, end):
    """Count the rows from `begin` to `end`, given the counts of those in the `window`, which moves."""
    if begin >= window[1] or end <= window[0]:
        hist[:] = 0
        window[:] = begin
    _count(hist, table, ordered[window[0] : begin], -1)
    _count(hist, table, ordered[begin : window[0]], 1)
    _count(hist, table, ordered[window[1] : end], 1)
    _count(hist, table, ordered[end : window[1]], -1)
    window[0], window[1] = begin, end


@inlined_section
def _subtract(pairs, total, item, own, rest, cases, others):
    """Counts (K, M, M) of the `rest`, the rows without an item, and the class counts of both sides."""
    for k in range(len(own)):
        cases[k], others[k] = own[k, item, item], total[k] - own[k, item, item]
        for i in range(own.shape[1]):
            # Slices, since an index that could be negative would keep the loop from being vectorised.
            given, less, to = pairs[k, i, i:], own[k, i, i:], rest[k, i, i:]
            for j in range(len(given)):
                to[j] = given[j] - less[j]


@alloc_free
def divided_in_two(table, layout, rows, pairs, total, terms, ways, items, state, best, two, scratch):
    """The least cost of splits by some `items` of one column into trees of depth two, and the item; -1 if none is below `best`.

    `state` is (bound, mass, known): lower bounds (M,) on the cost of each split; the
    weight of the rows with each item, or none if bounds between neighbours do not hold; and which items have exact costs
    in `two` (M, 2), the others have lower bounds there. `ways` has the address of `depth_two`. `scratch` is
    (hist, sums, line, own, rest, cases, others, ordered, starts, window, room), arrays of any content, but for `own` and `rest`,
    which are 0 where the second item is before the first.
    """
    (first, column, low, high, ladders, ladder), (bound, mass, known), prices = layout, state, terms[3]
    hist, sums, line, own, rest, cases, others, ordered, starts, window, room = scratch
    begin, chosen = first[column[items[0]]], -1
    _by_cell(table[0], rows, column[items[0]], begin, first[column[items[0]] + 1], ordered, starts)
    window[0] = window[1] = 0
    hist[:] = 0
    for item in items:
        if bound[item] < best and len(mass):
            two[item, 0], two[item, 1] = _between(mass, two, known, ladders[ladder[item]], item)
            bound[item] = max(bound[item], two[item, 0] + two[item, 1] + prices[item])
        if bound[item] >= best:
            continue
        _move(hist, table, ordered, window, starts[low[item] + 1 - begin], starts[high[item] + 1 - begin])
        _pairs(hist, layout, sums, line, own)
        _subtract(pairs, total, item, own, rest, cases, others)
        two[item, 0], _ = call_depth_two(ways, 0, (own, cases, terms, room))
        two[item, 1], _ = call_depth_two(ways, 0, (rest, others, terms, room))
        known[item] = True
        bound[item] = two[item, 0] + two[item, 1] + prices[item]
        if bound[item] < best:
            best, chosen = bound[item], item
    return best, chosen
