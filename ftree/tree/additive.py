"""Responses whose cases add up: one of your own says what a case adds, what a node answers, and what an answer loses.

`exact_sums` makes a response of these functions. What a case adds is rounded once, as the numbers of `numbers`, so that sums are
whole numbers, the same in any order. `events`, the Poisson rates of rpart, is such a response.
"""

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any, TypeAlias

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import as_float, as_tuple
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_number
from ftree.tree.response import numbers
from ftree.tree.schema import Schema

# Losses differ by less than this share of the largest sum through rounding.
_NEAR = 1e-6
# Centres, units and rates are at most this large, so that their products with counts are floats, and rates from 1 / this.
LARGEST_UNIT = 1e100


def _additive(own: Any) -> Any:
    """A converter: an additive response is returned unchanged."""
    if isinstance(own, type) or not all(hasattr(own, name) for name in ("kind", "channels", "add", "answer", "loss")):
        wanted = "'numbers', 'events', 'classes', None, or a response such as events('years')"
        raise ValueError(f"response must be {wanted}, got {short_repr(own)}. None decides by the labels.")
    return own


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

    Your own is a value, such as a frozen attrs class, with a `kind`, a plural that fits "a tree of ...", and `channels`, the
    names of its sums, of which the first, "cases", counts the cases. Its functions broadcast:

    - `add(values, exposure)` gives what rows with these numbers (n,) add to each other sum, an array (n,) for each.
    - `answer(*sums)` gives the answers of nodes, which are numbers; any number for a node without cases.
    - `loss(answer, *sums)` gives the losses of answers on cases with these sums; no answer loses less than the cases' own.

    It may have `exposure`, the name of a second column of what rows answer; `check(values, exposure)`, which raises a ValueError
    for rows that it refuses; `at_root(*sums)`, the response with what is fixed at the root; `growing`, the response by which
    splits are measured; `order(*sums)`, by which values of nominal features are sorted in place of the answer; `text(answer)`.

    >>> from ftree.tree import events
    >>> harvests = exact_sums(events("years")).of([2.0, 1.0], [3.5, 0.5])
    >>> harvests.answer((2, 2, 8, 0)), harvests.channels
    (0.5, ('cases', 'events', 'exposure', 'deviance'))
    """

    own: Any = field(converter=_additive)
    grids: tuple[numbers, ...] = field(
        converter=_grids, default=Factory(lambda self: (numbers(),) * (len(self.own.channels) - 1), takes_self=True)
    )
    part: float = field(default=1.0, converter=as_float)
    kind: str = _told(lambda self: self.own.kind)
    channels: tuple[str, ...] = _told(lambda self: self.own.channels)
    exposure: str | None = _told(lambda self: getattr(self.own, "exposure", None))
    widths: tuple[int, ...] = _told(lambda self: (1,) * len(self.grids))
    centre: float = _told(lambda self: self.grids[0].centre)

    def __attrs_post_init__(self) -> None:
        """Check the part as that of numbers, and that each channel has a grid."""
        numbers(part=self.part)
        for grid in self.grids:
            if not (
                abs(grid.centre) <= LARGEST_UNIT and LARGEST_UNIT**-2 <= grid.unit <= LARGEST_UNIT and self.part <= LARGEST_UNIT
            ):
                wanted = f"centres of at most {LARGEST_UNIT:g}, and units from {LARGEST_UNIT**-2:g} to that"
                raise ValueError(f"grids must have {wanted}, got {grid!r}.")
        if len(self.grids) != len(self.channels) - 1:
            raise ValueError(f"grids must be one for each of {self.channels!r} but the cases, got {len(self.grids)}.")

    def check(self, values: Floats, exposure: Floats | None) -> None:
        """Raise a ValueError for rows that the response refuses."""
        getattr(self.own, "check", lambda *_: None)(values, exposure)

    def of(self, values: Any, exposure: Any = None) -> "exact_sums":
        """The response with grids for rows with these numbers and exposures; a sum of no negative numbers counts from 0."""
        return self._fitting(self._added(values, exposure))

    def _fitting(self, added: Sequence[Floats]) -> "exact_sums":
        """The response with grids for what rows add."""
        return exact_sums(self.own, [numbers.of(np.append(column, 0.0)) for column in added], self.part)

    fitting = of

    def at_root(self, values: Floats, exposure: Any, weights: Any) -> "exact_sums":
        """The response of a tree with these rows, with grids for them, and with what is fixed at the root."""
        cases = np.ones(len(values)) if weights is None else weights
        rows = values[cases > 0], None if exposure is None else exposure[cases > 0]
        added = self._added(*rows)
        here = evolve(self, part=1.0)._fitting(added)  # noqa: SLF001  # a method of this class
        if not hasattr(self.own, "at_root"):
            return here
        sums = [fsum(cases), *(fsum((cases[cases > 0] * whole).tolist()) for whole in here._on_grids(added))]  # noqa: SLF001
        return evolve(here, own=self.own.at_root(*here.in_units(sums))).of(*rows)

    def wholes(self, values: Any, exposure: Any = None) -> list[Array]:
        """What rows add to all channels but the first, in multiples of the units from the centres."""
        return self._on_grids(self._added(values, exposure))

    def _on_grids(self, added: Sequence[Floats]) -> list[Array]:
        return [grid.whole(column) for grid, column in zip(self.grids, added, strict=True)]

    def weight(self, sums: Any) -> Any:
        """Cases: the first sum."""
        return np.asarray(sums)[..., 0]

    def answer(self, sums: Any) -> Any:
        """What nodes with these sums (..., C) predict."""
        return _plain(self.own.answer(*self.in_units(sums)))

    def order(self, sums: Floats) -> Any:
        """A figure of nodes, by which the values of nominal features are sorted."""
        return getattr(self.own, "order", self.own.answer)(*self.in_units(sums))

    def loss(self, answer: Any, sums: Any) -> Any:
        """The loss of answers on cases with these sums; a negative one is a rounding error."""
        return _plain(np.maximum(self.own.loss(answer, *self.in_units(sums)), 0.0))

    answers, losses_of_rows = answer, loss

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
        return self.loss(self.answer(sums), sums)

    def risks(self, nodes: Sequence[Any]) -> Floats:
        """The risk of each of many nodes, in one call."""
        return np.broadcast_to(self.risk(np.array(nodes, dtype=np.float64)), len(nodes))

    def deviation(self, sums: Any) -> float:
        """The root of the risk of a case."""
        return sqrt(self.risk(sums) / sums[0]) if sums[0] else 0.0

    def text(self, answer: float) -> str:
        """The answer as it prints, by default with up to six decimals."""
        return str(getattr(self.own, "text", format_number)(answer))

    def _added(self, values: Any, exposure: Any) -> Sequence[Floats]:
        floats, exposed = np.asarray(values, np.float64), None if exposure is None else np.asarray(exposure, np.float64)
        if exposed is not None and exposed.shape != floats.shape:
            raise ValueError(f"exposure must be one number for each of the {len(floats)} rows, got {len(exposed)}.")
        self.check(floats, exposed)
        return self.own.add(floats, exposed)  # type: ignore[no-any-return]  # a user's

    def in_units(self, sums: Any) -> list[Any]:
        """Each sum in its own unit, from 0."""
        cases, *rest = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        pairs = zip([grid.line for grid in self.grids], rest, strict=True)
        return [cases, *((start * cases + step * self.part * total) / divisor for (start, step, divisor), total in pairs)]


# A response of sums, which is any but that of classes.
ResponseOfSums: TypeAlias = numbers | exact_sums


def response_of_sums(schema: Schema) -> ResponseOfSums:
    """The response of a schema without classes.

    >>> response_of_sums(Schema((), "mpg", (), response=numbers(18.0, 0.5)))
    numbers(centre=18.0, unit=0.5, part=1.0)
    """
    return schema.response  # type: ignore[return-value]  # the caller has made sure that it has no classes


def _plain(array: Any) -> Any:
    """A number of Python in place of an array of one number without axes."""
    return array if np.ndim(array) else float(array)
