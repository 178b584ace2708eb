"""Splits and their children in words, with names in place of numbers. Everything that shows or exports a tree uses it."""

from collections.abc import Callable, Hashable, Iterable
from math import floor, inf

from ftree.tree.schema import Schema
from ftree.tree.splits import (
    Groups,
    Intervals,
    Multiway,
    Oblique,
    OfOneFeature,
    Split,
    Subset,
    Threshold,
    WithSurrogates,
    bounds,
    features_of,
)

# From this number on, the form with an exponent is shorter.
_MIN_EXPONENT_FORM = 1e16


def condition(schema: Schema, split: Split, child: int) -> str:
    """The condition for going to a child, in Weka's form; surrogates are not mentioned.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("petal width", "numeric"), Feature("sky", "nominal", ("grey", "blue"))), "class", ("a", "b"))
    >>> condition(schema, Threshold(0, 0.8), 1), condition(schema, Multiway(1, (0, 1)), 1)
    ('petal width > 0.8', 'sky = blue')
    """
    name = tested_expression(schema, split)
    match split:
        case WithSurrogates():
            return condition(schema, split.split, child)
        case Threshold() | Intervals() if schema.features[split.feature].kind == "ordinal":
            # A threshold of an ordinal feature lies between two codes; it is named by the value below it.
            values = schema.features[split.feature].values
            return format_interval(name, *bounds(split, child), written=lambda cut: str(values[floor(cut)]))
        case Threshold() | Intervals() | Oblique():
            return format_interval(name, *bounds(split, child))
        case _:
            values = child_values(schema, split, child)
            return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in {{{', '.join(map(str, values))}}}"


def format_interval(name: str, above: float, at_most: float, *, written: Callable[[float], str] | None = None) -> str:
    """An interval as a condition; at least one of its ends is finite. `written` formats its ends.

    >>> format_interval("age", 18, 65), format_interval("age", 65, inf), format_interval("age", -inf, 18)
    ('18 < age <= 65', 'age > 65', 'age <= 18')
    """
    write = written or format_number
    if at_most == inf:
        return f"{name} > {write(above)}"
    return ("" if above == -inf else f"{write(above)} < ") + f"{name} <= {write(at_most)}"


def tested_expression(schema: Schema, split: Split) -> str:
    """What a split tests: the name of its feature, or a weighted sum of features; surrogates are not mentioned.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("age", "numeric"), Feature("weight", "numeric")), "class", ("a", "b"))
    >>> tested_expression(schema, Threshold(1, 70)), tested_expression(schema, Oblique((1, -0.5), 2))
    ('weight', 'age - 0.5 * weight')
    """
    names = (schema.features[feature].name for feature in features_of(split))
    return format_sum(names, filter(None, split.weights)) if isinstance(split, Oblique) else next(names)


def child_values(schema: Schema, split: OfOneFeature, child: int) -> tuple[Hashable, ...]:
    """The values of a nominal or ordinal feature that go to a child.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("sky", "nominal", ("grey", "blue", "red")),), "class", ("a", "b"))
    >>> child_values(schema, Subset(0, (0, 2)), 1)
    ('blue',)
    """
    values = schema.features[split.feature].values
    match split:
        case Multiway(_, codes):
            return (values[codes[child]],)
        case Groups(_, groups):
            return tuple(values[code] for code in groups[child])
        case Subset(_, members):
            return tuple(value for code, value in enumerate(values) if (code in members) == (child == 0))
        case _:
            above, at_most = bounds(split, child)
            return tuple(value for code, value in enumerate(values) if above < code <= at_most)


def format_number(value: float, *, decimals: int = 6) -> str:
    """A number with at most `decimals` decimals and no trailing zeros; a small one keeps as many significant digits.

    >>> format_number(0.6), format_number(2.4500000000000002), format_number(-3.0), format_number(1.25e-9)
    ('0.6', '2.45', '-3', '1.25e-09')
    """
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
