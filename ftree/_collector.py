"""No pauses to look for garbage while many nodes are made: frozen nodes cannot form cycles, and half the time would go there."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collecting() -> Iterator[None]:
    """Python's search for cycles put off until the end, if it was on; a decorator as well.

    >>> with no_collecting():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
