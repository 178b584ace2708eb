"""Tables as text: cells in columns of equal width."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], *, left: int = 1, gap: int = 2) -> str:
    """Rows of cells as lines; the first `left` columns are flush left, the others flush right.

    >>> print(aligned([("", "leaves"), ("CART", "7")]))
          leaves
    CART       7
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join((" " * gap).join(_padded(row, widths, left)).rstrip() for row in rows)


def _padded(row: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    pairs = list(zip(row, widths, strict=True))
    return [*(cell.ljust(width) for cell, width in pairs[:left]), *(cell.rjust(width) for cell, width in pairs[left:])]
