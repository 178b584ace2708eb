"""A cache by identity keeps a result as long as its object, and no longer."""

import gc
from weakref import ref

from ftree._lib.objects import cached_by_identity


class Value:
    """An object that can be referred to weakly."""


def test_a_result_is_dropped_with_its_object():
    made = cached_by_identity(lambda _: Value())
    one = Value()
    result = ref(made(one))
    assert result() is made(one)
    del one
    gc.collect()
    assert result() is None
