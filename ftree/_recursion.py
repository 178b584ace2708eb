"""Recursion without the call stack: the one loop behind every fold and unfold.

It knows nothing of trees. `children` says what hangs below a node, `combine` makes a node's answer from
its children's answers, and a list stands in for the call stack, so that depth costs memory and nothing else.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

S = TypeVar("S")
R = TypeVar("R")


def fold_over(root: S, children: Callable[[S], Iterable[S]], combine: Callable[[S, tuple[R, ...]], R]) -> R:
    """Answer `combine(node, answers of its children)` for `root`, children first, left to right.

    >>> fold_over(6, lambda n: [d for d in (2, 3) if d < n <= 6 == n], lambda n, below: n + sum(below))
    11
    """
    stack: list[tuple[S, list[S], list[R]]] = [(root, list(children(root)), [])]
    while True:
        node, kids, answers = stack[-1]
        if len(answers) < len(kids):
            child = kids[len(answers)]
            stack.append((child, list(children(child)), []))
            continue
        stack.pop()
        answer = combine(node, tuple(answers))
        if not stack:
            return answer
        stack[-1][2].append(answer)
