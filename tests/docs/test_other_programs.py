"""What pages say that R and Weka print, they print: the snippets of other programs run as those of Python do."""

import re
import subprocess
from pathlib import Path

import pytest
from browser import needed, needed_file

pytestmark = pytest.mark.consumer

DOCS = Path(__file__).parents[2] / "docs"
PAGE, CAUSES = DOCS / "tutorials" / "r_and_weka.md", DOCS / "explanation" / "programs.md"
WEKA = Path("/usr/share/java/weka.jar")


def block(language, page=PAGE):
    return re.search(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout  # noqa: S603  # R and Java


@pytest.fixture
def votes(shared, tmp_path):
    (tmp_path / "votes.csv").write_bytes((shared / "data" / "votes.csv").read_bytes())
    return tmp_path


@pytest.mark.parametrize("page", [PAGE, CAUSES], ids=["tutorial", "causes"])
def test_rpart_prints_what_a_page_says(votes, page):
    needed_file(Path("/usr/lib/R/library/rpart"), "apt-get install r-cran-rpart")
    told = run(needed("Rscript", "r-cran-rpart"), "--vanilla", "-e", f"library(rpart)\n{block('r', page)}", folder=votes)
    promised = [line.removeprefix("#> ") for line in lines(block("r", page)) if line.startswith("#> ")]
    assert promised
    assert [line for line in promised if line not in lines(told)] == []


def test_j48_prints_what_the_tutorial_says(votes):
    weka, java = needed_file(WEKA, "apt-get install weka"), needed("java", "default-jre-headless")
    (votes / "votes.arff").write_text(run(java, "-cp", weka, "weka.core.converters.CSVLoader", "votes.csv", folder=votes))
    position = (votes / "votes.csv").read_text().splitlines()[0].split(",").index("class") + 1
    options = "-C", "0.25", "-M", "2", "-t", "votes.arff", "-no-cv", "-c", str(position)
    told = run(java, "-cp", weka, "weka.classifiers.trees.J48", *options, folder=votes)
    promised = [line for line in lines(block("text")) if "pruned tree" not in line]
    assert [line for line in promised if line not in lines(told)] == []
