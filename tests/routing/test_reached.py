"""Compiled code sends rows to the same leaves as NumPy, for any memory layout of columns; infinity is found in all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ftree.routing.flat as flat_module
from ftree import CART, Dataset, apply, grow, predict, predict_counts
from ftree.routing.compiled import walk_all
from ftree.routing.flat import _level_by_level, flat
from ftree.routing.in_memory import in_memory
from ftree.routing.reached import reach

RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(700, 4))
TREE = grow(Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 2] > 0) ^ (NUMBERS[:, 3] > 1)), CART)


def between_bytes(column):
    """The numbers shifted by one byte from their natural alignment."""
    raw = np.zeros(column.nbytes + 1, np.uint8)
    raw[1:] = column.view(np.uint8)
    return raw[1:].view(column.dtype)


LAYOUTS = {
    "row by row": lambda a: tuple(a.T),
    "column by column": lambda a: tuple(np.asfortranarray(a).T),
    "columns apart": lambda a: tuple(column.copy() for column in a.T),
    "every other column": lambda a: tuple(np.repeat(a, 2, axis=1)[:, ::2].T),
    "from the last row": lambda a: tuple(a[::-1].copy()[::-1].T),
    "float32": lambda a: tuple(a.astype(np.float32).T),
    "float32 columns": lambda a: tuple(a.T.astype(np.float32)),
    "two types": lambda a: (a[:, 0].copy(), *a[:, 1:].astype(np.float32).T),
    "two strides": lambda a: (a[:, 0].copy(), *a[:, 1:].T),
    "other byte order": lambda a: tuple(a.T.astype(">f8")),
    "between bytes": lambda a: tuple(between_bytes(column.copy()) for column in a.T),
    "half": lambda a: tuple(a.T.astype(np.float16)),
}


@pytest.mark.parametrize("gaps", [0, 1, 300])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_end_where_those_of_numpy_do_wherever_columns_lie(layout, gaps):
    numbers = NUMBERS.copy()
    numbers[700 - gaps :, 2] = np.nan
    columns = LAYOUTS[layout](numbers)
    plain = _level_by_level(flat(TREE.root), columns, 700)
    for finite in (True, False):
        assert walk_all(flat(TREE.root), columns, 700, finite=finite).tolist() == plain.tolist()
    assert (plain == -1).any() == (gaps > 0)


@pytest.mark.parametrize("gap", [None, 0, 699])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("layout", ["row by row", "columns apart", "every other column", "two strides", "float32"])
def test_infinity_is_found_in_every_column_also_in_one_that_the_tree_does_not_use(layout, column, infinity, gap):
    numbers = np.column_stack([NUMBERS, NUMBERS[:, 0]])
    if gap is not None:
        numbers[gap] = np.nan
    numbers[650, column] = infinity
    assert walk_all(flat(TREE.root), LAYOUTS[layout](numbers), 700, finite=False) is None


@pytest.mark.in_python
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, -1.5, np.nan, np.inf, -np.inf, 3e300])] * 3), min_size=1, max_size=9),
    st.sampled_from(sorted(set(LAYOUTS) - {"half", "float32", "float32 columns", "two types"})),
)
def test_a_walk_finds_infinity_where_numpy_finds_it(rows, layout):
    numbers = np.array(rows)
    columns = LAYOUTS[layout](numbers)
    tree = flat(grow(Dataset.from_rows([[0.0, 1.0, 2.0], [-1.0, 3.0, 0.0], [-2.0, 0.0, 0.0]], [0, 1, 0])).root)
    leaf = walk_all(tree, columns, len(rows), finite=False)
    assert (leaf is None) == np.isinf(numbers).any()
    if leaf is not None:
        assert leaf.tolist() == _level_by_level(tree, columns, len(rows)).tolist()


@pytest.mark.parametrize("compiled", [True, False])
def test_infinity_is_refused_with_its_row_by_all_that_answer_rows(monkeypatch, compiled):
    monkeypatch.setattr(flat_module.Flat, "_due", lambda *_: compiled)
    rows = NUMBERS.copy()
    rows[31, 1] = -np.inf
    for answer in (predict, predict_counts, apply, reach):
        with pytest.raises(ValueError, match="Numbers of 'x1' must be finite, got -inf in row 31"):
            answer(TREE, rows)
    assert predict(TREE, NUMBERS).tolist() == predict(TREE, NUMBERS.tolist())


def test_codes_and_numbers_go_down_together():
    words = RANDOM.choice(list("abc"), 700)
    data = Dataset.from_columns({"u": words, "x": NUMBERS[:, 0], "y": (NUMBERS[:, 0] > 0) ^ (words == "b")}, target="y")
    tree = grow(data)
    columns = (np.where(words == "a", -1, data.columns[0]), data.columns[1])
    for kind in (np.int8, np.int16, np.int32, np.int64):
        own = (columns[0].astype(kind), columns[1])
        plain = _level_by_level(flat(tree.root), own, 700)
        assert (plain == -1).any()
        for finite in (True, False):
            assert walk_all(flat(tree.root), own, 700, finite=finite).tolist() == plain.tolist()


def test_no_columns_are_not_alike_and_one_leaf_answers_all_rows():
    assert not in_memory(()).alike
    assert in_memory(()).joined().places.shape == (4, 0)
    leaf = flat(grow(Dataset.from_rows(NUMBERS, [0] * 700)).root)
    assert walk_all(leaf, tuple(NUMBERS.T), 700, finite=False).tolist() == [0] * 700
    assert walk_all(leaf, tuple(NUMBERS.T), 700).tolist() == [0] * 700
