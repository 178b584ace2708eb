"""Kernels count the same as their plain twins, bit for bit."""

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import ID3, entropy, gini, grow
from ftree.growth.other_ways import leaves_to_grow
from ftree.scan import parts, ranges
from ftree.scan import routes as arrivals
from ftree.scan.counts import Wanted, cell_counts, code_counts, totals_of, value_counts
from ftree.scan.parts import Bins, CellLayout, bins_of_sample
from ftree.scan.ranges import corners, upper_bounds
from ftree.scan.routes import routes_of_tree
from ftree.scan.source import in_parts
from ftree.testing import datasets, schemas

pytestmark = pytest.mark.in_python


@st.composite
def cases(draw):
    """A part of a small table, routes to the leaves of its tree, and a layout of cells."""
    schema = draw(schemas().filter(lambda schema: any(feature.kind == "numeric" for feature in schema.features)))
    dataset = draw(datasets(schema=schema, max_rows=30, missing=True, weighted=True))
    some = [
        bins_of_sample(column, draw(st.integers(2, 9))) if feature.kind == "numeric" else None
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    source = in_parts(dataset, some, 100)
    tree = grow(dataset, ID3)
    routes = routes_of_tree(
        tree.root, leaves_to_grow(tree, 10**9, pure_too=True), source.summary, missing="ignore", unit=2.0**-40
    )
    layout = CellLayout.of(source.summary.n_codes, source.summary.numeric, draw(st.sampled_from([1, 2, 3, 99])))
    return source.parts.parts[0], routes, layout, len(dataset.schema.classes)


def by_both(function, part, monkeypatch):
    """The result of the twin, and of the kernel."""
    plain = function(part)
    with monkeypatch.context() as patch:
        patch.setattr(arrivals, "takes_kernels", lambda _: True)
        return plain, function(part)


@given(cases())
def test_totals_and_cells(case):
    part, routes, layout, n_classes = case
    with pytest.MonkeyPatch.context() as monkeypatch:
        for function in (partial(totals_of, routes, layout.numeric, n_classes), partial(cell_counts, routes, layout, n_classes)):
            plain, compiled = by_both(function, part, monkeypatch)
            assert plain.dtype.kind == compiled.dtype.kind
            assert np.array_equal(plain, compiled)


def numbered(chosen):
    """The number of each place that is chosen, in order, and -1 for the others."""
    return np.where(chosen, np.cumsum(chosen).reshape(chosen.shape) - 1, -1).astype(np.int32)


@given(cases(), st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1.0]))
def test_wanted_codes_and_values(case, seed, share):
    part, routes, layout, n_classes = case
    random = np.random.default_rng(seed)
    cell = numbered(random.random((routes.n_open, layout.width)) < share)
    span = 1 << int(layout.shift.max())
    wanted = Wanted(cell, numbered(random.random((cell.max(initial=-1) + 1, span)) < share))
    with pytest.MonkeyPatch.context() as monkeypatch:
        plain, compiled = by_both(partial(code_counts, routes, layout, wanted, n_classes), part, monkeypatch)
        assert np.array_equal(plain, compiled)
        (plain,), (compiled,) = by_both(partial(value_counts, routes, layout, wanted), part, monkeypatch)
        for name in ("number", "value", "label", "cases"):
            assert np.array_equal(getattr(plain, name), getattr(compiled, name))


@pytest.mark.parametrize("impurity", [entropy, gini])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_bounds_of_many_ranges(impurity, n_classes, monkeypatch):
    monkeypatch.setattr(ranges, "_MANY", 300)
    monkeypatch.setattr(ranges, "is_ready", lambda *_: True)
    left, within, right = np.random.default_rng(n_classes).integers(0, 4, (3, 300, n_classes)).astype(float)
    left[:, 0] += 1
    assert np.allclose(upper_bounds(left, within, right, impurity), corners(left, within, right, impurity), atol=1e-12)


any_floats = st.floats(allow_nan=False) | st.integers(-3, 3).map(float)


LARGEST = float(np.finfo(np.float64).max)


@example([LARGEST, np.inf, -LARGEST], [LARGEST, np.inf])
@given(st.lists(any_floats, max_size=12, unique=True), st.lists(any_floats | st.just(np.nan), max_size=30))
def test_bins_of_numbers(edges, numbers):
    own, given_numbers = Bins(np.array(sorted(edges), dtype=float)), np.array([*numbers, *edges], dtype=float)
    plain = own.codes(given_numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "takes_kernel", lambda _: True)
        assert np.array_equal(own.codes(given_numbers), plain)
