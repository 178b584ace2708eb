"""Memory that kernels take arrays from."""

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from ftree._lib.jit import kernel
from ftree._lib.kernels.room import (
    BYTE,
    FLOAT,
    MARK,
    SMALL,
    WHOLE,
    _taken_in_python,
    _taking,
    _zeros_in_python,
    room_in,
    taken,
    zeros,
)


@kernel
def filled(room, n, like):
    floats, whole = taken(room, (n,), FLOAT), zeros(room, (n, n + 1), WHOLE)
    small, byte, mark = zeros(room, (n,), SMALL), zeros(room, (n,), BYTE), zeros(room, (n,), MARK)
    same = zeros(room, (n,), like)
    for i in range(n):
        floats[i], small[i], byte[i], mark[i], same[i] = i, i, i, i % 2 == 1, i
        for k in range(n + 1):
            whole[i, k] += 10 * i + k
    total = 0.0
    for i in range(n):
        total += floats[i] + whole[i, n] + small[i] + byte[i] + (1 if mark[i] else 0) + same[i]
    return total


@pytest.mark.in_python
def test_arrays_of_every_type_stand_apart_in_the_block():
    block = np.full(2**10, 255, np.uint8)
    room = room_in(block, 64, len(block))
    assert filled(room, 5, np.zeros(1, np.uint64)) == sum(4 * i + 10 * i + 5 + i % 2 for i in range(5))
    assert room.free.tolist() == [64 + 6 * 64 + 3 * 64, 2**10, 64]
    assert (block[:64] == 255).all()
    assert (block[room.free[0] :] == 255).all()


@pytest.mark.in_python
def test_a_room_that_is_too_small_is_an_error_and_nothing_beyond_is_written():
    block = np.full(2**10, 255, np.uint8)
    with pytest.raises(MemoryError, match="must have room"):
        filled(room_in(block, 0, 320), 5, np.zeros(1, np.uint64))
    assert (block[320:] == 255).all()


taken_by_machine_code, zeros_by_machine_code = intrinsic(_taking(zeros=False)), intrinsic(_taking(zeros=True))


@pytest.fixture(scope="module")
def noting():
    """A kernel that takes two arrays and notes where things stand in them; machine code even with NUMBA_DISABLE_JIT=1."""

    @CPUDispatcher
    def note(room, n, out):
        table, row = zeros_by_machine_code(room, (n, n + 1), SMALL), taken_by_machine_code(room, (n,), out)
        for i in range(n):
            for k in range(n + 1):
                table[i, k] += 10 * i + k
            row[i] = i
        out[0], out[1], out[2], out[3] = table.strides[0], table.strides[1], table.shape[0], table.shape[1]
        out[4], out[5] = row.strides[0], row.shape[0]

    return note


@pytest.mark.in_python
def test_machine_code_takes_whole_lines_and_fills_zeros_only_where_asked(noting):
    block, out = np.full(256, 255, np.uint8), np.zeros(6)
    room = room_in(block, 64, 192)
    noting(room, 3, out)
    assert out.tolist() == [16, 4, 3, 4, 8, 3]
    assert room.free.tolist() == [192, 192, 64]
    assert block[64:112].view(np.int32).tolist() == [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]
    assert block[128:152].view(np.float64).tolist() == [0, 1, 2]
    for begin, end in ((0, 64), (112, 128), (152, 256)):
        assert (block[begin:end] == 255).all()


@pytest.mark.in_python
def test_machine_code_takes_nothing_where_there_is_no_room(noting):
    block, room = np.full(256, 255, np.uint8), None
    for end, free in ((63, 0), (127, 64)):
        room = room_in(block, 0, end)
        with pytest.raises(MemoryError, match=r"^The block that kernels take arrays from must have room for all of them\.$"):
            noting(room, 3, np.zeros(6))
        assert room.free.tolist() == [free, end, 0]


@pytest.mark.in_python
def test_an_array_of_whole_lines_leaves_no_line_between(noting):
    block = np.zeros(1024, np.uint8)
    room = room_in(block, 0, 1024)
    noting(room, 8, np.zeros(6))
    assert room.free.tolist() == [320 + 64, 1024, 0]


@pytest.mark.in_python
@pytest.mark.parametrize(("take", "first"), [(_taken_in_python, 255), (_zeros_in_python, 0)], ids=["taken", "zeros"])
def test_arrays_without_machine_code_take_whole_lines(take, first):
    block = np.full(256, 255, np.uint8)
    room = room_in(block, 64, 192)
    table = take(room, (2, 3), BYTE)
    assert (table.dtype, table.shape, room.free.tolist()) == (np.int8, (2, 3), [128, 192, 64])
    assert block[64:70].tolist() == [first] * 6
    row = take(room, (8,), np.zeros(1))
    row[7] = 1.5
    assert (row.dtype, row.shape, room.free.tolist()) == (np.float64, (8,), [192, 192, 64])
    assert block[184:192].view(np.float64) == [1.5]
    assert (block[192:] == 255).all()
    with pytest.raises(MemoryError):
        take(room, (1,), BYTE)
