"""Upper confidence limits of the errors of a leaf, after C4.5."""

from math import log, sqrt

from ftree.tree.response import Counts

# C4.5's table of confidence and normal deviate; it interpolates linearly between rows.
TABLE = ((0.0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25), (1.0, 0.0))


def deviate(confidence: float, z: str) -> float:
    """The normal deviate that is exceeded with a probability of `confidence`.

    >>> round(deviate(0.25, "normal"), 6), round(deviate(0.25, "table"), 6)
    (0.67449, 0.6925)
    """
    if z == "normal":
        from statistics import NormalDist  # noqa: PLC0415  # slow to import, so it is imported on first use

        below = 1 - confidence
        return NormalDist().inv_cdf(below) if below < 1 else -NormalDist().inv_cdf(confidence)
    at = next(number for number, (known, _) in enumerate(TABLE) if known >= confidence)
    (low, upper), (high, lower) = TABLE[at - 1], TABLE[at]
    return upper + (lower - upper) * (confidence - low) / (high - low)


def expected_errors(counts: Counts, confidence: float, z: float) -> float:
    """The upper confidence limit of a leaf's errors.

    >>> round(expected_errors((15, 1), 0.25, deviate(0.25, "normal")), 6)
    2.475715
    """
    n = sum(counts)
    return n - max(counts) + added_errors(n, n - max(counts), confidence, z)


def added_errors(n: float, e: float, confidence: float, z: float) -> float:
    """The upper confidence limit of e errors in n cases, minus e: a binomial limit by the normal approximation."""
    if not n:
        return 0.0
    if e < 1:
        none = n * one_minus_exp(-log(confidence) / n)
        return none + e * (added_errors(n, 1, confidence, z) - none) if e else none
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    upper = f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * upper / (1 + z * z / n) - e


def one_minus_exp(t: float) -> float:
    """1 - exp(-t) for t >= 0, by arithmetic only, so that the native library and all machines compute the same bits.

    >>> round(one_minus_exp(0.5), 6)
    0.393469
    """
    if t > 64:  # noqa: PLR2004  # exp(-t) is less than the rounding of 1
        return 1.0
    halvings, rest = 0, 1.0
    while t > 0.125:  # noqa: PLR2004  # ten terms of the series are enough up to here
        t, halvings = t / 2, halvings + 1
    for i in range(10, 1, -1):
        rest = 1 - t / i * rest
    result = t * rest
    for _ in range(halvings):
        result *= 2 - result
    return result
