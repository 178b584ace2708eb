"""What the attrs classes share."""

import attrs
import pytest

from ftree._lib.fields import ConstructorRepr, as_tuple, name_of


@attrs.frozen(repr=False)
class at_most(ConstructorRepr):  # noqa: N801  # written as a function is
    limit: int
    more: tuple[object, ...] = attrs.field(default=(), converter=as_tuple)
    strict: bool = attrs.field(default=False, kw_only=True)
    by: object = attrs.field(default=len, kw_only=True)


@pytest.mark.parametrize("values", [[1, 2], (1, 2), {1: "a", 2: "b"}, iter([1, 2]), range(1, 3)])
def test_any_iterable_becomes_a_tuple(values):
    assert as_tuple(values) == (1, 2)


@pytest.mark.parametrize("made", [at_most(3), at_most(3, [1]), at_most(3, ("a",), strict=True)])
def test_the_repr_reads_as_the_constructor_was_written(made):
    assert eval(repr(made), {"at_most": at_most}) == made  # noqa: S307  # written here


def test_defaults_are_shown_and_keywords_named():
    assert repr(at_most(3)) == "at_most(3, (), strict=False, by=len)"


def test_a_function_is_shown_by_its_name_and_a_class_too():
    assert [name_of(value) for value in (len, int, 3, "x")] == ["len", "int", "3", "'x'"]


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
