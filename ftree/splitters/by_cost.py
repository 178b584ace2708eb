"""`by_cost`: choosing between the features of a node by gain and by what it costs to measure them."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, is_finite, one_of, require_probability
from ftree._lib.messages import short_repr
from ftree.splitters.selection import Candidates

Measure: TypeAlias = Literal["EG2", "CS-ID3", "IDX"]

_MEASURES: dict[str, Callable[[Array, Array, float], Array]] = {
    "EG2": lambda gain, cost, weight: (2.0**gain - 1.0) / (cost + 1.0) ** weight,
    "CS-ID3": lambda gain, cost, _: gain**2 / cost,
    "IDX": lambda gain, cost, _: gain / cost,
}


def _as_costs(costs: Any) -> tuple[float, ...]:
    listed = tuple(costs)
    if not all(is_finite(cost) and cost > 0 for cost in listed):
        message = f"costs must be finite numbers above 0, one for each feature in the schema's order, got {short_repr(costs)}."
        raise ValueError(message)
    return tuple(map(float, listed))


@frozen(repr=False)
class by_cost(ConstructorRepr):
    """Choose the feature with the best gain for its cost; `costs` are those of all features in the schema's order.

    `measure` is "EG2": (2^gain - 1) / (cost + 1)^weight, with a weight from 0 (costs do not matter) to 1; "CS-ID3":
    gain^2 / cost; or "IDX": gain / cost. The policy's score must be a gain in bits.

    Raises a ValueError for costs that are not above 0, another measure, and a weight outside 0 to 1; growing raises one for
    costs of another number of features.

    Sources: Núñez 1991 (EG2); Tan 1993 (CS-ID3); Norton 1989 (IDX).

    >>> by_cost([1, 20], measure="IDX")
    by_cost((1.0, 20.0), measure='IDX')
    """

    costs: tuple[float, ...] = field(converter=_as_costs)
    measure: Measure = field(default="EG2", kw_only=True, validator=one_of(*_MEASURES))
    weight: float = field(default=1.0, kw_only=True, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Check the weight."""
        require_probability("weight", self.weight)

    def __call__(self, candidates: Candidates) -> Array:
        """The measure of each candidate; -inf where there is no split."""
        if candidates.feature.max(initial=-1) >= len(self.costs):
            message = f"costs must be for all features, got {len(self.costs)}."
            raise ValueError(message)
        cost = np.array(self.costs)[candidates.feature]
        figures = _MEASURES[self.measure](np.maximum(candidates.score, 0.0), cost, self.weight)
        return np.where(candidates.score > -np.inf, figures, -np.inf)
