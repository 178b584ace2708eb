"""Linear equations of many nodes at once, by elimination: the bits of each solution are the same whatever stands beside it."""

import numpy as np

from ftree._lib.arrays import Array, Floats


def solved(matrix: Floats, right: Floats, least: Floats) -> tuple[Floats, Array]:
    """Solve symmetric equations without negative eigenvalues: (q, q, ...), right sides (q, r, ...) to solutions (q, r, ...).

    Rows are taken in order. A row whose pivot is at most `least` (q, ...) depends on those before it, and its solution is 0; the
    second result (q, ...) says which rows stay.

    Source: Gauss and Jordan; the elimination is the sweep operator of Goodnight 1979 without its bookkeeping.

    >>> solutions, stay = solved(np.array([[2.0, 4.0], [4.0, 8.0]]), np.array([[6.0], [12.0]]), np.array([1e-9, 1e-9]))
    >>> solutions.tolist(), stay.tolist()
    ([[3.0], [0.0]], [True, False])
    """
    q, stay = len(matrix), np.zeros(matrix.shape[1:], dtype=bool)
    whole = np.concatenate([matrix, right], axis=1, dtype=np.float64)
    for number in range(q):
        pivot = whole[number, number]
        stay[number] = pivot > least[number]
        row = np.where(stay[number], whole[number], 0.0) / np.where(stay[number], pivot, 1.0)
        whole -= whole[:, number, None] * row
        whole[number] = row
    return whole[:, q:], stay
