"""A drawing: the text of an SVG file, which notebooks show and browsers open."""

from pathlib import Path

from attrs import frozen

from ftree._lib.fields import path_of


@frozen(repr=False)
class Drawing:
    """A picture as SVG, made by `draw`: a notebook shows it, `save` writes it. `svg` is its text, which needs no other file.

    >>> Drawing("<svg/>")
    <Drawing of 6 characters of SVG>
    """

    svg: str

    def save(self, path: str | Path) -> None:
        """Write it to a file whose name ends in .svg.

        Raises a ValueError for another name.
        """
        write_text(self.svg, path, ".svg")

    def __repr__(self) -> str:
        """Its size: the text would fill screens."""
        return f"<Drawing of {len(self.svg)} characters of SVG>"

    def _repr_svg_(self) -> str:
        """The picture for a notebook."""
        return self.svg

    def _repr_html_(self) -> str:
        """The picture for a notebook, in a box that scrolls where it is too wide."""
        return f'<div style="overflow-x:auto">{self.svg}</div>'


def write_text(text: str, path: str | Path, suffix: str) -> None:
    """Write a text as UTF-8 to a file whose name ends in a suffix.

    Raises a TypeError for what is no path, a ValueError for another name.

    >>> write_text("", "tree.png", ".svg")
    Traceback (most recent call last):
    ValueError: path must end in .svg, got 'tree.png'.
    """
    file = path_of(path)
    if file.suffix.lower() != suffix:
        message = f"path must end in {suffix}, got {str(path)!r}."
        raise ValueError(message)
    file.write_text(text, encoding="utf-8")
