"""A user's table in parts: rows in lists, one list for each part, like many small files."""

import pytest
from attrs import frozen

from ftree import Dataset, grow
from ftree.scan import survey
from ftree.testing import check_source


@frozen
class Pieces:
    """Parts of a table, each a mapping of names to columns."""

    names: tuple
    parts: list

    def fold(self, function, merge):
        answer, *others = map(function, self.parts)
        for other in others:
            answer = merge(answer, other)
        return answer


def pieces(columns, rows):
    n = len(next(iter(columns.values())))
    starts = range(0, n, rows)
    return Pieces(tuple(columns), [{name: column[at : at + rows] for name, column in columns.items()} for at in starts])


def test_it_keeps_the_laws():
    check_source(pieces)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_it_grows_the_tree_of_the_table(rows):
    columns = {"size": [1.0, 2.0, 3.0, 4.0, 5.0], "class": ["a", "a", "b", "b", "a"]}
    assert grow(survey(pieces(columns, rows))) == grow(Dataset.from_columns(columns))
