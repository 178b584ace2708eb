"""Optional methods of splits, the default for a split that lacks one, and the surrogates that `stand_ins` gives.

Each function calls the split's method of that purpose. A default is right for every split, or raises an error with its name.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from attrs import evolve, field, fields, frozen, has

from ftree._lib.fields import true_or_false
from ftree._lib.messages import short_repr
from ftree.tree.schema import Schema
from ftree.tree.splits.shared import check_features, finite, recoded_feature
from ftree.tree.splits.split import Split, TableForm, is_split
from ftree.tree.splits.splits_by_cuts import Threshold
from ftree.tree.splits.splits_by_values import Groups, Subset


def primary(split: Split) -> Split:
    """The split without its surrogates: `split.primary`, or the split itself.

    >>> from ftree.tree import Threshold, WithSurrogates
    >>> primary(WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))]))
    Threshold(feature=0, at=2.5)
    """
    return getattr(split, "primary", split)


def _in_two(_: object, __: object, split: Any) -> None:
    two_groups = isinstance(split, Groups) and len(split.groups) == 2  # noqa: PLR2004  # a binary split has two groups
    if not (isinstance(split, (Threshold, Subset)) or two_groups):
        raise TypeError(f"A surrogate's split must be a Threshold, a Subset or two Groups, got {short_repr(split)}.")


def _as_float(share: Any) -> float:
    try:
        return float(share)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"agreement and adjusted must be finite numbers, got {short_repr(share)}.") from None


@frozen
class Surrogate:
    """A binary split that replaces another one for cases that lack the other one's feature.

    Its child 0 means child 0 of the other split, or child 1 if it is `reversed`. `agreement` is the share of the cases
    known to the other split that it sends to the same child. `adjusted` is (agreement - m) / (1 - m), where m is the
    agreement of sending all cases to the larger child.

    Source: Breiman et al. 1984, section 5.3.

    >>> Surrogate(Threshold(1, 0.5), reversed=True, agreement=0.9, adjusted=0.5)
    Surrogate(split=Threshold(feature=1, at=0.5), reversed=True, agreement=0.9, adjusted=0.5)
    """

    split: Threshold | Subset | Groups = field(validator=_in_two)
    reversed: bool = field(default=False, validator=true_or_false)
    agreement: float = field(default=1.0, converter=_as_float, validator=finite)
    adjusted: float = field(default=1.0, converter=_as_float, validator=finite)


def stand_ins(split: Split) -> tuple[Surrogate, ...]:
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


def require_fit(schema: Schema, split: Split) -> None:
    """Raise a ValueError for a split that uses features or codes that the schema lacks: `split.check(schema)`, if there is one.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> require_fit(Schema([Feature("age", "numeric")], "ill", (False, True)), Threshold(1, 0.5))
    Traceback (most recent call last):
    ValueError: A split must use features 0 to 0 of the schema, got feature 1 in Threshold(feature=1, at=0.5).
    """
    check_features(schema, split)
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


def to_fields(split: Split | Surrogate) -> dict[str, Any]:
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
    if not has(family):
        raise TypeError(f"{short_repr(split)} must have a method to_fields() or an attrs class, so that it can become a dict.")
    return {each.name: _plain(split, getattr(split, each.name)) for each in fields(family) if each.init}


def of_fields(name: Any, given: Mapping[str, Any], types: Sequence[type]) -> Split:
    """The split of the class in `types` with this name, made of these fields: by `from_fields(fields)`, or the constructor.

    Raises a ValueError for a name of none of them, or for fields that the class refuses.

    >>> from ftree.tree import Threshold
    >>> of_fields("Threshold", {"feature": 0, "at": 2.5}, [Threshold])
    Threshold(feature=0, at=2.5)
    """
    family: Any = next((each for each in types if each.__name__ == name), None)
    if family is None:
        known = ", ".join(each.__name__ for each in types)
        own = name if isinstance(name, str) and name.isidentifier() else "MySplit"
        raise ValueError(
            f"A split must be of one of the types {known}, got {short_repr(name)}. Pass your own types as splits=({own[:50]},)."
        )
    if not isinstance(given, Mapping):
        message = f"Fields of {name} must be a mapping of names to values, got {short_repr(given)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    values = {key: _read(value, types) for key, value in given.items()}
    try:
        split: Split = family.from_fields(values) if hasattr(family, "from_fields") else family(**values)
    except TypeError as error:
        message = (
            f"Fields of {name} must be those of its to_fields(), got {short_repr(dict(given))}: {str(error)[:200].rstrip('.')}."
        )
        raise ValueError(message) from error
    return split


def _plain(split: Split | Surrogate, value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, Real)):
        return value
    if isinstance(value, (tuple, list)):
        return tuple([_plain(split, each) for each in value])
    if is_split(value) or isinstance(value, Surrogate):
        return {"type": type(value).__name__, **to_fields(value)}
    raise TypeError(
        f"Fields of {short_repr(split)} must be numbers, texts or None, got {short_repr(value)}. Write a method to_fields()."
    )


def _read(value: Any, types: Sequence[type]) -> Any:
    if isinstance(value, Mapping):
        inside = types if Surrogate in types else (*types, Surrogate)
        return of_fields(value.get("type"), {key: each for key, each in value.items() if key != "type"}, inside)
    return tuple([_read(each, types) for each in value]) if isinstance(value, (tuple, list)) else value
