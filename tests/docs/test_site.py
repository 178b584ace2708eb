"""The built site has no broken link, raw markup or error in a browser's console; its search finds names; it fits a phone."""

import re
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from browser import needed_file

pytestmark = pytest.mark.consumer

SITE = Path(__file__).parents[2] / "build" / "docs"
PAGES = [
    "index.html",
    "tutorials/votes.html",
    "tutorials/r_and_weka.html",
    "how_to/choose_pruning.html",
    "explanation/laws.html",
    "reference/index.html",
    "reference/pruning.html",
    "reference/errors.html",
    "gallery/index.html",
    "gallery/weather.html",
    "comparison.html",
    "equals.html",
    "install.html",
    "glossary.html",
    "speed.html",
    "tutorials/teachers.html",
]
# Markup that Sphinx has left as it was, in text that is no code: a directive or a role, a substitution, a literal.
RAW = re.compile(r"::|[{}]|``")
# Code of the page that is wider than its box.
CUT = "return [...document.querySelectorAll('article pre')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"
CODE = {"code", "pre", "script", "style", "svg"}


class Links(HTMLParser):
    """The anchors of a page, and its references."""

    def __init__(self, page):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, _, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        self.links += [given[key] for key in ("href", "src") if given.get(key)]


class Texts(HTMLParser):
    """The markup that is left in the texts of a page, with what stands beside it, and how many cells each table has."""

    def __init__(self, page):
        super().__init__()
        self.within, self.raw, self.cells = [], [], []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, _):
        if tag in CODE:
            self.within.append(tag)
        if tag == "table":
            self.cells.append(0)
        if tag == "td":
            self.cells[-1] += 1

    def handle_endtag(self, tag):
        if tag in self.within:
            self.within.remove(tag)

    def handle_data(self, text):
        if not self.within and RAW.search(text):
            self.raw.append(text)


@pytest.fixture(scope="module")
def site():
    return needed_file(SITE / "index.html", "make docs").parent


def pages(site):
    return [page for page in site.rglob("*.html") if "_static" not in page.parts]


def broken(page, found):
    """The links of a page to files or anchors that do not exist; other sites are not visited."""
    for link in found[page].links:
        if urlsplit(link).scheme or link.startswith("//"):
            continue
        path, anchor = urldefrag(link)
        target = (page.parent / unquote(urlsplit(path).path)).resolve() if path else page
        if not target.exists() or (anchor and target in found and unquote(anchor) not in found[target].anchors):
            yield link


def test_no_link_is_broken(site):
    found = {page.resolve(): Links(page) for page in pages(site)}
    assert len(found) > 80
    assert {str(page): links for page in found if (links := list(broken(page, found)))} == {}


def test_no_page_shows_raw_markup_or_an_empty_table(site):
    found = {page: Texts(page) for page in pages(site)}
    assert {str(page): texts.raw for page, texts in found.items() if texts.raw} == {}
    assert [page for page, texts in found.items() if 0 in texts.cells] == []
    assert len(found[site / "speed.html"].cells) == 3 + (site / "../../docs/speed.md").read_text("utf-8").count("```{figures}")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_without_errors_and_fits_a_phone_and_a_desk(browser, site, page):
    for width in (390, 1280, 1400):
        browser.resize(width, 900)
        browser.open(site / page)
        assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), f"{page} is wider than {width}"
    assert browser.run(CUT) == [], f"lines of {page} are cut on a desk"
    # The theme reports which of its colours it uses.
    assert [message for message in browser.log() if "[PST]" not in message] == []


def test_the_search_finds_a_pass_in_the_reference(browser, site):
    browser.open(site / "search.html")
    browser.run("location.search = '?q=reduced_error'")
    links, end = [], time.monotonic() + 60
    while not any("reference/pruning.html#ftree.prune.reduced_error" in link for link in links):
        assert time.monotonic() < end, links
        links = browser.run("return [...document.querySelectorAll('#search-results a')].map(link => link.href)")
