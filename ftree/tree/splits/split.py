"""The protocol of splits: what every split must have, and what it may have, the library's own and those of users.

A split holds numbers only: feature numbers, codes of nominal and ordinal values, thresholds. It holds no names and no
data. Splits are open: a frozen class with the four members of `Split` is a split, and nothing needs to be registered.

`child_of` is the definition of a row's child, which every faster way must equal. The functions after it ask the optional members
of a split, `tables`, `primary`, `stand_ins`, `answers_all_known`, `unseen`, `child_of_unseen`, `check`, `bits`, `at_observed`,
`to_fields` and `from_fields`; those of shared.py ask `renumbered` and `recoded`. Each says what holds without the member: a
default that is right for every split, or an error with its name.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import fields, has

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree.tree import splits as split_types
from ftree.tree.conditions import Condition
from ftree.tree.schema import Schema

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


def child_of(split: Split, *columns: npt.NDArray[Any]) -> Integers:
    """The child number for each row, (n,), from the columns of `split.features`; -1 where the split has no answer.

    A column has codes (n,), negative where missing, or floats (n,), NaN where missing; a split gets these as doubles, since two
    numbers of 32 bits and of 64 may print alike and differ.

    Raises a TypeError for a split that does not return a whole number from -1 to `n_children` - 1 for each row.

    >>> from ftree.tree import Multiway, Oblique, Threshold
    >>> child_of(Threshold(0, 2.5), np.array([1.0, 2.5, 3.0, np.nan])).tolist()
    [0, 0, 1, -1]
    >>> child_of(Multiway(0, (0, 2)), np.array([0, 1, 2, -1])).tolist()
    [0, -1, 1, -1]
    >>> child_of(Oblique((1, 1), 2), np.array([1.0, 1.0, np.nan]), np.array([1.0, 1.5, 0.0])).tolist()
    [0, 1, -1]
    """
    doubles = (column.astype(np.float64) if column.dtype == np.float32 else column for column in columns)
    array, n = np.asarray(split.child(*doubles)), len(columns[0])
    whole = array.shape == columns[0].shape and array.dtype.kind in "biu"
    if not whole or (array.size and not UNKNOWN <= array.min() <= array.max() < split.n_children):
        wanted = f"one integer for each of {n} rows, from -1 to {split.n_children - 1}"
        got = f"an array of {array.dtype} with shape {array.shape}" if not whole else f"{array.min()} to {array.max()}"
        raise TypeError(f"{short_repr(split)}.child must return {wanted}, got {got}.")
    return array.astype(np.intp, copy=False)


def children_of(splits: Sequence[Split], sizes: Integers, columns: Columns, rows: Integers) -> Integers:
    """`child_of` for many splits at once: the first split takes the first `sizes[0]` of the rows, the next the following ones.

    All thresholds of one feature are compared in one call, since a level of a tree may have thousands of them.

    >>> from ftree.tree import Threshold
    >>> column = np.array([1.0, 2.0, 3.0])
    >>> children_of([Threshold(0, 1.5), Threshold(0, 2.5)], np.array([2, 1]), (column,), np.array([0, 1, 2])).tolist()
    [0, 1, 1]
    """
    if len(splits) == 1:
        (split,) = splits
        return child_of(split, *(columns[feature][rows] for feature in split.features))
    ends = sizes.cumsum()
    child = np.empty(len(rows), dtype=np.intp)
    thresholds: defaultdict[int, list[int]] = defaultdict(list)
    for number, split in enumerate(splits):
        if is_exactly(split, split_types.Threshold):
            thresholds[split.feature].append(number)
        else:
            here = slice(ends[number] - sizes[number], ends[number])
            child[here] = child_of(split, *(columns[feature][rows[here]] for feature in split.features))
    for feature, numbers in thresholds.items():
        chosen = np.repeat(np.bincount(numbers, minlength=len(splits)).astype(bool), sizes)
        cuts = [split.at for split in map(splits.__getitem__, numbers) if is_exactly(split, split_types.Threshold)]
        column = columns[feature][rows[chosen]]
        child[chosen] = np.where(missing_cells(column), UNKNOWN, column > np.repeat(np.array(cuts), sizes[numbers]))
    return child


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


# A split as plain values by name, of which files and dictionaries are made, and back.

# The names of the library's own types.
SPLIT_TYPES = ("WithSurrogates", "Oblique", "Threshold", "Intervals", "Subset", "Groups", "Multiway", "WithDefault", "IsMissing")


def to_fields(split: Any) -> dict[str, Any]:
    """A split as plain values by name: `split.to_fields()`, or the fields of an attrs class.

    Plain values are numbers, texts, None, and tuples of them; a split or a surrogate inside is a dict with its
    class's name as "type".
    Raises a TypeError for any other value.

    >>> from ftree.tree import Threshold
    >>> to_fields(Threshold(0, 2.5))
    {'feature': 0, 'at': 2.5}
    """
    own = getattr(split, "to_fields", None)
    if own is not None:
        return dict(own())
    family: Any = type(split)
    names = _names_of_fields(family)
    if names is None:
        raise TypeError(f"{short_repr(split)} must have a method to_fields() or an attrs class, so that it can become a dict.")
    return {name: _plain(split, getattr(split, name)) for name in names}


@cache
def _names_of_fields(family: Any) -> tuple[str, ...] | None:
    """The names of the fields that an attrs class takes; None for any other class."""
    return tuple([each.name for each in fields(family) if each.init]) if has(family) else None


def of_fields(name: Any, given: Mapping[str, Any], types: Sequence[type] = ()) -> Split:
    """The split of the type with this name, made of these fields: by `from_fields(fields)`, or the constructor.

    The type is one of `types`, or the library's. Raises a ValueError for a name of none, or for fields that the type refuses.

    >>> of_fields("Threshold", {"feature": 0, "at": 2.5})
    Threshold(feature=0, at=2.5)
    """
    return maker_of(name, types)(given)


def maker_of(name: Any, types: Sequence[type] = ()) -> Callable[[Any], Split]:
    """The function from fields to a split of the type with this name, for many splits. Raises as `of_fields` does.

    >>> [*map(maker_of("Threshold"), [{"feature": 0, "at": 2.5}, {"feature": 1, "at": 0.5}])]
    [Threshold(feature=0, at=2.5), Threshold(feature=1, at=0.5)]
    """
    return partial(_of_fields, type_named(name, types), name, types=types)


def type_named(name: Any, types: Sequence[type] = ()) -> type | None:
    """The type of splits with this name, of one's own or the library's; None if there is none.

    >>> type_named("Threshold").__name__, type_named("Compare")
    ('Threshold', None)
    """
    own = next((each for each in types if each.__name__ == name), None)
    return getattr(split_types, str(name)) if own is None and name in SPLIT_TYPES else own


def _of_fields(family: Any, name: Any, given: Any, types: Sequence[type]) -> Split:
    if family is None:
        known = ", ".join([*(each.__name__ for each in types), *SPLIT_TYPES])
        own = name if isinstance(name, str) and name.isidentifier() else "MySplit"
        remedy = f"Pass your own types as splits=({own[:50]},)."
        raise ValueError(f"A split must be of one of the types {known}, got {short_repr(name)}. {remedy}")
    if not isinstance(given, Mapping):
        message = f"Fields of {name} must be a mapping of names to values, got {short_repr(given)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    values = {key: _read(value, types) for key, value in given.items()}
    try:
        split: Split = family.from_fields(values) if hasattr(family, "from_fields") else family(**values)
    except TypeError as error:
        got = f"{short_repr(dict(given))}: {str(error)[:200].rstrip('.')}"
        raise ValueError(f"Fields of {name} must be those of its to_fields(), got {got}.") from error
    return split


# Types that are plain values themselves; to ask for these first spares a look at abstract classes for each value.
_PLAIN_TYPES = frozenset({type(None), str, bool, int, float})


def _plain(split: Any, value: Any) -> Any:
    if type(value) in _PLAIN_TYPES or isinstance(value, (str, Real)):
        return value
    if isinstance(value, (tuple, list)):
        return tuple([_plain(split, each) for each in value])
    if is_split(value) or isinstance(value, split_types.Surrogate):
        return {"type": type(value).__name__, **to_fields(value)}
    wanted, remedy = "numbers, texts or None", "Write a method to_fields()."
    raise TypeError(f"Fields of {short_repr(split)} must be {wanted}, got {short_repr(value)}. {remedy}")


def _read(value: Any, types: Sequence[type]) -> Any:
    if type(value) in _PLAIN_TYPES:
        return value
    if isinstance(value, Mapping):
        name, given = value.get("type"), {key: each for key, each in value.items() if key != "type"}
        return _of_fields(split_types.Surrogate if name == "Surrogate" else type_named(name, types), name, given, types)
    return tuple([_read(each, types) for each in value]) if isinstance(value, (tuple, list)) else value
