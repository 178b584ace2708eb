"""Numbers, intervals and weighted sums as text."""

from collections.abc import Callable, Iterable
from math import inf

from ftree.tree.times import TimeNumber

# From this number on, the exponent form is shorter.
_MIN_EXPONENT_FORM = 1e16


def format_interval(name: str, above: float, at_most: float, *, written: Callable[[float], str] | None = None) -> str:
    """An interval as a condition; without a finite end, it says that the value is known. `written` formats the ends.

    >>> format_interval("age", 18, 65), format_interval("age", 65, inf), format_interval("age", -inf, 18)
    ('18 < age <= 65', 'age > 65', 'age <= 18')
    """
    write = written or format_number
    if at_most == inf and above == -inf:
        return f"{name} is known"
    if at_most == inf:
        return f"{name} > {write(above)}"
    return ("" if above == -inf else f"{write(above)} < ") + f"{name} <= {write(at_most)}"


def format_number(value: float, *, decimals: int = 6) -> str:
    """A number with at most `decimals` decimals and no trailing zeros; a small number keeps as many significant digits.

    A number that stands for a time is printed as that time.

    >>> format_number(0.6), format_number(2.4500000000000002), format_number(-3.0), format_number(1.25e-9)
    ('0.6', '2.45', '-3', '1.25e-09')
    """
    if isinstance(value, TimeNumber):
        return str(value)
    if abs(value) >= _MIN_EXPONENT_FORM:
        return f"{float(value)!r}"
    rounded = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    near = abs(float(rounded) - value) <= 10.0 ** (1 - decimals) * abs(value)
    return (rounded if near else f"{value:.{decimals}g}") if value else "0"


def format_sum(
    names: Iterable[str], weights: Iterable[float], *, times: str = " * ", written: Callable[[float], str] = format_number
) -> str:
    """A weighted sum as a formula.

    >>> format_sum(("x", "y", "z"), (-1, 0.5, -2))
    '-x + 0.5 * y - 2 * z'
    """
    terms = [
        f"{'-' if weight < 0 else '+'} {'' if abs(weight) == 1 else written(abs(weight)) + times}{name}"
        for name, weight in zip(names, weights, strict=True)
    ]
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+") else f"-{text[2:]}"
