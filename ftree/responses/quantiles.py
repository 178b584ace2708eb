"""Quantiles as a response: a node counts its numbers on a grid, answers with their quantiles, and loses the pinball loss."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple, is_finite, is_iterable, one_of
from ftree._lib.messages import short_repr
from ftree.tree.response import numbers

# A target of at most so many distinct numbers is counted exactly; others on a grid of quantiles of this size.
_MOST_VALUES, _GRID = 256, 64
# A share of the cases may differ by so much from a count through rounding.
_NEAR = 1e-9


def _shares(q: Any) -> tuple[float, ...]:
    listed: tuple[Any, ...] = as_tuple(q) if is_iterable(q) else (q,)
    if not (listed and all(is_finite(each) and 0 < each < 1 for each in listed) and list(listed) == sorted(set(listed))):
        raise ValueError(f"q must be numbers between 0 and 1, rising, such as [0.1, 0.5, 0.9], got {short_repr(q)}.")
    return tuple(map(float, listed))


def _points(grid: Any) -> tuple[float, ...]:
    listed: tuple[Any, ...] = as_tuple(grid)
    if not (all(map(is_finite, listed)) and list(listed) == sorted(set(listed))):
        raise ValueError(f"grid must be finite numbers, rising, got {short_repr(grid)}.")
    return tuple(map(float, listed))


@frozen
class quantiles:  # named like a function
    """The response of quantiles: a node answers with those of its numbers, (K,), or the only one; its risk is the pinball loss.

    `q` are the shares of cases below: 0.5 is the median, whose loss is the absolute error. Numbers are counted on a `grid`: by
    default the distinct numbers of the table if there are at most 256, so that nothing is rounded; else 64 quantiles of them,
    and each number counts as the nearest of these. A quantile between two numbers of the grid is their mean.

    Trees grow by the pinball loss; if `splits` is "means", by the squared error, which takes a hundredth of the time.

    Raises a ValueError for shares and grids that are not rising, or out of range, and for other `splits`.

    Source: Koenker & Bassett 1978 (the loss); Meinshausen 2006 (quantiles in leaves).

    >>> waits = quantiles([0.25, 0.5], grid=[1, 2, 8])
    >>> waits.answer(4.0, 1.0, 1.0, 2.0).tolist(), float(waits.loss(np.array([1.5, 5.0]), 4.0, 1.0, 1.0, 2.0))
    ([1.5, 5.0], 20.5)
    """

    q: tuple[float, ...] = field(converter=_shares)
    grid: tuple[float, ...] = field(converter=_points, default=(), repr=False)
    splits: Literal["loss", "means"] = field(default="loss", validator=one_of("loss", "means"), kw_only=True)
    kind = "quantiles"

    @property
    def channels(self) -> tuple[str, ...]:
        """The cases, and those at each number of the grid."""
        return ("cases", *map(str, self.grid or (0.0,)))

    def of(self, values: Floats) -> "quantiles":
        """The response with a grid for these numbers, unless it has one."""
        return self if self.grid or not len(values) else evolve(self, grid=_grid_of(values))

    @property
    def structure(self) -> Callable[[Floats], tuple[numbers, Floats]] | None:
        """The response of means by which the tree grows; None where it grows by the loss."""
        return None if self.splits == "loss" else lambda values: (numbers(), values)

    def add(self, values: Floats) -> list[Floats]:
        """A case at the nearest number of the grid, the lower of two."""
        grid = self._grid
        at = np.searchsorted((grid[1:] + grid[:-1]) / 2, values)
        return list((at[None] == np.arange(len(grid))[:, None]).astype(np.float64))

    def answer(self, cases: Any, *counts: Any) -> Floats:
        """The quantiles, on the last axis if there are several; those of the grid without cases."""
        return self._answers(np.asarray(cases), _below(counts))

    def loss(self, answer: Any, cases: Any, *counts: Any) -> Any:
        """Twice the pinball loss of each quantile, added up."""
        return self._lost(np.asarray(answer, np.float64), cases, *self._sums_below(counts))

    def score(self, parent: Sequence[Any], child: Sequence[Any]) -> Any:
        """What the parent's answer loses on a child's cases, and the child's own does not."""
        cases, below = child[0], self._sums_below(child[1:])
        lost = self._lost(self.answer(*parent), cases, *below)
        return np.maximum(lost - self._lost(self._answers(cases, below[0]), cases, *below), 0.0)

    def _answers(self, cases: Any, below: Floats) -> Floats:
        grid, found = self._grid, []
        for share in self.q:
            wanted, near = (cases * share)[..., None], _NEAR * cases[..., None]
            ends = [(below[..., 1:] < wanted + side * near).sum(axis=-1).clip(max=len(grid) - 1) for side in (-1, 1)]
            found.append((grid[ends[0]] + grid[ends[1]]) / 2)
        return np.stack(found, axis=-1) if len(found) > 1 else found[0]

    def _sums_below(self, counts: Sequence[Any]) -> tuple[Floats, Floats]:
        """How many cases are among the first 0, 1, ... numbers of the grid, (..., V + 1), and the sums of these."""
        return _below(counts), _below([count * point for count, point in zip(counts, self._grid.tolist(), strict=True)])

    def _lost(self, answers: Floats, cases: Any, below: Floats, sums: Floats) -> Any:
        terms: Any = 0.0
        for share, each in zip(self.q, np.moveaxis(answers, -1, 0) if len(self.q) > 1 else [answers], strict=True):
            at = np.broadcast_to(np.searchsorted(self._grid, each, side="right"), below.shape[:-1])[..., None]
            n_below, sum_below = (np.take_along_axis(table, at, axis=-1)[..., 0] for table in (below, sums))
            terms = terms + 2 * (share * (sums[..., -1] - cases * each) + each * n_below - sum_below)
        return terms

    @property
    def _grid(self) -> Floats:
        return np.array(self.grid or (0.0,))

    def figure(self, cases: Any, *counts: Any) -> Any:
        """The middle one."""
        answers = self.answer(cases, *counts)
        return answers[..., len(self.q) // 2] if len(self.q) > 1 else answers

    def names(self) -> tuple[str, ...]:
        """The shares, such as q0.5."""
        return tuple(f"q{share:g}" for share in self.q)

    def chart(self, answer: Any) -> Iterator[tuple[float, float, float, float]]:
        """A box from the first quantile to the last one, on the scale of the grid, with a line at each."""
        listed, low, wide = np.atleast_1d(answer), self.grid[0], (self.grid[-1] - self.grid[0]) or 1.0
        places = [min(max((each - low) / wide, 0.0), 1.0) for each in listed.tolist()]
        yield 0.35, places[0], 0.3, places[-1] - places[0]
        yield from ((0.25, 0.98 * place, 0.5, 0.02) for place in places)


def _below(counts: Sequence[Any]) -> Floats:
    """The sums of the first 0, 1, ... of some counts (...), on a last axis that is contiguous on the first."""
    sums = np.zeros((len(counts) + 1, *np.shape(counts[0])))
    for number, count in enumerate(counts):
        np.add(sums[number], count, out=sums[number + 1, ...])
    return np.moveaxis(sums, 0, -1)


def _grid_of(values: Floats) -> list[float]:
    """The distinct numbers, or quantiles of them if they are many."""
    distinct = np.unique(values)
    many = len(distinct) > _MOST_VALUES
    found = np.unique(np.quantile(values, np.linspace(0, 1, _GRID), method="nearest")) if many else distinct
    listed: list[float] = found.tolist()
    return listed
