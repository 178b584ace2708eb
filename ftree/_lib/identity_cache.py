"""Answers kept for as long as what they are about lives: a memory keyed by identity, weakly.

For frozen values, which cannot change, and which take long to hash and compare.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ReferenceType, ref

_S = TypeVar("_S")
_R = TypeVar("_R")


def kept(make: Callable[[_S], _R]) -> Callable[[_S], _R]:
    """The same function, which makes its answer once for each object.

    >>> class Value: pass
    >>> one, describe = Value(), kept(lambda value: [value.__class__.__name__])
    >>> describe(one) is describe(one), describe(one) is describe(Value())
    (True, False)
    """
    answers: dict[int, tuple[ReferenceType[_S], _R]] = {}

    def forget(key: int) -> None:
        answers.pop(key, None)

    @wraps(make)
    def answer(subject: _S) -> _R:
        key = id(subject)
        found = answers.get(key)
        if found is not None and found[0]() is subject:
            return found[1]
        made = make(subject)
        answers[key] = ref(subject, lambda _: forget(key)), made
        return made

    return answer
