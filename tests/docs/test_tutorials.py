"""The tutorials take the minutes that their pages promise, and say nothing that is not typed."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "tutorials.py"


@pytest.fixture(scope="module")
def tutorials():
    spec = spec_from_file_location("tutorials", SCRIPT)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_every_tutorial_is_followed(tutorials):
    assert {path.stem for path in tutorials.TUTORIALS.glob("*.md")} == {"index", *tutorials.PAGES}


@pytest.mark.parametrize("page", ["votes", "teachers", "scikit_learn", "pandas", "r_and_weka", "engineer"])
def test_typing_a_tutorial_takes_less_than_ten_minutes(tutorials, page):
    assert 2 < tutorials.keystrokes(page) / tutorials.KEYSTROKES_A_MINUTE < 10
    assert not any(example.options for example in tutorials.typed(page)), (
        "every line of a tutorial is typed and answered as printed"
    )
