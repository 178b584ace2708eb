"""What the C library knows of a policy: a new part, option or field is NumPy's, until C knows it and laws draw it."""

import pytest
from attrs import evolve, fields, frozen, make_class
from attrs import field as attrib

from ftree import CART, grow
from ftree._lib.fields import has_only
from ftree.datasets import weather
from ftree.growth.depth_first.what_c_knows import OPTIONS


def names_of(cls):
    return {field.name for field in fields(cls) if field.init}


@pytest.mark.parametrize("part", OPTIONS, ids=lambda part: part.__name__)
def test_each_option_of_a_part_that_c_serves_is_known_and_drawn(part):
    """If this fails: draw the new option in `policies_with_options` of test_table_growth.py; C knows it, or NumPy grows trees."""
    assert names_of(part) == set(OPTIONS[part])


def test_an_option_that_is_not_known_must_have_its_default():
    later = make_class("later", {"min_cases": attrib(default=0), "mood": attrib(default="calm")}, frozen=True)
    assert has_only(later(min_cases=3), "min_cases")
    assert not has_only(later(mood="wild"), "min_cases")


def test_a_part_of_another_type_is_numpys():
    @frozen
    class Best:
        def __call__(self, candidates):
            return candidates.score

    assert grow(weather(), evolve(CART, choose=Best())) == grow(weather(), CART)
