"""What the nodes of an export add up, and how the sums answer: by the largest class, or by a total divided by a size.

`sums_of` says both for a response. The total of a linear model depends on features, `regressors_of`.
"""

from collections.abc import Callable
from typing import Any

from attrs import Factory, field, frozen

from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, position


@frozen
class Quotient:
    """How two sums answer, a size and a total: (centre + unit * (total + more) / (size + rest)) / divisor.

    A size of 0 answers `empty`. The size of numbers is their cases, that of events the exposure; `more` and `rest` shrink rates
    towards that of the root.

    >>> found = Quotient(1.0, 0.5)
    >>> found.answer((2.0, 8.0)), found.answer((0.0, 0.0)), found.texts("n", "x")
    (3.0, 1.0, ('n', '1.0 + 0.5 * (x / n)', '1.0'))
    """

    centre: float = 0.0
    unit: float = 1.0
    divisor: float = 1.0
    rest: float = 0.0
    more: float = 0.0
    empty: float = field(default=Factory(lambda self: self.centre, takes_self=True))

    def answer(self, sums: Counts) -> float:
        """The answer to a size and a total."""
        size = sums[0] + self.rest
        return (self.centre + self.unit * ((sums[1] + self.more) / size)) / self.divisor if size > 0 else self.empty

    def texts(self, size: str, total: str, number: Callable[[float], str] = repr) -> tuple[str, str, str]:
        """The size, the answer, and that to a size of 0, as expressions which Python, C and SQL read alike."""
        below = f"({size} + {number(self.rest)})" if self.rest else size
        above = f"({total} + {number(self.more)})" if self.more else total
        scale = "" if (self.centre, self.unit) == (0.0, 1.0) else f"{number(self.centre)} + {number(self.unit)} * "
        answer = f"{scale}({above} / {below})"
        return below, answer if self.divisor == 1 else f"({answer}) / {number(self.divisor)}", number(self.empty)


def sums_of(schema: Schema, *, distributions: bool) -> tuple[Quotient | None, Callable[[Counts], Counts]]:
    """The quotient by which sums answer, None for classes, and what a node's counts, or its distribution, add to the sums.

    Raises a ValueError for a response of one's own, unless it is a `row_sum`.

    >>> quotient, added = sums_of(Schema((), "ill", ("no", "yes")), distributions=True)
    >>> quotient, added((1, 3))
    (None, (0.25, 0.75))
    """
    response: Any = schema.response
    if schema.has_classes:
        return None, (lambda counts: tuple(proportions(counts).tolist())) if distributions else tuple
    if response.options.row_sum:
        return Quotient(), lambda sums: (1.0, *response.answer(sums))
    if response.kind not in ("numbers", "events"):
        wanted = "of a classification tree, a regression tree, a tree of events or of linear models"
        raise ValueError(f"A program must be {wanted}, got one of {response.kind}. Use predict, or to_dict.")
    if distributions:
        return Quotient(), lambda sums: (1.0, response.answer(sums))
    if response.kind == "numbers":
        part, (start, step, divisor) = response.part, response.line
        return Quotient(start, step, divisor, empty=response.centre), lambda sums: (float(sums[0]), part * float(sums[1]))
    prior, rate = response.own.prior, response.own.rate
    shrunk = Quotient(rest=prior / rate if prior else 0.0, more=prior, empty=rate)
    return shrunk, lambda sums: tuple(map(float, response.in_units(sums)[2:0:-1]))


def regressors_of(schema: Schema) -> tuple[int, ...]:
    """The numbers of the features on which the total of a linear model depends; () for other responses.

    Raises a ValueError for one that is not numeric: programs have codes in place of other values, also of numbers.
    """
    response: Any = schema.response
    found = [position(schema, name) for name in response.row_features] if response.options.row_sum else []
    for number in found:
        if schema.features[number].kind != "numeric":
            got = f"{short_repr(schema.features[number].name)}, which is {schema.features[number].kind}"
            raise ValueError(f"tree must have models of numeric features to be written as a program, got {got}. Use predict.")
    return tuple(found)
