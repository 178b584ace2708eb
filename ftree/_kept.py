"""Answers kept for as long as what they are about lives: a memory keyed by identity, weakly.

For frozen values, which cannot change, and which take long to hash and compare.
"""

from collections.abc import Callable
from typing import TypeVar
from weakref import ReferenceType, ref

S = TypeVar("S")
R = TypeVar("R")


def kept(make: Callable[[S], R]) -> Callable[[S], R]:
    """The same function, which makes its answer once for each object.

    >>> class Value: pass
    >>> one, describe = Value(), kept(lambda value: [value.__class__.__name__])
    >>> describe(one) is describe(one), describe(one) is describe(Value())
    (True, False)
    """
    answers: dict[int, tuple[ReferenceType[S], R]] = {}

    def forget(key: int) -> None:
        answers.pop(key, None)

    def answer(subject: S) -> R:
        key = id(subject)
        found = answers.get(key)
        if found is not None and found[0]() is subject:
            return found[1]
        made = make(subject)
        answers[key] = ref(subject, lambda _: forget(key)), made
        return made

    return answer
