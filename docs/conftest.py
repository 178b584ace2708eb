"""Pages run as a newcomer types them: in a folder of their own, where the tutorial's table lies."""

import shutil
from pathlib import Path

import pytest

collect_ignore = ["conf.py", "_ext", "gallery"]

VOTES = Path(__file__).parent / "tutorials" / "votes.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(VOTES, tmp_path)
    monkeypatch.chdir(tmp_path)
