"""Survival times as a response: Kaplan-Meier curves and relative hazards of times that end with an event or without one."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import as_float, as_tuple, is_finite, must_be, one_of
from ftree._lib.messages import short_repr
from ftree.responses.events import A_RATE, events
from ftree.tree.formats import format_number
from ftree.tree.response import BITS, numbers
from ftree.tree.schema import as_name

# A grid has at most so many times of events, and a hazard function so many ends of pieces.
_ON_GRID, _PIECES = 100, 1000
# A chart has at most so many bars.
_BARS = 60
_SPLITS = ("deviance", "log-rank", "scores")
# The sums of a node that are those of `events`, with the cumulative hazard as exposure.
_RATES = ("cases", "events", "cumulative hazard", "deviance")


def _floats(given: Any) -> tuple[Any, ...]:
    """A converter: numbers as floats; the validator refuses other values."""
    return tuple(map(as_float, as_tuple(given)))


def _times(given: Any) -> tuple[Any, ...]:
    """A converter: times in order."""
    listed = _floats(given)
    return tuple(sorted(set(listed))) if all(map(is_finite, listed)) else listed


def _from_0(times: Any) -> bool:
    return all(is_finite(time) and time >= 0 for time in times)


# Probabilities differ by less than this through rounding.
_NEAR = 1e-12
_FROM_0 = must_be("finite numbers from 0", _from_0)
_RISING = must_be("finite numbers from 0, rising", lambda times: _from_0(times) and list(times) == sorted(set(times)))
_PROBABILITIES = must_be("numbers from 0 to 1", lambda given: all(is_finite(p) and -_NEAR <= p <= 1 + _NEAR for p in given))


@frozen
class SurvivalCurve:
    """A survival curve: the probability of surviving each of some times, which rise; it is 1 before the first.

    Raises a ValueError for times that do not rise from 0 or above, and for anything but a probability for each.

    >>> curve = SurvivalCurve((2.0, 5.0), (0.75, 0.25))
    >>> curve.median, curve.quantile(0.2), curve.at(3.0), curve.at([0, 9])
    (5.0, 2.0, 0.75, array([1.  , 0.25]))
    >>> SurvivalCurve((2.0,), (0.1,)).quantile(0.9)  # although 1 - 0.9 is less than 0.1 in floats
    2.0
    """

    times: tuple[float, ...] = field(converter=_floats, validator=_RISING)
    probabilities: tuple[float, ...] = field(converter=_floats, validator=_PROBABILITIES)

    def __attrs_post_init__(self) -> None:
        """Check that each time has a probability."""
        if len(self.probabilities) != len(self.times):
            raise ValueError(f"probabilities must be one for each of {len(self.times)} times, got {len(self.probabilities)}.")

    @property
    def median(self) -> float:
        """The first of the times that at most half of the cases survive; infinite if more of them do."""
        return self.quantile(0.5)

    def quantile(self, q: float) -> float:
        """The first of the times by which at least the share q of the cases has had the event; infinite if none is, 0 for q = 0.

        Where the curve stays at exactly 1 - q for a while, it is the beginning of that while, not the middle.

        Raises a ValueError for a share that is not between 0 and 1.
        """
        if not (is_finite(q) and 0 <= q <= 1):
            raise ValueError(f"q must be a number from 0 to 1, got {short_repr(q)}.")
        steps = zip((0.0, *self.times), (1.0, *self.probabilities), strict=True)
        return next((time for time, left in steps if left <= 1 - q + _NEAR), inf)

    def at(self, times: Any) -> Any:
        """The probability of surviving a time, or each of some times (n,), unknown (NaN) for an unknown one."""
        steps = np.array((1.0, *self.probabilities))
        found = np.where(np.isnan(times), nan, steps[np.searchsorted(self.times, times, side="right")])
        return found if np.ndim(found) else float(found)


@frozen
class survival:  # named like a function
    """The response of survival times: a node answers with its hazard relative to all rows, and its Kaplan-Meier curve.

    `time` names the column of the times until the event or until the end of observation, `event` that of 1 where the event
    happened and 0 elsewhere. An answer (1 + T,) has the hazard, shrunken as the rates of `events`, and then the probability of
    surviving each of T `times`, by default those of the grid. `curve(answer)` is a `SurvivalCurve` of these times. A node prints
    its median, the first time of the grid that at most half of its cases survive; "by" one of `times` if it may be earlier.

    Curves are of sums on a grid of times: all times of events up to 100 of them, otherwise 100 quantiles, and `times`. Events
    between two times of the grid count at the later one; rows whose observation ends there are at risk if half of these events
    come before. The loss is the deviance of events in the cumulative hazard of all rows without weights, which is linear between
    events, in at most 1,000 pieces. `splits` says what growth measures:

    - "deviance" is that loss, as rpart's `method="exp"`.
    - "log-rank" is the log-rank statistic on the grid. Growth is slow, since it counts the grid for each candidate.
    - "scores" are the log-rank scores of all rows, whose squared errors splits reduce, as in `ctree`.

    Raises a ValueError for another `splits`, and for `times` that are no numbers from 0.

    Sources: Kaplan & Meier 1958; LeBlanc & Crowley 1992; Segal 1988 (log-rank); Hothorn, Hornik & Zeileis 2006 (scores).

    >>> from ftree import CART, Dataset, grow, stop
    >>> rows = {"dose": [0, 0, 0, 1, 1, 1], "weeks": [2, 3, 5, 7, 8, 9], "died": [1, 1, 0, 1, 1, 0]}
    >>> patients = Dataset.from_columns(rows, target="weeks", response=survival("weeks", "died", shrink=0))
    >>> print(tree := grow(patients, CART.stopping(stop.max_depth(1))))
    dose <= 0.5: median 3, HR 1.92 (3.0)
    dose > 0.5: median 8, HR 0.676 (3.0)
    >>> response = tree.schema.response
    >>> curve = response.own.curve(response.answer(tree.root.counts))
    >>> curve.times, curve.median, round(curve.at(3), 3)
    ((2.0, 3.0, 7.0, 8.0), 7.0, 0.667)
    """

    time: str = field(converter=as_name)
    event: str = field(converter=as_name)
    times: tuple[float, ...] = field(default=(), kw_only=True, converter=_times, validator=_FROM_0)
    splits: str = field(default="deviance", kw_only=True, validator=one_of(*_SPLITS))
    shrink: float = field(default=1.0, kw_only=True, converter=as_float, validator=A_RATE)
    grid: tuple[float, ...] = field(default=(), kw_only=True, converter=as_tuple, repr=False)
    middles: tuple[float, ...] = field(default=(), kw_only=True, converter=as_tuple, repr=False)
    ends: tuple[float, ...] = field(default=(0.0, 1.0), kw_only=True, converter=as_tuple, repr=False)
    hazards: tuple[float, ...] = field(default=(0.0, 1.0), kw_only=True, converter=as_tuple, repr=False)
    rate: float = field(default=0.0, kw_only=True, converter=as_float, validator=A_RATE, repr=False)
    kind, figure_name, chart_ends, sums_in_words = "survival times", "HR", ("0", "0.5", "1"), len(_RATES)

    def __attrs_post_init__(self) -> None:
        """Check that the columns differ."""
        if self.time == self.event:
            raise ValueError(f"event must be another column than the time, got {self.event!r} for both.")

    @property
    def target(self) -> str:
        """The column of times."""
        return self.time

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The column of events."""
        return (self.event,)

    @property
    def channels(self) -> tuple[str, ...]:
        """The cases, those of events, and at each time of the grid the events and the cases at risk."""
        return (*_RATES, *(f"events at {time:g}" for time in self.grid), *(f"at risk at {time:g}" for time in self.grid))

    @property
    def truths(self) -> int:
        """How many of the sums are those of the grid."""
        return 2 * len(self.grid)

    @property
    def growing(self) -> "survival":
        """The response without shrinkage."""
        return evolve(self, shrink=0.0)

    def check(self, times: Floats, happened: Floats) -> None:
        """Raise a ValueError for events that are not 0 or 1, for times below 0, and for events at time 0."""
        fits = np.isin(happened, (0, 1)) & (times >= 0) & ((times > 0) | (happened == 0))
        for row in np.flatnonzero(~fits)[:1]:
            got = f"{times[row]:g} and {happened[row]:g} in row {row}"
            wanted = f"{self.time!r} from 0 and {self.event!r} of 0 or 1, and an event must come after time 0"
            code = f"Write frame[{self.event!r}] == 2, for instance, if 2 is the event, and omit rows that lack a value."
            remedy = "Give such events a small time." if (times[row], happened[row]) == (0, 1) else code
            raise ValueError(f"A row must have {wanted}, got {got}. {remedy}")

    def of(self, times: Floats, happened: Floats) -> "survival":
        """The response with the grid and the hazard of these rows, unless it has those of others."""
        if self.grid:
            return self
        ended = np.sort(times[happened == 1])
        (ends, hazards), grid = _cumulative_hazard(times, ended), sorted({*self.times, *_quantiles(ended).tolist()}) or [1.0]
        return evolve(self, grid=grid, middles=_middles(ended, grid), ends=ends, hazards=hazards)

    def at_root(self, *sums: Any) -> "survival":
        """The response with the rate of all cases in their hazard."""
        return evolve(self, rate=self._rates.at_root(*_of_events(sums)).rate)

    def add(self, times: Floats, happened: Floats) -> list[Any]:
        """Event, cumulative hazard, half the deviance; for each time of the grid, whether the event is there, or at risk."""
        ended, at_risk = self._places(times, happened)
        places = np.arange(len(self.grid))[:, None]
        return [*self._rates.add(happened, self._hazard(times)), *(ended == places), *(at_risk > places)]

    def answer(self, *sums: Any) -> Floats:
        """The relative hazard and the probabilities of surviving each of T times, (..., 1 + T), given sums (...) each."""
        hazard, (happened, at_risk) = self.figure(*sums), _halves(sums)
        left = np.cumprod(1 - happened / np.where(at_risk > 0, at_risk, 1.0), axis=0)
        steps = np.concatenate([np.ones_like(left[:1]), left])[np.searchsorted(self.grid, self._reported, side="right")]
        answers: Floats = np.moveaxis(np.concatenate([np.broadcast_to(hazard, left.shape[1:])[None], steps]), 0, -1)
        return answers

    def loss(self, answer: Any, *sums: Any) -> Any:
        """The deviance of events from those that the hazard expects."""
        return self._rates.loss(np.asarray(answer)[..., 0], *_of_events(sums))

    def figure(self, *sums: Any) -> Any:
        """The relative hazard."""
        return self._rates.answer(*_of_events(sums))

    def names(self) -> tuple[str, ...]:
        """The hazard, and the times of the curve."""
        return ("hazard", *(format_number(time) for time in self._reported))

    def text(self, answer: Any) -> str:
        """The median, and HR, the hazard; "by" tells that the grid has earlier times, or later ones, which the answer lacks."""
        median = self.curve(answer).median
        before = max((time for time in self._reported if time < median), default=0.0)
        lacking = any(before < time < median for time in self.grid)
        if median == inf:
            told = f"not reached by {format_number(before)}" if lacking else "not reached"
        else:
            told = f"by {format_number(median)}" if lacking else format_number(median)
        return f"median {told}, HR {answer[0]:.3g}"

    def curve(self, answer: Any) -> SurvivalCurve:
        """The survival curve of an answer (1 + T,)."""
        return SurvivalCurve(self._reported, np.asarray(answer)[1:].tolist())

    def chart(self, answer: Any) -> list[tuple[float, float, float, float]]:
        """The area below the curve, in at most 60 bars; the axis ends at the last of the times."""
        levels = self.curve(answer).at((np.arange(_BARS) + 0.5) * (self._reported[-1] / _BARS))
        starts = np.flatnonzero(np.diff(levels, prepend=inf))
        pairs = pairwise([*starts.tolist(), _BARS])
        return [(start / _BARS, 0.0, (end - start) / _BARS, float(levels[start])) for start, end in pairs]

    @property
    def structure(self) -> Callable[[Floats, Floats], tuple[Any, ...]] | None:
        """The response by which the tree grows first: events in the cumulative hazard, or log-rank scores as numbers."""
        as_events = lambda times, happened: (events("cumulative hazard", self.shrink), happened, self._hazard(times))  # noqa: E731
        return {"deviance": as_events, "scores": _as_scores}.get(self.splits)

    @property
    def score(self) -> Callable[[Any, Any], Any] | None:
        """The score by which growth measures splits, if it is that of log-rank tests."""
        return _log_rank if self.splits == "log-rank" else None

    @property
    def _rates(self) -> events:
        return events("cumulative hazard", self.shrink, self.rate)

    @property
    def _reported(self) -> tuple[float, ...]:
        return self.times or self.grid

    def _hazard(self, times: Floats) -> Floats:
        """The cumulative hazard of each time, at least a trillionth of the last, so that rates are finite."""
        return np.maximum(np.interp(times, self.ends, self.hazards), self.hazards[-1] * 2.0 ** (1 - BITS))

    def _places(self, times: Floats, happened: Floats) -> tuple[Array, Array]:
        """The number of the time of the grid of each row's event, -1 without one, and of how many times it is at risk."""
        place = np.searchsorted(self.grid, times)
        at_risk = np.where(happened == 1, place + 1, np.searchsorted(self.middles, times, side="right"))
        return np.where(happened == 1, place, -1), at_risk


# Helpers: the grid, the hazard, log-rank scores, and the log-rank statistic


def _quantiles(ended: Floats) -> Floats:
    """The distinct times of events, or so many quantiles of them."""
    distinct = np.unique(ended)
    if len(distinct) <= _ON_GRID:
        return distinct
    return np.unique(np.quantile(ended, np.arange(1, _ON_GRID + 1) / _ON_GRID, method="inverted_cdf"))


def _middles(ended: Floats, grid: list[float]) -> list[float]:
    """The time of the middle one of the ordered events between two times of the grid; the later one without events.

    >>> _middles(np.array([1.0, 2.0, 3.0, 4.0, 6.0]), [4.0, 5.0, 6.0])
    [3.0, 5.0, 6.0]
    """
    first, last = np.searchsorted(ended, [-inf, *grid[:-1]], side="right"), np.searchsorted(ended, grid, side="right")
    inside = first < last
    middles = np.array(grid)
    middles[inside] = ended[(first + (last - first) // 2)[inside]]
    found: list[float] = middles.tolist()
    return found


def _cumulative_hazard(times: Floats, ended: Floats) -> tuple[list[float], list[float]]:
    """The ends of pieces of time, and the cumulative hazard there: in each piece, events divided by the time at risk."""
    last = float(times.max(initial=0.0)) or 1.0
    distinct, happened = np.unique(ended, return_counts=True)
    if not len(distinct):
        return [0.0, last], [0.0, 1.0]
    ends, ordered = np.concatenate([[0.0], distinct[:-1], [last]]), np.sort(times)
    gone = np.searchsorted(ordered, ends, side="right")
    until = np.append(0.0, ordered.cumsum())[gone] + ends * (len(times) - gone)  # the time at risk of all rows
    hazards = np.append(0.0, (happened / np.diff(until) * np.diff(ends)).cumsum())
    kept = np.unique(np.linspace(0, len(ends) - 1, min(len(ends), _PIECES + 1)).round().astype(np.intp))
    return ends[kept].tolist(), hazards[kept].tolist()


def _as_scores(times: Floats, happened: Floats) -> tuple[Any, ...]:
    """Log-rank scores as numbers: the events at risk of all rows (Nelson & Aalen), less the row's own event."""
    place = np.unique(times, return_inverse=True)[1]
    rows, ended = np.bincount(place), np.bincount(place, happened)
    expected = (ended / rows[::-1].cumsum()[::-1]).cumsum()[place]
    return numbers(), expected - happened


def _log_rank(parent: Any, child: Any) -> Any:
    """The log-rank statistic of a child and the other cases, times the share of the latter, so that it adds up over two children.

    >>> parent, child = [4.0, 3.0, 4.0, 0.0, 1.0, 2.0, 4.0, 3.0], [2.0, 2.0, 1.0, 0.0, 1.0, 1.0, 2.0, 1.0]
    >>> float(_log_rank(parent, child))
    0.735294117647059
    """
    (all_happened, all_at_risk), (happened, at_risk) = map(_halves, (parent, child))
    share = at_risk / np.where(all_at_risk > 0, all_at_risk, 1.0)
    more = (happened - share * all_happened).sum(axis=0)
    left = np.where(all_at_risk > 1, (all_at_risk - all_happened) / np.where(all_at_risk > 1, all_at_risk - 1, 1.0), 0.0)
    variance = (share * (1 - share) * all_happened * left).sum(axis=0)
    rest = 1 - child[0] / np.where(parent[0] > 0, parent[0], 1.0)
    return np.where(variance > _NEAR, rest * more * more / np.where(variance > _NEAR, variance, 1.0), 0.0)


# All sums of nodes, (...) each, come in the order of `survival.channels`.


def _of_events(sums: Sequence[Any]) -> Sequence[Any]:
    """The sums that are those of `events`."""
    return sums[: len(_RATES)]


def _halves(sums: Sequence[Any]) -> tuple[Floats, Floats]:
    """The events and the cases at risk at each time of the grid, (T, ...)."""
    on_grid = np.stack(np.broadcast_arrays(*sums[len(_RATES) :]))
    return on_grid[: len(on_grid) // 2], on_grid[len(on_grid) // 2 :]
