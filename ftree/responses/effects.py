"""Effects of a treatment as a response: a node answers with the difference between its treated and its control cases.

The criteria of causal trees and of uplift trees have one form: a node has a value, and a split is worth the mean value of its
children, less that of their parent. `VALUES` are these values.
"""

from collections.abc import Callable, Sequence
from math import floor, inf, isfinite, log10
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import a_finite_number, as_float, as_tuple, is_finite, must_be, one_of
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_number
from ftree.tree.schema import as_name

# Outcomes within so many times their range from 0 are counted from 0, so that sums print as they are; others from their middle.
_NEAR_0 = 4
_TWO = 2


@frozen
class Arms:
    """Cases, means and variances of the control cases and of the treated ones of nodes (2, ...); means of no cases are 0."""

    cases: Floats
    means: Floats
    variances: Floats

    @property
    def effect(self) -> Floats:
        """The difference of means; 0 where an arm has no case."""
        return np.where((self.cases > 0).all(axis=0), self.means[1] - self.means[0], 0.0)

    @property
    def squared_error(self) -> Floats:
        """The square of the effect's standard error; infinite where an arm has only one case."""
        return np.where((self.cases > 1).all(axis=0), (self.variances / np.maximum(self.cases, 1)).sum(axis=0), inf)

    @property
    def shares(self) -> Floats:
        """The shares of outcomes that are 1 (2, ...), with Laplace's correction, so that none is 0 or 1."""
        return (self.means * self.cases + 1) / (self.cases + _TWO)


def _kl(arms: Arms, _: float) -> Floats:
    """The divergence of Kullback and Leibler of the treated from the control cases, in bits."""
    control, treated = arms.shares
    bits: Floats = treated * np.log2(treated / control) + (1 - treated) * np.log2((1 - treated) / (1 - control))
    return bits


def _chi_squared(arms: Arms, _: float) -> Floats:
    control, treated = arms.shares
    divergence: Floats = (treated - control) ** 2 / (control * (1 - control))
    return divergence


# The value of nodes by the name of a criterion, given their arms and the share of the rows that estimate.
VALUES: MappingProxyType[str, Callable[[Arms, float], Floats]] = MappingProxyType(
    {
        "squared": lambda arms, _: arms.effect**2,
        # Less the variance that the effect has in this sample and in that which estimates.
        "honest": lambda arms, estimation: arms.effect**2 - arms.squared_error / estimation,
        "kl": _kl,
        "chi-squared": _chi_squared,
    }
)
# Criteria of outcomes that are 0 or 1.
_OF_SHARES = frozenset({"kl", "chi-squared"})


def _labels(arms: Any) -> tuple[str, ...]:
    labels: tuple[str, ...] = as_tuple(arms)
    if labels and not len(labels) == len(set(labels)) == _TWO:
        raise ValueError(f"arms must be the labels of the control and of the treated, got {short_repr(labels)}.")
    return labels


class _ArmSums(NamedTuple):
    """The sums (...) of the cases of an arm: their number, and those of their outcomes and of the squares, from the centre."""

    cases: Any
    total: Any
    squares: Any


def _arms_of(sums: Sequence[Any]) -> tuple[_ArmSums, _ArmSums]:
    """The sums of the treated and of the control cases, as `effect.channels` lists them."""
    _, *arms = sums
    return _ArmSums(*arms[:3]), _ArmSums(*arms[3:])


@frozen
class effect:  # named like a function
    """The response of a treatment's effect: a node answers with the difference of its arms' means and the standard error, (2,).

    `arm` names the column that says who is treated: 1, and 0 for the others; or two labels, which `arms` lists, the control's
    first. `outcome` names the column of numbers. Effects are those of a randomized trial; scale outcomes first where treatment
    depends on features, or use `policy` with scores. A node with one case in an arm has an infinite standard error; one with an
    empty arm has effect 0.

    `splits` is the criterion of growth; a child has at least `min_cases` cases of each arm. A weight k counts as k rows.

    - "squared": the squared effects of children, by their cases. It is the adaptive criterion of Athey & Imbens and, of outcomes
      0 and 1, the squared distance of Rzepakowski & Jaroszewicz.
    - "honest": "squared" less the variance of effects, for `estimation`, the share of all rows that will be counted anew.
    - "kl", "chi-squared": how far the outcomes of the treated diverge from the others', which must be from 0 to 1.

    An answer loses the squared errors of the outcomes that it predicts: the root's mean, and the effect times the distance of
    the row's 0 or 1 from the root's share of treated. Splits by a criterion may raise it. `centre` is the number from which the
    outcomes of a table count; `treated` is a root's share of treated, and `mean` its mean outcome less `centre`.

    Raises a ValueError for an unknown criterion, other than two labels, and numbers out of range.

    Sources: Athey & Imbens 2016 (with the share of treated of each node, as their causalTree has it); Rzepakowski & Jaroszewicz
    2012; for the loss, Robinson 1988, Nie & Wager 2021.

    >>> trial = effect("treated", "weeks")
    >>> trial.answer(4.0, 2.0, 4.0, 10.0, 2.0, 2.0, 2.0).tolist()  # cases; of either arm cases, sum and squares of outcomes
    [1.0, 1.0]
    """

    arm: str = field(converter=as_name)
    outcome: str = field(converter=as_name)
    splits: str = field(default="squared", validator=one_of(*VALUES))
    arms: tuple[str, ...] = field(default=(), converter=_labels, kw_only=True)
    min_cases: float = field(default=2.0, converter=as_float, validator=a_finite_number, kw_only=True)
    estimation: float = field(
        default=0.5,
        converter=as_float,
        validator=must_be("a share above 0 and at most 1", lambda share: is_finite(share) and 0 < share <= 1),
        kw_only=True,
    )
    centre: float = field(default=0.0, converter=as_float, kw_only=True, repr=False)
    treated: float = field(default=0.5, converter=as_float, kw_only=True, repr=False)
    mean: float = field(default=0.0, converter=as_float, kw_only=True, repr=False)
    kind = "effects"
    # The control cases are no difference, which rounded parts of cases would keep from 0.
    channels = (
        *("cases", "treated", "sum of treated", "squares of treated"),
        *("control", "sum of control", "squares of control"),
    )

    @property
    def target(self) -> str:
        """The outcome."""
        return self.outcome

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The arm."""
        return (self.arm,)

    @property
    def coded(self) -> dict[str, tuple[str, ...]]:
        """The labels of the arm, if there are some."""
        return {self.arm: self.arms} if self.arms else {}

    def check(self, outcomes: Floats, arms: Floats) -> None:
        """Raise a ValueError for arms other than 0 and 1, and for outcomes that a criterion cannot measure."""
        for row in np.flatnonzero((arms != 0) & (arms != 1))[:1]:
            remedy = 'Name labels by arms=("control", "treated").'
            raise ValueError(f"{short_repr(self.arm)} must be 0 or 1 in every row, got {arms[row]:g} in row {row}. {remedy}")
        for row in np.flatnonzero((outcomes < 0) | (outcomes > 1))[: self.splits in _OF_SHARES]:
            wanted = f"{short_repr(self.outcome)} must be from 0 to 1 for splits={self.splits!r}"
            raise ValueError(f'{wanted}, got {outcomes[row]:g} in row {row}. Use "squared" or "honest".')

    def of(self, outcomes: Floats, _: Floats) -> "effect":
        """The response that counts outcomes from the middle of their range, or from 0 where they lie near it."""
        low, high = float(outcomes.min(initial=inf)), float(outcomes.max(initial=-inf))
        is_far = max(-low, high) > _NEAR_0 * (high - low)
        return evolve(self, centre=low / 2 + high / 2 if is_far and isfinite(high - low) else 0.0)

    def add(self, outcomes: Floats, arms: Floats) -> list[Floats]:
        """A case, its outcome and its square in the sums of its arm, the treated first; 0 in those of the other one."""
        away = outcomes - self.centre
        return [part * amount for part in (arms, 1 - arms) for amount in (np.ones(len(away)), away, away * away)]

    def at_root(self, *sums: Any) -> "effect":
        """The response with the share of treated and the mean outcome, counted from the centre, of all cases."""
        cases, (treated, control) = float(sums[0]), _arms_of(list(map(float, sums)))
        return evolve(self, treated=treated.cases / cases, mean=(treated.total + control.total) / cases) if cases > 0 else self

    def answer(self, *sums: Any) -> Floats:
        """The effect and its standard error, (..., 2), given sums (...) each."""
        arms = self._arms(sums)
        return np.stack([arms.effect, np.sqrt(arms.squared_error)], axis=-1)

    def loss(self, answer: Any, *sums: Any) -> Any:
        """The squared errors of the outcomes that the effect predicts."""
        found, arms = np.asarray(answer)[..., 0], _arms_of(sums)
        control = self.mean - self.treated * found
        predicted = zip(arms, (control + found, control), strict=True)
        return sum(arm.squares + each * (arm.cases * each - 2 * arm.total) for arm, each in predicted)

    def score(self, parent: Any, child: Any) -> Any:
        """What a child adds to a split's worth; -inf for too few cases of an arm."""
        above, here = self._arms(parent), self._arms(child)
        with np.errstate(invalid="ignore"):
            worth = child[0] * (VALUES[self.splits](here, self.estimation) - VALUES[self.splits](above, self.estimation))
        enough = (here.cases.min(axis=0) >= self.min_cases) & np.isfinite(worth)
        return np.where(child[0] > 0, np.where(enough, worth, -inf), 0.0)

    def text(self, answer: Any) -> str:
        """The effect ± its standard error, of which two digits print."""
        found, error = answer
        digits = min(max(1 - floor(log10(error)), 0), 6) if 0 < error < inf else 6
        return f"{format_number(round(found, digits))} ± {format_number(round(error, digits))}"

    def names(self) -> tuple[str, ...]:
        """The names of the two numbers of an answer."""
        return "effect", "standard error"

    def figure(self, *sums: Any) -> Any:
        """The effect."""
        return self._arms(sums).effect

    def _arms(self, sums: Any) -> Arms:
        """The arms of nodes with these sums, their means from 0."""
        treated, control = _arms_of(sums)
        n, totals, squares = (np.stack(np.broadcast_arrays(*pair)) for pair in zip(control, treated, strict=True))
        means, mean_squares = (total / np.where(n > 0, n, 1) for total in (totals, squares))
        variances = np.maximum(mean_squares - means * means, 0.0) * n / np.where(n > 1, n - 1, 1)
        return Arms(n, np.where(n > 0, means + self.centre, 0.0), variances)
