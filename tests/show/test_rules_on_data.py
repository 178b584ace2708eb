"""The rows that fit a rule, rule statistics and rule lists; widths, colours and documents of pictures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema, dnf, rules, show
from ftree.data.coding import decode
from ftree.datasets import weather
from ftree.show.pictures import shortened
from ftree.show.plot_numbers import plot_text
from ftree.testing import datasets, schemas, trees
from ftree.tree import Oblique, Surrogate, Threshold, WithSurrogates
from ftree.tree.describe import named
from ftree.tree.formats import printable


@st.composite
def trees_and_rows(draw):
    schema = draw(schemas())
    return draw(trees(schema=schema)), draw(datasets(schema=schema, missing=True))


def points_of(dataset):
    columns = [decode(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    names = [feature.name for feature in dataset.schema.features]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@given(trees_and_rows())
def test_rules_cover_the_rows_that_they_hold_for(tree_and_rows):
    tree, dataset = tree_and_rows
    points = points_of(dataset)
    for formula in (*rules(tree), *(dnf(tree, label) for label in tree.schema.classes)):
        assert show.covers(formula, dataset).tolist() == [show.holds(formula, point) for point in points]


def test_statistics_of_a_rule_worked_by_hand():
    """5 of 14 days are sunny; on 2 of them golf is played, and on 9 of all days."""
    (found,) = show.rule_statistics([show.Rule((show.OneOf("outlook", ("sunny",)),), "yes", (3, 2))], weather())
    assert (found.coverage, found.support, found.confidence) == pytest.approx((5 / 14, 2 / 14, 2 / 5))
    assert found.lift == pytest.approx((2 / 5) / (9 / 14))
    assert str(found) == "if outlook = sunny then yes (coverage 0.357, confidence 0.400, lift 0.62)"


@given(trees_and_rows())
def test_a_list_of_a_trees_rules_answers_by_the_first_that_holds(tree_and_rows):
    tree, dataset = tree_and_rows
    told = rules(tree)
    answers = show.RuleList(tree.schema, told, tree.schema.classes[-1])(dataset)
    for point, answer in zip(points_of(dataset), answers, strict=True):
        assert answer == next((rule.label for rule in told if show.holds(rule, point)), tree.schema.classes[-1])


def test_a_cut_text_ends_without_a_blank():
    assert shortened("a b", 12) == "a…"
    assert [plot_text("x" * 20, most) for most in (20, 19, 1)] == ["x" * 20, "x" * 18 + "…", "…"]
    assert [plot_text("決定木", most) for most in (6, 5, 4)] == ["決定木", "決定…", "決…"], "each is two wide"


def test_characters_that_are_not_printable_are_one_blank_or_a_mark():
    assert printable("a\r\n\tb\x0bc\x85d\u2028e") == "a b c d e"
    assert printable("\x00\x1f\x7f\u202e\u2066\ufffe\ud800") == "\ufffd" * 7
    assert printable("\u200eא\u00a0") == "\u200eא\u00a0"


@pytest.mark.parametrize("wrong", ["pdf", "SVG", "", None])
def test_a_document_is_a_picture_or_a_page(wrong):
    with pytest.raises(ValueError, match="format must be one of 'svg', 'html'"):
        show.Document("<svg/>", wrong)


def test_a_document_has_every_form_that_a_notebook_takes(tmp_path):
    picture, page = show.Document("<svg/>", "svg"), show.Document('<p "&">ä\n</p>', "html")
    assert picture._repr_mimebundle_() == {"text/html": '<div style="overflow-x:auto"><svg/></div>', "image/svg+xml": "<svg/>"}
    frame = (
        '<iframe srcdoc="&lt;p &quot;&amp;&quot;&gt;ä\n&lt;/p&gt;" sandbox="allow-scripts" width="100%" height="600"></iframe>'
    )
    assert page._repr_mimebundle_(include=None) == {"text/html": frame}
    page.save(tmp_path / "page.HTML")
    assert (tmp_path / "page.HTML").read_bytes() == page.text.encode()
    with pytest.raises(ValueError, match=r"^path must end in \.html, got '.*page\.svg'\. draw\(tree\) makes pictures\.$"):
        page.save(tmp_path / "page.svg")


XY = Schema(
    [Feature("x", "numeric"), Feature("y", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes")
)


ROWS = Dataset(XY, [[0.0, 1.0, np.nan, np.nan], [5.0, np.nan, 0.0, np.nan], [0, 1, -1, 1]], [0, 1, 1, 1])


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (show.OneOf("sky", ("grey", None)), [True, False, True, False]),
        (show.OneOf("sky", ("green",)), [False] * 4),
        (show.NoneOf("sky", ("grey",)), [False, True, False, True]),
        (show.NoneOf("x"), [True, True, False, False]),
        (show.Missing("y"), [False, True, False, True]),
        (show.AllOf(()), [True] * 4),
        (show.AnyOf(()), [False] * 4),
        (show.AnyOf((show.Missing("x"), show.OneOf("sky", ("grey",)))), [True, False, True, True]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[1]), [True, False, False, False]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[0]), [False] * 4),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(1, 2.5))]).conditions[1]), [False, True, False, False]),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [], default_child=1).conditions[1]), [False, True, True, True]),
        (named(XY, show.Opaque(Threshold(0, 0.5), 1, "{0} is high")), [False, True, False, False]),
    ],
    ids=str,
)
def test_every_condition_has_its_rows(condition, wanted):
    rule = show.Rule((condition,), "yes", (0, 1))
    assert show.covers(rule, ROWS).tolist() == wanted
    assert [show.holds(rule, point) for point in points_of(ROWS)] == wanted


def test_a_label_that_the_schema_does_not_have_is_refused():
    with pytest.raises(ValueError, match="rules and default must have labels among 'no', 'yes', got 'maybe'"):
        show.RuleList(XY, [], "maybe")
    with pytest.raises(TypeError, match="formula must be a Dnf or a Rule"):
        show.covers("sky = grey", ROWS)
    with pytest.raises(KeyError, match="must be one of 'x', 'y', 'sky', got 'wind'"):
        show.covers(show.Dnf("yes", ((show.Missing("wind"),),)), ROWS)
