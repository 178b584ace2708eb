"""Names, values and labels that pictures must escape, and that programs must quote."""

from attrs import evolve
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.testing import trees
from ftree.tree import Multiway

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
# What ends a text or a comment in a language, what a language or a database knows by name, and texts that differ in little.
WORDS = (
    '"""; ran.append(1); """',
    "'''; ran.append(1); '''",
    "'",
    '"',
    "`",
    "''",
    "\\",
    "\\'",
    "*/ ; /*",
    "??/",
    "//\\",
    "--",
    "-- \n; DROP TABLE t; --",
    "%s %d {0} {name} ${x} $(x)",
    "<![CDATA[",
    "<!-- -->",
    "}\\end{forest}\\input{x}",
    "a\rb",
    "a\0",
    "a",
    "A",
    " a ",
    "\ud800",
    "\x85\u2028\u2029",
    *("true", "TRUE", "True", "null", "None", "nan", "inf", "1", "1.0", "select", "class", "lambda", "int", "predict", "row"),
    *("rowid", "part", "own", "ends", "c0", "s0", "t", "label", "counts", "ftree:0", "FEATURES", "__builtins__"),
)
any_text = st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from(LABELS) | st.sampled_from(WORDS)


def a_leaf_for_each(labels, feature='<b>&"x\\N', target="t"):
    """A tree that has the labels as values and as classes, with a leaf of one case for each."""
    leaves = [Leaf([int(number == each) for each in range(len(labels))]) for number in range(len(labels))]
    root = Branch([1] * len(labels), Multiway(0, range(len(labels))), leaves)
    return Tree(Schema([Feature(feature, "nominal", labels)], target, labels), root)


@st.composite
def renamed(draw, tree, texts=any_text):
    """The tree with other names, values and classes; the last two are drawn from `texts`, which may draw other values too."""
    schema = tree.schema
    names = draw(st.lists(any_text, unique=True, min_size=len(schema.features) + 1, max_size=len(schema.features) + 1))
    pairs = zip(schema.features, names, strict=False)
    features = [Feature(name, feature.kind, draw(_distinct(texts, feature.values))) for feature, name in pairs]
    return evolve(
        tree, schema=evolve(schema, features=features, target=names[-1], classes=draw(_distinct(texts, schema.classes)))
    )


def trees_of_any(**options):
    """Classification trees, regression trees and trees of events."""
    return st.sampled_from(["classes", "numbers", "events"]).flatmap(lambda response: trees(response=response, **options))


def _distinct(texts, values):
    return st.lists(texts, unique=True, min_size=len(values), max_size=len(values)).map(tuple)
