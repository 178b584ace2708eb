"""The type of the integers that hold codes changes no answer, also where there are as many codes as the type has numbers."""

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, Feature, Schema, grow, optimal, predict_counts, recount, scores
from ftree.data.summary import is_missing_by_class
from ftree.missing import as_branch, heaviest, ignore
from ftree.prune import reduced_error
from ftree.scan import source_of
from ftree.splitters import multiway, one_value, threshold
from ftree.stop import max_depth
from ftree.study import random_forest

# A byte holds the codes of 128 values, but not the number after them, which counts give to a missing value.
N_CODES = st.integers(126, 128)


@st.composite
def tables_by_type(draw):
    """A table in bytes, in short integers and in long ones; the first and last values and classes are frequent."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(2, 60))
    n_values, n_classes = draw(N_CODES), draw(N_CODES)
    columns = [random.choice([-1, 0, 1, n_values - 2, n_values - 1], n), random.integers(-1, n_values, n)]
    labels = random.choice([0, 1, n_classes - 1], n)
    kinds = draw(st.permutations(["nominal", "ordinal"]))
    schema = Schema([Feature(kind, kind, range(n_values)) for kind in kinds], "y", range(n_classes))
    types = (np.int8, np.int16, np.int64)
    return [Dataset(schema, [each.astype(of) for each in columns], labels.astype(of)) for of in types]


def same_answer(answer, tables):
    first, *others = map(answer, tables)
    assert all(np.array_equal(first, other) if isinstance(first, np.ndarray) else first == other for other in others)
    return first


@given(tables_by_type(), st.sampled_from([ignore(), heaviest(), as_branch()]), st.sampled_from(["plain", "compiled"]))
def test_the_type_of_integers_changes_no_tree(tables, missing, engine):
    policy = evolve(ID3, missing=missing)
    tree = same_answer(lambda table: grow(table, policy, engine=engine), tables)
    for answer in (predict_counts, recount):
        same_answer(lambda table, answer=answer: answer(tree, table), tables)
    same_answer(lambda table: reduced_error(table)(tree), tables)
    same_answer(lambda table: scores(table, policy), tables)


@given(tables_by_type())
def test_the_type_of_integers_changes_nothing_else(tables):
    policy = evolve(ID3, splits=(multiway(), threshold())).stopping(max_depth(2))
    assert same_answer(lambda table: grow(source_of(table), policy), tables) == grow(tables[0], policy)
    same_answer(lambda table: random_forest(table, n_trees=2).trees, tables)
    same_answer(lambda table: optimal(table, max_depth=1, splitters=[one_value(), threshold()]).tree, tables)
    for number in range(2):
        same_answer(lambda table, number=number: is_missing_by_class(table.columns[number], table.target_column), tables)
