"""Linear models as a response: a node answers with the coefficients of a regression of its cases on some of the features."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats, solved
from ftree._lib.fields import as_tuple, one_of
from ftree._lib.messages import short_repr
from ftree.tree.edit import subtree_at
from ftree.tree.formats import format_number
from ftree.tree.nodes import Path, Tree, check_tree
from ftree.tree.response import numbers
from ftree.tree.schema import as_names

# A regressor depends on those before it if they leave this share of its variance, or this share of its squared range.
_DEPENDENT, _CONSTANT = 1e-9, 1e-10
# Steps in which a line is drawn.
_STEPS = 16


@frozen
class linear:  # named like a function
    """The response of linear models: a node answers with an intercept, a coefficient for each regressor, and a mean, (2 + p,).

    `on` names the regressors, numeric columns that stay features. A row gets the value of its leaf's model at its regressors; a
    row that lacks one gets the mean of the leaf. The risk is the sum of squared residuals.

    By default, splits are measured by the models in both children. With `splits="means"` the tree grows by the variance of the
    target, as in the first step of M5, which takes much less time, and its nodes get their models afterwards.

    A regressor that is constant in a node, or depends on those before it, has the coefficient 0. `centres`, from which
    numbers are counted, and `ranges`, the largest distances from them, are those of a table.

    Raises a ValueError for no regressor, or one that is named twice.

    Source: Quinlan 1992 (M5); Zeileis, Hothorn & Hornik 2008 (linear models in leaves, by `splitters.by_instability_test`).

    >>> import ftree as ft
    >>> cars = {"kg": [900, 1000, 1100, 1500, 1700, 1900], "mpg": [30.5, 29, 27.5, 20, 19, 18]}
    >>> table = ft.Dataset.from_columns(cars, target="mpg", response=linear("kg"))
    >>> tree = ft.grow(table, ft.CART.stopping(ft.stop.max_depth(1)))
    >>> print(tree)
    kg <= 1300: 44 - 0.015 kg (3.0)
    kg > 1300: 27.5 - 0.005 kg (3.0)
    >>> ft.predict(tree, {"kg": [1050.0]}).tolist()
    [28.25]
    """

    on: tuple[str, ...] = field(converter=as_names)
    splits: Literal["models", "means"] = field(default="models", kw_only=True, validator=one_of("models", "means"))
    centres: tuple[float, ...] = field(converter=as_tuple, default=(), kw_only=True, repr=False)
    ranges: tuple[float, ...] = field(converter=as_tuple, default=(), kw_only=True, repr=False)
    kind, any_division = "linear models", True  # no order of nominal values has the best division of them in two
    row_sum = True

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The regressors."""
        return self.on

    row_features = further_targets

    @property
    def channels(self) -> tuple[str, ...]:
        """The cases; those that lack a regressor, their sum and squares; of others the sums of all columns and their products."""
        names = ("target", *self.on)
        products = (f"{one} * {other}" for one, other in combinations_with_replacement(names, 2))
        return ("cases", "incomplete", "target if incomplete", "squares if incomplete", *names, *products)

    @property
    def structure(self) -> Any:
        """The response by which a tree of `splits="means"` grows."""
        return None if self.splits == "models" else lambda values, *_: (numbers(), values)

    def check(self, _: Floats, *regressors: Floats) -> None:
        """Raise a ValueError for infinite regressors."""
        for name, column in zip(self.on, regressors, strict=True):
            for row in np.flatnonzero(np.isinf(column))[:1]:
                raise ValueError(f"{short_repr(name)} must be finite or missing, got {column[row]:g} in row {row}.")

    def of(self, *columns: Floats) -> "linear":
        """The response that counts from the middle of each column's range."""
        known = [column[np.isfinite(column)] for column in columns]
        ends = [(float(column.min()), float(column.max())) if len(column) else (0.0, 0.0) for column in known]
        return evolve(self, centres=[low / 2 + high / 2 for low, high in ends], ranges=[high / 2 - low / 2 for low, high in ends])

    def add(self, *columns: Floats) -> list[Any]:
        """What a row adds: to the first sums if it lacks a regressor, else to the others."""
        target, *regressors = map(np.subtract, columns, self._from)
        lacks = np.isnan(np.array(regressors)).any(axis=0)
        alone, complete = np.where(lacks, target, 0.0), [np.where(lacks, 0.0, column) for column in (target, *regressors)]
        products = [one * other for one, other in combinations_with_replacement(complete, 2)]
        return [lacks.astype(np.float64), alone, alone * alone, *complete, *products]

    def answer(self, cases: Any, *sums: Any) -> Floats:
        """The intercept, the coefficients and the mean, on the last axis."""
        _, means, matrix = self._moments(cases, *sums)
        (slopes,) = np.moveaxis(solved(matrix[1:, 1:], matrix[1:, :1], self._least(matrix, cases, *sums))[0], 1, 0)
        mean = self.figure(cases, *sums)
        intercept = np.where(cases > sums[0], means[0], mean) - sum(
            slope * at for slope, at in zip(slopes, means[1:], strict=True)
        )
        return np.stack(np.broadcast_arrays(intercept, *slopes, mean), axis=-1)

    def loss(self, answer: Any, cases: Any, *sums: Any) -> Any:
        """The sum of squared residuals; of rows that lack a regressor, that of their distances from the mean."""
        line, mean = self._from_centres(answer)
        lacking, alone, squares = sums[:3]
        return self._residuals(line, cases - lacking, sums[3:]) + (squares - 2 * mean * alone + lacking * mean * mean)

    def figure(self, cases: Any, *sums: Any) -> Any:
        """The mean."""
        return self._from[0] + (sums[1] + sums[3]) / _or_1(cases)

    def row(self, answers: Floats, *cells: Floats) -> Floats:
        """The values of the models at the regressors of rows; the means for rows that lack one."""
        values = answers[..., 0] + sum(answers[..., 1 + number] * column for number, column in enumerate(cells))
        found: Floats = np.where(np.isnan(values), answers[..., -1], values)
        return found

    def names(self) -> tuple[str, ...]:
        """The names of the numbers of an answer."""
        return ("intercept", *self.on, "mean")

    def text(self, answer: Any) -> str:
        """The model as a formula, such as 39.9 - 0.006 kg; the answer of a row, which is a number, as that."""
        if not np.ndim(answer):
            return format_number(answer)
        intercept, *slopes = np.asarray(answer).tolist()[:-1]
        terms = [("-" if slope < 0 else "+", abs(slope), name) for slope, name in zip(slopes, self.on, strict=True) if slope]
        return " ".join([format_number(intercept), *(f"{sign} {format_number(size)} {name}" for sign, size, name in terms)])

    def chart(self, answer: Any) -> list[tuple[float, float, float, float]]:
        """The line of one regressor over its range; of several, a bar for each: its part of the target's range over its own."""
        (intercept, *slopes), _ = self._from_centres(answer)
        height, *widths = self.ranges or (1.0,) * (1 + len(slopes))
        effects = [slope * width / (height or 1.0) for slope, width in zip(slopes, widths, strict=True)]
        if len(effects) > 1:
            each = 1 / len(effects)
            ends = [(0.5, min(max(0.5 + effect / 2, 0.0), 1.0)) for effect in effects]
            return [((n + 0.1) * each, min(pair), 0.8 * each, max(pair) - min(pair)) for n, pair in enumerate(ends)]
        at = [(n + 0.5) / _STEPS for n in range(_STEPS)]
        levels = [0.5 + (intercept / (height or 1.0) + effects[0] * (2 * x - 1)) / 2 for x in at]
        thick = 1 / _STEPS
        return [(x - thick / 2, min(max(y, 0.0), 1.0 - thick), thick, thick) for x, y in zip(at, levels, strict=True)]

    def model(self, *sums: Any) -> "LinearModel":
        """The model of one node with its standard errors, given its sums."""
        n, means, matrix = self._moments(*(columns := [np.asarray(each, np.float64) for each in sums]))
        inverse, stay = solved(matrix[1:, 1:], np.eye(len(self.on)), self._least(matrix, *columns))
        found, freedom = self.answer(*columns), float(n) - 1 - np.count_nonzero(stay)
        residuals = max(float(self._residuals(self._from_centres(found)[0], n, columns[4:])), 0.0)
        at = np.array(means[1:])
        shares = np.array([1 / float(_or_1(n)) + at @ inverse @ at, *np.where(stay, np.diagonal(inverse), np.nan)])
        errors = np.sqrt(shares * residuals / freedom) if freedom > 0 else shares + np.nan
        return LinearModel(self.names()[:-1], found[:-1].tolist(), errors.tolist(), residuals, float(n))

    # What a test of the stability of the coefficients needs.

    def complete(self, cases: Any, *sums: Any) -> Any:
        """The cases that lack no regressor."""
        return cases - sums[0]

    def scores(self, answer: Any, cases: Any, *sums: Any) -> Floats:
        """The sums of the residuals of complete rows, and of those times each regressor, (q, ...) for q = 1 + p."""
        line, products, totals = self._from_centres(answer)[0], self._products(sums), sums[3 : 4 + len(self.on)]
        rows = [[total, *row[1:]] for total, row in zip(totals[1:], products[1:], strict=True)]
        designs = [[cases - sums[0], *totals[1:]], *rows]
        fitted = [sum(number * each for number, each in zip(line, design, strict=True)) for design in designs]
        return np.array([target - each for target, each in zip([totals[0], *products[0, 1:]], fitted, strict=True)])

    def squared_scores(self, answer: Any, cases: Any, *sums: Any) -> Floats:
        """The sums of the products of any two scores of a row, (q, q, ...), for sums of rows with equal regressors."""
        n, totals = cases - sums[0], sums[4 : 4 + len(self.on)]
        columns = [np.ones_like(n), *(each / _or_1(n) for each in totals)]
        squares: Floats = self._residuals(self._from_centres(answer)[0], n, sums[3:])
        found: Floats = squares * np.array([[one * other for other in columns] for one in columns])
        return found

    # Helpers.

    @property
    def _from(self) -> tuple[float, ...]:
        return self.centres or (0.0,) * (1 + len(self.on))

    def _from_centres(self, answer: Any) -> tuple[list[Any], Any]:
        """The intercept and coefficients of columns that count from the centres, and the mean."""
        intercept, *slopes, mean = np.moveaxis(np.asarray(answer, np.float64), -1, 0)
        shift = sum(slope * centre for slope, centre in zip(slopes, self._from[1:], strict=True))
        return [intercept - self._from[0] + shift, *slopes], mean - self._from[0]

    def _residuals(self, line: list[Any], n: Any, sums: Sequence[Any]) -> Any:
        """The sum of squared residuals of n complete cases from a line that counts from the centres."""
        intercept, *slopes = line
        factors = [1.0, *(-slope for slope in slopes)]
        totals, products = sums[: len(factors)], sums[len(factors) :]
        pairs = combinations_with_replacement(range(len(factors)), 2)
        squared = sum((1 + (i < j)) * factors[i] * factors[j] * each for (i, j), each in zip(pairs, products, strict=True))
        total = sum(factor * each for factor, each in zip(factors, totals, strict=True))
        return squared - 2 * intercept * total + n * intercept * intercept

    def _moments(self, cases: Any, *sums: Any) -> tuple[Any, list[Any], Floats]:
        """The complete cases, the means of the target and the regressors, and the sums of their products from the means."""
        n, q = cases - sums[0], 1 + len(self.on)
        totals = np.array(sums[3 : 3 + q])
        means = totals / _or_1(n)
        matrix = self._products(sums) - totals[:, None] * means
        return n, [centre + mean for centre, mean in zip(self._from, means, strict=True)], matrix

    def _products(self, sums: Sequence[Any]) -> Floats:
        """The sums of products of the target and the regressors, (q, q, ...)."""
        q = 1 + len(self.on)
        matrix = np.empty((q, q, *np.shape(sums[0])))
        for (i, j), product in zip(combinations_with_replacement(range(q), 2), sums[3 + q :], strict=True):
            matrix[i, j] = matrix[j, i] = product
        return matrix

    def _least(self, matrix: Floats, cases: Any, *sums: Any) -> Floats:
        """The least variance, times the cases, of a regressor that does not depend on those before it."""
        own = np.einsum("ii...->i...", matrix)[1:]
        widths = np.array((self.ranges or (0.0,) * (1 + len(own)))[1:]).reshape(-1, *(1,) * (own.ndim - 1))
        least: Floats = np.maximum(_DEPENDENT * own, _CONSTANT * (cases - sums[0]) * widths * widths)
        return least


@frozen
class LinearModel:
    """The linear model of a node: coefficients and standard errors by name, the sum of squared residuals, and the cases.

    A standard error is NaN for a regressor that is constant or depends on others, and without a degree of freedom.

    >>> print(LinearModel(("intercept", "kg"), [44.0, -0.015], [0.5, 0.0025], 0.25, 3.0))
               coefficient  standard error
    intercept           44             0.5
    kg              -0.015          0.0025
    3 cases, residual sum of squares 0.25
    """

    names: tuple[str, ...] = field(converter=as_tuple)
    coefficients: tuple[float, ...] = field(converter=as_tuple)
    errors: tuple[float, ...] = field(converter=as_tuple)
    residuals: float
    cases: float

    def __str__(self) -> str:
        """A line for each coefficient."""
        wide, rows = max(map(len, self.names)), zip(self.names, self.coefficients, self.errors, strict=True)
        lines = [f"{'':{wide}}  coefficient  standard error"]
        lines += [f"{name:{wide}}  {format_number(number):>11}  {format_number(error):>14}" for name, number, error in rows]
        sums = f"{format_number(self.cases)} cases, residual sum of squares {format_number(self.residuals)}"
        return "\n".join([*lines, sums])


def linear_model(tree: Tree, path: Path = ()) -> LinearModel:
    """The linear model of the node at a path, by default of the root, with standard errors.

    Errors assume equal variances in the node, as those of ordinary least squares; weights count as cases.

    Raises a TypeError for anything but a tree, a ValueError for one with another response, an IndexError for a path outside it.

    >>> import ftree as ft
    >>> cars = {"kg": [900, 1000, 1100], "mpg": [30.5, 28, 27.5]}
    >>> table = ft.Dataset.from_columns(cars, target="mpg", response=linear("kg"))
    >>> print(linear_model(ft.grow(table, ft.CART.stopping(ft.stop.max_depth(0)))))
               coefficient  standard error
    intercept    43.666667        5.792716
    kg              -0.015       0.0057735
    3 cases, residual sum of squares 0.666667
    """
    check_tree(tree)
    response: Any = tree.schema.response
    if response.kind != linear.kind:
        raise ValueError(f"tree must have the response linear(...), got one of {response.kind}.")
    model: LinearModel = response.own.model(*response.in_units(subtree_at(tree, path).root.counts))
    return model


def _or_1(cases: Any) -> Any:
    return np.where(cases > 0, cases, 1.0)
