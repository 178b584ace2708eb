"""Impurities of other responses than classes: functions of sums of cases, of which the first is their number.

Such an impurity has each child's part of the impurity decrease. The decrease by a split is then a sum over its children,
without the small difference of two large numbers.
"""

from functools import reduce
from itertools import starmap
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import TIE, Array, Floats
from ftree._lib.fields import name_of, require_function
from ftree._lib.limbs import added, exactly, limb_ranges
from ftree.criteria.impurity import Impurity, entropy, is_of_sums, require_of_classes
from ftree.responses.events import events
from ftree.tree.additive import exact_sums
from ftree.tree.response import numbers
from ftree.tree.schema import Schema, by_task


@runtime_checkable
class ImpurityOfSums(Protocol):
    """An impurity of the sums of a response, (..., C) to (...), such as `variance`.

    >>> isinstance(variance, ImpurityOfSums)
    True
    """

    def __call__(self, sums: Any, /) -> Any:
        """The impurity of nodes."""
        ...

    def impurity_decrease(self, children: Any, parents: Any, /) -> Any:
        """Each child's part of the decrease in its parent's impurity, times its cases, given the sums (..., C) of both."""
        ...

    def relative_to(self, root: Any, response: Any, /) -> "ImpurityOfSums":
        """The impurity relative to that of a root with these sums (C,), for sums of a response."""
        ...


@frozen
class Variance:
    """The variance of numbers, the impurity of regression trees; of several numbers, the sum of theirs; sums (..., C) to (...).

    The sums are those of cases, numbers and squares, which may be in limbs (`ftree._lib.limbs`). Their difference is exact,
    and becomes a float at the end. `scale` multiplies all variances. `response` is that of several numbers, and None for one.

    Source: Breiman et al. 1984, section 8.4; rpart's anova; for several numbers, De'ath 2002.

    >>> float(variance([2, 5.0, 13.0]))
    0.25
    >>> variance.impurity_decrease(np.array([2.0, 5.0, 13.0]), np.array([4.0, 14.0, 56.0])).tolist()
    2.0
    """

    scale: float = field(default=1.0)
    response: Any = None

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The variance of nodes; sums (..., C) to (...)."""
        array, factors = np.asarray(sums, dtype=np.float64), self.factors
        places, k = self._places(array.shape[-1]), len(factors)
        triples = zip(places[:k], places[k:], factors, strict=True)
        found: Floats = np.add.reduce([_variances(array, total, squares) * factor for total, squares, factor in triples])[()]
        return found

    def impurity_decrease(self, children: Array, parents: Array) -> Floats:
        """The child's cases times the squared distance of its means from its parent's; both count from numbers near by."""
        pairs = zip(self._places(children.shape[-1]), self.factors, strict=False)
        decrease: Floats = reduce(np.add, [_decrease(children, parents, place) * factor for place, factor in pairs])
        return decrease

    @property
    def factors(self) -> list[float]:
        """What the variance of each number, in its own units, is multiplied by."""
        if self.response is None:
            return [self.scale]
        return [self.scale * grid.unit**2 for grid in self.response.grids[: self.response.squared]]

    def relative_to(self, root: npt.ArrayLike, response: Any) -> "Variance":
        """The variance as a share of the root's."""
        of_one = response is None or response.kind == "numbers"
        own = self if of_one else Variance(response=response)
        whole = float(own(root))
        return evolve(own, scale=own.scale / whole) if whole > 0 else own

    def _places(self, n_channels: int) -> list[slice]:
        """The places of the limbs of the sum of each number, then of those of its squares."""
        return _places_of_number(n_channels) if self.response is None else limb_ranges(n_channels, self.response.widths)

    def __repr__(self) -> str:
        """The name, with the scale if there is one."""
        return "variance" if self.scale == 1 else f"variance * {self.scale}"


def _decrease(children: Array, parents: Array, place: slice) -> Floats:
    """A child's cases times the squared distance of the mean of a number from its parent's."""
    centre = np.floor(_mean(parents, place))
    distance = _mean(children, place, centre) - _mean(parents, place, centre)
    decrease: Floats = children[..., 0] * (distance * distance)
    return decrease


variance = Variance()


@frozen
class MeanRisk:
    """The risk of a node's answer for each of its cases, as a response of sums has it, such as `events`: (..., C) to (...).

    Sums may be written in limbs. A share of the root's that ties with 0 is 0, since it may be a rounding error.
    """

    name: str
    response: Any = None
    scale: float | None = None

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The mean risk of nodes; sums (..., C) to (...)."""
        nodes = without_limbs(np.asarray(sums, dtype=np.float64), self.response)
        shares = self.response.risk(nodes) / np.where(nodes[..., 0] > 0, nodes[..., 0], 1)
        return shares if self.scale is None else np.where(shares * self.scale <= TIE, 0.0, shares * self.scale)

    def impurity_decrease(self, children: Array, parents: Array) -> Floats:
        """The child's loss under the parent's answer, minus its loss under its own; or the score that the response has."""
        own, here, above = self.response, without_limbs(children, self.response), without_limbs(parents, self.response)
        if own.options.score is not None:
            score: Floats = own.options.score(own.in_units(above), own.in_units(here)) * (self.scale or 1.0)
            return score
        decrease = own.loss(own.answers(above), here) - own.risk(here)
        found: Floats = np.maximum(decrease, 0.0) * (self.scale or 1.0)
        return found

    def relative_to(self, root: npt.ArrayLike, response: Any) -> "MeanRisk":
        """The mean risk as a share of the root's, of the response by which splits are measured."""
        own = MeanRisk(self.name, response.growing)
        own.response.check_losses(without_limbs(np.asarray(root, np.float64)[None], own.response))
        whole = float(own(root))
        return evolve(own, scale=1.0 / whole if whole > 0 else 1.0)

    def __repr__(self) -> str:
        """The name."""
        return self.name


# That of any other response of sums but numbers.
mean_risk = MeanRisk("mean_risk")
# That of events: the Poisson deviance of a case, without shrinkage, since no rate of a root is known.
poisson = MeanRisk("poisson", exact_sums(events()))


def risk_of_answers(impurity: Any, response: Any) -> MeanRisk | None:
    """The mean risk of what a response answers, where splits are measured by other answers: rates that do not shrink; else None.

    >>> risk_of_answers(poisson, poisson.response) is None, risk_of_answers(variance, None) is None
    (True, True)
    """
    is_other = isinstance(impurity, MeanRisk) and impurity.response not in (None, response)
    return evolve(impurity, response=response) if is_other else None


def without_limbs(sums: Array, response: Any) -> Floats:
    """Sums of nodes (..., C) with one number for each channel of a response, in multiples of its part.

    >>> from ftree.tree import numbers
    >>> without_limbs(np.array([2.0, 2.0**60, 3.0, 5.0, 0.0, 0.0, 0.0]), numbers()).tolist() == [2.0, 2.0**60, 5.0]
    True
    """
    rest = [added(sums[..., place]) / response.part for place in limb_ranges(sums.shape[-1], response.widths)]
    return np.stack([sums[..., 0], *rest], axis=-1)


def measures(impurity: Any, response: Any) -> bool:
    """Whether an impurity is one of the sums of such a response: its own, or one of a user's.

    >>> measures(variance, exact_sums(events())), measures(poisson, exact_sums(events()))
    (False, True)
    """
    return impurity == default_impurity(response) or (is_of_sums(impurity) and not isinstance(impurity, (Variance, MeanRisk)))


def default_impurity(response: Any) -> Variance | MeanRisk:
    """The impurity by which trees of a response of sums grow by default.

    >>> default_impurity(exact_sums(events()))
    poisson
    """
    if response.squared:
        return variance
    return poisson if response.kind == "events" else mean_risk


def impurity_for(schema: Schema, impurity: Impurity | None) -> Impurity:
    """The impurity by which a tree is described: entropy by default, and without classes that of the response.

    Raises a ValueError for one that is not about the response, a TypeError for anything but a function.

    >>> impurity_for(Schema((), "ride", ("no", "yes")), None).__name__
    'entropy'
    """
    if schema.has_classes:
        if impurity is not None:
            require_function("impurity", impurity)
        return entropy if impurity is None else require_of_classes("impurity", impurity)
    own = default_impurity(schema.response)
    if impurity not in (None, own):
        raise ValueError(f"impurity must be {own}, or left out, for {by_task(schema.response.kind)}, got {name_of(impurity)}.")
    return own


def mean(sums: Array, centre: Any = 0.0) -> Floats:
    """The mean of nodes, counted from a whole `centre`, 0 without cases; sums (..., C) to (...).

    >>> mean(np.array([[2.0, 5.0, 13.0], [0.0, 0.0, 0.0]])).tolist()
    [2.5, 0.0]
    """
    return _mean(sums, _places_of_number(sums.shape[-1])[0], centre)


def _places_of_number(n_channels: int) -> list[slice]:
    """The places of the limbs of the sum of a number and of that of its squares, each of which may be a single float."""
    single = n_channels == len(numbers.channels)
    return limb_ranges(n_channels, (1, 1) if single else numbers.widths)


def _mean(sums: Array, place: slice, centre: Any = 0.0) -> Floats:
    """The mean of the numbers whose sums have these limbs."""
    cases = sums[..., 0]
    means: Floats = added(sums[..., place], cases, centre) / np.where(cases > 0, cases, 1)
    return means


def _variances(sums: Floats, total: slice, squares: slice) -> Floats:
    """The variances of nodes (..., C) in squared units, given the places of the limbs of the sum of numbers, and of squares."""
    rows = sums.reshape(-1, sums.shape[-1])
    triples = ((row[:1], row[total], row[squares]) for row in rows.tolist())
    return np.fromiter(starmap(_variance, triples), np.float64, len(rows)).reshape(sums.shape[:-1])


def _variance(first: list[float], total: list[float], squares: list[float]) -> float:
    n, whole, squared = exactly(first), exactly(total), exactly(squares)
    return float((n * squared - whole * whole) / (n * n)) if n else 0.0
