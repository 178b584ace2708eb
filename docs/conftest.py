"""Pages run as a newcomer types them: in an empty folder, with the libraries that their first lines name, and no others."""

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
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


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
# Where a module has another name than what is installed; pytest itself imports hypothesis, which `ftree.testing` needs.
MODULES = {"scikit-learn": "sklearn", "hypothesis": "ftree.testing"}
# What a library needs, or uses for good once another page has loaded it.
BRINGS = {"sklearn": {"joblib"}, "pandas": {"pyarrow"}}
OPTIONAL = {
    "duckdb",
    "ftree.testing",
    "joblib",
    "matplotlib",
    "onnx",
    "onnxruntime",
    "pandas",
    "polars",
    "pooch",
    "pyarrow",
    "sklearn",
}


def installed(page: str) -> set[str]:
    """The modules that a page's first lines install: of extras in brackets, and packages by their names."""
    named = re.findall(r"pip install ([^`]*)`", page.partition("```")[0].replace("\n", " "))
    words = re.findall(r"[\w-]+", " ".join(named))
    packages = [re.match(r"[\w-]+", each)[0] for word in words for each in EXTRAS.get(word, [word])]  # type: ignore[index]
    modules = {MODULES.get(each, each) for each in packages}
    return modules.union(*(BRINGS.get(each, set()) for each in modules))


@frozen
class Without:
    """A finder of modules that does not find those of these names."""

    finder: Any
    names: set[str]

    def find_spec(self, name: str, *rest: Any) -> Any:
        return None if name in self.names else self.finder.find_spec(name, *rest)

    def __getattr__(self, name: str) -> Any:  # it also finds the metadata of what is installed
        return getattr(self.finder, name)


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Any other optional library cannot be imported."""
    absent = OPTIONAL - installed(request.path.read_text(encoding="utf-8"))
    for module in absent:
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Without(finder, absent) for finder in sys.meta_path])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FTREE_CACHE", str(PUBLISHED))
    snippets = [line for line in request.path.read_text(encoding="utf-8").splitlines() if line.startswith(">>>")]
    if any("fetch(" in line for line in snippets) and not PUBLISHED.is_dir():
        reason = f"needs the published files in {PUBLISHED} (FTREE_SHARED names another folder than {PUBLISHED.parent})"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    if any('run(["cc"' in line for line in snippets) and not shutil.which("cc"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs a C compiler (apt install gcc libc6-dev)")


@pytest.fixture(autouse=True)
def few_examples() -> Iterator[None]:
    name = settings.get_current_profile_name()
    settings.load_profile("pages")
    yield
    settings.load_profile(name)
