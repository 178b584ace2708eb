"""What programs share: names, labels and values as another program holds them, and how it decides from class counts."""

from collections.abc import Callable, Hashable, Iterable
from math import isfinite
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

from ftree._lib.fields import repeated, require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.costs import LeastCost, by_threshold, costs_for
from ftree.saving.json_values import check_text
from ftree.tree.schema import Schema, require_classes

AnswerKind: TypeAlias = Literal["label", "proba"]


def check_identifier(name: Any, is_taken: Callable[[str], bool], why: str) -> None:
    """Raise a ValueError for a name that is not valid for a function in a program, or that is taken, and say why it is.

    >>> check_identifier("predict", {"log"}.__contains__, "C has this name")
    """
    valid = isinstance(name, str) and name.isidentifier() and name.isascii()
    if not valid or is_taken(name):
        wanted = "the name of a function, ASCII letters, digits and underscores"
        raise ValueError(f"name must be {wanted}, got {short_repr(name)}.{f' {why}: choose another one.' * valid}")


def plain_value(what: str, value: Hashable) -> Any:
    """A text, a number, a boolean or None unchanged; for a subclass, such as a number of NumPy, the plain value.

    Raises a ValueError for any other value, and for a number that is not finite.

    >>> import numpy as np
    >>> plain_value("The label", np.float64(0.5)), plain_value("The label", True)
    (0.5, True)
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # the text itself, whatever the subclass shows
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and isfinite(value):
        return float(value)
    raise ValueError(f"{what} must be a text, a finite number, a boolean or None to be exported, got {short_repr(value)}.")


def without_nul(text: str, language: str) -> str:
    """The text itself. Raises a ValueError for a text with NUL, which ends texts there, and for a single surrogate of UTF-16.

    >>> without_nul("it's", "C")
    "it's"
    """
    if "\0" in text:
        raise ValueError(f"A text must have no NUL character to be written in {language}, got {short_repr(text)}.")
    return check_text(text)


def check_distinct(what: str, texts: Iterable[str]) -> None:
    """Raise a ValueError for values that a program cannot tell apart, since it knows them by their texts.

    >>> check_distinct("Values of 'sky'", ["True", "grey"])
    """
    for twice in repeated(texts):
        raise ValueError(f"{what} must have distinct texts to be exported, got {short_repr(twice)} twice. Rename one of them.")


def plain_labels(schema: Schema) -> list[Any]:
    """The classes as plain values."""
    return [plain_value("A class", label) for label in schema.classes]


def free_names(taken: Iterable[str], *outputs: str) -> list[str]:
    """Names of outputs, each with as many _ at the end as no name has that is taken, such as those of features.

    >>> free_names(["label", "label_"], "label", "counts")
    ['label__', 'counts']
    """
    names = set(taken)
    return [next(name for n in range(len(names) + 1) if (name := output + n * "_") not in names) for output in outputs]


def known_labels(schema: Schema, language: str) -> list[Any]:
    """The classes as plain values. Raises a ValueError for the class None."""
    labels = plain_labels(schema)
    if None in labels:
        raise ValueError(f"tree must have no class None to be written in {language}, since it stands for a missing label there.")
    return labels


def plain_values(schema: Schema, used: Iterable[int]) -> list[list[Any] | None]:
    """For each feature its plain values, None for a numeric one; an empty list for a feature that is not among those used."""
    asked = set(used)
    return [
        None
        if feature.kind == "numeric" and number in asked
        else [plain_value(f"A value of {feature.name!r}", value) for value in (feature.values if number in asked else ())]
        for number, feature in enumerate(schema.features)
    ]


def least_cost_for(schema: Schema, answer: str, threshold: Any, costs: Iterable[Iterable[float]] | None) -> LeastCost | None:
    """The decision by costs, or by a threshold for the second of two classes; None for the class with the most cases.

    Raises a ValueError for an unknown answer, for costs or a threshold that do not fit, and for both.

    >>> schema = Schema((), "ill", ("no", "yes"))
    >>> [int(least_cost_for(schema, "label", each, None).labels((7, 2))) for each in (0.2, 0.3)]
    [1, 0]
    """
    require_one_of("answer", answer, ("label", "proba"))
    if answer == "proba" or threshold is not None or costs is not None:
        require_classes(schema, "A program with answer, threshold or costs", remedy="Leave them out.")
    if sum((answer == "proba", threshold is not None, costs is not None)) > 1:
        raise ValueError("answer='proba', threshold and costs must be given one at a time, got several.")
    if threshold is None:
        return None if costs is None else LeastCost(costs_for(costs, len(schema.classes)), tuple(range(len(schema.classes))))
    return by_threshold(threshold, len(schema.classes))
