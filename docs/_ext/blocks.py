"""Code blocks end with their last line: a doctest in Markdown needs an empty line before its fence, which no page shows."""

from docutils import nodes
from sphinx.application import Sphinx


def without_empty_end(_: Sphinx, doctree: nodes.document) -> None:
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.clear()
        block.append(nodes.Text(text))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", without_empty_end)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
