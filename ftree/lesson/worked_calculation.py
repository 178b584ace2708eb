"""The score of a candidate split as a calculation, line by line, with the numbers put in: as text, HTML and LaTeX."""

import re
from collections.abc import Iterator, Sequence
from math import nan
from operator import attrgetter
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.faces import LINE, Face, Formula, Grid, in_lines
from ftree._lib.fields import as_tuple, name_of, require_whole_number
from ftree._lib.messages import joined, short_repr
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.impurity_of_sums import variance
from ftree.criteria.scores import p_value
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.feature_scores import scores
from ftree.policy import ID3, Policy
from ftree.show.tex import latex_text
from ftree.tree.conditions import ROOM, cut_to
from ftree.tree.formats import format_number
from ftree.tree.nodes import Counts
from ftree.tree.schema import require_classes


@frozen
class CalculationLine:
    r"""A line of a calculation: what is computed, the numbers put in, as LaTeX and as `numbers` in plain text, and the result.

    `by_pencil` is the result of the printed numbers. Where it rounds to another number than the result, "≈" stands there.

    >>> CalculationLine("gain ratio", r"\frac{0.247}{1.577}", 0.156).numbers
    '0.247/1.577'
    """

    name: str
    latex: str
    value: float
    by_pencil: float | None = None

    def result(self, digits: int = 3) -> str:
        """The result with so many decimals, after "≈" where the printed numbers give another one."""
        text = f"{self.value:.{digits}f}"
        near = self.by_pencil is None or abs(self.by_pencil - float(text)) <= 0.5 * 10.0**-digits + _ROUNDING
        return text if near else f"≈ {text}"

    @property
    def numbers(self) -> str:
        """The numbers put in, as plain text."""
        text = self.latex
        for pattern, plain in _IN_TEXT:
            text = re.sub(pattern, plain, text)
        return text


# What a result at the edge of its last digit may be beyond it.
_ROUNDING = 1e-9
# The blanks before a sign outside parentheses; and the characters of a result with the blanks between columns.
_BETWEEN_TERMS, _RESULT = r" (?=[+-] )(?![^(]*\))", 30
# From LaTeX to plain text.
_IN_TEXT = (
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2"),
    (r"\\text\{([^{}]*)\}", r"\1"),
    (r"\\(left|right)\b *", ""),
    (r"\\cdot", "*"),
    (r"\\log_2", "log2"),
    (r"\\chi\^2", "chi-squared"),
)


@frozen(repr=False)
class Calculation(Face):
    """The scores of a feature's best split, computed line by line; prints as a table, and `latex()` is for slides.

    In the table, a long calculation stands in several lines, and long names are cut.

    >>> from ftree.datasets import weather
    >>> round(work_out(weather(), "outlook")["gain"], 3)
    0.247
    """

    feature: str
    lines: tuple[CalculationLine, ...] = field(converter=as_tuple)
    digits: int = 3

    def __getitem__(self, name: str) -> float:
        """The result of a line. Raises a KeyError for a name that no line has."""
        found = {line.name: line.value for line in self.lines}
        if name not in found:
            raise KeyError(f"name must be one of {joined(map(repr, found))}, got {short_repr(name)}.")
        return found[name]

    def latex(self) -> Formula:
        r"""The lines for LaTeX's mathematics mode, which needs `amsmath`.

        >>> from ftree.datasets import weather
        >>> print(str(work_out(weather(), "outlook").latex()).splitlines()[1])
        \text{entropy(play)} &= -\frac{5}{14} \log_2 \frac{5}{14} - \frac{9}{14} \log_2 \frac{9}{14} = 0.940 \\
        """
        ends = [f"= {line.result(self.digits)}".replace("= ≈", r"\approx") for line in self.lines]
        rows = [rf"{latex_text(line.name)} &= {line.latex} {end}" for line, end in zip(self.lines, ends, strict=True)]
        return Formula("\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}")

    def _parts(self) -> Iterator[Grid]:
        title, *names = [cut_to(name, ROOM) for name in (self.feature, *(line.name for line in self.lines))]
        room, rows = LINE - max(map(len, [title, *names])) - _RESULT, list[tuple[str, str, str]]()
        for name, line in zip(names, self.lines, strict=True):
            first, *others = in_lines(re.split(_BETWEEN_TERMS, line.numbers), room).split("\n")
            rows += [(name, first, line.result(self.digits)), *(("", further, "") for further in others)]
        yield Grid((title, "calculation", "result"), rows)


def work_out(dataset: Dataset, feature: str, policy: Policy = ID3, *, digits: int = 3) -> Calculation:
    """How the scores of a feature's best split come about: impurities, their weighted mean, gain, gain ratio, chi-squared.

    The results are those of `scores(dataset, policy)`. For a target of numbers, the gain is the variance between the children as
    a share of the variance of all rows. The gain of a feature with missing values is that of the rows with a
    value times their share; its split information counts the rows without a value as a child.

    Results have so many `digits` after the point, and are computed before they are rounded. Where the printed numbers of a line
    give another result, "≈" stands before it.

    Raises the errors of `scores`, a KeyError for a feature that the dataset lacks, a ValueError for a feature without a split,
    for an impurity that is neither entropy nor gini, and for priors or costs.

    Source: Quinlan 1986, sections 4 and 7.

    >>> from ftree.datasets import weather
    >>> work_out(weather(), "windy")
    windy                   calculation                                                                    result
    entropy(play)           -5/14 log2 5/14 - 9/14 log2 9/14                                               0.940
    entropy(windy = False)  -2/8 log2 2/8 - 6/8 log2 6/8                                                   0.811
    entropy(windy = True)   -3/6 log2 3/6 - 3/6 log2 3/6                                                   1.000
    weighted mean           8/14 * 0.811 + 6/14 * 1.000                                                    0.892
    gain                    0.940 - 0.892                                                                  0.048
    split information       -8/14 log2 8/14 - 6/14 log2 6/14                                               0.985
    gain ratio              0.048/0.985                                                                    0.049
    chi-squared             (2 - 2.86)^2/2.86 + (6 - 5.14)^2/5.14 + (3 - 2.14)^2/2.14 + (3 - 3.86)^2/3.86  ≈ 0.933
    p-value                 P(chi-squared > 0.933, df = 1)                                                 0.334
    """
    require_dataset(dataset)
    require_classes(dataset.schema, "work_out", "a dataset", "Call scores for its gains.", or_numbers=True)
    of_numbers = dataset.schema.response.kind == "numbers"
    require_whole_number("digits", digits, 1, most=15)
    found = {row.feature: row for row in scores(dataset, policy)}
    if not isinstance(feature, str) or feature not in found:
        raise KeyError(f"feature must be one of {joined(map(repr, found))}, got {short_repr(feature)}.")
    measured = (gini, variance) if of_numbers else (entropy, gini)
    if policy.impurity not in measured or policy.priors is not None or policy.costs is not None:
        raise ValueError(
            f"policy must measure {' or '.join(map(name_of, measured))}, without priors and costs, for a calculation."
        )
    row = found[feature]
    if not row.children:
        raise ValueError(f"feature must have a split, got {feature!r}, by which the rows are not divided.")
    lines = (
        _lines_of_numbers(row.children, dataset, digits) if of_numbers else _lines(row.children, dataset, policy.impurity, digits)
    )
    return Calculation(feature, lines, digits)


def _lines(
    children: Sequence[tuple[str, Counts]], dataset: Dataset, impurity: Impurity, digits: int
) -> Iterator[CalculationLine]:
    def shown(value: float) -> str:
        return f"{value:.{digits}f}"

    def seen(line: CalculationLine) -> float:
        return float(shown(line.value))

    counts = [of for _, of in children]
    whole, sizes = [sum(each) for each in zip(*counts, strict=True)], list(map(sum, counts))
    total, all_cases = sum(sizes), sum(dataset.class_counts())
    of_nodes = ((dataset.schema.target, whole), *children)
    before, *below = (_impurity(f"{name_of(impurity)}({name})", of, impurity) for name, of in of_nodes)
    yield from (before, *below)
    mean, by_pencil = (sum(size / total * of(line) for size, line in zip(sizes, below, strict=True)) for of in (_value, seen))
    terms = [rf"{_fraction(size, total)} \cdot {shown(line.value)}" for size, line in zip(sizes, below, strict=True)]
    average = CalculationLine("weighted mean", " + ".join(terms), mean, by_pencil)
    yield average
    share, discount = total / all_cases, "" if total == all_cases else rf"{_fraction(total, all_cases)} \cdot "
    difference = f"{shown(before.value)} - {shown(mean)}"
    difference = f"{discount}({difference})" if discount else difference
    gain = CalculationLine("gain", difference, share * (before.value - mean), share * (seen(before) - seen(average)))
    yield gain
    information = _impurity("split information", [*sizes, all_cases - total] if discount else sizes)
    yield information
    yield _quotient("gain ratio", gain.value, information.value, digits)
    yield from _independence(counts, whole, digits)


_value = attrgetter("value")


def _lines_of_numbers(children: Sequence[tuple[str, Counts]], dataset: Dataset, digits: int) -> Iterator[CalculationLine]:
    """The means of the children, and the variance between them as a share of that of all rows."""
    response: Any = dataset.schema.response
    cases, means = [of[0] for _, of in children], [response.answer(of) for _, of in children]
    known, every, target = sum(cases), dataset.n_cases, dataset.schema.target
    for (name, _), size, mean in zip(children, cases, means, strict=True):
        yield CalculationLine(f"mean({name})", _fraction(size * mean, size), mean)
    seen = [f"{mean:.{digits}f}" for mean in means]
    terms = [rf"{_fraction(size, known)} \cdot {mean}" for size, mean in zip(cases, seen, strict=True)]
    mean, printed = (sum(size / known * float(of) for size, of in zip(cases, each, strict=True)) for each in (means, seen))
    yield CalculationLine(f"mean({target})", " + ".join(terms), mean, printed)
    middle = f"{mean:.{digits}f}"
    terms = [rf"{_fraction(size, every)} \cdot ({of} - {middle})^2" for size, of in zip(cases, seen, strict=True)]
    between, by_pencil = (
        sum(size / every * (float(of) - float(centre)) ** 2 for size, of in zip(cases, each, strict=True))
        for each, centre in ((means, mean), (seen, middle))
    )
    yield CalculationLine("variance between", " + ".join(terms), between, by_pencil)
    spread = float(np.cov(dataset.target_column, aweights=dataset.weights, ddof=0))
    yield CalculationLine(f"variance({target})", _fraction(spread * every, every), spread)
    yield _quotient("gain", between, spread, digits)


def _quotient(name: str, above: float, below: float, digits: int) -> CalculationLine:
    """A quotient of two results; 0 for nothing of nothing."""
    texts = [f"{each:.{digits}f}" for each in (above, below)]
    by_pencil = float(texts[0]) / float(texts[1]) if float(texts[1]) else nan
    return CalculationLine(name, rf"\frac{{{texts[0]}}}{{{texts[1]}}}", above / below if below else 0.0, by_pencil)


def _impurity(name: str, counts: Sequence[float], impurity: Impurity = entropy) -> CalculationLine:
    """An impurity of counts; a class without cases adds nothing."""
    shares = [_fraction(count, sum(counts)) for count in counts if count]
    if impurity is entropy:
        latex = "-" + " - ".join(rf"{share} \log_2 {share}" for share in shares)
    else:
        latex = "1 - " + " - ".join(rf"\left({share}\right)^2" for share in shares)
    return CalculationLine(name, latex, float(impurity(counts)))


def _independence(counts: Sequence[Counts], whole: Sequence[float], digits: int) -> Iterator[CalculationLine]:
    """Pearson's statistic and its p-value; classes without cases are left out."""
    total, classes = sum(whole), [number for number, count in enumerate(whole) if count]
    cells = [(of[number], sum(of) * whole[number] / total) for of in counts for number in classes if sum(of)]
    freedom = (sum(map(any, counts)) - 1) * (len(classes) - 1)
    printed = [(seen, f"{due:.{max(digits - 1, 0)}f}") for seen, due in cells]
    terms = (rf"\frac{{({format_number(seen)} - {due})^2}}{{{due}}}" for seen, due in printed)
    value = sum((seen - due) ** 2 / due for seen, due in cells)
    by_pencil = sum((seen - float(due)) ** 2 / (float(due) or nan) for seen, due in printed)
    yield CalculationLine("chi-squared", " + ".join(terms), value, by_pencil)
    if freedom:
        shown = f"{value:.{digits}f}"
        probability, by_pencil = (float(p_value(each, freedom)) for each in (value, float(shown)))
        yield CalculationLine("p-value", rf"P(\chi^2 > {shown}, \text{{df}} = {freedom})", probability, by_pencil)


def _fraction(part: float, whole: float) -> str:
    return rf"\frac{{{format_number(part)}}}{{{format_number(whole)}}}"
