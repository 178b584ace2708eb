"""The work for a tree grows with its size, not with the square of it: a nominal feature may have thousands of values."""

import sys

import pytest

from ftree import CART, ID3, Dataset, Leaf, compare_trees, explain_row, from_json, grow, to_json
from ftree.exchange import from_pmml, to_pmml, to_python, to_sql
from ftree.tree import map_leaves


def tree_of(n, policy):
    rows = [[f"v{number}", number % 2] for number in range(n)] * 2
    return grow(Dataset.from_rows(rows, [number % 3 for number in range(n)] * 2, features=["a", "b"], kinds="nominal"), policy)


WORK = {
    "explain_row": lambda tree: explain_row(tree, ["v3", 0]),
    "compare_trees": lambda tree: compare_trees(tree, map_leaves(tree, lambda leaf: Leaf(leaf.counts[::-1]))),
    "to_sql": lambda tree: to_sql(tree, missing="heaviest"),
    "to_python": to_python,
    "from_pmml": lambda tree: from_pmml(to_pmml(tree, missing="heaviest")),
    "from_json": lambda tree: from_json(to_json(tree)),
}


def instructions(action):
    """The number of instructions of Python that a call takes; the same on every machine."""
    n = 0

    def count(frame, event, _):
        nonlocal n
        frame.f_trace_opcodes = True
        n += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        action()
    finally:
        sys.settrace(before)
    return n


@pytest.mark.parametrize("policy", [ID3, CART], ids=["multiway", "subset"])
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_four_times_the_values_take_about_four_times_the_work(work, policy):
    small, large = tree_of(50, policy), tree_of(200, policy)
    work(small)  # the first use loads modules
    assert instructions(lambda: work(large)) < 6 * instructions(lambda: work(small))


def test_a_tree_that_would_need_millions_of_tests_is_refused_before_they_are_written():
    with pytest.raises(ValueError, match=r"at most 1,000,000 tests in SQL, got 1,210,000\. Give missing='heaviest'"):
        to_sql(tree_of(1100, ID3))
