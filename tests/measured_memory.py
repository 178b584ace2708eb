"""The memory that a call takes, for tests that bound it."""

import tracemalloc


def memory_of(action):
    """The most memory that a call takes, in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
