"""A page: the text of an HTML file that needs no other file, and the frame around its parts."""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from ftree.show.characters import printable
from ftree.show.drawing import write_text


@frozen(repr=False)
class Page:
    """A page as HTML, made by `page`: `save` writes it, a notebook shows it. `html` is its text, which needs no other file.

    >>> Page("<!DOCTYPE html>")
    <Page of 15 characters of HTML>
    """

    html: str

    def save(self, path: str | Path) -> None:
        """Write it to a file whose name ends in .html.

        Raises a ValueError for another name.
        """
        write_text(self.html, path, ".html")

    def __repr__(self) -> str:
        """Its size: the text would fill screens."""
        return f"<Page of {len(self.html)} characters of HTML>"

    def _repr_html_(self) -> str:
        """The page for a notebook, in a frame of its own."""
        return f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" width="100%" height="600"></iframe>'


def framed_page(title: str, parts: Iterable[str]) -> str:
    """A whole page. Its policy lets no script run but its own, which is known by its hash, and loads nothing from anywhere."""
    script, style = _asset("page.js"), _asset("page.css")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(printable(title))}</title><style>{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, f"<script>{script}</script></body></html>\n"])


@cache
def _asset(name: str) -> str:
    return files("ftree.show").joinpath(name).read_text(encoding="utf-8")
