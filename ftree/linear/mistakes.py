"""The sequence of mistakes that a perceptron makes, row by row, pass by pass: lazy, and made of values.

It ends when a whole pass makes none ("separated"); when all scores at the end of a pass are what they were at the end of
an earlier one, so that everything would repeat for ever ("cycle"); or after so many passes ("epochs").
"""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen

from ftree.data.points import Points
from ftree.linear.forms import Form, State

End: TypeAlias = Literal["separated", "cycle", "epochs"]
# Rows are looked at so many at a time, since a mistake makes the scores of those behind it void.
_AHEAD = 64


@frozen
class Step:
    """The state that a mistake at `row` made, in which pass, and how many rows were looked at until then.

    The first step has no row. The last one has the state of the one before, and says why the sequence ends.
    """

    state: State
    row: int | None
    epoch: int
    looked_at: int
    end: End | None = None


Pick: TypeAlias = Callable[[Iterator[Step], Callable[[State], float]], State]


def mistakes(form: Form, *, epochs: int) -> Iterator[Step]:
    """The steps of at most so many passes over the rows, in their order; a score of 0 is a mistake.

    >>> from ftree.linear import primal
    >>> form = primal(np.array([[2.0], [4.0]]), np.array([-1, 1]))
    >>> [step.state for step in mistakes(form, epochs=9)][:4]
    [(0.0, 0.0), (-2.0, -1.0), (2.0, 0.0), (0.0, -1.0)]
    """
    n, state, remembered = len(form.signs), np.zeros(len(form.change(0))), b""
    yield Step(_plain(state), None, 1, 0)
    epoch = 0
    while True:
        epoch += 1
        row = _next_mistake(form, state, 0)
        if row is None:
            yield Step(_plain(state), None, epoch, epoch * n, "separated")
            return
        while row is not None:
            state = state + form.change(row)
            yield Step(_plain(state), row, epoch, (epoch - 1) * n + row + 1)
            row = _next_mistake(form, state, row + 1)
        now = form.margins(state).tobytes()
        if now == remembered or epoch == epochs:
            yield Step(_plain(state), None, epoch, epoch * n, "cycle" if now == remembered else "epochs")
            return
        if epoch & (epoch - 1) == 0:
            remembered = now  # at each power of two, so that a cycle of any length is found (Brent 1980)


def last(steps: Iterator[Step], _: Callable[[State], float]) -> State:
    """The state at the end: it separates what can be separated, and is a matter of chance elsewhere."""
    *__, step = steps
    return step.state


def pocket(steps: Iterator[Step], wrong: Callable[[State], float]) -> State:
    """The first of the states that get fewest rows wrong (Gallant 1990, with the ratchet)."""
    return min((step.state for step in steps), key=wrong)


def averaged(steps: Iterator[Step], _: Callable[[State], float]) -> State:
    """The mean of all states, each as often as rows were looked at with it (Freund & Schapire 1999)."""
    before = next(steps)
    total = np.zeros(len(before.state))
    for step in steps:
        total += (step.looked_at - before.looked_at) * np.array(before.state)
        before = step
    return _plain(total / before.looked_at)


def _next_mistake(form: Form, state: Points, start: int) -> int | None:
    ahead = _AHEAD
    while start < len(form.signs):
        wrong = form.margins(state, slice(start, start + ahead)) <= 0
        if wrong.any():
            return start + int(wrong.argmax())
        start, ahead = start + ahead, 2 * ahead
    return None


def _plain(state: Points) -> State:
    return tuple(state.tolist())
