"""Formulas for LaTeX's mathematics mode."""

from math import inf

from ftree.show.formulas import Dnf, Rule, terms
from ftree.show.latex_escapes import latex_text
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, NoneOf, OneOf, SumBetween
from ftree.tree.formats import format_number, format_sum
from ftree.tree.times import TimeNumber


def latex(formula: Dnf | Rule) -> str:
    r"""A formula, or the conditions of a rule, for LaTeX's mathematics mode.

    >>> print(latex(Dnf("play", ((OneOf("sky", ("blue",)), Between("wind_speed", at_most=3.0)),))))
    (\text{sky} = \text{blue} \land \text{wind\_speed} \le 3)
    """
    texts = (_latex_condition(AllOf(term)) for term in terms(formula))
    shown = (f"({text})" if r"\land" in text else text for text in texts)
    return r" \lor ".join(shown) or r"\bot"


def _latex_condition(condition: Condition) -> str:
    match condition:
        case FirstKnown(pairs):
            return _latex_condition(pairs[0][0])
        case AllOf(several):
            return r" \land ".join(map(_latex_condition, several)) or r"\top"
        case AnyOf(several):
            joined = r" \lor ".join(
                f"({_latex_condition(each)})" if isinstance(each, AllOf) else _latex_condition(each) for each in several
            )
            return f"({joined})" if several else r"\bot"
        case Between() | SumBetween():
            return _latex_interval(condition)
        case OneOf() | NoneOf() if condition.values:
            return _latex_values(condition)
    return latex_text(condition)


def _latex_values(condition: OneOf | NoneOf) -> str:
    name, values = latex_text(condition.feature), ", ".join(map(latex_text, condition.values))
    if isinstance(condition, NoneOf):
        return rf"{name} \notin \{{{values}\}}"
    return f"{name} = {values}" if len(condition.values) == 1 else rf"{name} \in \{{{values}\}}"


def _latex_interval(condition: Between | SumBetween) -> str:
    if isinstance(condition, Between):
        name = latex_text(condition.feature)
    else:
        name = format_sum(map(latex_text, condition.features), condition.weights, times=r" \, ", written=_latex_number)
    if condition.at_most == inf:
        return f"{name} > {_latex_number(condition.above)}" if condition.above > -inf else latex_text(condition)
    lower = "" if condition.above == -inf else f"{_latex_number(condition.above)} < "
    return rf"{lower}{name} \le {_latex_number(condition.at_most)}"


def _latex_number(value: float) -> str:
    r"""A number, with an exponent written as a power of ten, since 1e-09 looks like a difference in mathematics mode."""
    if isinstance(value, TimeNumber):
        return latex_text(value)
    digits, *exponent = format_number(value).split("e")
    return rf"{digits} \cdot 10^{{{int(exponent[0])}}}" if exponent else digits
