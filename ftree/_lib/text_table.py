"""Small tables as text and as HTML, of cells that are text already."""

from collections.abc import Iterable, Sequence
from html import escape

Cells = Sequence[str]


def aligned(rows: Sequence[Cells]) -> list[str]:
    """Lines of a table whose columns begin below each other; no line ends with blanks.

    >>> aligned([("name", "gain"), ("sky", "1")])
    ['name  gain', 'sky   1']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def html_table(caption: str, header: Cells, rows: Iterable[Cells]) -> str:
    """An HTML table; all texts are escaped.

    >>> html_table("1 < 2", ["a"], [["b"]])
    '<table><caption>1 &lt; 2</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>'
    """
    body = "".join(_row("td", row) for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Cells) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
