"""A document: the text of a picture or a page that needs no other file, for notebooks and browsers."""

from html import escape
from pathlib import Path
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.fields import one_of, path_of


@frozen(repr=False)
class Document:
    """A picture as SVG, made by `draw`, or a page as HTML, made by `page`: a notebook shows it, `save` writes it.

    `text` needs no other file; `format` is "svg" or "html".

    >>> Document("<svg/>", "svg")
    <Document of 6 characters of SVG>
    """

    text: str
    format: Literal["svg", "html"] = field(validator=one_of("svg", "html"))

    def save(self, path: str | Path) -> None:
        """Write it as UTF-8 to a file whose name ends in .svg or .html, according to its format.

        Raises a TypeError for anything that is not a path, a ValueError for another name.

        >>> Document("<svg/>", "svg").save("tree.png")
        Traceback (most recent call last):
        ValueError: path must end in .svg, got 'tree.png'.
        """
        file = path_of(path)
        if file.suffix.lower() != f".{self.format}":
            message = f"path must end in .{self.format}, got {str(path)!r}."
            raise ValueError(message)
        file.write_bytes(self.text.encode())

    def __repr__(self) -> str:
        """The document's size, since its text would fill screens."""
        return f"<Document of {len(self.text)} characters of {self.format.upper()}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """All forms from which a notebook can choose: pictures also as SVG, which PDF exports and GitHub's pages show."""
        image = {"image/svg+xml": self.text} if self.format == "svg" else {}
        return {"text/html": self._repr_html_(), **image}

    def _repr_html_(self) -> str:
        """A picture in a box that scrolls if it is too wide; a page in a frame of its own."""
        if self.format == "svg":
            return f'<div style="overflow-x:auto">{self.text}</div>'
        return f'<iframe srcdoc="{escape(self.text)}" sandbox="allow-scripts" width="100%" height="600"></iframe>'
