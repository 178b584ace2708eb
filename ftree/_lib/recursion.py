"""Recursion without the call stack: the one loop behind every fold and unfold.

It knows nothing of trees. `children` says what hangs below a node, `combine` makes a node's answer from
its children's answers, and lists stand in for the call stack, so that depth costs memory and nothing else.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from ftree._lib.gc_pause import no_collecting

_S = TypeVar("_S")
_R = TypeVar("_R")
_T = TypeVar("_T")


@no_collecting()
def fold_over(root: _S, children: Callable[[_S], Iterable[_S]], combine: Callable[[_S, tuple[_R, ...]], _R]) -> _R:
    """Answer `combine(node, answers of its children)` for `root`, children first, left to right.

    >>> fold_over(6, lambda n: [d for d in (2, 3) if d < n <= 6 == n], lambda n, below: n + sum(below))
    11
    """
    visited: list[tuple[_S, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        kids = list(children(node))
        visited.append((node, len(kids)))
        stack += kids
    # Each node came before those below it, right to left; so backwards it is children first, left to right.
    answers: list[_R] = []
    for node, n_kids in reversed(visited):
        first = len(answers) - n_kids
        answers[first:] = [combine(node, tuple(answers[first:]))]
    return answers[0]


def unfold_over(seed: _S, step: Callable[[_S], tuple[_T, Iterable[_S]]], assemble: Callable[[_T, tuple[_R, ...]], _R]) -> _R:
    """Build from a seed: `step` answers a part and the seeds of what hangs below it, `assemble` joins both.

    >>> unfold_over((0, 4), lambda s: (s, [(s[0], sum(s) // 2), (sum(s) // 2, s[1])] if s[1] - s[0] > 1 else []),
    ...             lambda span, below: list(below) or span[0])
    [[0, 1], [2, 3]]
    """
    return fold_over(step(seed), lambda grown: map(step, grown[1]), lambda grown, below: assemble(grown[0], below))


def exhaust(steps: Iterable[object]) -> None:
    """Take every step of an iterator for what it does, at the speed of C.

    >>> done = []
    >>> exhaust(map(done.append, "ab"))
    >>> done
    ['a', 'b']
    """
    deque(steps, maxlen=0)
