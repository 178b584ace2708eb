"""Small tables as text and as HTML; their cells are texts."""

from collections.abc import Iterable, Sequence
from html import escape

Cells = Sequence[str]


def aligned(rows: Iterable[Cells], *, left: int | None = None) -> str:
    """Lines of a table; the first `left` columns, by default all, are flush left, the others flush right.

    >>> print(aligned([("", "leaves"), ("CART", "7")], left=1))
          leaves
    CART       7
    """
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    return "\n".join("  ".join(_padded(row, widths, left)).rstrip() for row in listed)


def _padded(row: Cells, widths: Sequence[int], left: int | None) -> list[str]:
    pairs = list(zip(row, widths, strict=True))
    flush_left = len(pairs) if left is None else left
    return [
        *(cell.ljust(width) for cell, width in pairs[:flush_left]),
        *(cell.rjust(width) for cell, width in pairs[flush_left:]),
    ]


def html_table(caption: str, header: Cells, rows: Iterable[Cells]) -> str:
    """An HTML table; all texts are escaped.

    >>> html_table("1 < 2", ["a"], [["b"]])
    '<table><caption>1 &lt; 2</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>'
    """
    body = "".join(_row("td", row) for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Cells) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
