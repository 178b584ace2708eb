"""Names put to numbers: a split's answer in words. Everything that shows or exports a tree speaks through here."""

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

# From here on, a number written out is longer than one with an exponent.
_TOO_LONG = 1e16


def condition(schema: Schema, split: Split, child: int) -> str:
    """What holds for the cases that go to a child, as Weka words it; a split with surrogates reads as the one they back.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("petal width", "numeric"), Feature("sky", "nominal", ("grey", "blue"))), "class", ("a", "b"))
    >>> condition(schema, Threshold(0, 0.8), 1), condition(schema, Multiway(1, (0, 1)), 1)
    ('petal width > 0.8', 'sky = blue')
    """
    name = asked(schema, split)
    match split:
        case WithSurrogates():
            return condition(schema, split.split, child)
        case Threshold() | Intervals() if schema.features[split.feature].kind == "ordinal":
            # An ordinal's cut lies between two codes; it is named by the value below it.
            values = schema.features[split.feature].values
            return between(name, *bounds(split, child), written=lambda cut: str(values[floor(cut)]))
        case Threshold() | Intervals() | Oblique():
            return between(name, *bounds(split, child))
        case _:
            values = child_values(schema, split, child)
            return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in {{{', '.join(map(str, values))}}}"


def between(name: str, above: float, at_most: float, *, written: Callable[[float], str] | None = None) -> str:
    """What is above one number and at most another, in words; one of them is finite.

    >>> between("age", 18, 65), between("age", 65, inf), between("age", -inf, 18)
    ('18 < age <= 65', 'age > 65', 'age <= 18')
    """
    write = written or number
    if at_most == inf:
        return f"{name} > {write(above)}"
    return ("" if above == -inf else f"{write(above)} < ") + f"{name} <= {write(at_most)}"


def asked(schema: Schema, split: Split) -> str:
    """What a split asks: the name of its feature, or the sum of several; of its surrogates it says nothing.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("age", "numeric"), Feature("weight", "numeric")), "class", ("a", "b"))
    >>> asked(schema, Threshold(1, 70)), asked(schema, Oblique((1, -0.5), 2))
    ('weight', 'age - 0.5 * weight')
    """
    names = (schema.features[feature].name for feature in features_of(split))
    return combination(names, filter(None, split.weights)) if isinstance(split, Oblique) else next(names)


def child_values(schema: Schema, split: OfOneFeature, child: int) -> tuple[Hashable, ...]:
    """The nominal or ordinal values that lead to a child.

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


def number(value: float, *, decimals: int = 6) -> str:
    """A number with at most so many decimals and no trailing zeros; small ones keep as many significant digits.

    >>> number(0.6), number(2.4500000000000002), number(-3.0), number(1.25e-9)
    ('0.6', '2.45', '-3', '1.25e-09')
    """
    if abs(value) >= _TOO_LONG:
        return f"{float(value)!r}"
    rounded = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    near = abs(float(rounded) - value) <= 10.0 ** (1 - decimals) * abs(value)
    return (rounded if near else f"{value:.{decimals}g}") if value else "0"


def combination(
    names: Iterable[str], weights: Iterable[float], *, times: str = " * ", written: Callable[[float], str] = number
) -> str:
    """A weighted sum in words.

    >>> combination(("x", "y", "z"), (-1, 0.5, -2))
    '-x + 0.5 * y - 2 * z'
    """
    terms = [
        f"{'-' if weight < 0 else '+'} {'' if abs(weight) == 1 else written(abs(weight)) + times}{name}"
        for name, weight in zip(names, weights, strict=True)
    ]
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+") else f"-{text[2:]}"
