"""Perceptrons as classifiers: functions from rows to labels, for two classes or several, which report how they learned.

`perceptrons` has planes as weights for `splitters.oblique`.
"""

from collections.abc import Hashable, Iterator
from functools import partial
from math import copysign, inf, sqrt
from typing import Any

import numpy as np
from attrs import define, field, frozen
from attrs.validators import optional

from ftree._lib.arrays import Array, first_largest
from ftree._lib.fields import (
    ConstructorRepr,
    a_count,
    a_function,
    is_finite,
    is_iterable,
    name_of,
    require_count,
    require_function,
)
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.data.rows import labels_in_kind
from ftree.linear.forms_and_kernels import Expansion, Form, Hyperplane, Kernel, State, dual, primal
from ftree.linear.mistake_sequence import End, PerceptronStep, Pick, last, mistakes, pocket
from ftree.points import Points, Scaling, Transformation, learned_scaling, points_of, powers_are_finite, training_rows, unscaled
from ftree.splitters.runs import Measure
from ftree.splitters.sums import NodePoints, counts_of_each_class
from ftree.tree.schema import is_hashable


@frozen
class Machine:
    """The plane of one class against the others, and how it was found.

    `end` says why learning ended: "separated", "cycle" (the planes repeat), "epochs" (all passes are done), or "picked" (`pick`
    read no further). `margin` is the least distance of a row from the plane, negative if a row is on the wrong side. `bound` is
    Novikoff's upper bound on the number of mistakes; it is infinite if the plane does not separate the rows.

    >>> from ftree import Dataset, linear
    >>> found = linear.perceptron(Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True]))
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


@frozen
class perceptron(ConstructorRepr):
    """A classifier by planes: call it with rows for a list of labels, or with one point for a label; `print` reports learning.

    Two classes share one plane, with the second class on its positive side. With more classes, each class has a plane
    against all others, and the highest score wins (the first of equal scores).

    - `epochs`: the largest number of passes over the rows, in their order.
    - `kernel`: `inner`, `polynomial(2)`, `gaussian(1.0)`, or a function of points (m, F) and (n, F) that returns inner
      products (m, n). With a kernel, learning is dual.
    - `pick`: chooses from the sequence of planes: `last`, `pocket` or `averaged`, or a function of the steps and of a function
      from a state to its errors, which returns a state. It may stop before the sequence ends.
    - `scale`: `standard`, `unit_range` or `weighted_features([...])`, learned from the dataset.

    Rows of weight 0 are ignored; other weights have no effect.

    Raises a ValueError for missing values, features that are not numeric, or fewer than 1 epoch.

    Source: Rosenblatt 1958.

    >>> data = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> both = perceptron(data)
    >>> both([1, 1]), list(both(data))
    ('yes', ['no', 'no', 'no', 'yes'])
    >>> print(both)
    perceptron on 4 rows, 2 classes: separated.
      yes: separated after 9 passes; 18 mistakes (Novikoff's bound: 87), margin 0.277
    """

    dataset: Dataset = field(converter=training_rows)
    epochs: int = field(default=1000, kw_only=True, validator=a_count(1))
    kernel: Kernel | None = field(default=None, kw_only=True, validator=optional(a_function))
    pick: Pick = field(default=last, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)
    machines: tuple[Machine, ...] = field(init=False, eq=False, repr=False)
    _move: Transformation = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Learn all planes."""
        points, move = _scaled(self.dataset, self.scale)
        form = primal if self.kernel is None else partial(dual, kernel=self.kernel)
        classes = self.dataset.schema.classes
        positive = classes[1:] if len(classes) == 2 else classes  # noqa: PLR2004  # two classes share a plane
        sides = ((label, form(points, _signs(self.dataset, label))) for label in positive)
        object.__setattr__(self, "machines", tuple(learned(rows, label, self.epochs, self.pick) for label, rows in sides))
        object.__setattr__(self, "_move", move)

    def __call__(self, rows: Any) -> Any:
        """The label of one point, or the labels of rows in the form of the rows, as `ftree.predict` gives them."""
        schema = self.dataset.schema
        winners = first_largest(self.scores(rows))
        return labels_in_kind(rows, schema.target, schema.classes, winners) if winners.ndim else schema.classes[winners]

    def scores(self, rows: Any) -> Points:
        """Scores of each row for each class, (m, K), or (K,) for one point; the planes' scales differ."""
        points, single = points_of(self.dataset.schema, rows)
        scores = np.stack([machine.plane(self._move(points)) for machine in self.machines], axis=1)
        if len(self.machines) < len(self.dataset.schema.classes):  # two classes share a plane
            scores = np.concatenate([-scores, scores], axis=1)
        return scores[0] if single else scores

    @property
    def separated(self) -> bool:
        """Whether every plane separates the training rows."""
        return not any(machine.wrong for machine in self.machines)

    def __str__(self) -> str:
        """A report of the training, with a line for each plane."""
        n, classes = len(self.dataset), len(self.dataset.schema.classes)
        found = "separated" if self.separated else "not separated"
        lines = [
            f"perceptron on {n} rows, {classes} classes: {found}.",
            *(training_report(machine, n) for machine in self.machines),
        ]
        return "\n  ".join(lines)


def hyperplanes(
    dataset: Dataset, *, positive: Hashable = None, epochs: int = 1000, scale: Scaling = unscaled
) -> Iterator[Hyperplane]:
    """The planes of a perceptron one by one, lazily: first zero, then the plane after each mistake.

    `positive` is the class on the positive side; by default the second of two.

    Raises a ValueError if there are more than two classes and `positive` is not one of them, and as `perceptron` does.

    >>> list(hyperplanes(Dataset.from_rows([[2], [4]], ["a", "b"])))[:3]
    [Hyperplane(weights=(0.0,), bias=0.0), Hyperplane(weights=(-2.0,), bias=-1.0), Hyperplane(weights=(2.0,), bias=0.0)]
    """
    require_count("epochs", epochs, 1)
    require_function("scale", scale)
    rows = training_rows(dataset)
    points, _ = _scaled(rows, scale)
    classes = rows.schema.classes
    label = classes[1] if positive is None and len(classes) == 2 else positive  # noqa: PLR2004  # the second of two
    if not is_hashable(label) or label not in set(classes):
        raise ValueError(f"positive must be the class on the positive side, one of {classes}, got {short_repr(positive)}.")
    form = primal(points, _signs(rows, label))
    return (form.plane(step.state) for step in mistakes(form, epochs=epochs) if step.end is None)


def _scaled(rows: Dataset, scale: Scaling) -> tuple[Points, Transformation]:
    """The points of training rows after scaling, and the learned scaling."""
    points, _ = points_of(rows.schema, rows)
    if points.dtype == object:
        named = next(feature for feature in rows.schema.features if feature.kind != "numeric")
        raise ValueError(
            f"{short_repr(named.name)} must be numeric for a plane"
            f", got a {named.kind} feature. Code each value as a feature of 0 and 1."
        )
    move = learned_scaling(scale, points)
    moved = move(points)
    if not powers_are_finite(moved):
        message = f"Numbers must have finite products, got numbers up to {np.abs(moved).max():.3g}. Divide them beforehand."
        raise ValueError(message)
    return moved, move


def _signs(dataset: Dataset, label: Hashable) -> Points:
    return np.where(dataset.target_column == dataset.schema.classes.index(label), 1.0, -1.0)


def learned(form: Form, label: Hashable, epochs: int, pick: Pick) -> Machine:
    """The plane that `pick` chooses from the mistakes on the rows of a form, and how it was found.

    Raises a ValueError where `pick` returns anything but a state.
    """
    steps = _Watched(mistakes(form, epochs=epochs))
    state = _checked_state(pick(steps, lambda state: _n_wrong(form, state)), pick, len(form.change(0)))
    without_bias, with_bias = form.squared_length(state)
    least = float(form.margins(state).min())
    return Machine(
        label=label,
        plane=form.plane(state),
        mistakes=steps.mistakes,
        epochs=steps.latest.epoch,
        end=steps.latest.end or "picked",
        wrong=_n_wrong(form, state),
        margin=least / sqrt(without_bias) if without_bias else copysign(inf, least) if least else 0.0,
        bound=form.squared_reach() * with_bias / least**2 if least**2 > 0 and least > 0 else inf,
    )


# Stands for the latest step where `pick` has read none.
_UNREAD = PerceptronStep((), None, 1, 0)


@define
class _Watched(Iterator[PerceptronStep]):
    """Steps as `pick` reads them: how many mistakes it has read, and the latest step."""

    steps: Iterator[PerceptronStep]
    mistakes: int = 0
    latest: PerceptronStep = _UNREAD

    def __next__(self) -> PerceptronStep:
        self.latest = next(self.steps)
        self.mistakes += self.latest.row is not None
        return self.latest


def _checked_state(state: Any, pick: Pick, width: int) -> State:
    numbers = tuple(state) if is_iterable(state) else ()
    if len(numbers) != width or not all(map(is_finite, numbers)):
        wanted = f"a step's state, {width} finite numbers"
        raise ValueError(f"The result of pick={name_of(pick)} must be {wanted}, got {short_repr(state)}.")
    return numbers


def _n_wrong(form: Form, state: State) -> int:
    return int((form.margins(state) <= 0).sum())


def training_report(machine: Machine, n: int) -> str:
    """A line on how a plane was found on n rows."""
    passes = f"{machine.epochs} passes" if machine.epochs > 1 else "1 pass"
    told = f"{passes}; {machine.mistakes} mistake{'s' if machine.mistakes != 1 else ''}"
    if not machine.wrong:
        return f"{machine.label}: separated after {told} (Novikoff's bound: {machine.bound:.0f}), margin {machine.margin:.3g}"
    why = {
        "separated": "the picked plane is not the one that separated the rows",
        "cycle": "the planes repeat, so no plane separates these rows: try a kernel, other features, or a tree",
        "epochs": "no plane was found that separates these rows; there may be none",
        "picked": "pick read no further planes, so a later one may separate these rows",
    }
    return f"{machine.label}: {machine.wrong} of {n} rows wrong after {told}; {why[machine.end]}"


@frozen
class perceptrons(ConstructorRepr):
    """Find, for each class against the others, the perceptron's plane with the fewest errors (the pocket algorithm).

    Source: Utgoff 1989 (perceptron trees); Gallant 1990 (pocket).

    >>> perceptrons(epochs=20)
    perceptrons(epochs=20)
    """

    epochs: int = field(default=10, kw_only=True, validator=a_count(1, of="epochs"))

    def __call__(self, points_of_node: NodePoints, _: Measure) -> Iterator[Array]:
        """Weights, for each class that some points have and others do not."""
        for inside in counts_of_each_class(points_of_node.counts):
            lead = 2 * inside - points_of_node.counts.sum(axis=1)  # cases of a class minus those of the others
            form = primal(points_of_node.points, np.where(lead > 0, 1.0, -1.0))
            state = pocket(mistakes(form, epochs=self.epochs), partial(_lost, form, lead))
            yield np.array(state[:-1])


def _lost(form: primal, lead: Array, state: State) -> float:
    """Cases on the wrong side, minus those of the same points that would be wrong on the other side."""
    return float(np.abs(lead[form.margins(state) <= 0]).sum())
