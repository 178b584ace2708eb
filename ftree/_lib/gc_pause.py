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


def count_as_old() -> None:
    """Count all objects of now as old ones, as if they had outlived a look for garbage.

    That look would visit every node of a tree that has just been made, for nothing. Objects that a program has frozen
    itself stay frozen: then nothing is done.

    >>> count_as_old()
    >>> gc.get_freeze_count()
    0
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
