"""The looks of answers: bars lie in their frame, and means in the order of their colours."""

from itertools import pairwise

import pytest
from attrs import evolve
from hostile_labels import trees_of_any
from hypothesis import given
from hypothesis import strategies as st

from ftree.show.looks import COLOURS, ClassLooks, MeanLooks, looks_of
from ftree.testing import trees
from ftree.tree import numbers, preorder


@given(trees_of_any(fractions=True))
def test_parts_of_a_bar_lie_in_it_side_by_side_and_there_are_none_without_cases(tree):
    looks = looks_of(tree)
    for node in preorder(tree):
        parts = list(looks.bar(node.counts))
        assert bool(parts) == any(node.counts) == bool(looks.cases(node.counts))
        ends = [end for _, start, length in parts for end in (start, start + length)]
        assert all(one <= other + 1e-9 for one, other in pairwise([0.0, *ends, 1.0]))
        boxes = [(left, low, left + wide, low + high) for _, left, low, wide, high in looks.chart(node.counts)]
        assert all(-1e-9 <= side <= 1 + 1e-9 for box in boxes for side in box)


@given(trees(response="numbers"))
def test_a_larger_mean_has_a_later_colour_and_stands_further_right(tree):
    looks, response = looks_of(tree), tree.schema.response
    nodes = sorted((node for node in preorder(tree) if any(node.counts)), key=lambda node: response.answer(node.counts))
    assert all(looks.low <= response.answer(node.counts) <= looks.high for node in nodes)
    numbers = [looks.number(node.counts) for node in nodes]
    assert numbers == sorted(numbers)
    for node in nodes:
        strong = looks.shade(looks.number(node.counts))
        start, length = next(part[1:] for part in looks.bar(node.counts) if part[0] == strong)
        assert start + length / 2 == pytest.approx(looks.place(response.answer(node.counts)), abs=0.05)
        mean, near = response.answer(node.counts), (looks.high - looks.low) / 50 + 1e-6
        assert float(looks.label(node.counts)) == pytest.approx(mean, abs=near)
    shades = [shade for shade, _ in looks.legend()]
    assert shades == [COLOURS[0], *shades[1:-1], COLOURS[1]] if len(shades) > 1 else looks.high == looks.low


@given(trees(response="numbers"), st.sampled_from([-1060, -60, 60, 900]))
def test_numbers_of_any_size_are_drawn(tree, exponent):
    sized = evolve(tree.schema, response=evolve(tree.schema.response, unit=2.0**exponent))
    looks = looks_of(evolve(tree, schema=sized))
    texts = [text for node in preorder(tree) for text in (looks.figures(node.counts), *looks.ends)]
    assert not any("inf" in text or "nan" in text for text in texts)


def test_a_chart_has_room_for_every_class_and_for_a_limited_number_of_other_sums():
    """A curve of many times is no wider than a chart of 16 classes."""
    assert ClassLooks(range(40)).n_bars((1,) * 40) == 40
    assert [MeanLooks(numbers(), 0.0, 1.0).n_bars((1,) * n) for n in (3, 16, 40)] == [3, 16, 16]
