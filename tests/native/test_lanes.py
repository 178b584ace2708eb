"""The keys of a sorted column, by the example that stands in `native.h`."""

import numpy as np

from ftree import native


def test_keys_have_the_row_whether_the_value_is_new_and_the_class():
    x, label = np.array([5.0, 3.0, 3.0, 8.0]), np.array([1, 0, 1, 0], np.uint8)
    keys, room = np.empty((1, 4), np.int32), [np.empty(4, native.ITEM) for _ in range(2)]
    is_distinct = native.call("sort_lane", x, label, 2, *room, np.empty((4, 256), np.uint32), keys[0])
    assert (is_distinct, keys[0].tolist()) == (0, [0b0110, 0b1001, 0b0011, 0b1110])

    rules = np.array([native.record(native.GROWTH_RULES, shift=2)], native.GROWTH_RULES)
    right, distinct = np.array([0, 1, 0, 0], np.uint8), np.zeros(1, np.uint8)
    native.call("part_lanes", rules, keys, distinct, 0, 4, -1, right, np.empty(4, np.int32))
    assert keys[0].tolist() == [0b1011, 0b0011, 0b1110, 0b0110]
