"""Pages run as a newcomer types them: in an empty folder, and with published files in the cache."""

import os
from pathlib import Path

import pytest

collect_ignore = ["conf.py", "_ext", "gallery"]

ROOT = Path(__file__).parents[1]
PUBLISHED = Path(os.environ.get("FTREE_SHARED", ROOT.parent / "shared")) / "uci"
FETCHES = {"votes.md"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FTREE_CACHE", str(PUBLISHED))
    if request.path.name in FETCHES and not PUBLISHED.is_dir():
        reason = f"needs the published files in {PUBLISHED} (FTREE_SHARED names another folder than {PUBLISHED.parent})"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
