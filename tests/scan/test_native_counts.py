"""The native library counts the parts of a table as NumPy does, bit for bit."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve, fields
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import ID3, entropy, gini, grow
from ftree.missing import weighted
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.cells import CellLayout, cell_counts, totals_of
from ftree.scan.gain_bounds import corners, upper_bounds
from ftree.scan.recounting import Wanted, code_counts, value_counts
from ftree.scan.routes import routes_of_tree
from ftree.scan.source import in_parts
from ftree.scan.within_memory import leaves_to_grow
from ftree.testing import datasets, schemas


@st.composite
def cases(draw):
    """A small table as a part with codes of any size, routes to the leaves of its tree, and a layout of cells."""
    schema = draw(schemas().filter(lambda schema: any(feature.kind == "numeric" for feature in schema.features)))
    dataset = draw(datasets(schema=schema, max_rows=30, missing=True, weighted=True))
    some = [
        bins_of_sample(column, draw(st.integers(2, 9))) if feature.kind == "numeric" else None
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    source = in_parts(dataset, some, 100)
    tree = grow(dataset, ID3)
    routes = routes_of_tree(tree.root, leaves_to_grow(tree, 10**9, pure_too=True), source.summary, rule=weighted(), unit=2.0**-40)
    layout = CellLayout.of(source.summary.n_codes, source.summary.numeric, draw(st.sampled_from([1, 2, 3, 99])))
    (part,) = source.parts.table.parts
    part = evolve(part, codes=part.codes.astype(draw(st.sampled_from([np.uint16, np.uint32, np.int64]))))
    return part, routes, layout, len(dataset.schema.classes)


def by_both(function, part):
    """The result of NumPy, and of the native library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FTREE_NATIVE", "off")
        plain = function(part)
    return plain, function(part)


def displaced(value):
    """A value with its arrays at odd addresses, where a message from another process may have put them."""
    moved = {}
    for field in fields(type(value)):
        array = getattr(value, field.name)
        if isinstance(array, np.ndarray):
            moved[field.name] = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)
            assert not array.size or array.itemsize == 1 or not moved[field.name].flags.aligned
    return evolve(value, **moved)


@given(cases(), st.booleans())
def test_totals_and_cells(case, is_sent):
    part, routes, layout, n_classes = case
    if is_sent:
        routes, layout = displaced(routes), displaced(layout)
    for function in (partial(totals_of, routes, n_classes), partial(cell_counts, routes, layout, n_classes)):
        plain, ours = by_both(function, part)
        assert plain.dtype.kind == ours.dtype.kind
        assert np.array_equal(plain, ours)


def numbered(chosen):
    """The number of each place that is chosen, in order, and -1 for the others."""
    return np.where(chosen, np.cumsum(chosen).reshape(chosen.shape) - 1, -1).astype(np.int32)


@given(cases(), st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1.0]), st.booleans())
def test_wanted_codes_and_values(case, seed, share, is_sent):
    part, routes, layout, n_classes = case
    random = np.random.default_rng(seed)
    cell = numbered(random.random((routes.n_open, layout.width)) < share)
    span = 1 << int(layout.shift.max())
    wanted = Wanted(cell, numbered(random.random((cell.max(initial=-1) + 1, span)) < share))
    if is_sent:
        routes, layout, wanted = map(displaced, (routes, layout, wanted))
    plain, ours = by_both(partial(code_counts, routes, layout, wanted, n_classes), part)
    assert np.array_equal(plain, ours)
    (plain,), (ours,) = by_both(partial(value_counts, routes, layout, wanted), part)
    for name in ("number", "value", "label", "cases"):
        assert np.array_equal(getattr(plain, name), getattr(ours, name))


@given(st.sampled_from([entropy, gini]), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.7, 1e5 / 3]))
def test_bounds_of_ranges(impurity, n_classes, seed, unit):
    left, within, right = np.random.default_rng(seed).integers(0, 4, (3, 50, n_classes)) * unit
    left[:, 0] += unit
    assert np.allclose(upper_bounds(left, within, right, impurity), corners(left, within, right, impurity), atol=1e-12)


any_floats = st.floats(allow_nan=False) | st.integers(-3, 3).map(float)


LARGEST = float(np.finfo(np.float64).max)


@example([LARGEST, np.inf, -LARGEST], [LARGEST, np.inf])
@example([1.0], [-np.inf])
@given(st.lists(any_floats, max_size=12, unique=True), st.lists(any_floats | st.just(np.nan), max_size=30))
def test_bins_of_numbers(edges, numbers):
    own, given_numbers = Bins(np.array(sorted(edges), dtype=float)), np.array([*numbers, *edges], dtype=float)
    plain, ours = by_both(own.codes, np.resize(given_numbers, 5000) if len(given_numbers) else given_numbers)
    assert np.array_equal(plain, ours)
