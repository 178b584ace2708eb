"""What docs/comparison.md says of other libraries holds for the versions that are installed."""

import sys
from importlib import import_module
from pathlib import Path

import pytest
from browser import needed_file

pytestmark = [pytest.mark.consumer, pytest.mark.filterwarnings("default")]

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
REMEDIES = {
    "scikit-learn": "pip install scikit-learn",
    "rpart": "apt-get install r-cran-rpart",
    "Weka": "apt-get install weka default-jdk-headless",
    "ydf": "pip install ydf",
}


@pytest.fixture
def comparison(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield import_module("comparison")
    for name in [name for name in sys.modules if name.split(".")[0] in {"comparison", "abilities"}]:
        del sys.modules[name]


@pytest.mark.parametrize("library", REMEDIES)
def test_a_library_does_what_the_page_says_of_it(comparison, library):
    if not comparison.INSTALLED[library]():
        needed_file(Path(f"/absent/{library}"), REMEDIES[library])
    assert [point for point, right in comparison.tried(library).items() if not right] == []
