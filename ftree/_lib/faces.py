"""How values are displayed by `print`, at the prompt and in a notebook, all from the same lines and tables."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeVar

from attrs import field, frozen

from ftree._lib.fields import OwnRepr, as_tuple

TextCells = Sequence[str]
_Item = TypeVar("_Item")
# The characters of a printed line.
LINE = 200


class Face(OwnRepr):
    """Shows a value by its `_parts`, lines of text and tables: as plain text, and as HTML in a notebook."""

    __slots__ = ()

    @abstractmethod
    def _parts(self) -> "Iterable[str | Grid | Face]":
        """The lines and tables, in order, or values that have such parts."""
        ...

    def __str__(self) -> str:
        """The parts below each other."""
        return "\n".join(map(str, self._parts()))

    def __repr__(self) -> str:
        """The same, since a record of all fields would fill screens."""
        return str(self)

    def _repr_html_(self) -> str:
        """The parts for a notebook: texts with their blanks, and tables."""
        return "".join(_html(part) for part in self._parts() if part)


class Lines(Face, tuple[_Item, ...]):
    """Values, in all else a tuple; prints a line for each, or several for a long one.

    >>> Lines(["one", "two"])
    one
    two
    """

    __slots__ = ()

    def _parts(self) -> Iterable[str]:
        yield "\n".join(in_lines(line.split(" ")) for each in self for line in str(each).split("\n"))


def in_lines(parts: Sequence[str], room: int = LINE) -> str:
    """Parts of a sentence one after another; a part for which a line has no room begins the next one.

    >>> len(in_lines(["if", "sky = grey then stay"])), in_lines(["a" * 150, "b" * 60]).splitlines()[1][:5]
    (23, '   bb')
    """
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) < room:
            lines[-1] += f" {part}"
        else:
            lines.append(f"   {part}")
    return "\n".join(lines)


class Text(str):
    r"""A text whose lines are lines at the prompt and in a notebook too, and not one with `\n`; in all else a str.

    >>> Text("one\ntwo")
    one
    two
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """The text itself."""
        return str(self)

    def _repr_html_(self) -> str:
        return preformatted(self)


class Formula(Text):
    r"""A formula for LaTeX's mathematics mode, which a notebook typesets.

    >>> Formula(r"\\top")
    \\top
    """

    __slots__ = ()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self}$"


def _html(part: "str | Grid | Face") -> str:
    if isinstance(part, Grid):
        return part.html()
    return preformatted(part) if isinstance(part, str) else part._repr_html_()


def preformatted(text: str) -> str:
    """A text as HTML, with its lines and blanks; long lines are broken.

    >>> preformatted("1 < 2")
    '<pre style="white-space:pre-wrap">1 &lt; 2</pre>'
    """
    return f'<pre style="white-space:pre-wrap">{escape(text, quote=False)}</pre>'


@frozen
class Grid:
    """A table of texts; the first `left` columns, by default all, are flush left, the others flush right.

    >>> print(Grid(("", "leaves"), [("CART", "7")], left=1))
          leaves
    CART       7
    """

    header: TextCells
    rows: tuple[TextCells, ...] = field(converter=as_tuple)
    left: int | None = field(default=None, kw_only=True)
    caption: str = field(default="", kw_only=True)  # for HTML only

    def __str__(self) -> str:
        """The lines of the table."""
        listed = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
        return "\n".join("  ".join(map(self._padded, row, widths, range(len(row)))).rstrip() for row in listed)

    def _is_left(self, place: int) -> bool:
        return self.left is None or place < self.left

    def _padded(self, cell: str, width: int, place: int) -> str:
        return cell.ljust(width) if self._is_left(place) else cell.rjust(width)

    def html(self) -> str:
        """The table as HTML; all texts are escaped.

        >>> Grid(["a"], [["b"]], left=0, caption="1 < 2").html()
        '<table><caption>1 &lt; 2</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>'
        """
        body = "".join(self._row("td", row) for row in self.rows)
        title = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{title}<thead>{self._row('th', self.header)}</thead><tbody>{body}</tbody></table>"

    def _row(self, tag: str, cells: TextCells) -> str:
        sides = (' style="text-align:left"' if self._is_left(place) else "" for place in range(len(cells)))
        return f"<tr>{''.join(f'<{tag}{side}>{escape(cell)}</{tag}>' for side, cell in zip(sides, cells, strict=True))}</tr>"
