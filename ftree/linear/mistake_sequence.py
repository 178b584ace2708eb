"""The lazy sequence of the mistakes that a perceptron makes, row by row, pass by pass.

It ends when a whole pass makes no mistake ("separated"), when all scores at the end of a pass equal those after an earlier
pass, so that the states would repeat for ever ("cycle"), or after a number of passes ("epochs"). Whoever reads the sequence may
stop before its end ("picked").
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen

from ftree.linear.forms_and_kernels import Form, State
from ftree.points import Points

# Why the perceptron stopped: a pass without mistakes, a repeated state, the last epoch, or a `pick` that read no further.
End: TypeAlias = Literal["separated", "cycle", "epochs", "picked"]
# Rows that are scored together, in advance; a mistake invalidates the scores of the rows after it.
_AHEAD = 64


@frozen
class PerceptronStep:
    """The state after a mistake at `row`, the number of the pass, and the number of rows visited so far.

    The first step has no row. The last step repeats the state before it, and its `end` says why the sequence ends.

    >>> PerceptronStep((1.0, 0.0), 3, 1, 7).row
    3
    """

    state: State
    row: int | None
    epoch: int
    looked_at: int
    end: End | None = None


# Chooses one of the states of the sequence; the function gives a state's errors on the training set.
Pick: TypeAlias = Callable[[Iterator[PerceptronStep], Callable[[State], float]], State]


def mistakes(form: Form, *, epochs: int) -> Iterator[PerceptronStep]:
    """The steps of at most `epochs` passes over the rows, in their order; a score of 0 is a mistake.

    >>> from ftree.linear import primal
    >>> form = primal(np.array([[2.0], [4.0]]), np.array([-1, 1]))
    >>> [step.state for step in mistakes(form, epochs=9)][:4]
    [(0.0, 0.0), (-2.0, -1.0), (2.0, 0.0), (0.0, -1.0)]
    """
    n, state, remembered = len(form.signs), np.zeros(len(form.change(0))), b""
    yield PerceptronStep(_plain(state), None, 1, 0)
    epoch = 0
    while True:
        epoch += 1
        row = _next_mistake(form, state, 0)
        if row is None:
            yield PerceptronStep(_plain(state), None, epoch, epoch * n, "separated")
            return
        while row is not None:
            state = state + form.change(row)
            yield PerceptronStep(_plain(state), row, epoch, (epoch - 1) * n + row + 1)
            row = _next_mistake(form, state, row + 1)
        now = form.margins(state).tobytes()
        if now == remembered or epoch == epochs:
            yield PerceptronStep(_plain(state), None, epoch, epoch * n, "cycle" if now == remembered else "epochs")
            return
        if epoch & (epoch - 1) == 0:
            remembered = now  # remembering at powers of two finds cycles of any length (Brent 1980)


def last(steps: Iterator[PerceptronStep], _: Callable[[State], float]) -> State:
    """The last state: it separates separable classes, and is arbitrary for others.

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True])
    >>> linear.perceptron(table, pick=last)([2.5])
    True
    """
    (step,) = deque(steps, maxlen=1)  # a deque of length 1 keeps one step at a time
    return step.state


def pocket(steps: Iterator[PerceptronStep], wrong: Callable[[State], float]) -> State:
    """The first of the states with the fewest errors (Gallant 1990, with the ratchet).

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, True, False, True])
    >>> linear.perceptron(table, pick=pocket, epochs=10)([4])
    True
    """
    return min((step.state for step in steps), key=wrong)


def averaged(steps: Iterator[PerceptronStep], _: Callable[[State], float]) -> State:
    """The mean of all states, weighted by the number of rows for which each was in use (Freund & Schapire 1999).

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True])
    >>> linear.perceptron(table, pick=averaged)([4])
    True
    """
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
