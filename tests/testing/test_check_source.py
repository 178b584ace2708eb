"""The battery for tables in parts detects tables that break a law."""

import numpy as np
import pytest
from attrs import define, field

from ftree.testing import check_source

pytestmark = pytest.mark.usefixtures("unshrunk")


@define
class Pieces:
    """Parts of a table of lists, each altered."""

    names: tuple
    parts: list
    folded: int = field(default=0)
    forgets: bool = field(default=False)

    def fold(self, function, merge):
        self.folded += 1
        answer, *others = map(function, self.parts[: 1 if self.forgets and self.folded > 1 else None])
        for other in others:
            answer = merge(answer, other)
        return answer


def pieces(columns, rows, alter=lambda part: part, **options):
    n = len(columns["label"])
    cut = ({name: column[at : at + rows] for name, column in columns.items()} for at in range(0, n, rows))
    return Pieces(tuple(columns), [alter(part) for part in cut], **options)


def without_a_label(part):
    return {**part, "label": part["label"][:-1]}


def turned(part):
    """The same rows with numbers of the opposite sign."""
    return {name: [-x if isinstance(x, float) and x > 1 else x for x in column] for name, column in part.items()}


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (
            lambda columns, rows: pieces({"more": [0] * len(columns["label"]), **columns}, rows),
            "the names are those of the columns",
        ),
        (lambda columns, rows: pieces(columns, rows, without_a_label), "the columns of a part are equally long: got "),
        (lambda columns, rows: pieces(columns, rows, forgets=True), r"each row is in one part, each time: got \d+, must be \d+"),
        (
            lambda columns, rows: pieces(columns, rows, turned),
            r"it grows the tree of the whole table: got (.|\n)*, for rows = \d",
        ),
    ],
)
def test_a_table_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_source(wrong)


def test_columns_may_be_arrays_and_parts_of_any_size():
    check_source(lambda columns, rows: pieces({name: np.array(column, object) for name, column in columns.items()}, rows))
