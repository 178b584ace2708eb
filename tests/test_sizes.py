"""The work for a tree grows with its size, not with the square of it: a nominal feature may have thousands of values.

Nor does it grow with the number of ways to a leaf, of which a path of splits with surrogates has very many.
"""

import sys

import pytest

import ftree as ft
from ftree import CART, ID3, Dataset, Leaf, compare_trees, explain_row, from_json, grow, to_json
from ftree.exchange import from_pmml, to_c, to_latex, to_onnx, to_pmml, to_python, to_sql
from ftree.show import to_dot, to_mermaid
from ftree.tree import Surrogate, Threshold, WithSurrogates, map_leaves


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


def with_surrogates(n):
    """A balanced tree of n leaves, in which each branch asks three features."""

    def halve(span):
        low, high = span
        if high - low == 1:
            return Leaf((low % 2, 1, 1 - low % 2))
        middle = (low + high) // 2
        cuts = [Threshold((middle + place) % 4, middle - 0.5 + place) for place in range(3)]
        split = WithSurrogates(cuts[0], [Surrogate(cut, reversed=cut.feature == 2) for cut in cuts[1:]])
        odd = high // 2 - low // 2
        return (odd, high - low, high - low - odd), split, [(low, middle), (middle, high)]

    features = [ft.Feature(name, "numeric") for name in "abcd"]
    return ft.Tree(ft.Schema(features, "y", ("no", "perhaps", "yes")), ft.unfold((0, n), halve))


WORK_OF_SURROGATES = WORK | {
    "to_onnx": lambda tree: pytest.importorskip("onnx") and to_onnx(tree),
    "to_c": to_c,
    "from_pmml": lambda tree: to_pmml(tree, missing="heaviest"),  # which from_pmml refuses
    "to_dict": lambda tree: ft.to_dict(tree, counts=True),
    "to_latex": to_latex,
    "to_dot": to_dot,
    "to_mermaid": to_mermaid,
    "page": lambda tree: str(ft.page(tree, max_leaves=None)),
    "draw": lambda tree: str(ft.draw(tree, max_leaves=None)),
    "text": lambda tree: str(ft.text(tree)),
    "rules": lambda tree: str(ft.rules(tree)),
    "dnf": lambda tree: str(ft.dnf(tree, "no")),
    "explain_row": lambda tree: explain_row(tree, [3.0, None, 2.0, 1.0]),
    "shap_values": lambda tree: ft.shap_values(tree, [[3.0, None, 2.0, 1.0]]),
}


TREES = {
    "multiway": (lambda size: tree_of(50 * size, ID3), WORK),
    "subset": (lambda size: tree_of(50 * size, CART), WORK),
    "surrogates": (lambda size: with_surrogates(32 * size), WORK_OF_SURROGATES),
}


@pytest.mark.parametrize(("grown", "name"), [(grown, name) for grown, (_, works) in TREES.items() for name in works])
def test_four_times_the_tree_takes_about_four_times_the_work(grown, name):
    tree, works = TREES[grown]
    small, large, work = tree(1), tree(4), works[name]
    work(small)  # the first use loads modules
    assert instructions(lambda: work(large)) < 6 * instructions(lambda: work(small))


def test_a_tree_that_would_need_millions_of_tests_is_refused_before_they_are_written():
    with pytest.raises(ValueError, match=r"at most 1,000,000 tests in SQL, got 1,210,000\. Give missing='heaviest'"):
        to_sql(tree_of(1100, ID3))
