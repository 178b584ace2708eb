"""The frame of a page: HTML around its parts, with its style and its script."""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from ftree.show.characters import printable


def framed_page(title: str, parts: Iterable[str]) -> str:
    """A whole page. Its security policy allows only its own script, identified by its hash, and loads nothing from elsewhere."""
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
    return files("ftree.show").joinpath(name).read_bytes().decode()
