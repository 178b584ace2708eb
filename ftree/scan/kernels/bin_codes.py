"""The bins of many numbers, by a table of cells of equal width that limits each search. The plain twin: `np.searchsorted`."""

from ftree._lib.jit import inlined, kernel


@inlined
def _cell(number, low, scale, n_cells):
    """The cell of a number, which never falls as the number grows: so numbers of other cells need not be compared."""
    place = (number - low) * scale
    # Also for a place that is not a number: an infinite number times a scale of 0.
    if not place > 0:
        return 0
    return int(place) if place < n_cells else n_cells - 1


@kernel
def fill_guide(edges, low, scale, guide):
    """Write the number of edges in cells before each cell into `guide` (cells + 1,)."""
    n_cells = guide.shape[0] - 1
    k = 0
    for cell in range(n_cells):
        guide[cell] = k
        while k < edges.shape[0] and _cell(edges[k], low, scale, n_cells) == cell:
            k += 1
    guide[n_cells] = k


@kernel
def bin_codes(numbers, edges, low, scale, guide, codes):
    """Write the number of edges below each number into `codes` (n,); NaN gets the number after the last bin."""
    n_cells = guide.shape[0] - 1
    for i in range(numbers.shape[0]):
        number = numbers[i]
        if number != number:  # noqa: PLR0124  # NaN
            codes[i] = edges.shape[0] + 1
            continue
        cell = _cell(number, low, scale, n_cells)
        begin, end = guide[cell], guide[cell + 1]
        while begin < end:
            middle = (begin + end) >> 1
            if edges[middle] < number:
                begin = middle + 1
            else:
                end = middle
        codes[i] = begin
