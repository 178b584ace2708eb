"""Choosing between features whose values are costly to measure: by gain for cost, as EG2, CS-ID3 and IDX do."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import QUIET, ConstructorRepr, as_tuple, is_finite, one_of
from ftree._lib.messages import short_repr
from ftree.splitters.selection import Candidates


def _eg2(gain: Floats, cost: Floats, weight: float) -> Floats:
    figures: Floats = (np.exp2(gain) - 1) / (cost + 1) ** weight
    return figures


def _cs_id3(gain: Floats, cost: Floats, _: float) -> Floats:
    return gain * np.abs(gain) / cost  # a negative gain stays negative


def _idx(gain: Floats, cost: Floats, _: float) -> Floats:
    return gain / cost


_FORMULAS: dict[str, Callable[[Floats, Floats, float], Floats]] = {"eg2": _eg2, "cs_id3": _cs_id3, "idx": _idx}


@frozen(repr=False)
class by_cost(ConstructorRepr):
    """Choose the candidate with the best gain for its feature's cost; `costs` are one number a feature, in the schema's order.

    - "eg2": (2 ** gain - 1) / (cost + 1) ** weight. Weight 0 ignores costs; costs are at least 0.
    - "cs_id3": gain ** 2 / cost. Costs are above 0.
    - "idx": gain / cost. Costs are above 0.

    The policy's score must be a gain, in bits. A feature costs the same again below a node that has already tested it.

    Raises a ValueError for another formula, for a cost or weight that is not a finite number in its range, and, in growth, for
    a feature without a cost. Splits of several features are compared by score with the split chosen here.

    Sources: Núñez 1991 (EG2); Tan 1993 (CS-ID3); Norton 1989 (IDX).

    >>> from ftree import ID3, evolve, grow
    >>> from ftree.datasets import weather
    >>> frugal = evolve(ID3, choose=by_cost((10, 1, 1, 1)))  # outlook costs ten times as much as the others
    >>> print(grow(weather(), frugal.stopping(lambda frontier: frontier.depth >= 1)))
    humidity = high: no (7.0/3.0)
    humidity = normal: yes (7.0/1.0)
    """

    costs: tuple[float, ...] = field(converter=as_tuple)
    formula: Literal["eg2", "cs_id3", "idx"] = field(default="eg2", kw_only=True, validator=one_of(*_FORMULAS))
    weight: float = field(default=1.0, kw_only=True, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Check the range of costs, which depends on the formula."""
        if not (is_finite(self.weight) and self.weight >= 0):
            message = f"weight must be a finite number from 0, got {short_repr(self.weight)}."
            raise ValueError(message)
        free = self.formula == "eg2"
        for cost in self.costs:
            if not (is_finite(cost) and (cost > 0 or (free and cost == 0))):
                wanted = f"finite numbers {'from' if free else 'above'} 0, one for each feature"
                message = f"costs must be {wanted}, got {short_repr(cost)}."
                raise ValueError(message)
        with np.errstate(over="ignore"):
            gains = _FORMULAS[self.formula](np.ones(1), np.array(self.costs, dtype=np.float64), self.weight)
        if not (np.isfinite(gains) & (gains > 0)).all():
            message = f"costs and weight must leave a gain of one bit above 0 and finite, got {short_repr(self)}."
            raise ValueError(message)

    def __call__(self, candidates: Candidates) -> Array:
        """The gain for cost of each candidate."""
        last = candidates.feature.max(initial=-1)
        if last >= len(self.costs):
            message = (
                f"costs must be one number for each feature of the schema, got {len(self.costs)}, and a split on feature {last}."
            )
            raise ValueError(message)
        cost = np.array(self.costs, dtype=np.float64)[candidates.feature]
        return _FORMULAS[self.formula](candidates.score, cost, self.weight)
