"""Worked trees whose whole texts and pictures are stored, and the form of a stored text: a file of its own.

A stored file was looked at when it was written. After a deliberate change, write it again, by `pytest --snapshot-update FILE`,
and look at the difference.
"""

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ftree import Branch, Feature, Leaf, Schema, Tree, grow
from ftree.datasets import weather
from ftree.tree import Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates

LONG = "a feature with a name of more than thirty letters"
CLINIC = Schema(
    [
        Feature("age", "numeric"),
        Feature(LONG, "nominal", ("grey & <blue>", "a value that is longer than any box of a picture", 'a "third"')),
        Feature("size", "ordinal", ("S", "M", "L")),
        Feature("height", "numeric"),
        Feature("smokes", "nominal", (False, True)),
    ],
    "illness",
    ("no", "yes", "perhaps", "a class with a long name indeed", "八"),
)


def clinic():
    """A tree with a split of nearly every type, five classes, empty leaves, and fractions of cases."""
    height = Branch((0, 2.5, 0, 1, 0), IsMissing(3), (Leaf((0, 2.5, 0, 0, 0)), Leaf((0, 0, 0, 1, 0))))
    value = Branch((4, 2.5, 1, 1, 0), Multiway(1, (0, 1, 2)), (Leaf((4, 0, 1, 0, 0)), height, Leaf((0, 0, 0, 0, 0))))
    counts = (1, 6, 0, 0, 0), (0,) * 5, (0, 0, 2.25, 0, 3), (0, 0, 0, 0, 4)
    tired = Branch((1, 6, 2.25, 0, 7), Intervals(0, (10.5, 20, 65)), list(map(Leaf, counts)))
    first = Branch((5, 8.5, 3.25, 1, 7), Oblique((0.5, 0, 0, -2.0, 0), 3.25), (value, tired))
    known = WithDefault(Subset(4, (1,)), default_child=1)
    smokes = Branch((1, 1, 0, 0, 1), known, (Leaf((1, 0, 0, 0, 0)), Leaf((0, 1, 0, 0, 1))))
    second = Branch((2, 1, 30, 0, 1), Subset(2, (0, 2)), (smokes, Leaf((1, 0, 30, 0, 0))))
    height_first = Surrogate(Threshold(3, 1.75), agreement=0.875, adjusted=0.5)
    size_next = Surrogate(Subset(2, (1,)), reversed=True, agreement=0.8, adjusted=0.25)
    split = WithSurrogates(Threshold(0, 40.5), (height_first, size_next), default_child=1)
    return Tree(CLINIC, Branch((7, 9.5, 33.25, 1, 8), split, (first, second)))


def single():
    """A tree without a split, and without a case."""
    return Tree(Schema([Feature("age", "numeric")], "ill", ("no", "yes")), Leaf((0, 0)))


def letters():
    """A leaf of very many classes, some with long names."""
    labels = [f"letter {number} of a long alphabet" if number % 5 else number for number in range(50)]
    return Tree(Schema((), "letter", labels), Leaf([1] * 50))


TREES = {"weather": grow(weather()), "clinic": clinic(), "single": single()}


class WholeText(SingleFileSnapshotExtension):
    """A text as it is, in a file."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
