"""Cells and wanted codes are numbered so that each code is found again by its number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ftree.scan.cells import CellLayout
from ftree.scan.recounting import Wanted


@st.composite
def layouts(draw):
    """Cells of some features, numeric and others, at most so many for a number."""
    n_codes = np.array(draw(st.lists(st.integers(1, 40), min_size=1, max_size=4)))
    numeric = np.array(draw(st.lists(st.booleans(), min_size=len(n_codes), max_size=len(n_codes))))
    return CellLayout.of(n_codes, np.where(numeric, np.cumsum(numeric) - 1, -1), draw(st.integers(1, 50)))


@given(layouts())
def test_the_cells_of_all_codes_are_all_cells_and_have_these_codes(layout):
    feature = np.repeat(np.arange(len(layout.n_codes)), layout.n_codes + 1)
    code = np.concatenate([np.arange(n + 1) for n in layout.n_codes])
    cells = layout.cells(code, feature)
    assert np.unique(cells).tolist() == list(range(layout.width))
    of, first, last = layout.codes_of(cells)
    known = code < layout.n_codes[feature]
    assert (of == feature).all()
    assert ((first <= code) & (code <= last)).all()
    assert (first[known] + layout.places(code, feature)[known] == code[known]).all()
    assert (layout.places(code, feature) < layout.span).all()
    assert (first[~known] == code[~known]).all(), "the missing value has a cell of its own"


@given(layouts(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_wanted_codes_are_numbered_as_they_are_given(layout, n_nodes, random):
    numeric = np.flatnonzero(layout.numeric >= 0).tolist()
    every = [(node, feature, code) for node in range(n_nodes) for feature in numeric for code in range(layout.n_codes[feature])]
    chosen = random.sample(every, random.randint(0, len(every)))
    wanted = Wanted.of_codes(layout, n_nodes, *np.array(chosen, dtype=np.int64).reshape(-1, 3).T)
    assert wanted.n == len(chosen)
    assert wanted.features(layout) == sorted({feature for _, feature, _ in chosen})
    for node in range(n_nodes):
        for feature in numeric:
            codes = np.arange(layout.n_codes[feature] + 1)
            found = wanted.numbers_of(layout, np.full(len(codes), node), feature, codes).tolist()
            assert found == [chosen.index(each) if (each := (node, feature, code)) in chosen else -1 for code in codes.tolist()]


@given(layouts(), st.randoms(use_true_random=False))
def test_all_codes_of_wanted_cells_are_numbered_cell_after_cell(layout, random):
    numeric = [cell for cell in range(layout.width) if layout.numeric[layout.codes_of(np.array([cell]))[0][0]] >= 0]
    chosen = np.array(sorted(random.sample(numeric, random.randint(0, len(numeric)))), dtype=np.int64)
    feature, first, last = layout.codes_of(chosen)
    chosen, feature, first, last = (each[first < layout.n_codes[feature]] for each in (chosen, feature, first, last))
    wanted = Wanted.of_cells(layout, 1, 0 * chosen, feature, first)
    for number, (own, low, high) in enumerate(zip(feature.tolist(), first.tolist(), last.tolist(), strict=True)):
        codes = np.arange(low, high + 1)
        found = wanted.numbers_of(layout, 0 * codes, own, codes)
        assert found.tolist() == [number * layout.span + place for place in range(len(codes))]
