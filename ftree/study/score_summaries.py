"""Means of scores with their standard errors, and how both are printed."""

from math import isfinite, isnan, nan, sqrt
from statistics import fmean, stdev

_TEN = 10


def standard_error_of(scores: tuple[float, ...]) -> float:
    """Standard error of the mean, as if the scores were independent; NaN for a single score.

    Scores of overlapping training sets are not independent; `corrected_t_test` corrects for that.

    >>> standard_error_of((0.5, 1.0))
    0.25
    """
    return deviation_of(scores) / sqrt(len(scores))


def deviation_of(scores: tuple[float, ...]) -> float:
    """Standard deviation of scores; NaN for a single score, and if one is not finite.

    >>> deviation_of((0.5, 1.0))
    0.3535533905932738
    """
    return stdev(scores) if len(scores) > 1 and all(map(isfinite, scores)) else nan


def mean_and_error(scores: tuple[float, ...], *, like: float | None = None) -> tuple[str, str]:
    """The mean and its standard error as text, with as many decimals as suit the mean, or the number `like`.

    >>> mean_and_error((0.5, 1.0)), mean_and_error((120.0,))
    (('0.750', '0.250'), ('120.0', '-'))
    """
    mean = fmean(scores)
    return short_number(mean, like=like), short_number(standard_error_of(scores), like=mean if like is None else like)


def short_number(number: float, *, like: float | None = None) -> str:
    """A number with as many decimals as suit it, or the number `like`: three up to 1, two below 10, else one; a dash for NaN.

    >>> short_number(0.12345), short_number(12.345), short_number(0.5, like=12.3), short_number(float("nan"))
    ('0.123', '12.3', '0.5', '-')
    """
    size = abs(number if like is None else like)
    decimals = 3 - (size > 1) - (size >= _TEN)
    return "-" if isnan(number) else f"{number:.{decimals}f}"
