"""One class against the others: its plane, how it was found, and a report about it."""

from collections.abc import Hashable, Iterator
from math import copysign, inf, sqrt

from attrs import define, field, frozen

from ftree.linear.forms import Form, State
from ftree.linear.mistakes import End, PerceptronStep, Pick, mistakes
from ftree.linear.plane import Expansion, Hyperplane


@frozen
class Machine:
    """The plane of one class against the others, and how it was found.

    `margin` is the least distance of a row from the plane, negative if a row is on the wrong side. `bound` is Novikoff's
    upper bound on the number of mistakes; it is infinite if the plane does not separate the rows.

    >>> from ftree import Dataset
    >>> from ftree.linear import perceptron
    >>> found = perceptron(Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True]))
    >>> [(machine.label, machine.end, machine.wrong) for machine in found.machines]
    [(True, 'separated', 0)]
    """

    label: Hashable
    plane: Hyperplane | Expansion
    mistakes: int
    epochs: int
    end: End
    wrong: int
    margin: float
    bound: float


def learned(form: Form, label: Hashable, epochs: int, pick: Pick) -> Machine:
    """The plane that `pick` chooses from the mistakes on the rows of a form, and how it was found."""
    watched = _Watched()
    state = pick(watched.all(mistakes(form, epochs=epochs)), lambda state: _n_wrong(form, state))
    plain, with_bias = form.squared_length(state)
    least = float(form.margins(state).min())
    return Machine(
        label=label,
        plane=form.plane(state),
        mistakes=watched.mistakes,
        epochs=watched.last.epoch,
        end=watched.last.end or "epochs",
        wrong=_n_wrong(form, state),
        margin=least / sqrt(plain) if plain else copysign(inf, least) if least else 0.0,
        bound=form.squared_reach() * with_bias / least**2 if least**2 > 0 and least > 0 else inf,
    )


def _n_wrong(form: Form, state: State) -> int:
    return int((form.margins(state) <= 0).sum())


@define
class _Watched:
    """Counts the mistakes of a sequence and keeps its last step while another function reads it."""

    mistakes: int = 0
    last: PerceptronStep = field(init=False)

    def all(self, steps: Iterator[PerceptronStep]) -> Iterator[PerceptronStep]:
        for step in steps:
            self.mistakes += step.row is not None
            self.last = step
            yield step


def report(machine: Machine, n: int) -> str:
    """A line on how a plane was found on n rows."""
    passes = f"{machine.epochs} passes" if machine.epochs > 1 else "1 pass"
    told = f"{passes}; {machine.mistakes} mistake{'s' if machine.mistakes != 1 else ''}"
    if not machine.wrong:
        return f"{machine.label}: separated after {told} (Novikoff's bound: {machine.bound:.0f}), margin {machine.margin:.3g}"
    why = {
        "separated": "the picked plane is not the one that separated the rows",
        "cycle": "the planes repeat, so no plane separates these rows: try a kernel, other features, or a tree",
        "epochs": "no plane was found that separates these rows; there may be none",
    }
    return f"{machine.label}: {machine.wrong} of {n} rows wrong after {told}; {why[machine.end]}"
