"""C source: the program that gcc makes of it predicts what the tree predicts, row by row."""

import ctypes
import shutil
import subprocess
from math import inf, nan

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_linear_programs import ON, TREES, modelled, rows_of
from test_linear_programs import RULES as LINEAR

from ftree import CART, Dataset, grow, predict, predict_counts
from ftree.exchange import to_c
from ftree.testing import chain, check_export, export_rows, trees

RULES = ["all_routes", "weighted", "heaviest", "stop_here", lambda sizes: sizes / sizes.sum() / 2]


@pytest.fixture
def compiled(tmp_path, needed):
    """A function that compiles source and loads it."""
    gcc = needed(shutil.which("gcc"), "gcc libc6-dev")
    count = iter(range(1_000_000))

    def load(source):
        stem = tmp_path / f"tree{next(count)}"
        stem.with_suffix(".c").write_text(source, encoding="utf-8")
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-O1", "-march=native"]
        command = [gcc, *warnings, "-shared", "-fPIC", "-o", stem.with_suffix(".so"), stem.with_suffix(".c")]
        subprocess.run(command, check=True, timeout=300)  # noqa: S603  # this call is under test
        library = ctypes.CDLL(str(stem.with_suffix(".so")))
        library.predict_code.restype = ctypes.c_double
        library.predict_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
        return library

    return load


def in_c(library, schema, rows):
    """The labels and the counts of rows."""
    cells = np.array(
        [[_cell(library, number, feature, row[number]) for number, feature in enumerate(schema.features)] for row in rows]
    )
    counts = np.empty((len(rows), len(schema.classes) or len(schema.response.channels)))
    double = ctypes.POINTER(ctypes.c_double)
    labels = []
    library.predict.restype = ctypes.c_int if schema.has_classes else ctypes.c_double
    for row, own in zip(cells, counts, strict=True):
        pointer = row.ctypes.data_as(double)
        library.predict_counts(pointer, own.ctypes.data_as(double))
        answer = library.predict(pointer)
        labels.append(schema.classes[answer] if schema.has_classes else answer)
    return labels, counts


def _cell(library, number, feature, value):
    if feature.kind == "numeric":
        return nan if value is None else value
    return library.predict_code(number, None if value is None else str(value).encode(errors="surrogatepass"))


@pytest.mark.consumer
@pytest.mark.parametrize("missing", RULES, ids=[*RULES[:4], "half"])
def test_c_source_is_what_the_tree_predicts(mixed_tree, mixed_rows, missing, compiled):
    rows, asked = mixed_rows
    labels, counts = in_c(compiled(to_c(mixed_tree, missing=missing)), mixed_tree.schema, asked)
    assert labels == predict(mixed_tree, rows, missing=missing)
    np.testing.assert_allclose(counts, predict_counts(mixed_tree, rows, missing=missing), rtol=1e-9, atol=1e-12)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", RULES[:4])
@pytest.mark.parametrize("response", ["numbers", "events"])
def test_a_regression_tree_or_events_in_c(compiled, missing, response):
    table = [[number % 7, "abc"[number % 3]] for number in range(40)] + [[None, "a"], [2, None]] * 3
    least = -1 if response == "numbers" else 0
    tree = grow(Dataset.from_rows(table, [row % 11 / 10 + least for row in range(len(table))], response=response), CART)
    rows = export_rows(tree, 200)
    found, _ = in_c(compiled(to_c(tree, missing=missing)), tree.schema, rows)
    np.testing.assert_allclose(found, predict(tree, rows, missing=missing), rtol=1e-12)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", LINEAR)
@given(TREES, ON, st.integers(0, 99))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_linear_models_in_c(compiled, missing, tree, on, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 100)
    found, _ = in_c(compiled(to_c(tree, missing=missing)), tree.schema, rows)
    np.testing.assert_allclose(found, predict(tree, rows, missing=missing), rtol=1e-9, atol=1e-9)


@pytest.mark.consumer
def test_a_deep_tree_in_c(compiled):
    tree = chain(5_000)
    rows = [[0.0], [1.5], [2.0], [2_500.0], [None], [inf], [-inf]]
    labels, counts = in_c(compiled(to_c(tree)), tree.schema, rows)
    known = rows[:5]
    assert labels[:5] == predict(tree, known)
    np.testing.assert_array_equal(counts[:5], predict_counts(tree, known))
    assert labels[5:] == predict(tree, [[1e300], [-1e300]])


@pytest.mark.consumer
@pytest.mark.slow
@pytest.mark.parametrize("given_trees", [None, trees(response="numbers") | trees(response="events")], ids=["classes", "sums"])
def test_c_source_obeys_the_law_for_exports(compiled, given_trees):
    check_export(
        lambda tree, missing: (compiled(to_c(tree, missing=missing)), tree.schema),
        predict=lambda made, rows: in_c(*made, rows)[0],
        counts=None if given_trees is not None else lambda made, rows: in_c(*made, rows)[1],
        rules=RULES[:4],
        given_trees=given_trees,
        exempt={"deep"},
    )


def test_a_function_has_a_name(mixed_tree):
    with pytest.raises(ValueError, match="name must be the name of a function, ASCII letters, digits and underscores, got 'int'"):
        to_c(mixed_tree, name="int")
