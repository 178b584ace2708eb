"""Names and labels that pictures must escape."""

from attrs import evolve
from hypothesis import strategies as st

from ftree import Feature, Schema

LABELS = (
    "</script><script>alert(1)</script>",
    "<b>&\"'</b> &amp; &#65; #quot;",
    "\x00\x1b[31m\x07\x9b\ud800\ufffe",
    "two\nlines\r\n\ttab",
    "\u202eright to left \u05d0\u05d1",
    '\\N \\\\ \\" \\',
    "]]> --> ]}|)([{",
    "1. `**_x_**` ~ # ; %% %%{init: {}}%%",
    "😀👩‍👩‍👧 naïve ΣΩ 木",
    "end",
    "w" * 10_000,
    "",
)

any_text = st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from(LABELS)


@st.composite
def renamed(draw, tree):
    """The tree with other names, values and classes."""
    schema = tree.schema
    names = draw(st.lists(any_text, unique=True, min_size=len(schema.features) + 1, max_size=len(schema.features) + 1))
    pairs = zip(schema.features, names, strict=False)
    features = [Feature(name, feature.kind, draw(_distinct(feature.values))) for feature, name in pairs]
    return evolve(tree, schema=Schema(features, names[-1], draw(_distinct(schema.classes))))


def _distinct(values):
    return st.lists(any_text, unique=True, min_size=len(values), max_size=len(values)).map(tuple)
