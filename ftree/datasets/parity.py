"""Parity: whether an odd number of bits is set; for two bits, exclusive or."""

from itertools import product

from ftree._lib.fields import require_whole_number
from ftree.data.dataset import Dataset


def xor() -> Dataset:
    """The 4 rows of exclusive or: the parity of two bits. No feature alone has any information gain.

    >>> xor()
    Dataset of 4 rows: bit0 nominal(2), bit1 nominal(2) -> odd: False 2, True 2
    """
    return parity(2)


def parity(n: int) -> Dataset:
    """All 2**n rows of n bits; the target is whether an odd number of them is set.

    Raises a ValueError for n outside 1 to 20.

    >>> parity(3).class_counts()
    (4, 4)
    """
    require_whole_number("n", n, 1, most=20, of="bits")
    rows = list(product((0, 1), repeat=n))
    names = [f"bit{number}" for number in range(n)]
    return Dataset.from_rows(rows, [sum(row) % 2 == 1 for row in rows], features=names, target="odd", kinds="nominal")
