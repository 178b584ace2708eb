"""Events as a response: counts of events in a time of exposure, and their Poisson rates."""

from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from attrs.converters import optional

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_float, is_finite, must_be
from ftree.tree.additive import LARGEST_UNIT
from ftree.tree.response import BITS, numbers
from ftree.tree.schema import as_name

# What a shrinkage and a rate must be, also those of `survival`.
A_RATE = must_be(
    f"0, or a number from {1 / LARGEST_UNIT:g} to {LARGEST_UNIT:g}",
    lambda value: is_finite(value) and (value == 0 or 1 / LARGEST_UNIT <= value <= LARGEST_UNIT),
)


@frozen
class events:  # named like a function
    """The response of events with exposure: a node answers with its rate, events divided by exposure; its risk is the deviance.

    `exposure` names the column that says how long, or on how much, the events of a row were counted; None is 1 for each row.
    Rates are shrunken towards that of the root: `shrink` is the coefficient of variation that true rates are expected to have,
    1 as in rpart, and 0 for no shrinkage. Splits are measured without it. `rate` is that of the root, which growth finds.

    The sums are the cases, their events and exposure, and half their deviance from `rate`.

    Raises a ValueError for a `shrink` or a `rate` that is not a finite number from 0.

    Source: rpart's `method="poisson"`, Therneau & Atkinson 2023, section 8; McCullagh & Nelder 1989, section 2.3 (deviance).

    >>> events(shrink=0).answer(2.0, 6.0, 12.0, 0.0).tolist(), events(rate=1.0).answer(2.0, 6.0, 12.0, 0.0).tolist()
    (0.5, 0.5384615384615384)
    """

    exposure: str | None = field(default=None, converter=optional(as_name))
    shrink: float = field(default=1.0, converter=as_float, validator=A_RATE)
    rate: float = field(default=0.0, converter=as_float, validator=A_RATE)
    kind, channels = "events", ("cases", "events", "exposure", "deviance")

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The name of the exposure, if there is one."""
        return () if self.exposure is None else (self.exposure,)

    @property
    def growing(self) -> "events":
        """The response without shrinkage."""
        return evolve(self, shrink=0.0)

    @property
    def prior(self) -> float:
        """How many events at the rate of the root shrink the others."""
        return self.shrink**-2 if self.shrink and self.rate else 0.0

    def check(self, values: Floats, exposure: Floats | None = None) -> None:
        """Raise a ValueError for negative events, and for exposures that are not above 0, or too far apart to be added up."""
        exposed = np.ones(len(values)) if exposure is None else exposure
        known = np.isfinite(exposed)
        fits = (values >= 0) & known & (exposed > np.max(exposed, initial=0.0, where=known) / 2.0**BITS)
        for row in np.flatnonzero(~fits)[:1]:
            wanted = "events from 0, and an exposure above 0 that is no trillion times smaller than another"
            raise ValueError(f"A row must have {wanted}, got {values[row]:g} and {exposed[row]:g} in row {row}. Leave it out.")

    def add(self, values: Floats, exposure: Floats | None = None) -> tuple[Floats, Floats, Floats]:
        """Events, exposure, and half the deviance from the rate of the root, or from 1."""
        happened, exposed = map(_rounded, (values, np.ones(len(values)) if exposure is None else exposure))
        expected = (self.rate or 1.0) * exposed
        above = happened / expected - 1
        above = np.where(np.abs(above) < 2.0**-BITS, 0.0, above)  # a rounding error
        logs = np.where(above > -1, (1 + above) * np.log1p(np.where(above > -1, above, 0.0)), 0.0)
        return happened, exposed, expected * np.maximum(logs - above, 0.0)

    def at_root(self, _: Any, happened: Any, exposed: Any, __: Any) -> "events":
        """The response with the rate of all cases."""
        return evolve(self, rate=happened / exposed if exposed > 0 else self.rate)

    def answer(self, _: Any, happened: Any, exposed: Any, __: Any) -> Any:
        """The rate, shrunken towards that of the root."""
        whole = exposed + (self.prior / self.rate if self.prior else 0.0)
        return np.where(whole > 0, (happened + self.prior) / np.where(whole > 0, whole, 1.0), self.rate)

    def figure(self, _: Any, happened: Any, exposed: Any, __: Any) -> Any:
        """The rate without shrinkage."""
        return happened / np.where(exposed > 0, exposed, 1.0)

    def loss(self, answer: Any, _: Any, happened: Any, exposed: Any, deviance: Any) -> Any:
        """The deviance of events from those that a rate expects; infinite for events where it is 0."""
        usual = self.rate or 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(happened > 0, happened * np.log(np.divide(usual, answer)), 0.0)
        return 2 * (deviance + (logs + (answer - usual) * exposed))


def _rounded(values: Floats) -> Floats:
    """The numbers as their sums have them."""
    grid = numbers.of(np.append(values, 0.0))
    rounded: Floats = grid.at(grid.whole(values))
    return rounded
