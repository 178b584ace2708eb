"""Pages run as a newcomer types them: in a folder of their own, where the tutorial's table lies."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

collect_ignore = ["conf.py", "_ext", "gallery"]

VOTES = Path(__file__).parent / "tutorials" / "votes.csv"
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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(VOTES, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def few_examples() -> Iterator[None]:
    name = settings.get_current_profile_name()
    settings.load_profile("pages")
    yield
    settings.load_profile(name)
