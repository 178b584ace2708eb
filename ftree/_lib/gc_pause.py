"""Pauses of Python's garbage collector while many nodes are made.

Frozen nodes cannot form reference cycles, so searching them for cycles is useless; it would take half of the time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Switch the garbage collector off during a block, or during a call when used as a decorator; then restore its state.

    >>> with gc_paused():
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


def move_to_oldest_generation() -> None:
    """Move all existing objects to the garbage collector's oldest generation, which it searches least often.

    Otherwise it would soon visit every node of a tree that has just been made. The function does nothing where the program
    has frozen objects itself (`gc.freeze`), so that these stay frozen.

    >>> move_to_oldest_generation()
    >>> gc.get_freeze_count()
    0
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
