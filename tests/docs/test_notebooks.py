"""Four notebooks, of a teacher, a student, a user of pandas and a researcher: run, saved as HTML, and looked at in a browser."""

import ast
import doctest
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.consumer

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = {"teacher": "tutorials/teachers", "student": "tutorials/votes", "pandas": "tutorials/pandas", "researcher": "studies"}
# What a reader of the HTML sees of the cells' answers.
ASK = """return [...document.querySelectorAll('.jp-OutputArea-output')].map(
    (each) => [each.dataset.mimeType ?? "", each.innerText, each.getBoundingClientRect().height])"""


def shown(source):
    """A cell as a notebook's user writes it: the value itself as the last line, not printed."""
    tree = ast.parse(source)
    match tree.body:
        case [*_, ast.Expr(ast.Call(func=ast.Name("print"), args=[value], keywords=[]))] if not isinstance(value, ast.Starred):
            tree.body[-1] = ast.Expr(value)
    return ast.unparse(tree)


@pytest.mark.parametrize("who", NOTEBOOKS)
def test_a_notebook_shows_no_raw_record_and_no_error_stream(who, browser, tmp_path):
    nbformat, nbclient, nbconvert = map(pytest.importorskip, ("nbformat", "nbclient", "nbconvert"))
    text = (DOCS / f"{NOTEBOOKS[who]}.md").read_text(encoding="utf-8")
    cells = [shown(example.source) for example in doctest.DocTestParser().get_examples(text)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"] == []
    html, _ = nbconvert.HTMLExporter(embed_images=True).from_notebook_node(notebook)
    (tmp_path / f"{who}.html").write_text(html, encoding="utf-8")
    browser.open(tmp_path / f"{who}.html")
    seen = browser.run(ASK)
    assert len(seen) > 5
    for mime, words, height in seen:
        assert "stderr" not in mime
        assert height > 0
        assert not re.search(r"\b[A-Z]\w+\([a-z_]+=|\\n|^<ftree|array\(", words), words
