"""Responses whose cases add up: one of your own says what a case adds, what a node answers, and what an answer loses.

`exact_sums` makes a response of these functions. What a case adds is rounded once, as the numbers of `numbers`, so that sums are
whole numbers, the same in any order. `events`, the Poisson rates of rpart, is such a response.
"""

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any, TypeAlias

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, Floats, squares, without_digits
from ftree._lib.fields import as_float, as_tuple
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_number
from ftree.tree.response import numbers, require_finite_target
from ftree.tree.schema import Schema

# The grid of truths, which count as 1.
_TRUTHS = numbers()
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

    - `add(values)` gives what rows with these numbers (n,) add to each other sum, an array (n,) for each.
    - `answer(*sums)` gives the answers of nodes: a number each, (...), a label each, or some numbers each, (..., K); any for a
      node without cases.
    - `loss(answer, *sums)` gives the losses of answers on cases with these sums; no answer loses less than the cases' own.

    A response that reads several columns has `further_targets`, the names of all but the target, and `add` gets an array of each.
    It may have `target`, the name of the target itself; `check(values, *further)`, which raises a ValueError for rows that it
    refuses; `of(values, *further)` and `at_root(*sums)`, the response with what is fixed by the rows of a dataset, and by the
    cases of a tree; `text(answer)`; `names()`, those of the K numbers of an answer; `figure(*sums)`, a number by which nodes are
    sorted and coloured, for answers that are none; `labels`, the labels that answers may be.

    A response of squared errors may say how many numbers it has, `squared`: its channels are then the cases, that many sums of
    numbers from 0, and as many sums of their squares, which are exact, and which `add` leaves out.

    One whose last sums are of truths, as `add` then gives them, may say how many these are, `truths`, which saves time.

    Growth measures splits by the losses. It asks `growing`, another response with equal sums, if there is one; or
    `score(parent, child)`, what a child with these sums adds to the score of a split, given lists of sums; or
    `structure(values, *further)`, a response of other sums and its columns, by which the tree grows before it gets its answers.

    An answer may depend on the row: `row_features` names further columns that stay features, and `row(answers, *cells)` gives the
    answer of each row from that of its leaf and the row's cells of these features. `row_sum` is True if an answer has a constant,
    a weight of each such feature, and a number, and a row gets the constant plus its weighted cells, or the number if it lacks
    one; then trees are exported as programs. `any_division` is True if the best division of nominal values in two need not be one
    in the order of the figure; then `subset` tries all of a few values.

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
    further_targets: tuple[str, ...] = _told(lambda self: tuple(getattr(self.own, "further_targets", ())))
    row_features: tuple[str, ...] = _told(lambda self: tuple(getattr(self.own, "row_features", ())))
    labels: tuple[str, ...] = _told(lambda self: tuple(getattr(self.own, "labels", ())))
    target: str | None = _told(lambda self: getattr(self.own, "target", None))
    squared: int = _told(lambda self: getattr(self.own, "squared", 0))
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
    def _widths(self) -> tuple[int, ...]:
        """How many limbs each sum but the first has, relative to the others: squares have twice as many, truths half."""
        truths = getattr(self.own, "truths", 0)
        return (2 if truths else 1,) * (len(self.grids) - self.squared - truths) + (2,) * self.squared + (1,) * truths

    def check(self, values: Floats, *further: Floats) -> None:
        """Raise a ValueError for rows that the response refuses, and for an unknown number that would make sums unknown."""
        getattr(self.own, "check", lambda *_: None)(values, *further)
        named = zip(self.further_targets, further, strict=True)
        unknown = [pair for pair in named if pair[0] not in self.row_features and not np.isfinite(pair[1]).all()]
        if unknown and not all(np.isfinite(column).all() for column in self.own.add(values, *further)):
            require_finite_target(*unknown[0])

    def of(self, values: Any, *further: Any) -> "exact_sums":
        """The response for rows with these numbers, with grids for them; a sum of no negative numbers counts from 0."""
        columns = self._floats(values, *further)
        self.check(*columns)
        own = self.own.of(*columns) if hasattr(self.own, "of") else self.own
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
        if not hasattr(self.own, "at_root"):
            return here
        whole = map(without_digits, here._on_grids(added))  # noqa: SLF001
        sums = [fsum(cases), *(fsum((cases[cases > 0] * column)[column != 0].tolist()) for column in whole)]
        own = self.own.at_root(*here.in_units(sums))
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
        return _plain(getattr(self.own, "figure", self.own.answer)(*self.in_units(sums)))

    def loss(self, answer: Any, sums: Any) -> Any:
        """The loss of answers on cases with these sums; a negative one is a rounding error."""
        given = np.array(answer) if isinstance(answer, tuple) else answer
        return _plain(np.maximum(self.own.loss(given, *self.in_units(sums)), 0.0))

    losses_of_rows = loss

    def row(self, answers: Any, cells: Sequence[Floats]) -> Any:
        """The answers of rows, given those of their leaves and the cells of `row_features`."""
        return self.own.row(answers, *cells) if self.row_features else answers

    @property
    def has_score(self) -> bool:
        """Whether splits are measured by a score of the response in place of losses."""
        return getattr(self.own, "score", None) is not None

    def score(self, parents: Floats, children: Floats) -> Any:
        """What children with these sums add to the scores of splits of their parents."""
        return self.own.score(self.in_units(parents), self.in_units(children))

    def names(self, k: int) -> tuple[str, ...]:
        """The names of the k numbers of an answer."""
        return tuple(self.own.names()) if hasattr(self.own, "names") else tuple(map(str, range(k)))

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

    def text(self, answer: Any) -> str:
        """The answer as it prints, by default with up to six decimals."""
        return str(getattr(self.own, "text", _text)(answer))

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


# A response of sums, which is any but that of classes.
ResponseOfSums: TypeAlias = numbers | exact_sums


def response_of_sums(schema: Schema) -> ResponseOfSums:
    """The response of a schema without classes.

    >>> response_of_sums(Schema((), "mpg", (), response=numbers(18.0, 0.5)))
    numbers(centre=18.0, unit=0.5, part=1.0)
    """
    return schema.response  # type: ignore[return-value]  # the caller has made sure that it has no classes


def _plain(array: Any) -> Any:
    """A value of Python in place of an array without axes."""
    return array if np.ndim(array) else np.asarray(array).item()


def _text(answer: Any) -> str:
    """A number, a label, or the numbers of one answer, in short."""
    if np.ndim(answer):
        return ", ".join(map(_text, np.asarray(answer).tolist()))
    return answer if isinstance(answer, str) else format_number(answer)
