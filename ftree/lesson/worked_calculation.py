"""The score of a candidate split as a calculation, line by line, with the numbers put in: as text, HTML and LaTeX."""

import re
from collections.abc import Callable, Iterator, Sequence
from math import isclose, nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.faces import LINE, Face, Formula, Grid, in_lines
from ftree._lib.fields import as_tuple, name_of, require_whole_number
from ftree._lib.messages import joined, short_repr
from ftree.criteria.impurity import Impurity, entropy, gini
from ftree.criteria.impurity_of_sums import default_impurity
from ftree.criteria.scores import p_value
from ftree.data.cases import weights_of_rows
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset, require_dataset
from ftree.explain.feature_scores import scores
from ftree.policy import ID3, Policy
from ftree.show.tex import latex_text
from ftree.tree.conditions import ROOM, cut_to
from ftree.tree.formats import format_number
from ftree.tree.response import Counts


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
        text = _shown(self.value, digits)
        near = self.by_pencil is None or abs(self.by_pencil - float(text)) <= 0.5 * 10.0**-digits + _ROUNDING
        return text if near else f"≈ {text}"

    @property
    def numbers(self) -> str:
        """The numbers put in, as plain text."""
        text = self.latex
        for pattern, plain in _IN_TEXT:
            text = re.sub(pattern, plain, text)
        return text


# Tolerance for results that lie exactly between two printed numbers.
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


@frozen
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
    a share of the variance of all rows; for events and responses of sums, it is what the children's answers lose less than the
    parent's, as a share of what an answer for all rows loses. The gain of a feature with missing values is that of the rows with
    a value times their share; its split information counts the rows without a value as a child.

    Results have so many `digits` after the point, and are computed before they are rounded. Where the printed numbers of a line
    give another result, "≈" stands before it.

    Raises the errors of `scores`, a KeyError for a feature that the dataset lacks, a ValueError for a feature without a split,
    for an impurity that is neither entropy nor gini, or of other targets not that of their response, and for priors or costs.

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
    require_whole_number("digits", digits, 1, most=15)
    scored, kind = scores(dataset, policy), dataset.schema.response.kind
    found = {row.feature: row for row in scored}
    if not isinstance(feature, str) or feature not in found:
        raise KeyError(f"feature must be one of {joined(map(repr, found))}, got {short_repr(feature)}.")
    measured = tuple(_FORMULAS) if kind == "classes" else (gini, default_impurity(scored.response))
    if policy.impurity not in measured or policy.priors is not None or policy.costs is not None:
        raise ValueError(
            f"policy must measure {' or '.join(map(name_of, measured))}, without priors and costs, for a calculation."
        )
    row = found[feature]
    if not row.children:
        raise ValueError(f"feature must have a split, got {feature!r}, by which the rows are not divided.")
    if kind == "classes":
        return Calculation(feature, _lines(row.children, dataset, policy.impurity, digits), digits)
    of_kind = _lines_of_numbers if kind == "numbers" else _lines_of_losses
    return Calculation(feature, of_kind(row.children, dataset, scored.response, digits), digits)


def _lines(
    children: Sequence[tuple[str, Counts]], dataset: Dataset, impurity: Impurity, digits: int
) -> Iterator[CalculationLine]:
    counts = [of for _, of in children]
    whole, sizes = [sum(each) for each in zip(*counts, strict=True)], list(map(sum, counts))
    total, all_cases = sum(sizes), sum(dataset.class_counts())
    of_nodes = ((dataset.schema.target, whole), *children)
    nodes = [_impurity(f"{name_of(impurity)}({name})", of, impurity) for name, of in of_nodes]
    yield from nodes
    average, gain = _means_and_difference("gain", nodes, sizes, all_cases, digits)
    yield from (average, gain)
    information = _impurity("split information", sizes if _are_all(sizes, all_cases) else [*sizes, all_cases - total])
    yield information
    yield _quotient("gain ratio", gain.value, information.value, digits)
    yield from _independence(counts, whole, digits)


def _means_and_difference(
    name: str, nodes: Sequence[CalculationLine], sizes: Sequence[float], all_cases: float, digits: int
) -> tuple[CalculationLine, CalculationLine]:
    """The mean of the children's lines, and the parent's, which comes first, less this mean, times the share of known cases."""
    before, *below = [line.value for line in nodes]
    average = _weighted_mean("weighted mean", sizes, below, digits)
    latex = f"{_shown(before, digits)} - {_shown(average.value, digits)}"
    saved, by_pencil = before - average.value, _seen(before, digits) - _seen(average.value, digits)
    if not _are_all(sizes, all_cases):
        known = sum(sizes)
        latex = rf"{_fraction(known, all_cases)} \cdot ({latex})"
        saved, by_pencil = known / all_cases * saved, _seen_share(known, all_cases) * by_pencil
    return average, CalculationLine(name, latex, saved, by_pencil)


def _weighted_mean(name: str, sizes: Sequence[float], values: Sequence[float], digits: int) -> CalculationLine:
    """The mean of the children's values, by their sizes."""
    total, pairs = sum(sizes), list(zip(sizes, values, strict=True))
    latex = " + ".join(rf"{_fraction(size, total)} \cdot {_shown(value, digits)}" for size, value in pairs)
    mean = sum(size / total * value for size, value in pairs)
    return CalculationLine(name, latex, mean, sum(_seen_share(size, total) * _seen(value, digits) for size, value in pairs))


def _are_all(sizes: Sequence[float], all_cases: float) -> bool:
    """Whether the children have all cases, but for rounding of weights that are no whole numbers."""
    return isclose(sum(sizes), all_cases, rel_tol=_ROUNDING)


def _lines_of_losses(
    children: Sequence[tuple[str, Counts]], dataset: Dataset, response: Any, digits: int
) -> Iterator[CalculationLine]:
    """What the answers of the parent and of the children lose for each case, and what is saved as a share of the loss of all."""
    own, target = response.growing, dataset.schema.target
    weights = weights_of_rows(dataset)
    nodes = (target, tuple(map(sum, zip(*(of for _, of in children), strict=True)))), *children
    every = weights @ rows_as_sums(dataset, own)

    def loss(name: str, sums: Any) -> CalculationLine:
        return _share(f"loss of {own.text(own.answer(sums))} ({name})", own.risk(sums), float(sums[0]))

    lines, sizes = [loss(*node) for node in nodes], [of[0] for _, of in children]
    yield from lines
    average, saved = _means_and_difference("saved", lines, sizes, float(dataset.n_cases), digits)
    yield from (average, saved)
    whole = loss(f"{target}, all rows", every)
    if not _are_all(sizes, float(dataset.n_cases)):
        yield whole
    yield _quotient("gain", saved.value, whole.value, digits)


def _lines_of_numbers(
    children: Sequence[tuple[str, Counts]], dataset: Dataset, response: Any, digits: int
) -> Iterator[CalculationLine]:
    """The means of the children, and the variance between them as a share of that of all rows."""
    cases, means = [of[0] for _, of in children], [response.answer(of) for _, of in children]
    every, target = dataset.n_cases, dataset.schema.target
    for (name, _), size, mean in zip(children, cases, means, strict=True):
        yield _share(f"mean({name})", size * mean, size)
    middle = _weighted_mean(f"mean({target})", cases, means, digits)
    between = _variance_between(cases, means, middle.value, every, digits)
    yield from (middle, between)
    from_first = dataset.target_column - dataset.target_column[0]  # numbers that are all equal have no variance by rounding
    spread = float(np.cov(from_first, aweights=dataset.weights, ddof=0))
    yield _share(f"variance({target})", spread * every, every)
    yield _quotient("gain", between.value, spread, digits)


def _variance_between(
    sizes: Sequence[float], means: Sequence[float], middle: float, all_cases: float, digits: int
) -> CalculationLine:
    """The squared distances of the children's means from the middle, by the children's shares of all cases."""
    pairs, seen = list(zip(sizes, means, strict=True)), _seen(middle, digits)
    terms = (rf"{_fraction(size, all_cases)} \cdot ({_shown(mean, digits)} - {_shown(middle, digits)})^2" for size, mean in pairs)
    value = sum(size / all_cases * (mean - middle) ** 2 for size, mean in pairs)
    by_pencil = sum(_seen_share(size, all_cases) * (_seen(mean, digits) - seen) ** 2 for size, mean in pairs)
    return CalculationLine("variance between", " + ".join(terms), value, by_pencil)


def _quotient(name: str, above: float, below: float, digits: int) -> CalculationLine:
    """A quotient of two results; 0 for nothing of nothing."""
    by_pencil = _seen(above, digits) / (_seen(below, digits) or nan)
    latex = rf"\frac{{{_shown(above, digits)}}}{{{_shown(below, digits)}}}"
    return CalculationLine(name, latex, above / below if below else 0.0, by_pencil)


def _impurity(name: str, counts: Sequence[float], impurity: Impurity = entropy) -> CalculationLine:
    """An impurity of counts; a class without cases adds nothing."""
    shares = [_fraction(count, sum(counts)) for count in counts if count]
    return CalculationLine(name, _FORMULAS[impurity](shares), float(impurity(counts)))


# Of each impurity of classes that is worked out, the formula of the shares of classes.
_FORMULAS: dict[Impurity, Callable[[list[str]], str]] = {
    entropy: lambda shares: "-" + " - ".join(rf"{share} \log_2 {share}" for share in shares),
    gini: lambda shares: "1 - " + " - ".join(rf"\left({share}\right)^2" for share in shares),
}


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
        probability, by_pencil = (float(p_value(each, freedom)) for each in (value, _seen(value, digits)))
        latex = rf"P(\chi^2 > {_shown(value, digits)}, \text{{df}} = {freedom})"
        yield CalculationLine("p-value", latex, probability, by_pencil)


def _share(name: str, part: float, whole: float) -> CalculationLine:
    """A sum divided by its cases."""
    return CalculationLine(name, _fraction(part, whole), part / whole, _seen_share(part, whole))


def _shown(value: float, digits: int) -> str:
    """A result as it is printed."""
    return f"{value:.{digits}f}"


def _seen(value: float, digits: int) -> float:
    """A result as whoever computes with the printed numbers reads it."""
    return float(_shown(value, digits))


def _fraction(part: float, whole: float) -> str:
    return rf"\frac{{{format_number(part)}}}{{{format_number(whole)}}}"


def _seen_share(part: float, whole: float) -> float:
    """The share by the printed numbers, which have six decimals."""
    return float(format_number(part)) / (float(format_number(whole)) or nan)
