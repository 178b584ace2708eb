"""What pictures share: documents and their files, widths of texts, and all of a tree thousands of levels deep."""

import sys

import pytest

from ftree import draw, page, plot_tree
from ftree.show import Document, to_dot, to_mermaid
from ftree.show.pictures import shortened, text_width
from ftree.show.plot_numbers import plot_text
from ftree.show.rich_lines import rich_lines
from ftree.testing import chain
from ftree.tree.formats import printable

PICTURE = draw(chain(1)).text


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
        Document("<svg/>", wrong)


def test_a_document_has_every_form_that_a_notebook_takes(tmp_path):
    picture, page = Document("<svg/>", "svg"), Document('<p "&">ä\n</p>', "html")
    assert picture._repr_mimebundle_() == {"text/html": '<div style="overflow-x:auto"><svg/></div>', "image/svg+xml": "<svg/>"}
    frame = (
        '<iframe srcdoc="&lt;p &quot;&amp;&quot;&gt;ä\n&lt;/p&gt;" sandbox="allow-scripts" width="100%" height="600"></iframe>'
    )
    assert page._repr_mimebundle_(include=None) == {"text/html": frame}
    page.save(tmp_path / "page.HTML")
    assert (tmp_path / "page.HTML").read_bytes() == page.text.encode()
    with pytest.raises(ValueError, match=r"^path must end in \.html, got '.*page\.svg'\. draw\(tree\) makes pictures\.$"):
        page.save(tmp_path / "page.svg")


@pytest.mark.parametrize("form", ["svg", "html"])
def test_a_document_is_saved_to_a_path(form, tmp_path):
    with pytest.raises(TypeError, match="path must be a str or a Path, got None"):
        Document("", form).save(None)
    with pytest.raises(ValueError, match="path must be a non-empty text without NUL"):
        Document("", form).save("a\0b.svg")
    Document(PICTURE, form).save(tmp_path / f"tree.{form}")
    assert (tmp_path / f"tree.{form}").read_text(encoding="utf-8") == PICTURE


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_drawing_is_saved_for_slides(ending, begins, tmp_path):
    pytest.importorskip("vl_convert", reason="needs vl-convert, the extra pictures")
    Document(PICTURE, "svg").save(tmp_path / f"tree.{ending}")
    assert (tmp_path / f"tree.{ending}").read_bytes().startswith(begins)


def test_without_the_converter_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"vl-convert must be installed for \.png.*Or save it as \.svg"):
        Document(PICTURE, "svg").save(tmp_path / "tree.png")


def test_only_what_is_too_wide_is_cut():
    assert shortened("abc", text_width("abc")) == "abc"
    assert shortened("a" * 100, 50).endswith("a…")
    assert text_width("e\u0301") == text_width("e")  # an accent takes no room
    assert text_width("木") > text_width("e")


def test_a_plot_goes_to_one_axes_and_to_nothing_else():
    with pytest.raises(TypeError, match="ax must be one Axes of matplotlib, got a list"):
        plot_tree(chain(1), ax=[])


SAYS = {
    draw: lambda made: 'of which 1502 are not shown"' in made.text and made.text.count('class="closed"') == 1,
    page: lambda made: made.text.count('role="treeitem"') == 2 * 2000 - 1 and made.text.count('class="more"') == 1,
    to_dot: lambda made: made.count(" -> ") == 5_000,
    to_mermaid: lambda made: made.count("more leaves") == 1,
    rich_lines: lambda made: sum(1 for _ in made) == 5_001,
}


@pytest.mark.wide
@pytest.mark.parametrize("picture", SAYS, ids=lambda picture: picture.__name__)
def test_of_a_tree_thousands_of_levels_deep_all_is_shown_or_counted(picture):
    assert SAYS[picture](picture(chain(2_500)))
