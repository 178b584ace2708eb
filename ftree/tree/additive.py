"""The response made of one of your own (`ftree.tree.response_protocol`): its sums are exact, and its functions get them in units.

What a case adds is rounded once, as the numbers of `numbers`, so that sums are whole numbers, the same in any order.
"""

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import as_float, as_tuple
from ftree._lib.limbs import squares, without_digits
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_number
from ftree.tree.response import numbers, require_finite_target
from ftree.tree.response_protocol import ResponseOptions, as_own_response, options_of

# The grid of truths, which count as 1.
_TRUTHS = numbers()
# Losses differ by less than this share of the largest sum through rounding.
_NEAR = 1e-6
# Centres, units and rates are at most this large, so that their products with counts are floats, and rates from 1 / this.
LARGEST_UNIT = 1e100


def _grids(grids: Any) -> tuple[numbers, ...]:
    """A converter: the grids in a tuple."""
    listed: tuple[Any, ...] = as_tuple(grids)
    if not (listed and all(isinstance(grid, numbers) for grid in listed)):
        raise TypeError(f"grids must be responses of numbers, such as numbers(0, 0.5), got {short_repr(grids)}.")
    return listed


def _told(function: Callable[[Any], Any]) -> Any:
    """A field that other fields tell."""
    return field(init=False, eq=False, repr=False, default=Factory(function, takes_self=True))


@frozen
class exact_sums:  # named like a function
    """The response of one of your own: each of its sums but the first counts from a centre in multiples of a unit, its grid.

    `OwnResponse` says what your own must have, `ResponseOptions` what it may have besides.

    >>> from ftree.responses import events
    >>> harvests = exact_sums(events("years")).of([2.0, 1.0], [3.5, 0.5])
    >>> harvests.answer((2, 2, 8, 0)), harvests.channels
    (0.5, ('cases', 'events', 'exposure', 'deviance'))
    """

    own: Any = field(converter=as_own_response)
    grids: tuple[numbers, ...] = field(
        converter=_grids, default=Factory(lambda self: (numbers(),) * (len(self.own.channels) - 1), takes_self=True)
    )
    part: float = field(default=1.0, converter=as_float)
    options: ResponseOptions = _told(lambda self: options_of(self.own))  # noqa: RUF009  # a field of attrs
    kind: str = _told(lambda self: self.own.kind)
    channels: tuple[str, ...] = _told(lambda self: self.own.channels)
    further_targets: tuple[str, ...] = _told(lambda self: self.options.further_targets)
    row_features: tuple[str, ...] = _told(lambda self: self.options.row_features)
    squared: int = _told(lambda self: self.options.squared)
    widths: tuple[int, ...] = _told(lambda self: self._widths)
    centre: float = _told(lambda self: self.grids[0].centre)

    def __attrs_post_init__(self) -> None:
        """Check the part as that of numbers, and that each channel has a grid."""
        numbers(part=self.part)
        for grid in {id(grid): grid for grid in self.grids}.values():  # truths share one
            if not (
                abs(grid.centre) <= LARGEST_UNIT and LARGEST_UNIT**-2 <= grid.unit <= LARGEST_UNIT and self.part <= LARGEST_UNIT
            ):
                wanted = f"centres of at most {LARGEST_UNIT:g}, and units from {LARGEST_UNIT**-2:g} to that"
                raise ValueError(f"grids must have {wanted}, got {grid!r}.")
        if len(self.grids) != len(self.channels) - 1:
            raise ValueError(f"grids must be one for each of {self.channels!r} but the cases, got {len(self.grids)}.")

    @property
    def growing(self) -> "exact_sums":
        """The response by which splits are measured; most responses measure them themselves."""
        return self if self.options.growing is None else evolve(self, own=self.options.growing)

    @property
    def _widths(self) -> tuple[int, ...]:
        """How many limbs each sum but the first has, relative to the others: squares have twice as many, truths half."""
        truths = self.options.truths
        return (2 if truths else 1,) * (len(self.grids) - self.squared - truths) + (2,) * self.squared + (1,) * truths

    def check(self, values: Floats, *further: Floats) -> None:
        """Raise a ValueError for rows that the response refuses, and for an unknown number that would make sums unknown."""
        if self.options.check is not None:
            self.options.check(values, *further)
        named = zip(self.further_targets, further, strict=True)
        unknown = [pair for pair in named if pair[0] not in self.row_features and not np.isfinite(pair[1]).all()]
        if unknown and not all(np.isfinite(column).all() for column in self.own.add(values, *further)):
            require_finite_target(*unknown[0])

    def of(self, values: Any, *further: Any) -> "exact_sums":
        """The response for rows with these numbers, with grids for them; a sum of no negative numbers counts from 0."""
        columns = self._floats(values, *further)
        self.check(*columns)
        own = self.own if self.options.of is None else self.options.of(*columns)
        return exact_sums(own, part=self.part)._fitting(own.add(*columns))  # noqa: SLF001  # a method of this class

    fitting = of

    def _fitting(self, added: Sequence[Floats]) -> "exact_sums":
        """The response with grids for what rows add."""
        grids = [_TRUTHS if column.dtype == bool else numbers.of(np.append(column, 0.0)) for column in added]
        squares = [numbers(0.0, grid.unit**2) for grid in grids[: self.squared]]
        return exact_sums(self.own, [*grids, *squares], self.part)

    def at_root(self, weights: Any, values: Floats, *further: Floats) -> "exact_sums":
        """The response of a tree with these rows, with grids for them, and with what is fixed at the root."""
        cases = np.ones(len(values)) if weights is None else weights
        rows = [column[cases > 0] for column in (values, *further)]
        added = self._added(*rows)
        here = evolve(self, part=1.0)._fitting(added)  # noqa: SLF001  # a method of this class
        if self.options.at_root is None:
            return here
        whole = map(without_digits, here._on_grids(added))  # noqa: SLF001
        sums = [fsum(cases), *(fsum((cases[cases > 0] * column)[column != 0].tolist()) for column in whole)]
        own = self.options.at_root(*here.in_units(sums))
        return exact_sums(own, part=here.part)._fitting(own.add(*rows))  # noqa: SLF001

    def wholes(self, values: Any, *further: Any) -> list[Array]:
        """What rows add to all channels but the first, in multiples of the units from the centres."""
        return self._on_grids(self._added(values, *further))

    def _on_grids(self, added: Sequence[Floats]) -> list[Array]:
        pairs = zip(self.grids, added, strict=False)
        whole = [column.astype(np.int64) if column.dtype == bool else grid.whole(column) for grid, column in pairs]
        return [*whole, *map(squares, whole[: self.squared])]

    def weight(self, sums: Any) -> Any:
        """Cases: the first sum."""
        return np.asarray(sums)[..., 0]

    def answer(self, sums: Any) -> Any:
        """What a node with these sums (C,) predicts: a number, a label, or a tuple of numbers."""
        found = np.asarray(self.answers(sums)).tolist()
        return tuple(found) if isinstance(found, list) else found

    def answers(self, sums: Any) -> Any:
        """What nodes with these sums (..., C) predict, in an array (...) or (..., K)."""
        return self.own.answer(*self.in_units(sums))

    def order(self, sums: Floats) -> Any:
        """A number of nodes, by which the values of nominal features are sorted and nodes are coloured."""
        return _plain((self.options.figure or self.own.answer)(*self.in_units(sums)))

    def loss(self, answer: Any, sums: Any) -> Any:
        """The loss of answers on cases with these sums; a negative one is a rounding error."""
        given = np.array(answer) if isinstance(answer, tuple) else answer
        return _plain(np.maximum(self.own.loss(given, *self.in_units(sums)), 0.0))

    losses_of_rows = loss

    def row(self, answers: Any, cells: Sequence[Floats]) -> Any:
        """The answers of rows, given those of their leaves and the cells of `row_features`."""
        return answers if self.options.row is None else self.options.row(answers, *cells)

    def names(self, k: int) -> tuple[str, ...]:
        """The names of the k numbers of an answer."""
        return tuple(map(str, range(k)) if self.options.names is None else self.options.names())

    def check_losses(self, children: Floats) -> None:
        """Raise a ValueError for a loss that is negative, or does not add up over the children (V, C) of a node."""
        node = children.sum(axis=0)
        units, answer = self.in_units(np.vstack([node, children])), self.own.answer(*self.in_units(node))
        whole, *parts = np.broadcast_to(self.own.loss(answer, *units), len(units[0])).tolist()
        near = _NEAR * max(abs(whole), *(float(np.abs(sums).max()) for sums in units))
        if not min(whole, *parts) >= -near:
            got = f"{min(whole, *parts):g} for answer {answer}"
            raise ValueError(f"The loss of {self.kind} must be a number from 0, got {got}.")
        if not abs(whole - fsum(parts)) <= near:
            got = f"got {whole:g} for a node, and {fsum(parts):g} for its children"
            raise ValueError(f"The losses of {self.kind} must add up, {got}. Return the sum of the losses of all cases.")

    def risk(self, sums: Any) -> Any:
        """The loss of nodes' answers on their own cases."""
        return self.loss(self.answers(sums), sums)

    def risks(self, nodes: Sequence[Any]) -> Floats:
        """The risk of each of many nodes, in one call."""
        return np.broadcast_to(self.risk(np.array(nodes, dtype=np.float64)), len(nodes))

    def deviation(self, sums: Any) -> float:
        """The root of the risk of a case."""
        return sqrt(self.risk(sums) / sums[0]) if sums[0] else 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Its own, the grids and the part, of which the other fields are made."""
        return exact_sums, (self.own, self.grids, self.part)

    def text(self, answer: Any) -> str:
        """The answer as it prints, by default with up to six decimals."""
        return str((self.options.text or _text)(answer))

    def _added(self, values: Any, *further: Any) -> Sequence[Floats]:
        columns = self._floats(values, *further)
        self.check(*columns)
        return self.own.add(*columns)  # type: ignore[no-any-return]  # a user's

    def _floats(self, values: Any, *further: Any) -> list[Floats]:
        if len(further) != len(self.further_targets):
            wanted = f"the columns {self.further_targets!r} that a response of {self.kind} reads"
            raise ValueError(f"further must be {wanted} beside the target, got {len(further)}.")
        columns = [np.asarray(column, np.float64) for column in (values, *further)]
        for name, column in zip(self.further_targets, columns[1:], strict=True):
            if column.shape != columns[0].shape:
                raise ValueError(f"{name} must be one number for each of the {len(columns[0])} rows, got {len(column)}.")
        return columns

    def in_units(self, sums: Any) -> list[Any]:
        """Each sum in its own unit, from 0."""
        cases, *rest = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        pairs = zip([grid.line for grid in self.grids], rest, strict=True)
        return [cases, *((start * cases + step * self.part * total) / divisor for (start, step, divisor), total in pairs)]


def _plain(array: Any) -> Any:
    """A value of Python in place of an array without axes."""
    return array if np.ndim(array) else np.asarray(array).item()


def _text(answer: Any) -> str:
    """A number, a label, or the numbers of one answer, in short."""
    if np.ndim(answer):
        return ", ".join(map(_text, np.asarray(answer).tolist()))
    return answer if isinstance(answer, str) else format_number(answer)
