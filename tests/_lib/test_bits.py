"""Sets of small integers as bits, in machine code and without it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir
from numba import types

from ftree._lib.jit import alloc_free
from ftree._lib.kernels.bits import _lowest, bit_of, lowest, without_lowest


@alloc_free
def visited(members, found):
    """The members of a set, given some numbers, and how many there are."""
    kept, n = np.uint64(0), 0
    for member in members:
        kept |= bit_of(member)
    while kept:
        found[n], kept, n = lowest(kept), without_lowest(kept), n + 1
    return n


@pytest.mark.in_python
@given(st.lists(st.integers(0, 130)))
def test_members_are_visited_from_the_lowest_on_and_once_modulo_64(members):
    found = np.zeros(64, np.int64)
    n = visited(np.array(members, np.int64), found)
    assert found[:n].tolist() == sorted({member % 64 for member in members})


@pytest.mark.in_python
def test_machine_code_counts_zeros_by_one_instruction_that_is_never_asked_of_an_empty_set():
    signature, count = _lowest(None, types.uint64)
    word = ir.IntType(64)
    function = ir.Function(ir.Module(), ir.FunctionType(word, [word]), "f")
    found = count(None, ir.IRBuilder(function.append_basic_block()), None, function.args)
    assert signature == types.uint64(types.uint64)
    assert str(found).strip().endswith('= call i64 @"llvm.cttz.i64"(i64 %".1", i1 1)')
