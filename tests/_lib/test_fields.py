"""Common parts of the attrs classes."""

from inspect import signature
from math import inf, nan
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from attrs import field, frozen

from ftree._lib import fields
from ftree._lib.fields import ConstructorRepr, as_tuple, name_of
from ftree.tree.splits import Threshold, WithDefault


@attrs.frozen(repr=False)
class at_most(ConstructorRepr):  # noqa: N801  # written as a function is
    limit: int
    more: tuple[object, ...] = attrs.field(default=(), converter=as_tuple)
    strict: bool = attrs.field(default=False, kw_only=True)
    by: object = attrs.field(default=len, kw_only=True)


@pytest.mark.parametrize("made", [at_most(3), at_most(3, [1]), at_most(3, ("a",), strict=True)])
def test_the_repr_reads_as_the_constructor_was_written(made):
    assert eval(repr(made), {"at_most": at_most}) == made  # noqa: S307  # written here


def test_defaults_are_shown_and_keywords_named():
    assert repr(at_most(3)) == "at_most(3, (), strict=False, by=len)"


def test_a_thing_with_an_empty_name_is_shown_as_its_repr():
    class Nameless:
        __name__ = ""

        def __repr__(self):
            return "nameless"

    assert name_of(Nameless()) == "nameless"


@pytest.mark.parametrize("value", [None, dict])
def test_what_stands_for_no_value_gets_no_remedy_for_a_single_one(value):
    with pytest.raises(TypeError, match=r"must be a sequence, got .*\.$"):
        as_tuple(value)


def refused(require, *arguments, **options):
    """Whether an argument is refused with a ValueError."""
    try:
        require(*arguments, **options)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize(
    ("shares", "is_one"),
    [
        ((1.0, 0.0), True),
        ((0.5, 0.5 + 9e-10), True),
        ((0.5, 0.5 - 9e-10), True),
        ((0.5, 0.5 + 2e-9), False),
        ((0.5, 0.5 - 2e-9), False),
        ((-0.1, 1.1), False),
        ((0.5, float("nan")), False),
        ((0.1,) * 10, True),
    ],
)
def test_a_distribution_has_shares_from_0_that_sum_to_1_but_for_rounding(shares, is_one):
    assert fields.is_distribution(shares) is is_one


@pytest.mark.parametrize(
    ("value", "is_wrong"),
    [(0, False), (1, False), (0.5, False), (-1e-9, True), (1 + 1e-9, True), (float("nan"), True), ("0", True)],
)
def test_a_probability_is_from_0_to_1(value, is_wrong):
    assert refused(fields.require_probability, "rate", value) is is_wrong


@pytest.mark.parametrize(
    ("value", "is_wrong"),
    [
        (1, False),
        (3, False),
        (0, True),
        (4, True),
        (True, True),
        (2.0, True),
        (np.int64(2), False),
        (np.timedelta64(2, "s"), True),
    ],
)
def test_a_whole_number_is_within_its_bounds_and_no_truth_value(value, is_wrong):
    assert fields.is_whole_number(value, 1, 3) is not is_wrong
    assert refused(fields.require_whole_number, "n", value, 1, most=3) is is_wrong
    assert refused(fields.a_whole_number(1, most=3, of="features"), None, SimpleNamespace(name="n"), value) is is_wrong


@pytest.mark.parametrize(
    ("value", "is_wrong"), [(0, False), (0.0, False), (1e300, False), (-1e-9, True), (inf, True), (nan, True)]
)
def test_a_finite_number_is_from_0(value, is_wrong):
    assert refused(fields.a_finite_number, None, SimpleNamespace(name="slack"), value) is is_wrong
    assert fields.is_finite(-3)
    assert not fields.is_finite(np.timedelta64(3, "s"))


def test_a_duration_is_no_number_of_threads_and_no_number_of_a_child():
    """NumPy counts a duration among the whole numbers."""
    with pytest.raises(ValueError, match="n_jobs must be a whole number from 1, or -1 for all processors, got "):
        fields.require_n_jobs(np.timedelta64(2, "s"))
    with pytest.raises(ValueError, match="default_child must be a whole number from 0 to 2"):
        WithDefault(Threshold(0, 0.5), default_child=np.timedelta64(1, "s"))


def test_a_class_is_a_function_only_where_that_is_said():
    fields.require_function("learner", dict, or_class=True)
    with pytest.raises(TypeError, match=r"got the class dict\. Write dict\(\.\.\.\)"):
        fields.require_function("learner", dict)
    with pytest.raises(TypeError, match=r"learner must be a function, got 3\."):
        fields.require_function("learner", 3, or_class=True)


@pytest.mark.parametrize("value", ["cut", None, 3, ("prune",)])
def test_an_option_is_one_of_those_that_there_are(value):
    check = fields.one_of("prune", "keep")
    assert refused(check, None, SimpleNamespace(name="ties"), value)
    assert not refused(check, None, SimpleNamespace(name="ties"), "keep")


@pytest.mark.parametrize("value", [0, 1, "yes", None, np.True_])
def test_a_truth_value_is_true_or_false(value):
    with pytest.raises(TypeError, match="empty must be True or False, got "):
        fields.true_or_false(None, SimpleNamespace(name="empty"), value)


@frozen(repr=False)
class sized(fields.ConstructorRepr):  # noqa: N801  # as above
    least: int
    by: object = field(default=len, metadata=fields.QUIET)
    most: int = field(default=9, kw_only=True, metadata=fields.QUIET)
    hidden: int = field(default=0, kw_only=True, repr=False)


def test_quiet_fields_show_when_they_differ_from_their_default_and_hidden_ones_never():
    assert repr(sized(1)) == repr(sized(1, len, most=9, hidden=5)) == "sized(1)"
    assert repr(sized(1, max, most=8)) == "sized(1, max, most=8)"


def test_a_signature_has_defaults_as_they_are_written():
    fields.show_defaults(sized)
    assert str(signature(sized)) == "(least, by=len, *, most=9, hidden=0)"
