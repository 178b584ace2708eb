"""Compiled code reads rows wherever they lie in memory, and finds infinity."""

import numpy as np
import pytest
from extensions.test_split_type import SCHEMA, Compare
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, apply, grow, predict, predict_counts
from ftree.routing import all_routes, weighted
from ftree.routing import reach as ways
from ftree.routing.descent import numpy_leaf_numbers, plain_counts_of_leaves
from ftree.routing.flat import flat
from ftree.routing.predict import answers_of_nodes
from ftree.routing.reach import reach
from ftree.tree import Groups, Multiway, Surrogate, Threshold, WithSurrogates

RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(700, 4))
TREE = grow(Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 2] > 0) ^ (NUMBERS[:, 3] > 1)), CART)


def between_bytes(column):
    """The numbers shifted by one byte from their natural alignment."""
    raw = np.zeros(column.nbytes + 1, np.uint8)
    raw[1:] = column.view(np.uint8)
    return raw[1:].view(column.dtype)


def sealed(a):
    """An array that cannot be written."""
    a.flags.writeable = False
    return a


LAYOUTS = {
    "row by row": lambda a: tuple(a.T),
    "read-only": lambda a: tuple(sealed(a.copy()).T),
    "first rows": lambda a: tuple(np.vstack([a, a[:3]])[: len(a)].T),
    "last rows": lambda a: tuple(np.vstack([a, a])[len(a) :].T),
    "other order": lambda a: tuple(a[:, ::-1].copy()[:, ::-1].T),
    "one twice": lambda a: tuple(np.column_stack([a, a[:, 0]]).T)[: a.shape[1]],
    "column by column": lambda a: tuple(np.asfortranarray(a).T),
    "columns apart": lambda a: tuple(column.copy() for column in a.T),
    "every other column": lambda a: tuple(np.repeat(a, 2, axis=1)[:, ::2].T),
    "from the last row": lambda a: tuple(a[::-1].copy()[::-1].T),
    "float32": lambda a: tuple(a.astype(np.float32).T),
    "float32 columns": lambda a: tuple(a.T.astype(np.float32)),
    "two types": lambda a: (a[:, 0].copy(), *a[:, 1:].astype(np.float32).T),
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
    plain = numpy_leaf_numbers(flat(TREE.root), columns, 700)
    for block in (4096, 300):
        assert ways.native_leaf_numbers(flat(TREE.root), columns, 700, block=block).tolist() == plain.tolist()
    assert (plain == -1).any() == (gaps > 0)


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, -1.5, np.nan, np.inf, -np.inf, 3e300])] * 3), min_size=1, max_size=9),
    st.sampled_from(sorted(set(LAYOUTS) - {"half", "float32", "float32 columns", "two types"})),
    st.integers(1, 9),
)
def test_infinity_is_found_in_every_column_also_in_one_that_the_tree_does_not_use(rows, layout, block):
    numbers, found = np.array(rows), []
    columns = LAYOUTS[layout](numbers)
    tree = flat(grow(Dataset.from_rows([[0.0, 1.0, 2.0], [-1.0, 3.0, 0.0], [-2.0, 0.0, 0.0]], [0, 1, 0])).root)
    leaf = ways.native_leaf_numbers(tree, columns, len(rows), lambda: found.append("refused"), block=block)
    assert found == ["refused"] * int(np.isinf(numbers).any())
    if not found:
        assert leaf.tolist() == numpy_leaf_numbers(tree, columns, len(rows)).tolist()


@pytest.mark.parametrize("native", ["", "off"])
def test_infinity_is_refused_with_its_row_by_all_that_answer_rows(monkeypatch, native):
    monkeypatch.setenv("FTREE_NATIVE", native)
    rows = NUMBERS.copy()
    rows[31, 1] = -np.inf
    for answer in (predict, predict_counts, apply, reach):
        with pytest.raises(ValueError, match="Numbers of 'x1' must be finite, got -inf in row 31"):
            answer(TREE, rows)
    assert predict(TREE, NUMBERS).tolist() == predict(TREE, NUMBERS.tolist())


def test_codes_and_numbers_go_down_together():
    words = RANDOM.choice(list("abc"), 700)
    data = Dataset.from_columns({"u": words, "x": NUMBERS[:, 0], "y": (NUMBERS[:, 0] > 0) ^ (words == "b")}, target="y")
    tree = flat(grow(data).root)
    columns = (np.where(words == "a", -1, data.columns[0]), data.columns[1])
    for kind in (np.int8, np.int16, np.int32, np.int64):
        own = (columns[0].astype(kind), columns[1])
        plain = numpy_leaf_numbers(tree, own, 700)
        assert (plain == -1).any()
        assert ways.native_leaf_numbers(tree, own, 700).tolist() == plain.tolist()


def test_one_leaf_answers_all_rows_and_no_columns():
    leaf = flat(Leaf((1, 2)))
    for way in (numpy_leaf_numbers, ways.native_leaf_numbers):
        assert way(leaf, tuple(NUMBERS.T), 700).tolist() == [0] * 700
        assert way(leaf, (), 3).tolist() == [0] * 3
    for takes in (ways.native_counts, plain_counts_of_leaves):
        assert takes(leaf, (np.zeros(3),) * 3, 3, all_routes(), leaf.counts).tolist() == [[1, 2]] * 3


def test_a_row_that_reaches_two_empty_leaves_gets_the_counts_above_them_once():
    tree = flat(Branch((2, 1), Threshold(0, 0.5), [Leaf((0, 0)), Leaf((0, 0))]))
    for takes in (ways.native_counts, plain_counts_of_leaves):
        given = tree, (np.array([np.nan]),), 1, all_routes(), answers_of_nodes(tree, all_routes())
        assert takes(*given).tolist() == [[2, 1]]


@pytest.mark.parametrize("native", ["", "off"])
def test_splits_of_other_types_are_asked_where_there_is_a_library_and_where_there_is_none(monkeypatch, native):
    monkeypatch.setenv("FTREE_NATIVE", native)
    inner = Branch((1, 1), Compare(0, 1), [Leaf((1, 0)), Leaf((0, 1))])
    tree = Tree(SCHEMA, Branch((2, 2), Threshold(2, 0.5), [inner, inner]))
    rows = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, np.nan], [2.0, np.nan, np.nan], [2.0, 1.0, 0.0]] * 5)
    assert reach(tree, rows).leaf.tolist() == [-1, -1, -1, 4] * 5
    assert predict_counts(tree, rows).tolist() == [[2, 0], [0, 2], [2, 2], [0, 1]] * 5


def test_a_stack_of_routes_grows_with_a_deep_tree_and_many_branches():
    branches = Branch((2,) * 90, Multiway(0, range(90)), [Leaf([i == j for j in range(90)]) for i in range(90)])
    deep = Leaf((1,) * 90)
    for _ in range(300):
        deep = Branch((9,) * 90, Threshold(1, 0.5), (deep, branches))
    tree, columns = flat(deep), (np.array([-1, 3]), np.array([np.nan, np.nan]))
    for rule in (all_routes(), weighted()):
        given = tree, columns, 2, rule, answers_of_nodes(tree, rule)
        assert np.array_equal(ways.native_counts(*given), plain_counts_of_leaves(*given))


@pytest.mark.parametrize("default_child", [0, 1])
def test_a_row_that_no_surrogate_knows_goes_to_the_default_child(default_child):
    schema = Schema([Feature("x", "numeric"), Feature("u", "nominal", "abc")], "y", ("n", "p"))
    backed = WithSurrogates(Threshold(0, 0.5), [Surrogate(Groups(1, [(0,), (1,)]))], default_child)
    tree = Tree(schema, Branch((3, 3), backed, [Leaf((3, 0)), Leaf((0, 3))]))
    assert predict(tree, [[None, "a"], [None, "b"], [None, "c"], [None, None]] * 9) == ["n", "p", *["np"[default_child]] * 2] * 9
