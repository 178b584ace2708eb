"""What the tests of batteries share: a failure that is found, and not made simpler."""

from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """Batteries report the first failure that they find: to simplify it takes many times as long."""
    name = settings.get_current_profile_name()
    settings.register_profile("unshrunk", settings.default, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(name)
