"""Pages run as a newcomer types them: in an empty folder, and with published files in the cache."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

collect_ignore = ["conf.py", "conftest.py", "_ext", "gallery"]

ROOT = Path(__file__).parents[1]
PUBLISHED = Path(os.environ.get("FTREE_SHARED", ROOT.parent / "shared")) / "uci"
# Batteries run here to show that the snippets are right; `tests/extensions` runs them on as many examples as elsewhere.
settings.register_profile(
    "pages",
    max_examples=3,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FTREE_CACHE", str(PUBLISHED))
    snippets = [line for line in request.path.read_text(encoding="utf-8").splitlines() if line.startswith(">>>")]
    if any("fetch(" in line for line in snippets) and not PUBLISHED.is_dir():
        reason = f"needs the published files in {PUBLISHED} (FTREE_SHARED names another folder than {PUBLISHED.parent})"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(autouse=True)
def few_examples() -> Iterator[None]:
    name = settings.get_current_profile_name()
    settings.load_profile("pages")
    yield
    settings.load_profile(name)
