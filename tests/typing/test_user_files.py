"""Files as users write them pass both type checkers: results have the types that they assert."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = [path for path in sorted(HERE.glob("*.py")) if not path.name.startswith("test_")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "checker", [["-m", "mypy", "--strict"], ["-m", "pyright", "--pythonpath", sys.executable]], ids=["mypy", "pyright"]
)
def test_users_files_have_the_types_that_they_assert(checker):
    """All in one run, since each looks at the whole library."""
    done = subprocess.run([sys.executable, *checker, *FILES], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  # our own files
    assert done.returncode == 0, done.stdout + done.stderr
