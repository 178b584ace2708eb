"""Rules for rows without an answer at a split: the library's own, rules by name, and the division of rows by their shares.

A prediction rule is a pure function from the cases of a branch's children to their shares of a row. It may have besides:

| member | meaning | default |
|---|---|---|
| `distributions` | whether leaves that a row reaches add up as distributions, not as counts | False |
| `broadcasts` | whether it takes the sizes of many branches at once, (..., V), with children on the last axis | False |
| `of_rows` | from a split and its columns to the shares (n, V) of rows with an answer, or None: as the split says | none |

`heaviest` is a growth policy as well: `shares` and `predict` are hooks of `ftree.splitters.missing_policies`.
"""

from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import ConstructorRepr, name_of
from ftree._lib.messages import short_repr, type_of
from ftree.data.labelled import Unseen
from ftree.tree.nodes import Branch, PredictionRule, Tree
from ftree.tree.schema import Schema
from ftree.tree.splits.split import Columns, Split


@frozen
class all_routes(ConstructorRepr):
    """A prediction rule: a row without an answer goes whole to every child, and the counts of the leaves it reaches are added.

    >>> all_routes()(np.array([1.0, 3.0])).tolist()
    [1.0, 1.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """A share of 1 for each child."""
        return np.ones_like(sizes)


@frozen
class weighted(ConstructorRepr):
    """A prediction rule: each child gets a share of the row equal to its share of the cases; distributions add up by shares.

    Source: Quinlan 1993, chapter 3.

    >>> import numpy as np
    >>> weighted()(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """

    broadcasts = True
    distributions = True

    def __call__(self, sizes: Floats) -> Floats:
        """Each child's share of the cases."""
        shares: Floats = sizes / sizes.sum(axis=-1, keepdims=True)
        return shares


@frozen
class heaviest(ConstructorRepr):
    """A rule for growth and prediction: a row without an answer goes to the child with the most cases, the first of equal ones.

    In growth, only cases with a known value count. Trees grown by this rule predict by it.

    >>> heaviest()(np.array([1.0, 3.0])).tolist()
    [0.0, 1.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """1 for the child with the most cases, 0 for the others."""
        shares: Floats = (np.arange(sizes.shape[-1]) == sizes.argmax(axis=-1, keepdims=True)).astype(np.float64)
        return shares

    @property
    def shares(self) -> "heaviest":
        """The rule itself, which also divides rows in growth."""
        return self

    @property
    def predict(self) -> "heaviest":
        """The rule itself, by which the grown trees predict."""
        return self


@frozen
class stop_here(ConstructorRepr):
    """A prediction rule: a row without an answer stops, and the branch's own counts predict.

    >>> stop_here()(np.array([1.0, 3.0])).tolist()
    [0.0, 0.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """No share for any child."""
        return np.zeros_like(sizes)


RuleName: TypeAlias = Literal["all_routes", "weighted", "heaviest", "stop_here", "stop"]
# A prediction rule, or the short name of one of the library's.
MissingRule: TypeAlias = RuleName | PredictionRule
_NAMED: dict[Any, PredictionRule] = {
    "all_routes": all_routes(),
    "weighted": weighted(),
    "heaviest": heaviest(),
    "stop_here": stop_here(),
    "stop": stop_here(),
}


def as_prediction_rule(missing: MissingRule) -> PredictionRule:
    """The rule with a short name; a rule is returned unchanged.

    Raises a ValueError for anything else, a TypeError for a class without its parentheses.

    >>> as_prediction_rule("stop")
    stop_here()
    """
    rule: Any = _NAMED.get(missing, missing) if isinstance(missing, str) else missing
    if isinstance(rule, type):
        raise TypeError(f"missing must be a prediction rule, got {type_of(rule)}. Write {rule.__name__}(), with parentheses.")
    if callable(rule):
        return cast("PredictionRule", rule)
    names = ", ".join(repr(name) for name in _NAMED if name != "stop")
    raise ValueError(f"missing must be a prediction rule such as weighted(), or one of {names}, got {short_repr(missing)}.")


def rule_for(tree: Tree, missing: MissingRule | None) -> PredictionRule:
    """The given rule; if it is None the tree's own, or all routes if the tree has none.

    >>> from ftree import Leaf, Schema
    >>> rule_for(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), None)
    all_routes()
    """
    asked = tree.missing if missing is None else missing
    return _NAMED["all_routes"] if asked is None else as_prediction_rule(asked)


def is_by_rule(unseen: Unseen) -> bool:
    """Whether values that a schema does not know go by the rule for missing ones, without a check.

    >>> is_by_rule("rule"), is_by_rule("raise")
    (True, False)
    """
    # The comparison of some values is no bool.
    return isinstance(unseen, str) and unseen == "rule"


# What holds for a rule that lacks a member.
RULE_OPTIONS: dict[str, Any] = {"distributions": False, "broadcasts": False, "of_rows": None}


def adds_distributions(rule: PredictionRule) -> bool:
    """Whether the leaves that a row reaches are added as distributions, and not as counts."""
    return bool(getattr(rule, "distributions", RULE_OPTIONS["distributions"]))


def sees_rows(rule: PredictionRule) -> bool:
    """Whether a rule divides rows that a split has an answer for, by `of_rows(split, columns)`.

    >>> sees_rows(weighted())
    False
    """
    return getattr(rule, "of_rows", RULE_OPTIONS["of_rows"]) is not None


def shares_of_rows(rule: Any, split: Split, columns: Columns) -> Floats | None:
    """The shares (n, V) that the children get of rows with an answer, by `rule.of_rows`; None where the split decides.

    Raises a ValueError unless they are one finite number from 0 for each child of each row.
    """
    given = rule.of_rows(split, columns)
    shares = None if given is None else np.asarray(given, dtype=np.float64)
    wanted = len(columns[0]), split.n_children
    if shares is not None and not (shares.shape == wanted and (np.isfinite(shares) & (shares >= 0)).all()):
        message = (
            f"of_rows of {name_of(rule)} must return None or finite shares from 0 of shape {wanted}, got {short_repr(given)}."
        )
        raise ValueError(message)
    return shares


# Example sizes, by which a given rule is refused before a row needs it. What a rule does at other sizes, `NodeShares` knows.
SIZES = np.array([2.0, 1.0])
# Shares whose sum differs from 1 by at most this are meant to add up to 1.
_ROUNDING = 1e-9


def shares_of(rule: PredictionRule, sizes: Array) -> Floats:
    """The share that each child of a branch gets of a row without an answer, (V,), or for many branches, (B, V).

    Children of a branch without cases count as equal.

    Raises a ValueError unless the rule's shares are one finite number from 0 for each child.

    >>> from ftree.missing import weighted
    >>> shares_of(weighted(), np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    if sizes.ndim == 1:
        one = sizes if sizes.any() else np.ones(len(sizes))
        return _checked(rule, one.astype(np.float64, copy=False))
    given: Array = np.where(sizes.any(axis=-1, keepdims=True), sizes, 1.0)
    if getattr(rule, "broadcasts", RULE_OPTIONS["broadcasts"]):
        return _checked(rule, given)
    return np.array([_checked(rule, each) for each in given]).reshape(given.shape)


def whole_shares(rule: PredictionRule, sizes: Array) -> Floats:
    """The shares of `shares_of`, by a rule that must divide exactly the whole row, so that counts add up.

    Raises a ValueError if they do not add up to 1.
    """
    shares = shares_of(rule, sizes)
    if (abs(shares.sum(axis=-1) - 1) > _ROUNDING).any():
        remedy = "With other shares the counts of children would not add up to their parent's."
        message = f"missing must be a rule with shares that add up to 1, such as weighted(), got {name_of(rule)}. {remedy}"
        raise ValueError(message)
    return shares


def route_shares(rule: PredictionRule, sizes: Array) -> Floats:
    """The shares of `shares_of`, by a rule that must follow one route.

    Raises a ValueError if several children get a share, or one child gets a part.
    """
    shares = shares_of(rule, sizes)
    if (shares.sum(axis=-1) > 1).any() or not np.isin(shares, (0, 1)).all():
        wanted = "a rule that follows one route, such as heaviest() or stop_here()"
        raise ValueError(f"missing must be {wanted}, got {name_of(rule)}. A path cannot follow several routes.")
    return shares


def one_route(rule: PredictionRule, sizes: Array) -> int | None:
    """The child that gets a whole row, None if the row stays; raises as `route_shares`."""
    shares = route_shares(rule, sizes)
    return int(shares.argmax()) if shares.any() else None


class NodeShares(NamedTuple):
    """How a rule divides rows at the branches of a tree, since it may do something else at three children than at two.

    Of each node (m,), level by level: its share of its parent's rows, 0 for the root; what its children get in all, 1 for a leaf;
    and the child that gets the rounding remainder, as `child_of_rest` has it.
    """

    share: Floats
    total: Floats
    rest: Array

    @property
    def divides(self) -> bool:
        """Whether a child gets a part of a row."""
        return not np.isin(self.share, (0, 1)).all()

    @property
    def gives_whole(self) -> bool:
        """Whether the shares of each branch's children add up to 1."""
        return bool((abs(self.total - 1) <= _ROUNDING).all())

    @property
    def one_route(self) -> bool:
        """Whether rows stay whole, and go to one child of a branch, or to none."""
        return not self.divides and bool((self.total <= 1).all())


def child_sizes(branch: Branch, schema: Schema) -> Array:
    """The number of cases of each child of a branch, (V,), added from left to right as `Flat.sizes` adds them."""
    return np.array(
        [sum(child.counts if schema.has_classes else child.counts[:1]) for child in branch.children], dtype=np.float64
    )


def child_of_rest(shares: Floats) -> Array:
    """The child that gets the rounding remainder of a row, (...), for shares (..., V); -1 if they do not add up to 1.

    It is the first with the largest share.

    >>> child_of_rest(np.array([[0.25, 0.75], [1.0, 1.0], [0.0, 0.0]])).tolist()
    [1, -1, -1]
    """
    largest: Array = shares.argmax(axis=-1)
    return np.where(abs(shares.sum(axis=-1) - 1) <= _ROUNDING, largest, -1)


def divide_weights(weights: Array, shares: Floats, unit: float) -> tuple[Array, Array]:
    """The part of each child in the weights of rows without an answer, (V, n), and their remainders, (n,).

    Shares (V,) are those of all rows, shares (V, n) those of each. Parts are multiples of `unit`, so that they add up
    exactly.

    >>> [part.tolist() for part in divide_weights(np.array([1.0]), np.array([0.25, 0.75]), 0.25)]
    [[[0.25], [0.75]], [0.0]]
    """
    each = shares if shares.ndim > 1 else shares[:, None]
    parts = each * weights
    if (each * each == each).all():  # all shares are 0 or 1, the most frequent case except for `weighted`: half the time
        return parts, weights * (each.sum(axis=0) == 0)
    parts = np.where(each == 1, weights, np.floor(parts / unit) * unit)
    rest, left = np.broadcast_to(child_of_rest(each.T), weights.shape), weights - parts.sum(axis=0)
    whole = np.flatnonzero(rest >= 0)
    parts[rest[whole], whole] += left[whole]
    left[whole] = 0
    return parts, np.maximum(left, 0)


def parts_of(weights: Array, sizes: Array, rule: PredictionRule, unit: float) -> Array:
    """Each child's part of cases without an answer, (n, V), given the weights (n,) of these and the children's sizes (V,).

    A size is the weight of the cases with an answer; sizes that are all 0 count as equal. Parts are multiples of `unit`.

    Raises a ValueError for a rule whose shares do not add up to 1.

    >>> parts_of(np.array([1.0, 0.5]), np.array([1.0, 3.0]), weighted(), 0.125).tolist()
    [[0.25, 0.75], [0.125, 0.375]]
    >>> parts_of(np.array([1.0]), np.array([1.0, 3.0]), heaviest(), 0.125).tolist()
    [[0.0, 1.0]]
    """
    parts, _ = divide_weights(weights, whole_shares(rule, sizes), unit)
    return parts.T


def _checked(rule: PredictionRule, sizes: Array) -> Floats:
    """The rule's shares as floats, in the shape of the sizes."""
    given: Any = rule(sizes)
    shares = np.asarray(given)
    if shares.shape != sizes.shape or shares.dtype.kind not in "fiub" or not (np.isfinite(shares) & (shares >= 0)).all():
        wanted = f"a finite number from 0 for each of {sizes.shape[-1]} children"
        raise ValueError(f"{name_of(rule)} must return shares, {wanted}, got {short_repr(given)}.")
    return shares.astype(np.float64)
