"""The protocol of splits: what every split must have, and what it may have, the library's own and those of users.

A split holds numbers only: feature numbers, codes of nominal and ordinal values, thresholds. It holds no names and no
data. Splits are open: a frozen class with the four members of `Split` is a split, and nothing needs to be registered.

The functions below ask the optional members of a split, `tables`, `primary`, `stand_ins`, `answers_all_known`, `unseen`,
`child_of_unseen`, `check`, `bits`, `at_observed`, `renumbered` and `recoded`; those of `split_fields` ask `to_fields` and
`from_fields`. Each says what holds without the member: a default that is right for every split, or an error with its name.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve, has

from ftree._lib.messages import short_repr
from ftree.tree.conditions import Condition
from ftree.tree.schema import Schema, names_of

if TYPE_CHECKING:
    from ftree.tree.splits.with_surrogates import Surrogate

Columns: TypeAlias = "tuple[npt.NDArray[Any], ...]"
Integers: TypeAlias = npt.NDArray[np.intp]
# The child number for a value that is missing, or that the split does not know.
UNKNOWN = -1
_REQUIRED = "features", "n_children", "child", "conditions"


class Split(Protocol):
    """A division of rows among two or more children, such as `Threshold` or a user's frozen class.

    It must be hashable, and equal to its copies. Source: the protocol follows partykit's split (Hothorn & Zeileis 2015).
    """

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of the features that the split uses, at least one; `child` takes their columns in this order."""
        ...

    @property
    def n_children(self) -> int:
        """Number of children, at least one."""
        ...

    @property
    def conditions(self) -> Sequence[Condition]:
        """For each child, a condition that holds for exactly the rows that go there."""
        ...

    @property
    def child(self) -> Callable[..., npt.NDArray[Any]]:
        """A method that takes the columns of `features` and returns the child number of each row, (n,).

        It is -1 where a value is missing or not known to the split. A column has codes (n,), negative where missing, or
        floats (n,), NaN where missing; codes may come as floats.
        """
        ...


def is_split(value: object) -> bool:
    """Whether a value has the members of a split.

    >>> from ftree.tree import Threshold
    >>> is_split(Threshold(0, 0.5)), is_split(Threshold), is_split("x <= 0.5")
    (True, False, False)
    """
    # Members are looked up on the class, since this check runs for each new branch and `conditions` may take long to compute.
    own = type(value)
    return own is not type and all(hasattr(own, name) or name in getattr(value, "__dict__", ()) for name in _REQUIRED)


# Kinds of questions: none (a leaf), whether a number is above a threshold, which code, which interval, whether a sum is above
# a threshold, and a question that only the split itself can answer.
LEAF, ABOVE, CODE, BETWEEN, SUM, OPAQUE = range(-1, 5)


class TableForm(NamedTuple):  # a frozen class takes three times as long to make, and a tree has thousands of splits
    """A split in numbers.

    - ABOVE: whether the feature's number is above `at`.
    - CODE: which of `codes` the feature has; `children` has the child of each code, `other_child` that of all others.
    - BETWEEN: between which of the `numbers` the feature's number lies.
    - SUM: whether the sum of the features in `terms`, each times its number in `numbers`, is above `at`.
    - OPAQUE: the split's `child` decides; compiled code cannot call it.

    The `surrogates` are tried in turn for a row without an answer; a `reversed` one means the other child. A row that has
    no answer from any of them goes to `default_child`; without surrogates, only one whose value is missing does.
    """

    kind: int = LEAF
    feature: int = 0
    at: float = 0.0
    codes: Sequence[int] = ()
    children: Sequence[int] = ()
    other_child: int = UNKNOWN
    numbers: Sequence[float] = ()
    terms: Sequence[int] = ()
    reversed: bool = False
    surrogates: "tuple[TableForm, ...]" = ()
    default_child: int = UNKNOWN


def table_form(split: Split | None) -> TableForm | None:
    """The table form of a split, by which compiled code routes rows: `split.tables()`; None if it has none.

    For no split, it is the question of kind LEAF.

    >>> from ftree.tree import Oblique, Subset, Threshold
    >>> table_form(Threshold(1, 0.5)).at, table_form(Subset(0, (1, 3))).codes, table_form(Oblique((1, 0, 2), 0.5)).terms
    (0.5, (1, 3), (0, 2))
    """
    if split is None:
        return _NO_QUESTION
    own = getattr(split, "tables", None)
    return None if own is None else own()


_NO_QUESTION = TableForm()


def primary(split: Split) -> Split:
    """The split without its surrogates: `split.primary`, or the split itself.

    >>> from ftree.tree import Surrogate, Threshold, WithSurrogates
    >>> primary(WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))]))
    Threshold(feature=0, at=2.5)
    """
    return getattr(split, "primary", split)


def stand_ins(split: Split) -> "tuple[Surrogate, ...]":
    """The surrogates of a split: `split.stand_ins`, or an empty tuple."""
    found: tuple[Surrogate, ...] = getattr(split, "stand_ins", ())
    return found


def answers_all_known(split: Split) -> bool:
    """Whether the split has a child for each row without missing values: `split.answers_all_known`, or False.

    >>> from ftree.tree import Multiway, Threshold
    >>> answers_all_known(Threshold(0, 2.5)), answers_all_known(Multiway(0, (0, 2)))
    (True, False)
    """
    return bool(getattr(split, "answers_all_known", False))


def tells_unseen(split: Split) -> bool:
    """Whether a split treats an unseen value differently from a missing one. Splits of one feature do, unless they set `unseen`.

    >>> from ftree.tree import IsMissing, Oblique
    >>> tells_unseen(IsMissing(0)), tells_unseen(Oblique((1, 1), 2.5))
    (True, False)
    """
    return len(split.features) == 1 and not getattr(split, "unseen", False)


def answers_unseen(split: Split) -> bool:
    """Whether a split has a child for values that the schema lacks: by `split.child_of_unseen(values)`, numbers from -1 on.

    >>> from ftree.tree import Multiway
    >>> answers_unseen(Multiway(0, (0, 1)))
    False
    """
    return hasattr(split, "child_of_unseen")


def require_fit(schema: Schema, split: Split) -> None:
    """Raise a ValueError for a split that uses features or codes that the schema lacks: `split.check(schema)`, if there is one.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> require_fit(Schema([Feature("age", "numeric")], "ill", (False, True)), Threshold(1, 0.5))
    Traceback (most recent call last):
    ValueError: A split must use features 0 to 0 of the schema, got feature 1 in Threshold(feature=1, at=0.5).
    """
    for feature in split.features:
        if not 0 <= feature < len(schema.features):
            wanted = f"features 0 to {len(schema.features) - 1} of the schema" if schema.features else "no features"
            raise ValueError(f"A split must use {wanted}, got feature {feature} in {short_repr(split)}.")
    check = getattr(split, "check", None)
    if check is not None:
        check(schema)


def bits(split: Split, distinct: float) -> float | None:
    """Bits that encode the split's value on a feature with `distinct` distinct values: `split.bits(distinct)`.

    None, the default, stands for a threshold: log2 of the number of cuts between distinct values.
    """
    own = getattr(split, "bits", None)
    return None if own is None else own(distinct)


def with_observed(split: Split, values: Sequence[Any]) -> Split:
    """The split with thresholds at observed values: `split.at_observed(values)`, or the split itself.

    `values` has the sorted distinct values of each numeric feature, and None for the others.
    """
    moved = getattr(split, "at_observed", None)
    return split if moved is None else moved(values)


def renumbered(split: Split, features: Sequence[int], n: int) -> Split:
    """The split with its feature i as feature `features[i]` of n: `split.renumbered(features, n)`.

    A split of an attrs class whose only feature is its field `feature` needs no such method. Raises a TypeError for
    any other split that lacks the method and whose features change.

    >>> from ftree.tree import Oblique, Threshold
    >>> renumbered(Oblique((1, 2), 0.5), (1, 3), 4), renumbered(Threshold(0, 2.5), (1, 3), 4)
    (Oblique(weights=(0.0, 1.0, 0.0, 2.0), at=0.5), Threshold(feature=1, at=2.5))
    """
    own = getattr(split, "renumbered", None)
    if own is not None:
        moved: Split = own(features, n)
        return moved
    if all(features[feature] == feature for feature in split.features):
        return split
    if has(type(split)) and split.features == (getattr(split, "feature", None),):
        return evolve(split, feature=features[split.features[0]])  # type: ignore[misc]  # an attrs class with that field
    raise TypeError(f"{short_repr(split)} must have a method renumbered(features, n), since the numbers of its features change.")


def recoded(split: Split, old: Schema, new: Schema) -> Split:
    """The split in the numbers and codes of another schema: `split.recoded(old, new)`.

    Raises a ValueError where something that it uses does not exist there, and where the codes of its values change and it
    has no such method.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> age, sky = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
    >>> recoded(Threshold(0, 18), Schema([age], "ride", (0, 1)), Schema([sky, age], "ride", (0, 1)))
    Threshold(feature=1, at=18.0)
    """
    own = getattr(split, "recoded", None)
    if own is not None:
        recoded_split: Split = own(old, new)
        return recoded_split
    for feature in split.features:
        if old.features[feature].values != new.features[recoded_feature(old, new, feature)].values:
            message = f"{short_repr(split)} must have a method recoded(old, new), since the values of its features change."
            raise ValueError(message)
    moved = {feature: recoded_feature(old, new, feature) for feature in split.features}
    return renumbered(split, [moved.get(number, number) for number in range(len(old.features))], len(new.features))


def recoded_feature(old: Schema, new: Schema, number: int) -> int:
    """The number of a feature in another schema. Raises a ValueError where it does not exist, or has another kind.

    >>> from ftree import Feature
    >>> age, sky = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
    >>> recoded_feature(Schema([age, sky], "ride", (0, 1)), Schema([sky], "ride", (0, 1)), 1)
    0
    """
    feature = old.features[number]
    if feature.name not in names_of(new.features):
        wanted = f"the feature {short_repr(feature.name)}, which a split uses"
        raise ValueError(f"The schema must have {wanted}, got {short_repr(names_of(new.features))}.")
    place = names_of(new.features).index(feature.name)
    if new.features[place].kind != feature.kind:
        got = f"one that is {new.features[place].kind}"
        message = f"Feature {short_repr(feature.name)} must be {feature.kind}, as in the tree, got {got}."
        raise ValueError(message)
    return place
