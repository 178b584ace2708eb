"""The addresses of the kernels that the growth of a table needs: a kernel is compiled when its address is first needed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.kernels.by_address import address_of, addresses
from ftree._lib.kernels.room import room_in
from ftree.growth.engines.numba_kernels import (
    BEST_BY_VALUES,
    Needs,
    choices_of,
    describers,
    needed_steps,
    needs_of,
    scorers,
    ways_by_values,
)
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels import best_splits, steps
from ftree.growth.kernels.buffers import CodedBuffers, CutBuffers, RunBuffers, SearchBuffers
from ftree.growth.kernels.grow_subtrees import FOUND, MOVES, OPEN, SCORES, SPLITS, Given, Limits, Space
from ftree.growth.kernels.node_arrays import GrownNodes
from ftree.growth.kernels.records import Search
from ftree.growth.kernels.steps import Steps
from ftree.growth.kernels.surrogates import Backing, FoundSurrogates

# The addresses of each step's kernels, by these kernels and the type of keys, since all other arguments have the same types in
# every growth. Small tables grow in less time than it takes to make these arrays.
_TABLES: dict[tuple[Any, ...], Array] = {}
_ADDRESSES: dict[tuple[Any, str], tuple[int, int]] = {}
# All tables of a growth, by what they depend on.
_STEPS: dict[tuple[Any, ...], Steps] = {}
# Steps that are not rows of their own table.
_SEARCH, _FIND_BEST, _SCORE_RUN = range(steps.N_STEPS, steps.N_STEPS + 3)


def growth_steps(state: State) -> Steps:
    """The addresses of all kernels that growth below the open nodes may call."""
    needs = needs_of(state)
    key = state.entries.keys.dtype.char, needs, *choices_of(state)
    if key not in _STEPS:
        _STEPS[key] = _growth_steps(state, needs)
    return _STEPS[key]


def _growth_steps(state: State, needs: Needs) -> Steps:
    table = _table(state, steps.N_STEPS, [(step, kernel, step) for step, kernel in needed_steps(state, needs).items()])
    scoring, describing = search_addresses(state, scorers(state, needs)), search_addresses(state, describers(state, needs))
    return Steps(table, scoring, describing, value_addresses(state, needs))


def search_addresses(state: State, kernels: Sequence[Any]) -> Array:
    """The addresses of kernels that score, or of kernels that describe splits."""
    return _table(state, len(kernels), [(row, kernel, _SEARCH) for row, kernel in enumerate(kernels)])


def value_addresses(state: State, needs: Needs) -> Array:
    """The addresses of the kernels that score by values present, for the kinds of splits that are scored in this way."""
    rows = [(way, BEST_BY_VALUES[way], _FIND_BEST) for way in sorted(ways_by_values(state, needs))]
    return _table(state, steps.SCORE_RUN + 1, [*rows, (steps.SCORE_RUN, best_splits.score_run, _SCORE_RUN)] if rows else [])


def _table(state: State, n: int, rows: Sequence[tuple[int, Any, int]]) -> Array:
    """N addresses, given the row of each, its kernel and the step that it does; zeros in other rows."""
    key = state.entries.keys.dtype.char, n, *rows
    if key not in _TABLES:
        found = [(0, 0)] * n
        for row, kernel, step in rows:
            found[row] = _address(state, kernel, step)
        _TABLES[key] = addresses(found)
    return _TABLES[key]


def _address(state: State, kernel: Any, step: int) -> tuple[int, int]:
    key = kernel, state.entries.keys.dtype.char
    if key not in _ADDRESSES:
        _ADDRESSES[key] = address_of(kernel, _examples(state)[step])
    return _ADDRESSES[key]


def _examples(state: State) -> dict[int, tuple[Any, ...]]:
    """Arguments of the types that each step takes."""
    fixed, entries, nodes = state.fixed, state.entries, state.nodes
    features, measure, sharing = fixed.features, fixed.measure, fixed.sharing
    short, small, whole, floats = (np.zeros(1, each) for each in (np.int8, np.int32, np.int64, np.float64))
    marks, numbers, table = np.zeros(1, np.bool_), np.zeros((1, 3), np.int64), np.zeros((1, 1))
    search = Search(features, measure, entries, nodes, marks, OPEN.above, numbers)
    words, classes = np.zeros((1, 1), np.uint64), np.zeros(1, entries.classes.dtype)
    found = FoundSurrogates(whole, short, numbers, marks[None], table, words, words, table, table)
    grown = GrownNodes(table, numbers, whole)
    limits = Limits(False, 0.0, 0.0, 0.0, 0.0, 0.0, 0)  # noqa: FBT003  # a record of numbers
    space = Space(_ROOM, _ROOM, _ROOM, grown, floats, _BUFFERS)
    backing, called = Backing(fixed.surrogate_tables, found), Steps(numbers, numbers, numbers, numbers)
    given = Given(features, measure, sharing, limits, called, backing, space)
    return {
        steps.GATHER: (whole, nodes, entries, features, _ROOM),
        steps.SEARCH: (given, entries, OPEN, _ROOM),
        steps.NOTE: (given, 0, 0, 0, entries, OPEN, FOUND, SPLITS),
        steps.SETTLE: (short, whole, table, SPLITS, limits, 0, table, marks),
        steps.FIND_WAYS: (given, FOUND, nodes, SPLITS, entries, table, _ROOM),
        steps.MOVE: (given, MOVES, nodes, entries, 0, table, _ROOM),
        _SEARCH: (0, 0, 0, 0, search, _BUFFERS, SCORES, SPLITS),
        _FIND_BEST: (_BUFFERS.run, 0, 0.0, 0.0, floats, measure.impurity, measure.score, floats),
        _SCORE_RUN: (0, 0, 0, features, measure, table, floats, _BUFFERS.run, SCORES, numbers),
        steps.FIND_COUNTED: (floats, nodes, floats, marks),
        steps.CHOOSE: (SCORES, table, features, measure, whole, marks, marks[None]),
        steps.ROUTE: (0, 0, short, whole, whole, whole, whole, features, entries, nodes, small, _ROOM),
        steps.COUNT_SIZES: (0, 0, short, whole, whole, whole, small, whole),
        steps.SHARE_OUT: (nodes, short, whole, small, small, floats, floats, sharing, numbers, floats, whole),
        steps.RENUMBER: (0, 0, nodes, MOVES, entries, classes, small, _ROOM),
        steps.NUMBER_COPIES: (nodes, MOVES, entries, classes, small, _ROOM),
        steps.COUNT_COPIES: (nodes, MOVES, entries, table),
        steps.MOVE_SHARES: (nodes, MOVES, entries, floats, floats),
        steps.MOVE_SORTED: (0, 0, features, entries, np.zeros((1, 1), entries.keys.dtype), 0, nodes, MOVES, _ROOM),
        steps.MOVE_CODED: (0, 0, words, words, short, whole, whole, small),
        steps.FIND_SURROGATES: (
            short, whole, whole, nodes, features, entries, small, table, fixed.surrogate_tables, found,
        ),
    }  # fmt: skip


def _example_buffers() -> SearchBuffers:
    whole, floats, table = np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 1))
    cuts = CutBuffers(whole, whole, floats, floats, floats, table, floats, whole, whole)
    run = RunBuffers(whole, table, floats, whole, floats, floats, floats, floats)
    return SearchBuffers(cuts, run, CodedBuffers(whole, whole, whole, whole, floats))


_BUFFERS, _ROOM = _example_buffers(), room_in(np.empty(0, np.uint8), 0, 0)
