"""Mutated inputs for readers: each gives a right value or a clear error, in bounded time and memory.

A `Reader` is a name, valid samples, a mutation of a sample (see `mutations`), the function that reads, and a check of its result.
"""

import re
import signal
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from attrs import frozen

# No reader takes a thousandth of this time; a busy machine may take longer.
SECONDS = 20
# The longest message: a few names and values, no table.
LONGEST = 1500


@frozen
class Reader:
    """`mutate(rng, sample, samples)` makes an input, `read(input, folder)` a value, `check(input, value)` fails for a wrong one.

    The folder is for a reader of files, which writes its input there first.
    """

    name: str
    samples: Sequence[Any]
    mutate: Callable[[Random, Any, Sequence[Any]], Any]
    read: Callable[[Any, Path], Any]
    check: Callable[[Any, Any], None]


def outcomes(reader, n, folder, *, seed):
    """The number of n mutated samples that are read, and the number refused by each type of error."""
    return Counter(outcome(reader, mutated(reader, number, seed=seed), folder) for number in range(n))


def mutated(reader, number, *, seed):
    """The input with a number; the same for the same seed."""
    rng = Random(f"{reader.name}, {seed}, {number}")  # noqa: S311  # not used for security
    return reader.mutate(rng, rng.choice(reader.samples), reader.samples)


def outcome(reader, given, folder):
    """The outcome of an input. Fails for a wrong value, for an error that is not the library's, and for an unclear one."""
    shown = short(given)
    try:
        with time_limit(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # warnings of kinds in doubt
            value = reader.read(given, folder)
        reader.check(given, value)
    except (ValueError, TypeError, KeyError) as error:
        text = str(error)
        if type(error) in (ValueError, TypeError, KeyError) and re.search(r"\bmust\b.*\bgot\b", text) and len(text) < LONGEST:
            return type(error).__name__
        error.add_note(f"{reader.name} was given {shown}")
        raise
    except BaseException as error:
        error.add_note(f"{reader.name} was given {shown}")
        raise
    return "read"


def memory_of(action):
    """The most memory that a call takes, in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def short(given):
    """An input on one line; an input too deep for a repr has none."""
    try:
        return repr(given)[:2000]
    except Exception as error:  # noqa: BLE001  # the repr of a cell may raise an error
        return f"{type(given).__name__} without a repr: {type(error).__name__}"


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """A TimeoutError when the block takes longer."""

    def stop(*_: Any) -> None:
        message = f"took more than {seconds} s"
        raise TimeoutError(message)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
