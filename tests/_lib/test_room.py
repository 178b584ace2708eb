"""Memory that kernels take arrays from."""

import numpy as np
import pytest

from ftree._lib.jit import kernel
from ftree._lib.kernels.room import BYTE, FLOAT, MARK, SMALL, WHOLE, room_in, taken, zeros


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
