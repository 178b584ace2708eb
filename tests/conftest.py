"""Common parts of all tests: hypothesis profiles, and the folder of real data beside the project."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

# docs has a module of this name too, and neither contains doctests.
collect_ignore = ["conftest.py"]

SHARED = Path(os.environ.get("FTREE_SHARED", Path(__file__).parents[2] / "shared"))

# By Python's own threshold, looking for garbage among all that is loaded takes a twentieth of the time.
gc.set_threshold(700, 10, 1000)

# Pictures need no screen.
os.environ["MPLBACKEND"] = "agg"

# Drawing trees and tables takes longer than hypothesis expects of an example, especially on a busy machine.
slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("quick", max_examples=10, deadline=None, suppress_health_check=slow)
settings.register_profile("dev", max_examples=12, deadline=None, suppress_health_check=slow)
settings.register_profile("ci", max_examples=40, deadline=None, derandomize=True, suppress_health_check=slow)
settings.register_profile("thorough", max_examples=3000, deadline=None, suppress_health_check=slow)
# Which of two runs fails must depend on the code only, and the form of the failing example does not matter.
found = (Phase.explicit, Phase.generate)
settings.register_profile("mutants", settings.get_profile("dev"), max_examples=50, derandomize=True, database=None, phases=found)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Without a native library, a test that asks for it by name is skipped; any other answer must come from NumPy.

    What a docstring finds among drawn values is the first that fits: looking for the simplest takes a hundred times as long.
    """
    try:
        with _profile(phases=found) if isinstance(item, pytest.DoctestItem) else nullcontext():
            return (yield)
    except ImportError as error:
        if "engine='compiled' needs the native library" in str(error):
            pytest.skip("asks for the native library, which is not here")
        raise


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No picture is left open for the next test."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference trees; without it a test skips, or fails in CI."""
    if not SHARED.is_dir():
        reason = f"needs the real data sets in {SHARED} (or in the folder that FTREE_SHARED names)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return SHARED


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, if a test asks for it."""
    from browser import Browser  # noqa: PLC0415  # found beside this file

    opened = Browser()
    yield opened
    opened.close()


@pytest.fixture
def stored(snapshot: Any) -> Any:
    """The text that was looked at and stored for this test."""
    from whole_texts import WholeText  # noqa: PLC0415  # found beside this file

    return snapshot.use_extension(WholeText)


@contextmanager
def _profile(**changes: Any) -> Iterator[None]:
    """Hypothesis with a changed profile."""
    name = settings.get_current_profile_name()
    settings.register_profile("changed", settings.default, **changes)
    settings.load_profile("changed")
    try:
        yield
    finally:
        settings.load_profile(name)


@pytest.fixture
def fewer() -> Iterator[None]:
    """A third of the profile's examples for each of many parts of one kind, which are all asked for the same laws."""
    with _profile(max_examples=max(settings().max_examples // 3, 5)):
        yield


@pytest.fixture
def unshrunk(request: pytest.FixtureRequest) -> Iterator[None]:
    """Checks report the first failure that they find in 100 examples or `param`; simplifying it takes many times as long.

    Where there is none to be found, `param` is 1, for as many examples as the profile has.
    """
    least = getattr(request, "param", 100)
    with _profile(max_examples=max(settings().max_examples, least), phases=found):
        yield
