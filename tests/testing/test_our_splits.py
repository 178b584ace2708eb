"""The library's split types send each row where their fields, read by their definitions, send it."""

import pytest
from hypothesis import strategies as st

from ftree import Feature, Schema
from ftree.testing import check_split, splits
from ftree.tree import Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates

pytestmark = pytest.mark.usefixtures("fewer")

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("m", "numeric")],
    "label",
    ("no", "yes"),
)


def place(row, number):
    """A value as a number: its position in the feature's list, None where missing."""
    feature = SCHEMA.features[number]
    value = row[feature.name]
    return value if value is None or not feature.values else feature.values.index(value)


def where(split, row):
    """The child of a row, None where the split has no answer."""
    match split:
        case WithSurrogates():
            return with_surrogates(split, row)
        case WithDefault(split=inner, default_child=default, unseen=unseen):
            lacks = unseen or any(place(row, feature) is None for feature in inner.features)
            return default if (child := where(inner, row)) is None and lacks else child
        case IsMissing(feature=feature):
            return int(place(row, feature) is None)
        case Oblique(weights=weights, at=at):
            used = [(weight, place(row, number)) for number, weight in enumerate(weights) if weight]
            return None if any(value is None for _, value in used) else int(sum(w * value for w, value in used) > at)
    value = place(row, split.feature)
    return None if value is None else of_value(split, value)


def of_value(split, value):
    """The child of a known value, by a split of one feature."""
    match split:
        case Threshold(at=at):
            return int(value > at)
        case Intervals(cuts=cuts):
            return sum(value > cut for cut in cuts)
        case Subset(members=members):
            return 0 if value in members else 1
        case Multiway(values=values):
            return values.index(value) if value in values else None
    return next((number for number, group in enumerate(split.groups) if value in group), None)


def with_surrogates(split, row):
    """The child by the split, else by the first surrogate with an answer, else the default child."""
    answers = [where(split.primary, row)]
    for each in split.surrogates:
        child = where(each.split, row)
        answers.append(child if child is None else 1 - child if each.reversed else child)
    return next((child for child in answers if child is not None), split.default_child)


@pytest.mark.parametrize(
    "drawn",
    [
        splits(SCHEMA),
        splits(SCHEMA, sums=False, surrogates=False),
        st.builds(WithDefault, splits(SCHEMA), default_child=st.integers(0, 1), unseen=st.booleans()),
        WithDefault(Threshold(0, 1.5), default_child=1),
        IsMissing(2),
        WithSurrogates(Subset(2, (1,)), [Surrogate(Threshold(0, 2.5), reversed=True)], default_child=1),
    ],
    ids=["any", "one feature", "with a default", "right", "missing", "surrogate"],
)
def test_a_split_of_ours_keeps_the_laws_and_sends_rows_where_its_fields_say(drawn):
    check_split(drawn, SCHEMA, oracle=where)
